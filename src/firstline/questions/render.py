"""Turn an outcome into what a person sees. Every surface shows what this function returns, and nothing else."""

from __future__ import annotations

from firstline.domain import (
    Answered,
    Category,
    Claim,
    Clarify,
    Completeness,
    Deflected,
    Escalated,
    Handoff,
    HighStakes,
    Outcome,
    Reason,
    Reply,
    ReplyBlock,
    ReplyCitation,
    Silent,
    Talk,
)

LINKS_ALLOWED = {Completeness.FULL: 2, Completeness.PARTIAL: 1, Completeness.UNSURE: 0}

REASONS = {
    Reason.LOW_CONFIDENCE: "I looked, and what I found does not answer this well enough to show it to you.",
    Reason.NO_VERIFIED_CONTEXT: "I found nothing in the documentation that supports an answer.",
    Reason.PRIVATE_DATA: "This is about private data, which I do not have and may not give out.",
    Reason.UNSUPPORTED_CATEGORY: "This needs somebody who can look at your account or decide, which I cannot.",
    Reason.HIGH_STAKES: "This is too important for an automatic answer.",
    Reason.USER_ASKED: "You asked for a person.",
    Reason.PROVIDER_FAILURE: "Something on our side did not work in time, so I cannot answer reliably now.",
    Reason.BUDGET_EXCEEDED: "I have reached the limit of what I may look up for one question.",
    Reason.POLICY: "I am not allowed to answer this one.",
}
HANDED_OVER = "A person can take it from here and will have your question and what I tried."
UNSURE = "I am not sure that this answers your question. Can you tell me more, such as the exact message or version?"
NONSENSE = "I could not make out a question in that."
IRRELEVANT = "That is outside what I can help with."
SILENT = "A person is looking after this conversation. Your message was passed on."


def render(outcome: Outcome) -> Reply:
    match outcome:
        case Answered():
            return _answered(outcome)
        case Clarify():
            return _reply("clarify", outcome.question, options=outcome.options)
        case Escalated(handoff=handoff):
            return _reply("escalated", f"{REASONS[handoff.reason]} {HANDED_OVER}", handoff=handoff, person="connect")
        case HighStakes(acknowledgement=said, offer=offer, handoff=handoff):
            notice = " ".join(part for part in (said, offer or "", HANDED_OVER) if part)
            return _reply("high_stakes", notice, handoff=handoff, person="connect")
        case Deflected():
            return _deflected(outcome)
        case Silent(handoff=handoff):
            return _reply("silent", SILENT, handoff=handoff)


def _answered(outcome: Answered) -> Reply:
    numbers: dict[tuple[str, int, int], int] = {}
    numbered: list[ReplyCitation] = []
    blocks: list[ReplyBlock] = []
    for claim in outcome.claims:
        blocks.append(ReplyBlock(text=claim.text, kind=claim.kind, citations=_number(claim, numbers, numbered)))
    links: dict[str, str] = {}
    for entry in numbered:
        citation = entry.citation
        if citation.url and citation.url.startswith(("https://", "http://")):
            links.setdefault(citation.url, citation.title)
    allowed = LINKS_ALLOWED[outcome.completeness]
    return Reply(
        outcome="answered",
        completeness=outcome.completeness,
        notice=" ".join((*outcome.notes, *([UNSURE] if outcome.completeness is Completeness.UNSURE else ()))),
        blocks=tuple(blocks),
        citations=tuple(numbered),
        links=tuple((title, url) for url, title in links.items())[:allowed],
        options=(),
        reason=None,
        handoff_id=None,
        person="none" if outcome.completeness is Completeness.FULL else "soft",
        confidence=outcome.confidence,
    )


def _number(claim: Claim, numbers: dict[tuple[str, int, int], int], numbered: list[ReplyCitation]) -> tuple[int, ...]:
    used: list[int] = []
    for citation in claim.citations:
        key = (citation.chunk_id, citation.start, citation.end)
        if key not in numbers:
            numbers[key] = len(numbers) + 1
            numbered.append(ReplyCitation(number=numbers[key], citation=citation))
        used.append(numbers[key])
    return tuple(used)


def _deflected(outcome: Deflected) -> Reply:
    if outcome.talk is not None:
        return _reply("deflected", _small_talk(outcome.talk, outcome.topics))
    first = NONSENSE if outcome.category is Category.NONSENSE else IRRELEVANT
    topics = f" I can help with {_listed(outcome.topics)}." if outcome.topics else ""
    return _reply("deflected", f"{first}{topics} What would you like to know?")


def _small_talk(talk: Talk, topics: tuple[str, ...]) -> str:
    about = f" about {_listed(topics)}" if topics else ""
    helps = f" I can help with {_listed(topics)}." if topics else ""
    match talk:
        case Talk.THANKS:
            return f"You are welcome. Ask me anything else{about}."
        case Talk.SOLVED:
            return f"Good to hear. Ask me anything else{about}."
        case Talk.NOD:
            return f"All right. Ask me anything else{about}."
        case Talk.FAREWELL:
            return "Goodbye. Ask me again at any time."
        case Talk.GREETING:
            return f"Hello.{helps} What would you like to know?"
        case Talk.ABOUT_ME:
            return f"I am an automated assistant.{helps} You can ask for a person at any time."


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


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
