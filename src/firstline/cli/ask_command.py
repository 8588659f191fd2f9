"""`firstline ask QUESTION`"""

from __future__ import annotations

import uuid
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import named, say, say_json

if TYPE_CHECKING:
    from firstline.domain import Reply, Turn
    from firstline.ports import KnowledgeLedger
    from firstline.questions.missed import Missed
    from firstline.questions.wording.voice import Voice

EVIDENCE_SHOWN = 8
SESSION_ID_SHOWN = 64
QUERY_SHOWN = 120


@click.command("ask")
@click.argument("question")
@click.option("--session", "session_id", help="Go on with a conversation; its id is printed after each answer.")
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--level", default="internal", help="Ask as public, customer, internal (default) or restricted.")
@click.option("--acl", multiple=True, help="Ask with these tags (default: everyone).")
@click.option("--explain", is_flag=True, help="Print the journey: triage, query, candidates, gates, timings.")
@click.option("--page", metavar="DOC_ID", help="With --explain: why was this page not found?")
@click.option("--json", "as_json", is_flag=True, help="Print the reply as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    question: str,
    session_id: str | None,
    kb: str | None,
    level: str,
    acl: tuple[str, ...],
    explain: bool,
    page: str | None,
    as_json: bool,
) -> None:
    """Ask a question; get a proven answer, one question back, or a hand-over.

    Asks as somebody of your own house (--level internal); `--level customer` shows what a customer would be told.
    """
    from firstline.domain import EVERYONE, Principal, readable_message
    from firstline.questions.render import render_turn
    from firstline.wiring import wording_of

    if page is not None and not explain:
        raise click.UsageError("--page belongs to --explain.")
    settings = settings_from(ctx, kb=kb)
    asked_level = level_named(level)
    # The journey asks the same; asked here, a refusal costs no engine and leaves no data folder behind.
    readable_message(question, chars_max=settings.question_chars_max)
    principal = Principal(
        tenant=settings.tenant, user="cli", acl_tags=frozenset(acl) or frozenset({EVERYONE}), level=asked_level
    )
    wording = wording_of(settings)
    turn, titles, missed, others = run(_ask(settings, principal, question, session_id, page))
    reply = render_turn(turn, wording)
    if as_json:
        import dataclasses

        say_json(dataclasses.asdict(reply))
        return
    if turn.snapshot == 0:
        say(f"Knowledge base {settings.kb!r} is empty: nothing was ingested and published yet.", err=True)
        if others:
            say(f"Documents are in {named(others)}: ask with --kb NAME.", err=True)
    print_reply(reply, wording.voice(reply.language))
    if explain:
        print_explain(turn, titles)
    if missed is not None:
        print_missed(missed)
    say(f"\nsession {turn.session_id}", dim=True)


async def _ask(
    settings: Any, principal: Any, question: str, session_id: str | None, page: str | None
) -> tuple[Any, dict[str, str], Any, list[str]]:
    from firstline.domain import Session
    from firstline.errors import NotFound
    from firstline.ports import Scope
    from firstline.wiring import check_gates, open_firstline, open_ledgers

    async with AsyncExitStack() as stack:
        if session_id is not None:
            # The ledger alone knows: the model and the index are opened when there is something to ask.
            ledgers = await stack.enter_async_context(open_ledgers(settings))
            found = await ledgers.conversations.session(session_id, tenant=settings.tenant, user=principal.user)
            if found is None:
                raise NotFound(
                    f"There is no session {session_id[:SESSION_ID_SHOWN]!r}.",
                    remedy="Leave out --session to begin a new one.",
                )
            session = found
        else:
            session = Session(
                session_id=str(uuid.uuid4()),
                tenant=settings.tenant,
                kb=settings.kb,
                user=principal.user,
                created_at=datetime.now(UTC),
            )
        firstline = await stack.enter_async_context(open_firstline(settings))
        await check_gates(firstline, kb=session.kb)
        if session_id is None:
            await firstline.conversations.create_session(session)
        turn = await firstline.questions.ask(session=session, principal=principal, question=question)
        scope = Scope.of(principal, kb=session.kb, snapshot=turn.snapshot)
        chunks = await firstline.knowledge.chunks([chunk_id for chunk_id, _ in turn.evidence], scope)
        missed = await firstline.questions.why_not(turn, page, principal, kb=session.kb) if page is not None else None
        others = [] if turn.snapshot else await _with_documents(firstline.knowledge, settings.tenant)
        return turn, {c.chunk_id: " > ".join((c.title, *c.section_path[-1:])) for c in chunks}, missed, others


async def _with_documents(knowledge: KnowledgeLedger, tenant: str) -> list[str]:
    """Knowledge bases that answer questions."""
    names = await knowledge.knowledge_bases(tenant=tenant)
    return [name for name in names if (await knowledge.published(tenant=tenant, kb=name)).documents]


def print_reply(reply: Reply, voice: Voice) -> None:
    if reply.notice:
        say(reply.notice + "\n" * bool(reply.blocks))
    for option in reply.options:
        say(f"  - {option}")
    for block in reply.blocks:
        marks = "".join(f"[{number}]" for number in block.citations)
        separator = "\n" if block.kind == "code" else " "
        say(f"{block.text}{separator}", nl=False)
        say(marks, dim=True)
    if reply.citations:
        say()
        for title, numbers in _by_place(reply).items():
            say(f"[{numbers}] {title}", dim=True)
    for title, url in reply.links:
        say(f"{voice.page['read_more']}: {title} <{url}>")
    if reply.person == "soft":
        say(voice.say("person.soft"))
    if reply.handoff_id:
        say(f"hand-over {reply.handoff_id} ({reply.reason})", dim=True)


def _by_place(reply: Reply) -> dict[str, str]:
    grouped: dict[str, list[int]] = {}
    for entry in reply.citations:
        place = f", {entry.place}" if entry.place else ""
        grouped.setdefault(f"{entry.citation.title}{place} ({entry.citation.doc_id})", []).append(entry.number)
    return {
        title: f"{numbers[0]}-{numbers[-1]}"
        if len(numbers) == numbers[-1] - numbers[0] + 1 > 1
        else ", ".join(map(str, numbers))
        for title, numbers in grouped.items()
    }


def print_explain(turn: Turn, titles: dict[str, str]) -> None:
    from firstline.questions.route import routed

    say("\n--- journey ---")
    if turn.triage:
        t = turn.triage
        say(
            f"triage    {t.category} ({t.confidence:.2f}), intent {t.intent}, language {t.language}, mood {t.mood}: "
            f"{t.reason}; entities: {', '.join(t.entities) or 'none'}"
        )
    if turn.plan:
        for query in turn.plan.queries:
            say(f"query     {query.weight:.2f} {' / '.join(query.text.splitlines())[:300]}")
        why = routed(turn.plan.standalone).why
        say(f"route     {turn.plan.route} ({why}); carried: {', '.join(turn.plan.carried) or 'nothing'}")
        if turn.plan.communities:
            say(f"causes    usual causes are asked for: looked up in communities, build {turn.plan.communities}")
        narrowed = ", ".join(f"{name} {value}" for name, value in turn.plan.filters.items())
        say(f"filters   {narrowed or 'none'}")
        read_as = ", ".join(f"{written} as {read}" for written, read in turn.plan.corrections)
        say(f"spelling  {f'read {read_as}' if read_as else 'nothing corrected'}")
    gates = f"version {turn.gates_version}" if turn.gates_version else "as shipped"
    say(f"snapshot  {turn.snapshot}; settings {turn.settings_hash}; gates {gates}; models {', '.join(turn.model_ids)}")
    for rank, (chunk_id, scores) in enumerate(turn.evidence[:EVIDENCE_SHOWN], start=1):
        say(
            f"{rank:>3}  fused {scores.fused:.3f}  dense {scores.dense:.3f}  words {scores.words:6.2f}  "
            f"document {scores.document:.3f}  {titles.get(chunk_id, chunk_id)}"
        )
    for gate in turn.gates:
        mark = "passed" if gate.passed else "FAILED"
        say(f"gate      {gate.name} {gate.value:.3f} against {gate.threshold:.3f}: {mark}")
        say("          " + ", ".join(f"{name} {value:.2f}" for name, value in gate.features.items()))
    for stage, instead in turn.degraded.items():
        say(f"DEGRADED  {stage} {instead}")
    say("timing    " + ", ".join(f"{step} {spent:.1f} ms" for step, spent in turn.timings_ms.items()))


def print_missed(missed: Missed) -> None:
    """One page on its way through the turn: the verdict first, then what it rests on."""
    say(f"\n--- why not {missed.doc_id}? ---")
    say(missed.verdict)
    if not missed.queries:
        return
    say(f"title     {missed.title}")
    for query in missed.queries:
        say(
            f"query     {query.weight:.2f} {' / '.join(query.text.splitlines())[:QUERY_SHOWN]}: "
            f"best chunk by vector at {_place(query.dense_place)}, by words at {_place(query.words_place)}"
        )
    say(f"places    fused {_place(missed.fused_place)}, in the end {_place(missed.preferred_place)}")
    if missed.gate is not None:
        passed = "passed" if missed.gate.passed else "FAILED"
        say(f"gate      relevance {missed.gate.value:.3f} against {missed.gate.threshold:.3f}: {passed}")
    say(f"lacks     {', '.join(missed.lacks) or 'none of the words of the question'}")
    for chunk in missed.chunks:
        mark = "read" if chunk.read else "not read"
        say(f"chunk     dense {chunk.dense:.3f}  words {chunk.words:6.2f}  {mark:<8}  {chunk.heading}")
    if not missed.chunks:
        say("chunk     none of its chunks is near the question")


def _place(place: int | None) -> str:
    return f"place {place}" if place is not None else "no place"
