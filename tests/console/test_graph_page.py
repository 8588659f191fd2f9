"""The graph's page in a real browser: on the demo knowledge base, and on answers that no knowledge base gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from graph_world import HOSTILE, JAPANESE, LONG, WORDS, GraphWorld, edge, entity, many
from test_chat_page import CONTRASTS
from tools.demo_server import demo_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

OVERLAPS = """() => {
  const texts = [...document.querySelectorAll('#drawing text')];
  const boxes = texts.map((node) => [node.textContent, node.getBoundingClientRect()]);
  const frame = document.querySelector('#drawing').getBoundingClientRect();
  const bad = [];
  boxes.forEach(([name, a], at) => {
    if (a.left < frame.left - 1 || a.right > frame.right + 1) bad.push(`${name} is cut`);
    for (const [other, b] of boxes.slice(at + 1)) {
      // A line of text is 14 px high in a box of some 17.
      const beside = a.left >= b.right - 1 || b.left >= a.right - 1;
      const below = a.top + 2 >= b.bottom - 2 || b.top + 2 >= a.bottom - 2;
      if (!beside && !below) bad.push(`${name} / ${other}`);
    }
  });
  return bad;
}"""

NAMELESS = """() => [...document.querySelectorAll('button, a, input, [role=button]')]
  .filter((node) => node.checkVisibility())
  .filter((node) => !(node.getAttribute('aria-label') || node.textContent.trim() || node.labels?.length)).length"""
PLACE_OF = (
    "id => [...document.querySelectorAll('#drawing .neighbour')].findIndex((one) => one.dataset.key.endsWith(id))"
)
FILLS_AS_COLORS = """() => {
  const [text, rect] = document.querySelectorAll('.centre text, .centre rect').values()
    .map((node) => getComputedStyle(node).fill).toArray().reverse();
  const button = getComputedStyle(document.querySelector('#find-form button'));
  // Its backdrop is drawn: it has the two colours of a button, which is measured.
  if (text !== button.color || rect !== button.backgroundColor) throw Error('the centre is no button');
  document.querySelector('.centre').remove();
  for (const each of document.querySelectorAll('#drawing text')) each.style.color = getComputedStyle(each).fill;
}"""


@pytest.fixture(scope="session")
def demo() -> Iterator[tuple[str, str]]:
    """The demo knowledge base, served: its address and a customer's key."""
    with demo_server() as (url, key):
        yield url, key


def _tab(browser: Any, url: str, token: str, *, width: int = 1180, key: bool = True) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": width, "height": 800})
    context.set_default_timeout(10_000)
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    # What the API refuses, a browser tells of as well: the tests look at what the page makes of it.
    tab.on("console", lambda told: errors.append(told.text) if "Failed to load resource" not in told.text else None)
    tab.on("request", lambda sent: errors.append(sent.url) if not sent.url.startswith(url) else None)
    tab.goto(f"{url}/graph#key={token}" if key else f"{url}/graph")
    tab.get_by_label("Name or id of an entity" if key else "API key").wait_for()
    yield tab
    context.close()
    assert errors == []


@pytest.fixture
def real(browser: Any, demo: tuple[str, str]) -> Iterator[Any]:
    yield from _tab(browser, *demo)


@pytest.fixture
def scripted(browser: Any, served: tuple[str, str]) -> Iterator[Any]:
    yield from _tab(browser, *served)


def _show(page: Any, address: str) -> None:
    page.evaluate("address => { location.hash = address; }", address)
    page.locator("#shown").wait_for()


def _world(page: Any, edges: list[dict[str, Any]]) -> GraphWorld:
    world = GraphWorld()
    world.edges["error:e11000"] = edges
    world.route(page)
    return world


def test_a_name_is_looked_for_drawn_and_every_line_opens_the_sentence_that_says_it(
    real: Any, demo: tuple[str, str]
) -> None:
    assert real.url == f"{demo[0]}/graph"
    real.get_by_label("Name or id of an entity").fill("LK1301")
    real.keyboard.press("Enter")
    choices = real.locator(".choices a")
    choices.first.wait_for()
    assert {choice.split("\n")[0].lower() for choice in choices.all_inner_texts()} == {"component", "error"}
    with real.expect_response(lambda answer: "/v1/graph/entities/" in answer.url) as told:
        real.locator(".choices a", has_text=re.compile("error", re.I)).click()
    told_edges = told.value.json()["edges"]
    assert real.url == f"{demo[0]}/graph#error:lk1301"
    real.get_by_role("heading", name="LK1301").wait_for()
    lines = real.locator("#drawing .line")
    ways = {(one["relation"], one["outward"], one["other"]["id"]) for one in told_edges}
    assert lines.count() == len(ways) >= 3
    assert real.evaluate(OVERLAPS) == []
    # The panel takes room from the drawing, which may put its lines in another order.
    for key in lines.evaluate_all("nodes => nodes.map((node) => node.dataset.key)"):
        line = real.locator(f'#drawing [data-key="{key}"]')
        line.locator(".arrow").click()
        panel = real.get_by_role("complementary")
        panel.locator("mark").first.wait_for()
        assert line.get_attribute("aria-expanded") == "true"
        relation, way, *_ = key.removeprefix("line ").split(" ")
        edges = [one for one in told_edges if (one["relation"], str(one["outward"]).lower()) == (relation, way)]
        marked = " ".join("".join(panel.locator("mark").all_inner_texts()).split())
        said = [one for one in edges if one["words"].removesuffix(" …") == marked[: len(one["words"])]]
        assert said, marked
        heading = panel.get_by_role("heading").inner_text()
        assert heading in {one["title"] for one in said}
        told_of = panel.locator("#said").inner_text()
        assert any(f"confidence {one['confidence']:.2f}" in told_of and one["relation"] in told_of for one in said)
    panel.get_by_role("button", name="Close the source").click()
    assert not real.locator("#source").is_visible()


def test_going_on_is_history_and_an_address_can_be_shared(browser: Any, real: Any, demo: tuple[str, str]) -> None:
    _show(real, "#error:lk1100")
    first = real.locator("#drawing .neighbour", has_text="Unique indexes")
    first.click()
    real.get_by_role("heading", name="Unique indexes", exact=True).wait_for()
    assert real.url.endswith("/graph#document:docs/indexes/unique-indexes.md")
    assert real.title() == "Unique indexes · Graph"
    real.go_back()
    real.get_by_role("heading", name="LK1100", exact=True).wait_for()
    real.go_forward()
    real.get_by_role("heading", name="Unique indexes", exact=True).wait_for()
    for other in _tab(browser, *demo):
        other.goto(real.url)
        other.get_by_role("heading", name="Unique indexes", exact=True).wait_for()


def test_by_keyboard_alone(real: Any) -> None:
    assert real.evaluate("document.activeElement.id") == "search"
    real.keyboard.type("error:lk1100")
    real.keyboard.press("Enter")
    real.wait_for_function("() => document.activeElement.id === 'entity-name'")
    for _ in range(20):
        real.keyboard.press("Tab")
        if real.evaluate("document.activeElement.closest('#drawing') !== null"):
            break
    told = "document.activeElement.getAttribute('aria-label')"
    first = real.evaluate(told)
    real.keyboard.press("ArrowRight")
    line = real.evaluate(told)
    assert re.search(r" (HAS_ROOT_CAUSE|RESOLVES|MENTIONS) .*confidence 0\.\d\d.*: show the sentence$", line)
    real.keyboard.press("Enter")
    real.locator("mark").first.wait_for()
    real.wait_for_function("() => document.activeElement.id === 'source-title'")
    real.keyboard.press("Escape")
    assert real.evaluate(told) == line
    real.keyboard.press("ArrowLeft")
    assert real.evaluate(told) == first
    real.keyboard.press("ArrowDown")
    second = real.evaluate(told)
    assert second != first
    real.keyboard.press("Enter")
    name = second.rsplit(" (", 1)[0]
    real.wait_for_function("name => document.getElementById('entity-name').textContent === name", arg=name[:200])
    # From there to the table, past the drawing: one stop of Tab for all of it.
    real.locator("[data-skip=table]").focus()
    real.keyboard.press("Enter")
    assert real.evaluate("document.activeElement.id") == "table"


def test_the_legend_filters_the_drawing_and_the_table(real: Any) -> None:
    _show(real, "#error:lk1100")
    lines, rows = real.locator("#drawing .line.MENTIONS"), real.locator(".row:has(.MENTIONS)")
    assert lines.count() > 0 and rows.count() > 0
    others = real.locator("#drawing .line").count() - lines.count()
    real.get_by_role("checkbox", name="MENTIONS").uncheck()
    assert (lines.count(), rows.count()) == (0, 0)
    assert real.locator("#drawing .line").count() == others > 0
    real.locator("#drawing .neighbour").first.click()
    real.wait_for_function("() => location.hash !== '#error:lk1100'")
    real.go_back()
    real.get_by_role("heading", name="LK1100", exact=True).wait_for()
    assert not real.get_by_role("checkbox", name="MENTIONS").is_checked()
    for box in real.locator("#legend input").all():
        box.uncheck()
    assert real.locator("#drawing .line").count() == 0
    assert "switched off" in real.locator("#rows").inner_text()
    real.get_by_role("checkbox", name="MENTIONS").check()
    assert lines.count() > 0


def test_a_screen_reader_has_a_table_and_is_told_what_came(real: Any) -> None:
    _show(real, "#error:lk1100")
    table = real.get_by_role("table", name="What is said of LK1100")
    rows = table.get_by_role("row")
    assert table.get_by_role("columnheader").count() == 5
    assert rows.count() - 1 == int(re.search(r"(\d+) sentence", real.locator("#entity-told").inner_text())[1])  # type: ignore[index]
    assert "LK1100: " in real.locator("#announcer").inner_text()
    show = rows.nth(1).get_by_role("button", name="Show the source")
    show.click()
    real.locator("mark").first.wait_for()
    assert show.get_attribute("aria-expanded") == "true"
    real.keyboard.press("Escape")
    assert show.evaluate("node => node === document.activeElement")
    assert real.evaluate(NAMELESS) == 0


@pytest.mark.parametrize("width", [1180, 800, 360])
@pytest.mark.parametrize("count", [1, 2, 9, 41, 200])
def test_labels_never_overlap(scripted: Any, width: int, count: int) -> None:
    scripted.set_viewport_size({"width": width, "height": 800})
    mixed = many(count)
    for at, one in enumerate(mixed):
        kind = ("document", "component", "symptom")[at % 3]
        one["other"] = entity(kind, f"k{at}", f"{JAPANESE if at % 5 == 0 else 'A name of some length'} {at}")
        one["relation"], one["outward"] = (("MENTIONS", "AFFECTS", "REFERENCES", "PART_OF")[at % 4], at % 7 == 0)
    for edges in (many(count), mixed):
        _world(scripted, edges)
        scripted.evaluate("location.hash = ''")
        scripted.locator("#welcome").wait_for()
        _show(scripted, "#error:e11000")
        assert scripted.evaluate(OVERLAPS) == []
        assert scripted.locator("#drawing .line").count() >= min(count, 20)
        assert scripted.evaluate("document.documentElement.scrollWidth") <= width
        assert scripted.locator(".table .row").count() == count + 1


def test_what_is_too_many_is_folded_into_a_list(scripted: Any) -> None:
    _world(scripted, many(77))
    _show(scripted, "#error:e11000")
    drawn = scripted.locator("#drawing .neighbour").count()
    fold = scripted.get_by_role("button", name=f"+ {77 - drawn} more MENTIONS: show the list")
    fold.click()
    dialog = scripted.get_by_role("dialog")
    assert dialog.get_by_role("link").count() == 77 - drawn
    scripted.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert fold.evaluate("node => node === document.activeElement")
    scripted.keyboard.press("Enter")
    dialog.get_by_role("button", name=re.compile("Show the source")).first.click()
    assert scripted.locator("mark").inner_text() == WORDS
    fold.click()
    dialog.get_by_role("button", name=re.compile("Show the source")).nth(1).click()
    scripted.locator("#said", has_text=f"Page {drawn + 1} of the manual MENTIONS E11000").wait_for()
    assert scripted.locator("mark").inner_text() == WORDS
    scripted.keyboard.press("Escape")
    fold.click()
    dialog.get_by_role("link").first.click()
    scripted.wait_for_function("() => location.hash.startsWith('#document:p')")
    assert not dialog.is_visible()


def test_what_several_sentences_say_is_one_line_that_opens_each(scripted: Any) -> None:
    page = entity("document", "a.md", "A page")
    _world(scripted, [edge(at, page, title=f"Title {at}", confidence=0.5) for at in range(3)])
    _show(scripted, "#error:e11000")
    line = scripted.locator("#drawing .line")
    assert line.count() == 1
    assert "doubtful" in line.get_attribute("class")
    assert "said 3 times" in line.get_attribute("aria-label")
    line.locator(".arrow").click()
    scripted.get_by_text("1 of 3").wait_for()
    scripted.get_by_role("button", name="Next").click()
    scripted.get_by_text("2 of 3").wait_for()
    scripted.locator("mark").wait_for()
    assert line.get_attribute("aria-expanded") == "true"
    assert scripted.locator("mark").inner_text() == WORDS


def test_words_outside_of_the_text_are_shown_by_themselves(scripted: Any) -> None:
    _world(scripted, [edge(1, entity("document", "a.md", "A page"), start=5, end=9, words="far away")])
    _show(scripted, "#error:e11000")
    scripted.locator("#drawing .line .arrow").click()
    scripted.get_by_text("stand outside of the text below").wait_for()
    assert "far away" in scripted.locator("#said").inner_text()
    assert scripted.locator("mark").count() == 0


def test_no_name_is_more_than_text(scripted: Any) -> None:
    hostile = entity("component", HOSTILE, HOSTILE)
    edges = [
        edge(1, hostile, title=HOSTILE, url="javascript:document.title=3", words=HOSTILE),
        edge(2, entity("component", JAPANESE, JAPANESE)),
        edge(3, entity("component", LONG, LONG), title=LONG),
        edge(4, entity("component", "spaces", "  ")),
        edge(5, entity("component", "turned", "\u202eturned \u0627\u0644\u0639\u0631\u0628\u064a\u0629")),
        edge(6, entity("component", "a/b c?d#e%f&key=x", "a/b c?d#e%f&key=x")),
    ]
    world = _world(scripted, edges)
    world.edges[hostile["id"]] = [edge(7, entity("error", "e11000", "E11000"), outward=True)]
    world.names[hostile["id"]] = HOSTILE
    world.edges[f"component:{LONG}"] = [edge(8, entity("error", "e11000", "E11000"))]
    world.edges["component:a/b c?d#e%f&key=x"] = [edge(9, entity("error", "e11000", "E11000"))]
    _show(scripted, "#error:e11000")
    assert scripted.evaluate(OVERLAPS) == []
    assert scripted.evaluate("document.documentElement.scrollWidth") <= 1180
    for target in (hostile["id"], f"component:{LONG}", "component:a/b c?d#e%f&key=x"):
        scripted.locator("#drawing .neighbour").nth(scripted.evaluate(PLACE_OF, target)).click()
        scripted.wait_for_function("() => !location.hash.startsWith('#error')")
        scripted.locator("#shown").wait_for()
        assert scripted.locator("#drawing .line").count() == 1
        scripted.locator("#drawing .neighbour", has_text="E11000").click()
        scripted.get_by_role("heading", name="E11000").wait_for()
    scripted.locator("#drawing .line .arrow").first.click()
    scripted.locator("mark").wait_for()
    assert scripted.locator("#shown img, #shown script, #source script, #source iframe").count() == 0
    assert scripted.locator("a[href^=javascript]").count() == 0
    assert scripted.title() == "E11000 · Graph"


def test_an_empty_graph_says_what_to_do(scripted: Any) -> None:
    scripted.get_by_label("Name or id of an entity").fill("Unheard of")
    scripted.get_by_role("button", name="Look").click()
    scripted.locator("#state", has_text="Nothing is said of “Unheard of” that this key may read.").wait_for()
    _address = "location.hash = '#error:none'"
    scripted.evaluate(_address)
    alert = scripted.get_by_role("alert")
    alert.wait_for()
    assert "There is no such entity" in alert.inner_text()
    assert "Look for it by its name" in alert.inner_text()


def test_an_address_may_hold_a_name(scripted: Any) -> None:
    world = _world(scripted, many(2))
    world.found["E11000"] = [entity("error", "e11000", "E11000")]
    _show(scripted, "#E11000")
    assert scripted.url.endswith("#error:e11000")


def test_a_graph_that_is_off_shows_the_remedy(scripted: Any) -> None:
    world = _world(scripted, many(1))
    world.refuse(404, "There is no graph here: it is off.", "Set `graph` to ledger, and ingest again.")
    scripted.evaluate("location.hash = '#error:e11000'")
    alert = scripted.get_by_role("alert")
    alert.get_by_text("Set `graph` to ledger").wait_for()
    alert.get_by_role("button", name="Try again").click()
    scripted.locator("#drawing .line").wait_for()


def test_an_expired_key_is_asked_for_again(scripted: Any, served: tuple[str, str]) -> None:
    world = _world(scripted, many(1))
    world.refuse(401, "The API key has expired.", "Ask the operator for a new one.")
    scripted.evaluate("location.hash = '#error:e11000'")
    scripted.get_by_label("API key").wait_for()
    assert "has expired. Ask the operator" in scripted.locator("#key-reason").inner_text()
    assert scripted.evaluate("sessionStorage.getItem('firstline.key')") is None
    scripted.get_by_label("API key").fill(served[1])
    scripted.keyboard.press("Enter")
    scripted.locator("#drawing .line").wait_for()
    assert scripted.url.endswith("/graph#error:e11000")
    # The same behind a line: the panel makes way for the question.
    scripted.route("**/v1/chunks/**", lambda route: route.fulfill(status=401, body='{"detail": "Revoked."}'), times=1)
    scripted.locator("#drawing .line .arrow").click()
    scripted.locator("#key-reason", has_text="Revoked.").wait_for()
    assert scripted.evaluate("document.activeElement.id") == "key"
    assert not scripted.locator("#source").is_visible()


def test_a_widget_token_is_told_to_make_way_for_a_key(scripted: Any) -> None:
    world = _world(scripted, many(1))
    world.refuse(403, "A widget token may only ask.", "Use an API key, from a server of yours.")
    scripted.evaluate("location.hash = '#error:e11000'")
    scripted.get_by_label("API key").wait_for()
    assert "A widget token may only ask. Use an API key" in scripted.locator("#key-reason").inner_text()


def test_without_a_key_it_is_asked_for_and_kept_out_of_the_address(browser: Any, served: tuple[str, str]) -> None:
    for tab in _tab(browser, served[0], "", key=False):
        tab.get_by_label("API key").fill("fl_nonsense")
        tab.keyboard.press("Enter")
        tab.get_by_text("The API key is malformed").wait_for()
        tab.get_by_label("API key").fill(served[1])
        tab.keyboard.press("Enter")
        tab.get_by_label("Name or id of an entity").wait_for()
        assert tab.url == f"{served[0]}/graph"
        assert tab.evaluate("[localStorage.length, document.cookie, Object.keys(sessionStorage).join()]") == [
            0,
            "",
            "firstline.key",
        ]


def test_a_limit_is_waited_for_and_told(scripted: Any) -> None:
    world = _world(scripted, many(3))
    world.refuse(429, "This API key has reached its limit.", "Wait.", **{"Retry-After": "2"})
    scripted.evaluate("location.hash = '#error:e11000'")
    scripted.get_by_text("the server asks to wait. Going on by itself in").first.wait_for()
    assert "asks to wait" in scripted.locator("#announcer").inner_text()
    scripted.locator("#drawing .line").first.wait_for()
    assert len(world.asked) == 2
    assert scripted.locator("#state").inner_text() == ""
    late = {"status": 429, "headers": {"Retry-After": "1"}, "body": "{}"}
    scripted.route("**/v1/chunks/**", lambda route: route.fulfill(**late), times=1)
    scripted.locator("#drawing .line .arrow").first.click()
    scripted.locator("#said", has_text="the server asks to wait").wait_for()
    scripted.locator("mark").wait_for()
    assert "asks to wait" not in scripted.locator("#said").inner_text()


def test_offline_says_what_to_try(scripted: Any) -> None:
    _world(scripted, many(1))
    scripted.unroute("**/v1/graph/**")
    scripted.context.set_offline(True)
    scripted.evaluate("location.hash = '#error:e11000'")
    alert = scripted.get_by_role("alert")
    alert.get_by_text("Check your connection").wait_for()
    scripted.context.set_offline(False)
    _world(scripted, many(1))
    alert.get_by_role("button", name="Try again").click()
    scripted.locator("#drawing .line").wait_for()


def test_who_goes_on_quickly_sees_the_last(scripted: Any) -> None:
    world = _world(scripted, many(3))
    world.edges["error:other"] = many(1)
    world.refuse(429, "Limit.", "Wait.", **{"Retry-After": "1"})
    scripted.evaluate("location.hash = '#error:e11000'")
    scripted.get_by_text("asks to wait").first.wait_for()
    _show(scripted, "#error:other")
    scripted.wait_for_timeout(1_500)
    assert scripted.locator("#entity-name").inner_text() == "other"
    assert scripted.locator("#drawing .line").count() == 1


def test_a_narrow_screen_does_not_scroll_sideways(real: Any) -> None:
    real.set_viewport_size({"width": 360, "height": 700})
    _show(real, "#document:docs%2Ferrors%2FLK1100.md")
    assert real.evaluate(OVERLAPS) == []
    assert real.evaluate("document.documentElement.scrollWidth") <= 360
    real.locator("#drawing .line .arrow").first.click()
    real.locator("mark").first.wait_for()
    assert real.locator("#source").bounding_box()["width"] >= 350


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(real: Any, scheme: str) -> None:
    """WCAG AA (4.5) for every text, also of the drawing; lines and marks have the colour of the text above them."""
    real.emulate_media(color_scheme=scheme)
    for address in ("#document:docs%2Ferrors%2FLK1100.md", "#error:lk1100"):
        _show(real, address)
        real.locator("#drawing .line .arrow").first.click()
        real.locator("mark").first.wait_for()
        real.evaluate(FILLS_AS_COLORS)
        assert real.evaluate(CONTRASTS) == []
        real.keyboard.press("Escape")
        real.evaluate("location.hash = ''")
        real.locator("#welcome").wait_for()
