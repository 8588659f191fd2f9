"""What a person needs to take over without reading the transcript."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from firstline.domain import (
    Answered,
    Availability,
    Evidence,
    GateReading,
    Handoff,
    HandoffState,
    Intent,
    Mood,
    Outcome,
    Reason,
    Triage,
    Tried,
    Turn,
)
from firstline.questions.card.bearing import CODE, bearing, names_of, titles_first
from firstline.questions.card.codes import apart
from firstline.questions.card.gist import Gist, gist
from firstline.questions.card.next_step import Situation, next_step
from firstline.questions.card.not_enough import NAMES, NO_PASSAGE, NOT_USED, named_by, not_enough
from firstline.questions.card.pointed import pointed
from firstline.questions.card.running_version import running_version
from firstline.questions.card.telling_words import UNHELPED
from firstline.questions.message.manner import entities
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.terms import FUNCTION_WORDS, terms
from firstline.questions.page.versions import Stated
from firstline.questions.shown_before import settled

SUMMARY_CHARS_MAX: Final = 1_600
TRIED_MAX: Final = 5
SHOWN_BEFORE_MAX: Final = 3
RELEVANT_BY: Final = 1.15
"""Less than this times the gate's threshold is no page to be named first."""
ENTITIES_MAX: Final = 20
CHARS_READ_MAX: Final = 2_000
TURNS_OF_MOOD: Final = 3
SAYS_LITTLE: Final = frozenset({Intent.PERSON, Intent.SMALL_TALK, Intent.OTHER})
"""Intents that an earlier message says more than: who asks for a person has asked something before."""
UNUSED: Final = frozenset({Reason.HIGH_STAKES, Reason.PRIVATE_DATA, Reason.UNSUPPORTED_CATEGORY, Reason.POLICY})

ASKING_HELPS: Final = frozenset({Reason.LOW_CONFIDENCE, Reason.NO_VERIFIED_CONTEXT, Reason.USER_ASKED})
_UNITS: Final = frozenset({"KB", "MB", "GB", "TB", "KIB", "MIB", "GIB", "TIB", "MS"})
_REFERS_BACK: Final = re.compile(
    r"\b(?:that|this|it|which|the\s+(?:page|answer|article))\s+(?:(?:did|does|has|is)(?:n't|\s+not)|makes?\s+no)\b|\byou\s+(?:already\s+)?(?:said|told|sent)\b",
    re.IGNORECASE,
)
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:]\s+|\n\s*)\W*$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One message on its way to a person: what the turn knew, and the conversation before it, oldest first.

    `sought` is the question in full, as it was searched; `versions`, by document id, what the documents found
    are about. `outcome` is the message's own, where it is an answer; `also`: (another reason of this hand-over, the
    message that gave it). `looked`: what was looked at for the messages before.
    `coded`: by name that was looked up in the whole index, the pieces that hold it, best first; none is an empty one.
    """

    session_id: str
    turn: int
    reason: Reason
    question: str
    earlier: Sequence[Turn]
    triage: Triage | None
    evidence: Sequence[Evidence] = ()
    gates: Sequence[GateReading] = ()
    sought: str = ""
    versions: Mapping[str, Sequence[Stated]] = field(default_factory=dict[str, Sequence[Stated]])
    availability: Availability | None = None
    outcome: Outcome | None = None
    also: Sequence[tuple[Reason, int]] = ()
    looked: Sequence[Tried] = ()
    coded: Mapping[str, Sequence[Evidence]] = field(default_factory=dict[str, Sequence[Evidence]])

    @property
    def messages(self) -> tuple[str, ...]:
        return (*(turn.question for turn in self.earlier), self.question)


def handoff(case: Case, *, handoff_id: str, created_at: datetime) -> Handoff:
    """The hand-over of the whole conversation, open and nobody's."""
    done = settled(case.earlier, case.question)
    question = pointed(case.messages)
    told = gist(case.messages, question=question, settled=done)
    failed = next((gate for gate in case.gates if not gate.passed), None)
    dispute = case.reason is Reason.HIGH_STAKES and told.commercial
    missing = told.missing if case.reason in ASKING_HELPS or dispute else ()
    tried = (*_shown_before(case, done), *_tried(case))
    return Handoff(
        handoff_id=handoff_id,
        session_id=case.session_id,
        turn=case.turn,
        reason=case.reason,
        question=question,
        summary=told.text()[:SUMMARY_CHARS_MAX],
        intent=_intent(case),
        entities=_entities(case),
        tried=tried,
        language=_language(case),
        mood=_mood(case),
        next_step=next_step(_situation(case, told, question, missing, done)),
        state=HandoffState.OPEN,
        created_at=created_at,
        missing=missing,
        measured=f"{failed.name} {failed.value:.2f}, needed {failed.threshold:.2f}" if failed else "",
        transcript=f"/v1/handoffs/{handoff_id}/transcript",
        availability=case.availability,
    )


def _situation(case: Case, told: Gist, question: str, missing: Sequence[str], done: Collection[int]) -> Situation:
    reactions = [_Reaction.of(message) for message in case.messages]
    shown = [
        citation.title
        for place, turn in enumerate(case.earlier)
        if isinstance(turn.outcome, Answered) and place not in done and _was_no_help(turn, reactions[place + 1 :])
        for claim in turn.outcome.claims
        for citation in claim.citations
    ]
    named = [each.title.partition(" > ")[0] for each in case.looked if named_by(each.why_not)]
    coded = titles_first(case.coded)
    unknown = _unknown(case, question, told)
    return Situation(
        reason=case.reason,
        intent=_intent(case),
        messages=case.messages,
        question=question,
        missing=missing,
        # Beside the page of another code an unknown one is no reason to name none.
        unknown=[] if coded else [name for name in unknown if CODE.fullmatch(name)],
        unnamed=[name for name in unknown if coded or not CODE.fullmatch(name)],
        nearest=list(dict.fromkeys((*coded, *named, *(piece.chunk.title for piece in case.evidence)))),
        near=bool(named or coded) or _is_near(case.gates),
        answered=_answered_from(case.outcome),
        given=[
            title
            for place, turn in enumerate(case.earlier)
            if place not in done
            for title in _answered_from(turn.outcome)
        ],
        shown=list(dict.fromkeys(shown)),
        also=case.also,
        commercial=told.commercial,
        account=told.account,
    )


def _is_near(gates: Sequence[GateReading]) -> bool:
    """What was found is about the question; hardly relevant is not."""
    return not any(gate.name == "relevance" and gate.value < RELEVANT_BY * gate.threshold for gate in gates)


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


def _intent(case: Case) -> Intent:
    """The newest that says something, whatever was said last."""
    known = [triage.intent for triage in _triages(case)]
    return next((intent for intent in known if intent not in SAYS_LITTLE), known[0] if known else Intent.OTHER)


def _triages(case: Case) -> list[Triage]:
    """Newest first."""
    return [found for found in (case.triage, *(turn.triage for turn in reversed(case.earlier))) if found is not None]


def _entities(case: Case) -> tuple[str, ...]:
    """Of the whole conversation, in the order they came up, each in its first spelling."""
    found: dict[str, str] = {}
    for message in map(apart, case.messages):
        for name in entities(message, entities_max=ENTITIES_MAX, chars_max=CHARS_READ_MAX):
            cleaned = _name(name, message)
            # Anger writes in capitals, as acronyms do.
            if cleaned and not (cleaned.isupper() and cleaned.isalpha() and _angry(message)):
                found.setdefault(cleaned.casefold(), cleaned)
    return tuple(found.values())[:ENTITIES_MAX]


def _name(name: str, message: str) -> str:
    """Without the word in front of a code, and without the one that only opens its sentence; "" when none is left."""
    words = name.split()
    coded = [word for word in words if CODE.fullmatch(word)]
    if coded:
        return coded[0]
    if name.startswith("SECRET_") or name.upper() in _UNITS or name.casefold() in FUNCTION_WORDS:
        return ""
    if len(words) > 1 and name.replace(" ", "").isalpha():
        opens = _SENTENCE_START.search(message[: message.find(name)]) is not None
        if opens or words[0].casefold() in FUNCTION_WORDS:
            return " ".join(words[1:]) if len(words) > 2 or words[1].isupper() else ""
    return name


def _angry(message: str) -> bool:
    return "!!" in message or wants_person(message)


def _language(case: Case) -> str:
    """The one that most was written in: a short message is easily mistaken for another language."""
    written: Counter[str] = Counter()
    if case.triage is not None:
        written[case.triage.language] += len(case.question)
    for turn in case.earlier:
        if turn.triage is not None:
            written[turn.triage.language] += len(turn.question)
    return written.most_common(1)[0][0] if written else "en"


def _mood(case: Case) -> Mood:
    lately = _triages(case)[:TURNS_OF_MOOD]
    return Mood.UPSET if any(found.mood is Mood.UPSET for found in lately) else Mood.NEUTRAL


def _shown_before(case: Case, done: Collection[int]) -> tuple[Tried, ...]:
    """Pages that the bot answered from, the newest ones."""
    shown: dict[str, Tried] = {}
    answers = [(turn.number, turn.outcome, place in done) for place, turn in enumerate(case.earlier)]
    for number, outcome, thanked in reversed([*answers, (case.turn, case.outcome, False)]):
        if not isinstance(outcome, Answered):
            continue
        how = "was the answer to this message" if number == case.turn else f"was the answer to message {number}"
        after = (
            "; wait for their reply"
            if number == case.turn
            else "; the customer thanked"
            if thanked
            else "; the customer went on asking"
        )
        for citation in (citation for claim in outcome.claims for citation in claim.citations):
            shown.setdefault(
                citation.doc_id,
                Tried(
                    chunk_id=citation.chunk_id,
                    title=citation.title,
                    url=citation.url,
                    score=0.0,
                    why_not=f"{how}{after}",
                ),
            )
    return tuple(shown.values())[:SHOWN_BEFORE_MAX]


def _tried(case: Case) -> tuple[Tried, ...]:
    tried: dict[str, Tried] = {}
    asked = running_version(case.messages)
    given = case.outcome.claims if isinstance(case.outcome, Answered) else ()
    shown = {citation.doc_id for claim in given for citation in claim.citations}
    coded = bearing(case.coded)
    for piece in (*coded, *case.evidence):
        if piece.chunk.doc_id in tried or piece.chunk.doc_id in shown:
            continue
        if len(tried) >= TRIED_MAX:
            break
        lacking = not_enough(
            piece,
            sought=apart(case.sought or case.question),
            asked=asked,
            versions=case.versions.get(piece.chunk.doc_id, ()),
        )
        if piece in coded and not named_by(lacking):
            own = next(code for code, pieces in case.coded.items() if piece in pieces)
            lacking = "; ".join(
                part for part in (lacking.partition("; ")[0] if "version" in lacking else "", f"{NAMES}{own}") if part
            )
        tried[piece.chunk.doc_id] = Tried(
            chunk_id=piece.chunk.chunk_id,
            title=" > ".join(dict.fromkeys((piece.chunk.title, *piece.chunk.section_path[-1:]))),
            url=piece.chunk.url,
            score=piece.scores.fused,
            why_not=NOT_USED if lacking == NO_PASSAGE and case.reason in UNUSED else lacking,
        )
    return tuple(tried.values())
