"""When do two requests ask the same? When everything that an answer depends on is the same, for the same tenant."""

from __future__ import annotations

import json

from firstline.caches.store import Key, key_of
from firstline.domain import ModelRequest


def request_key(request: ModelRequest, *, model_id: str) -> Key:
    """Of tenant, models and request; not of whose turn it is, nor of how long it may take."""
    return key_of(
        "model",
        model_id,
        request.role.value,
        list(request.system),
        [[part.label, part.text] for part in request.parts],
        json.dumps(request.schema, sort_keys=True, default=str) if request.schema is not None else "",
        request.max_tokens,
        request.temperature,
        owner=(request.tenant, ""),
    )
