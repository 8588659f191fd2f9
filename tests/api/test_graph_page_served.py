"""The graph's page without a browser: how it is served, and that a span can be found in its chunk."""

from __future__ import annotations

import json
import re

import httpx
import pytest
from calls import assert_problem, bearer
from conftest import client_of
from fake_firstline import INTRO, STEPS, TEXT, FakeFirstline, open_fake
from test_widget_tokens import SECRET, from_page, minted, minting_key

from firstline.domain import EVERYONE, Level
from firstline.ports import Scope

PARTS = ["graph.js", "graph_layout.js", "graph_drawing.js", "graph_lists.js", "graph_source.js", "graph.css", "key.js"]


async def test_the_page_is_served_to_anybody_and_holds_nothing_of_anybody(anonymous: httpx.AsyncClient) -> None:
    page = await anonymous.get("/graph")
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "fl_" not in page.text.replace("fl_…", "")
    again = await anonymous.get("/graph", headers={"If-None-Match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_it_is_in_english_whatever_the_browser_asks_for(anonymous: httpx.AsyncClient) -> None:
    page = (await anonymous.get("/graph", headers={"Accept-Language": "de"})).text
    texts = re.search(r'<template id="texts">(.*?)</template>', page, re.DOTALL)
    assert texts is not None
    assert json.loads(texts[1].replace("&amp;", "&"))["texts"]["unreachable"] == "The server cannot be reached."
    assert '<html lang="en">' in page


@pytest.mark.parametrize("name", PARTS)
async def test_its_parts_need_nothing_from_elsewhere(anonymous: httpx.AsyncClient, name: str) -> None:
    text = (await anonymous.get(f"/static/{name}")).raise_for_status().text
    assert text.count("\n") < 300
    elsewhere = re.sub(r'"http://www\.w3\.org/2000/svg"', "", text)
    assert not re.search(r"https?://|@import|url\(", elsewhere)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|DOMParser", text)
    assert not re.search(r"localStorage|document\.cookie|\.style\b", text)


async def test_widget_tokens_see_no_graph_and_are_told_what_to_use() -> None:
    firstline = await open_fake(widget_secret=SECRET.decode())
    async with client_of(firstline) as client:
        token = from_page(await minted(client, await minting_key(firstline)))
        for path in ("/v1/graph/entities?name=keys", "/v1/graph/entities/error:e11000"):
            found = assert_problem(await client.get(path, headers=token), 403, "forbidden")
            assert found["detail"] == "A widget token may only ask."
            assert "API key" in found["remedy"]


async def test_a_span_of_the_document_is_found_in_the_text_around(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    data = TEXT.encode()
    for name in ("first", "steps", "last"):
        chunk = firstline.chunks[name]
        found = (await client.get(f"/v1/chunks/{chunk.chunk_id}")).json()
        inside = found["text"].encode()[chunk.start - found["text_start"] : chunk.end - found["text_start"]]
        assert inside == data[chunk.start : chunk.end]
    assert found["text_start"] == len(INTRO.encode()) + data.index(STEPS.encode()) - data.index(b"A duplicate")


@pytest.mark.parametrize("shift", range(4))
async def test_where_the_window_cuts_a_sign_the_text_begins_behind_it(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient, shift: int
) -> None:
    long = b"x" * shift + "\U0001f98a".encode() * 40_000
    name = await firstline.blobs.put(long)
    chunk = firstline.chunks["last"]
    for each in firstline.chunks.values():
        if each.doc_id == chunk.doc_id:
            object.__setattr__(each, "blob", name)
    object.__setattr__(chunk, "start", 120_000)
    object.__setattr__(chunk, "end", len(long))
    headers = bearer(await firstline.token())
    scope = Scope(tenant="acme", kb="docs", acl_tags=frozenset({EVERYONE}), level_max=Level.CUSTOMER, snapshot=1)
    object.__setattr__(await firstline.knowledge.document(chunk.doc_id, scope), "size_bytes", len(long))
    found = (await anonymous.get(f"/v1/chunks/{chunk.chunk_id}", headers=headers)).json()
    text = found["text"].encode()
    assert found["cut_before"] and text
    assert long[found["text_start"] : found["text_start"] + len(text)] == text
