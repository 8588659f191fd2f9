"""Thumbs under a reply, in a real browser."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.slow

AXE_LITE = """() => [...document.querySelectorAll('.rate button, .rate input, .rate textarea')]
  .filter((node) => !(node.labels?.length || node.textContent.trim())).length"""


def _ask(page: Any, text: str) -> Any:
    before = page.locator("[data-outcome]").count()
    page.get_by_label("Your question").fill(text)
    page.get_by_role("button", name="Send").click()
    page.locator("[data-outcome]").nth(before).wait_for()
    return page.locator("[data-outcome]").nth(before)


def test_a_thumb_down_asks_why_and_outlives_a_reload(page: Any) -> None:
    reply = _ask(page, "What is a duplicate key?")
    group = reply.get_by_role("group", name="Was this helpful?")
    group.get_by_role("button", name="No").click()
    reply.get_by_label("It is out of date").check()
    reply.get_by_label("What should it have said?").fill("It is 5.0 now.")
    assert page.evaluate(AXE_LITE) == 0
    with page.expect_response("**/feedback") as told:
        reply.get_by_role("button", name="Send").click()
    assert told.value.json() == {"turn": 1, "rating": "down", "reason": "outdated", "correction": "It is 5.0 now."}
    page.get_by_text("Thank you, this is noted.").wait_for()
    assert reply.locator("form").count() == 0
    page.reload()
    page.locator("[data-outcome=answered]").wait_for()
    pressed = page.locator(".thumb[aria-pressed=true]")
    assert pressed.all_inner_texts() == ["No"]
    page.get_by_role("button", name="Yes").click()
    page.locator(".thumb[aria-pressed=true]", has_text="Yes").wait_for()
    assert page.locator(".thumb[aria-pressed=true]").count() == 1


def test_by_keyboard_alone(page: Any) -> None:
    reply = _ask(page, "What is a duplicate key?")
    reply.get_by_role("button", name="No").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.type === 'radio'")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "No"
    assert reply.locator("form").count() == 0
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.type === 'radio'")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("More.")
    page.keyboard.press("Tab")
    with page.expect_response("**/feedback") as told:
        page.keyboard.press("Enter")
    assert told.value.json()["reason"] == "incomplete"
    reply.get_by_text("Thank you, this is noted.").wait_for()
    assert reply.get_by_role("status").inner_text() == "Thank you, this is noted."
    assert page.evaluate("document.activeElement.textContent") == "No"


def test_what_went_wrong_is_told_and_nothing_is_marked(page: Any) -> None:
    reply = _ask(page, "What is a duplicate key?")
    page.context.set_offline(True)
    reply.get_by_role("button", name="Yes").click()
    reply.get_by_text("Check your connection").wait_for()
    assert page.locator(".thumb[aria-pressed=true]").count() == 0
    page.context.set_offline(False)


def test_a_handover_is_not_rated(page: Any) -> None:
    assert _ask(page, "Let me talk to a person").locator(".rate").count() == 0
