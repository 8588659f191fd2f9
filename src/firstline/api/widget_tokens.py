"""Widget tokens: a short-lived proof, for one person's browser, that it may ask, and nothing more.

A token is `flw_<claims>.<signature>` of base64url parts: the key that it was minted by, tenant, knowledge base, user,
origin of the page and end. It holds no right of its own. It sees what its key may see when it is used, so revoking the
key ends every token that it minted, at the next request.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast

from firstline.errors import Forbidden, Unauthenticated

PREFIX: Final = "flw_"
CHARS_MAX: Final = 2_048
ORIGIN_CHARS_MAX: Final = 253 + len("https://:65535")
ORIGIN: Final = re.compile(r"https?://(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::[1-9][0-9]{0,4})?")
"""As browsers write it: lower case, no path, no default port."""

SECONDS_MIN: Final = 60
SECONDS_MAX: Final = 3_600
SECONDS: Final = 900
_REMEDY: Final = "Have your server mint a new one: POST /v1/widget-tokens."
_SHAPE: Final = re.compile(r"flw_([A-Za-z0-9_-]{1,1900})\.([A-Za-z0-9_-]{43})")
_PURPOSE: Final = b"firstline widget token 1\x00"


@dataclass(frozen=True, kw_only=True, slots=True)
class WidgetToken:
    """What a token says. `tenant` and `key_id` must be those of the same key when it is used."""

    key_id: str
    tenant: str
    kb: str
    user: str
    origin: str
    expires_at: datetime


def mint(token: WidgetToken, *, secret: bytes) -> str:
    """`secret` is the installation's, of 16 bytes or more."""
    said = [token.key_id, token.tenant, token.kb, token.user, token.origin, int(token.expires_at.timestamp())]
    claims = _encoded(json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode())
    return f"{PREFIX}{claims}.{_encoded(_signature(claims, secret))}"


def read_token(text: str, *, secret: bytes, origin: str | None, page_reads: bool, now: datetime) -> WidgetToken:
    """What a token says, its signature and end checked, and that the request comes from its origin.

    `origin` is the request's header. Browsers leave it out of a page's plain reads from its own server (`page_reads`),
    and send it with everything else. Unauthenticated or Forbidden; who did not sign learns no more than that.
    """
    parts = _SHAPE.fullmatch(text) if len(text) <= CHARS_MAX else None
    if parts is None:
        raise Unauthenticated("The widget token is malformed.", remedy=_REMEDY)
    if not hmac.compare_digest(_encoded(_signature(parts[1], secret)), parts[2]):
        raise Unauthenticated("The widget token is not known.", remedy=_REMEDY)
    token = _said(parts[1])
    if token.expires_at <= now:
        raise Unauthenticated("The widget token has expired.", remedy=_REMEDY)
    if origin != token.origin and not (origin is None and page_reads):
        raise Forbidden("The widget token belongs to another page.", remedy=_REMEDY)
    return token


def _said(claims: str) -> WidgetToken:
    """Only what we signed comes here: another form is one of an older or a newer version."""
    try:
        said = cast("list[Any]", json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4))))
        key_id, tenant, kb, user, origin, ends = said
        return WidgetToken(
            key_id=str(key_id),
            tenant=str(tenant),
            kb=str(kb),
            user=str(user),
            origin=str(origin),
            expires_at=datetime.fromtimestamp(int(ends), UTC),
        )
    except (ValueError, TypeError, binascii.Error) as error:
        raise Unauthenticated("The widget token is of another version.", remedy=_REMEDY) from error


def _signature(claims: str, secret: bytes) -> bytes:
    return hmac.digest(hashlib.sha256(_PURPOSE + secret).digest(), claims.encode(), hashlib.sha256)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
