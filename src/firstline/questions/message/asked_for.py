"""What narrows a question: product, version, component, language, time window. Read from what the ASKER said.

The words are those of software in general; no product is known here. A filter that cannot be told for sure is left
out: a wrong one hides the answer, a missing one only ranks it lower.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from firstline.questions.message.language import DEFAULT, language_of
from firstline.questions.message.terms import FUNCTION_WORDS

CHARS_MAX: Final = 800
"""Filters are read from the start of a message: what somebody wants stands there, logs follow."""
MESSAGES_MAX: Final = 8
NUMBERS_MAX: Final = 24
VALUE_CHARS_MAX: Final = 80

BEFORE_CHARS_MAX: Final = 80
"""How far in front of a number its name is looked for."""

_NUMBER: Final = re.compile(
    r"(?<![\w.$€-])(v?)(\d{1,4}(?:\.\d{1,4}){0,4}(?:[-.]?(?:alpha|beta|rc|sp|fp|ga|m)\.?\d{0,3})?)\b(?![.\-]?\w*\d)"
    r"(?!\s*(?:%|[kmgt]i?b\b|ms\b|s\b|sec|min|hours?\b|days?\b|x\b|times\b|percent|euro|usd|\$))",
    re.IGNORECASE,
)
_WORDS_BEFORE: Final = re.compile(r"((?:[A-Za-z][\w+#'’-]*[ \t]+){0,6})$")
_SAYS_VERSION: Final = frozenset("version versions release releases ver".split())
_LEADS_TO_VERSION: Final = frozenset("on in to with using running under for at of".split())
_RULES_OUT: Final = frozenset("from not without except unlike than before old".split())
"""A version after these is one the asker left, or compares with."""
_NOT_A_NAME: Final = FUNCTION_WORDS | frozenset(
    """upgrade upgraded upgrading update updated updating install installed installing run running use using version
    release since between under until than costs cost took takes only still even now currently""".split()
)

_HEAD: Final = (
    r"driver|connector|plug-?in|sdk|cli|operator|agent|exporter|adapter|extension|client|server|shell|console|proxy"
    r"|gateway|scheduler|module|library|runtime|dashboard|broker|daemon|widget|installer|api"
)
_HEAD_WORD: Final = re.compile(rf"(?:{_HEAD})s?$")
_TELLING_HEAD: Final = frozenset("driver connector plugin plug-in sdk cli operator agent exporter adapter".split())
_COMPONENT: Final = re.compile(rf"(?:\b(?P<kind>[A-Za-z][\w+#.]*)[ \t]+)?\b(?P<head>{_HEAD})s?\b", re.IGNORECASE)

_DATE: Final = r"\d{4}(?:-\d\d(?:-\d\d)?)?"
_BETWEEN: Final = re.compile(rf"\b(?:between|from)\s+({_DATE})\s+(?:and|to|until)\s+({_DATE})\b", re.IGNORECASE)
_SINCE: Final = re.compile(rf"\b(?:since|after)\s+({_DATE})\b", re.IGNORECASE)
_BEFORE: Final = re.compile(rf"\b(?:before|until)\s+({_DATE})\b", re.IGNORECASE)
_RECENT: Final = re.compile(
    r"\b(?:last|past|previous|this)\s+(?:(\d{1,3})\s+)?(hour|day|week|month|year)s?\b", re.IGNORECASE
)
_TODAY: Final = re.compile(r"\b(?:since\s+(?:yesterday|today|this\s+morning|last\s+night)|yesterday|today)\b", re.I)
_UNITS: Final = {"hour": "PT{}H", "day": "P{}D", "week": "P{}W", "month": "P{}M", "year": "P{}Y"}


def asked_for(said: Sequence[str]) -> Mapping[str, str]:
    """Filters by name. `said` are the asker's messages, newest first: what was said last holds.

    `version` is a number ("4.2.1"); `product` and `component` are names as written; `language` is the ISO 639-1 code
    of a message that is not English; `time` is an ISO 8601 duration back from now ("P7D") or an interval with `..`
    for an open end ("2024-05-01/..").
    """
    found: dict[str, str] = {}
    for message in said[:MESSAGES_MAX]:
        text = message[:CHARS_MAX]
        english = language_of(text) == DEFAULT
        product, version = _version(text)
        for name, value in (
            ("product", product if english else ""),
            ("version", version),
            ("component", _component(text) if english else ""),
            ("time", _time(text)),
        ):
            if value and name not in found:
                found[name] = value[:VALUE_CHARS_MAX]
    spoken = language_of(said[0]) if said else DEFAULT
    if spoken != DEFAULT:
        found["language"] = spoken
    return found


def _version(text: str) -> tuple[str, str]:
    """(product, version). Two different versions are a comparison or a history: neither is asked for."""
    found: dict[str, str] = {}
    for match in islice(_NUMBER.finditer(text), NUMBERS_MAX):
        front = text[max(0, match.start() - BEFORE_CHARS_MAX) : match.start()]
        before = _WORDS_BEFORE.search(front)
        words = before[1].split() if before else []
        said = bool(words) and words[-1].casefold() in _SAYS_VERSION
        if said:
            words = words[:-1]
        product, leads = _name_at_end(words)
        if not _RULES_OUT.isdisjoint(leads):
            continue
        lead = leads[-1] if leads else ""
        named = product or lead in _LEADS_TO_VERSION or _HEAD_WORD.match(lead)
        if said or match[1] or ("." in match[2] and named):
            found.setdefault(match[2], product)
    if len(found) != 1:
        return "", ""
    [(version, product)] = found.items()
    return product, version


def _name_at_end(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The capitalised words that end it ("but not on | Atlas Search"), and the two words in front of them."""
    at = len(words)
    while at and words[at - 1][0].isupper() and words[at - 1].casefold() not in _NOT_A_NAME:
        at -= 1
    lead = at
    while lead and words[lead - 1].casefold() in ("the", "a", "an", "our", "my"):
        lead -= 1
    return " ".join(words[at:]), tuple(word.casefold() for word in words[max(0, lead - 2) : lead])


def _component(text: str) -> str:
    """The first part of a product that is named with its kind ("Java driver"), or by a telling word alone."""
    for match in _COMPONENT.finditer(text):
        kind, head = (match["kind"] or "").lower(), match["head"].lower()
        named = kind and kind not in _NOT_A_NAME and kind not in ("same", "other", "new", "old")
        if named:
            return f"{kind} {head}"
        if head in _TELLING_HEAD:
            return head
    return ""


def _time(text: str) -> str:
    between, since, before = _BETWEEN.search(text), _SINCE.search(text), _BEFORE.search(text)
    if between:
        return f"{between[1]}/{between[2]}"
    if since or before:
        return f"{since[1] if since else '..'}/{before[1] if before else '..'}"
    recent = _RECENT.search(text)
    if recent:
        return _UNITS[recent[2].lower()].format(int(recent[1] or 1))
    return "P1D" if _TODAY.search(text) else ""
