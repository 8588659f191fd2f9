"""Which way does a question take? Classic unless its words ask for a relation.

The rules look at the form of the question alone, so that a classic question asks no engine more; whether what it names
is known is found out on the way, and if it is not, the classic ranking stands. What the graph brings by each rule, and
costs where no relation is needed: `python -m benchmarks.graph_questions`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from firstline.domain import Route, SearchPlan
from firstline.questions.message.terms import codes

CHARS_MAX: Final = 600
"""A longer message is a report with a log: its case is told, and what it names is not what it asks about."""

_NAME: Final = r"(?-i:[\"“'`]?[^\W\d_a-zßà-öø-ÿ][\w.+-]*)"
_COMPARED: Final = re.compile(
    rf"""\b(?: differences?\s+between | differs?\s+from | compared?\s+(?:to|with)? | versus | vs\.?
      | (?:the\s+)?same\s+\w+(?:\s+\w+){{0,3}}\s+(?:as|of)\b | both\s+\S.{{0,80}}?\band\b
      | (?:older|younger|newer|faster|slower|larger|smaller|earlier|later|first|last|better)\b.{{0,80}}?\bor\b
      | unterschied\w*\s+zwischen | im\s+vergleich | différences?\s+entre | diferencias?\s+entre )
      | ^(?:are|is|do|does|did|were|was|have|has|can)\b.{{1,120}}?\band\b.{{1,120}}?\b(?:both|same|alike|each\s+other)\b
      | ^(?:do|does|did|have|are|were)\s+(?:\w+\s+){{0,2}}{_NAME}.{{0,80}}?\sand\s{_NAME}.{{0,120}}\bsame\b
      | ^(?:which|who|what|welche\w*|wer|quelle?s?|qui|cuál\w*|quién)\b.{{1,120}}?[\s,]{_NAME}
        .{{0,60}}?\s(?:or|oder|ou|o)\s+{_NAME}
      | {_NAME}.{{0,60}}?\s(?:or|oder|ou|o)\s.{{0,60}}?\b(?:first|earlier|later|older|younger|zuerst|primero)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OWNED: Final = re.compile(
    rf"(?!(?:What|Who|Where|When|How|It|That|There|Here|Let|He|She)['’])\b{_NAME}(?:\s*\([^()]{{1,40}}\))?['’]s?\s+[a-z][\w-]+"
)
_CHAINED: Final = re.compile(
    rf"\b(?:the|which|what|whose)\s+[a-z][\w-]*(?:\s+[a-z][\w-]*){{0,2}}"
    rf"(?:\s+of(?:\s+the)?(?:\s+[a-z][\w-]*){{0,2}}){{1,3}}\s+{_NAME}"
)
_CAUSED: Final = re.compile(
    r"""\b(?: root\s+causes? | causes?\b | caused\s+by | reasons?\s+for | leads?\s+to | why | fix(?:es|ed)? | resolv\w+
      | solution | workaround | mitigat\w+ | ursache\w* | behebt | cause\s+de | causa )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ALERT: Final = re.compile(r"\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b")
"""Exceptions and alerts are called so: DiskPressure, NullPointerException."""
_VERSIONED: Final = re.compile(
    r"\b(?:which|what|welche\w*|quelles?|qu[eé])\s+(?:\w+\s+){0,2}(?:versions?|releases?|version\w*|versiones)\b", re.I
)
_RELATED: Final = re.compile(
    r"""\b(?: depend(?:s|encies|ency|ent)?\b.{0,40}?\bon\b | relat(?:ed|es|ion)\s+(?:to|between) | affected\s+by
      | superse\w+ | replaced\s+by | successor | predecessor | duplicates?\s+of | refer(?:s|ences)\s+to
      | used\s+by | part\s+of | belongs?\s+to | hängt\b.{0,40}?\bab )\b""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Routed:
    """`why` is said by `--explain`, in a few words."""

    route: Route
    why: str


CLASSIC: Final = Routed(route=Route.CLASSIC, why="no relation is asked for")


def route(plan: SearchPlan) -> SearchPlan:
    """The plan with its route."""
    return replace(plan, route=routed(plan.standalone).route)


def routed(question: str) -> Routed:
    """Linear in the length of the question, which is cut."""
    if len(question) > CHARS_MAX:
        return Routed(route=Route.CLASSIC, why="a report is searched by what it says")
    named = bool(codes(question) or _ALERT.search(question))
    for pattern, needs_code, why in (
        (_COMPARED, False, "things are compared"),
        (_RELATED, False, "a relation is asked for"),
        (_VERSIONED, False, "versions are asked for"),
        (_CAUSED, True, "the cause or cure of a code is asked for"),
        (_OWNED, False, "something of something named is asked for"),
        (_CHAINED, False, "something of something named is asked for"),
    ):
        if pattern.search(question) and (named or not needs_code):
            return Routed(route=Route.GRAPH, why=why)
    return CLASSIC
