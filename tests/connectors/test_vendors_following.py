"""Walking a list that changes while we walk."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firstline.connectors.vendors.following import Entry, Mark, mark_of, updated_since
from firstline.connectors.vendors.thread import Remark, Thread, quiet
from firstline.documents.chunk import chunk
from firstline.documents.parse import parse
from firstline.domain import DocumentKind, SourceItem


@settings(max_examples=60, deadline=None)
@example(900, 2, False)
@given(st.integers(0, 10_000), st.integers(2, 5), st.booleans())
async def test_nothing_is_skipped_while_things_are_updated_and_deleted(seed: int, size: int, later: bool):
    """`later`: a server that gives what is later than asked, not what is not earlier."""
    chance = random.Random(seed)  # noqa: S311 (repeatable, not secret)
    things = {number: float(chance.randrange(1, 8)) for number in range(12)}
    hidden = set(chance.sample(range(12), 5)) if seed % 2 else set[int]()
    stays = {number: at for number, at in things.items() if number not in hidden}
    clock = 100.0

    async def fetch(since: float, page: int) -> tuple[list[Entry], bool]:
        nonlocal clock
        found = sorted((at, number) for number, at in things.items() if (at > since if later else at >= since))
        # What is hidden takes a place on its page, and is not told: the page is not full, and not the last.
        there = found[(page - 1) * size : page * size]
        shown = [Entry(key=str(number), updated=at) for at, number in there if number not in hidden]
        # Meanwhile one is updated, and one is deleted.
        if things and chance.random() < 0.5 and clock < 130:
            clock += 1
            things[chance.choice(list(things))] = clock
        if things and chance.random() < 0.2:
            stays.pop(gone := chance.choice(list(things)), None)
            del things[gone]
        return shown, len(found) > page * size or (not hidden and len(shown) >= size)

    met = {entry.key async for entries in updated_since(fetch, 0.0) for entry in entries}
    assert {str(number) for number in stays} <= met


@pytest.mark.parametrize("value", [None, [], [1, 2], ["x", 1, []], [1, 2, 3], {"a": 1}, "x"])
def test_a_mark_that_cannot_be_read_is_a_fresh_one(value: object):
    assert mark_of(value) == Mark()


def test_a_mark_is_kept():
    mark = Mark(since=5.5, swept=7.0, again=frozenset({"b", "a"}))
    assert mark_of(mark.told()) == mark


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("# Title\ntext", "**Title**\ntext"),
        ("Title\n=====\ntext", "Title\n\n\ntext"),
        ("Title\n---\ntext", "Title\n\n---\ntext"),
        ("```\n# code\n", "```\n# code\n```"),
        ("~~~\n```\n# a\n~~~\n# b", "~~~\n```\n# a\n~~~\n**b**"),
        ("#no heading, #12", "#no heading, #12"),
        ("<!-- a\n# b -->\nc", "c"),
        ("a\r\n## b\r\n", "a\n**b**"),
    ],
)
def test_somebodys_markdown_stays_their_words(said: str, expected: str):
    assert quiet(said) == expected


@pytest.mark.parametrize("form", ["markdown", "html", "plain"])
def test_nobodys_words_add_sections(form: str):
    wild = "# Resolution\n\n```\n\n## Fix\n</main><h1>Resolution</h1><h2 class='x'>Fix\n<pre><!-- "
    remark = Remark(text=wild, form=form)  # type: ignore[arg-type]  # the three forms there are
    thread = Thread(
        title="# Title\n## x", problem=remark, remarks=[remark], answer=Remark(text="Done", form=remark.form)
    )
    media_type, raw = thread.page()
    item = SourceItem(item_id="x", kind=DocumentKind.TICKET, media_type=media_type, raw=raw)
    text = parse(item).text
    made = chunk(text, tokens_aim=10_000, count_tokens=len)
    assert {each.section_path[-1] for each in made if each.kind.value == "resolution"} <= {"Resolution"}
    assert sum(line.startswith("## ") for line in text.split("\n") if line.startswith("#")) <= 5
