"""`firstline replay TURN`"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import say, say_json

if TYPE_CHECKING:
    from firstline.domain import Principal
    from firstline.questions.replay import Replay

EXIT_SAME = 0
EXIT_DIFFERS = 1
LEVEL_REMEDY = "Its asker had tags that no key has any longer: give them and the level (--level, --acl)."


@click.command("replay")
@click.argument("turn")
@click.option("--level", help="Its asker's level; found out by itself when not given.")
@click.option("--acl", multiple=True, help="Its asker's tags; found out by themselves when not given.")
@click.option("--json", "as_json", is_flag=True, help="Print what differs as JSON.")
@click.pass_context
def command(ctx: click.Context, turn: str, level: str | None, acl: tuple[str, ...], as_json: bool) -> None:
    """Take a recorded turn once more and show what differs from its record.

    TURN is SESSION.NUMBER, as `firstline review --list` prints it. The turn is taken on the snapshot, the conversation
    and the gates that it had; nothing is recorded, and nobody is told. Exit code 0 when evidence, gates and outcome
    are the same, 1 when one of them differs.
    """
    from firstline.questions.review_desk import turn_named

    session_id, number = turn_named(turn)
    settings = settings_from(ctx)
    asked_level = None if level is None else level_named(level)
    found = run(_replay(settings, session_id, number, asked_level, acl))
    if as_json:
        say_json(as_values(found))
    else:
        print_replay(found)
    ctx.exit(EXIT_SAME if found.same else EXIT_DIFFERS)


async def _replay(settings: Any, session_id: str, number: int, level: Any, acl: tuple[str, ...]) -> Replay:
    from firstline.errors import InvalidInput, NotFound
    from firstline.questions.replay import asker_of, replay
    from firstline.questions.replay_reasons import reasons
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        known = await firstline.feedback.turn(session_id, number, tenant=settings.tenant)
        if known is None:
            raise NotFound("There is no such turn.", remedy="`firstline review --list` names turns.")
        keys = await firstline.keys.keys(tenant=settings.tenant)
        given = [] if level is None and not acl else [_named(known.session, level, acl)]
        asker = asker_of(known.turn, known.session, given or [key.principal for key in keys])
        if asker is None:
            raise InvalidInput("Nobody is known who may see what this turn's asker could.", remedy=LEVEL_REMEDY)
        found = await replay(
            known.turn,
            known.session,
            asker,
            journey=firstline.questions,
            conversations=firstline.conversations,
        )
        why = await reasons(
            known.turn, known.session, asker, knowledge=firstline.knowledge, snapshots=firstline.snapshots
        )
        return replace(found, reasons=why)


def _named(session: Any, level: Any, acl: tuple[str, ...]) -> Principal:
    from firstline.domain import EVERYONE, Level, Principal

    tags = frozenset(acl) or frozenset({EVERYONE})
    return Principal(
        tenant=session.tenant, user=session.user, acl_tags=tags, level=Level.INTERNAL if level is None else level
    )


def print_replay(found: Replay) -> None:
    """The verdict first, then each difference with both sides."""
    from firstline.questions.replay import DECIDES

    then = found.recorded
    say(f"turn      {then.turn_id}, asked {then.asked_at:%Y-%m-%d %H:%M} UTC on snapshot {then.snapshot}")
    say("SAME      evidence, gates and outcome" if found.same else "DIFFERS")
    for why in found.reasons:
        say(f"because   {why}" if not found.same else f"although  {why}")
    for one in found.differences:
        harmless = "" if one.what in DECIDES else " (decides nothing by itself)"
        say(f"{one.what}{harmless}")
        say(f"  then    {one.then}")
        say(f"  now     {one.now}")


def as_values(found: Replay) -> dict[str, Any]:
    """For programs: the same as is printed."""
    then = found.recorded
    return {
        "turn": then.turn_id,
        "snapshot": then.snapshot,
        "same": found.same,
        "reasons": list(found.reasons),
        "differences": [{"what": one.what, "then": one.then, "now": one.now} for one in found.differences],
    }
