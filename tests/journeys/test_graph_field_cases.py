"""The cases that graphs of documents are known to get wrong, each as a short story."""

from __future__ import annotations

from world import World, asker, page

from firstline.domain import Answered, DocumentKind, Turn
from firstline.questions.render import render
from firstline.questions.traverse import WalkLimits

WALK = WalkLimits(budget_s=5)


async def opened(*pages: object) -> World:
    world = World()
    world.walked = True
    await world.ingest(*pages)  # pyright: ignore[reportArgumentType]
    return world


async def ask(world: World, question: str, session: str = "s") -> Turn:
    made = await world.session(session)
    return await world.questions(walk=WALK).ask(session=made, principal=asker(), question=question)


def ticket(item_id: str, text: str, title: str, **metadata: str):
    return page(item_id, text, title=title, kind=DocumentKind.TICKET, metadata=metadata)


def shown(turn: Turn) -> str:
    reply = render(turn.outcome)
    return "\n".join([reply.notice or "", *(str(block) for block in reply.blocks)])


OLD = ticket(
    "t/1",
    "## Problem\n\nThe night export stops with LK-1205 in version 2.0.\n\n"
    "## Cause\n\nIn version 2.0 LK-1205 means that the spool folder is full.\n\n"
    "## Resolution\n\nIn version 2.0 empty the spool folder and start the export again.\n",
    "LK-1205 in version 2.0",
    ticket="4711",
)
NEW = ticket(
    "t/2",
    "## Problem\n\nThe night export stops with LK-1205 in version 3.1.\n\n"
    "## Cause\n\nIn version 3.1 LK-1205 means that the licence has ended.\n\n"
    "## Resolution\n\nIn version 3.1 renew the licence under Settings.\n",
    "LK-1205 in version 3.1",
    ticket="4712",
)
REVERT = ticket(
    "t/3",
    "## Problem\n\nAfter the change of #4711 exports lose rows. This reverts #4711.\n\n"
    "## Resolution\n\nLK-1205 in version 2.0: do not empty the spool folder; move it to a larger disk.\n",
    "Emptying the spool folder loses rows",
    ticket="4800",
)


async def test_a_ticket_that_resolves_the_error_of_another_version_does_not_answer() -> None:
    world = await opened(OLD, NEW)
    turn = await ask(world, "What is the root cause of LK-1205 in version 3.1 and how is it fixed?")
    print(turn.outcome)
    said = shown(turn)
    print(said)
    assert isinstance(turn.outcome, Answered)
    assert "licence" in said and "spool" not in said


async def test_of_another_version_alone_it_is_said() -> None:
    world = await opened(OLD)
    turn = await ask(world, "What is the root cause of LK-1205 in version 3.1 and how is it fixed?")
    print(turn.outcome)
    print(shown(turn))


async def test_a_fix_that_was_reverted_later_is_not_told_as_if_it_held() -> None:
    world = await opened(OLD, REVERT)
    turn = await ask(world, "How do I fix LK-1205 in version 2.0?")
    print(turn.outcome)
    print(shown(turn))
