"""Folders and tables as sources."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from opened import hear, opened
from site_server import Asked, Says, Site, page, serving

from firstline.domain import DocumentKind
from firstline.errors import InvalidInput, NotAccepted, TooManyRequests, Unauthenticated, Unavailable

CSV = "id,title,text\n1,Alpha,About alpha.\n2,Beta,About beta.\n"
CSV_TYPE = {"Content-Type": "text/csv; charset=utf-8"}


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


# --- folders ---------------------------------------------------------------------------------------------------------


async def test_a_folder_is_listed_whole(tmp_path: Path):
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / "a.md").write_text("# A\n\nAlpha.")
    (docs / "sub" / "b.txt").write_text("Beta.")
    (docs / "t.csv").write_text(CSV)
    said = await hear(opened("folder", tmp_path, path=str(docs)))
    assert set(said.items) == {"a.md", "sub/b.txt", "t.csv#1", "t.csv#2"}
    assert (said.complete, said.error) == (["src/"], None)


async def test_a_file_that_cannot_be_read_is_a_failure(tmp_path: Path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("Alpha.")
    (docs / "b.pdf").write_text("no pdf")
    said = await hear(opened("folder", tmp_path, path=str(docs)))
    assert (set(said.items), set(said.failures)) == ({"a.md"}, {"b.pdf"})


async def test_an_empty_folder_says_so_and_a_missing_one_is_an_accident(tmp_path: Path):
    docs = tmp_path / "docs"
    docs.mkdir()
    said = await hear(opened("folder", tmp_path, path=str(docs)))
    assert (said.items, said.complete) == ({}, ["src/"])
    docs.rmdir()
    said = await hear(opened("folder", tmp_path, path=str(docs)))
    assert isinstance(said.error, InvalidInput) and said.complete == []


async def test_a_path_is_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Alpha.")
    monkeypatch.chdir(tmp_path)
    source = opened("folder", tmp_path, path="docs")
    monkeypatch.chdir("/")
    assert set((await hear(source)).items) == {"a.md"}


# --- tables ----------------------------------------------------------------------------------------------------------


async def test_a_table_at_an_address(site: Site, tmp_path: Path):
    site.routes["/t.csv"] = Says(body=CSV, headers={**CSV_TYPE, "ETag": '"1"'})
    said = await hear(opened("table", tmp_path, place=f"{site.url}/t.csv", allow_private=True))
    assert said.texts == {"rows#1": "About alpha.\n", "rows#2": "About beta.\n"}
    assert said.complete == ["src/"]

    def same(asked: Asked) -> Says:
        return Says(status=304 if asked.headers.get("if-none-match") == '"1"' else 200)

    site.routes["/t.csv"] = same
    again = await hear(opened("table", tmp_path, place=f"{site.url}/t.csv", allow_private=True), said.cursor)
    assert again.changes == []
    assert not list((tmp_path / "place").rglob("*")), "nothing stays on disk"


@pytest.mark.parametrize(
    ("body", "name", "media_type"),
    [
        ('{"id": 1, "text": "A"}\n{"id": 2, "text": "B"}\n', "t", "application/x-ndjson"),
        ('{"id": 1, "text": "A"}\n{"id": 2, "text": "B"}\n', "t.jsonl", "text/plain"),
        ('[{"id": 1, "text": "A"}, {"id": 2, "text": "B"}]', "t", "application/json"),
        ('{"count": 2, "rows": [{"id": 1, "text": "A"}, {"id": 2, "text": "B"}]}', "t.json", ""),
        ("id;text\n1;A\n2;B\n", "t", "text/csv"),
    ],
    ids=["type", "name", "list", "list inside", "semicolons"],
)
async def test_forms_are_told_by_type_and_name(site: Site, tmp_path: Path, body: str, name: str, media_type: str):
    site.routes[f"/{name}"] = Says(body=body, headers={"Content-Type": media_type} if media_type else {})
    said = await hear(opened("table", tmp_path, place=f"{site.url}/{name}", allow_private=True))
    assert (set(said.items), said.error) == ({"rows#1", "rows#2"}, None)


async def test_columns_are_named(site: Site, tmp_path: Path):
    site.routes["/t.csv"] = Says(body="Nr,Words\n7,About alpha.\n", headers=CSV_TYPE)
    options = {"place": f"{site.url}/t.csv", "allow_private": True, "map": {"id": "Nr", "text": "Words"}}
    said = await hear(opened("table", tmp_path, **options))
    assert said.texts == {"rows#7": "About alpha.\n"}


async def test_pages_are_followed(site: Site, tmp_path: Path):
    def rows(asked: Asked) -> Says:
        number = int(asked.query.get("page", "1"))
        headers = {"Content-Type": "application/json"}
        if number < 4:
            headers["Link"] = f'</t?page={number + 1}>; rel="next"'
        body = [{"id": 2 * number + each, "text": f"Row {each}"} for each in (0, 1)]
        return Says(body=json.dumps(body), headers=headers)

    site.routes["/t"] = rows
    said = await hear(opened("table", tmp_path, place=f"{site.url}/t", allow_private=True))
    assert set(said.items) == {f"rows#{number}" for number in range(2, 10)}
    assert (said.complete, said.cursor, len(site.asked)) == (["src/"], None, 4)


async def test_pages_in_a_circle_end_with_an_alert(site: Site, tmp_path: Path):
    site.routes["/t"] = Says(
        body='[{"id": 1, "text": "A"}]', headers={"Content-Type": "application/json", "Link": '</t>; rel="next"'}
    )
    said = await hear(opened("table", tmp_path, place=f"{site.url}/t", allow_private=True))
    assert (said.keeps, said.complete, len(site.asked)) == (True, [], 1)


async def test_a_page_that_fails_makes_nothing_complete(site: Site, tmp_path: Path):
    site.routes["/t"] = [
        Says(
            body='[{"id": 1, "text": "A"}]',
            headers={"Content-Type": "application/json", "Link": '</t?page=2>; rel="next"'},
        ),
        Says(status=500),
    ]
    said = await hear(opened("table", tmp_path, place=f"{site.url}/t", allow_private=True))
    assert isinstance(said.error, Unavailable)
    assert (set(said.items), said.complete, said.cursor) == ({"rows#1"}, [], None)


@pytest.mark.parametrize(
    ("said_there", "kind"),
    [
        (Says(status=401), Unauthenticated),
        (Says(status=503), Unavailable),
        (Says(status=429, headers={"Retry-After": "99"}), TooManyRequests),
        (Says(body=b"x" * 300_000, headers=CSV_TYPE), NotAccepted),
        (Says(body="{", headers={"Content-Type": "application/json"}), InvalidInput),
        (Says(body='{"a": 1}', headers={"Content-Type": "application/json"}), InvalidInput),
        (Says(body="x", headers={"Content-Type": "image/png"}), InvalidInput),
        (Says(status=302, headers={"Location": "https://login.example/"}), InvalidInput),
    ],
    ids=["401", "503", "429", "huge", "broken", "no rows", "image", "login"],
)
async def test_accidents_yield_nothing(site: Site, tmp_path: Path, said_there: Says, kind: type[Exception]):
    site.routes["/t"] = said_there
    said = await hear(opened("table", tmp_path, place=f"{site.url}/t", allow_private=True))
    assert isinstance(said.error, kind)
    assert said.changes == []


async def test_a_login_page_in_place_of_a_table_is_an_alert(site: Site, tmp_path: Path):
    site.routes["/t"] = page("<h1>Log in</h1>")
    said = await hear(opened("table", tmp_path, place=f"{site.url}/t", format="csv", allow_private=True))
    assert (said.keeps, said.items, said.complete) == (True, {}, [])


async def test_a_broken_row_is_a_failure_and_the_rest_goes_on(site: Site, tmp_path: Path):
    site.routes["/t.jsonl"] = Says(body='{"id": 1, "text": "A"}\nbroken\n{"id": 3}\n{"id": 4, "text": "D"}\n')
    said = await hear(opened("table", tmp_path, place=f"{site.url}/t.jsonl", allow_private=True))
    assert set(said.items) == {"rows#1", "rows#4"}
    assert set(said.failures) == {"rows#line 2", "rows#line 3"}


async def test_a_token_is_read_when_it_is_needed(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    site.routes["/t.csv"] = Says(body=CSV, headers=CSV_TYPE)
    source = opened("table", tmp_path, place=f"{site.url}/t.csv", token="env:TABLE_TOKEN", allow_private=True)
    said = await hear(source)
    assert isinstance(said.error, InvalidInput) and "TABLE_TOKEN" in str(said.error)
    monkeypatch.setenv("TABLE_TOKEN", " hush \n")
    assert set((await hear(source)).items) == {"rows#1", "rows#2"}
    assert site.asked[-1].headers["authorization"] == "Bearer hush"


async def test_a_table_in_a_file(tmp_path: Path):
    path = tmp_path / "faq.csv"
    path.write_text("question,answer\nHow?,So.\n")
    said = await hear(opened("table", tmp_path, place=str(path)))
    (item,) = said.items.values()
    assert (item.kind, item.title) == (DocumentKind.FAQ, "How?")
    path.unlink()
    assert isinstance((await hear(opened("table", tmp_path, place=str(path)))).error, InvalidInput)
