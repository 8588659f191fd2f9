"""`firstline doctor --models` over a server that behaves and one that does not."""

from __future__ import annotations

from typing import Any

import pytest
from tests.models.openai_server import serving

from firstline.cli.model_checks import models_are_fine
from firstline.model_settings import ModelsSettings


async def told(capsys: pytest.CaptureFixture[str], *names: str, **more: Any) -> tuple[bool, list[str], int]:
    async with serving() as server:
        chain = [{"model": f"openai:{name}", "base_url": server.url, "key_env": "KEY", **more} for name in names]
        settings = ModelsSettings.model_validate({"large": {"chain": chain, "call_s": 1.0}})
        fine = await models_are_fine(settings, environ={"KEY": "sk-secret-7"})
        return fine, capsys.readouterr().out.splitlines(), len(server.bodies)


async def test_each_model_is_called_once_and_its_line_says_how_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    fine, lines, calls = await told(capsys, "fine", "slow", price_in=1.0, price_out=2.0)
    assert fine and calls == 2 and len(lines) == 2
    for line, name in zip(lines, ("fine", "slow"), strict=True):
        assert line.startswith(f"ok    large openai:{name}: first text after ")
        assert "21 tokens in, 3 out, cost 0.000027" in line


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("401", "does not accept the key (status 401, invalid_api_key)"),
        ("404", "is not known to its provider"),
        ("hangs", "did not answer within 1.0 s"),
        ("500", "failed (status 500)"),
        ("refuses", "It gave no answer (refused)"),
        ("429-spent", "nothing left to spend"),
    ],
)
async def test_what_is_wrong_is_said_with_its_remedy(capsys: pytest.CaptureFixture[str], name: str, words: str) -> None:
    fine, lines, calls = await told(capsys, name, "fine")
    assert not fine and calls == 2, "every one of them, whatever is wrong with an earlier one"
    assert lines[0].startswith(f"BAD   large openai:{name}: ") and words in lines[0]
    assert lines[1].startswith("ok    large openai:fine") and "no price in the settings" in lines[1]
    assert "sk-secret" not in "".join(lines)


async def test_a_missing_key_and_no_models(capsys: pytest.CaptureFixture[str]) -> None:
    settings = ModelsSettings.model_validate({"small": {"chain": [{"model": "openai:a", "key_env": "KEY"}]}})
    assert not await models_are_fine(settings, environ={})
    assert "KEY" in capsys.readouterr().out
    assert await models_are_fine(ModelsSettings())
    assert "no language model" in capsys.readouterr().out
