"""`firstline redact` tells what would be taken out where, and never what it was."""

from __future__ import annotations

import json
import re
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
        "where": "text",
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


FRONT = """---
title: Ask jane.title@corp.io
author: jane.author@corp.io
tags: [a, jane.tags@corp.io]
url: https://corp.io/?mail=jane.url@corp.io
---
# Ask jane.heading@corp.io

Write to jane.text@corp.io.
"""


def test_every_place_that_is_redacted_is_told(tmp_path: Path) -> None:
    (tmp_path / "jane.id@corp.io.md").write_text(FRONT)
    report = json.loads(firstline("--json", str(tmp_path / "jane.id@corp.io.md")).output)
    where = [one["where"] for one in report["places"]]
    assert where.count("text") >= 2 and {"title", "author", "tags", "link"} <= set(where)
    assert [one["where"] for one in report["kept_in_id"]] == ["id"]
    assert "jane." not in json.dumps(report)
    told = firstline(str(tmp_path / "jane.id@corp.io.md")).output
    for name in ("title", "author", "tags"):
        assert f"  {name}, column" in told
    assert "(the link is left out)" in told and "(KEPT: an id is not redacted)" in told
    assert "rename the file" in told and "jane." not in told


def test_columns_of_a_table_are_told(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,title,text,requester,phone\n7,Help,It is broken.,j@corp.io,+49 30 90182044\n")
    report = json.loads(firstline("--json", "--kind", "ticket", str(tmp_path / "t.csv")).output)
    assert {"requester": "EMAIL", "phone": "PHONE"}.items() <= {
        one["where"]: one["type"] for one in report["places"]
    }.items()


def test_what_signs_hide_is_told(tmp_path: Path) -> None:
    (tmp_path / "t.md").write_text("---\nowner: jane%40corp.io%20is%20jane.roe%40corp.io\n---\nText.\n")
    report = json.loads(firstline("--json", str(tmp_path / "t.md")).output)
    assert [one["where"] for one in report["places"]] and {one["where"] for one in report["places"]} == {"owner"}


def test_the_places_are_those_of_ingest(tmp_path: Path) -> None:
    """What ingest keeps holds no placeholder that the preview did not tell of."""
    import asyncio

    from firstline.cli.redact_preview import preview
    from firstline.connectors.files import FilesSource
    from firstline.documents.prepare import prepare
    from firstline.documents.redact import PatternRedactor
    from firstline.domain import DocumentKind, Level, SourceItem

    (tmp_path / "page.md").write_text(FRONT)
    source = FilesSource(
        [str(tmp_path / "page.md")],
        kind=DocumentKind.DOCUMENTATION,
        acl=frozenset({"everyone"}),
        level=Level.PUBLIC,
        map={},
        bytes_max=10_000,
    )

    async def only() -> SourceItem:
        (item,) = [one async for one in source.items()]
        assert isinstance(item, SourceItem)
        return item

    item, redactor = asyncio.run(only()), PatternRedactor()
    found = prepare(item, tenant="t", kb="k", candidate=1, redactor=redactor, count_tokens=len, chunk_tokens=100)
    kept = f"{found.blob.decode()} {found.document.title} {dict(found.document.metadata)}"
    told = preview(item, redactor)
    assert set(re.findall(r"\[[A-Z]+_\d+\]", kept)) <= {one["placeholder"] for one in told["places"]}
    assert found.document.title == told["title"] and found.blob.decode() == told["text"]
    assert found.document.url is None
