"""Invariants 2 and 8 in a real browser: the chat page draws what the one function says, and nothing in it acts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.console.conftest import browser, served  # noqa: F401  (fixtures)
from tests.invariants.outcomes import turns
from tests.invariants.surfaces import expected

from firstline.domain import Turn

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
DRAWN = """async (reply) => {
  const { replyOf } = await import("/static/reply.js");
  const drawn = replyOf(reply, { cite() {}, send() {}, copy() {} });
  document.body.append(drawn);
  const all = [...drawn.querySelectorAll("*")];
  const clone = drawn.querySelector(".body")?.cloneNode(true);
  clone?.querySelectorAll(".cite").forEach((each) => each.remove());
  const found = {
    outcome: drawn.dataset.outcome,
    text: drawn.textContent,
    body: clone?.textContent ?? "",
    above: drawn.querySelector(".notice")?.compareDocumentPosition(drawn.querySelector(".body") ?? drawn) ?? null,
    cites: [...drawn.querySelectorAll(".cite")].map((each) => Number(each.textContent)),
    links: [...drawn.querySelectorAll("a")].map((each) => each.getAttribute("href")),
    options: [...drawn.querySelectorAll(".options button")].map((each) => each.textContent),
    tags: [...new Set(all.map((each) => each.tagName))],
    handlers: all.flatMap((each) => each.getAttributeNames()).filter((name) => name.startsWith("on")),
  };
  drawn.remove();
  return found;
}"""
TAGS = {"DIV", "P", "SPAN", "UL", "OL", "LI", "BUTTON", "A", "CODE", "PRE", "STRONG", "TABLE", "THEAD", "TBODY", "TR"}
TAGS |= {"TH", "TD", "H3"}
FOLLOWING = 4


@pytest.fixture(scope="module")
def tab(browser: Any, served: tuple[str, str]) -> Iterator[Any]:  # noqa: F811  (the fixtures)
    url, token = served
    context = browser.new_context()
    page = context.new_page()
    strange: list[str] = []
    page.on("request", lambda sent: strange.append(sent.url) if not sent.url.startswith(url) else None)
    page.on("dialog", lambda dialog: strange.append(dialog.message))
    page.goto(f"{url}/#key={token}")
    page.get_by_label("Your question").wait_for()
    yield page
    context.close()
    assert strange == []


def letters(text: str) -> str:
    """What is read: without Markdown's own marks and blanks, which drawing takes away."""
    return "".join(letter for letter in text if letter.isalnum())


@given(turn=turns)
@settings(
    max_examples=60,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_the_page_draws_what_is_said(tab: Any, turn: Turn) -> None:
    said = expected(turn)
    drawn = tab.evaluate(DRAWN, json.loads(json.dumps(said)))
    assert drawn["outcome"] == said["outcome"]
    assert drawn["links"] == [url for _, url in said["links"]]
    assert drawn["cites"] == [number for block in said["blocks"] for number in block["citations"]]
    assert drawn["options"] == said["options"]
    assert set(drawn["tags"]) <= TAGS and drawn["handlers"] == []
    plain = [block["text"] for block in said["blocks"] if not set(block["text"]) & set("`*_[]()|#<>~\\-:0123456789.")]
    for text in plain:
        assert letters(text) in letters(drawn["body"])
    if said["notice"] and said["blocks"]:
        assert drawn["above"] & FOLLOWING, "what must be known stands above the answer"
