"""`firstline graph review`: a person corrects what names mean, sees it, and takes it back."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from firstline.cli.graph_rules_file import rules_in
from firstline.cli.main import group
from firstline.domain import RuleKind
from firstline.errors import Conflict, InvalidInput, NotFound

PAGES = {
    "agent.md": "# Relay Agent Unit\n\nIt writes to the Night Export. Set `relay_agent_unit` in the configuration.\n",
    "export.md": "# Night Export\n\nThe export runs at two. The RAU starts it, and the RAU ends it.\n",
    "mail/gateway.md": "# Post Gateway\n\nThe Post Gateway takes mail.\n",
    "web/gateway.md": "# Post Gateway\n\nThe Post Gateway of the web.\n",
}


@pytest.fixture(scope="module")
def data() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-review-"))
    folder.chmod(0o711)
    for name, text in PAGES.items():
        (folder / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "pages" / name).write_text(text)
    result = CliRunner().invoke(group, ["--data", str(folder / "data"), "ingest", str(folder / "pages")])
    assert result.exit_code == 0, result.output
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


def graph(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(group, ["--data", str(data), "graph", *arguments])


def review(data: Path, *arguments: str) -> Result:
    return graph(data, "review", *arguments)


@pytest.mark.timeout(240)
def test_suggested_said_shown_and_taken_back(data: Path, tmp_path: Path) -> None:
    listed = review(data)
    assert listed.exit_code == 0, listed.output
    assert "Post Gateway (component:postgateway): 2 documents go by it" in listed.output
    assert "firstline graph review --apart component:postgateway document:" in listed.output
    assert "firstline graph review --same component:" in listed.output, "RAU and Relay Agent Unit"
    found = json.loads(review(data, "--json", "--sort", "shared").stdout)
    assert [one["first"] for one in found["suggestions"]] == ["component:postgateway"]
    assert set(found["suggestions"][0]["doc_ids"]) == {"pages/mail/gateway.md", "pages/web/gateway.md"}

    said = review(data, "--same", "RAU", "Relay Agent Unit", "--note", "RAU is its short name.", "--by", "ann")
    assert said.exit_code == 0, said.output
    assert "1  component:rau and component:relayagentunit are one (ann, " in said.output
    shown = graph(data, "show", "RAU")
    assert "one with Relay Agent Unit  (component:relayagentunit)" in shown.output
    assert "NAMES" in shown.output and "agent.md" not in shown.output.split("\n", 1)[0]
    assert review(data, "--same", "component:relayagentunit", "RAU").output.startswith("   1  ")

    file = tmp_path / "rules.csv"
    file.write_text(
        "kind,first,second,note\napart,Post Gateway,pages/mail/gateway.md,\nnot-a-name,Night Export,,a job\n"
    )
    assert review(data, "--from", str(file)).exit_code == 0
    assert isinstance(graph(data, "show", "component:nightexport").exception, NotFound)
    rules = json.loads(review(data, "--rules", "--json").stdout)
    assert [(one["id"], one["kind"], one["second"]) for one in rules] == [
        (3, "not_a_name", ""),
        (2, "apart", "document:pages/mail/gateway.md"),
        (1, "same", "component:relayagentunit"),
    ]
    assert "Post Gateway" not in review(data, "--sort", "shared").output
    file.write_text("kind,first,second\nsame,Night Export,Relay Agent Unit\n")
    refused = review(data, "--from", str(file))
    assert isinstance(refused.exception, Conflict) and "Line 2: " in refused.exception.message

    for number in (1, 2, 3):
        undone = review(data, "--undo", str(number), "--by", "bob")
        assert undone.exit_code == 0 and "; undone " in undone.output and "by bob" in undone.output
    assert graph(data, "show", "component:nightexport").exit_code == 0
    assert "one with" not in graph(data, "show", "RAU").output
    assert review(data, "--rules").output.count("undone") == 3


@pytest.mark.timeout(240)
def test_what_is_refused_says_what_to_do(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    several = review(data, "--not-a-name", "Relay Agent Unit")
    assert isinstance(several.exception, InvalidInput)
    assert "component:relayagentunit, setting:" in several.exception.message
    assert "by its id" in several.exception.remedy
    assert isinstance(review(data, "--not-a-name", "nothing of this name").exception, NotFound)
    assert isinstance(review(data, "--undo", "999").exception, NotFound)
    assert isinstance(review(data, "--kb", "none").exception, NotFound)
    monkeypatch.setenv("FIRSTLINE_GRAPH", "off")
    off = review(data)
    assert isinstance(off.exception, NotFound) and "off" in off.exception.message


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rules", "--undo", "1"),
        ("--rules", "--same", "a", "b"),
        ("--undo", "1", "--not-a-name", "a"),
        ("--note", "why"),
        ("--undo", "0"),
        ("--same", "a"),
        ("--sort", "worst"),
        ("--from", "/nothing/there.csv"),
    ],
)
def test_flags_that_do_not_go_together(arguments: tuple[str, ...], tmp_path: Path) -> None:
    result = CliRunner().invoke(group, ["--data", str(tmp_path / "d"), "graph", "review", *arguments])
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit | click.UsageError)
    assert not (tmp_path / "d").exists()


def test_files_of_rules_are_read_with_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "rules.jsonl"
    file.write_text(
        '\n{"kind": "same", "first": "R\u2028S", "second": "ReplicaSet", "note": "why"}\n\n'
        '{"kind": "NOT-A-NAME", "first": "Overview", "second": null}\n',
        encoding="utf-8-sig",
    )
    first, second = rules_in(file, note="all of them")
    assert (first.kind, first.first, first.second, first.note, first.line) == (
        RuleKind.SAME,
        "R\u2028S",
        "ReplicaSet",
        "why",
        2,
    )
    assert (second.kind, second.second, second.note, second.line) == (RuleKind.NOT_A_NAME, "", "all of them", 4)
    table = tmp_path / "rules.csv"
    table.write_text('kind,first,second\r\nsame,"a, b",c\r\n')
    (one,) = rules_in(table, note="")
    assert (one.first, one.line) == ("a, b", 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Line 1"),
        ("kind,first,second\n", "no rule"),
        ("a,b\nsame,x,y\n", "Line 1"),
        ("kind,first,second\ntwin,a,b\n", "Line 2"),
        ("kind,first,second\nsame,a,b,c,d\n", "Line 2"),
        ("kind,first,who\nsame,a,b\n", "'who'"),
        ('{"kind": "same", "first": "a", "second": "b"}\nnot json\n', "Line 2"),
        ('{"kind": "same", "first": "a", "second": "b"}\n[1]\n', "Line 2"),
        ('{"kind": "same", "first": 1, "second": "b"}', "Line 1"),
        ('{"kind": {}, "first": "a"}', "Line 1"),
        ('{"first": "a"}', "Line 1"),
        ('{"kind": "same", "first": "a", "by": "root"}', "'by'"),
        ("{" * 100_000, "Line 1"),
        ('{"kind": "not_a_name", "first": "a"}\n' * 1_001, "more than 1000"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_file_of_rules(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "rules"
    file.write_text(text)
    with pytest.raises(InvalidInput) as raised:
        rules_in(file, note="")
    assert words in raised.value.message and raised.value.remedy


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "rules"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="read as text"):
        rules_in(file, note="")
