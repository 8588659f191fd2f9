from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from firstline.connectors.files import FilesSource
from firstline.documents.parse import parse
from firstline.domain import EVERYONE, ORIGIN, DocumentKind, Failure, Level, SourceItem, question_key
from firstline.errors import InvalidInput


def source(
    paths: Sequence[str | Path],
    *,
    columns: Mapping[str, str] | None = None,
    bytes_max: int = 1_000_000,
    level: Level = Level.PUBLIC,
    acl: frozenset[str] = frozenset({EVERYONE}),
    may_be_empty: bool = False,
) -> FilesSource:
    return FilesSource(
        paths,
        kind=DocumentKind.DOCUMENTATION,
        acl=acl,
        level=level,
        map=columns or {},
        bytes_max=bytes_max,
        may_be_empty=may_be_empty,
    )


async def collect(files: FilesSource) -> tuple[dict[str, SourceItem], dict[str, str]]:
    items: dict[str, SourceItem] = {}
    failures: dict[str, str] = {}
    async for item in files.items():
        if isinstance(item, Failure):
            failures[item.item_id] = item.reason
        else:
            assert item.item_id not in items
            items[item.item_id] = item
    return items, failures


def said(item: SourceItem) -> dict[str, str]:
    """Its metadata without the fingerprint of the place."""
    return {name: value for name, value in item.metadata.items() if name != ORIGIN}


def write(path: Path, content: str | bytes = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


async def test_a_folder_in_order_with_stable_ids(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    for name in ("b.md", "a/z.txt", "a/y.HTML", ".hidden/x.md", ".x.md", "logo.png", "Makefile"):
        write(root / name)
    files = source([root])
    items, failures = await collect(files)
    assert list(items) == ["docs/a/y.HTML", "docs/a/z.txt", "docs/b.md"]
    assert [item.media_type for item in items.values()] == ["text/html", "text/plain", "text/markdown"]
    assert failures == {} and files.ignored == 2 and files.prefixes == ("docs/",)


async def test_files_globs_and_roots_of_one_name(tmp_path: Path) -> None:
    write(tmp_path / "one/docs/a.md")
    write(tmp_path / "two/docs/a.md")
    items, _ = await collect(source([tmp_path / "one/docs", tmp_path / "two/docs", tmp_path / "one/docs"]))
    assert list(items) == ["one/docs/a.md", "two/docs/a.md"]
    items, _ = await collect(source([tmp_path / "one/docs/a.md"]))
    assert list(items) == ["a.md"]
    items, _ = await collect(source([str(tmp_path / "**/*.md")]))
    assert list(items) == ["one/docs/a.md", "two/docs/a.md"]


async def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="There is no file or folder at"):
        source([tmp_path / "absent"])
    with pytest.raises(InvalidInput, match="Nothing matches"):
        source([str(tmp_path / "*.md")])
    with pytest.raises(InvalidInput, match=r"no document.*Supported are \.md"):
        await collect(source([tmp_path]))
    write(tmp_path / "x.exe")
    with pytest.raises(InvalidInput, match="Supported are"):
        await collect(source([tmp_path]))


async def test_what_a_file_is_not(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "zip.md", "w") as archive:
        archive.writestr("a", "b")
    write(tmp_path / "binary.txt", b"text\x00\x01\x02" * 100)
    write(tmp_path / "not.pdf", "hello")
    write(tmp_path / "not.docx", "hello")
    write(tmp_path / "empty.md", "")
    write(tmp_path / "large.txt", "x" * 3_000_000)
    write(tmp_path / "utf16.txt", "hello there".encode("utf-16"))
    items, failures = await collect(source([tmp_path], bytes_max=2_000_000))
    reasons = {name.rsplit("/", 1)[-1]: reason for name, reason in failures.items()}
    assert [name.rsplit("/", 1)[-1] for name in items] == ["utf16.txt"]
    assert reasons.pop("large.txt") == (
        "It has 2.9 MiB, more than the limit of 1.9 MiB. Split it, or raise the setting `file_bytes_max`."
    )
    assert reasons == {
        "zip.md": "It is named .md and is a zip archive or Office document. "
        "Unpack it and ingest what is in it; name a Word file .docx.",
        "binary.txt": "It is named .txt and holds binary data. Name it by what it is, or leave it out.",
        "not.pdf": "It is named .pdf and is not a PDF. Name it by what it is, or leave it out.",
        "not.docx": "It is named .docx and is not a Word document. Name it by what it is, or leave it out.",
        "empty.md": "It is empty. Put text in it, or leave it out.",
    }


async def test_a_huge_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(300 * 1024**2)
    _, failures = await collect(source([tmp_path]))
    assert "300.0 MiB" in next(iter(failures.values()))


async def test_links_pipes_and_closed_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "docs"
    write(root / "a/one.md")
    (root / "a/loop").symlink_to(root)
    (root / "self.md").symlink_to(root / "self.md")
    (root / "gone.md").symlink_to(tmp_path / "absent.md")
    os.mkfifo(root / "pipe.md")
    (root / "closed").mkdir()
    listed = Path.iterdir

    def iterdir(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    files = source([root])
    items, failures = await collect(files)
    assert list(items) == ["docs/a/one.md"]
    # Each is named: what cannot be read must not look deleted.
    assert failures == {
        "docs/closed/": "This folder cannot be opened: permission denied. "
        "Give firstline's user the right to read it, or leave it out.",
        "docs/gone.md": "This file cannot be opened: no such file or directory. "
        "Let the link lead to a file, or remove it.",
        "docs/pipe.md": "This is a pipe, socket or device, not a file. Leave it out.",
        "docs/self.md": "This file cannot be opened: too many levels of symbolic links. "
        "Let the link lead to a file, or remove it.",
    }
    assert files.ignored == 0


async def test_odd_names_do_not_crash(tmp_path: Path) -> None:
    write(tmp_path / "d/über 𝄞.md")
    write(Path(os.fsdecode(os.fsencode(tmp_path / "d") + b"/bad\xff.md")))
    items, _ = await collect(source([tmp_path / "d"]))
    assert list(items) == ["d/bad\\xff.md", "d/über 𝄞.md"]
    json.dumps(list(items)).encode()


async def test_front_matter_outranks_what_was_given(tmp_path: Path) -> None:
    head = (
        "---\ntitle: How to pay?\nacl: [staff, ops]\nlevel: internal\nkind: faq\nurl: https://x.example/pay\n---\nText"
    )
    write(tmp_path / "a.md", head)
    write(tmp_path / "b.md", "---\nacl: []\n---\nText")
    write(tmp_path / "c.md", "---\nlevel: secret\n---\nText")
    write(tmp_path / "d.md", "---\nacl: [staff\n---\nText")
    write(tmp_path / "e.md", "---\ntitle: [broken\n---\nText")
    items, failures = await collect(source([tmp_path]))
    by_name = {name.rsplit("/", 1)[-1]: item for name, item in items.items()}
    assert by_name["a.md"].acl == {"staff", "ops"} and by_name["a.md"].level is Level.INTERNAL
    assert by_name["a.md"].kind is DocumentKind.FAQ and by_name["a.md"].url == "https://x.example/pay"
    assert by_name["a.md"].metadata["question_key"] == "how to pay"
    assert by_name["b.md"].acl == frozenset()
    assert set(by_name) == {"a.md", "b.md", "e.md"}
    assert [reason[:12] for reason in failures.values()] == ["Its level 's", "Its front ma"]


async def test_the_hash_names_everything_that_shapes_a_document(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "one")

    async def digest(**changed: object) -> str:
        items, _ = await collect(source([path], **changed))  # type: ignore[arg-type]
        return items["a.md"].content_hash

    first = await digest()
    assert first == await digest()
    assert first != await digest(level=Level.INTERNAL)
    assert first != await digest(acl=frozenset({"staff"}))
    path.write_text("two")
    assert first != await digest()


async def test_jsonl_rows(tmp_path: Path) -> None:
    rows = [
        json.dumps(
            {"id": "t-1", "title": "Crash", "text": "# Big\n\nIt crashed.", "product": "db", "level": "internal"}
        ),
        "{broken",
        '["no object"]',
        json.dumps({"id": "t-2", "symptom": "Slow", "cause": "Disk", "fix": "Replace it", "environment": "Linux"}),
        json.dumps({"question": "How do I pay?", "answer": "By card."}),
        json.dumps({"id": "t-1", "text": "again"}),
        json.dumps({"id": "t-3", "title": "no text"}),
        json.dumps({"id": 7, "text": "plain words", "acl": "a, b", "nested": {"x": 1}, "tags": ["p", "q"]}),
        json.dumps({"id": "t-4", "text": "---\nlevel: restricted\nacl: [ops]\n---\nhush", "level": "public"}),
        "",
    ]
    write(tmp_path / "t.jsonl", "\n".join(rows))
    items, failures = await collect(source([tmp_path / "t.jsonl"]))
    example = 'Every line must be one object, like {"id": "1", "title": "...", "text": "..."}.'
    first, ticket, faq, last, secret = items.values()
    assert secret.level is Level.RESTRICTED and secret.acl == {"ops"}
    assert first.item_id == "t.jsonl#t-1" and first.media_type == "text/markdown" and first.level is Level.INTERNAL
    assert said(first) == {"product": "db"}
    assert ticket.raw.decode() == (
        "## Symptom\n\nSlow\n\n## Environment\n\nLinux\n\n## Cause\n\nDisk\n\n## Resolution\n\nReplace it\n"
    )
    assert faq.kind is DocumentKind.FAQ and faq.title == "How do I pay?" and len(faq.item_id) == len("t.jsonl#") + 16
    assert faq.metadata["question_key"] == question_key("how do i  PAY")
    assert last.item_id == "t.jsonl#7" and last.acl == {"a", "b"} and said(last) == {"tags": "p, q"}
    assert last.media_type == "text/plain"
    assert failures == {
        "t.jsonl#line 2": "Line 2: it is not valid JSON "
        f"(expecting property name enclosed in double quotes at column 2). {example}",
        "t.jsonl#line 3": f"Line 3: it is not a JSON object. {example}",
        "t.jsonl#line 6": "Line 6: the id of this row was used before. Give every row an id of its own.",
        "t.jsonl#line 7": "Line 7: it has no text; use --map to name the column that holds it.",
    }


async def test_csv_rows_with_a_mapping(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", 'Key;Summary;Description;Team\n1;One;"two\nlines";red\n\n2;Two;x;blue;extra\n3;Three;y\n')
    columns = {"id": "Key", "title": "Summary", "text": "Description"}
    files = source([tmp_path / "t.csv"], columns=columns)
    assert files.prefixes == ("t.csv#",)
    items, failures = await collect(files)
    assert [(item.item_id, item.title, item.raw) for item in items.values()] == [
        ("t.csv#1", "One", b"two\nlines\n"),
        ("t.csv#3", "Three", b"y\n"),
    ]
    assert said(items["t.csv#1"]) == {"team": "red"}
    assert list(failures.values()) == [
        "Line 5: it has 5 fields, the header has 4. Put a field that holds ';' in double quotes."
    ]


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("What’s  up?", "whats up", True),
        ("Ｈｅｌｌｏ", "hello!", True),
        ("C# or C++?", "c or c", False),
        ("version 1.2", "version 12", False),
        ("🙂", "", True),
    ],
)
def test_question_keys(left: str, right: str, equal: bool) -> None:
    assert (question_key(left) == question_key(right)) is equal


@pytest.mark.parametrize(
    ("name", "raw", "text", "said"),
    [
        ("a.txt", "naïve café".encode(), "naïve café", ""),
        ("a.txt", "\ufeffnaïve café".encode(), "\ufeffnaïve café", ""),
        ("a.txt", "naïve café – “quoted”".encode("cp1252"), "naïve café – “quoted”", "is not UTF-8; it was read as Wi"),
        ("a.md", "größe ".encode() * 50 + b"\xff\xfe", "größe " * 50 + "\ufffd" * 2, "holds bytes that are not UTF-8"),
        ("a.md", "hello there".encode("utf-16"), "hello there", ""),
        ("a.md", "hello there".encode("utf-32"), "hello there", ""),
        ("a.txt", "hello there".encode("utf-16-be"), "hello there", "is not UTF-8; it was read as UTF-16"),
        ("a.html", "<p>café".encode("cp1252"), "<p>café", "is not UTF-8; it was read as Windows-1252."),
        ("a.html", b"<meta charset=utf-8><p>caf\xe9", "<meta charset=utf-8><p>café", "is not UTF-8; it was read as Wi"),
        ("a.csv", "text\ncafé\n".encode("cp1252"), "café\n", "is not UTF-8; it was read as Windows-1252."),
    ],
)
async def test_what_is_not_utf8_is_read_and_told(tmp_path: Path, name: str, raw: bytes, text: str, said: str) -> None:
    files = source([write(tmp_path / name, raw)])
    for _ in range(2):
        items, failures = await collect(files)
        assert failures == {}
        assert [item.raw.decode() for item in items.values()] == [text]
        assert [str(notice).startswith(f"{name} {said}") for notice in files.notices] == [True] * bool(said)


async def test_a_web_page_that_declares_its_encoding_is_left_to_its_reader(tmp_path: Path) -> None:
    raw = '<meta charset="windows-1251"><p>Привет, мир</p>'.encode("cp1251")
    files = source([write(tmp_path / "a.html", raw)])
    items, _ = await collect(files)
    assert items["a.html"].raw == raw and files.notices == []


async def test_access_is_read_from_front_matter_in_any_encoding(tmp_path: Path) -> None:
    page = "---\ntitle: Größe\nlevel: restricted\nacl: [ops]\n---\nhush"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"):
        items, _ = await collect(source([write(tmp_path / "a.md", page.encode(encoding))]))
        item = items["a.md"]
        assert (item.title, item.level, item.acl) == ("Größe", Level.RESTRICTED, {"ops"}), encoding


async def test_a_data_folder_is_no_knowledge(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md")
    write(tmp_path / "data/firstline.json", '{"format": 1}')
    write(tmp_path / "data/postgres/server.log", "LOG: ready")
    write(tmp_path / "docs/app/firstline.json", "{}")
    write(tmp_path / "docs/app/b.md")
    items, failures = await collect(source([tmp_path]))
    assert [name.partition("/")[2] for name in items] == ["docs/a.md", "docs/app/b.md"]
    assert failures == {}


@pytest.mark.parametrize("path", ["", "  "])
def test_an_empty_path_is_not_the_folder_we_are_in(path: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        source([path])


@pytest.mark.parametrize(
    "page",
    [
        "\n\n---\nlevel: internal\n---\nhush",
        "\ufeff\n---\nlevel: internal\n---\nhush",
        "\n\ufeff---  \nlevel: internal\n---\nhush",
        "<!-- a comment -->\n---\nlevel: internal\n---\nhush",
        '+++\nlevel = "internal"\n+++\nhush',
        '\n+++\ntitle = "A"\nLevel = "Internal"\n+++\nhush',
        "---\nLevel: internal\n---\nhush",
        "---\nLEVEL : Internal\n---\nhush",
        '---\r\n"Level": INTERNAL\r\n---\r\nhush',
    ],
)
async def test_a_level_is_understood_however_it_is_set(tmp_path: Path, page: str) -> None:
    items, failures = await collect(source([write(tmp_path / "a.md", page)]))
    assert failures == {} and items["a.md"].level is Level.INTERNAL
    assert parse(items["a.md"]).text.strip() == "hush", "and the block is not part of the page"
    rows = write(tmp_path / "t.jsonl", json.dumps({"id": "1", "text": page.replace("\r\n", "\n")}))
    items, _ = await collect(source([rows]))
    assert items["t.jsonl#1"].level is Level.INTERNAL and items["t.jsonl#1"].media_type == "text/markdown"


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("---\ntitle: A\nlevel: internal\n\n# Text\nhush", "is not closed"),
        ("---\nAcl: [staff]\nhush", "is not closed"),
        ("---\n# who\nlevel: internal\nhush", "is not closed"),
        ('+++\nlevel = "internal"\nhush', "is not closed"),
        ("---\nlevel: internal\nlevel: public\n---\nhush", "says `level` twice"),
        ("---\nlevel: internal\nLevel: public\n---\nhush", "says `level` twice"),
        ("---\nacl: [staff]\nacl: [everyone]\n---\nhush", "says `acl` twice"),
        ('+++\nlevel = "internal"\nlevel = "public"\n+++\nhush', "is not valid TOML"),
        ('+++\nlevel = "internal"\nLevel = "public"\n+++\nhush', "says `level` twice"),
        ("---\nlevel:\n---\nhush", "leaves `level` empty"),
        ('{\n  "title": "A",\n  "level": "internal"\n}\nhush', "is JSON"),
    ],
)
async def test_access_that_cannot_be_understood_never_falls_back_to_the_sources(
    tmp_path: Path, page: str, reason: str
) -> None:
    _, failures = await collect(source([write(tmp_path / "a.md", page)]))
    assert reason in failures["a.md"]


@pytest.mark.parametrize(
    "page",
    [
        "---\n\nA page that opens with a rule.\n\nlevel: 3 of the game",
        "---\ntitle: never closed\n\nText about the level of water.",
        "---\ntitle: A\ntitle: B\n---\nText",
        "{/* a component */}\n\nText\n\n```\nlevel: debug\n```",
        "Text\n\n---\nlevel: internal\n---\n",
    ],
)
async def test_pages_that_set_no_access_are_taken(tmp_path: Path, page: str) -> None:
    items, failures = await collect(source([write(tmp_path / "a.md", page)]))
    assert failures == {} and items["a.md"].level is Level.PUBLIC


async def test_links_are_followed_inside_the_folder_and_never_out_of_it(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    write(root / "a.md")
    write(tmp_path / "secret/plan.md")
    (root / "inside.md").symlink_to(root / "a.md")
    (root / "out.md").symlink_to(tmp_path / "secret/plan.md")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "out.png").symlink_to(tmp_path / "secret")
    (root / "relative").symlink_to("../secret")
    (tmp_path / "way").symlink_to(root)
    for given, label in ((root, "docs"), (tmp_path / "way", "way")):
        items, failures = await collect(source([given]))
        assert list(items) == [f"{label}/a.md", f"{label}/inside.md"]
        assert set(failures) == {f"{label}/out/", f"{label}/out.md", f"{label}/out.png/", f"{label}/relative/"}
        assert all(reason.startswith("This link leads out of the folder") for reason in failures.values())
    items, failures = await collect(source([str(root / "*.md")]))
    assert "a.md" in items and list(failures) == ["out.md"]
    _, failures = await collect(source([str(root / "**/*.md")]))
    assert any(name.endswith(("plan.md", "out.md")) for name in failures)
    items, _ = await collect(source([root / "out.md"]))
    assert list(items) == ["out.md"], "a file that is named itself is meant"


async def test_an_emptied_folder_is_an_answer_only_when_asked_for_and_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one/deep").mkdir(parents=True)
    with pytest.raises(InvalidInput, match="There is no document"):
        await collect(source([tmp_path / "one"]))
    assert await collect(source([tmp_path / "one"], may_be_empty=True)) == ({}, {})
    write(tmp_path / "data/firstline.json", "{}")
    write(tmp_path / "data/postgres/x.md")
    with pytest.raises(InvalidInput, match="There is no document"):
        await collect(source([tmp_path / "data"], may_be_empty=True))

    def closed(path: Path) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", closed)
    items, failures = await collect(source([tmp_path / "one"], may_be_empty=True))
    assert items == {} and list(failures) == ["one/"]
