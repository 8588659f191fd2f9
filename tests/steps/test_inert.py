"""Whatever stands in a document, nothing that is shown can be clicked, loaded or run."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from firstline.domain import (
    Answered,
    Citation,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    Escalated,
    Handoff,
    HandoffState,
    HighStakes,
    Intent,
    Mood,
    Outcome,
    Reason,
    Reply,
)
from firstline.questions.render import render
from firstline.questions.wording.inert import acts, inert, inert_line
from firstline.questions.wording.links import allowed_url, with_allowed_links

PIECES = st.sampled_from(
    [
        *(
            "[",
            "]",
            "(",
            ")",
            "<",
            ">",
            "!",
            "`",
            "``",
            "```",
            "~~~",
            "\n",
            "\n\n",
            "    ",
            " ",
            "|",
            "\\",
            "*",
            "_",
            ":",
            "#",
            "- ",
        ),
        *(
            "a",
            "x",
            "https://evil.example/",
            "www.evil.example",
            "javascript:alert(1)",
            "data:text/html,x",
            "a@b.example",
        ),
        *(
            "<img src=x onerror=alert(1)>",
            "<script>",
            "</script>",
            "[a](b)",
            "![a](b)",
            "[a]: b",
            "[a][b]",
            "<!--",
            "-->",
            "&#60;",
        ),
        *("<div>", "<?php", "<![CDATA[", "> ", "1. ", "---", "===", '"', "'", "&lt;"),
    ]
)
HOSTILE = st.lists(PIECES, max_size=14).map("".join)
ACTIVE = {"html_inline", "html_block", "link_open", "image"}


def active_tokens(text: str) -> list[str]:
    """As a reader of its own sees it, with everything on that Markdown has."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = reader.parse(text)
    return [one.type for token in tokens for one in (token, *(token.children or ())) if one.type in ACTIVE]


def citation(title: str = "Page", url: str | None = None) -> Citation:
    return Citation(chunk_id="c", doc_id="d", blob="b" * 64, start=0, end=1, title=title, url=url)


def answered(text: str, *, title: str = "Page", url: str | None = None) -> Answered:
    claim = Claim(text=text, kind=ClaimKind.SENTENCE, citations=(citation(title, url),))
    return Answered(completeness=Completeness.FULL, claims=(claim,), confidence=1.0)


def handoff(text: str) -> Handoff:
    return Handoff(
        handoff_id="h",
        session_id="s",
        turn=1,
        reason=Reason.LOW_CONFIDENCE,
        question=text,
        summary=text,
        intent=Intent.OTHER,
        entities=(text,),
        tried=(),
        language="en",
        mood=Mood.NEUTRAL,
        next_step="",
        state=HandoffState.OPEN,
        created_at=datetime.now(UTC),
    )


def outcomes(text: str) -> list[Outcome]:
    return [
        answered(text, title=text, url="https://docs.example/a"),
        Clarify(question=text, options=(text,)),
        Escalated(handoff=handoff(text)),
        HighStakes(acknowledgement=text, offer=text, handoff=handoff(text)),
    ]


def texts_of(reply: Reply) -> list[str]:
    titles = [one.citation.title for one in reply.citations] + [title for title, _ in reply.links]
    return [reply.notice, *(block.text for block in reply.blocks), *reply.options, *titles]


@settings(max_examples=400, deadline=None)
@given(HOSTILE)
def test_no_outcome_shows_anything_active_whatever_text_it_holds(text: str) -> None:
    for outcome in outcomes(text):
        for shown in texts_of(render(outcome)):
            assert not active_tokens(shown), (text, shown)


@settings(max_examples=400, deadline=None)
@given(HOSTILE, HOSTILE)
def test_texts_shown_one_below_the_other_are_as_inert_as_each(first: str, second: str) -> None:
    together = f"{inert(first)}\n\n{inert(second)}"
    assert not active_tokens(together), (first, second, together)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("~~~\n<b>x", "~~~\n<b>x\n~~~"),
        ("Run:\n````sh\nrestart", "Run:\n````sh\nrestart\n````"),
        ("> ```\n> a", "> ```\n> a\n> ```"),
        ("- ~~~\n  a", "- ~~~\n  a\n  ~~~"),
        ("```\nclosed\n```", "```\nclosed\n```"),
    ],
)
def test_a_fence_that_stays_open_is_closed(text: str, shown: str) -> None:
    assert inert(text) == shown
    assert not active_tokens(f"{inert(text)}\n\n{inert('~~~')}\n\n{inert('<img src=x>')}")


@settings(max_examples=200, deadline=None)
@given(HOSTILE)
def test_making_inert_twice_changes_nothing_more_that_acts(text: str) -> None:
    assert not acts(inert(inert(text)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Run `lark <name>` now: it works.", "Run `lark <name>` now: it works."),
        ("See [the page](https://docs.example/a_(b)).", "See the page."),
        ("![a picture](https://evil.example/p.gif)", "a picture"),
        ("Replace <name> by yours.", "Replace `<name>` by yours."),
        ("Go to https://evil.example/pay.", "Go to `https://evil.example/pay`."),
        ("```sh\ncurl <url>\n```", "```sh\ncurl <url>\n```"),
        ("Nothing here: really.", "Nothing here: really."),
        ("[a][b] and [c]", "a and [c]"),
    ],
)
def test_links_become_their_text_and_markup_becomes_code(text: str, shown: str) -> None:
    assert inert(text) == shown


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//evil.example",
        "https://docs.example@evil.example/",
        "https://docs.example:x/",
        "https://evil.example\\@docs.example/",
        "ftp://docs.example/a",
        "https://xn--dcs-pla.example/",
        "https://docs.example/a b",
        'https://docs.example/"onclick=',
        "",
        None,
    ],
)
def test_an_address_that_hides_something_is_none(url: str | None) -> None:
    assert allowed_url(url, ()) is None


def test_with_hosts_a_reply_links_to_those_alone() -> None:
    hosts = ("docs.example",)
    for url, allowed in (
        ("https://docs.example/a", True),
        ("https://v5.docs.example/a", True),
        ("https://evil.example/?docs.example", False),
        ("https://docs.example.evil.example/", False),
        ("https://notdocs.example/", False),
    ):
        outcome = with_allowed_links(answered("A sentence.", url=url), hosts)
        reply = render(outcome)
        assert bool(reply.links) is allowed, url
        assert (reply.citations[0].citation.url is not None) is allowed


def test_a_fence_deep_in_a_list_is_no_fence_of_the_next_text() -> None:
    for depth, mark in ((1, "- "), (2, "- "), (1, "1. "), (3, "- ")):
        first, second = mark * depth + "~~~\n", " " * len(mark * depth)
        hostile = f"{second}~~~\n{second}<img src=x>"
        together = f"{inert(first)}\n\n{inert(hostile)}"
        assert not active_tokens(together), together


@given(
    st.lists(
        st.sampled_from(["```", "~~~", "`", "> ", "- ", "1. ", "a", "\n", "<b>", "[a](http://x.example)", " "]),
        max_size=8,
    )
)
@settings(max_examples=300, deadline=None)
def test_a_title_stays_one_line_whatever_it_begins_with(parts: list[str]) -> None:
    line = inert_line("".join(parts))
    assert len(line.splitlines()) <= 1
    assert not acts(line)
    # Nothing stays open in which the text behind it would be swallowed.
    assert acts(f"{line}\n\n<b>")
