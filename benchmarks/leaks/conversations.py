"""Trials over the HTTP surface of a whole server: conversations, and everything that a team may look at afterwards.

Whatever comes back is read for marks, as text: replies, options, citations, titles, cards, transcripts, reviews, diffs.
A mark that somebody typed themselves may be told back in that conversation, and nowhere else.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import httpx

from benchmarks.leaks.library import KBS, MARK, TENANTS, Asker, Library, random_asker
from benchmarks.leaks.lookups import Trial
from benchmarks.leaks.shelves import Shelf
from firstline.api.app import create_app
from firstline.api.auth import new_key
from firstline.domain import KeyScope, Level
from firstline.wiring import Firstline

ASKERS_PER_TENANT: Final = 12
ORIGIN: Final = "https://shop.example"
SESSION: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FOLLOW_UPS: Final = (
    "and its limits?",
    "1",
    "the first one",
    "that does not help",
    "I want to talk to a person",
    "Which port?",
)
STATES: Final = (
    "cold",
    "asked before by who sees all",
    "asked before in another tenant",
    "asked before by the same",
    "asked before by another principal",
    "asked long before by anybody",
)
KEPT_QUESTIONS: Final = 400
"""Of each knowledge base: asked again later, after documents were closed, opened and forgotten too."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """An asker with a key of a knowledge base."""

    asker: Asker
    kb: str
    headers: dict[str, str]


@dataclass(kw_only=True)
class Talk:
    """A conversation that was held, and the marks that were typed in it."""

    session_id: str
    of: Member
    turns: int = 0
    typed: set[str] = field(default_factory=set[str])


@dataclass(kw_only=True)
class Surface:
    shelf: Shelf
    library: Library
    chance: random.Random
    client: httpx.AsyncClient
    members: list[Member]
    talks: dict[str, Talk] = field(default_factory=dict[str, Talk])
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter[tuple[str, int]])
    outcomes: Counter[str] = field(default_factory=Counter[str])
    asked: dict[tuple[str, str], list[str]] = field(default_factory=dict[tuple[str, str], list[str]])

    def __post_init__(self) -> None:
        self._chunks = sorted(self.shelf.owners)
        self._of_place: dict[tuple[str, str], list[str]] = {}
        for chunk_id in self._chunks:
            owner = self.shelf.owners[chunk_id]
            self._of_place.setdefault((owner.tenant, owner.kb), []).append(chunk_id)
        routes: Sequence[tuple[int, str, Callable[[Member], Awaitable[list[Trial]]]]] = (
            (14, "ask", self._ask),
            (8, "reload", self._reload),
            (8, "somebody else's session", self._foreign),
            (12, "chunk by id", self._chunk),
            (6, "chunk of a turn", self._chunk_of_turn),
            (4, "hand-overs", self._handoffs),
            (8, "hand-over card", self._card),
            (6, "transcript", self._transcript),
            (6, "review", self._review),
            (5, "why not", self._why_not),
            (4, "snapshot diff", self._diff),
            (2, "drafts", self._drafts),
            (2, "rating", self._rate),
            (3, "audit", self._audit),
        )
        self._routes = [route for weight, name, route in routes for _ in range(weight) if name]

    async def one(self) -> list[Trial]:
        return await self.chance.choice(self._routes)(self.chance.choice(self.members))

    # --- reading what came back --------------------------------------------------------------------------------------

    def _judged(self, route: str, response: httpx.Response, member: Member, kb: str, typed: set[str]) -> Trial:
        self.statuses[route, response.status_code] += 1
        problems: list[str] = []
        if response.status_code >= 500:
            problems.append(f"{route}: status {response.status_code}: {response.text[:200]}")
        problems += self._told(response.text, member, kb, typed)
        return Trial(route=route, problems=tuple(f"{route}: {one}" for one in problems))

    def _told(self, text: str, member: Member, kb: str, typed: set[str]) -> list[str]:
        run = self.library.runs
        found = self.library.not_theirs(text, member.asker, kb, run)
        return [f"{mark} told to {member.asker} in {kb}" for mark in found if mark not in typed]

    def _listed(self, route: str, response: httpx.Response, member: Member, items: str) -> Trial:
        """A list over many conversations: each item may tell what was typed in its own."""
        self.statuses[route, response.status_code] += 1
        if response.status_code != 200:
            return Trial(
                route=route, problems=() if response.status_code < 500 else (f"{route}: {response.text[:200]}",)
            )
        problems: list[str] = []
        for item in response.json()[items]:
            text = json.dumps(item, ensure_ascii=False)
            talks = [self.talks[one] for one in SESSION.findall(text) if one in self.talks]
            if any(talk.of.asker.tenant != member.asker.tenant for talk in talks):
                problems.append(f"{route}: a conversation of another tenant")
            kb = talks[0].of.kb if talks else member.kb
            typed = {mark for talk in talks for mark in talk.typed}
            problems += [f"{route}: {one}" for one in self._told(text, member, kb, typed)]
        return Trial(route=route, problems=tuple(problems))

    # --- asking ------------------------------------------------------------------------------------------------------

    def _question(self) -> str:
        one = self.chance.choice(self.library.revisions)
        mark = one.mark
        if self.chance.random() < 0.5:
            # A slip of the fingers: spelling must not put it right by words of closed pages.
            place = self.chance.randrange(3, len(mark) - 1)
            mark = mark[:place] + mark[place + 1] + mark[place] + mark[place + 2 :]
        return self.chance.choice(
            (
                f"How do I set up {one.topic}?",
                f"How do I set up the {one.topic} of {mark}?",
                f"Which version does {mark} need?",
                f"limits of {mark}",
                f"Which port has {one.topic}?",
                f"{one.topic} restarts after an error, what can I do?",
            )
        )

    async def _ask(self, member: Member) -> list[Trial]:
        """A message and its follow-ups; before it the same by somebody else, so that every cache has met it."""
        question, state = self._question(), self.chance.choice(STATES)
        place = (member.asker.tenant, member.kb)
        earlier = self.asked.setdefault(place, [])
        if state == STATES[5] and earlier:
            question = self.chance.choice(earlier)
        elif len(earlier) < KEPT_QUESTIONS:
            earlier.append(question)
        before = {
            STATES[1]: [
                one
                for one in self.members
                if _sees_all(one) and (one.asker.tenant, one.kb) == (member.asker.tenant, member.kb)
            ],
            STATES[2]: [one for one in self.members if one.asker.tenant != member.asker.tenant],
            STATES[3]: [member],
            STATES[4]: [
                one
                for one in self.members
                if one is not member and (one.asker.tenant, one.kb) == place and one.asker != member.asker
            ],
        }.get(state, [])
        trials: list[Trial] = []
        if before:
            trials += await self._talk(self.chance.choice(before), [question], f"ask ({STATES[0]})")
        follow = [self.chance.choice(FOLLOW_UPS)] if self.chance.random() < 0.4 else []
        return trials + await self._talk(member, [question, *follow], f"ask ({state})")

    async def _talk(self, member: Member, messages: Sequence[str], route: str) -> list[Trial]:
        widget = self.chance.random() < 0.2
        headers = await self._widget(member) if widget else member.headers
        made = await self.client.post("/v1/sessions", headers=headers)
        talk = Talk(session_id=made.json()["session_id"], of=member)
        self.talks[talk.session_id] = talk
        trials: list[Trial] = []
        for message in messages:
            talk.typed |= set(MARK.findall(message))
            explain = member.asker.level >= Level.INTERNAL and not widget
            accept = {"Accept": "text/event-stream"} if self.chance.random() < 0.3 else {}
            response = await self.client.post(
                f"/v1/sessions/{talk.session_id}/messages?explain={str(explain).lower()}",
                json={"text": message},
                headers={**headers, **accept},
            )
            talk.turns += response.status_code == 200
            self.outcomes[_outcome(response)] += 1
            trials.append(self._judged(route, response, member, member.kb, talk.typed))
        return trials

    async def _widget(self, member: Member) -> dict[str, str]:
        made = await self.client.post(
            "/v1/widget-tokens", json={"user": "w-1", "origin": ORIGIN}, headers=member.headers
        )
        return {"Authorization": f"Bearer {made.json()['token']}", "Origin": ORIGIN}

    # --- looking at what was said ------------------------------------------------------------------------------

    def _some_talk(self, member: Member, *, own: bool) -> Talk | None:
        among = [talk for talk in self.talks.values() if talk.turns and (talk.of is member) == own]
        return self.chance.choice(among) if among else None

    async def _reload(self, member: Member) -> list[Trial]:
        talk = self._some_talk(member, own=True)
        if talk is None:
            return []
        response = await self.client.get(f"/v1/sessions/{talk.session_id}", headers=member.headers)
        return [self._judged("reload", response, member, member.kb, talk.typed)]

    async def _foreign(self, member: Member) -> list[Trial]:
        talk = self._some_talk(member, own=False)
        if talk is None:
            return []
        place = self.chance.choice(("", "/person", "/turns/1/why-not?page=page-1.md"))
        response = await self.client.get(f"/v1/sessions/{talk.session_id}{place}", headers=member.headers)
        trial = self._judged("somebody else's session", response, member, member.kb, set())
        if response.status_code not in (403, 404):
            return [Trial(route=trial.route, problems=(f"{trial.route}: status {response.status_code}",))]
        return [trial]

    async def _chunk(self, member: Member) -> list[Trial]:
        chunk_id = self._some_chunk(member)
        number = self.chance.choice((None, *self.shelf.numbers[member.asker.tenant, member.kb]))
        at = "" if number is None else f"?snapshot={number}"
        response = await self.client.get(f"/v1/chunks/{chunk_id}{at}", headers=member.headers)
        earlier = set[str]() if number is None else self._of_earlier(member, number)
        return [self._judged("chunk by id", response, member, member.kb, earlier)]

    def _of_earlier(self, member: Member, number: int) -> set[str]:
        """Marks of an earlier snapshot that may be shown: seen by the same then, of a page that they may see now."""
        library, asker, kb = self.library, member.asker, member.kb
        now = {one.doc_id for one in library.visible(asker, kb, library.runs)}
        then = library.visible(asker, kb, self.shelf.run_of(asker.tenant, kb, number))
        return {one.mark for one in then if one.doc_id in now}

    def _some_chunk(self, member: Member) -> str:
        """Of whomever, or of the knowledge base itself."""
        if self.chance.random() < 0.4:
            return self.chance.choice(self._chunks)
        place = (member.asker.tenant, member.kb)
        return self.chance.choice(self._of_place[place])

    async def _chunk_of_turn(self, member: Member) -> list[Trial]:
        talk = self._some_talk(member, own=self.chance.random() < 0.7)
        if talk is None:
            return []
        place = f"?session={talk.session_id}&turn=1"
        response = await self.client.get(f"/v1/chunks/{self._some_chunk(member)}{place}", headers=member.headers)
        return [self._judged("chunk of a turn", response, member, member.kb, set())]

    async def _handoffs(self, member: Member) -> list[Trial]:
        response = await self.client.get("/v1/handoffs", headers=member.headers)
        return [self._listed("hand-overs", response, member, "handoffs")]

    async def _some_handoff(self, member: Member) -> tuple[str, Talk | None]:
        """Of whichever tenant."""
        assert self.shelf.firstline is not None
        tenant = member.asker.tenant if self.chance.random() < 0.8 else self.chance.choice(TENANTS)
        found = await self.shelf.firstline.conversations.handoffs(tenant=tenant, limit=50)
        if not found:
            return "none", None
        one = self.chance.choice(found)
        return one.handoff_id, self.talks.get(one.session_id)

    async def _card(self, member: Member) -> list[Trial]:
        return await self._of_handoff(member, "hand-over card", "")

    async def _transcript(self, member: Member) -> list[Trial]:
        return await self._of_handoff(member, "transcript", "/transcript")

    async def _of_handoff(self, member: Member, route: str, place: str) -> list[Trial]:
        handoff_id, talk = await self._some_handoff(member)
        response = await self.client.get(f"/v1/handoffs/{handoff_id}{place}", headers=member.headers)
        if talk is None:
            return [self._judged(route, response, member, member.kb, set())]
        if talk.of.asker.tenant != member.asker.tenant and response.status_code not in (403, 404):
            return [Trial(route=route, problems=(f"{route}: of another tenant",))]
        return [self._judged(route, response, member, talk.of.kb, talk.typed)]

    async def _review(self, member: Member) -> list[Trial]:
        response = await self.client.get("/v1/review?limit=3", headers=member.headers)
        return [self._listed("review", response, member, "turns")]

    async def _why_not(self, member: Member) -> list[Trial]:
        talk = self._some_talk(member, own=True)
        if talk is None:
            return []
        page = self.chance.choice(self.library.revisions).doc_id
        response = await self.client.get(
            f"/v1/sessions/{talk.session_id}/turns/1/why-not", params={"page": page}, headers=member.headers
        )
        return [self._judged("why not", response, member, member.kb, talk.typed)]

    async def _diff(self, member: Member) -> list[Trial]:
        numbers = self.shelf.numbers[member.asker.tenant, member.kb]
        before, after = sorted(self.chance.choices(numbers, k=2))
        response = await self.client.get(
            "/v1/snapshots/diff", params={"before": before, "after": after}, headers=member.headers
        )
        run_of = self.shelf.run_of
        runs = [run_of(member.asker.tenant, member.kb, number) for number in (before, after)]
        told = set(MARK.findall(response.text))
        self.statuses["snapshot diff", response.status_code] += 1
        # It tells of two snapshots: what could be seen in one of them.
        kept = [
            mark
            for run in runs
            for mark in told
            if mark not in set(self.library.not_theirs(mark, member.asker, member.kb, run))
        ]
        problems = tuple(f"snapshot diff: {mark} told to {member.asker}" for mark in told - set(kept))
        return [Trial(route="snapshot diff", problems=problems)]

    async def _drafts(self, member: Member) -> list[Trial]:
        response = await self.client.get("/v1/handoffs/drafts", headers=member.headers)
        return [self._listed("drafts", response, member, "drafts")]

    async def _rate(self, member: Member) -> list[Trial]:
        talk = self._some_talk(member, own=self.chance.random() < 0.8)
        if talk is None:
            return []
        response = await self.client.post(
            f"/v1/sessions/{talk.session_id}/turns/1/feedback",
            json={"rating": self.chance.choice(("up", "down"))},
            headers=member.headers,
        )
        same = talk.of.asker.tenant == member.asker.tenant
        if not same and response.status_code == 200:
            return [Trial(route="rating", problems=("rating: of another tenant",))]
        return [self._judged("rating", response, member, member.kb, talk.typed)]

    async def _audit(self, member: Member) -> list[Trial]:
        assert self.shelf.firstline is not None
        entries = await self.shelf.firstline.ledgers.audit.audited(tenant=member.asker.tenant, limit=100)
        foreign = [one for one in entries if self.talks[one.session_id].of.asker.tenant != member.asker.tenant]
        text = " ".join(map(str, entries))
        problems = [f"audit: {one}" for one in (*foreign, *MARK.findall(text))]
        return [Trial(route="audit", problems=tuple(problems))]


def _sees_all(member: Member) -> bool:
    return member.asker.level == Level.RESTRICTED and len(member.asker.tags) == 5


def _outcome(response: httpx.Response) -> str:
    found = re.search(r'"outcome":\s*"(\w+)"', response.text)
    return found[1] if found else f"status {response.status_code}"


@asynccontextmanager
async def open_surface(shelf: Shelf, library: Library, chance: random.Random) -> AsyncGenerator[Surface]:
    firstline = shelf.firstline
    assert firstline is not None
    app = create_app(firstline, settings=firstline.settings)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app), base_url="http://firstline.test", timeout=60
        ) as client,
    ):
        members = [await _member(firstline, asker, kb) for tenant in TENANTS for asker, kb in _people(tenant, chance)]
        yield Surface(shelf=shelf, library=library, chance=chance, client=client, members=members)


def _people(tenant: str, chance: random.Random) -> list[tuple[Asker, str]]:
    all_seeing = Asker(tenant=tenant, tags=frozenset(("everyone", "staff", "partners", "beta", "eu")), level=3)
    return [
        *((all_seeing, kb) for kb in KBS),
        *((random_asker(chance, tenant), chance.choice(KBS)) for _ in range(ASKERS_PER_TENANT - len(KBS))),
    ]


async def _member(firstline: Firstline, asker: Asker, kb: str) -> Member:
    key, token = new_key(
        name="trial",
        tenant=asker.tenant,
        kb=kb,
        level=Level(asker.level),
        acl_tags=asker.tags,
        scopes=(KeyScope.MINT,),
    )
    await firstline.keys.add_key(key)
    return Member(asker=asker, kb=kb, headers={"Authorization": f"Bearer {token}"})
