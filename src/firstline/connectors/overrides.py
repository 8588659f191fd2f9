"""What does a document say about its own kind and access? It outranks what was given for its source.

A value that cannot be understood must not fall back to something wider: the document is refused, with the reason.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import yaml

from firstline.domain import (
    EVERYONE,
    FRONT_MATTER_CHARS_MAX,
    GRAPH,
    GRAPH_OFF,
    NOTHING,
    ORIGIN,
    UNSEEN,
    DocumentKind,
    FrontMatter,
    Level,
    front_matter,
    question_key,
)

_SETS_ACCESS: Final = re.compile(r"^[ \t]{0,8}[\"']?(?:acl|level)[\"']?[ \t]*[:=]", re.MULTILINE | re.IGNORECASE)
_JSON: Final = re.compile(r"\{\s{0,64}\"")
_JSON_ACCESS: Final = re.compile(r"\"(?:acl|level)\"\s{0,8}:", re.IGNORECASE)
_ACCESS: Final = ("acl", "level")
_CLOSE_IT: Final = "Put a line like its first one behind its last."
_NOT_JSON: Final = "Write it as YAML between two lines of `---`."


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """Kind of a document, who may see it, a fingerprint of where it comes from ("": not told), and whether it is in the
    graph. `bound`: a rule of its folder said who may see it, and the document's own word may only narrow that."""

    kind: DocumentKind
    acl: frozenset[str]
    level: Level
    origin: str = ""
    bound: bool = False
    graph: bool = True

    def metadata(self, title: str) -> Mapping[str, str]:
        """A FAQ is found by its question."""
        key = question_key(title) if self.kind is DocumentKind.FAQ else ""
        asked = {"question_key": key} if key else NOTHING
        own = {**({ORIGIN: self.origin} if self.origin else NOTHING), **(NOTHING if self.graph else {GRAPH: GRAPH_OFF})}
        return {**asked, **own} if own else asked


@dataclass(frozen=True, kw_only=True, slots=True)
class Overrides:
    title: str
    url: str | None
    access: Access


def front_overrides(raw: bytes, access: Access) -> Overrides | str:
    """What a Markdown page's front matter says; a sentence when it sets access in a way that cannot be understood."""
    text = raw.decode("utf-8", "replace").lstrip(UNSEEN)[: 2 * FRONT_MATTER_CHARS_MAX]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front = front_matter(text)
    if _SETS_ACCESS.search(front.unclosed):
        return f"Its front matter is not closed, and it seems to say who may see this page. {_CLOSE_IT}"
    if _JSON.match(text) and _JSON_ACCESS.search(text.split("\n}", 1)[0]):
        return f"Its front matter is JSON, and it seems to say who may see this page. {_NOT_JSON}"
    if not front.head:
        return Overrides(title="", url=None, access=access)
    pairs = _pairs(front)
    if pairs is None:
        if _SETS_ACCESS.search(front.head):
            return (
                f"Its front matter is not valid {_form(front)}, and it seems to say who may see this page. Correct it."
            )
        return Overrides(title="", url=None, access=access)
    values: dict[str, object] = {}
    for name, value in pairs:
        if name in _ACCESS and name in values:
            return f"Its front matter says `{name}` twice. Keep the one that is meant."
        if name in _ACCESS and value is None:
            return f"Its front matter leaves `{name}` empty. Say who may see this page, or remove the line."
        values[name] = value
    changed = overridden(access, kind=values.get("kind"), acl=values.get("acl"), level=values.get("level"))
    if isinstance(changed, str):
        return changed
    title, url = values.get("title"), values.get("url")
    return Overrides(
        title=" ".join(title.split())[:500] if isinstance(title, str) else "",
        url=url.strip()[:2000] if isinstance(url, str) and url.strip() else None,
        access=changed,
    )


def _pairs(front: FrontMatter) -> Sequence[tuple[str, object]] | None:
    """Top-level keys in lower case with their values, a key that is written twice twice. None: it cannot be read."""
    try:
        loaded: object = tomllib.loads(front.head) if front.toml else yaml.safe_load(front.head)
        written = [] if front.toml else _written(front.head)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    if not isinstance(loaded, dict):
        return None
    pairs = [(str(key).strip().lower(), value) for key, value in cast("dict[Any, object]", loaded).items()]
    names = [name for name, _ in pairs]
    # What the file says twice in one spelling, the mapping holds once.
    again = [name for name in _ACCESS if written.count(name) > names.count(name)]
    return [*pairs, *((name, "") for name in again)]


def _written(head: str) -> list[str]:
    """The keys as the YAML spells them out, repeated ones repeatedly."""
    # The library's types leave this one open.
    node: object = cast("Any", yaml).compose(head, Loader=yaml.SafeLoader)
    if not isinstance(node, yaml.MappingNode):
        return []
    keys = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
    return [str(key.value).strip().lower() for key, _ in keys if isinstance(key, yaml.ScalarNode)]


def _form(front: FrontMatter) -> str:
    return "TOML" if front.toml else "YAML"


def overridden(access: Access, *, kind: object, acl: object, level: object) -> Access | str:
    """Access with the values given (None: as it was), those that would widen what is `bound` left out. A kind that is
    unknown is somebody else's word and is ignored."""
    given = access
    if level is not None:
        try:
            access = replace(access, level=Level.parse(str(level)))
        except KeyError:
            names = ", ".join(entry.label for entry in Level)
            return f"Its level {str(level)[:40]!r} does not exist. Use one of {names}."
        if given.bound:
            access = replace(access, level=max(given.level, access.level))
    if acl is not None:
        tags = _tags(acl)
        if tags is None:
            return "Its acl is neither a list nor a text of tags. Write it like `acl: [staff, partners]`."
        access = replace(access, acl=tags_both(given.acl, tags) if given.bound else tags)
    if isinstance(kind, str) and kind.strip().lower() in {entry.value for entry in DocumentKind}:
        access = replace(access, kind=DocumentKind(kind.strip().lower()))
    return access


def tags_both(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Who may see what both allow: where one allows everyone, those of the other."""
    if EVERYONE in one:
        return other
    return one if EVERYONE in other else one & other


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
