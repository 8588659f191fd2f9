"""What a person needs to take over without reading the transcript."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from firstline.domain import (
    Answered,
    Category,
    Handoff,
    HandoffState,
    Intent,
    Outcome,
    Reason,
    Tried,
    Turn,
)
from firstline.questions.asked import Asked
from firstline.questions.card.apt import apt, followed
from firstline.questions.card.asides import of_us, withdraws
from firstline.questions.card.attempts import is_attempt, is_result
from firstline.questions.card.bearing import CODE, names_of, titles_first
from firstline.questions.card.case import Case
from firstline.questions.card.codes import apart, codes_of, holds
from firstline.questions.card.customer import (
    entities_of,
    intent_of,
    language_of_case,
    mood_of,
    shown_intent,
    triages_of,
)
from firstline.questions.card.gist import Gist, gist
from firstline.questions.card.next_step import Matter, Situation, next_step
from firstline.questions.card.not_enough import named_by
from firstline.questions.card.pages import TRIED_MAX, is_about, looked_at, shown_before_of, with_offers
from firstline.questions.card.pasted_parts import prose_and_code
from firstline.questions.card.pointed import pointed
from firstline.questions.card.said import only_wish, sentences_of
from firstline.questions.card.telling_words import UNHELPED
from firstline.questions.message.language import DEFAULT
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.terms import terms
from firstline.questions.shown_before import settled
from firstline.questions.trail import Trail

SUMMARY_CHARS_MAX: Final = 1_600
CODES_NAMED_MAX: Final = 2
MATTER_LABELS: Final = ("Problem", "Error", "Happens", "What changed", "Code")
"""Lines of the summary that pages are measured against."""

ASKING_HELPS: Final = frozenset({Reason.LOW_CONFIDENCE, Reason.NO_VERIFIED_CONTEXT, Reason.USER_ASKED})
WHOSE_HELPS: Final = frozenset({Reason.HIGH_STAKES, Reason.UNSUPPORTED_CATEGORY})
_WHOSE: Final = re.compile(r"\b(?:account|organisation|cluster|phone|invoice)\b")
_BOTH: Final = re.compile(r"\b(?:both|all\s+(?:of\s+them|three|two)|beide[ns]?|les\s+deux|amb[ao]s)\b", re.IGNORECASE)
_REFERS_BACK: Final = re.compile(
    r"\b(?:that|this|it|which|the\s+(?:page|answer|article))\s+(?:(?:did|does|has|is)(?:n't|\s+not)|makes?\s+no)\b|\byou\s+(?:already\s+)?(?:said|told|sent)\b",
    re.IGNORECASE,
)


def at_once(asked: Asked, trail: Trail, reason: Reason, *, now: datetime) -> Handoff:
    """What is known at once; `with_handoff` reads the conversation and fills in the rest before it is recorded."""
    return handoff(
        Case(
            session_id=asked.session.session_id,
            turn=asked.number,
            reason=reason,
            question=asked.question,
            earlier=(),
            triage=trail.triage,
        ),
        handoff_id=str(uuid.uuid4()),
        created_at=now,
    )


def handoff(case: Case, *, handoff_id: str, created_at: datetime) -> Handoff:
    """The hand-over of the whole conversation, open and nobody's."""
    done = settled(case.earlier, case.question)
    question = _without_code(pointed(case.messages, settled=done, answers=case.answers))
    told = gist(case.messages, question=question, settled=done, answers=case.answers)
    failed = next((gate for gate in case.gates if not gate.passed), None)
    missing = _missing(case.reason, told)
    if told.matters and (is_one_of(question, told.matters) or wants_person(case.question)):
        question = " ".join(f"({at}) {one}" for at, one in enumerate(told.matters, start=1))
    shown = shown_before_of(case, done)
    about = _about(question, told)
    tried = (*shown, *looked_at(case, about, but=frozenset(one.title for one in shown)))
    tried = tried or tuple(one for one in case.before if is_about(one.title, about))[:TRIED_MAX]
    tried = with_offers(
        tried, case, _matter_in_full(case, question, told), withdrawn=dict(told.lines).get("Withdrawn", "")
    )
    return Handoff(
        handoff_id=handoff_id,
        session_id=case.session_id,
        turn=case.turn,
        reason=case.reason,
        question=question,
        summary=told.text()[:SUMMARY_CHARS_MAX],
        intent=shown_intent(case),
        entities=entities_of(case),
        tried=tried,
        language=language_of_case(case),
        mood=mood_of(case),
        next_step=next_step(_situation(case, told, question, missing, done, tried)),
        state=HandoffState.OPEN,
        created_at=created_at,
        missing=missing,
        measured=f"{failed.name} {failed.value:.2f}, needed {failed.threshold:.2f}" if failed else "",
        transcript=f"/v1/handoffs/{handoff_id}/transcript",
        availability=case.availability,
    )


def is_one_of(question: str, matters: Sequence[str]) -> bool:
    """It is one of them, or asks for an answer to all of them."""
    return _BOTH.search(question) is not None or any(one.casefold() in question.casefold() for one in matters)


def _missing(reason: Reason, told: Gist) -> tuple[str, ...]:
    """Where much is at stake or a decision is wanted nothing technical is asked, only whose it is."""
    if reason in WHOSE_HELPS:
        return tuple(one for one in told.missing if _WHOSE.search(one))
    return told.missing if reason in ASKING_HELPS else ()


def _without_code(question: str) -> str:
    """It stands under its own label, where there is something beside it; so does what is taken back."""
    prose, code = prose_and_code(question)
    told = prose.strip() if code and prose.strip() else question
    every = sentences_of(told, 0)
    left = [one for one in every if not (withdraws(one.text) or only_wish(one.text) or of_us(one.text))]
    if len(left) < len(every):
        left = [one for one in left if not (is_attempt(one) or is_result(one))] or left
    return " ".join(one.text for one in left) if left and len(left) < len(every) else told


def _situation(
    case: Case, told: Gist, question: str, missing: Sequence[str], done: Collection[int], tried: Sequence[Tried]
) -> Situation:
    reactions = [_Reaction.of(message) for message in case.messages]
    shown = [
        citation.title
        for place, turn in enumerate(case.earlier)
        if isinstance(turn.outcome, Answered) and place not in done and _was_no_help(turn, reactions[place + 1 :])
        for claim in turn.outcome.claims
        for citation in claim.citations
    ]
    coded = titles_first(case.coded)
    unknown = _unknown(case, question, told)
    given = [title for turn in case.earlier for title in _answered_from(turn.outcome)]
    lines = dict(told.lines)
    about = _matter_in_full(case, question, told)
    took = followed(case, about, tried)
    but = frozenset((*shown, *took, *given))
    pages = apt(case, about, tried, but=but, withdrawn=lines.get("Withdrawn", ""))
    return Situation(
        reason=case.reason,
        intent=intent_of(case),
        messages=case.messages,
        question=question,
        missing=missing,
        refused=_is_refused(case),
        # Beside the page of another code an unknown one is no reason to name none.
        unknown=[] if coded else [name for name in unknown if CODE.fullmatch(name)],
        unnamed=[name for name in unknown if coded or not CODE.fullmatch(name)],
        apt=pages[: _pages_named(about, coded)],
        answered=_answered_from(case.outcome),
        shown=list(dict.fromkeys(shown)),
        followed=took,
        also=case.also,
        commercial=told.commercial,
        account=told.account,
        matters=[Matter(text=one, apt=apt(case, one, tried, but=but)) for one in told.matters],
    )


def _pages_named(about: str, coded: Sequence[str]) -> int:
    """One; where several codes have a page each, one of each."""
    codes = [one for one in codes_of([about], codes_max=CODES_NAMED_MAX) if any(holds(title, one) for title in coded)]
    return max(1, len(codes))


def _about(question: str, told: Gist) -> str:
    """What pages are measured against: the question and what it is about. Attempts and complaints are in no page."""
    return "\n".join(dict.fromkeys(apart(one) for one in (question, *dict(told.lines).get("Problem", "").split(" | "))))


def _matter_in_full(case: Case, question: str, told: Gist) -> str:
    """In a language that pages are not written in all that was said: only names and numbers are alike there."""
    lines = dict(told.lines)
    if language_of_case(case) != DEFAULT:
        return "\n".join((question, *case.messages))
    return "\n".join((question, *(lines.get(label, "") for label in MATTER_LABELS)))


def _is_refused(case: Case) -> bool:
    """The newest message that is out of scope is about a topic that the operator named (topics.py)."""
    found = next((one for one in triages_of(case) if one.category is Category.OUT_OF_SCOPE), None)
    return found is not None and found.intent is Intent.OTHER


def _answered_from(outcome: Outcome | None) -> list[str]:
    claims = outcome.claims if isinstance(outcome, Answered) else ()
    return list(dict.fromkeys(citation.title for claim in claims for citation in claim.citations))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reaction:
    """What a message says of answers before it. Read once: every answer before it is compared with it."""

    unhelped: bool
    refers_back: bool
    words: frozenset[str]

    @classmethod
    def of(cls, message: str) -> _Reaction:
        unhelped = UNHELPED.search(message) is not None
        return cls(
            unhelped=unhelped,
            refers_back=_REFERS_BACK.search(message) is not None,
            words=frozenset(terms(message)) if unhelped else frozenset(),
        )


def _was_no_help(turn: Turn, after: Sequence[_Reaction]) -> bool:
    """They said so: in the next message, or later in words of what was asked or of the page."""
    # "That did not help" speaks of what was answered last.
    last = next((place for place, one in enumerate(after) if one.refers_back), None)
    about = set(terms(turn.question)) | set(terms(" ".join(_answered_from(turn.outcome))))
    return any(
        one.unhelped and (not place or place == last or not about.isdisjoint(one.words))
        for place, one in enumerate(after)
    )


def _unknown(case: Case, question: str, told: Gist) -> list[str]:
    """Names in the question, and codes in anything said, that no page has: of the whole index where they were looked
    up, else of what was found."""
    asked = names_of(question, told.text())
    sure = [name for name in asked if name in case.coded and not case.coded[name]]
    rest = [name for name in asked if name not in case.coded]
    rest = [name for name in rest if not any(name in f"{each.title} {named_by(each.why_not)}" for each in case.looked)]
    if not case.evidence:
        return [*sure, *(name for name in rest if case.looked and all(name in each.why_not for each in case.looked))]
    held = " ".join(" ".join((piece.chunk.title, piece.text, piece.lead_text)) for piece in case.evidence).casefold()
    return [*sure, *(name for name in rest if name.casefold() not in held)]
