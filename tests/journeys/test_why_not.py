"""Why was a page not found? What is told of the stage that dropped it, and what is not told any more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.journeys.world import KB, World, asker, page

from firstline.domain import EVERYONE, Answered, Principal, SourceItem, Turn
from firstline.errors import Unavailable
from firstline.questions.missed import NOT_SHOWN, Missed

TEXT = "# Handbook\n\nRotate the log files with the command larkctl rotate. {number} old log files stay on the disk."


def handbook(number: str, text: str) -> SourceItem:
    return page(f"handbook-{number}", text, title=f"Handbook {number}", metadata={"version": number})


async def world_of(*items: SourceItem, world: World | None = None) -> World:
    world = world or World()
    await world.ingest(*items)
    return world


async def why(world: World, turn: Turn, doc_id: str, principal: Principal | None = None, **changes: object) -> Missed:
    return await world.questions(**changes).why_not(turn, doc_id, principal or asker(), kb=KB)


FILLER = [
    page(f"logs-{n}", f"# Logs {n}\n\nRotate the log files number {n}: host h{n} and rack r{n} keep the old files.")
    for n in range(9)
]
PARTS = (
    handbook("4.0", TEXT.format(number="Three")),
    handbook("5.0", "# Handbook\n\nWindows of the log console are painted blue."),
)
QUESTION = "How do I rotate the log files with larkctl?"


async def test_a_newer_part_from_behind_the_places_kept_drops_no_answer() -> None:
    world = await world_of(*PARTS, *FILLER)
    ranked = await world.questions().rank(principal=asker(), kb=KB, question=QUESTION, limit=5)
    assert ranked[0].doc_id == "handbook-4.0"
    assert "handbook-5.0" not in [one.doc_id for one in ranked]


async def test_why_not_names_the_version_that_took_the_place() -> None:
    world = await world_of(*PARTS, *FILLER)
    turn = await ask(world, "How do I rotate the log files with larkctl on version 5.0?", documents_ranked=1)
    found = await why(world, turn, "handbook-4.0", documents_ranked=1)
    assert (found.lost_at, found.fused_place, found.preferred_place) == ("prefer", 1, None)
    assert "another version" in found.verdict


class Against:
    """A reranker that judges passages with the word worst."""

    model_id = "against"

    def __init__(self, word: str) -> None:
        self.word = word

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        return [float(self.word not in text) for text in texts]


async def test_why_not_names_the_reranker() -> None:
    world = await world_of(PARTS[0], *FILLER, world=World(reranker=Against("larkctl")))
    turn = await ask(world, QUESTION, documents_ranked=5, rerank_weight=1.0)
    found = await why(world, turn, "handbook-4.0", documents_ranked=5, rerank_weight=1.0)
    assert (found.lost_at, found.fused_place) == ("rerank", 1)
    assert "reranker" in found.verdict


async def test_why_not_says_what_was_different_when_the_turn_ran() -> None:
    world = await world_of(PARTS[0], *FILLER)
    turn = await ask(world, QUESTION)
    assert "This turn" not in (await why(world, turn, "handbook-4.0")).verdict
    late = replace(turn, degraded={"embed": "late: words alone were searched"})
    assert "This turn ran without embed (late: words alone" in (await why(world, late, "handbook-4.0")).verdict
    weak = replace(turn, gates=(replace(turn.gates[0], value=0.21, threshold=0.3), *turn.gates[1:]))
    verdict = (await why(world, weak, "handbook-4.0")).verdict
    assert "Today the relevance gate reads" in verdict and "it read 0.21 against 0.30 (failed)" in verdict


async def test_why_not_holds_a_place_and_the_deadline_of_a_turn() -> None:
    world = await world_of(PARTS[0], *FILLER)
    turn = await ask(world, QUESTION)
    journey = world.questions(turns_at_once=1, turn_deadline_s=0.05)
    async with journey._admission.place(wait_s_max=1):  # pyright: ignore[reportPrivateUsage]  (a turn under way)
        with pytest.raises(Unavailable):
            await journey.why_not(turn, "handbook-4.0", asker(), kb=KB)

    async def never(*_: object, **__: object) -> list[Turn]:
        await asyncio.sleep(30)
        return []

    world.conversations.turns = never  # pyright: ignore[reportAttributeAccessIssue]  (a hanging engine)
    with pytest.raises(Unavailable):
        await journey.why_not(turn, "handbook-4.0", asker(), kb=KB)


# --- what was deleted or closed -------------------------------------------------------------------------------------

LOGS = page(
    "logs", "# Rotate logs\n\nRotate the logs with the secretcommand. Seven old log files are kept on the disk."
)
KEYS = page("keys", "# Rotate keys\n\nRotate the keys in the vault. The old keys expire after the rotation.")
FOLLOW_UP = "and how many of them are kept?"


async def ask(world: World, question: str, session_id: str = "s", **changes: object) -> Turn:
    session = await world.conversations.session(session_id, tenant="acme", user="u") or await world.session(session_id)
    return await world.questions(**changes).ask(session=session, principal=asker(), question=question)


def searched(turn: Turn) -> str:
    assert turn.plan is not None
    return "\n".join(query.text for query in turn.plan.queries)


async def conversation(world: World) -> Turn:
    first = await ask(world, "How do I rotate the logs?")
    assert isinstance(first.outcome, Answered)
    second = await ask(world, FOLLOW_UP)
    assert "secretcommand" in searched(second)
    return second


async def test_why_not_shows_no_text_of_a_page_that_was_deleted_since() -> None:
    world = await world_of(LOGS, KEYS)
    second = await conversation(world)
    assert "secretcommand" in (await why(world, second, "keys")).queries[-1].text
    await world.ingest(KEYS, prune=["logs"])
    found = await why(world, second, "keys")
    assert "secretcommand" not in repr(found)
    assert found.queries[0].text == FOLLOW_UP
    assert found.queries[1].text == f"{FOLLOW_UP}\nHow do I rotate the logs?\n{NOT_SHOWN}"


async def test_why_not_shows_no_text_of_a_page_that_was_closed_since_or_to_other_rights() -> None:
    world = await world_of(LOGS, KEYS)
    second = await conversation(world)
    other = asker(acl=frozenset({EVERYONE, "staff"}))
    assert "secretcommand" not in repr(await why(world, second, "keys", other))
    await world.ingest(replace(LOGS, acl=frozenset({"staff"}), content_hash="closed"), KEYS)
    assert "secretcommand" not in repr(await why(world, second, "keys"))


async def test_why_not_trusts_no_conversation_that_it_cannot_read_whole() -> None:
    world = await world_of(LOGS, KEYS)
    second = await conversation(world)
    world.conversations = type(world.conversations)()
    assert "secretcommand" not in repr(await why(world, second, "keys"))


async def test_a_new_question_leans_on_no_reply_made_of_a_page_that_was_deleted_since() -> None:
    world = await world_of(LOGS, KEYS)
    await conversation(world)
    await world.ingest(KEYS, prune=["logs"])
    third = await ask(world, "and where are they kept?")
    assert "secretcommand" not in repr(third)
    assert "rotate the logs" in searched(third), "the asker's own words are still leant on"


async def test_looking_up_what_earlier_replies_cite_is_one_question() -> None:
    world = await world_of(LOGS, KEYS)
    await conversation(world)
    asked: list[Sequence[str]] = []
    documents = world.knowledge.documents

    async def counted(doc_ids: Sequence[str], scope: object):
        asked.append(doc_ids)
        return await documents(doc_ids, scope)  # pyright: ignore[reportArgumentType]  (passed on)

    world.knowledge.documents = counted  # pyright: ignore[reportAttributeAccessIssue]  (counts)
    third = await ask(world, "and where are they kept?")
    assert third.plan is not None
    # A third for the hand-over, where the answer would be the one that was shown already.
    assert len(asked) == (2 if isinstance(third.outcome, Answered) else 3), "one for the replies, one for the versions"
