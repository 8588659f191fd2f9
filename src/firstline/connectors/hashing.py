"""When is an item unchanged? When everything that shapes its document is."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from firstline.domain import PIPELINE_VERSION, SourceItem


def content_hash(item: SourceItem) -> SourceItem:
    """The item with its `content_hash`: sha256 (hex) over bytes, kind, access, title, url, metadata, pipeline."""
    digest = hashlib.sha256(item.raw)
    shape = [
        PIPELINE_VERSION,
        item.media_type,
        item.kind.value,
        sorted(item.acl),
        int(item.level),
        item.url or "",
        item.title,
        sorted(item.metadata.items()),
    ]
    digest.update(json.dumps(shape).encode("ascii"))
    return replace(item, content_hash=digest.hexdigest())
