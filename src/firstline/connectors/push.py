"""Documents that are pushed to us: a signed event holds what changed, and nothing is ever fetched."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError, model_validator

from firstline.connectors.kind import Opening, SecretRef, SourceConfig, SourceKind, web_address
from firstline.connectors.overrides import Access, overridden
from firstline.connectors.reading import items_of
from firstline.domain import Change, Failure, SourceItem
from firstline.errors import InvalidInput
from firstline.plain_words import plain_words

DOCUMENTS_MAX: Final = 500
ID_CHARS_MAX: Final = 400
TITLE_CHARS_MAX: Final = 500
TAGS_MAX: Final = 100
_TYPES: Final = {"text": "text/plain", "markdown": "text/markdown", "html": "text/html"}
_SHAPE: Final = "docs/events.md shows the shape."
_JSON: Final = TypeAdapter[JsonValue](JsonValue)


class PushConfig(SourceConfig):
    hook_secret: SecretRef = Field(
        description="Where the secret is that signs its events: env:NAME or file:PATH.", min_length=1
    )


class PushedDocument(BaseModel):
    """One document that was written, or with `deleted` is gone. `version` grows with every change of it; `updated_at`
    says the same by the source's clock."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str = Field(min_length=1, max_length=ID_CHARS_MAX, pattern=r"^[^\x00-\x1f\x7f]+$")
    title: str = Field("", max_length=TITLE_CHARS_MAX)
    text: str | None = None
    markdown: str | None = None
    html: str | None = None
    url: str | None = Field(None, max_length=2000)
    kind: str | None = None
    acl: list[str] | None = Field(None, max_length=TAGS_MAX)
    level: str | None = None
    deleted: bool = False
    version: int | None = Field(None, ge=0, le=2**63 - 1)
    updated_at: str | None = Field(None, max_length=40)

    @property
    def bodies(self) -> list[tuple[str, str]]:
        given = (("text", self.text), ("markdown", self.markdown), ("html", self.html))
        return [(name, body) for name, body in given if body is not None]

    @model_validator(mode="after")
    def _one_body(self) -> PushedDocument:
        if self.deleted and self.bodies:
            raise ValueError("is deleted and has a text: say one of the two")
        if not self.deleted and len(self.bodies) != 1:
            raise ValueError("needs exactly one of text, markdown and html")
        if self.version is not None and self.updated_at is not None:
            raise ValueError("has a version and updated_at: say one of the two, always the same one")
        return self


class PushedEvent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    type: Literal["documents"] = "documents"
    documents: list[PushedDocument] = Field(min_length=1, max_length=DOCUMENTS_MAX)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pushed:
    """`item` is None when the document is gone."""

    item_id: str
    item: SourceItem | None
    version: int | None


def pushed(body: bytes, *, name: str, access: Access, bytes_max: int) -> list[Pushed]:
    """What an event of the source `name` says, each document once: the last word counts. InvalidInput says what is
    wrong with which document, and then nothing of the event is taken."""
    try:
        value = _JSON.validate_json(body)
        if isinstance(value, dict) and "documents" not in value:
            value = {"documents": [value]}
        event = PushedEvent.model_validate(value)
    except ValidationError as error:
        raise _wrong(error) from None
    found: dict[str, Pushed] = {}
    for place, document in enumerate(event.documents):
        one = _read(document, place, name=name, access=access, bytes_max=bytes_max)
        known = found.get(one.item_id)
        older = known is not None and known.version is not None and one.version is not None
        if not older or (known is not None and (one.version or 0) >= (known.version or 0)):
            found[one.item_id] = one
    return list(found.values())


def _read(document: PushedDocument, place: int, *, name: str, access: Access, bytes_max: int) -> Pushed:
    item_id, version = f"{name}/{document.id}", _version(document, place)
    if document.deleted:
        return Pushed(item_id=item_id, item=None, version=version)
    changed = overridden(access, kind=document.kind, acl=document.acl, level=document.level)
    if isinstance(changed, str):
        raise InvalidInput(f"documents.{place}: {changed}", remedy=_SHAPE)
    if document.url is not None:
        try:
            web_address(document.url)
        except ValueError as error:
            raise InvalidInput(f"documents.{place}.url {error}.", remedy=_SHAPE) from None
    ((form, body),) = document.bodies
    raw = body.encode("utf-8", "replace")
    if len(raw) > bytes_max:
        raise InvalidInput(f"documents.{place} is too large.", remedy="Split it, or raise `file_bytes_max`.")
    said = [
        one
        for one in items_of(raw, item_id, media_type=_TYPES[form], access=changed, url=document.url)
        if isinstance(one, SourceItem | Failure)
    ]
    item = said[-1]
    if isinstance(item, Failure):
        raise InvalidInput(f"documents.{place}: {item.reason}", remedy=_SHAPE)
    title = " ".join(document.title.split()) or item.title
    return Pushed(item_id=item_id, item=_titled(item, title, changed), version=version)


def _titled(item: SourceItem, title: str, access: Access) -> SourceItem:
    own = Access(kind=item.kind, acl=item.acl, level=item.level, origin=access.origin, graph=access.graph)
    return replace(item, title=title, metadata=own.metadata(title))


def _version(document: PushedDocument, place: int) -> int | None:
    if document.updated_at is None:
        return document.version
    try:
        at = datetime.fromisoformat(document.updated_at)
        if at.tzinfo is None:
            raise ValueError
        return round(at.timestamp() * 1_000_000)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"documents.{place}.updated_at is no moment.", remedy="Write it like 2026-01-31T12:00:00Z."
        ) from None


def _wrong(error: ValidationError) -> InvalidInput:
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"]) or "The body"
    if first["type"] == "value_error":
        return InvalidInput(f"{path} {first.get('ctx', {}).get('error', 'is not usable')}.", remedy=_SHAPE)
    if first["type"] == "json_invalid":
        return InvalidInput("The body is no valid JSON.", remedy=_SHAPE)
    problem, allowed = plain_words(first["type"], first.get("ctx") or {})
    return InvalidInput(f"{path} {problem}.", remedy=f"Allowed: {allowed}." if allowed else _SHAPE)


class PushSource:
    """Implements `ports.Incremental`. There is nothing to fetch, and nothing is taken for gone."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        nothing: Sequence[Change] = ()
        for change in nothing:
            yield change


KIND = SourceKind(
    name="push", says="Documents that are pushed here as signed events.", config=PushConfig, open=PushSource
)
