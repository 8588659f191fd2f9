"""Turn an outcome into what a person sees. Every surface shows what this function returns, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firstline.domain import (
    Answered,
    Asks,
    Availability,
    Category,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    Deflected,
    Escalated,
    Handoff,
    HandoffAct,
    HandoffEntry,
    HighStakes,
    Intent,
    Note,
    Outcome,
    Reason,
    Reply,
    ReplyBlock,
    ReplyCitation,
    Silent,
    Talk,
    Triage,
    Turn,
    at_page,
)
from firstline.questions.card.urgent_words import tells_of_harm
from firstline.questions.message.spoken import written_in
from firstline.questions.wording.inert import inert_reply
from firstline.questions.wording.text_keys import DEFAULT_LANGUAGE, KEYS, LANGUAGES
from firstline.questions.wording.voice import Voice, Wording, shipped

LINKS_ALLOWED = {Completeness.FULL: 2, Completeness.PARTIAL: 1, Completeness.UNSURE: 0}


def render_turn(turn: Turn, wording: Wording) -> Reply:
    """A recorded turn as a person reads it, on every surface: in the language of its conversation."""
    reply = render(
        turn.outcome, wording.voice(turn.language), spoken=turn.language, refused=_refused_topic(turn.triage)
    )
    # Who loses data is not left with a question back alone.
    pressing = isinstance(turn.outcome, Clarify | Deflected) and tells_of_harm(turn.question)
    return replace(reply, person="soft") if pressing else reply


def render(outcome: Outcome, voice: Voice | None = None, *, spoken: str = "", refused: bool = False) -> Reply:
    """An outcome in a voice (English as shipped). `spoken`: what the customer writes in, "" when nothing told.
    `refused`: the message is about a topic that the operator named as not answered here."""
    said = voice or shipped().voice(DEFAULT_LANGUAGE)
    return replace(inert_reply(_rendered(outcome, said, spoken, refused)), language=said.language)


def _refused_topic(found: Triage | None) -> bool:
    """By an operator's own phrase (topics.py): what needs an account or is private has an intent of its own."""
    return found is not None and found.category is Category.OUT_OF_SCOPE and found.intent is Intent.OTHER


def _rendered(outcome: Outcome, voice: Voice, spoken: str, refused: bool) -> Reply:
    match outcome:
        case Answered():
            return _answered(outcome, voice, spoken)
        case Clarify():
            return _reply("clarify", outcome.question or _question_back(outcome, voice), options=outcome.options)
        case Escalated(handoff=handoff, again=again):
            why = "" if again else voice.say(f"escalated.{_why(handoff.reason, refused)}")
            notice = voice.join(why, _what_next(handoff, again, voice))
            return _reply("escalated", notice, handoff=handoff, person="connect")
        case HighStakes():
            return _high_stakes(outcome, voice)
        case Deflected():
            return _deflected(outcome, voice)
        case Silent(handoff=handoff):
            return _reply("silent", voice.say("silent.person"), handoff=handoff)


def _why(reason: Reason, refused: bool) -> str:
    return "refused_topic" if refused and reason is Reason.UNSUPPORTED_CATEGORY else reason


def render_entry(entry: HandoffEntry, voice: Voice) -> str:
    """What the customer is told of a person's act: a reply to the letter, the others as a fact."""
    match entry.act:
        case HandoffAct.REPLY:
            return entry.text
        case HandoffAct.RESOLVE:
            return voice.say("person.resolved")
        case HandoffAct.RETURN:
            return voice.say("person.returned")
        case _:
            return ""


def _question_back(asked: Clarify, voice: Voice) -> str:
    match asked.asks:
        case Asks.UNKNOWN if asked.names and asked.options:
            return voice.say("clarify.unknown_among", names=asked.names)
        case Asks.WHICH | Asks.UNKNOWN if asked.names:
            return voice.say(f"clarify.{asked.asks}", names=asked.names)
        case Asks.LANGUAGE:
            named = asked.names and asked.names[0] in LANGUAGES
            return voice.say("clarify.language", language=asked.names) if named else voice.say("clarify.language_other")
        case Asks.PICK | Asks.AGAIN:
            return voice.say(f"clarify.{asked.asks}")
        case _:
            return voice.say("clarify.detail")


def _high_stakes(outcome: HighStakes, voice: Voice) -> Reply:
    handoff = outcome.handoff
    key = f"high_stakes.{handoff.intent}"
    notice = voice.join(
        outcome.acknowledgement or voice.say(key if key in KEYS else "high_stakes.other"),
        voice.say("high_stakes.offer", offer=outcome.offer) if outcome.offer else "",
        _what_next(handoff, outcome.again, voice),
    )
    return _reply("high_stakes", notice, handoff=handoff, person="connect")


def _what_next(handoff: Handoff, again: bool, voice: Voice) -> str:
    """Who takes it from here, and when, as far as it is known."""
    when = _when(handoff.availability, voice)
    if again:
        return voice.join(voice.say("handover.joined"), *when, voice.say("handover.joined_can_ask"))
    if handoff.reopens is not None:
        return voice.join(voice.say("handover.reopened", times=handoff.returns), *when)
    if handoff.availability is not None and not handoff.availability.available:
        return voice.join(*when, voice.say("handover.waiting"))
    return voice.join(voice.say("handover.person"), *when)


def _when(availability: Availability | None, voice: Voice) -> tuple[str, ...]:
    if availability is None:
        return ()
    told: list[str] = []
    if availability.back_at is not None:
        back = availability.back_at
        told.append(
            voice.say("handover.closed_until", day=back.isoweekday(), time=f"{back:%H:%M}", zone=availability.zone)
        )
    elif not availability.available:
        told.append(voice.say("handover.away"))
    if availability.reply_time:
        told.append(voice.say("handover.reply_time", within=availability.reply_time))
    return tuple(told)


def _above(outcome: Answered, voice: Voice, spoken: str) -> str:
    """What must be known before an answer is read."""
    notes = [_note(note, voice) for note in outcome.notes]
    unsure = voice.say("answered.unsure") if outcome.completeness is Completeness.UNSURE else ""
    return voice.join(*notes, unsure, _quoted_in(outcome, voice, spoken))


def _note(note: Note, voice: Voice) -> str:
    """Nothing for a note that is not in this catalogue: a newer version may have written the record."""
    known = KEYS.get(note.key)
    return voice.say(note.key, **note.values) if known and note.values.keys() >= known.placeholders.keys() else ""


def _quoted_in(outcome: Answered, voice: Voice, spoken: str) -> str:
    """That the quotations are in another language, where the customer neither writes it nor is answered in it."""
    words = " ".join(claim.text for claim in outcome.claims if claim.kind is not ClaimKind.CODE)
    language = written_in(words)
    if not language or language in (voice.language, spoken):
        return ""
    named = language in LANGUAGES
    return voice.say("answered.quoted_language", language=language) if named else voice.say("answered.quoted_other")


def _answered(outcome: Answered, voice: Voice, spoken: str) -> Reply:
    numbers: dict[tuple[str, int, int], int] = {}
    numbered: list[ReplyCitation] = []
    blocks: list[ReplyBlock] = []
    for claim in outcome.claims:
        blocks.append(ReplyBlock(text=claim.text, kind=claim.kind, citations=_number(claim, numbers, numbered, voice)))
    links: dict[str, str] = {}
    for entry in numbered:
        citation = entry.citation
        if citation.url and citation.url.startswith(("https://", "http://")):
            address = at_page(citation.url, citation.page)
            told = f"{citation.title} ({entry.place})" if address != citation.url else citation.title
            links.setdefault(address, told)
    shown = dict(list(links.items())[: LINKS_ALLOWED[outcome.completeness]])
    return Reply(
        outcome="answered",
        completeness=outcome.completeness,
        notice=_above(outcome, voice, spoken),
        blocks=tuple(blocks),
        citations=tuple(_linked(entry, shown) for entry in numbered),
        links=tuple((title, url) for url, title in shown.items()),
        options=(),
        reason=None,
        handoff_id=None,
        person="none" if outcome.completeness is Completeness.FULL else "soft",
        confidence=outcome.confidence,
    )


def _linked(entry: ReplyCitation, shown: Mapping[str, str]) -> ReplyCitation:
    """An address that is no link of this reply is not in it at all: a surface could make a link of it."""
    address = at_page(entry.citation.url, entry.citation.page) if entry.citation.url else None
    return replace(entry, citation=replace(entry.citation, url=address if address in shown else None))


def _number(
    claim: Claim, numbers: dict[tuple[str, int, int], int], numbered: list[ReplyCitation], voice: Voice
) -> tuple[int, ...]:
    used: list[int] = []
    for citation in claim.citations:
        key = (citation.chunk_id, citation.start, citation.end)
        if key not in numbers:
            numbers[key] = len(numbers) + 1
            place = "" if citation.page is None else voice.say("answered.page", page=str(citation.page))
            numbered.append(ReplyCitation(number=numbers[key], citation=citation, place=place))
        used.append(numbers[key])
    return tuple(used)


def _deflected(outcome: Deflected, voice: Voice) -> Reply:
    if outcome.talk is not None:
        return _reply("deflected", _small_talk(outcome.talk, outcome.topics, voice))
    first = voice.say("deflected.nonsense" if outcome.category is Category.NONSENSE else "deflected.irrelevant")
    return _reply("deflected", voice.join(first, _helps(outcome.topics, voice), voice.say("deflected.what_next")))


def _small_talk(talk: Talk, topics: tuple[str, ...], voice: Voice) -> str:
    first = voice.say(f"talk.{talk}")
    match talk:
        case Talk.GREETING:
            return voice.join(first, _helps(topics, voice), voice.say("deflected.what_next"))
        case Talk.ABOUT_ME:
            return voice.join(first, _helps(topics, voice), voice.say("talk.person"))
        case Talk.FAREWELL:
            return first
        case _:
            more = voice.say("talk.more_topics", topics=topics) if topics else voice.say("talk.more")
            return voice.join(first, more)


def _helps(topics: tuple[str, ...], voice: Voice) -> str:
    return voice.say("deflected.topics", topics=topics) if topics else ""


def _reply(
    kind: str,
    notice: str,
    *,
    options: tuple[str, ...] = (),
    handoff: Handoff | None = None,
    person: str = "none",
) -> Reply:
    return Reply(
        outcome=kind,
        completeness=None,
        notice=notice,
        blocks=(),
        citations=(),
        links=(),
        options=options,
        reason=handoff.reason if handoff else None,
        handoff_id=handoff.handoff_id if handoff else None,
        person=person,
        confidence=None,
    )
