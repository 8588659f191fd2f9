"""`firstline graph`: what is counted, and what is shown of one thing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstline.cli.main import group
from firstline.errors import NotFound

GUIDE = "# Relay guide\n\nSee the [Night Export](export.md) page. The log says `NX-1042: queue is full`.\n"
EXPORT = "# Night Export\n\nThe export runs at two.\n"


@pytest.fixture(scope="module")
def data() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-graph-"))
    folder.chmod(0o711)
    pages = folder / "pages"
    pages.mkdir()
    (pages / "guide.md").write_text(GUIDE)
    (pages / "export.md").write_text(EXPORT)
    result = CliRunner().invoke(group, ["--data", str(folder / "data"), "ingest", str(pages)])
    assert result.exit_code == 0, result.output
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


def graph(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(group, ["--data", str(data), "graph", *arguments])


@pytest.mark.timeout(180)
def test_counted_and_shown(data: Path) -> None:
    counted = graph(data, "stats", "--level", "restricted")
    assert counted.exit_code == 0, counted.output
    assert "NAMES" in counted.output and "document" in counted.output

    shown = graph(data, "show", "Night Export", "--level", "restricted")
    assert shown.exit_code == 0, shown.output
    assert "component:nightexport" in shown.output
    assert "Night Export: “" in shown.output, "with the document and its words"
    assert shown.output.count("->") + shown.output.count("<-") >= 1

    nobody = graph(data, "show", "Night Export", "--level", "restricted", "--acl", "others")
    assert isinstance(nobody.exception, NotFound)
    assert isinstance(graph(data, "show", "nothing of this name").exception, NotFound)


@pytest.mark.timeout(180)
def test_where_it_is_off_that_is_said(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTLINE_GRAPH", "off")
    result = graph(data, "stats")
    assert isinstance(result.exception, NotFound) and "off" in str(result.exception)
