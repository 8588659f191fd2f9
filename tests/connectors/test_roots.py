"""Where a source starts, what its documents are called, and what tells two folders of one name apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from firstline.connectors.files import FilesSource
from firstline.documents.redact import PatternRedactor
from firstline.domain import EVERYONE, ORIGIN, DocumentKind, Failure, Level, SourceItem
from firstline.errors import InvalidInput


def source(*paths: Path, name: str = "", columns: dict[str, str] | None = None) -> FilesSource:
    return FilesSource(
        paths,
        kind=DocumentKind.DOCUMENTATION,
        acl=frozenset({EVERYONE}),
        level=Level.PUBLIC,
        map=columns or {},
        bytes_max=1_000_000,
        name=name,
    )


async def items(files: FilesSource) -> dict[str, SourceItem]:
    return {item.item_id: item async for item in files.items() if isinstance(item, SourceItem)}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for parent in ("a", "b"):
        (tmp_path / parent / "manual").mkdir(parents=True)
        (tmp_path / parent / "manual" / "spec.md").write_text(f"# {parent}\n")
        (tmp_path / parent / "manual" / "rows.csv").write_text("id,text,origin\n1,words,Rome\n")
    return tmp_path / "a" / "manual", tmp_path / "b" / "manual"


async def test_two_folders_of_one_name_have_fingerprints_of_their_own(folders: tuple[Path, Path]) -> None:
    one, other = source(folders[0]), source(folders[1])
    assert one.prefixes == other.prefixes == ("manual/",)
    assert one.origins["manual/"] != other.origins["manual/"]
    found = await items(one)
    assert list(found) == ["manual/rows.csv#1", "manual/spec.md"]
    assert {item.metadata[ORIGIN] for item in found.values()} == {one.origins["manual/"]}
    assert found["manual/rows.csv#1"].metadata["origin"] == "Rome"


async def test_the_same_path_twice_gives_the_same_hashes(folders: tuple[Path, Path]) -> None:
    again = [{name: item.content_hash for name, item in (await items(source(folders[0]))).items()} for _ in range(2)]
    assert again[0] == again[1]


def test_a_folder_and_its_files_named_by_their_paths_come_from_one_place(folders: tuple[Path, Path]) -> None:
    files = source(*(folder / "spec.md" for folder in folders))
    assert list(files.origins) == ["a/manual/spec.md", "b/manual/spec.md"]
    assert files.origins["a/manual/spec.md"] == source(folders[0].parent).origins["a/"]


def test_a_fingerprint_shows_no_path_and_is_nothing_to_redact(folders: tuple[Path, Path]) -> None:
    redactor = PatternRedactor()
    for folder in (*folders, *(path for one in folders for path in one.iterdir())):
        for origin in source(folder).origins.values():
            assert len(origin) == 16 and origin.isalpha()
            assert redactor.redact(origin).text == origin


async def test_a_name_stands_in_for_the_folders_own_wherever_it_lies(folders: tuple[Path, Path]) -> None:
    one, other = (source(folder, name="pump/") for folder in folders)
    assert list(await items(one)) == ["pump/rows.csv#1", "pump/spec.md"]
    assert one.origins == other.origins
    assert one.origins["pump/"] != source(folders[0]).origins["manual/"]


@pytest.mark.parametrize("name", ["/", "a#b"])
def test_what_is_no_name_is_refused(name: str, folders: tuple[Path, Path]) -> None:
    with pytest.raises(InvalidInput, match="is no name"):
        source(folders[0], name=name)


def test_one_name_is_for_one_folder(folders: tuple[Path, Path]) -> None:
    with pytest.raises(InvalidInput, match="given to 2"):
        source(*folders, name="pump")


@pytest.mark.parametrize(
    ("file", "content"),
    [("t.csv", "Key,Body\n1,words\n"), ("t.jsonl", '{"Key": "1"}\n{"Body": "words"}\n')],
)
async def test_a_mapped_column_that_a_table_lacks_refuses_it_with_those_it_has(
    file: str, content: str, tmp_path: Path
) -> None:
    (tmp_path / file).write_text(content)
    found = [item async for item in source(tmp_path / file, columns={"text": "Nope", "id": "key"}).items()]
    assert len(found) == 1 and isinstance(found[0], Failure)
    assert found[0].item_id == file
    assert found[0].reason == "It has no column 'Nope'. Its columns are Key, Body: name one of them with --map."


async def test_a_mapped_column_may_first_come_in_a_later_row(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"id": "1", "text": "words"}\nnonsense\n{"id": "2", "Body": "more"}\n')
    found = await items(source(tmp_path / "t.jsonl", columns={"text": "body"}))
    assert [item.raw for item in found.values()] == [b"words\n", b"more\n"]
