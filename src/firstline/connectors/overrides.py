"""What does a document say about its own kind and access? It outranks what was given for its source.

A value that cannot be understood must not fall back to something wider: the document is refused, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import yaml

from firstline.domain import (
    FRONT_MATTER_CHARS_MAX,
    NOTHING,
    ORIGIN,
    DocumentKind,
    Level,
    question_key,
    split_front_matter,
)

_SETS_ACCESS: Final = re.compile(r"^[\"']?(?:acl|level)[\"']?[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """Kind of a document, who may see it, and a fingerprint of where it comes from ("": not told)."""

    kind: DocumentKind
    acl: frozenset[str]
    level: Level
    origin: str = ""

    def metadata(self, title: str) -> Mapping[str, str]:
        """A FAQ is found by its question."""
        key = question_key(title) if self.kind is DocumentKind.FAQ else ""
        asked = {"question_key": key} if key else NOTHING
        return {**asked, ORIGIN: self.origin} if self.origin else asked


@dataclass(frozen=True, kw_only=True, slots=True)
class Overrides:
    title: str
    url: str | None
    access: Access


def front_overrides(raw: bytes, access: Access) -> Overrides | str:
    """What a Markdown page's front matter says; a sentence when it sets access in a way that cannot be understood."""
    start = raw.removeprefix(b"\xef\xbb\xbf")[: 4 * FRONT_MATTER_CHARS_MAX].decode("utf-8", "replace")
    head, _ = split_front_matter(start.replace("\r\n", "\n").replace("\r", "\n"))
    if not head:
        return Overrides(title="", url=None, access=access)
    try:
        loaded: object = yaml.safe_load(head)
    except (yaml.YAMLError, RecursionError, ValueError):
        loaded = None
    if not isinstance(loaded, dict):
        if _SETS_ACCESS.search(head):
            return "Its front matter is not valid YAML, and it seems to say who may see this page. Correct it."
        return Overrides(title="", url=None, access=access)
    values = {str(key): value for key, value in cast("dict[Any, object]", loaded).items()}
    changed = overridden(access, kind=values.get("kind"), acl=values.get("acl"), level=values.get("level"))
    if isinstance(changed, str):
        return changed
    title, url = values.get("title"), values.get("url")
    return Overrides(
        title=" ".join(title.split())[:500] if isinstance(title, str) else "",
        url=url.strip()[:2000] if isinstance(url, str) and url.strip() else None,
        access=changed,
    )


def overridden(access: Access, *, kind: object, acl: object, level: object) -> Access | str:
    """Access with the values given (None: as it was). A kind that is unknown is somebody else's word and is ignored."""
    if level is not None:
        try:
            access = replace(access, level=Level.parse(str(level)))
        except KeyError:
            names = ", ".join(entry.label for entry in Level)
            return f"Its level {str(level)[:40]!r} does not exist. Use one of {names}."
    if acl is not None:
        tags = _tags(acl)
        if tags is None:
            return "Its acl is neither a list nor a text of tags. Write it like `acl: [staff, partners]`."
        access = replace(access, acl=tags)
    if isinstance(kind, str) and kind.strip().lower() in {entry.value for entry in DocumentKind}:
        access = replace(access, kind=DocumentKind(kind.strip().lower()))
    return access


def _tags(acl: object) -> frozenset[str] | None:
    """Tags from a list or a text separated by commas. None of them means nobody."""
    if isinstance(acl, str):
        parts: list[object] = [*acl.split(",")]
    elif isinstance(acl, list):
        parts = cast("list[object]", acl)
    else:
        return None
    if not all(isinstance(part, str | int) for part in parts):
        return None
    return frozenset(str(part).strip() for part in parts if str(part).strip())
