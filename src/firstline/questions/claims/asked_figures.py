"""Which figures does a question take for granted that the quoted passages do not say?

"Is the timeout 90 seconds?" and "how do I enable backups every 12 hours?" are not answered by a page that says 30
seconds, or nothing. A figure that only describes ("my disk of 500 GB", "fails after 45 seconds", a log line), and a
value that somebody wants to set, take nothing for granted. In doubt nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from firstline.questions.claims.figure_words import EVERY, Figure, figures
from firstline.questions.message.terms import all_stems, terms

CHARS_MAX: Final = 1_000
"""A longer message tells a story, with figures of its own."""
SENTENCE_WORDS_MAX: Final = 30
SENTENCES_MAX: Final = 12
ASKED_MAX: Final = 3
TEXT_CHARS_MAX: Final = 20_000
PASSAGES_MAX: Final = 200

_SENTENCE: Final = re.compile(r"(?<=[?!.;])\s+|\n+")
_LEAD: Final = re.compile(r"^[\W_]*(?:(?:and|so|but|or|also|hi|hello|please|und|aber|et|mais|y|pero)\b\W*)*", re.I)
_YES_NO: Final = re.compile(
    r"""(?:(?:is|are|was|were|does|do|did|can|could|will|would|should|must|may|has|have)(?:n['’]t)?
      (?!\s+(?:you|anyone|anybody|someone|somebody|it\s+possible|there\s+(?:a|an|any)\s+(?:\w+\s+)?(?:way|fix|option)))
    | ist|sind|hat|haben|kann|können|darf|dürfen|läuft|laufen|dauert|dauern|beträgt|kostet|gilt|wird|werden|enthält
    | muss|müssen|est-ce)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_TAG: Final = re.compile(
    r"\b(?:right|correct|true|isn['’]t\s+it|aren['’]t\s+they|oder|richtig|verdad)\s*\?\W*$", re.IGNORECASE
)
_INVERTED: Final = re.compile(r"\w-(?:t-)?(?:il|elle|ils|elles|je|vous)\b|\b(?:peut|doit|a-t)-on\b", re.IGNORECASE)
_QUESTION_WORD: Final = re.compile(
    r"\b(?:comment|pourquoi|quels?|quelles?|combien|quand|où|qué|cómo|cuándo|cuánt\w+|dónde|por qué|cuál\w*|quién)\b",
    re.I,
)
_HOW: Final = re.compile(
    r"\b(?:how\s+(?:do|can|could|should|would|to)|is\s+it\s+possible|is\s+there|a\s+way|i\s+(?:want|need|would\s+like)\s+to|wie\s+\w+|comment|cómo)\b",
    re.I,
)
_WHY: Final = re.compile(r"(?:why|warum|wieso|pourquoi|por\s+qué)\b", re.IGNORECASE)
_DESCRIBES: Final = re.compile(
    r"\b(?:after|since|waited|(?:the|these)\s+(?:last|past)|more\s+than|my|our|from|nach|seit|après|depuis|tras|desde"
    r"|hace)\s+$",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    r"\b(?:because|if|when|while|since|although|though|but|after|weil|wenn|obwohl|nachdem|parce|quand|si|porque|cuando)\b",
    re.IGNORECASE,
)
_AGO: Final = re.compile(r"\s*(?:ago|old|later)\b", re.IGNORECASE)
_SETS: Final = re.compile(
    r"\b(?:set|change|adjust|configure|increase|decrease|reduce|raise|lower|extend|shorten|limit|schedule|make|stell\w*"
    r"|ändern|ändere|erhöhe\w*|konfigur\w*|changer|modifier|augmenter|réduire|cambiar|cambio|aumentar|configur\w*)\b",
    re.IGNORECASE,
)
_SETTABLE: Final = re.compile(
    r"\b(?:set|sets|chang\w+|configur\w+|adjust\w*|custom\w*|interval\w*|schedul\w+|cron\w*|option\w*|default\w*|setting\w*"
    r"|parameter\w*|property|properties|field|einstell\w*|ändern|paramètre\w*|réglage\w*|ajust\w*|parámetro\w*)\b|=|--\w",
    re.IGNORECASE,
)
_NO_LIMIT: Final = re.compile(r"\b(?:unlimited|no\s+limits?|any\s+(?:size|length|number))\b", re.IGNORECASE)
_PREPOSED: Final = re.compile(
    r"\b(?:for|in|within|with|at|over|than|on|of|to|by|für|mit|pour|dans|en|por|con)\s+$", re.I
)
_IS: Final = re.compile(r"\b(?:is|are|be|only|just|ist|sind|est|es)\s+(?:[\w-]+\s+){1,6}$", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Taken:
    """`must_differ`: it counts only where the passages give another figure of its kind for what is asked about."""

    figure: Figure
    sentence: str
    must_differ: bool


def figures_unsaid(question: str, said: Sequence[str]) -> tuple[str, ...]:
    """Those figures, in the asker's words. `said`: the quoted passages."""
    taken = list(_taken_for_granted(question)) if len(question) <= CHARS_MAX else []
    if not taken:
        return ()
    passages = [sentence for text in said for sentence in _SENTENCE.split(text[:TEXT_CHARS_MAX])[:PASSAGES_MAX]]
    if any(_NO_LIMIT.search(sentence) for sentence in passages):
        return ()
    given = [(figure, sentence) for sentence in passages for figure in figures(sentence, limits=True)]
    settable = any(_SETTABLE.search(sentence) for sentence in passages)
    unsaid = (one.figure.text for one in taken if not _is_answered(one, given, settable=settable))
    return tuple(dict.fromkeys(unsaid))[:ASKED_MAX]


def _is_answered(one: _Taken, given: Sequence[tuple[Figure, str]], *, settable: bool) -> bool:
    if any(figure.says(one.figure) for figure, _ in given) or (settable and _SETS.search(one.sentence)):
        return True
    if not one.must_differ:
        return False
    sought = frozenset(terms(one.sentence[: one.figure.start] + one.sentence[one.figure.end :]))
    rivals = [
        passage for figure, passage in given if figure.kind == one.figure.kind and figure.often >= one.figure.often
    ]
    return not any(sought & all_stems(passage) for passage in rivals)


def _taken_for_granted(question: str) -> Iterator[_Taken]:
    for sentence in islice(_SENTENCE.split(question), SENTENCES_MAX):
        body = _LEAD.sub("", sentence, count=1)
        if len(body.split()) > SENTENCE_WORDS_MAX:
            continue
        why, yes_no = _WHY.match(body) is not None, _asks_yes_no(sentence, body)
        how = _HOW.search(body) is not None
        if not (yes_no or why or how or body.rstrip().endswith("?")):
            continue
        aside = _ASIDE.search(body, 1)
        for figure in figures(body[: aside.start() if aside else len(body)], limits=False):
            before = body[: figure.start]
            if figure.bare or _DESCRIBES.search(before) or _AGO.match(body, figure.end):
                continue
            told = why or not (yes_no or how)
            # "Daily" and "every hour" are said in passing too; "every 12 hours" is meant.
            in_passing = figure.often and EVERY.search(before) is None
            if figure.often or yes_no or (why and _is_what_it_is(before, body[figure.end :])):
                yield _Taken(figure=figure, sentence=body, must_differ=told or in_passing or figure.kind == "version")


def _is_what_it_is(before: str, behind: str) -> bool:
    """ "Why is the timeout 90 seconds?"; not "why is it stopped after 90 seconds?"."""
    return not behind.strip(" ?!.") and _IS.search(before) is not None and not _PREPOSED.search(before)


def _asks_yes_no(sentence: str, body: str) -> bool:
    if not body.rstrip().endswith("?") or _HOW.search(body):
        return False
    if _YES_NO.match(body) or _TAG.search(body):
        return True
    asks = "¿" in sentence or _INVERTED.search(body) is not None
    return asks and not _QUESTION_WORD.search(body)
