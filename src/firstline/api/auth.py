"""Who asks: API keys, and the principal that a key stands for.

A token is `fl_<key_id>_<secret>`. The ledger keeps the sha256 of the secret alone, so that a stolen ledger opens
nothing; the secret has 256 random bits, so that a plain hash is enough.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import Depends, Header, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from firstline.api.running import running
from firstline.domain import EVERYONE, ApiKey, Level, Principal
from firstline.errors import Forbidden, InvalidInput, Unauthenticated
from firstline.ports import KeyLedger

TOKEN: Final = re.compile(r"fl_([0-9a-f]{12})_([0-9a-f]{64})")
USER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}")
NO_SECRET_SHA256: Final = "0" * 64
REMEDY: Final = "Send `Authorization: Bearer fl_…`; the operator makes keys with `firstline key create`."

_bearer = HTTPBearer(auto_error=False, bearerFormat="fl_<key_id>_<secret>", description="An API key.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """A checked key with the principal of this request (the key's own, or the user that its holder named)."""

    key: ApiKey
    principal: Principal


def new_key(
    *,
    name: str,
    tenant: str,
    kb: str,
    level: Level,
    acl_tags: Iterable[str] = (EVERYONE,),
    created_at: datetime | None = None,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """A key to store, and the token to show once."""
    key_id = secrets.token_hex(6)
    secret = secrets.token_hex(32)
    principal = Principal(tenant=tenant, user=key_id, acl_tags=frozenset(acl_tags), level=level)
    key = ApiKey(
        key_id=key_id,
        secret_sha256=_sha256(secret),
        name=name,
        principal=principal,
        kb=kb,
        created_at=created_at or datetime.now(UTC),
        expires_at=expires_at,
        revoked_at=None,
    )
    return key, f"fl_{key_id}_{secret}"


async def authenticate(token: str | None, *, keys: KeyLedger, now: datetime) -> ApiKey:
    """The key that a token proves. Unauthenticated says why only to somebody who holds the secret."""
    if not token:
        raise Unauthenticated("This needs an API key.", remedy=REMEDY)
    parts = TOKEN.fullmatch(token)
    if parts is None:
        raise Unauthenticated("The API key is malformed.", remedy=REMEDY)
    key = await keys.key(parts[1])
    # Compare in any case, so that the time taken does not tell which key ids exist.
    matches = hmac.compare_digest(_sha256(parts[2]), key.secret_sha256 if key else NO_SECRET_SHA256)
    if key is None or not matches:
        raise Unauthenticated("The API key is not known.", remedy=REMEDY)
    if key.revoked_at is not None and key.revoked_at <= now:
        raise Unauthenticated("The API key was revoked.", remedy="Ask the operator for a new one.")
    if key.expires_at is not None and key.expires_at <= now:
        raise Unauthenticated("The API key has expired.", remedy="Ask the operator for a new one.")
    return key


async def caller(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)] = None,
    x_firstline_user: Annotated[
        str | None, Header(description="Your name for the person who asks; up to 128 of letters, digits and ._@+-")
    ] = None,
) -> Caller:
    """Dependency of every route that shows or takes anything."""
    keys = running(request).firstline.keys
    key = await authenticate(bearer.credentials if bearer else None, keys=keys, now=datetime.now(UTC))
    if x_firstline_user is None:
        return Caller(key=key, principal=key.principal)
    if not USER.fullmatch(x_firstline_user):
        raise InvalidInput(
            "X-Firstline-User is not usable.", remedy="Use 1 to 128 letters, digits and ._@+- (an id, not a name)."
        )
    # The key id in front keeps the users of one key apart from those of every other key.
    return Caller(key=key, principal=replace(key.principal, user=f"{key.key_id}:{x_firstline_user}"))


def require_internal(who: Caller, what: str) -> None:
    if who.principal.level < Level.INTERNAL:
        raise Forbidden(f"This key may not see {what}.", remedy="Use a key of level internal or higher.")


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


CallerOf = Annotated[Caller, Depends(caller)]
