"""Where may a reply lead? To pages that it cites, on hosts that the operator allows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from firstline.domain import Answered, Claim, Outcome

URL_CHARS_MAX: Final = 2_000
_HOST: Final = re.compile(
    r"(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*"
)


def with_allowed_links(outcome: Outcome, hosts: Sequence[str]) -> Outcome:
    """The outcome whose citations keep their address only where it may be led to."""
    if not isinstance(outcome, Answered):
        return outcome
    claims = tuple(_claim(claim, hosts) for claim in outcome.claims)
    return outcome if claims == outcome.claims else replace(outcome, claims=claims)


def allowed_url(url: str | None, hosts: Sequence[str]) -> str | None:
    """The address, or None. Without `hosts` any web address will do that hides nothing: no user name, and no look-alike
    name (xn--). With hosts, those and names below them."""
    if not url or len(url) > URL_CHARS_MAX or re.search(r"[\s\\<>\"'`{}|^\x00-\x1f\x7f]", url):
        return None
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".").lower()
        _ = parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or "@" in parts.netloc or not _HOST.fullmatch(host):
        return None
    if hosts:
        return url if any(host == one or host.endswith(f".{one}") for one in hosts) else None
    return None if "xn--" in host else url


def is_host(name: str) -> bool:
    """Whether this can stand in the list of allowed hosts."""
    return _HOST.fullmatch(name) is not None


def _claim(claim: Claim, hosts: Sequence[str]) -> Claim:
    if all(citation.url == allowed_url(citation.url, hosts) for citation in claim.citations):
        return claim
    return replace(
        claim,
        citations=tuple(replace(citation, url=allowed_url(citation.url, hosts)) for citation in claim.citations),
    )
