"""What came back, and what does it say about waiting, about where to go on, and about what to do?"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from firstline.errors import FirstlineError, Forbidden, InvalidInput, NotFound, Unauthenticated

AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})
_LINK: Final = re.compile(r"<([^<>]{1,4000})>([^<]{0,500})")
_REL: Final = re.compile(r"""rel\s{0,4}=\s{0,4}"?([^";,]{1,100})""", re.IGNORECASE)
_CHARSET: Final = re.compile(r"charset\s{0,4}=\s{0,4}[\"']?([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_RESETS: Final = ("x-ratelimit-reset", "x-rate-limit-reset", "ratelimit-reset")
_REMAINS: Final = ("x-ratelimit-remaining", "x-rate-limit-remaining", "ratelimit-remaining")
_EPOCH_FROM: Final = 1_000_000_000
"""A reset that is larger is a moment, a smaller one a number of seconds: vendors do either."""


def shown_url(url: str) -> str:
    """An address for people and logs: without what may hold a secret (user, query, fragment)."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an address that is none"
    return f"{parts.scheme}://{host}{port}{parts.path}"[:300]


def joined(base: str, link: str) -> str:
    """Where a link leads from an address; "" when it is no address."""
    try:
        return urljoin(base, link)
    except ValueError:
        return ""


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpReply:
    """`url` is where it came from after redirects, `headers` have lower-case names. `outside` is where a redirect led
    that was not followed, because its host is not the source's."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    outside: str = ""

    @property
    def unchanged(self) -> bool:
        return self.status == 304

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        found = _CHARSET.search(self.headers.get("content-type", ""))
        return found[1].lower() if found else ""

    @property
    def etag(self) -> str:
        return self.headers.get("etag", "")[:500]

    @property
    def modified(self) -> str:
        return self.headers.get("last-modified", "")[:100]

    def json(self) -> Any:
        """InvalidInput when it is not JSON: a login page, most often."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(
                f"{shown_url(self.url)} did not answer with JSON but with {self.media_type or 'something else'}.",
                remedy="Check the address and the token of the source.",
            ) from error

    def text(self) -> str:
        try:
            return self.body.decode(self.charset or "utf-8", "replace")
        except LookupError:
            return self.body.decode("utf-8", "replace")

    def link(self, rel: str) -> str:
        """The address that the Link header gives this relation (`next`); "" when there is none. InvalidInput when it is
        no address."""
        for target, rest in _LINK.findall(self.headers.get("link", "")[:16_000]):
            found = _REL.search(rest)
            if found and rel in found[1].lower().split():
                if not (address := joined(self.url, target)):
                    # Taken for none, it would say that a list ends here: what comes behind would look deleted.
                    raise InvalidInput(
                        f"{shown_url(self.url)} names a page to go on with that is no address.",
                        remedy="The next sync goes on from here; check the other side when it stays so.",
                    )
                return address
        return ""

    def raise_for_status(self) -> None:
        """Nothing for 2xx and 304. Else an error that says what to do."""
        error = self.refusal
        if error is not None:
            raise error

    @property
    def refusal(self) -> FirstlineError | None:
        where = shown_url(self.url)
        if self.outside:
            return InvalidInput(
                f"{where} sends its readers to {shown_url(self.outside)}, another host.",
                remedy="Name the address that it moved to; a login page means that it wants a token.",
            )
        if 200 <= self.status < 300 or self.status == 304:
            return None
        if self.status == 401:
            return Unauthenticated(f"{where} does not know this token (401).", remedy="Renew the token of the source.")
        if self.status == 403:
            return Forbidden(f"{where} refuses this token (403).", remedy="Give it the right to read what is meant.")
        if self.status in (404, 410):
            return NotFound(f"{where} is not there ({self.status}).", remedy="Check the address of the source.")
        return InvalidInput(f"{where} answered with status {self.status}.", remedy="Check the source's settings.")


def wait_wanted(status: int, headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Seconds that the other side asks us to wait before the next try; 0.0: it may be repeated, and nothing is said of
    when; None: repeating would not help."""
    at = time.time() if now is None else now
    after = _retry_after(headers.get("retry-after", ""), at)
    limited = any(headers.get(name, "").strip() == "0" for name in _REMAINS)
    if status == 403 and (limited or after is not None):
        # The way in which some say "too many".
        return after if after is not None else _reset(headers, at)
    if status not in AGAIN:
        return None
    if after is not None:
        return after
    return _reset(headers, at) if status == 429 and limited else 0.0


def _retry_after(value: str, now: float) -> float | None:
    value = value.strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def _reset(headers: Mapping[str, str], now: float) -> float:
    for name in _RESETS:
        try:
            value = float(headers.get(name, ""))
        except ValueError:
            continue
        return max(0.0, value - now if value > _EPOCH_FROM else value)
    return 0.0
