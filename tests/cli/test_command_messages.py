"""Wrong input at the command line: one sentence, a remedy, an exit code."""

import os
import sys
from types import SimpleNamespace

import pytest

from firstline.cli.main import group, main


@pytest.mark.parametrize(
    ("arguments", "environment", "code", "said"),
    [
        (["ingest", "no/such/path"], {}, 2, "no/such/path"),
        (["ingest", "--level", "top", "."], {}, 2, "There is no level top"),
        (["ingest", "--kind", "bogus", "."], {}, 2, "There is no kind bogus"),
        (["ingest", "--map", "text", "."], {}, 2, "--map text"),
        (["ask", "--level", "top", "hi"], {}, 2, "There is no level top"),
        (["ask", "--page", "docs/a.md", "hi"], {}, 2, "--page belongs to --explain"),
        (["status", "--nonsense"], {}, 2, "--nonsense"),
        (["frobnicate"], {}, 2, "frobnicate"),
        (["status"], {"FIRSTLINE_FOO": "1"}, 2, "There is no setting 'foo'"),
        (["status"], {"FIRSTLINE_PROT": "1"}, 2, "Did you mean 'port'?"),
        (["status"], {"FIRSTLINE_PORT": "many"}, 2, "'port' (from the environment) is not a whole number"),
        (["status"], {"FIRSTLINE_PORT": "99999"}, 2, "Allowed: 65535 or less."),
        (["status"], {"FIRSTLINE_SUPPORT_HOURS": "9 to 5"}, 2, "Mon-Fri 09:00-17:00"),
        (["status"], {"FIRSTLINE_SUPPORT_TIMEZONE": "Mars/Olympus"}, 2, "'support_timezone'"),
        (["status"], {"FIRSTLINE_LOG_LEVEL": "loud"}, 2, "Allowed: one of debug, info, warning or error."),
        (["status"], {"FIRSTLINE_RELEVANCE_GATE": "5"}, 2, "Allowed: 1.0 or less."),
        (["status"], {"FIRSTLINE_CONFIDENCE_GATE": "-2"}, 2, "'confidence_gate'"),
        (["status", "--data", "x"], {}, 2, "`firstline --data FOLDER status`"),
        (["handoffs", "--data", "x"], {}, 2, "`firstline --data FOLDER handoffs`"),
        (["ingest", ".", "--as", "a#b"], {}, 2, "is no name"),
        (["ask", "--kb", "x" * 65, "hi"], {}, 2, "is too long"),
        (["ingest", ""], {}, 2, "path is empty"),
        (["status"], {"FIRSTLINE_CONFIG": "absent.toml"}, 2, "absent.toml"),
        (["handoffs", "list", "--state", "gone"], {}, 2, "acknowledged"),
        (["eval"], {}, 2, "two results with --compare"),
        (["eval", "a.jsonl", "--compare", "a.json", "b.json"], {}, 2, "two results with --compare"),
        (["eval", "--compare", "absent.json", "b.json"], {}, 2, "absent.json cannot be read"),
        (["status"], {}, 0, "no data folder"),
    ],
)
def test_wrong_input_says_what_to_do(arguments, environment, code, said, tmp_path, monkeypatch, capsys):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["firstline", "--data", str(tmp_path / "none"), *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
        raise SystemExit(0)
    output = capsys.readouterr()
    assert ended.value.code == code
    assert said in output.out + output.err
    assert "Traceback" not in output.err


def refused(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["firstline", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
        raise SystemExit(0)
    return ended.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("question", "said"), [("", "is empty"), (" \n\x01 ", "is empty"), ("x" * 20_001, "has 20,001 characters")]
)
def test_a_question_that_cannot_be_asked_is_refused_before_anything_opens(
    question, said, tmp_path, monkeypatch, capsys
):
    code, error = refused(monkeypatch, capsys, "--data", tmp_path / "data", "ask", question)
    assert code == 2
    assert said in error
    assert not (tmp_path / "data").exists()


def test_a_folder_of_other_things_is_no_data_folder(tmp_path, monkeypatch, capsys):
    (tmp_path / "holiday.jpg").write_text("")
    for command in (["status"], ["ask", "hi"], ["key", "list"], ["ingest", str(tmp_path)], ["handoffs"]):
        code, error = refused(monkeypatch, capsys, "--data", tmp_path, *command)
        assert code == 2, command
        assert "is not a data folder of firstline: it holds holiday.jpg" in error
        assert "new or empty folder" in error
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.jpg"]


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_is_no_data_folder(place, tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("kept")
    code, error = refused(monkeypatch, capsys, "--data", tmp_path / place, "key", "list")
    assert code == 2
    assert "is a file" in error and "--data" in error
    assert (tmp_path / "file").read_text() == "kept"


def test_what_nobody_foresaw_is_no_stack_trace(monkeypatch, capsys):
    def fail(**_):
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr(group, "main", fail)
    code, error = refused(monkeypatch, capsys, "status")
    assert code == 70
    assert "ZeroDivisionError: by accident" in error and "FIRSTLINE_LOG_LEVEL=debug" in error
    assert "Traceback" not in error


def test_notices_come_after_the_report_and_change_no_exit_code(capsys):
    from firstline.cli.ingest_command import NOTICES_SHOWN, print_notices
    from firstline.connectors.charset import Notice

    print_notices([Notice(item_id="docs/notes.txt", said="is not UTF-8.")] * (NOTICES_SHOWN + 2))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "notice: docs/notes.txt is not UTF-8."
    assert lines[-1] == "notice: 2 more files are like that."
    assert len(lines) == NOTICES_SHOWN + 1


def test_sizes_are_what_lies_on_disk_and_of_the_newest_shard_alone(tmp_path):
    from firstline.cli.status_command import _index, _tree

    for age, name in enumerate(("shard-4", "shard-3")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "full").write_bytes(b"x" * 50_000)
        with (tmp_path / name / "sparse").open("wb") as file:
            file.truncate(32_000_000)
        os.utime(tmp_path / name, (1_000 - age, 1_000 - age))
    (tmp_path / "shard-4" / "more").write_bytes(b"x" * 50_000)
    os.utime(tmp_path / "shard-4", (2_000, 2_000))
    assert 100_000 <= _index(tmp_path) < 1_000_000
    assert _tree(tmp_path) > _index(tmp_path)
    assert _tree(tmp_path / "absent") == 0


def test_ask_says_who_asks(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["firstline", "ask", "--help"])
    main()
    said = " ".join(capsys.readouterr().out.split())
    assert "--level internal" in said and "`--level customer`" in said


def test_an_empty_acl_is_nobody_and_said_so(tmp_path, monkeypatch, capsys):
    from firstline.cli import ingest_command

    taken = {}

    async def ingest(settings, paths, **flags):
        taken.update(flags)
        return SimpleNamespace(failures=(), redactions={}, snapshot=1, published=True, waits="", **COUNTS), ()

    monkeypatch.setattr(ingest_command, "_ingest", ingest)
    for arguments, acl, said in (
        (["--acl", ""], set(), True),
        (["--acl", "ops"], {"ops"}, False),
        ([], {"everyone"}, False),
    ):
        monkeypatch.setattr(sys, "argv", ["firstline", "--data", str(tmp_path), "ingest", "x", *arguments])
        main()
        assert taken["acl"] == acl
        assert ("nobody can see these documents" in capsys.readouterr().err) is said


COUNTS = {
    "added": 1,
    "changed": 0,
    "removed": 0,
    "unchanged": 0,
    "chunks": 1,
    "duration_s": 1.0,
    "held": (),
    "hidden": (),
}


def test_what_a_command_found_wrong_reaches_the_shell(tmp_path, monkeypatch, capsys):
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and no more")
    monkeypatch.setattr(sys, "argv", ["firstline", "--data", str(tmp_path / "data"), "redact", str(broken)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1, capsys.readouterr()
