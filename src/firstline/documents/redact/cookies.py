"""What lets a browser in, or whoever has the link? Cookies, and the signatures and tokens in addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from firstline.documents.redact.spans import Span

_HEADER: Final = re.compile(
    r"(?i)(?<![\w-])(?P<set>set-)?cookie[\"']{0,2}[ \t]{0,3}[:=][ \t]{0,3}[\"']?(?P<pairs>[^\n\"']{3,4096})"
)
_PAIR: Final = re.compile(r"(?P<name>[\w.-]{1,64})=(?P<value>[^\s;,]{4,2048})")
_ATTRIBUTES: Final = frozenset(
    "path domain expires max-age samesite version priority lang language locale theme".split()
)
# Names that carry a session wherever they stand.
_SESSION: Final = re.compile(
    r"(?i)(?<![\w-])(?:jsessionid|phpsessid|asp\.net_sessionid|aspsessionid\w{0,12}|sess(?:ion)?_?(?:id|token|key)|s"
    r"id|csrf_?token|xsrf-token"
    r"|x-csrf-token|ltpatoken2?|connect\.sid|laravel_session|__session|auth_?session|remember_token|_session_id)"
    r"[\"']{0,2}[ \t]{0,2}[:=][ \t]{0,2}[\"']?(?P<value>[\w.%+/:~|-]{12,2048}={0,2})"
)
_SESSION_CUES: Final = ("sess", "sid", "csrf", "xsrf", "ltpa", "remember_token")
_QUERY: Final = re.compile(
    r"(?i)[?&;](?:x-amz-(?:signature|security-token|credential)|signature|sig|token|access_token|id_token|refresh_to"
    r"ken|auth"
    r"|auth_?token|api_?key|apikey|key|code|state|secret|client_secret|password|pass|pwd|session|sessionid|sid|jwt|t"
    r"icket"
    r"|hmac|hash|invite|reset_token|reset_password_token|confirmation_token|private_token|otp|googleaccessid|se?pr)"
    r"=(?P<value>[\w.%+/:~-]{8,2048}={0,2})"
)
_CONNECTION: Final = re.compile(
    r"(?i)(?:accountkey|sharedaccesskey|sharedaccesssignature|primarykey|secondarykey|accesskey)=(?P<value>[A-Za-z0-"
    r"9+/%=&-]{16,512})"
)


def cookies(text: str) -> Iterator[Span]:
    """Values, not the names before them."""
    if "=" not in text and ":" not in text:
        return
    low = text.lower()
    yield from _in_headers(text) if "cookie" in low else ()
    if any(cue in low for cue in _SESSION_CUES):
        yield from _grown(text, _SESSION, 12)
    if "key=" in low or "signature=" in low:
        yield from _grown(text, _CONNECTION, 16)
    if "=" in text and ("?" in text or "&" in text):
        yield from _grown(text, _QUERY, 8)


def _in_headers(text: str) -> Iterator[Span]:
    for match in _HEADER.finditer(text):
        for pair in _PAIR.finditer(text, match.start("pairs"), match.end("pairs")):
            if pair["name"].lower() not in _ATTRIBUTES and not _stands_for(pair["value"]):
                yield _secret(pair)
            if match["set"]:
                break


def _grown(text: str, pattern: re.Pattern[str], length_min: int) -> Iterator[Span]:
    for match in pattern.finditer(text):
        if _is_grown(match["value"], length_min) and not _stands_for(match["value"]):
            yield _secret(match)


def _secret(match: re.Match[str]) -> Span:
    return Span(start=match.start("value"), end=match.end("value"), type="SECRET")


def _stands_for(value: str) -> bool:
    """`<value>`, `$TOKEN`, `xxxx`, `your-token`: it is shown how, not what."""
    low = value.lower()
    return (
        value[0] in "<$%{[*("
        or len(set(low)) < 4
        or any(word in low for word in ("your", "example", "placeholder", "..."))
    )


def _is_grown(value: str, length_min: int) -> bool:
    """Made by a machine: long, and of letters mixed with digits, or one long run of either case."""
    digits = sum(sign.isdigit() for sign in value)
    letters = sum(sign.isalpha() for sign in value)
    cases = sum(one.islower() != two.islower() for one, two in pairwise(value))
    return len(value) >= length_min and letters >= 2 and (digits >= 2 or (len(value) >= 20 and cases >= 6))
