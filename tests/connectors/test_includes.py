"""Files that a page takes in: from inside the folder only, never past who may see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from firstline.connectors.files import FilesSource
from firstline.domain import DocumentKind, Level, SourceItem


async def text_of(folder: Path, name: str, *, acl: frozenset[str] = frozenset({"everyone"})) -> str:
    source = FilesSource(
        [folder], kind=DocumentKind.DOCUMENTATION, acl=acl, level=Level.CUSTOMER, map={}, bytes_max=100_000
    )
    found = {item.item_id: item async for item in source.items() if isinstance(item, SourceItem)}
    return found[f"{folder.name}/{name}"].raw.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    (made / "parts").mkdir(parents=True)
    (made / "parts" / "a.md").write_text("---\ntitle: A\n---\nIncluded words.\n")
    (made / "parts" / "b.rst").write_text("Included words.\n")
    (made / "parts" / "c.adoc").write_text("Included words.\n")
    (tmp_path / "secret.md").write_text("Secret words.\n")
    (made / ".hidden.md").write_text("Secret words.\n")
    return made


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("p.rst", "x\n\n.. include:: parts/b.rst\n\ny", "x\n\nIncluded words.\n\ny"),
        ("p.rst", ".. include:: /parts/b.rst", "Included words."),
        ("p.adoc", "include::parts/c.adoc[leveloffset=+1]", "Included words."),
        ("p.md", '--8<-- "parts/a.md"', "Included words."),
        ("p.md", '    --8<-- "a.md"', '    --8<-- "a.md"'),
        ("p.md", "{!parts/a.md!}", "Included words."),
        ("p.md", '{% include-markdown "parts/a.md" %}', "Included words."),
        ("p.md", "```{include} parts/a.md\n:start-line: 1\n```\ny", "Included words.\ny"),
        ("p.mdx", "import A from './parts/a.md';\n\n<A />", "import A from './parts/a.md';\n\nIncluded words."),
        ("parts/p.md", '  --8<-- "a.md"', "  Included words."),
        # Narrowed by lines or tags, unknown, or no page: left as it stands.
        ("p.rst", ".. include:: parts/b.rst\n   :start-line: 2", ".. include:: parts/b.rst\n   :start-line: 2"),
        ("p.adoc", "include::parts/c.adoc[tag=x]", "include::parts/c.adoc[tag=x]"),
        ("p.md", '--8<-- "gone.md"', '--8<-- "gone.md"'),
        ("p.md", '--8<-- ".hidden.md"', '--8<-- ".hidden.md"'),
        ("p.md", '--8<-- "../secret.md"', '--8<-- "../secret.md"'),
        ("p.rst", ".. include:: /../secret.md", ".. include:: /../secret.md"),
        ("p.adoc", "include::/etc/hostname.txt[]", "include::/etc/hostname.txt[]"),
        ("p.txt", ".. include:: parts/b.rst", ".. include:: parts/b.rst"),
    ],
)
async def test_what_a_page_takes_in(folder: Path, name: str, text: str, expected: str) -> None:
    (folder / name).write_text(text)
    assert await text_of(folder, name) == expected


async def test_a_link_that_leads_out_is_not_taken_in(folder: Path) -> None:
    (folder / "parts" / "link.md").symlink_to(folder.parent / "secret.md")
    (folder / "p.md").write_text('--8<-- "parts/link.md"')
    assert "Secret" not in await text_of(folder, "p.md")


@pytest.mark.parametrize("access", ["level: restricted", "acl: [staff]", "level: nonsense"])
async def test_a_file_with_an_access_of_its_own_is_not_taken_in(folder: Path, access: str) -> None:
    (folder / "parts" / "own.md").write_text(f"---\n{access}\n---\nSecret words.\n")
    (folder / "p.md").write_text('--8<-- "parts/own.md"')
    assert "Secret" not in await text_of(folder, "p.md")


@pytest.mark.parametrize(
    ("own", "takes"),
    [("level: public", False), ("acl: [everyone, staff]", False), ("level: internal", True), ("title: T", True)],
)
async def test_a_page_that_is_open_to_more_people_takes_nothing_in(folder: Path, own: str, takes: bool) -> None:
    (folder / "p.md").write_text(f'---\n{own}\n---\n--8<-- "parts/a.md"')
    assert ("Included" in await text_of(folder, "p.md")) is takes


async def test_files_that_take_in_each_other_end(folder: Path) -> None:
    (folder / "p.md").write_text('p\n--8<-- "q.md"')
    (folder / "q.md").write_text('q\n--8<-- "p.md"\n--8<-- "q.md"')
    assert await text_of(folder, "p.md") == 'p\nq\n--8<-- "p.md"\n--8<-- "q.md"'


async def test_pages_do_not_grow_past_the_limit(folder: Path) -> None:
    (folder / "big.md").write_text("x" * 40_000)
    (folder / "p.md").write_text('--8<-- "big.md"\n' * 10)
    assert len(await text_of(folder, "p.md")) < 100_000
