"""How does personal data leave a document? `PatternRedactor` finds it by form and puts numbered placeholders instead.

Redaction runs BEFORE chunking: a chunk edge could cut an identifier in two and hide both halves.

- PRIVATE_KEY: PEM and PGP private-key blocks. Certificates and public keys stay.
- SECRET: passwords in assignments, connection strings, URLs and headers; access tokens of known and of generic form.
  `<your password>`, `$TOKEN`, `****` and prose about passwords stay.
- EMAIL: addresses. `git@host:` remotes, names of SSH algorithms and `name@2x.png` stay.
- IBAN: by country, length and checksum.
- CARD: by issuer, length and checksum.
- IP: IPv4 and IPv6. Loopback, unspecified, link-local, multicast and documentation ranges, netmasks, networks
  (`10.0.0.0/8`) and versions (`8.5.5.12`, `version 10.1.0.2`) stay.
- PHONE: international, North American, local with a leading 0, and any form after a word such as "phone".
  Versions, times, codes and hashes stay.

Every pattern is bounded: time is linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from firstline.documents.redact.network import addresses
from firstline.documents.redact.numbers import cards, ibans, phones
from firstline.documents.redact.secrets import private_keys, secrets
from firstline.documents.redact.spans import Span
from firstline.domain import Redacted, Redaction

__all__ = ["PatternRedactor", "Span"]

_PLACEHOLDER: Final = re.compile(r"\[([A-Z_]{2,20})_(\d{1,6})\]")
# An address starts at a boundary and its parts are bounded, so that a long run of letters is looked at once.
_EMAIL: Final = re.compile(
    r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[A-Za-z]{2,24}(?![\w-]|@|\.\w)"
)
# Names of algorithms in SSH carry the domain of whoever defined them: aes128-gcm@openssh.com.
_ALGORITHM: Final = re.compile(r"(?i)[\w-]*\d[\w-]*@(?:openssh\.com|libssh\.org|lysator\.liu\.se)$|rijndael-cbc@")
_NOT_A_DOMAIN: Final = ("png", "jpg", "jpeg", "gif", "svg", "css", "js", "webp", "service", "socket", "target", "timer")


class PatternRedactor:
    """Implements `ports.Redactor`. Stateless: equal texts give equal results, in any process."""

    def redact(self, text: str) -> Redacted:
        spans = _resolve(text)
        if not spans:
            return Redacted(text=text, redactions=())
        names = _Names(text)
        parts: list[str] = []
        redactions: list[Redaction] = []
        at = 0
        for span in spans:
            placeholder = names.of(span.type, text[span.start : span.end])
            parts.extend((text[at : span.start], placeholder))
            redactions.append(Redaction(type=span.type, start=span.start, end=span.end, placeholder=placeholder))
            at = span.end
        parts.append(text[at:])
        return Redacted(text="".join(parts), redactions=tuple(redactions))


def _resolve(text: str) -> list[Span]:
    """Spans in order, without overlaps: where two overlap, the earlier type of the list above wins."""
    found: list[tuple[int, int, Span]] = []
    for rank, spans in enumerate((private_keys, secrets, _emails, ibans, cards, addresses, phones)):
        found.extend((span.start, rank, span) for span in spans(text))
    found.sort(key=lambda entry: (entry[0], entry[1]))
    kept: list[tuple[int, Span]] = []
    for _, rank, span in found:
        beaten = False
        while kept and kept[-1][1].end > span.start:
            if kept[-1][0] <= rank:
                beaten = True
                break
            kept.pop()
        if not beaten:
            kept.append((rank, span))
    return [span for _, span in kept]


def _emails(text: str) -> Iterator[Span]:
    if "@" not in text:
        return
    for match in _EMAIL.finditer(text):
        domain = match.group().rsplit("@", 1)[1]
        if domain.rsplit(".", 1)[1].lower() in _NOT_A_DOMAIN or _ALGORITHM.match(match.group()):
            continue
        if match.group().startswith("git@") and text[match.end() : match.end() + 1] in (":", "/"):
            continue
        yield Span(start=match.start(), end=match.end(), type="EMAIL")


class _Names:
    """Numbers placeholders per type; equal values get equal ones. Numbers already in the text are skipped."""

    def __init__(self, text: str) -> None:
        self._known: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}
        for type_, number in _placeholders(text):
            self._last[type_] = max(self._last.get(type_, 0), number)

    def of(self, type_: str, value: str) -> str:
        key = (type_, value if type_ == "SECRET" else "".join(value.casefold().split()))
        known = self._known.get(key)
        if known is None:
            self._last[type_] = self._last.get(type_, 0) + 1
            known = self._known[key] = f"[{type_}_{self._last[type_]}]"
        return known


def _placeholders(text: str) -> Iterable[tuple[str, int]]:
    return ((match.group(1), int(match.group(2))) for match in _PLACEHOLDER.finditer(text))
