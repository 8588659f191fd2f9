"""The proof that something was forgotten: what was looked for, where, what was found and what is left, signed.

The signature is an HMAC with a key of the data folder: whoever holds the folder can verify that the certificate was
written there and is unchanged. It proves nothing to others, who would have to be trusted with the key.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from firstline.errors import InvalidInput

VERSION: Final = 1
SIGNATURE: Final = "signature"


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where was looked: how much was found and removed there, and how much the look afterwards found."""

    name: str
    found: int
    left: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Certificate:
    """`what`: the documents by id, or a person by the sha256 of the text that was looked for. `kept`: what stays and
    why, in words."""

    tenant: str
    what: Mapping[str, Any]
    by: str
    unreachable_at: datetime
    purged_at: datetime
    places: Sequence[Place]
    kept: Sequence[str] = ()

    @property
    def clean(self) -> bool:
        return not any(place.left for place in self.places)


def signed(certificate: Certificate, key: bytes) -> dict[str, Any]:
    """As JSON, with its signature."""
    told: dict[str, Any] = {
        "certificate": "firstline forget",
        "version": VERSION,
        "tenant": certificate.tenant,
        "what": dict(certificate.what),
        "by": certificate.by,
        "unreachable_at": certificate.unreachable_at.isoformat(),
        "purged_at": certificate.purged_at.isoformat(),
        "places": [{"name": one.name, "found": one.found, "left": one.left} for one in certificate.places],
        "nothing_left": certificate.clean,
        "kept": list(certificate.kept),
    }
    return {**told, SIGNATURE: _signature(told, key)}


def verify(told: object, key: bytes) -> dict[str, Any]:
    """The certificate's content. InvalidInput when it was not signed with this key, or was changed since."""
    if not isinstance(told, dict):
        raise InvalidInput("This is no certificate.", remedy="Name the file that `firstline forget` wrote.")
    content = cast(dict[str, Any], told)
    given = content.get(SIGNATURE)
    rest = {name: value for name, value in content.items() if name != SIGNATURE}
    if not isinstance(given, str) or not hmac.compare_digest(given, _signature(rest, key)):
        raise InvalidInput(
            "The certificate was not signed with the key of this data folder, or was changed since.",
            remedy="Verify it with --data pointing at the folder that it was made in.",
        )
    return rest


def _signature(told: Mapping[str, Any], key: bytes) -> str:
    text = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "hmac-sha256:" + hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
