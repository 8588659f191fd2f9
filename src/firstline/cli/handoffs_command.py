"""`firstline handoffs`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import say
from firstline.cli.who_says import who_says

if TYPE_CHECKING:
    from firstline.domain import DraftTicket, Handoff, HandoffState
    from firstline.questions.desk import HandoffFile
    from firstline.questions.wording.voice import Wording

LISTED = 20
LISTED_MAX = 1_000
NOTHING_MISSING = "nothing that is needed to begin"
UNTOLD = frozenset({"other", "small_talk"})
"""Intents that say nothing on a card."""
QUESTION_SHOWN = 80
TITLE_SHOWN = 60

by_option = click.option("--as", "by", help="Who does it (default: your user name on this machine).")
limit_option = click.option(
    "--limit", default=LISTED, type=click.IntRange(1, LISTED_MAX), help="How many to list, newest first."
)


@click.group("handoffs", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List hand-overs, read one, and act on it; without a command: the newest ones."""
    if ctx.invoked_subcommand is None:
        run(_list(settings_from(ctx), None, LISTED))


@command.command("list")
@click.option("--state", help="Only these: open, acknowledged, in_progress, resolved or returned.")
@limit_option
@click.pass_context
def list_command(ctx: click.Context, state: str | None, limit: int) -> None:
    """List hand-overs, newest first: id, state, knowledge base, owner, reason and question."""
    run(_list(settings_from(ctx), None if state is None else _state(state), limit))


@command.command("show")
@click.argument("handoff_id")
@click.option("--transcript", is_flag=True, help="Print the whole conversation instead.")
@click.option("--acl", multiple=True, help="See pages with these tags (default: everyone).")
@click.pass_context
def show_command(ctx: click.Context, handoff_id: str, transcript: bool, acl: tuple[str, ...]) -> None:
    """Print one hand-over: what a person needs to take over. Pages that are gone or not for these tags are left out."""
    from firstline.wiring import wording_of

    settings = settings_from(ctx)
    file = run(_file(settings, handoff_id, acl))
    if transcript:
        print_transcript(file, wording_of(settings))
    else:
        print_handoff(file)


@command.command("take")
@click.argument("handoff_id")
@click.option("--force", is_flag=True, help="Take it over from the colleague who has it; that is recorded.")
@by_option
@click.pass_context
def take_command(ctx: click.Context, handoff_id: str, force: bool, by: str | None) -> None:
    """Become its owner. The bot is silent in this conversation until you resolve or return it."""
    _act(ctx, handoff_id, "take", by, force=force)


@command.command("reply")
@click.argument("handoff_id")
@click.argument("text")
@by_option
@click.pass_context
def reply_command(ctx: click.Context, handoff_id: str, text: str, by: str | None) -> None:
    """Answer the customer, who reads it in the conversation."""
    _act(ctx, handoff_id, "reply", by, text=text)


@command.command("note")
@click.argument("handoff_id")
@click.argument("text")
@by_option
@click.pass_context
def note_command(ctx: click.Context, handoff_id: str, text: str, by: str | None) -> None:
    """Leave a note for colleagues; the customer does not see it."""
    _act(ctx, handoff_id, "note", by, text=text)


@command.command("resolve")
@click.argument("handoff_id")
@click.argument("text")
@by_option
@click.pass_context
def resolve_command(ctx: click.Context, handoff_id: str, text: str, by: str | None) -> None:
    """Close it with what solved it, which becomes a draft ticket for the knowledge base."""
    _act(ctx, handoff_id, "resolve", by, text=text)
    say("A draft ticket was made of it: `firstline handoffs drafts`.")


@command.command("return")
@click.argument("handoff_id")
@click.argument("text", default="")
@by_option
@click.pass_context
def return_command(ctx: click.Context, handoff_id: str, text: str, by: str | None) -> None:
    """Hand the conversation back to the bot."""
    _act(ctx, handoff_id, "return", by, text=text)


@command.command("drafts")
@limit_option
@click.pass_context
def drafts_command(ctx: click.Context, limit: int) -> None:
    """Print the draft tickets that wait for a review."""
    drafts = run(_drafts(settings_from(ctx), limit))
    for draft in drafts:
        print_draft(draft)
    if not drafts:
        say("No drafts.")


@command.command("publish")
@click.argument("draft_id")
@click.option("--kb", help="Knowledge base (default: the one the conversation was about).")
@click.option("--level", default="internal", help="Who may see it: public, customer, internal (default) or restricted.")
@click.option("--acl", multiple=True, help="Who may see it: a tag, repeatable (default: everyone).")
@click.option("--yes", is_flag=True, help="It was reviewed: do not ask.")
@click.pass_context
def publish_command(
    ctx: click.Context, draft_id: str, kb: str | None, level: str, acl: tuple[str, ...], yes: bool
) -> None:
    """Review a draft ticket and publish it: then it can be found and cited."""
    settings = settings_from(ctx)
    wanted = level_named(level)
    if not yes:
        print_draft(run(_draft(settings, draft_id)))
        click.confirm(f"Publish this for level {level}?", abort=True)
    settled, report = run(_publish(settings, draft_id, kb, wanted, frozenset(acl)))
    say(f"{settled.doc_id} is published in snapshot {report.snapshot}.")


@command.command("discard")
@click.argument("draft_id")
@click.pass_context
def discard_command(ctx: click.Context, draft_id: str) -> None:
    """Drop a draft ticket."""
    run(_discard(settings_from(ctx), draft_id))
    say(f"{draft_id} is discarded.")


def _state(name: str) -> HandoffState:
    from firstline.domain import HandoffState
    from firstline.errors import InvalidInput

    if name not in list(HandoffState):
        raise InvalidInput(f"There is no hand-over state {name}.", remedy=f"Use one of: {', '.join(HandoffState)}.")
    return HandoffState(name)


def _act(ctx: click.Context, handoff_id: str, act: str, by: str | None, *, text: str = "", force: bool = False) -> None:
    changed = run(_acted(settings_from(ctx), handoff_id, act, who_says(by), text, force))
    owner = f", with {changed.owner}" if changed.owner else ""
    say(f"{changed.handoff_id} is {changed.state}{owner}.")


async def _acted(settings: Any, handoff_id: str, act: str, by: str, text: str, force: bool) -> Handoff:
    from firstline.domain import HandoffAct
    from firstline.wiring import desk_of, open_ledgers

    async with open_ledgers(settings) as ledgers:
        changed, _ = await desk_of(settings, ledgers).act(
            handoff_id, HandoffAct(act), tenant=settings.tenant, by=by, text=text, force=force
        )
    return changed


async def _list(settings: Any, state: HandoffState | None, limit: int) -> None:
    from firstline.domain import HandoffState
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        states = frozenset(HandoffState) if state is None else frozenset({state})
        shown = await ledgers.conversations.handoffs(tenant=settings.tenant, limit=limit, states=states)
        sessions = [await ledgers.handoffs.session_of(one.handoff_id, tenant=settings.tenant) for one in shown]
    for handoff, session in zip(shown, sessions, strict=True):
        owner, kb = handoff.owner or "-", session.kb if session else "-"
        question = " ".join(handoff.question.split())[:QUESTION_SHOWN]
        say(f"{handoff.handoff_id}  {handoff.state:<12} {kb:<12} {owner:<12} {handoff.reason:<20} {question}")
    if not shown:
        say("No hand-overs.")


async def _file(settings: Any, handoff_id: str, acl: tuple[str, ...]) -> HandoffFile:
    from firstline.domain import EVERYONE, Level, Principal
    from firstline.wiring import desk_of, open_ledgers

    principal = Principal(
        tenant=settings.tenant, user="team", acl_tags=frozenset(acl) or frozenset({EVERYONE}), level=Level.RESTRICTED
    )
    async with open_ledgers(settings) as ledgers:
        return await desk_of(settings, ledgers).file(handoff_id, principal)


async def _drafts(settings: Any, limit: int) -> list[DraftTicket]:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        return await ledgers.handoffs.drafts(tenant=settings.tenant, limit=limit)


async def _draft(settings: Any, draft_id: str) -> DraftTicket:
    from firstline.errors import NotFound
    from firstline.handoff_rules import DRAFTS_LISTED
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        found = await ledgers.handoffs.draft(draft_id, tenant=settings.tenant)
    if found is None:
        raise NotFound("There is no such draft.", remedy=DRAFTS_LISTED)
    return found


async def _discard(settings: Any, draft_id: str) -> None:
    from firstline.domain import DraftState
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        await ledgers.handoffs.settle_draft(draft_id, tenant=settings.tenant, state=DraftState.DISCARDED)


async def _publish(settings: Any, draft_id: str, kb: str | None, level: Any, acl: frozenset[str]) -> Any:
    from firstline.documents.publish_ticket import publish_ticket
    from firstline.domain import EVERYONE
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        return await publish_ticket(
            draft_id,
            tenant=settings.tenant,
            level=level,
            acl=acl or frozenset({EVERYONE}),
            kb=kb,
            documents=firstline.documents,
            handoffs=firstline.handoffs,
            knowledge=firstline.knowledge,
        )


def print_handoff(file: HandoffFile) -> None:
    """Compact: what a person must know first stands first."""
    handoff = file.handoff
    owner = f"{handoff.owner} has it" if handoff.owner else "nobody has it"
    _field("Hand-over", f"{handoff.state}, {owner}; {handoff.reason}")
    intent = f"intent {handoff.intent}, " if handoff.intent not in UNTOLD else ""
    _field("Customer", f"{handoff.mood}, writes {handoff.language}, {intent}message {handoff.turn}")
    if handoff.returns:
        again = f", after hand-over {handoff.reopens}, to the same person" if handoff.reopens else ""
        _field("Came back", f"{handoff.returns} times lately{again}")
    _field("Question", " ".join(handoff.question.split()))
    for line in handoff.summary.splitlines():
        label, _, said = line.partition(": ")
        _field(label, said)
    _field("Names", ", ".join(handoff.entities))
    _field("Missing", "; ".join(handoff.missing) or NOTHING_MISSING)
    for turn in file.turns:
        if turn.number > handoff.turn:
            _field("Since then", " ".join(turn.question.split()))
    _field("Next", handoff.next_step)
    for number, tried in enumerate(handoff.tried):
        score = f" ({tried.score:.2f})" if tried.score else ""
        _field("" if number else "Looked at", f"{tried.title[:TITLE_SHOWN]}{score}: {tried.why_not}", keep=True)
    _field("Gate", handoff.measured)
    _field("Resolution", handoff.resolution)
    _field("Transcript", f"firstline handoffs show {handoff.handoff_id} --transcript")


def _field(label: str, text: str, *, keep: bool = False) -> None:
    if text or keep:
        say(f"{label:<22}{text}")


def print_transcript(file: HandoffFile, wording: Wording) -> None:
    from firstline.questions.transcript import transcript

    for line in transcript(file.turns, file.entries, wording):
        who = f"{line.who} {line.by}".strip()
        say(f"{line.at:%Y-%m-%d %H:%M} {who}", bold=True)
        for row in line.text.splitlines():
            say(f"  {row}")


def print_draft(draft: DraftTicket) -> None:
    say(f"{draft.draft_id}  {draft.kb}: {draft.title}", bold=True)
    for heading, text in (("Symptom", draft.symptom), ("Resolution", draft.resolution)):
        say(f"  {heading}")
        for row in text.splitlines():
            say(f"    {row}")
