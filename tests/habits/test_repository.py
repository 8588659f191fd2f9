"""The repository keeps its promises."""

import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstline.cli.main import COMMANDS, group
from firstline.settings import Settings

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
LINES_MAX = 500
# The whole vocabulary on one page, and every port on another, are worth more than short files.
LONG_ON_PURPOSE = {"ports.py"}


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_source_files_stay_small_and_finished(source: Path):
    text = source.read_text(encoding="utf-8")
    assert text.count("\n") <= LINES_MAX or source.name in LONG_ON_PURPOSE
    assert not re.search(r"\b(TODO|FIXME|XXX)\b|raise NotImplementedError", text)


@pytest.mark.parametrize("name", ["utils.py", "helpers.py", "common.py", "misc.py"])
def test_there_are_no_drawers(name: str):
    assert not [path for path in SOURCES if path.name == name]


def test_constraints_name_no_address():
    text = (ROOT / "constraints.txt").read_text()
    assert "://" not in text and "@" not in text
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9.]+", line) for line in text.split())


def test_no_machine_path_is_committed():
    suspicious = re.compile(r"/(?:work|root)/(?:main|shared|\.library|\.pyenv)")
    bad = [
        path.name
        for path in tracked()
        if path.suffix in {".py", ".md", ".toml", ".sh", ".json"} and suspicious.search(path.read_text("utf-8"))
    ]
    assert [name for name in bad if name != "test_repository.py"] == []


def test_no_link_is_committed():
    """It would lead to a place of one machine, or to nothing in a copy."""
    listed = subprocess.run(["git", "ls-files", "-s"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    assert [line for line in listed.splitlines() if line.startswith("120000")] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str):
    result = CliRunner().invoke(group, [name, "--help"])
    assert result.exit_code == 0
    assert "Usage:" in result.output


def test_every_setting_is_described_and_documented():
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for name, info in Settings.model_fields.items():
        assert info.description, name
        assert f"`{name}`" in page, f"docs/settings.md does not mention {name}: run tools/document_settings.py"


def test_links_between_documents_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_test_files_have_names_of_their_own():
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names)), "pytest imports by name: two files of one name collide"


def test_a_settings_hash_names_what_shapes_an_outcome_and_holds_no_secret():
    plain = Settings()
    secrets = [name for name, field in Settings.model_fields.items() if field.repr is False]
    assert secrets
    for name in secrets:
        assert Settings(**{name: "another"}).settings_hash == plain.settings_hash, name
    assert Settings(candidates=60).settings_hash != plain.settings_hash
