"""How does a thing of a vendor become an item, and who may see it?"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal

from firstline.connectors.hashing import content_hash
from firstline.connectors.kind import Opening
from firstline.connectors.overrides import Access
from firstline.domain import DocumentKind, Failure, Level, SourceItem
from firstline.errors import InvalidInput

FIELD_CHARS_MAX: Final = 500
FIELDS_MAX: Final = 32
TITLE_CHARS_MAX: Final = 500
URL_CHARS_MAX: Final = 2_000

LevelName = Literal["public", "customer", "internal", "restricted"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Making:
    """Makes the items of one source. `key` is what the vendor calls the thing, below the source's name."""

    opening: Opening

    def item_id(self, key: str) -> str:
        return f"{self.opening.name}/{key}"

    def item(
        self,
        key: str,
        *,
        media_type: str,
        raw: bytes,
        title: str,
        url: str,
        fields: Mapping[str, str],
        access: Access,
    ) -> SourceItem | Failure:
        """Failure when it has no text, or is larger than the source may be."""
        if not key or key.endswith("/"):
            # What stands under the name it should have is not known to be gone.
            return Failure(item_id=self.item_id(key), reason="The other side told no id for it.")
        if not raw.strip():
            return Failure(item_id=self.item_id(key), reason="It has no text.", keeps=False)
        if len(raw) > self.opening.bytes_max:
            return Failure(
                item_id=self.item_id(key), reason="It is too large. Leave it out, or raise the setting file_bytes_max."
            )
        title = " ".join(title.split())[:TITLE_CHARS_MAX]
        told = {name: " ".join(value.split())[:FIELD_CHARS_MAX] for name, value in fields.items()}
        told = dict([(name, value) for name, value in told.items() if name and value][:FIELDS_MAX])
        return content_hash(
            SourceItem(
                item_id=self.item_id(key),
                kind=access.kind,
                media_type=media_type,
                raw=raw,
                title=title,
                url=url[:URL_CHARS_MAX] or None,
                metadata={**told, **access.metadata(title)},
                acl=access.acl,
                level=access.level,
            )
        )

    def failure(self, key: str, reason: str) -> Failure:
        return Failure(item_id=self.item_id(key), reason=reason)


def at_least(access: Access, level: LevelName, kind: DocumentKind) -> Access:
    """The source's access for things of this kind, that are at least so confidential."""
    return replace(access, kind=kind, level=max(access.level, Level.parse(level)))


def only(access: Access, tags: frozenset[str], renamed: Mapping[str, str]) -> Access:
    """Access for these tags alone, as the options rename them; for nobody when there are none. What a vendor restricts
    is never seen by who may merely see the rest of the source."""
    return replace(access, acl=frozenset(renamed.get(tag, tag) for tag in tags))


def notes_allowed(opening: Opening, *, wanted: bool) -> bool:
    """Whether internal notes are taken. InvalidInput when they are wanted in a source that customers may see."""
    if wanted and opening.access.level < Level.INTERNAL:
        raise InvalidInput(
            "Internal notes are wanted (`notes`), and the source's level is below internal.",
            remedy="Add --level internal to the source, or leave `notes` out.",
        )
    return wanted


def basic(user: str, password: str) -> dict[str, str]:
    """The header of HTTP basic authentication."""
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")}


def listed(value: object) -> object:
    """A text with commas as a list of its parts; anything else as it is. For options that are given as a place."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def moment(value: object) -> float:
    """Seconds since 1970 of an ISO date or a number; 0.0 when it is neither."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return 0.0
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def iso(moment_s: float) -> str:
    """As vendors take it: in UTC, to the second."""
    return datetime.fromtimestamp(max(0.0, moment_s), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
