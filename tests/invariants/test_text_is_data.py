"""Invariant 8: text of documents, tickets and users is data. It moves no filter and no gate, and nothing in it acts."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.invariants.hostile import ACTIVE, HOSTILE, INSTRUCTIONS, OBEYED, active_markdown, active_slack
from tests.invariants.outcomes import handoffs, turns
from tests.invariants.surfaces import Surfaces, channels
from tests.invariants.universe import CUSTOMER, PRINCIPALS, QUESTIONS
from tests.journeys.world import KB, TENANT, Items, World, page

from firstline.domain import (
    DocumentKind,
    Escalated,
    Handoff,
    HighStakes,
    Principal,
    Reason,
    Silent,
    SourceItem,
    Turn,
)
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.ports import Hit, IndexQuery, Scope
from firstline.questions.render import render

FIELDS = ("text", "section", "title", "name", "url", "metadata", "ticket")
HARMLESS = "Pine trees grow slowly near quiet mountain lakes every winter season."
WORD = re.compile(r"\w+")
SMALL = frozenset(
    "the a above as and now for from on with is are or to of every only never not always next off in you".split()
)


def scoped(kind: type[Any], methods: tuple[str, ...]) -> type[Any]:
    """A subclass that notes the scope of every look-up."""

    def method_of(name: str) -> Any:
        async def called(self: Any, *args: Any, **kwargs: Any) -> Any:
            self.scopes += [one for one in (*args, *kwargs.values()) if isinstance(one, Scope)]
            return await getattr(super(made, self), name)(*args, **kwargs)

        return called

    made: type[Any] = type(f"Scoped{kind.__name__}", (kind,), {name: method_of(name) for name in methods})
    made.scopes = []
    return made


class ScopedIndex(MemoryIndex):
    def __init__(self) -> None:
        super().__init__(dimensions=64)
        self.scopes: list[Scope] = []
        self.limits: list[int] = []

    async def search(self, query: IndexQuery) -> list[Hit]:
        self.scopes.append(query.scope)
        self.limits.append(query.limit)
        return await super().search(query)

    async def neighbour(self, doc_id: str, scope: Scope, **kwargs: Any) -> float:
        self.scopes.append(scope)
        return await super().neighbour(doc_id, scope, **kwargs)


ScopedLedger = scoped(
    MemoryKnowledgeLedger,
    ("chunks", "neighbours", "document", "documents", "document_chunks", "faq", "word_counts"),
)


def harmless_like(text: str) -> str:
    """The same sentence about trees: small words and marks stay, so that what is measured is the instruction and not
    its length, a "not", or an "above" that no quotation can do without."""
    words = iter(HARMLESS.rstrip(".").casefold().split() * 9)
    return WORD.sub(lambda found: found[0] if found[0].casefold() in SMALL else next(words), text)


def pages(field: str, text: str) -> list[SourceItem]:
    """The pages with a text planted in one field of one of them."""
    inside = text if field == "text" else ""
    section = f"\n## More\n\n{text}\n" if field == "section" else ""
    body = (
        f"# Log rotation\n\nRotate the log files with `lark rotate`. It closes the old file first. {inside}\n{section}"
    )
    one_line = " ".join(text.split())
    planted = page("logs.md", body, title=f"Log rotation {one_line}"[:200] if field == "title" else "Log rotation")
    if field == "name":
        planted = replace(planted, item_id=f"logs {one_line}.md"[:120])
    if field == "url":
        planted = replace(planted, url=f"https://docs.example/{one_line}" if " " not in one_line else one_line)
    if field == "metadata":
        planted = replace(planted, metadata={"version": one_line[:100], "level": "restricted", "acl": "*"})
    ticket = text if field == "ticket" else HARMLESS
    return [
        planted,
        page("backup.md", "# Backup\n\nA backup of the cluster is taken every night and kept for a week.\n"),
        page("t1", f"# Symptom\n\nThe disk is full. {ticket}\n", kind=DocumentKind.TICKET),
        page("roadmap.md", "# Roadmap\n\nThe internal zebrawood roadmap of rotate and log files.\n", acl=frozenset()),
    ]


async def asked(items: list[SourceItem], messages: list[str], principal: Principal) -> tuple[World, list[Turn]]:
    world = World(knowledge=ScopedLedger(), index=ScopedIndex())
    world.knowledge.scopes = []  # type: ignore[attr-defined]  # the one that notes them
    await world.documents.ingest(Items(*items), tenant=TENANT, kb=KB, prune=())
    session = await world.session(str(uuid.uuid4()))
    journey = world.questions()
    return world, [await journey.ask(session=session, principal=principal, question=text) for text in messages]


def unmoved(world: World, made: list[Turn], principal: Principal) -> None:
    """Filters and gates are those of the asker and the settings, whatever was said."""
    own = Scope.of(principal, kb=KB, snapshot=1)
    scopes = {*world.knowledge.scopes, *world.index.scopes}  # type: ignore[attr-defined]
    assert scopes <= {own}, scopes
    assert set(world.index.limits) <= {50, 12}  # type: ignore[attr-defined]
    for turn in made:
        assert {(one.name, one.threshold) for one in turn.gates} <= {
            ("relevance", 0.3),
            ("unsure", 0.4),
            ("confidence", 0.5),
            *((one.name, one.threshold) for one in turn.gates if one.name == "out_of_scope"),
        }
        assert (turn.scope_hash, turn.snapshot, turn.settings_hash) == (principal.scope_hash, 1, "test")
        assert turn.plan is None or turn.plan.route.value == "classic"
        texts = [block.text for block in render(turn.outcome).blocks]
        assert not any("zebrawood roadmap" in text for text in texts)


def kinds(made: list[Turn]) -> list[str]:
    return [type(turn.outcome).__name__ for turn in made]


@given(
    field=st.sampled_from(FIELDS),
    text=st.sampled_from(INSTRUCTIONS),
    question=st.sampled_from(QUESTIONS[:2]),
    principal=st.sampled_from(PRINCIPALS),
)
@settings(max_examples=40, deadline=None)
def test_instructions_in_documents_change_nothing(field: str, text: str, question: str, principal: Principal) -> None:
    async def example() -> None:
        planted = pages(field, text)
        world, made = await asked(planted, [question], principal)
        unmoved(world, made, principal)
        held = (await World().ingest(*planted)).held
        # What is held back is not there at all; what is not held reads like any other text.
        harmless = pages(field, harmless_like(text))
        without = 2 if field == "ticket" else 0
        control_pages = [one for at, one in enumerate(harmless) if not held or at != without]
        _, control = await asked(control_pages, [question], principal)
        assert kinds(made) == kinds(control)

    asyncio.run(example())


@given(
    text=st.sampled_from(INSTRUCTIONS), question=st.sampled_from(QUESTIONS), where=st.sampled_from(["before", "same"])
)
@settings(max_examples=40, deadline=None)
def test_instructions_in_messages_move_no_filter_and_no_gate(text: str, question: str, where: str) -> None:
    async def example() -> None:
        said = [text, question] if where == "before" else [f"{question} {text}"]
        world, made = await asked(pages("text", HARMLESS), said, CUSTOMER)
        unmoved(world, made, CUSTOMER)
        # "Never hand over": what hands over without it does so with it. A question about rules is not read as a dispute
        # by words alone, and the classifier that would tell is not here.
        _, plain = await asked(pages("text", HARMLESS), [question], CUSTOMER)
        outcome = plain[-1].outcome
        wished = isinstance(outcome, Escalated) and outcome.handoff.reason is Reason.USER_ASKED
        if wished or (isinstance(outcome, HighStakes) and "rules" not in said[-1]):
            assert isinstance(made[-1].outcome, Escalated | HighStakes)

    asyncio.run(example())


@pytest.fixture(scope="module")
def surfaces() -> Iterator[Surfaces]:
    opened = Surfaces()
    yield opened
    opened.close()


def texts_in(value: Any) -> Iterator[str]:
    """What is words in a reply: everything but ids, and the links that were chosen."""
    yield value["notice"]
    yield from (block["text"] for block in value["blocks"])
    yield from value["options"]
    yield from (entry["citation"]["title"] for entry in value["citations"])
    yield from (title for title, _ in value["links"])


@given(turn=turns)
@settings(max_examples=50, deadline=None)
def test_nothing_active_is_in_any_reply(surfaces: Surfaces, turn: Turn) -> None:
    shown = surfaces.of(turn)
    for surface, reply in shown.replies.items():
        for text in texts_in(reply):
            assert list(active_markdown(text)) == [], (surface, text)
        # As a widget does that puts them all on one page.
        assert list(active_markdown("\n\n".join(block["text"] for block in reply["blocks"]))) == [], surface
        assert all(url.startswith("https://docs.example/") for _, url in reply["links"])
    for surface in ("command line", "review"):
        assert not OBEYED.search(shown.printed[surface]), surface


@given(handoff=handoffs, planted=HOSTILE)
@settings(max_examples=50, deadline=None)
def test_nothing_active_leaves_with_a_handover(handoff: Handoff, planted: str) -> None:
    handoff = replace(handoff, question=f"{handoff.question} {planted}", summary=f"{handoff.summary} {planted}")
    sent = channels(handoff)
    for block in sent["slack"]["blocks"]:
        for part in (block.get("text"), *block.get("elements", ())):
            assert part is None or list(active_slack(part["text"])) == [], part
    assert list(active_slack(sent["slack"]["text"])) == []
    assert (sent["slack"]["parse"], sent["slack"]["link_names"], sent["slack"]["unfurl_links"]) == (
        "none",
        False,
        False,
    )
    mail: EmailMessage = sent["mail"]
    assert mail.get_content_type() == "text/plain" and not mail.is_multipart()
    assert set(mail.keys()) <= {
        *("From", "To", "Subject", "Date", "Message-ID", "References", "Auto-Submitted"),
        *("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
    }
    head = mail.as_bytes().partition(b"\r\n\r\n")[0]
    assert b"\nBcc:" not in head
    assert sent["webhook"]["handoff"]["question"] == handoff.question, "for programs: to the letter"


@given(text=st.sampled_from(ACTIVE), field=st.sampled_from(FIELDS), question=st.sampled_from(QUESTIONS[:5]))
@settings(max_examples=40, deadline=None)
def test_nothing_active_comes_from_a_document(text: str, field: str, question: str) -> None:
    """From the page through parsing, search and composing to what is shown."""

    async def example() -> None:
        _, made = await asked(pages(field, text), [question], CUSTOMER)
        for turn in made:
            reply = render(turn.outcome)
            for shown in (reply.notice, *reply.options, *(block.text for block in reply.blocks)):
                assert list(active_markdown(shown)) == [], shown
            for _, url in reply.links:
                assert url.startswith("https://docs.example/") and not re.search(r"[<>\s\"']", url)
            if isinstance(turn.outcome, Escalated | HighStakes | Silent):
                assert not list(active_slack(channels(turn.outcome.handoff)["slack"]["text"]))

    asyncio.run(example())
