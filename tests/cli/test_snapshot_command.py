"""`firstline snapshot` and `firstline forget` on a real data folder."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstline.cli import forget_command
from firstline.cli.main import group
from firstline.errors import Conflict, FirstlineError, InvalidInput, NotFound


@pytest.fixture(scope="module")
def place() -> Generator[Path]:
    """pytest's own folders are closed to all but their owner, and Postgres run by root is another user."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-test-"))
    folder.chmod(0o711)
    (folder / "docs").mkdir()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def firstline(place: Path, *words: str, code: int = 0) -> str:
    done = CliRunner().invoke(group, ["--data", str(place / "data"), *words], catch_exceptions=True)
    if isinstance(done.exception, FirstlineError):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.output


def write(place: Path, **pages: str) -> None:
    for name, text in pages.items():
        (place / "docs" / f"{name}.md").write_text(f"# {name}\n\n{text}\n", "utf-8")


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_knowledge_base_goes_on_waits_and_goes_back(place: Path) -> None:
    docs = str(place / "docs")
    write(place, one="Set rotate to yes.", two="Set backup to daily.")
    assert "Snapshot 1 is published" in firstline(place, "ingest", docs, "--quiet")
    write(place, two="Set backup to hourly.", three="Jane Roe wrote this page.")
    waits = firstline(place, "ingest", docs, "--quiet", "--candidate")
    assert "Snapshot 2 waits" in waits and "asked to wait" in waits
    assert "waiting: snapshot 2" in firstline(place, "status")
    assert "1 added, 1 changed, 0 removed" in firstline(place, "snapshot", "diff", "1", "2")
    assert "+ docs/three.md" in firstline(place, "snapshot", "show", "2")
    assert "answers 50%" in firstline(place, "snapshot", "canary", "2", "--share", ".5")
    assert "canary (50%" in firstline(place, "snapshot", "list")
    with pytest.raises(InvalidInput, match="golden"):
        firstline(place, "snapshot", "check")
    cases = place / "cases.jsonl"
    cases.write_text(
        json.dumps({"id": "x", "question": "How do I set the backup?", "docs": ["docs/two.md"], "answerable": True}),
        "utf-8",
    )
    assert "Golden cases: " in firstline(place, "snapshot", "check", "--cases", str(cases))
    assert "Snapshot 2 of 'docs' is published" in firstline(place, "snapshot", "promote")
    assert "Snapshot 1 of 'docs' is published again" in firstline(place, "snapshot", "rollback")
    assert "ahead" in firstline(place, "snapshot", "list")
    with pytest.raises(Conflict):
        firstline(place, "snapshot", "rollback")
    assert "Snapshot 3 is published" in firstline(place, "ingest", docs, "--quiet")
    with pytest.raises(NotFound):
        firstline(place, "snapshot", "publish", "2")
    assert "Snapshot 3 is the oldest" in firstline(place, "snapshot", "prune", "--keep", "1")
    assert "No snapshot waits" in firstline(place, "snapshot", "discard")

    proof = place / "proof.json"
    with pytest.raises(NotFound):
        firstline(place, "forget", "docs/typo.md")
    told = firstline(place, "forget", "docs/one.md", "--certificate", str(proof))
    assert "nothing is left" in told
    assert "genuine" in firstline(place, "forget", "--verify", str(proof))
    for taken in (proof, place / "nowhere" / "proof.json"):
        with pytest.raises(InvalidInput, match="Nothing was forgotten"):
            firstline(place, "forget", "docs/three.md", "--certificate", str(taken))
    proof.write_text(proof.read_text("utf-8").replace("docs/one.md", "docs/two.md"), "utf-8")
    with pytest.raises(InvalidInput, match="changed since"):
        firstline(place, "forget", "--verify", str(proof))
    assert "docs/three.md" in firstline(place, "forget", "--subject", "jane roe", "--yes")
    with pytest.raises(NotFound):
        firstline(place, "forget", "--source", "nowhere", "--yes")
    assert "forgets 1 documents of this source" in firstline(place, "forget", "--source", "docs", "--yes")
    assert "documents 0" in firstline(place, "status")
    assert "Nothing is left to be purged" in firstline(place, "forget", "--resume")


def test_forget_wants_one_thing(tmp_path: Path) -> None:
    assert "Name documents, or one of" in firstline(tmp_path, "forget", code=2)
    assert "Name documents, or one of" in firstline(tmp_path, "forget", "a", "--resume", code=2)


def test_each_of_several_certificates_has_a_file_of_its_own(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    (tmp_path / "proof-2.json").write_text("an older one", "utf-8")
    assert [forget_command._place(proof, number) for number in (1, 2)] == [proof, tmp_path / "proof-3.json"]
    assert forget_command._place(None, 2) is None
