"""The public keys of an OpenID Connect issuer: discovered, kept for a while, and read again when a new one is used."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, cast
from urllib.parse import urlsplit

from firstline.errors import Broken, Unauthenticated, Unavailable

ALGORITHMS: Final = {"RS256": ("RSA", None), "ES256": ("EC", "P-256"), "EdDSA": ("OKP", "Ed25519")}
"""Each with the kind and curve of its keys. None is a secret that could be a public key's bytes."""

KEPT_S: Final = 600.0
"""A key that the issuer has withdrawn is believed for so long."""
KEPT_S_MAX: Final = 24 * 3600.0
"""And so long while the issuer cannot be reached: its failure must not lock everybody out."""
AGAIN_S: Final = 10.0
"""Tokens that name unknown keys make us ask the issuer at most this often."""
FETCH_S_MAX: Final = 5.0
BYTES_MAX: Final = 512 * 1024
KEYS_MAX: Final = 100
RSA_BITS_MIN: Final = 2048
_REMEDY: Final = "Try again in a minute; the operator looks at the issuer and at `[oidc]`."
WELL_KNOWN: Final = "/.well-known/openid-configuration"


class IssuerKeys:
    """Safe for many requests at once: one of them reads, the others wait for it."""

    def __init__(self, issuer: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._issuer = issuer
        self._clock = clock
        self._keys: dict[tuple[str, str], Any] = {}
        self._read_at: float | None = None
        self._tried_at: float | None = None
        self._reading = asyncio.Lock()

    async def key(self, kid: str | None, algorithm: str) -> Any:
        """The key that a token names, fit for its algorithm. Unauthenticated when the issuer has none."""
        if self._age() > KEPT_S:
            await self._read()
        found = self._find(kid, algorithm)
        if found is None:
            await self._read()
            found = self._find(kid, algorithm)
        if found is None:
            raise Unauthenticated("The token is not valid: its key is not the issuer's.", remedy="Sign in again.")
        return found

    def _find(self, kid: str | None, algorithm: str) -> Any:
        if kid is not None:
            return self._keys.get((kid, algorithm))
        # A token without a name of its key is clear only when there is a single one.
        fit = [key for (_, of), key in self._keys.items() if of == algorithm]
        return fit[0] if len(fit) == 1 else None

    def _age(self) -> float:
        return float("inf") if self._read_at is None else self._clock() - self._read_at

    async def _read(self) -> None:
        asked_at = self._clock()
        async with self._reading:
            if self._tried_at is not None and (self._tried_at >= asked_at or self._clock() - self._tried_at < AGAIN_S):
                return self._check_kept()
            self._tried_at = self._clock()
            try:
                async with asyncio.timeout(FETCH_S_MAX):
                    self._keys = await _fetched(self._issuer)
                self._read_at = self._clock()
            except (TimeoutError, Unavailable):
                self._check_kept()

    def _check_kept(self) -> None:
        if self._age() > KEPT_S_MAX:
            raise Unavailable("The keys of the token's issuer cannot be read.", remedy=_REMEDY)


def library() -> Any:
    """PyJWT, loaded with the first token: most installations have none."""
    try:
        import jwt
    except ImportError as error:
        raise Broken("PyJWT is not installed.", remedy="Install firstline again.") from error
    return jwt


async def _fetched(issuer: str) -> dict[tuple[str, str], Any]:
    """By (kid, algorithm). Unavailable when the issuer does not answer as the standard says."""
    import httpx

    try:
        async with httpx.AsyncClient(timeout=FETCH_S_MAX, follow_redirects=False, trust_env=False) as client:
            said = await _json(client, issuer.rstrip("/") + WELL_KNOWN)
            place = said.get("jwks_uri")
            # Else whoever can answer for one issuer could speak for another.
            if said.get("issuer") != issuer or not isinstance(place, str) or not may_be_read(place):
                raise Unavailable("The issuer's discovery document is another's.", remedy=_REMEDY)
            listed = (await _json(client, place)).get("keys")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise Unavailable("The issuer cannot be reached.", remedy=_REMEDY) from error
    if not isinstance(listed, list):
        raise Unavailable("The issuer's keys are not a key set.", remedy=_REMEDY)
    found: dict[tuple[str, str], Any] = {}
    for each in cast("list[object]", listed)[:KEYS_MAX]:
        if isinstance(each, dict):
            found.update(_key(cast("dict[str, Any]", each)))
    return found


async def _json(client: Any, url: str) -> Mapping[str, Any]:
    """ValueError when it is no JSON object of a sensible size."""
    async with client.stream("GET", url, headers={"Accept": "application/json"}) as response:
        if response.status_code != 200:
            raise ValueError(f"status {response.status_code}")
        body = bytearray()
        async for part in response.aiter_bytes():
            body += part
            if len(body) > BYTES_MAX:
                raise ValueError("too large")
    found = json.loads(body)
    if not isinstance(found, dict):
        raise ValueError("no object")
    return cast("Mapping[str, Any]", found)


def _key(said: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    """One entry, or none for a key that is for something else, too weak, or of a kind that we do not take."""
    jwt = library()
    algorithm = next((name for name, (kind, curve) in ALGORITHMS.items() if _is(said, kind, curve)), None)
    kid = said.get("kid", "")
    if algorithm is None or not isinstance(kid, str) or said.get("alg", algorithm) not in (algorithm, "Ed25519"):
        return {}
    if said.get("use", "sig") != "sig" or "d" in said:
        return {}
    try:
        key: Any = jwt.PyJWK({**said, "alg": algorithm}).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return {}
    if algorithm == "RS256" and key.key_size < RSA_BITS_MIN:
        return {}
    return {(kid, algorithm): key}


def _is(said: Mapping[str, Any], kind: str, curve: str | None) -> bool:
    return said.get("kty") == kind and (curve is None or said.get("crv") == curve)


def may_be_read(url: str) -> bool:
    """Over TLS, or from this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.username is not None or parts.fragment:
        return False
    return (parts.scheme == "https" and bool(host)) or (
        parts.scheme == "http" and host in {"127.0.0.1", "::1", "localhost"}
    )
