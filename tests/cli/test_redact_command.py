"""`firstline redact` tells what would be taken out where, and never what it was."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from firstline.cli.main import group

PAGE = "# Access\n\nWrite to j.doe@corp.io.\n\nThe key is AKIAABCDEFGHIJKLMNOP.\n"


def firstline(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["redact", *arguments])


def test_places_without_values(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    told = firstline(str(tmp_path))
    assert told.exit_code == 0
    assert "line 3, column 10: [EMAIL_1]" in told.output
    assert "Redacted in 1 document: 1 EMAIL, 1 SECRET." in told.output
    assert "j.doe" not in told.output
    assert "AKIA" not in told.output


def test_json_is_a_document_a_line(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    told = firstline("--json", "--kind", "ticket", str(tmp_path / "page.md"))
    report = json.loads(told.output)
    assert report["kind"] == "ticket"
    assert report["counts"] == {"EMAIL": 1, "SECRET": 1}
    assert report["places"][0] == {
        "type": "EMAIL",
        "placeholder": "[EMAIL_1]",
        "line": 3,
        "column": 10,
        "characters": 13,
    }
    assert "j.doe" not in told.output


def test_the_text_as_it_is_kept(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    told = firstline("--text", str(tmp_path / "page.md"))
    assert "Write to [EMAIL_1]." in told.output


def test_the_kind_decides_about_names(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("Hi, my name is Anna Schmidt.")
    assert "nothing" in firstline(str(tmp_path)).output
    assert "[PERSON_1]" in firstline("--kind", "ticket", str(tmp_path)).output


def test_own_patterns_of_the_settings_are_used(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "firstline.toml").write_text("[redact_patterns]\nCUSTOMER = 'CU-\\d{6}'\n")
    (tmp_path / "t.txt").write_text("CU-123456 cannot log in.")
    monkeypatch.setenv("FIRSTLINE_CONFIG", str(tmp_path / "firstline.toml"))
    assert "[CUSTOMER_1]" in firstline(str(tmp_path / "t.txt")).output
    (tmp_path / "firstline.toml").write_text("[redact_patterns]\nCUSTOMER = '(a+)+'\n")
    refused = firstline(str(tmp_path / "t.txt"))
    assert refused.exit_code != 0


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 nothing")
    told = firstline(str(tmp_path / "bad.pdf"))
    assert told.exit_code == 1
    assert "not taken: bad.pdf" in told.output
