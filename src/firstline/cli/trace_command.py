"""`firstline trace TURN`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say, say_json

if TYPE_CHECKING:
    from firstline.ports import Changed


@click.command("trace")
@click.argument("turn")
@click.option("--json", "as_json", is_flag=True, help="Print the tree as JSON.")
@click.pass_context
def command(ctx: click.Context, turn: str, as_json: bool) -> None:
    """Show what a recorded turn did when, as a tree: steps, gates, and each call of a language model.

    TURN is SESSION.NUMBER, as `firstline review --list` and the server's log name it. Times are in milliseconds since
    the message came. No text of a document, a customer or a model is printed.
    """
    from firstline.cli.trace_tree import as_values, lines
    from firstline.domain import trace_id_of, turn_tree
    from firstline.questions.review_desk import turn_named

    session_id, number = turn_named(turn)
    known = run(_known(settings_from(ctx), session_id, number))
    tree = turn_tree(known.turn, known.session)
    trace_id = trace_id_of(known.turn.turn_id)
    if as_json:
        say_json({"turn": known.turn.turn_id, "trace_id": trace_id, "tree": as_values(tree)})
        return
    say(f"turn {known.turn.turn_id}, recorded {known.turn.asked_at:%Y-%m-%d %H:%M:%S} UTC, trace {trace_id}")
    for line in lines(tree):
        say(line)


async def _known(settings: Any, session_id: str, number: int) -> Changed:
    from firstline.errors import NotFound
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        known = await ledgers.feedback.turn(session_id, number, tenant=settings.tenant)
    if known is None:
        raise NotFound("There is no such turn.", remedy="`firstline review --list` names turns.")
    return known
