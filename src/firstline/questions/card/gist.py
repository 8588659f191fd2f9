"""What did the customer say, in their own words? The sentences of a whole conversation that a person must know.

Extractive: every line is cut from the customer's messages. Nothing is concluded but what is absent (`missing`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.questions.card.asides import of_us, presses, withdraws
from firstline.questions.card.attempts import attempts
from firstline.questions.card.circumstances import HAPPENS
from firstline.questions.card.environment import PER_LABEL_MAX, SUM, VERSION, environment, is_denied, says_version
from firstline.questions.card.matters import ACCOUNT, HELD, is_commercial
from firstline.questions.card.missing import Kind, missing_of
from firstline.questions.card.pasted_parts import prose_and_code, shown_of
from firstline.questions.card.problem import LOG_LINE, problems_of
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
    SAID_ERROR,
    SECRET_REDACTED,
    STATE,
    UNHELPED,
    has_code,
)
from firstline.questions.card.two_matters import matters_of
from firstline.questions.card.urgent_words import DEADLINE
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.small_talk import small_talk

MESSAGES_READ_MAX: Final = 200
SENTENCES_MAX: Final = 160
PER_MESSAGE_MAX: Final = 60
OPENING_MAX: Final = 20
"""Sentences at the start that are always read: how it was put first."""
ERRORS_MAX: Final = 3
LATEST_MAX: Final = 4
"""Sentences at the end that are shown: where it stands now."""
_NAMES_A_DRIVER: Final = re.compile(
    r"\b(?:driver|client|sdk|library|connector|treiber|pilote|controlador)\b|ドライバ", re.IGNORECASE
)
JOINED_WORDS_MAX: Final = 12
JOINED_MAX: Final = 2
"""Details given to a question back that stand beside the problem."""
CODES_SHOWN_MAX: Final = 1
WISHES_MAX: Final = 1
_DIGIT: Final = re.compile(r"\d")
_WANTS: Final = re.compile(r"\b(?:want|would\s+like|need|rather|instead|how|why)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Gist:
    """`lines` are (label, the customer's words); `problem` is the sentence that says what it is about, or empty.
    `missing` names what nobody has said and an answer would need. `commercial`: it is about money or a contract;
    `account`: about who may get in.
    `matters`: where several are open, what each opens with."""

    problem: str
    lines: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    fails: bool
    commercial: bool = False
    account: bool = False
    matters: tuple[str, ...] = ()

    def text(self) -> str:
        return "\n".join(f"{label}: {said}" for label, said in self.lines)


def gist(
    messages: Sequence[str],
    *,
    question: str = "",
    settled: Collection[int] = (),
    answers: Collection[int] = (),
) -> Gist:
    """Of the customer's messages, oldest first; the last is the one that was handed over.

    `question` is shown elsewhere and need not stand among the latest; `settled` are the places of messages that were
    answered and thanked for, `answers` of those that reply to a question back: their details belong to the problem.
    """
    messages = read_of(messages)
    read = list(enumerate(messages))[-MESSAGES_READ_MAX:]
    told = [
        (at, message)
        for at, message in read
        if small_talk(message) is None and at not in settled and not presses(message)
    ]
    # Of each message some, and of all the newest: one pasted log must not hide what was said after it.
    sentences = [one for at, message in told for one in sentences_of(message, at)[:PER_MESSAGE_MAX]]
    sentences = [*sentences[:OPENING_MAX], *sentences[OPENING_MAX:][-SENTENCES_MAX:]]
    stating = [one for one in sentences if not only_wish(one.text) and not presses(one.text)]
    since = _asked_anew(stating)
    current = [one for one in stating if one.message >= since and not (since and withdraws(one.text))]
    tried = attempts(stating)
    commercial = _is_commercial([one.text for one in stating])
    error = tuple(
        one for one in _errors(current) if one not in tried.sentences and not (commercial and SUM.search(one))
    )
    changed = _picked(stating, CHANGED, but=tuple(tried.sentences))
    problems = problems_of(
        current,
        question=question,
        tried=tuple(tried.sentences),
        but=tuple(one for one in changed if not FAILS.search(one)),
        errors=error,
    )
    # What the error says stands under its own label.
    problems = tuple(one for place, one in enumerate(problems) if not place or one not in error)
    opened = matters_of(current)
    matters = tuple(one.text for one, _ in opened)
    problems = tuple(original for _, original in opened) or problems
    denied = denied_versions(messages)
    runs_on = environment(
        stating, but=(*problems, *tried.sentences), errors=error, denied=denied, commercial=commercial, since=since
    )
    joined = _joined(current, answers, but=(*problems, *error, *tried.sentences, *changed))
    runs_on = tuple(one for one in runs_on if one not in joined and (one not in changed or one in problems))
    runs = running_version(messages)
    if runs is None or not any(str(runs) in one for one in runs_on):
        # The sentence of the problem says what it runs on.
        # Beside another version the change says which one it runs.
        others = changed if any(VERSION.search(one) for one in runs_on) and not says_version(runs, runs_on) else ()
        told_in = [one for one in (*problems, *others) if runs is not None and str(runs) in one and one != question]
        runs_on = (*dict.fromkeys(told_in[:1]), *runs_on)
    taken = (*problems, *joined, *error, *tried.sentences, *changed, *runs_on)
    began = _picked(stating, BEGAN, but=taken)
    happens = _picked(current, HAPPENS, but=(*taken, *began, question.strip()), asked=False)
    due = _picked(stating, DEADLINE, but=(*taken, *began, *happens))
    shown = (*taken, *began, *happens, *due)
    latest = _latest(
        [one for one in (current if since else stating) if not is_denied(one.text, denied)],
        but=shown,
        question=question,
    )
    said = [one.text for one in stating]
    commercial = commercial or any(is_commercial(one) for one in matters)
    fails = (
        bool(error)
        or any(FAILS.search(one) or STATE.search(one) for one in problems)
        or any(map(has_code, tried.lines))
    )
    account = not error and any(ACCOUNT.search(one) for one in said)
    told_of = [f"({at}) {one}" for at, one in enumerate(matters, start=1)] if matters else problems
    problem = " | ".join((*told_of, *joined))
    labelled = (
        ("Problem", problem or (shortened(" ".join(messages[-1].split())) if messages else "")),
        ("Code", " ; ".join(_code(messages))),
        ("Error", " | ".join(one for one in error if one not in problems)),
        ("Happens", " | ".join(happens)),
        (
            "Details" if commercial and not error else "Runs on",
            " | ".join(runs_on),
        ),
        ("Tried by the customer", " | ".join(one for one in tried.lines if one not in problems)),
        ("What changed", " | ".join(one for one in changed if one not in problems and one not in error)),
        ("Began", " | ".join(began)),
        ("Deadline", " | ".join(due)),
        ("Withdrawn", _withdrawn(stating, since)),
        ("Asks for a person", _wish(sentences, question)),
        ("Also said", " | ".join(latest)),
    )
    return Gist(
        problem=problems[0] if problems else "",
        lines=tuple((label, shortened(said, 3 * LINE_CHARS_MAX)) for label, said in labelled if said),
        missing=missing_of(
            stating,
            messages,
            kind=Kind(
                fails=fails,
                error=bool(error) or any(map(has_code, tried.lines)),
                commercial=commercial,
                account=account,
                held=any(HELD.search(one) for one in messages) and not error,
            ),
        ),
        fails=fails,
        commercial=commercial,
        account=account,
        matters=matters,
    )


def _asked_anew(stating: Sequence[Sentence]) -> int:
    """The first message that counts: the one that took back what was asked before, where something is asked or told
    from there on; 0 where nothing was taken back."""
    for one in reversed(stating):
        if one.message and withdraws(one.text):
            after = [each for each in stating if each.message >= one.message and each is not one]
            if any("?" in each.text or FAILS.search(each.text) or _WANTS.search(each.text) for each in after):
                return one.message
    return 0


def _withdrawn(stating: Sequence[Sentence], since: int) -> str:
    first = next((one.text for one in stating if one.message < since), "")
    return first if since else ""


def _joined(stating: Sequence[Sentence], answers: Collection[int], *, but: Sequence[str]) -> tuple[str, ...]:
    """What a question back brought to light: "We use the Python driver". Versions and places stand under their own
    label."""
    found = [
        one.text
        for one in stating
        if one.message
        and (one.message in answers or _NAMES_A_DRIVER.search(one.text))
        and one.text not in but
        and len(WORD.findall(one.text)) <= JOINED_WORDS_MAX
        and "?" not in one.text
        and "," not in one.text
        and not _DIGIT.search(one.text)
        and not (OPENS_ONLY.search(one.text) or UNHELPED.search(one.text) or wants_person(one.text))
        and (ENVIRONMENT.search(one.text) or HAPPENS.search(one.text))
    ]
    return tuple(dict.fromkeys(found))[:JOINED_MAX]


def _code(messages: Sequence[str]) -> list[str]:
    pasted = [code for code in (prose_and_code(message)[1] for message in messages) if code]
    return [line for code in pasted[-CODES_SHOWN_MAX:] for line in shown_of(code)]


def _wish(sentences: Sequence[Sentence], question: str) -> str:
    asked = " ".join(question.split())
    wishes = [one.text for one in sentences if wants_person(one.text) and one.text not in asked]
    return " | ".join(dict.fromkeys(wishes[-WISHES_MAX:]))


def _latest(stating: Sequence[Sentence], *, but: Sequence[str], question: str) -> tuple[str, ...]:
    """The newest sentences that are shown nowhere else."""
    asked = " ".join(question.split())
    left = [
        one.text
        for one in stating
        if one.text not in but
        and one.text not in asked
        and not LISTS_TRIED.search(one.text)
        and not wants_person(one.text)
        and not of_us(one.text)
        and len(WORD.findall(one.text)) > 1
        and not LOG_LINE.match(one.text)
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


def _picked(
    stating: Sequence[Sentence], pattern: re.Pattern[str], *, but: Sequence[str], asked: bool = True
) -> tuple[str, ...]:
    """`asked`: questions count too."""
    found = (
        one.text
        for one in stating
        if one.text not in but and pattern.search(one.text) and (asked or "?" not in one.text)
    )
    return tuple(dict.fromkeys(found))[:PER_LABEL_MAX]


def _is_commercial(said: Sequence[str]) -> bool:
    """Money or a contract is spoken of, and no error is."""
    loud = any(LOUD_ERROR.search(one) for one in said)
    return any(is_commercial(one) for one in said) and not loud
