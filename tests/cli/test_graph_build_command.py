"""From the command line: a dry run before there is anything, an ingest without the graph, the graph built behind it."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firstline import wiring
from firstline.cli.main import group
from firstline.errors import InvalidInput, NotFound

GUIDE = "# Relay guide\n\nSee the [Night Export](export.md) page. The log says `NX-1042: queue is full`.\n"
EXPORT = "# Night Export\n\nThe export runs at two. Set `--night-only` then.\n"

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def folder() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    made = Path(tempfile.mkdtemp(prefix="firstline-graph-build-"))
    made.chmod(0o711)
    (made / "pages").mkdir()
    (made / "pages" / "guide.md").write_text(GUIDE)
    (made / "pages" / "export.md").write_text(EXPORT)
    (made / "pages" / "empty.md").write_text("\n")
    (made / "pages" / "picture.md").write_bytes(b"\x89PNG" + bytes(100))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def told(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(group, ["--data", str(folder / "data"), *arguments], env=env)


def as_json(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, (result.output, result.exception)
    return json.loads(result.stdout)


def files(place: Path) -> dict[str, bytes]:
    """What firstline itself keeps: a Postgres that was started and stopped writes to its own files, and the index's
    worker may still write down what the ingest told it."""
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and {"postgres", "index"}.isdisjoint(path.parts)
    }


def test_a_dry_run_needs_no_data_folder_and_makes_none(folder: Path) -> None:
    found = as_json(told(folder, "ingest", str(folder / "pages"), "--dry-run", "--json"))
    assert not (folder / "data").exists()
    assert (found["new"], found["changed"], found["unchanged"], found["written"]) == (2, 0, 0, False)
    assert found["items"] == {"text/markdown": 2}
    assert {one["item_id"] for one in found["refused"]} == {"pages/picture.md", "pages/empty.md"}
    assert found["documents"] == {"value": 2, "low": 2, "high": 2}
    assert found["edges"]["value"] == sum(one["value"] for one in found["edges_by_relation"].values()) > 5
    assert found["cost"] == 0 and found["graph"] == "ledger" and found["seconds"]["embed"]["value"] > 0
    said = told(folder, "ingest", str(folder / "pages"), "--dry-run")
    assert said.exit_code == 0, said.output
    for words in ("nothing was written", "2 new", "chunks", "MENTIONS", "on disk", "Cost: 0", "graph is on"):
        assert words in said.output, words
    assert "pages/picture.md: " in said.output
    off = told(folder, "ingest", str(folder / "pages"), "--dry-run", env={"FIRSTLINE_GRAPH": "off"})
    assert "The graph is off" in off.output and "MENTIONS" not in off.output


def test_bad_input_is_refused_as_ever(folder: Path) -> None:
    assert isinstance(told(folder, "ingest", str(folder / "nowhere"), "--dry-run").exception, InvalidInput)
    assert isinstance(told(folder, "ingest", str(folder / "pages"), "--dry-run", "--kind", "x").exception, InvalidInput)
    assert told(folder, "ingest", str(folder / "pages"), "--json").exit_code == 2
    assert not (folder / "data").exists()


def ageless(status: str) -> str:
    return re.sub(r"published .*|sizes: .*", "", status)


def no_index(**_: Any) -> Any:
    raise AssertionError("a dry run opens no index")


def test_taken_without_a_graph_and_built_behind_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = str(folder / "pages")
    assert told(folder, "ingest", pages, "--quiet", env={"FIRSTLINE_GRAPH": "off"}).exit_code == 1, "two are refused"
    assert as_json(told(folder, "graph", "stats", "--json"))["edges"] == 0
    (folder / "pages" / "export.md").write_text(EXPORT + "\nThe Harbor Gateway closes it.\n")
    assert told(folder, "ingest", pages, "--quiet", env={"FIRSTLINE_GRAPH": "off"}).exit_code == 1

    before, status = files(folder / "data"), told(folder, "status").output
    with monkeypatch.context() as without:
        without.setattr(wiring, "open_qdrant_edge", no_index)
        dry = as_json(told(folder, "ingest", pages, "--dry-run", "--json"))
    assert (dry["new"], dry["changed"], dry["unchanged"]) == (0, 0, 2)
    assert files(folder / "data") == before
    assert ageless(told(folder, "status").output) == ageless(status)

    check = told(folder, "graph", "build", "--check", "--quiet")
    assert check.exit_code == 1 and "missing" in check.output
    built = as_json(told(folder, "graph", "build", "--json", "--quiet"))
    assert (built["documents"], built["revisions"], built["revisions_that_differ"]) == (2, 3, 3)
    assert built["missing"] == built["edges"] > 10
    check = told(folder, "graph", "build", "--check", "--quiet")
    assert check.exit_code == 0 and "The graph is what they say." in check.output
    assert "Night Export" in told(folder, "graph", "show", "Night Export").output
    back = told(folder, "snapshot", "rollback")
    assert back.exit_code == 0, (back.output, back.exception)
    assert as_json(told(folder, "graph", "stats", "--json"))["edges"] > 5, "the earlier snapshot has its edges, too"


def test_what_stands_in_the_way_is_said(folder: Path) -> None:
    off = told(folder, "graph", "build", env={"FIRSTLINE_GRAPH": "off"})
    assert isinstance(off.exception, NotFound)
    silent = told(folder, "graph", "build", env={"FIRSTLINE_EXTRACT_GRAPH": "false"})
    assert isinstance(silent.exception, InvalidInput) and "extract_graph" in str(silent.exception)
    assert isinstance(told(folder, "graph", "build", "--kb", "other").exception, NotFound)
    assert isinstance(told(folder, "graph", "stats", "--kb", "other").exception, NotFound)
