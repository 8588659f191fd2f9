"""Google, Mistral, Azure and Bedrock over HTTP, against a server that plays each: text, ends, errors by our names."""

from __future__ import annotations

import importlib.util
from contextlib import aclosing
from typing import Any

import pytest
from tests.models.scripted_models import asked, pieces
from tests.models.vendor_server import TEXTS, Vendor, playing

from firstline.caches.store import Kept
from firstline.domain import Finish, Piece
from firstline.errors import FirstlineError, InvalidInput, NotFound, TooLong, TooManyRequests, Unavailable
from firstline.model_settings import ModelsSettings
from firstline.model_wiring import OpenModels, open_models

VENDORS: dict[str, tuple[str, dict[str, Any], str]] = {
    "google": ("google:gemini-2.5-flash", {}, "google.genai"),
    "mistral": ("mistral:mistral-small-latest", {}, "mistralai"),
    "azure": ("azure:gpt-5-mini", {"api_version": "2025-04-01-preview"}, "openai"),
    "bedrock": ("bedrock:eu.amazon.nova-lite-v1:0", {"region": "eu-central-1"}, "boto3"),
}
KEY = "sk-of-the-test"


def installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


each = pytest.mark.parametrize(
    "vendor",
    [
        pytest.param(name, marks=pytest.mark.skipif(not installed(client), reason=f"needs {client}"))
        for name, (_, _, client) in VENDORS.items()
    ],
)


@pytest.fixture(autouse=True)
def signed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-the-test")
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)


def opened(vendor: str, server: Vendor) -> OpenModels:
    model, more, _ = VENDORS[vendor]
    entry = {"model": model, "base_url": server.url, **more}
    if vendor != "bedrock":  # Amazon's chain of credentials: `signed`
        entry["key_env"] = "TEST_KEY"
    settings = ModelsSettings.model_validate({"large": {"chain": [entry], "attempts": 1}})
    models = open_models(settings, Kept("model", bytes_max=0), environ={"TEST_KEY": KEY})
    assert models is not None
    return models


async def answered(vendor: str, play: str) -> tuple[str, Any, Vendor]:
    async with playing(play) as server:
        models = opened(vendor, server)
        try:
            said, end = await pieces(models.language.stream(asked("Why?", within_s=20)))
        finally:
            await models.close()
    return said, end, server


@each
async def test_text_streams_and_tokens_are_counted(vendor: str) -> None:
    said, end, server = await answered(vendor, "fine")
    assert (said, end.finish) == ("".join(TEXTS), Finish.WHOLE)
    assert (end.tokens_in, end.tokens_out, end.counted) == (11, 3, True)
    assert len(server.paths) == 1, "asked once"
    (headers,) = server.headers
    assert any(KEY in value for value in headers.values()), "the key is sent, and no other"
    assert "Why?" in str(server.bodies[0])
    if vendor == "bedrock":
        assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=")


@each
async def test_one_that_is_cut_says_so(vendor: str) -> None:
    _, end, _ = await answered(vendor, "cut")
    assert end.finish is Finish.CUT


@each
async def test_one_that_refuses_is_named(vendor: str) -> None:
    if vendor == "mistral":
        pytest.skip("its API has no such end")
    said, end, _ = await answered(vendor, "refuses")
    assert (said, end.finish) == ("", Finish.REFUSED)


@each
@pytest.mark.parametrize(
    ("play", "kind"),
    [("401", InvalidInput), ("404", NotFound), ("429", TooManyRequests), ("long", TooLong)],
    ids=["401", "404", "429", "long"],
)
async def test_errors_are_ours_and_quote_nothing(vendor: str, play: str, kind: type[FirstlineError]) -> None:
    async with playing(play) as server:
        models = opened(vendor, server)
        with pytest.raises(kind) as raised:
            await models.language.complete(asked("Why?", within_s=20))
        await models.close()
    assert len(server.paths) == 1, "the library tried again by itself"
    assert VENDORS[vendor][0] in raised.value.message
    assert KEY not in str(raised.value)
    assert "no such" not in str(raised.value)


@each
async def test_a_reset_in_the_middle_ends_there(vendor: str) -> None:
    got: list[Piece] = []
    async with playing("resets") as server:
        models = opened(vendor, server)
        try:
            async with aclosing(models.language.stream(asked("Why?", within_s=20))) as stream:
                got += [piece async for piece in stream]
        except Unavailable:
            # Amazon's library reads ahead: it may find the reset before it hands on what came before.
            assert vendor == "bedrock"
        await models.close()
    if got:
        assert "".join(piece.text for piece in got) == TEXTS[0]
        assert got[-1].completion is not None
        assert got[-1].completion.finish is Finish.BROKEN_OFF


@each
async def test_nobody_there(vendor: str) -> None:
    async with playing("fine") as server:
        models = opened(vendor, server)
    with pytest.raises(Unavailable):
        await models.language.complete(asked("Why?", within_s=20))
    await models.close()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"model": "azure:gpt-5-mini", "base_url": "http://127.0.0.1:1"}, "an api_version"),
        ({"model": "openai:gpt-5-mini", "region": "eu-central-1"}, "cannot be opened"),
    ],
    ids=["azure-without-version", "openai-with-region"],
)
async def test_what_is_missing_or_too_much_is_told_when_it_is_called(entry: dict[str, Any], said: str) -> None:
    settings = ModelsSettings.model_validate({"large": {"chain": [{**entry, "key_env": "TEST_KEY"}], "attempts": 1}})
    models = open_models(settings, Kept("model", bytes_max=0), environ={"TEST_KEY": KEY})
    assert models is not None
    with pytest.raises(InvalidInput, match=said):
        await models.language.complete(asked("Why?", within_s=20))
    await models.close()
