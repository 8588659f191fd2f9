"""What a turn did when: in its record, as a tree, in the log, and for whoever wants to hear of it."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.contracts.ledger_samples import turn as a_turn
from tests.journeys.test_model_answers import PAGE, QUESTION, STALLS, ask, claim, cut_up, draft, world_with
from tests.journeys.world import World, asker, page

from firstline.cli.logs import JsonLines, OfTurn
from firstline.cli.trace_tree import as_values, lines
from firstline.domain import Attempt, ModelCall, Session, Span, Turn, trace_id_of, turn_tree
from firstline.engines.postgres.codec import decode, encode
from firstline.errors import InvalidInput
from firstline.model_settings import ModelEntry
from firstline.model_wiring import _server
from firstline.questions.replay import replay
from firstline.turn_context import continue_trace, parent_span, turn_under_way

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
from scripted_models import Wait, always, gateway, whole

WRITTEN = draft(claim(STALLS, 1))
REFUSED = InvalidInput("The model takes no such key.", remedy="set it")


def named(tree: Span) -> dict[str, Span]:
    """By name; of two with one name the last."""
    found = {tree.name: tree}
    for one in tree.inside:
        found |= named(one)
    return found


async def told(world: World, turn: Turn, *, content: bool = False) -> Span:
    session = await world.conversations.session("s", tenant="acme", user="u")
    assert session is not None
    return turn_tree(turn, session, content=content)


def test_a_turn_tells_its_steps_its_gates_and_each_call_of_a_model() -> None:
    async def work() -> tuple[Turn, Span]:
        world = await world_with(always("first", REFUSED), always("second", *cut_up(WRITTEN), whole("second")))
        turn = await ask(world)
        return turn, await told(world, turn)

    turn, tree = asyncio.run(work())
    names = [step.name for step in turn.steps]
    assert names[:3] == ["faq", "embed", "triage"]
    assert names[-4:] == ["compose", "verify", "critique", "write"]
    assert set(names) == set(turn.timings_ms) - {"wait", "total"}
    begins = [step.began_ms for step in turn.steps]
    assert begins == sorted(begins)
    assert all(0 <= step.began_ms <= turn.timings_ms["total"] for step in turn.steps)
    assert decode(Turn, json.loads(json.dumps(encode(turn)))) == turn

    (call,) = turn.calls
    assert (call.step, call.role, call.ended, call.model_id) == ("write", "large", "whole", "second")
    assert call.prompt == turn.draft.prompt if turn.draft else False
    assert [(one.model_id, one.ended) for one in call.attempts] == [("first", "invalid_input"), ("second", "whole")]
    assert (call.attempts[1].tokens_in, call.attempts[1].tokens_out) == (10, 5)

    spans = named(tree)
    assert [one.name for one in spans["gate"].inside] == ["gate relevance"]
    assert [one.name for one in spans["critique"].inside] == ["gate unsure", "gate confidence"]
    assert [one.name for one in spans["write"].inside] == ["ask large"]
    assert [one.name for one in spans["ask large"].inside] == ["chat first", "chat second"]
    assert (spans["chat first"].error, spans["chat second"].error, spans["write"].error) == ("invalid_input", "", "")
    assert spans["chat second"].attributes["gen_ai.usage.input_tokens"] == 10
    assert tree.attributes["firstline.outcome"] == "Answered"
    shown = list(lines(tree))
    assert any("chat second" in line and "tokens 10 in, 5 out" in line for line in shown)
    assert len(shown) == len(list(walk(tree)))


def walk(tree: Span) -> list[Span]:
    return [tree, *(one for inside in tree.inside for one in walk(inside))]


def test_no_text_of_anybody_is_in_the_tree_and_what_was_recorded_when_it_is_asked_for() -> None:
    async def work() -> tuple[str, Span]:
        world = await world_with(always("large", *cut_up(WRITTEN), whole("large")))
        turn = await ask(world)
        return json.dumps(as_values(await told(world, turn))), await told(world, turn, content=True)

    plain, full = asyncio.run(work())
    assert "spooler" not in plain
    assert "printer" not in plain.casefold()
    spans = named(full)
    assert spans["turn"].attributes["input.value"] == QUESTION
    assert STALLS in str(spans["turn"].attributes["output.value"])
    messages = json.loads(str(spans["chat large"].attributes["gen_ai.output.messages"]))
    assert messages == [{"role": "assistant", "parts": [{"type": "text", "content": STALLS}]}]


def test_content_is_redacted() -> None:
    async def work() -> Span:
        world = await world_with(always("large", *cut_up(WRITTEN), whole("large")))
        turn = await ask(world, "Why does the printer queue stall for jane.roe@example.com?")
        return await told(world, turn, content=True)

    everything = json.dumps(as_values(asyncio.run(work())))
    assert "[EMAIL_1]" in everything
    assert "jane.roe" not in everything


def test_a_model_that_fails_is_told_with_its_step_and_why() -> None:
    async def work() -> tuple[Turn, Span]:
        world = await world_with(always("large", REFUSED))
        turn = await ask(world)
        return turn, await told(world, turn)

    turn, tree = asyncio.run(work())
    spans = named(tree)
    assert turn.calls[0].ended == "invalid_input"
    assert turn.calls[0].why == "The model takes no such key."
    assert spans["write"].error == "broken"
    assert spans["write"].attributes["firstline.degraded"] == "broken: the extracts were shown"
    assert spans["chat large"].attributes["error.type"] == "invalid_input"


def test_a_model_that_is_late_is_told_although_nobody_waited_for_its_end() -> None:
    async def work() -> Turn:
        world = await world_with(always("large", Wait(20), WRITTEN, whole("large")))
        return await ask(world, turn_deadline_s=1.0)

    (call,) = asyncio.run(work()).calls
    assert call.ended == "late"
    assert [one.ended for one in call.attempts] == ["given_up"]


def test_two_who_ask_the_same_share_a_call_and_each_record_says_so() -> None:
    async def work() -> list[Turn]:
        model = always("large", Wait(0.2), *cut_up(WRITTEN), whole("large"))
        world = await world_with(model)
        turns = await asyncio.gather(ask(world, session="s"), ask(world, session="t"))
        assert len(model.calls) == 1
        return list(turns)

    calls = [turn.calls[0] for turn in asyncio.run(work())]
    assert sorted(len(call.attempts) for call in calls) == [0, 1]
    assert all(call.ended == "whole" for call in calls)
    trees = [turn_tree(turn, a_session()) for turn in asyncio.run(work())]
    assert sorted(bool(named(tree)["ask large"].attributes.get("firstline.joined")) for tree in trees) == [False, True]


def test_a_kept_answer_of_a_model_is_told_as_one() -> None:
    async def work() -> tuple[Turn, Turn]:
        world = World()
        await world.ingest(page("queue", PAGE, title="Printer queue"))
        from firstline.questions.writing.composer import ByModel

        models, _ = gateway(always("large", *cut_up(WRITTEN), whole("large")), bytes_max=1_000_000)
        world.composer = ByModel(models, redact=lambda text: text, chars_max=1_500)
        return await ask(world, session="s"), await ask(world, session="t")

    first, second = asyncio.run(work())
    assert (first.calls[0].kept, second.calls[0].kept) == (False, True)
    assert second.calls[0].attempts == ()


def a_session() -> Session:
    from tests.contracts.ledger_samples import NOON

    return Session(session_id="s", tenant="acme", kb="docs", user="u", created_at=NOON)


def test_a_record_of_an_older_version_has_a_tree_of_times_alone() -> None:
    async def work() -> Turn:
        world = await world_with(always("large", *cut_up(WRITTEN), whole("large")))
        return await ask(world)

    turn = asyncio.run(work())
    names = list(dict.fromkeys(step.name for step in turn.steps))
    kept = json.loads(json.dumps(encode(turn)))
    del kept["steps"], kept["calls"]
    old = decode(Turn, kept)
    tree = turn_tree(old, a_session())
    assert [one.name for one in tree.inside if one.ms is not None] == ["wait", *names]
    assert all(one.began_ms is None for one in tree.inside[1:])
    assert "gate confidence" in named(tree)


@pytest.mark.parametrize(
    ("server", "found"),
    [
        ("", {}),
        ("llm.internal", {"server.address": "llm.internal"}),
        ("127.0.0.1:8000", {"server.address": "127.0.0.1", "server.port": 8000}),
        ("[::1]:8000", {"server.address": "::1", "server.port": 8000}),
        ("llm.internal:99999", {"server.address": "llm.internal:99999"}),
    ],
    ids=["the provider's", "host", "host and port", "IPv6", "no such port"],
)
def test_the_address_of_a_models_server_is_named_where_it_is_known(server: str, found: dict[str, object]) -> None:
    attempt = Attempt(model_id="openai:a", ended="whole", ms=9.0, max_tokens=50, server=server)
    call = ModelCall(step="write", role="large", prompt="p", ended="whole", began_ms=0.0, ms=9.0, attempts=(attempt,))
    own = named(turn_tree(replace(a_turn("s", 1), calls=(call,)), a_session()))["chat a"].attributes
    assert {name: value for name, value in own.items() if name.startswith("server.")} == found
    assert own["gen_ai.request.max_tokens"] == 50


def test_no_password_of_an_address_is_recorded() -> None:
    entry = ModelEntry(model="openai:a", base_url="http://:hidden@llm.internal:8000/v1")
    assert _server(entry) == "llm.internal:8000"


def test_a_turn_is_told_once_it_is_recorded_and_a_replay_is_not() -> None:
    async def work() -> None:
        world = await world_with(always("large", *cut_up(WRITTEN), whole("large")))
        heard: list[tuple[str, tuple[str, str] | None]] = []

        def hears(turn: Turn, session: Session) -> None:
            assert session.session_id == turn.session_id
            heard.append((turn.turn_id, parent_span()))

        session = await world.session()
        journey = world.questions(on_recorded=hears)
        continue_trace(f"00-{'a' * 32}-{'b' * 16}-01")
        turn = await journey.ask(session=session, principal=asker(), question=QUESTION)
        assert heard == [("s.1", ("a" * 32, "b" * 16))]
        again = await replay(turn, session, asker(), journey=journey, conversations=world.conversations)
        assert again.same
        assert len(heard) == 1
        assert turn_under_way() == ""

    asyncio.run(work())


@pytest.mark.parametrize(
    "header", ["", "00", f"00-{'0' * 32}-{'b' * 16}-01", f"00-{'A' * 32}-{'b' * 16}-01", f"00-{'a' * 32}-{'0' * 16}-01"]
)
def test_what_names_no_trace_is_none(header: str) -> None:
    async def work() -> None:
        continue_trace(header)
        assert parent_span() is None

    asyncio.run(work())


def test_what_is_logged_in_a_turn_names_it(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> Turn:
        world = await world_with(always("large", *cut_up(WRITTEN), whole("large")))
        world.redactor = None  # type: ignore[attr-defined]  # unused here
        search = world.index

        async def broken(*_: object, **__: object) -> object:
            raise RuntimeError("no index today")

        search.search = broken  # type: ignore[method-assign]  # what breaks
        return await ask(world)

    caplog.handler.addFilter(OfTurn())
    with caplog.at_level(logging.WARNING):
        turn = asyncio.run(work())
    records = [record for record in caplog.records if record.name.startswith("firstline.questions")]
    assert records
    for record in records:
        assert getattr(record, "turn", "") == turn.turn_id
        told = json.loads(JsonLines().format(record))
        assert (told["turn"], told["trace_id"]) == (turn.turn_id, trace_id_of(turn.turn_id))
        assert QUESTION not in json.dumps(told)


def test_a_trail_keeps_a_bounded_number_of_steps() -> None:
    from firstline.questions.trail import STEPS_MAX, Trail

    trail = Trail()
    for _ in range(STEPS_MAX + 5):
        with trail.step("embed"):
            pass
    assert len(trail.steps) == STEPS_MAX
    assert replace(trail.steps[0], ms=0.0, began_ms=0.0).name == "embed"
