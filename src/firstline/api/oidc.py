"""Bearer tokens of an OpenID Connect provider: checked against the issuer's keys, and mapped to a principal.

Only what the issuer signed with a public key is believed: RS256, ES256 and EdDSA, each with a key of its own kind, so
that no token chooses how it is checked. Claims give rights by the operator's mapping alone: a value that is not in it
gives none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from firstline.api.oidc_keys import ALGORITHMS, IssuerKeys, library
from firstline.domain import EVERYONE, Level, Principal
from firstline.errors import Forbidden, Unauthenticated
from firstline.settings import OidcSettings, Settings

CHARS_MAX: Final = 16_384
VALUES_MAX: Final = 1_000
"""Groups of one person that are looked at: a token that names more is refused, not cut."""
USER_CHARS_MAX: Final = 256
_REMEDY: Final = "Sign in again."
_REFUSED: Final = "The token is not valid"


@dataclass(frozen=True, kw_only=True, slots=True)
class Proven:
    """Whom a token proves. `subject` names the person at its issuer, the same in every token."""

    principal: Principal
    kb: str
    subject: str


def oidc_tokens(settings: Settings) -> OidcTokens | None:
    """None: no issuer is configured."""
    if not settings.oidc.issuer:
        return None
    return OidcTokens(settings.oidc, IssuerKeys(settings.oidc.issuer), tenant=settings.tenant, kb=settings.kb)


class OidcTokens:
    def __init__(self, settings: OidcSettings, keys: IssuerKeys, *, tenant: str, kb: str) -> None:
        """`tenant` and `kb`: those of tokens when the settings name no others."""
        self._settings = settings
        self._keys = keys
        self._tenant = tenant
        self._kb = settings.kb or kb

    async def prove(self, token: str) -> Proven:
        """Unauthenticated when the token proves nothing (and why, in words that hold nothing of it), Forbidden when it
        is of somebody who has no place here, Unavailable when the issuer's keys cannot be read."""
        claims = await self._claims(token)
        return principal_of(claims, self._settings, tenant=self._tenant, kb=self._kb)

    async def _claims(self, token: str) -> dict[str, Any]:
        jwt = library()
        if len(token) > CHARS_MAX:
            raise Unauthenticated(f"{_REFUSED}: it is too long.", remedy=_REMEDY)
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError as error:
            raise Unauthenticated(f"{_REFUSED}: it is malformed.", remedy=_REMEDY) from error
        algorithm, kid = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS or "crit" in header:
            raise Unauthenticated(f"{_REFUSED}: it is not signed with {', '.join(ALGORITHMS)}.", remedy=_REMEDY)
        key = await self._keys.key(kid if isinstance(kid, str) else None, algorithm)
        try:
            return jwt.decode(
                token,
                key=key,
                algorithms=[algorithm],
                audience=list(self._settings.audiences),
                issuer=self._settings.issuer,
                leeway=self._settings.leeway_s,
                options={"require": ["exp", "iss", "aud"], "strict_aud": False},
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated(f"{_REFUSED}: {_why(jwt, error)}.", remedy=_REMEDY) from error
        except (ValueError, TypeError, OverflowError) as error:
            # Claims of a kind that the library does not expect.
            raise Unauthenticated(f"{_REFUSED}: it is malformed.", remedy=_REMEDY) from error


def principal_of(claims: Mapping[str, Any], settings: OidcSettings, *, tenant: str, kb: str) -> Proven:
    """Checked claims as a principal."""
    user = claim(claims, settings.user_claim)
    if not isinstance(user, str) or not 0 < len(user) <= USER_CHARS_MAX or not user.isprintable():
        raise Unauthenticated(f"{_REFUSED}: it does not say who it is for.", remedy=_REMEDY)
    groups = values(claim(claims, settings.tags_claim))
    tags = {tag for group in groups for tag in settings.tags.get(group, ())}
    levels = [
        settings.levels[value] for value in values(claim(claims, settings.level_claim)) if value in settings.levels
    ]
    # The issuer in front keeps its people apart from the users of API keys, whose ids are twelve digits.
    subject = hashlib.sha256(json.dumps([settings.issuer, user]).encode()).hexdigest()[:24]
    return Proven(
        principal=Principal(
            tenant=_tenant(claims, settings, tenant),
            user=f"oidc:{subject}",
            acl_tags=frozenset(tags | ({EVERYONE} if settings.everyone else set[str]())),
            level=max(Level.parse(name) for name in (*levels, settings.level)),
        ),
        kb=kb,
        subject=subject,
    )


def _tenant(claims: Mapping[str, Any], settings: OidcSettings, tenant: str) -> str:
    if not settings.tenant_claim:
        return tenant
    found = {
        settings.tenants[value] for value in values(claim(claims, settings.tenant_claim)) if value in settings.tenants
    }
    if len(found) != 1:
        raise Forbidden("This account belongs to no tenant here.", remedy="Ask the operator to map it: docs/access.md.")
    return found.pop()


def claim(claims: Mapping[str, Any], name: str) -> object:
    """By its whole name, else by the path that dots make of it: realm_access.roles. None when it is not there."""
    if not name:
        return None
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        if not isinstance(found, dict):
            return None
        found = cast("dict[str, object]", found).get(part)
    return found


def values(found: object) -> list[str]:
    """One text, or the texts of a list. Of anything else nothing."""
    if isinstance(found, str):
        return [found]
    if not isinstance(found, list):
        return []
    listed = cast("list[object]", found)
    if len(listed) > VALUES_MAX:
        raise Unauthenticated(f"{_REFUSED}: it names more than {VALUES_MAX:,} groups.", remedy=_REMEDY)
    return [value for value in listed if isinstance(value, str)]


def _why(jwt: Any, error: Exception) -> str:
    """In our words: the library's can quote the token."""
    reasons: Iterable[tuple[type[Exception], str]] = (
        (jwt.ExpiredSignatureError, "it has expired"),
        (jwt.ImmatureSignatureError, "it is not valid yet"),
        (jwt.InvalidAudienceError, "it is for another audience"),
        (jwt.InvalidIssuerError, "it is from another issuer"),
        (jwt.MissingRequiredClaimError, "it lacks exp, iss or aud"),
        (jwt.InvalidSignatureError, "its signature is wrong"),
    )
    return next((reason for kind, reason in reasons if isinstance(error, kind)), "it is malformed")
