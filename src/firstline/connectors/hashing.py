"""When is an item unchanged? When everything that shapes its document is."""

from __future__ import annotations

from dataclasses import replace

from firstline.domain import SourceItem, content_hash_of


def content_hash(item: SourceItem) -> SourceItem:
    """The item with its `content_hash`."""
    return replace(item, content_hash=content_hash_of(item))
