"""`firstline graph communities`, and a question about usual causes, on the real engines."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstline.cli.main import group
from firstline.errors import NotFound

TICKET = "# {title}\n\n## Problem\n\n{problem}\n\n## Cause\n\n{cause}\n\n## Resolution\n\n{cure}\n"
DISK, CERTIFICATE, KEY = (
    "The disk of the Relay Agent is full.",
    "The certificate of the Relay Agent has expired.",
    "The signing key of the bank was revoked.",
)
TICKETS = (
    ("E4711 when the nightly export starts", "The Relay Agent stops with E4711 in the Night Export.", DISK),
    ("Relay Agent down after weekend, E4711", "On Monday the Relay Agent had stopped with E4711.", DISK),
    ("E4711 on two hosts", "Both hosts show E4711 in the log of the Relay Agent.", DISK),
    ("Export fails with E4711", "The Night Export ends with E4711 at once.", CERTIFICATE),
    ("E4711 since yesterday", "Since yesterday the Relay Agent reports E4711.", CERTIFICATE),
)
PAGES = {
    "billing": "Invoices are sent by mail at the end of the month.",
    "backup": "Backups run every night. To restore one choose Restore and pick a date.",
    "users": "Users are invited by mail. An administrator can change a role in Settings, Users.",
}


@pytest.fixture(scope="module")
def data() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-communities-"))
    folder.chmod(0o711)
    for name in ("open", "closed"):
        (folder / name).mkdir()
    for number, (title, problem, cause) in enumerate(TICKETS):
        text = TICKET.format(title=title, problem=problem, cause=cause, cure=f"Do step {number}.")
        (folder / "open" / f"ticket-{number}.md").write_text(text)
    for name, text in PAGES.items():
        (folder / "open" / f"{name}.md").write_text(f"# {name.title()}\n\n{text}\n")
    text = TICKET.format(title="E4711 at a bank", problem="The Relay Agent stops with E4711.", cause=KEY, cure="Ask.")
    (folder / "closed" / "bank.md").write_text(text)
    for name, level in (("open", "public"), ("closed", "restricted")):
        result = run(folder / "data", "ingest", str(folder / name), "--level", level, "--quiet")
        assert result.exit_code == 0, result.output
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(group, ["--data", str(data), *arguments])


@pytest.mark.timeout(180)
def test_listed_after_an_ingest_without_a_server(data: Path) -> None:
    shown = run(data, "graph", "communities", "--level", "customer")
    assert shown.exit_code == 0, shown.output
    assert f"3 x “{DISK}”" in shown.output and f"2 x “{CERTIFICATE}”" in shown.output
    assert "E4711 on two hosts" in shown.output, "with the documents that tell it"
    assert KEY not in shown.output and "bank" not in shown.output and "another snapshot" not in shown.output
    inner = run(data, "graph", "communities", "E4711", "--level", "restricted")
    assert f"1 x “{KEY}”" in inner.output
    assert "No community" in run(data, "graph", "communities", "--acl", "others").output
    assert "No community of 'Billing'" in run(data, "graph", "communities", "Billing").output


@pytest.mark.timeout(180)
def test_made_anew_nothing_changes(data: Path) -> None:
    again = run(data, "graph", "communities", "--build", "--level", "restricted")
    assert again.exit_code == 0, again.output
    assert "0 communities made, 2 kept; 0 of 2 parts of the graph were new" in again.output


@pytest.mark.timeout(180)
def test_a_question_about_usual_causes_lists_them_with_their_documents(data: Path) -> None:
    question = "What are the usual causes of E4711?"
    told = run(data, "ask", question, "--level", "customer", "--explain")
    assert told.exit_code == 0, told.output
    assert DISK in told.output and CERTIFICATE in told.output and KEY not in told.output
    assert "usual causes are asked for: looked up in communities, build " in told.output
    reply = json.loads(run(data, "ask", question, "--level", "restricted", "--json").output)
    texts = [block["text"] for block in reply["blocks"]]
    assert texts == [f"- {DISK}", f"- {CERTIFICATE}", f"- {KEY}"]
    assert len({one["citation"]["doc_id"] for one in reply["citations"]}) == 3


@pytest.mark.timeout(180)
def test_after_a_document_is_forgotten_its_cause_is_gone_and_the_rest_comes_back(data: Path) -> None:
    gone = run(data, "forget", "closed/bank.md", "--certificate", str(data.parent / "proof.json"))
    assert gone.exit_code == 0, gone.output
    places = {one["name"]: one for one in json.loads((data.parent / "proof.json").read_text())["places"]}
    assert places["communities"] == {"name": "communities", "found": 1, "left": 0}
    stale = run(data, "graph", "communities", "--level", "restricted")
    assert "--build makes them anew" in stale.output and KEY not in stale.output
    made = run(data, "graph", "communities", "--build", "--level", "restricted")
    assert f"3 x “{DISK}”" in made.output and KEY not in made.output


@pytest.mark.timeout(180)
def test_where_they_are_off_that_is_said(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTLINE_GRAPH_COMMUNITIES", "false")
    result = run(data, "graph", "communities")
    assert isinstance(result.exception, NotFound) and "graph_communities" in str(result.exception.remedy)
    asked = run(data, "ask", "What are the usual causes of E4711?", "--explain")
    assert asked.exit_code == 0 and "looked up in communities" not in asked.output
