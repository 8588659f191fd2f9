"""When is an item unchanged? When everything that shapes its document is."""

from __future__ import annotations

import hashlib
import json

from firstline.domain.knowledge import SourceItem
from firstline.domain.texts import PIPELINE_VERSION


def content_hash_of(item: SourceItem) -> str:
    """sha256 (hex) over bytes, kind, access, title, url, metadata, pipeline."""
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
    return digest.hexdigest()
