"""Who asks: API keys, widget tokens and tokens of an OpenID Connect provider, and the principal that each stands for.

An API key is `fl_<key_id>_<secret>`. The ledger keeps the sha256 of the secret alone, so that a stolen ledger opens
nothing; the secret has 256 random bits, so that a plain hash is enough. A route takes `CallerOf`, or `AskerOf` when the
holder of a widget token may use it, too: what says nothing is closed to them.
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

from firstline.api import widget_tokens
from firstline.api.oidc import OidcTokens
from firstline.api.running import Running, running
from firstline.domain import EVERYONE, ApiKey, KeyScope, Level, Principal, act_for
from firstline.errors import Forbidden, InvalidInput, Unauthenticated
from firstline.ports import KeyLedger

TOKEN: Final = re.compile(r"fl_([0-9a-f]{12})_([0-9a-f]{64})")
USER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}")
NO_SECRET_SHA256: Final = "0" * 64
REMEDY: Final = "Send `Authorization: Bearer fl_…`; the operator makes keys with `firstline key create`."

JWT_DOTS: Final = 2
SAFE_METHODS: Final = frozenset({"GET", "HEAD"})

_bearer = HTTPBearer(
    auto_error=False,
    bearerFormat="fl_<key_id>_<secret>",
    description="An API key, a widget token, or a token of the configured OpenID Connect provider.",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """A checked key with the principal of this request (the key's own, or the user that its holder named).

    Of a widget token it is the key that minted it. An account of an OpenID Connect provider (`account`) has no key:
    here stands one that nobody stored, for this account alone.
    """

    key: ApiKey
    principal: Principal
    asks_only: bool = False
    account: bool = False


def new_key(
    *,
    name: str,
    tenant: str,
    kb: str,
    level: Level,
    acl_tags: Iterable[str] = (EVERYONE,),
    created_at: datetime | None = None,
    expires_at: datetime | None = None,
    scopes: Iterable[KeyScope] = (),
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
        scopes=frozenset(scopes),
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
    check_stands(key, now=now)
    return key


def check_stands(key: ApiKey, *, now: datetime) -> None:
    """Unauthenticated when the key is not good any more. For somebody who has proved to hold it."""
    if key.revoked_at is not None and key.revoked_at <= now:
        raise Unauthenticated("The API key was revoked.", remedy="Ask the operator for a new one.")
    if key.expires_at is not None and key.expires_at <= now:
        raise Unauthenticated("The API key has expired.", remedy="Ask the operator for a new one.")


async def asker(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)] = None,
    x_firstline_user: Annotated[
        str | None, Header(description="Your name for the person who asks; up to 128 of letters, digits and ._@+-")
    ] = None,
) -> Caller:
    """Dependency of the routes with which a conversation is held."""
    token = bearer.credentials if bearer else None
    run = running(request)
    now = datetime.now(UTC)
    if token and token.startswith(widget_tokens.PREFIX):
        found = await _by_widget_token(run, request, token, now=now)
    elif token and run.oidc is not None and token.count(".") == JWT_DOTS:
        found = await _by_oidc(run.oidc, token)
    else:
        key = await authenticate(token, keys=run.firstline.keys, now=now)
        found = Caller(key=key, principal=key.principal)
    if x_firstline_user is not None:
        found = _named(found, x_firstline_user)
    # From here on the ledger shows this request the rows of its tenant alone, whatever it is asked for.
    act_for(found.principal.tenant)
    return found


async def caller(who: Annotated[Caller, Depends(asker)]) -> Caller:
    """Dependency of every other route that shows or takes anything."""
    if who.asks_only:
        raise Forbidden("A widget token may only ask.", remedy="Use an API key, from a server of yours.")
    return who


async def _by_widget_token(run: Running, request: Request, text: str, *, now: datetime) -> Caller:
    token = widget_tokens.read_token(
        text,
        secret=run.widget_secret(),
        origin=request.headers.get("origin"),
        page_reads=request.method in SAFE_METHODS,
        now=now,
    )
    key = await run.firstline.keys.key(token.key_id)
    # The key may have been made anew under another tenant or knowledge base, or lost its scope, since it minted this.
    if key is None or (key.principal.tenant, key.kb) != (token.tenant, token.kb) or KeyScope.MINT not in key.scopes:
        raise Unauthenticated("The widget token's key is gone.", remedy="Have your server mint a new one.")
    check_stands(key, now=now)
    return Caller(key=key, principal=_of_user(key, token.user), asks_only=True)


async def _by_oidc(tokens: OidcTokens, text: str) -> Caller:
    proven = await tokens.prove(text)
    key = ApiKey(
        key_id=proven.principal.user,
        secret_sha256=NO_SECRET_SHA256,
        name="an account",
        principal=proven.principal,
        kb=proven.kb,
        created_at=datetime.fromtimestamp(0, UTC),
        expires_at=None,
        revoked_at=None,
    )
    return Caller(key=key, principal=proven.principal, account=True)


def _named(found: Caller, user: str) -> Caller:
    if found.asks_only or found.account:
        raise InvalidInput("This token says itself who asks.", remedy="Leave X-Firstline-User out.")
    if not USER.fullmatch(user):
        raise InvalidInput(
            "X-Firstline-User is not usable.", remedy="Use 1 to 128 letters, digits and ._@+- (an id, not a name)."
        )
    return Caller(key=found.key, principal=_of_user(found.key, user))


def _of_user(key: ApiKey, user: str) -> Principal:
    # The key id in front keeps the users of one key apart from those of every other key.
    return replace(key.principal, user=f"{key.key_id}:{user}")


def require_internal(who: Caller, what: str) -> None:
    if who.asks_only or who.principal.level < Level.INTERNAL:
        raise Forbidden(f"This key may not see {what}.", remedy="Use a key of level internal or higher.")


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


CallerOf = Annotated[Caller, Depends(caller)]
AskerOf = Annotated[Caller, Depends(asker)]
