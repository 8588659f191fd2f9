"""The chat page in a real browser."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.slow


def _ask(page: Any, text: str) -> Any:
    """Send, and wait for the settled reply (it carries its outcome)."""
    before = page.locator("[data-outcome]").count()
    page.get_by_label("Your question").fill(text)
    page.get_by_role("button", name="Send").click()
    page.locator("[data-outcome]").nth(before).wait_for()
    return page.locator("[data-outcome]").nth(before)


def test_the_key_leaves_the_address(page: Any, served: tuple[str, str]) -> None:
    assert page.url == f"{served[0]}/"
    assert page.get_by_role("heading", name="How can we help?").is_visible()
    assert page.locator("#topics li").all_inner_texts() == ["keys", "backups"]


def test_a_cited_answer_opens_its_source(page: Any) -> None:
    reply = _ask(page, "What is a duplicate key?")
    assert reply.get_attribute("data-outcome") == "answered"
    assert "A duplicate key means that a row" in reply.inner_text()
    assert reply.locator("ol li").count() == 2
    assert reply.locator("ol code").inner_text() == "SHOW KEYS"
    assert reply.get_by_role("link", name="Duplicate keys").get_attribute("href") == "https://docs.example/keys"
    cite = reply.get_by_role("button", name="Source 2")
    cite.click()
    panel = page.get_by_role("complementary")
    panel.get_by_role("heading", name="Duplicate keys").wait_for()
    assert panel.locator("mark").all_inner_texts() == ["1. Run `SHOW KEYS` to see it."]
    assert "More about keys stands in the reference." in panel.inner_text()
    assert "Resolving" in panel.inner_text()
    assert panel.get_by_role("link", name="Open the page").get_attribute("href") == "https://docs.example/keys"
    assert cite.get_attribute("aria-expanded") == "true"
    panel.get_by_role("button", name="Close the source").click()
    assert panel.count() == 0 or not panel.is_visible()


def test_a_hand_over_says_why_and_gives_a_reference(page: Any) -> None:
    reply = _ask(page, "Let me talk to a person")
    assert reply.get_attribute("data-outcome") == "escalated"
    assert "You asked for a person" in reply.inner_text()
    reply.get_by_role("button", name="Connect me to a person").click()
    assert "Reference" in reply.inner_text()


def test_what_a_person_says_appears_by_itself(page: Any) -> None:
    said = {"id": "h.2", "at": "2026-03-01T12:00:00Z", "act": "reply", "text": "Hello <b>there</b>.\n\nWhich version?"}
    page.route("**/person?after=", lambda route: route.fulfill(json={"said": [said], "person_has_it": True}))
    page.route("**/person?after=h.2", lambda route: route.fulfill(json={"said": [], "person_has_it": True}))
    _ask(page, "Let me talk to a person")
    page.locator(".said").wait_for()
    page.wait_for_timeout(5_000)
    assert page.locator(".said").all_inner_texts() == ["From our team\n\nHello <b>there</b>.\n\nWhich version?"]


def test_what_is_shown_already_is_not_shown_twice_and_the_next_still_comes(page: Any) -> None:
    def said(number: int) -> dict[str, str]:
        return {"id": f"h.{number}", "at": "2026-03-01T12:00:00Z", "act": "reply", "text": f"Reply {number}."}

    # A look that was on its way while the page was shown anew brings again what is shown, and what is new.
    page.route("**/person?after=", lambda route: route.fulfill(json={"said": [said(2)], "person_has_it": True}))
    overlapping = {"said": [said(2), said(3)], "person_has_it": True}
    page.route("**/person?after=h.2", lambda route: route.fulfill(json=overlapping))
    page.route("**/person?after=h.3", lambda route: route.fulfill(json={"said": [said(4)], "person_has_it": True}))
    page.route("**/person?after=h.4", lambda route: route.fulfill(json={"said": [], "person_has_it": True}))
    _ask(page, "Let me talk to a person")
    page.locator(".said").nth(2).wait_for(timeout=20_000)
    assert [text.split("\n\n")[-1] for text in page.locator(".said").all_inner_texts()] == [
        f"Reply {number}." for number in (2, 3, 4)
    ]


def test_an_unsure_answer_warns_above_and_has_no_links(page: Any) -> None:
    reply = _ask(page, "unsure about keys")
    assert reply.locator("> *").first.get_attribute("class") == "notice unsure"
    assert reply.get_by_role("link").count() == 0


def test_clarify_options_send(page: Any) -> None:
    reply = _ask(page, "which one is it")
    reply.get_by_role("button", name="Foreign keys").click()
    page.locator("[data-outcome]").nth(1).wait_for()
    assert page.locator(".asked").nth(1).inner_text() == "Foreign keys"


def test_topics_are_named_when_deflected(page: Any) -> None:
    assert "backups" in _ask(page, "How is the weather?").inner_text()


def test_injected_markup_stays_text(page: Any) -> None:
    reply = _ask(page, "hostile <b>question</b>")
    assert '<img src=x onerror="document.title=' in reply.inner_text()
    assert reply.locator("img, script, iframe").count() == 0
    assert reply.locator("a[href^=javascript]").count() == 0
    assert page.locator(".asked b").count() == 0
    assert page.title() == "Support"


def test_reload_restores_the_conversation(page: Any) -> None:
    _ask(page, "What is a duplicate key?")
    page.reload()
    page.locator("[data-outcome=answered]").wait_for()
    assert page.locator(".asked").inner_text() == "What is a duplicate key?"
    page.get_by_role("button", name="Source 1").first.click()
    page.locator("mark").first.wait_for()
    page.get_by_role("button", name="New conversation").click()
    assert page.locator("[data-outcome]").count() == 0
    page.reload()
    page.get_by_role("heading", name="How can we help?").wait_for()


def test_keyboard_only(page: Any) -> None:
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.type("What is a")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("duplicate key?")
    page.keyboard.press("Enter")
    page.locator("[data-outcome=answered]").wait_for()
    assert page.locator(".asked").inner_text() == "What is a\nduplicate key?"
    for _ in range(20):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Source 1":
            break
    page.keyboard.press("Enter")
    page.locator("mark").first.wait_for()
    page.wait_for_function("document.activeElement.id === 'source-title'")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Source 1"
    assert not page.locator("#source").is_visible()


def test_screen_readers_hear_the_answer_once(page: Any) -> None:
    _ask(page, "What is a duplicate key?")
    assert "A duplicate key means" in page.locator("#announcer").inner_text()
    assert page.locator("#log").get_attribute("aria-live") == "off"


def test_a_wrong_key_is_asked_for_again(page: Any, served: tuple[str, str]) -> None:
    page.evaluate("sessionStorage.setItem('firstline.key', 'fl_nonsense')")
    page.reload()
    page.get_by_label("API key").wait_for()
    assert "malformed" in page.locator("#key-reason").inner_text()
    page.get_by_label("API key").fill(served[1])
    page.keyboard.press("Enter")
    page.get_by_label("Your question").wait_for()


def test_a_limit_counts_down(page: Any) -> None:
    alert = page.get_by_role("alert")
    replies = page.locator("[data-outcome]")
    answered = 0
    for _ in range(100):  # a slow machine earns new requests while it uses up the first ones
        page.get_by_label("Your question").fill("duplicate key")
        page.keyboard.press("Enter")
        replies.nth(answered).or_(alert).first.wait_for()
        if alert.is_visible():
            break
        answered += 1
    assert answered >= 8
    assert "requests a minute" in alert.inner_text()
    button = alert.get_by_role("button")
    assert button.is_disabled()
    assert "Try again in" in button.inner_text()
    button.filter(has_text="Try again").and_(page.locator("button:enabled")).wait_for(timeout=15_000)
    button.click()
    replies.nth(answered).wait_for()


def test_offline_says_what_to_try(page: Any) -> None:
    _ask(page, "duplicate key")
    page.context.set_offline(True)
    page.get_by_label("Your question").fill("still there, duplicate key?")
    page.keyboard.press("Enter")
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "Check your connection" in alert.inner_text()
    page.context.set_offline(False)
    alert.get_by_role("button", name="Try again").click()
    page.locator("[data-outcome=answered]").nth(1).wait_for()
    assert page.locator(".asked").count() == 2


def test_an_error_in_the_stream_is_told(page: Any) -> None:
    page.get_by_label("Your question").fill("explode")
    page.keyboard.press("Enter")
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "went wrong on our side" in alert.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(page: Any, scheme: str) -> None:
    """WCAG AA (4.5) for every text on the page, measured on what is drawn."""
    page.emulate_media(color_scheme=scheme)
    reply = _ask(page, "unsure about keys")
    reply.get_by_role("button", name="Source 1").click()
    page.locator("mark").first.wait_for()
    _ask(page, "Let me talk to a person")
    low = page.evaluate(CONTRASTS)
    assert low == []


def test_a_narrow_screen_does_not_scroll_sideways(page: Any) -> None:
    page.set_viewport_size({"width": 340, "height": 640})
    reply = _ask(page, "duplicate key " + "x" * 300)
    reply.get_by_role("button", name="Source 1").click()
    page.locator("mark").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
    assert page.locator("#source").bounding_box()["width"] >= 330


CONTRASTS = """() => {
  const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const backdrop = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color[3] === 1) return color;
    }
    return [255, 255, 255, 1];
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.checkVisibility() || node.closest('.hidden, .skip')) continue;
    if (node.disabled) continue;
    const [a, b] = [luminance(parse(getComputedStyle(node).color)), luminance(backdrop(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${node.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return low;
}"""


def test_the_page_follows_the_language_of_the_conversation(browser: Any, served: tuple[str, str]) -> None:
    url, token = served
    context = browser.new_context(locale="de-DE")
    context.set_default_timeout(8_000)
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda message: errors.append(message.text) if "Content Security" in message.text else None)
    tab.goto(f"{url}/#key={token}")
    tab.get_by_role("heading", name="Wie können wir Ihnen helfen?").wait_for()
    assert tab.evaluate("document.documentElement.lang") == "de"
    asked = tab.get_by_label("Ihre Frage")
    asked.fill("What is a duplicate key?")
    tab.get_by_role("button", name="Senden").click()
    tab.locator("[data-outcome=answered]").wait_for()
    # The scripted reply is English: so are the labels from now on.
    tab.get_by_role("button", name="Talk to a person").wait_for()
    assert tab.get_by_label("Your question").is_visible()
    assert tab.evaluate("document.documentElement.lang") == "en"
    tab.reload()
    tab.get_by_role("button", name="Talk to a person").wait_for()
    context.close()
    assert errors == []
