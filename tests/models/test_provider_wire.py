"""What comes over the wire through the real client: every misbehaviour of an endpoint has its name, and its time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from tests.models.openai_server import Server, serving
from tests.models.scripted_models import asked, pieces

from firstline.caches.store import Kept
from firstline.domain import Finish, Part, Piece
from firstline.errors import (
    Broken,
    FirstlineError,
    InvalidInput,
    NotFound,
    TooLong,
    TooManyRequests,
    Unavailable,
)
from firstline.model_settings import ModelsSettings
from firstline.model_wiring import OpenModels, open_models
from firstline.ports import LanguageModel

CLAIMS = {
    "type": "object",
    "properties": {"claims": {"type": "array", "items": {"type": "string"}}},
    "required": ["claims"],
    "additionalProperties": False,
}
KEY = "sk-secret-7"


@asynccontextmanager
async def wired(
    *names: str, bytes_max: int = 0, **role: Any
) -> AsyncGenerator[tuple[LanguageModel, Server, OpenModels]]:
    async with serving() as server:
        chain = [{"model": f"openai:{name}", "base_url": server.url, "key_env": "TEST_KEY"} for name in names]
        settings = ModelsSettings.model_validate({"large": {"chain": chain, "attempts": 1, **role}})
        opened = open_models(settings, Kept("model", bytes_max=bytes_max), environ={"TEST_KEY": KEY})
        assert opened is not None
        try:
            yield opened.language, server, opened
        finally:
            await opened.close()


async def test_an_answer_comes_in_pieces_with_what_it_cost() -> None:
    async with wired("slow") as (model, server, opened):
        stream = model.stream(
            asked(system=("You answer.",), parts=(Part(text="Why?"), Part(text="A page.", label="1")))
        )
        at: list[float] = []
        seen: list[Piece] = []
        async for piece in stream:
            at.append(time.monotonic())
            seen.append(piece)
        end = seen[-1].completion
        assert [piece.text for piece in seen[:-1]] == ["Restart ", "the ", "node."]
        assert at[1] - at[0] > 0.05, "a piece is handed on when it comes"
        assert end is not None and (end.finish, end.text) == (Finish.WHOLE, "Restart the node.")
        assert (end.tokens_in, end.tokens_out, end.counted) == (21, 3, True) and end.model_id == "openai:slow"
        body = server.bodies[0]
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        said = body["messages"][1]["content"]
        assert said.startswith("Why?\n\n<data-") and 'label="1">\nA page.\n</data-' in said
        assert body["stream"] is True and body["temperature"] == 0 and 50 in body.values()
        assert f"Bearer {KEY}".lower() in server.headers[0].lower()
        model_seen = opened.seen().models[0]
        assert (model_seen.calls, model_seen.tokens_in, sum(model_seen.first_tokens)) == (1, 21, 1)


FAILURES: dict[str, type[FirstlineError]] = {
    "500": Unavailable,
    "503": Unavailable,
    "hangs": Unavailable,
    "head-and-hangs": Unavailable,
    "resets-at-once": Unavailable,
    "garbage": Unavailable,
    "page": Unavailable,
    "not-http": Unavailable,
    "429": TooManyRequests,
    "429-bare": TooManyRequests,
    "429-spent": Broken,
    "401": InvalidInput,
    "404": NotFound,
    "400": InvalidInput,
    "400-long": TooLong,
    "400-long-in-words": TooLong,
}


@pytest.mark.parametrize("name", FAILURES)
async def test_a_failure_before_the_first_piece_is_an_error_of_ours(name: str) -> None:
    async with wired(name, call_s=1.0) as (model, server, _):
        for way in (model.complete, lambda request: pieces(model.stream(request))):
            began = time.monotonic()
            with pytest.raises(FirstlineError) as told:
                await way(asked(within_s=5))
            assert type(told.value).__mro__.index(FAILURES[name]) <= 1
            assert time.monotonic() - began < 3
            assert KEY not in str(told.value) and told.value.remedy
        if name.startswith("429") and isinstance(told.value, TooManyRequests):
            assert 0 < told.value.retry_after_s <= 7
            assert len(server.bodies) == 1, "the second one was within the pause that was asked for"
        else:
            assert len(server.bodies) == 2, "the library tries nothing again by itself"


BROKEN_OFF = {"resets": "one two ", "closes": "one two ", "garbage-between": "one ", "error-between": "one "}


@pytest.mark.parametrize("name", BROKEN_OFF)
async def test_what_breaks_off_ends_with_that_name_and_what_was_said(name: str) -> None:
    async with wired(name) as (model, _, __):
        said, end = await pieces(model.stream(asked()))
        assert said == BROKEN_OFF[name]
        assert end is not None and (end.finish, end.text) == (Finish.BROKEN_OFF, said)
        with pytest.raises(Unavailable):
            await model.complete(asked("and now?"))


async def test_what_hangs_in_the_middle_ends_at_the_deadline() -> None:
    async with wired("hangs-between") as (model, server, _):
        began = time.monotonic()
        said, end = await pieces(model.stream(asked(within_s=0.8)))
        assert time.monotonic() - began < 3
        assert said == "one two " and end is not None and end.finish is Finish.LATE
        await closed(server)


async def closed(server: Server) -> None:
    """The call itself ended: its connection is gone."""
    for _ in range(100):
        if not server.open:
            break
        await asyncio.sleep(0.02)
    assert server.open == 0


ENDS = {
    "refuses": Finish.REFUSED,
    "filter": Finish.REFUSED,
    "400-filter": Finish.REFUSED,
    "tool": Finish.TOOL_CALL,
    "cut": Finish.CUT,
    "empty": Finish.EMPTY,
    "repeats": Finish.REPEATING,
    "babbles": Finish.CUT,
}


@pytest.mark.parametrize("name", ENDS)
async def test_an_end_that_is_no_answer_has_its_name(name: str) -> None:
    async with wired(name) as (model, server, _):
        for request in (asked(max_tokens=200), asked(max_tokens=200, schema=CLAIMS)):
            done = await model.complete(request)
            expected = Finish.HALF_JSON if request.schema and name == "cut" else ENDS[name]
            assert (done.finish, done.parsed) == (expected, None)
            assert len(done.text) < 6_000
        await closed(server)


JSON = {
    "json": (Finish.WHOLE, {"claims": ["a", "b"]}),
    "json-fenced": (Finish.WHOLE, {"claims": ["a"]}),
    "json-half": (Finish.HALF_JSON, None),
    "json-cut": (Finish.HALF_JSON, None),
    "json-none": (Finish.INVALID_JSON, None),
    "json-other": (Finish.INVALID_JSON, None),
}


@pytest.mark.parametrize("name", JSON)
async def test_json_is_parsed_and_checked(name: str) -> None:
    async with wired(name) as (model, server, _):
        done = await model.complete(asked(schema=CLAIMS))
        assert (done.finish, done.parsed) == JSON[name]
        assert server.bodies[0]["response_format"]["type"] == "json_schema"


CLAUDE: dict[str, Finish | type[FirstlineError]] = {
    "claude": Finish.WHOLE,
    "claude-refuses": Finish.REFUSED,
    "claude-cut": Finish.CUT,
    "claude-closes": Unavailable,
    "claude-401": InvalidInput,
    "claude-404": NotFound,
    "claude-429": TooManyRequests,
    "claude-529": Unavailable,
}


@pytest.mark.parametrize("name", CLAUDE)
async def test_another_provider_ends_in_the_same_ways(name: str) -> None:
    async with serving() as server:
        entry = {"model": f"anthropic:{name}", "base_url": server.url.removesuffix("/v1"), "key_env": "TEST_KEY"}
        settings = ModelsSettings.model_validate({"large": {"chain": [entry], "attempts": 1}})
        opened = open_models(settings, Kept("model", bytes_max=0), environ={"TEST_KEY": KEY})
        assert opened is not None
        expected = CLAUDE[name]
        if isinstance(expected, Finish):
            said, end = await pieces(opened.language.stream(asked(system=("You answer.",))))
            assert end is not None and (end.finish, end.text) == (expected, said)
            assert end.finish is not Finish.WHOLE or (said, end.tokens_in) == ("Restart the node.", 21)
            assert KEY in server.headers[0]
        else:
            with pytest.raises(expected) as told:
                await opened.language.complete(asked())
            assert KEY not in str(told.value)
        assert len(server.bodies) == 1
        await opened.close()


@pytest.mark.parametrize(
    ("name", "finish"),
    [
        ("gpt", Finish.WHOLE),
        ("gpt-cut", Finish.CUT),
        ("gpt-closes", Finish.BROKEN_OFF),
        ("401", None),
        ("429", None),
    ],
)
async def test_a_model_at_its_own_address_ends_in_the_same_ways(
    name: str, finish: Finish | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        settings = ModelsSettings.model_validate({"large": {"chain": [f"openai:{name}"], "attempts": 1}})
        opened = open_models(settings, Kept("model", bytes_max=0))
        assert opened is not None
        if finish is None:
            with pytest.raises(FirstlineError) as told:
                await opened.language.complete(asked())
            assert type(told.value) is FAILURES[name]
        else:
            said, end = await pieces(opened.language.stream(asked(system=("You answer.",))))
            assert end is not None and (end.finish, end.text) == (finish, said) and said
            assert finish is Finish.BROKEN_OFF or (end.tokens_in, end.counted) == (21, True)
        assert len(server.bodies) == 1 and KEY in server.headers[0]
        await opened.close()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_a_providers_usual_key_is_not_sent_to_another_address(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY)
    async with serving() as server:
        entry = {"model": f"{provider}:{'fine' if provider == 'openai' else 'claude'}", "base_url": server.url}
        settings = ModelsSettings.model_validate({"large": {"chain": [entry], "attempts": 1}})
        opened = open_models(settings, Kept("model", bytes_max=0))
        assert opened is not None
        await opened.load()
        await opened.language.complete(asked())
        assert len(server.headers) == 1 and KEY not in server.headers[0]
        await opened.close()


async def test_json_is_asked_for_in_words_where_a_server_knows_no_schemas() -> None:
    async with serving() as server:
        entry = {"model": "openai:json", "base_url": server.url, "json_mode": "prompted"}
        settings = ModelsSettings.model_validate({"large": {"chain": [entry]}})
        opened = open_models(settings, Kept("model", bytes_max=0), environ={})
        assert opened is not None
        done = await opened.language.complete(asked(schema=CLAIMS))
        assert done.parsed == {"claims": ["a", "b"]}
        assert server.bodies[0].get("response_format", {}).get("type") != "json_schema"
        assert "claims" in str(server.bodies[0]["messages"])
        await opened.close()


@pytest.mark.parametrize(
    "name", ["500", "hangs", "head-and-hangs", "resets-at-once", "garbage", "401", "404", "400-long"]
)
async def test_the_next_model_answers_and_nothing_is_said_twice(name: str) -> None:
    async with wired(name, "fine", first_token_s=0.5) as (model, _, __):
        said, end = await pieces(model.stream(asked(within_s=8)))
        assert said == "Restart the node."
        assert end is not None and end.model_id == "openai:fine" and end.notes[0].startswith(f"openai:{name}: ")


@pytest.mark.parametrize("name", BROKEN_OFF)
async def test_after_the_first_piece_no_other_model_begins(name: str) -> None:
    async with wired(name, "fine") as (model, server, _):
        said, end = await pieces(model.stream(asked()))
        assert said == BROKEN_OFF[name] and end is not None and end.finish is Finish.BROKEN_OFF
        assert len(server.bodies) == 1
        # Read as a whole, nothing of it was seen.
        assert (await model.complete(asked())).text == "Restart the node."


async def test_a_reader_who_leaves_ends_the_call() -> None:
    async with wired("hangs-between") as (model, server, _):
        async with aclosing(model.stream(asked())) as stream:
            assert (await anext(stream)).text
        await closed(server)
        assert server.closed_by_caller == 1


async def test_a_thousand_at_once_are_one_call() -> None:
    async with wired("slow", bytes_max=100_000) as (model, server, opened):
        done = await asyncio.gather(*(model.complete(asked(turn=f"t{n}")) for n in range(1_000)))
        assert {one.text for one in done} == {"Restart the node."} and len(server.bodies) == 1
        assert (await model.complete(asked())).kept and len(server.bodies) == 1
        role = opened.seen().roles[0]
        assert (role.requests, role.coalesced, role.kept) == (1_001, 999, 1)


async def test_a_dead_endpoint_is_left_alone() -> None:
    async with wired("500") as (model, server, opened):
        for n in range(20):
            with pytest.raises(Unavailable):
                await model.complete(asked(str(n)))
        assert len(server.bodies) == 5
        assert (opened.seen().models[0].breaker, opened.seen().models[0].refused) == ("open", 15)


async def test_no_key_and_no_text_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="firstline")
    async with wired("401", "fine") as (model, _, __):
        await model.complete(asked("a customer's words"))
    assert KEY not in caplog.text
    assert "customer's words" not in "".join(
        one.getMessage() for one in caplog.records if one.name.startswith("firstline")
    )


async def test_prompts_hold_what_no_encoding_can() -> None:
    async with wired("fine") as (model, _, __):
        assert (await model.complete(asked("half a pair: \ud83d, and \x00"))).finish is Finish.WHOLE
