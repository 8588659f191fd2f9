"""Which version does the customer run? The one of the product asked about, as it stands after every correction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from firstline.questions.card.codes import apart
from firstline.questions.card.telling_words import SYSTEM
from firstline.questions.page.versions import Stated, stated_in

CHARS_READ_MAX: Final = 2_000
BARE_WORDS_MAX: Final = 3
LOOKS_BACK: Final = 2
"""Messages before a bare number that may say what it is the version of."""

_NUMBER: Final = r"v?\d{1,4}(?:\.(?:\d{1,4}|x)){0,3}"
_DENIED: Final = re.compile(
    rf"\b(?:not|instead\s+of|rather\s+than)\s+(?:version\s+)?({_NUMBER})(?![\w%])", re.IGNORECASE
)
_NOT_LIVE: Final = r"(?:staging|test\w*|dev\w*|sandbox|demo|qa)"
_NOT_THIS: Final = re.compile(
    rf"(?<![\w.])({_NUMBER})\s+(?:(?:one|cluster|server|system|instance)\s+)?is\s+(?:only\s+|just\s+|our\s+"
    rf"|the\s+|a\s+)?{_NOT_LIVE}\b",
    re.I,
)
"""\"the 5.1 one is staging\"."""
_REPLACES: Final = re.compile(
    rf"\b(?:actually|mixed\s+(?:it|them|that)\s+up|my\s+mistake|in\s+fact|correction|still|checked\s+again|i\s+meant|tatsächlich|en\s+fait"
    rf"|en\s+realidad)\b.{{0,60}}?(?<![\w.])({_NUMBER})(?![\w%])",
    re.I,
)
_UNNAMED: Final = re.compile(rf"\b(?:on|is|it's|version|run|running|use|using)\s+({_NUMBER})(?![\w%])", re.I)
_SPOKEN_OF: Final = re.compile(
    rf"\bthe\s+{_NUMBER}\s+(?:bug|issue|problem|docs?|documentation|page|release|notes|changelog|fix)\b", re.I
)
_MASKED: Final = re.compile(r"(?a:\b\d{1,3}(?:\.\d{1,3}){3}\b|\b\d\d:\d\d:\d\d[.,]\d+)")
"""Addresses and times of day are no versions."""
_FORMER: Final = re.compile(
    rf"\b(?:from|before(?:\s+that)?(?:\s+it\s+was)?|previously|formerly|earlier|it\s+was|was\s+on"
    rf"|used\s+to\s+be|until\s+now|old)"
    rf"\s+(?:on\s+|version\s+)?{_NUMBER}(?![\w%])",
    re.IGNORECASE,
)
_SYSTEM: Final = re.compile(rf"\b{SYSTEM}(?:\s+(?:linux|server|lts))*\s+{_NUMBER}(?![\w%])", re.IGNORECASE)
_ELSEWHERE: Final = re.compile(
    r"\bis\s+(?:only\s+|just\s+|our\s+)?(?:staging|test|dev)\b|\b(?:staging|test|testing|dev|development|old|other|another|second)\s+(?:system|server|cluster"
    r"|environment|host|machine"
    r"|one|installation)\b|\b(?:on|in)\s+(?:staging|test|dev)\b",
    re.IGNORECASE,
)
_PART: Final = re.compile(
    r"\b(?:drivers?|clients?|operator|chart|sdk|library|plugin|app|connector|browser)\b|\w-(?:py|js"
    r"|node|go|java|net|php|rb)\b",
    re.I,
)
_BESIDE: Final = re.compile(
    r"\b(?:helm|kubernetes|k8s|gke|eks|aks|openshift|docker|python|java|node(?:\.js)?|php|ruby|go)\b", re.I
)
"""What the product runs on or is called from."""
_PART_NUMBER: Final = re.compile(
    rf"(?:{_PART.pattern})(?:\s+(?:upgrade|update|upgraded|updated|version|was|is|to|from|at|on"
    rf"|v)){{1,3}}\s+{_NUMBER}(?![\w%])",
    re.I,
)
"""\"after the operator upgrade to 2.3\"."""
_CLAUSE: Final = re.compile(
    r"(?<=[.!?;])\s+|,\s+(?=\d+(?:\.\d+)+\s+is\b)|,\s+(?=the\s+\S+\s+(?:one|cluster|server|system|instance)\s+is\b)|\n+|\s+(?:-|–|but)\s+"
)
_DIGIT: Final = re.compile(r"\d")
_WORD: Final = re.compile(r"[^\W_]+(?:\.[^\W_]+)*")


def running_version(messages: Sequence[str]) -> Stated | None:
    """`messages` are the customer's, oldest first. None when nobody said one: numbers of an operating system, of a
    driver, of what ran before or elsewhere, and corrected ones, are none."""
    messages = [_MASKED.sub(" ", apart(message[:CHARS_READ_MAX])) for message in messages]
    denied = denied_versions(messages)
    named: Stated | None = None
    plain: Stated | None = None
    for at, message in enumerate(messages):
        before = " ".join(messages[max(0, at - LOOKS_BACK) : at])
        bare = len(_WORD.findall(message)) <= BARE_WORDS_MAX
        of_a_part = bare and len(before.split()) <= 12 and _PART.search(before) is not None
        for stated in _told(message[:CHARS_READ_MAX], denied):
            if stated.name and not _PART.search(stated.name):
                named = stated
            elif not stated.name and not of_a_part:
                plain = stated
    return plain or named


def denied_versions(messages: Sequence[str]) -> set[str]:
    """As written: what was corrected, and what runs elsewhere. "It is still 4.2.9" takes the place of what was said
    plainly before."""
    denied: set[str] = set()
    plain: list[str] = []
    for message in messages:
        read = apart(message[:CHARS_READ_MAX])
        denied.update(_DENIED.findall(read))
        denied.update(_NOT_THIS.findall(read))
        if stands := _REPLACES.findall(read):
            denied.update(one for one in plain if one not in stands)
        plain += [one for one in _UNNAMED.findall(read) if "." in one]
    return denied


def _told(message: str, denied: set[str]) -> Iterator[Stated]:
    for clause in _CLAUSE.split(message):
        if not _DIGIT.search(clause) or _ELSEWHERE.search(clause):
            continue
        text = _FORMER.sub(" ", _DENIED.sub(" ", _SYSTEM.sub(" ", _PART_NUMBER.sub(" ", _SPOKEN_OF.sub(" ", clause)))))
        for stated in stated_in(text):
            low = stated.low or stated.high
            if low and ".".join(map(str, low)) not in denied and not _is_part(text, stated):
                yield Stated(low=low, high=low, name=stated.name)


def _is_part(text: str, stated: Stated) -> bool:
    """ "driver 6.2", "lark-py 3.2": the word in front, or the one before "version"."""
    name = f"{stated.name} "
    return bool(stated.name and text) and bool(_PART.search(name) or _BESIDE.search(name))
