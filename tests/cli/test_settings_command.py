"""`firstline settings` tells what is in force and where it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from firstline.cli.settings_command import command
from firstline.errors import InvalidInput
from firstline.settings import Settings


def told(folder: str = "") -> str:
    done = CliRunner().invoke(command, [], obj={"data_folder": Path(folder)} if folder else {}, catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_every_setting_with_its_value_its_source_and_its_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own.toml"
    file.write_text('port = 9000\ntone = "warm"\n', encoding="utf-8")
    monkeypatch.setenv("FIRSTLINE_CONFIG", str(file))
    monkeypatch.setenv("FIRSTLINE_TONE", "formal")
    monkeypatch.setenv("FIRSTLINE_TOPICS", "locks, backups")
    said = told("/srv/data")
    assert "port = 9000  (from the settings file; default 8080)\n" in said
    assert 'tone = "formal"  (from the environment; default "neutral")\n' in said
    assert 'topics = ["locks", "backups"]  (from the environment; default [])\n' in said
    assert 'data_folder = "/srv/data"  (from the command line; default ".firstline")\n' in said
    assert "candidates = 50  (default)\n" in said
    assert "PosixPath" not in said
    assert all(f"{name} = " in said for name in Settings.model_fields)


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTLINE_HANDOFF_SLACK_TOKEN", "xoxb-secret-one")
    monkeypatch.setenv("FIRSTLINE_DATABASE_URL", "postgresql://app:secret-two@db.example.com/firstline")
    said = told()
    assert "secret-one" not in said and "secret-two" not in said
    assert 'handoff_slack_token = (set, not shown)  (from the environment; default "")' in said
    assert 'database_url = "postgresql://app:***@db.example.com/firstline"' in said


def test_a_settings_file_that_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTLINE_CONFIG", str(tmp_path / "absent.toml"))
    with pytest.raises(InvalidInput, match="no settings file"):
        told()
