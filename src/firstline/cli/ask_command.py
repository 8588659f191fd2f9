"""`firstline ask QUESTION`"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import level_named, run, settings_from

if TYPE_CHECKING:
    from firstline.domain import Reply, Turn

EVIDENCE_SHOWN = 8


@click.command("ask")
@click.argument("question")
@click.option("--session", "session_id", help="Go on with a conversation; its id is printed after each answer.")
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--level", default="internal", help="Ask as public, customer, internal or restricted.")
@click.option("--acl", multiple=True, help="Ask with these tags (default: everyone).")
@click.option("--explain", is_flag=True, help="Print the journey: triage, query, candidates, gates, timings.")
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
    as_json: bool,
) -> None:
    """Ask a question; get a proven answer, one question back, or a hand-over."""
    from firstline.domain import EVERYONE, Principal

    settings = settings_from(ctx, kb=kb)
    asked_level = level_named(level)
    principal = Principal(
        tenant=settings.tenant, user="cli", acl_tags=frozenset(acl) or frozenset({EVERYONE}), level=asked_level
    )
    turn, titles = run(_ask(settings, principal, question, session_id))
    from firstline.questions.render import render

    reply = render(turn.outcome)
    if as_json:
        import dataclasses
        import json

        click.echo(json.dumps(dataclasses.asdict(reply), ensure_ascii=False, indent=2))
        return
    if turn.snapshot == 0:
        click.echo(f"Knowledge base {settings.kb!r} is empty: nothing was ingested and published yet.", err=True)
    print_reply(reply)
    if explain:
        print_explain(turn, titles)
    click.echo(click.style(f"\nsession {turn.session_id}", dim=True))


async def _ask(settings: Any, principal: Any, question: str, session_id: str | None) -> tuple[Any, dict[str, str]]:
    from firstline.domain import Session
    from firstline.errors import NotFound
    from firstline.ports import Scope
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        if session_id is None:
            session = Session(
                session_id=str(uuid.uuid4()),
                tenant=settings.tenant,
                kb=settings.kb,
                user=principal.user,
                created_at=datetime.now(UTC),
            )
            await firstline.conversations.create_session(session)
        else:
            found = await firstline.conversations.session(session_id, tenant=settings.tenant, user=principal.user)
            if found is None:
                raise NotFound(f"There is no session {session_id}.", remedy="Leave out --session to begin a new one.")
            session = found
        turn = await firstline.questions.ask(session=session, principal=principal, question=question)
        scope = Scope.of(principal, kb=session.kb, snapshot=turn.snapshot)
        chunks = await firstline.knowledge.chunks([chunk_id for chunk_id, _ in turn.evidence], scope)
        return turn, {c.chunk_id: " > ".join((c.title, *c.section_path[-1:])) for c in chunks}


def print_reply(reply: Reply) -> None:
    if reply.notice:
        click.echo(reply.notice + "\n" * bool(reply.blocks))
    for option in reply.options:
        click.echo(f"  - {option}")
    for block in reply.blocks:
        marks = "".join(f"[{number}]" for number in block.citations)
        separator = "\n" if block.kind == "code" else " "
        click.echo(f"{block.text}{separator}{click.style(marks, dim=True)}")
    if reply.citations:
        click.echo()
        for title, numbers in _by_document(reply).items():
            click.echo(click.style(f"[{numbers}] {title}", dim=True))
    for title, url in reply.links:
        click.echo(f"See: {title} <{url}>")
    if reply.person == "soft":
        click.echo("Not what you need? A person can help.")
    if reply.handoff_id:
        click.echo(click.style(f"hand-over {reply.handoff_id} ({reply.reason})", dim=True))


def _by_document(reply: Reply) -> dict[str, str]:
    grouped: dict[str, list[int]] = {}
    for entry in reply.citations:
        grouped.setdefault(f"{entry.citation.title} ({entry.citation.doc_id})", []).append(entry.number)
    return {
        title: f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
        for title, numbers in grouped.items()
    }


def print_explain(turn: Turn, titles: dict[str, str]) -> None:
    click.echo("\n--- journey ---")
    if turn.triage:
        t = turn.triage
        click.echo(
            f"triage    {t.category} ({t.confidence:.2f}), intent {t.intent}, language {t.language}, mood {t.mood}: "
            f"{t.reason}; entities: {', '.join(t.entities) or 'none'}"
        )
    if turn.plan:
        for query in turn.plan.queries:
            click.echo(f"query     {query.weight:.2f} {' / '.join(query.text.splitlines())[:300]}")
        click.echo(f"route     {turn.plan.route}; carried: {', '.join(turn.plan.carried) or 'nothing'}")
    click.echo(f"snapshot  {turn.snapshot}; settings {turn.settings_hash}; models {', '.join(turn.model_ids)}")
    for rank, (chunk_id, scores) in enumerate(turn.evidence[:EVIDENCE_SHOWN], start=1):
        click.echo(
            f"{rank:>3}  fused {scores.fused:.3f}  dense {scores.dense:.3f}  words {scores.words:6.2f}  "
            f"document {scores.document:.3f}  {titles.get(chunk_id, chunk_id)}"
        )
    for gate in turn.gates:
        mark = "passed" if gate.passed else "FAILED"
        click.echo(f"gate      {gate.name} {gate.value:.3f} against {gate.threshold:.3f}: {mark}")
        click.echo("          " + ", ".join(f"{name} {value:.2f}" for name, value in gate.features.items()))
    click.echo("timing    " + ", ".join(f"{step} {spent:.1f} ms" for step, spent in turn.timings_ms.items()))
