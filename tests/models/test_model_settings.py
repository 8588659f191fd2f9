"""The table [models]: what is refused in which words, where keys come from, and that nothing is loaded without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firstline.caches.store import Kept
from firstline.cli.settings_command import lines
from firstline.errors import FirstlineError, InvalidInput
from firstline.model_settings import ModelEntry, ModelsSettings
from firstline.model_wiring import open_models, spec_of
from firstline.settings import Settings, load_settings

KEY = "sk-secret-7"


def loaded(tmp_path: Path, toml: str) -> Settings:
    file = tmp_path / "firstline.toml"
    file.write_text(toml)
    return load_settings(environ={"FIRSTLINE_CONFIG": str(file)})


def test_a_chain_of_names_and_tables(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        """
        [models.large]
        chain = [
          "anthropic:claude-sonnet-5",
          { model = "openai:qwen", base_url = "http://127.0.0.1:8000/v1/", key_env = "VLLM_KEY", price_in = 0.2 },
        ]
        max_tokens = 800
        [models.budgets]
        turn_tokens = 20000
        """,
    ).models
    assert list(found.roles) == ["large"] and found.large.max_tokens == 800
    assert [entry.model for entry in found.large.chain] == ["anthropic:claude-sonnet-5", "openai:qwen"]
    assert found.large.chain[1].base_url == "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("toml", "named"),
    [
        ('[models.large]\nchain = ["gpt"]', "models.large.chain.0.model"),
        ('[models.large]\nchain = "openai:gpt"', "models.large.chain"),
        ("[models.lagre]\nchain = []", "models.lagre"),
        ("[models.large]\nchian = []", "models.large.chian"),
        ("[models.large]\ntimeout_s = 0", "models.large.timeout_s"),
        ('[models.large]\nchain = [{ model = "openai:a", base_url = "ftp://x" }]', "models.large.chain.0.base_url"),
        (
            '[models.large]\nchain = [{ model = "openai:a", base_url = "https://u:p@x" }]',
            "models.large.chain.0.base_url",
        ),
        (f'[models.large]\nchain = [{{ model = "openai:a", api_key = "{KEY}" }}]', "models.large.chain.0.api_key"),
        (f'[models.large]\nchain = [{{ model = "openai:a", key_env = "{KEY}" }}]', "models.large.chain.0.key_env"),
        ("[models.budgets]\nturn_tokens = -1", "models.budgets.turn_tokens"),
    ],
)
def test_what_is_wrong_is_named_and_no_key_is_repeated(tmp_path: Path, toml: str, named: str) -> None:
    with pytest.raises(InvalidInput) as told:
        loaded(tmp_path, toml)
    assert named in str(told.value) and KEY not in str(told.value) and told.value.remedy


def entry(**more: Any) -> ModelsSettings:
    return ModelsSettings.model_validate({"small": {"chain": [{"model": "openai:a", **more}]}})


@pytest.mark.parametrize(
    ("toml", "problem", "remedy"),
    [
        ('[models.large]\nchain = ["gpt-5"]', "is not usable: it is no model: write provider and name", ""),
        ('[models.large]\nchain = [{model = "a:b", key_env = "sk-1"}]', "never the key itself", ""),
        ('[models.large]\nchain = [{model = "a:b", base_url = "ftp://x"}]', "it is no plain http(s) address", ""),
        (f"[models.large]\nchain = {['a:b'] * 9}", "is too long", "at most 8 of them"),
        ("[models.budgets]\nturn_tokens = -1", "is too small", "0 or more"),
        ("[models.budgets]\nturn_token = 1", "There is no setting", "Did you mean 'turn_tokens'?"),
        ('[models.large]\nchian = ["a:b"]', "There is no setting", "Did you mean 'chain'?"),
        ('topics = "x"', "is not a list", "a list"),
    ],
)
def test_what_is_wrong_within_a_table_is_said_in_the_checks_own_words(
    tmp_path: Path, toml: str, problem: str, remedy: str
) -> None:
    (file := tmp_path / "firstline.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(InvalidInput) as refused:
        load_settings(environ={"FIRSTLINE_CONFIG": str(file)})
    assert problem in refused.value.message and remedy in refused.value.remedy
    # No key of another table is near to one of this table.
    assert "chunk_tokens" not in refused.value.remedy and "sk-1" not in str(refused.value)


def test_a_key_comes_from_a_variable_or_a_file_and_is_shown_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    for more in ({"key_env": "SOME_KEY"}, {"key_file": str(file)}):
        found = entry(**more)
        spec = spec_of(found.small.chain[0], {"SOME_KEY": KEY})
        assert spec.api_key == KEY and KEY not in repr(spec)
        assert KEY not in "\n".join(lines(Settings(models=found), {}))
        assert KEY not in found.model_dump_json()
    assert spec_of(ModelEntry(model="openai:a"), {"OPENAI_API_KEY": KEY}).api_key == "", "left to the library"


@pytest.mark.parametrize("more", [{"key_env": "SOME_KEY"}, {"key_file": "/nowhere/key"}])
def test_a_key_that_is_not_there_is_said_at_the_start(more: dict[str, str]) -> None:
    with pytest.raises(InvalidInput) as told:
        open_models(entry(**more), Kept("model", bytes_max=0), environ={"SOME_KEY": " "})
    assert "SOME_KEY" in str(told.value) or "/nowhere/key" in str(told.value)


async def test_an_unknown_provider_and_one_whose_library_is_missing_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.models.scripted_models import asked

    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    for model, word in (("nosuch:a", "nosuch"), ("openai:a", "key"), ("anthropic:a", "key"), ("mistral:a", "mistral")):
        chain = {"large": {"chain": [model]}}
        opened = open_models(ModelsSettings.model_validate(chain), Kept("model", bytes_max=0), environ={})
        assert opened is not None
        with pytest.raises(FirstlineError) as told:
            await opened.language.complete(asked())
        assert word in str(told.value) and told.value.remedy
        await opened.close()


def test_without_models_nothing_is_opened_and_nothing_of_theirs_is_loaded() -> None:
    assert open_models(ModelsSettings(), Kept("model", bytes_max=0)) is None
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, firstline.wiring, firstline.api.app, firstline.cli.doctor_command\n"
            "import firstline.cli.model_checks\n"
            "names = ('pydantic_ai', 'openai', 'anthropic', 'httpx2', 'pydantic_graph', 'genai_prices')\n"
            "print([name for name in sys.modules if name.partition('.')[0] in names])",
        ],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert said.strip() == "[]"


def test_opening_models_loads_nothing_yet() -> None:
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\nfrom firstline.caches.store import Kept\nfrom firstline.model_settings import ModelsSettings\n"
            "from firstline.model_wiring import open_models\n"
            "one = ModelsSettings.model_validate({'large': {'chain': ['openai:a']}})\n"
            "print(open_models(one, Kept('model', bytes_max=0)) is not None, 'pydantic_ai' in sys.modules)",
        ],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert said.split() == ["True", "False"]


def test_models_shape_outcomes_and_their_cache_does_not() -> None:
    assert Settings(models=entry()).settings_hash != Settings().settings_hash
    assert Settings(cache_model_mb=3).settings_hash == Settings().settings_hash
