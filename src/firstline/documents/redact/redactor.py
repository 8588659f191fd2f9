"""Where do all kinds of spans meet, and what stands in their place?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from firstline.documents.redact.cookies import cookies
from firstline.documents.redact.emails import emails
from firstline.documents.redact.examples import is_example
from firstline.documents.redact.identity import national_ids, papers
from firstline.documents.redact.network import addresses, hardware
from firstline.documents.redact.numbers import cards, ibans, phones, with_their_plus
from firstline.documents.redact.own import OwnPattern, OwnTime
from firstline.documents.redact.persons import persons_and_addresses
from firstline.documents.redact.plates import plates
from firstline.documents.redact.policy import MESSAGES, Names, Policy, policy_of
from firstline.documents.redact.secrets import private_keys, secrets
from firstline.documents.redact.spans import Span
from firstline.domain import DocumentKind, Redacted, Redaction
from firstline.ports import NameFinder

_PLACEHOLDER: Final = re.compile(r"\[([A-Z_]{2,20})_(\d{1,6})\]")
_DIGIT: Final = re.compile(r"\d")
_SIX_DIGITS: Final = re.compile(r"\d(?:[ ().+/\-\u00a0\u2011]{0,3}\d){5}|[A-Z]{6}\d")
_GOES_WHOLLY: Final = frozenset({"PERSON", "ADDRESS", "PHONE"})
_TO_THE_LETTER: Final = frozenset({"SECRET", "PRIVATE_KEY"})
Detector = Callable[[str], Iterable[Span]]
# Where two overlap, the earlier one wins.
_ALWAYS: Final[tuple[Detector, ...]] = (private_keys, cookies, secrets, emails)
_WITH_DIGITS: Final[tuple[Detector, ...]] = (ibans, hardware, addresses, papers, plates)
_WITH_MANY: Final[tuple[Detector, ...]] = (cards, national_ids)


class PatternRedactor:
    """Implements `ports.Redactor`. Equal texts give equal results, in any process. `names` finds persons and addresses;
    without it nobody looks for them."""

    def __init__(self, *, names: NameFinder | None = None, own: Sequence[OwnPattern] = ()) -> None:
        self._names = names
        self._own = tuple(own)

    def redact(self, text: str) -> Redacted:
        return self._redacted(text, policy=MESSAGES, placeholders=_Placeholders(), own_time=OwnTime())

    def for_document(self, kind: DocumentKind) -> DocumentRedactor:
        return DocumentRedactor(self._redacted, policy=policy_of(kind), of_kind=self.for_document)

    def _redacted(self, text: str, *, policy: Policy, placeholders: _Placeholders, own_time: OwnTime) -> Redacted:
        spans = self._spans(text, policy, own_time)
        if not spans:
            return Redacted(text=text, redactions=())
        placeholders.skip_those_in(text)
        parts: list[str] = []
        redactions: list[Redaction] = []
        at = 0
        for span in spans:
            placeholder = placeholders.of(span.type, text[span.start : span.end])
            parts.extend((text[at : span.start], placeholder))
            redactions.append(Redaction(type=span.type, start=span.start, end=span.end, placeholder=placeholder))
            at = span.end
        parts.append(text[at:])
        return Redacted(text="".join(parts), redactions=tuple(redactions), unapplied=tuple(own_time.unapplied))

    def _spans(self, text: str, policy: Policy, own_time: OwnTime) -> list[Span]:
        found: list[Iterable[Span]] = [own.spans(text, own_time) for own in self._own]
        found.extend(detect(text) for detect in _ALWAYS)
        many = False
        if _DIGIT.search(text):
            found.extend(detect(text) for detect in _WITH_DIGITS)
            many = _SIX_DIGITS.search(text) is not None
        if many:
            found.extend(detect(text) for detect in _WITH_MANY)
        if policy.names is not Names.NONE and self._names is not None:
            # Before telephones: a house number and a postcode look like one.
            found.append(persons_and_addresses(text, self._names, told_only=policy.names is Names.TOLD))
        if many:
            found.append(phones(text))
        kept = with_their_plus(_resolved(found, text), text)
        if policy.examples:
            return [span for span in kept if not is_example(span.type, text[span.start : span.end])]
        return kept


class DocumentRedactor:
    """Implements `ports.Redactor` for the parts of one document: equal values get equal placeholders."""

    def __init__(
        self,
        redacted: Callable[..., Redacted],
        *,
        policy: Policy,
        of_kind: Callable[[DocumentKind], DocumentRedactor],
    ) -> None:
        self._redacted = redacted
        self._policy = policy
        self._placeholders = _Placeholders()
        self._own_time = OwnTime()
        self.for_document = of_kind

    def redact(self, text: str) -> Redacted:
        return self._redacted(text, policy=self._policy, placeholders=self._placeholders, own_time=self._own_time)


def _resolved(found: Sequence[Iterable[Span]], text: str) -> list[Span]:
    """Spans in order, without overlaps. Where two overlap, the one of the earlier detector wins, or the longer one of
    the
    same; of a person, an address or a telephone number the rest is taken out all the same."""
    ranked = [(rank, span.start - span.end, span) for rank, spans in enumerate(found) for span in spans]
    ranked.sort(key=lambda entry: entry[:2])
    kept: list[Span] = []
    starts: list[int] = []
    for _, _, span in ranked:
        for left in _besides(span, kept, starts, text):
            at = bisect_left(starts, left.start)
            kept.insert(at, left)
            starts.insert(at, left.start)
    return kept


def _besides(span: Span, kept: list[Span], starts: list[int], text: str) -> list[Span]:
    """What of `span` no kept one covers; `kept` is in order."""
    at = max(0, bisect_left(starts, span.start) - 1)
    if at < len(kept) and kept[at].end <= span.start:
        at += 1
    if at == len(kept) or kept[at].start >= span.end:
        return [span]
    if span.type not in _GOES_WHOLLY:
        return []
    parts: list[Span] = []
    begin = span.start
    while at < len(kept) and kept[at].start < span.end:
        if kept[at].end > begin:
            if kept[at].start > begin:
                parts.append(_trimmed(begin, kept[at].start, span.type, text))
            begin = kept[at].end
        at += 1
    if begin < span.end:
        parts.append(_trimmed(begin, span.end, span.type, text))
    return [part for part in parts if part.start < part.end]


def _trimmed(start: int, end: int, type_: str, text: str) -> Span:
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return Span(start=start, end=end, type=type_)


class _Placeholders:
    """Numbers them per type; equal values get equal ones, and a part of a full name that of the name. Numbers already
    in
    a text are skipped."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}

    def skip_those_in(self, text: str) -> None:
        for type_, number in _placeholders(text):
            self._last[type_] = max(self._last.get(type_, 0), number)

    def of(self, type_: str, value: str) -> str:
        key = (type_, value if type_ in _TO_THE_LETTER else "".join(value.casefold().split()))
        known = self._known.get(key)
        if known is None:
            self._last[type_] = self._last.get(type_, 0) + 1
            known = self._known[key] = f"[{type_}_{self._last[type_]}]"
        if type_ == "PERSON":
            for part in value.casefold().split():
                self._known.setdefault((type_, part), known)
        return known


def _placeholders(text: str) -> Iterator[tuple[str, int]]:
    return ((match.group(1), int(match.group(2))) for match in _PLACEHOLDER.finditer(text))
