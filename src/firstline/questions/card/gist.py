"""What did the customer say, in their own words? The sentences of a whole conversation that a person must know.

Extractive: every line is cut from the customer's messages. Nothing is concluded but what is absent (`missing`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.questions.card.matters import ACCOUNT, LEAVES, is_commercial
from firstline.questions.card.missing import Kind, missing_of
from firstline.questions.card.problem import corrects, problems_of
from firstline.questions.card.read import read_of
from firstline.questions.card.running_version import denied_versions, running_version
from firstline.questions.card.said import LINE_CHARS_MAX, WORD, Sentence, only_wish, sentences_of, shortened
from firstline.questions.card.telling_words import (
    BEGAN,
    CHANGED,
    ENVIRONMENT,
    FAILS,
    LISTS_TRIED,
    LOUD_ERROR,
    OPENS_ONLY,
    PLACE,
    SAID_ERROR,
    SECRET_REDACTED,
    TRIED,
    UNHELPED,
    has_code,
)
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.small_talk import small_talk
from firstline.questions.message.terms import terms

MESSAGES_READ_MAX: Final = 200
SENTENCES_MAX: Final = 160
PER_MESSAGE_MAX: Final = 60
OPENING_MAX: Final = 20
"""Sentences at the start that are always read: how it was put first."""
PER_LABEL_MAX: Final = 4
ERRORS_MAX: Final = 3
LATEST_MAX: Final = 4
"""Sentences at the end that are shown: where it stands now."""
DETAIL_WORDS_MAX: Final = 10
BARE_WORDS_MAX: Final = 2

_FRAGMENT: Final = re.compile(r"^(?!.*[?]).*(?:\d|\b[A-Z]\w+).*,")
_VERSION: Final = re.compile(r"v?\d+(?:\.\d+)+")

_ALREADY: Final = re.compile(r"\b(?:already|schon|bereits|déjà|ya)\b", re.IGNORECASE)

_SENTENCE: Final = re.compile(
    r"\b(?:i|we|you|it|they|he|she|is|are|was|were|have|has|do|does|did|that|this|there|no|not|esto|es"
    r"|wir|ich|nous|je)\b",
    re.I,
)
_SAYS_LITTLE: Final = frozenset({"yes", "no", "still", "again", "ok", "same", "noth", "nothing", "now", "ye"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Gist:
    """`lines` are (label, the customer's words); `problem` is the sentence that says what it is about, or empty.
    `missing` names what nobody has said and an answer would need. `commercial`: it is about money or a contract;
    `account`: about who may get in."""

    problem: str
    lines: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    fails: bool
    commercial: bool = False
    account: bool = False

    def text(self) -> str:
        return "\n".join(f"{label}: {said}" for label, said in self.lines)


def gist(messages: Sequence[str], *, question: str = "", settled: Collection[int] = ()) -> Gist:
    """Of the customer's messages, oldest first; the last is the one that was handed over.

    `question` is shown elsewhere and need not stand among the latest; `settled` are the places of messages that were
    answered and thanked for.
    """
    messages = read_of(messages)
    read = list(enumerate(messages))[-MESSAGES_READ_MAX:]
    told = [(at, message) for at, message in read if small_talk(message) is None and at not in settled]
    # Of each message some, and of all the newest: one pasted log must not hide what was said after it.
    sentences = [one for at, message in told for one in sentences_of(message, at)[:PER_MESSAGE_MAX]]
    sentences = [*sentences[:OPENING_MAX], *sentences[OPENING_MAX:][-SENTENCES_MAX:]]
    stating = [one for one in sentences if not only_wish(one.text)]
    error = _errors(stating)
    tried = _tried(stating)
    changed = _picked(stating, CHANGED, but=tried)
    problems = problems_of(
        stating,
        question=question,
        tried=tried,
        but=tuple(one for one in changed if not FAILS.search(one)),
        errors=error,
    )
    # What the error says stands under its own label.
    problems = tuple(one for place, one in enumerate(problems) if not place or one not in error)
    runs_on = _environment(stating, but=(*problems, *tried), errors=error, denied=denied_versions(messages))
    runs = running_version(messages)
    if runs is None or not any(str(runs) in one for one in runs_on):
        # The sentence of the problem says what it runs on.
        runs_on = (*runs_on, *(one for one in problems if runs is not None and str(runs) in one))
    began = _picked(stating, BEGAN, but=(*problems, *tried, *changed, *runs_on))
    shown = (*problems, *error, *tried, *changed, *runs_on, *began)
    latest = _latest(stating, but=shown, question=question)
    said = [one.text for one in stating]
    fails = any(FAILS.search(one) for one in (*problems, *error))
    commercial = _is_commercial(said)
    account = not error and any(ACCOUNT.search(one) for one in said)
    problem = " | ".join(problems)
    labelled = (
        ("Problem", problem or (shortened(" ".join(messages[-1].split())) if messages else "")),
        ("Runs on", " | ".join(runs_on)),
        ("Error", " | ".join(one for one in error if one not in problems)),
        ("Tried by the customer", " | ".join(one for one in tried if one not in problems)),
        ("What changed", " | ".join(one for one in changed if one not in problems)),
        ("Began", " | ".join(began)),
        ("Latest", " | ".join(latest)),
    )
    return Gist(
        problem=problems[0] if problems else "",
        lines=tuple((label, shortened(said, 3 * LINE_CHARS_MAX)) for label, said in labelled if said),
        missing=missing_of(
            stating,
            messages,
            kind=Kind(fails=fails, error=bool(error), commercial=commercial, account=account),
        ),
        fails=fails,
        commercial=commercial,
        account=account,
    )


def _latest(stating: Sequence[Sentence], *, but: Sequence[str], question: str) -> tuple[str, ...]:
    """The newest sentences that are shown nowhere else."""
    asked = " ".join(question.split())
    left = [
        one.text
        for one in stating
        if one.text not in but
        and one.text not in asked
        and not LISTS_TRIED.search(one.text)
        and not OPENS_ONLY.search(one.text)
        and small_talk(one.text) is None
    ]
    return tuple(dict.fromkeys(left))[-LATEST_MAX:]


def _errors(stating: Sequence[Sentence]) -> tuple[str, ...]:
    """Those that give it most exactly, oldest first."""
    weighed = [(_error_weight(one.text), one.text) for one in stating if "?" not in one.text]
    top = max((weight for weight, _ in weighed), default=0)
    return tuple(dict.fromkeys(text for weight, text in weighed if weight and weight >= top))[:ERRORS_MAX]


def _error_weight(sentence: str) -> int:
    """How exactly a sentence gives an error: 0 when it gives none."""
    if SECRET_REDACTED.search(sentence) and not has_code(sentence):
        return 0
    return 3 * has_code(sentence) + 2 * bool(SAID_ERROR.search(sentence)) + 2 * bool(LOUD_ERROR.search(sentence))


def _tried(stating: Sequence[Sentence]) -> tuple[str, ...]:
    """A change with a date and no result told is no attempt."""
    return tuple(
        dict.fromkeys(
            one.text
            for one in stating
            if one.tried
            or (
                TRIED.search(one.text)
                and not one.text.rstrip().endswith("?")
                and not corrects(one.text)
                and not LEAVES.search(one.text)
                and not (CHANGED.search(one.text) and not (UNHELPED.search(one.text) or _ALREADY.search(one.text)))
            )
        )
    )[: 2 * PER_LABEL_MAX]


def _picked(stating: Sequence[Sentence], pattern: re.Pattern[str], *, but: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.text for one in stating if one.text not in but and pattern.search(one.text)))[
        :PER_LABEL_MAX
    ]


def _environment(
    stating: Sequence[Sentence], *, but: Sequence[str], errors: Sequence[str], denied: Collection[str]
) -> tuple[str, ...]:
    """Without what was corrected later: "4.4.9, not 5.0" takes away "It is 5.0"."""
    found: list[str] = []
    for one in stating:
        versions = set(_VERSION.findall(one.text))
        if (
            one.text in but
            or "?" in one.text
            or OPENS_ONLY.search(one.text)
            or not (ENVIRONMENT.search(one.text) or _is_detail(one.text))
        ):
            continue
        if one.text in errors and not versions and not PLACE.search(one.text):
            continue
        if versions and versions <= set(denied):
            continue
        found.append(one.text)
    return tuple(dict.fromkeys(found))[: PER_LABEL_MAX + 1]


def _is_detail(text: str) -> bool:
    """ "region Frankfurt, managed, Enterprise", "the driver": a few words that are no sentence."""
    words = len(WORD.findall(text))
    if (
        words > DETAIL_WORDS_MAX
        or _SENTENCE.search(text)
        or FAILS.search(text)
        or UNHELPED.search(text)
        or wants_person(text)
    ):
        return False
    if words <= BARE_WORDS_MAX:
        return (
            text[-1:].isalnum()
            and not BEGAN.search(text)
            and small_talk(text) is None
            and not OPENS_ONLY.search(text)
            and bool(set(terms(text)) - _SAYS_LITTLE)
        )
    return _FRAGMENT.search(text) is not None


def _is_commercial(said: Sequence[str]) -> bool:
    """Money or a contract is spoken of, and no error is."""
    loud = any(LOUD_ERROR.search(one) for one in said)
    return any(is_commercial(one) for one in said) and not loud
