"""Can an endpoint's address be called at all? Asked when it is opened, so that no question is the first to find out."""

from __future__ import annotations

from typing import Final

import httpx

from firstline.errors import InvalidInput

PORT_MAX: Final = 65_535


def checked_address(url: str, *, setting: str) -> str:
    """The address as it was given. InvalidInput, without the address, which may carry a secret, when it names no
    http(s) scheme, no host, or no port that exists."""
    try:
        parsed = httpx.URL(url)
        scheme, host, port = parsed.scheme, parsed.host, parsed.port
    except (httpx.InvalidURL, ValueError):
        scheme, host, port = "", "", None
    if scheme not in ("http", "https"):
        problem = "is not an http(s) URL"
    elif not host or ("%" in host and ":" not in host):
        # Signs that no host name has come out percent-encoded; an IPv6 address may name its zone so.
        problem = "names no host"
    elif port is not None and not 0 < port <= PORT_MAX:
        problem = f"names port {port}; ports go from 1 to {PORT_MAX}"
    else:
        return url
    raise InvalidInput(
        f"The address in `{setting}` {problem}.", remedy=f"Correct it (FIRSTLINE_{setting.upper()}), or unset it."
    )
