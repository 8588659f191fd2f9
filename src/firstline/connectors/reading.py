"""What do these bytes hold, and what item do they become? The same wherever the file lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from firstline.connectors.charset import Notice, as_utf8
from firstline.connectors.hashing import content_hash
from firstline.connectors.overrides import Access, Overrides, front_overrides
from firstline.domain import FRONT_MATTER_CHARS_MAX, Failure, SourceItem

MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdx": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".log": "text/plain",
    ".rst": "text/x-rst",
    ".adoc": "text/asciidoc",
    ".asciidoc": "text/asciidoc",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".csv": "text/csv",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
}
TABLES: Final = frozenset({"text/csv", "application/jsonl"})
SNIFF_BYTES: Final = 8_192
HEAD_BYTES: Final = 8 * FRONT_MATTER_CHARS_MAX
"""Holds the front matter of any page, however its letters are written."""
SUPPORTED: Final = "Supported are " + ", ".join(MEDIA_TYPES) + "."
_WIDER: Final = "asks for more readers than the access rule of its folder has; the rule holds."
_NAME_IT: Final = "Name it by what it is, or leave it out."
_UNPACK: Final = "Unpack it, and ingest what is in it."
_TEXT_OF_IMAGE: Final = "Save what it shows as text, or leave it out."
_EXPORT: Final = "Export its text as Markdown, CSV or JSONL."
_FOREIGN: Final = (
    (b"PK\x03\x04", "a zip archive or Office document", "Unpack it and ingest what is in it; name a Word file .docx."),
    (b"PK\x05\x06", "an empty zip archive", "Leave it out."),
    (b"\x1f\x8b", "a gzip archive", _UNPACK),
    (b"\x7fELF", "a program", "Leave it out."),
    (b"\x89PNG", "an image", _TEXT_OF_IMAGE),
    (b"\xff\xd8\xff", "an image", _TEXT_OF_IMAGE),
    (b"GIF8", "an image", _TEXT_OF_IMAGE),
    (b"%PDF-", "a PDF", "Rename it to .pdf."),
    (b"\xd0\xcf\x11\xe0", "an old Office document", "Save it as .docx."),
    (b"SQLite format 3", "a database", _EXPORT),
)


def items_of(
    raw: bytes, item_id: str, *, media_type: str, access: Access, url: str | None = None
) -> Iterator[SourceItem | Failure | Notice]:
    """The item that one file becomes, with what its owner should know; a Failure when its front matter sets access in
    a way that cannot be understood. A `url` of its front matter outranks the one given."""
    if media_type.startswith("text/"):
        raw, said = as_utf8(raw, web_page=media_type == "text/html")
        if said:
            yield Notice(item_id=item_id, said=said)
    title = ""
    if media_type == "text/markdown":
        overrides = front_overrides(raw, access)
        if isinstance(overrides, str):
            yield refused(item_id, overrides, access=access, head=raw, media_type=media_type)
            return
        if access.bound and _asks_for_more(raw, access, overrides):
            yield Notice(item_id=item_id, said=_WIDER)
        title, url, access = overrides.title, overrides.url or url, overrides.access
    yield content_hash(
        SourceItem(
            item_id=item_id,
            kind=access.kind,
            media_type=media_type,
            raw=raw,
            title=title,
            url=url,
            metadata=access.metadata(title),
            acl=access.acl,
            level=access.level,
        )
    )


def _asks_for_more(raw: bytes, access: Access, given: Overrides) -> bool:
    """Whether its own word, were it free, would have opened the page to more people."""
    free = replace(access, bound=False)
    asked = front_overrides(raw, free)
    return isinstance(asked, Overrides) and replace(asked.access, bound=True) != given.access


def refused(item_id: str, reason: str, *, access: Access, head: bytes, media_type: str) -> Failure:
    """A file that cannot be taken, with the access that it would have had: as `head`, its first HEAD_BYTES or more,
    says. Nobody's when it says so in a way that cannot be understood: an earlier revision must not stay open then."""
    acl, level = access.acl, access.level
    if media_type == "text/markdown":
        own = front_overrides(head, access)
        acl, level = (frozenset[str](), level) if isinstance(own, str) else (own.access.acl, own.access.level)
    return Failure(item_id=item_id, reason=reason, acl=acl, level=level)


def mismatch(head: bytes, extension: str, media_type: str) -> str:
    """What is wrong between a file's name and its first SNIFF_BYTES bytes; "" when they agree."""
    if not head.strip():
        return "It is empty. Put text in it, or leave it out." if len(head) < SNIFF_BYTES else ""
    if media_type == "application/pdf":
        return "" if b"%PDF-" in head[:1024] else f"It is named .pdf and is not a PDF. {_NAME_IT}"
    if extension == ".docx":
        known = head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))
        return "" if known else f"It is named .docx and is not a Word document. {_NAME_IT}"
    foreign = next((entry for entry in _FOREIGN if head.startswith(entry[0])), None)
    if foreign:
        _, name, remedy = foreign
        return f"It is named {extension} and is {name}. {remedy}"
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff")) or _looks_wide(head)
    if b"\x00" in head and not wide and head.count(0) > len(head) * 0.001:
        return f"It is named {extension} and holds binary data. {_NAME_IT}"
    return ""


def _looks_wide(head: bytes) -> bool:
    """UTF-16 without a byte order mark."""
    odd, even = head[1::2].count(0), head[::2].count(0)
    return max(odd, even) > len(head) * 0.3 and min(odd, even) < len(head) * 0.05
