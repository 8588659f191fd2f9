"""Documents that share every word with one another but one, and who may see them: the oracle.

Five tenants with knowledge bases, document ids and texts of the same names and words. In three runs documents change,
move, are closed, opened and deleted; some are forgotten. Every revision has a word of its own, its mark, in its title
and its text: whatever shows a mark shows that revision. Nothing here is taken from the code that is tested.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

TENANTS: Final = ("acme", "acme-2", "globex", "initech", "umbra")
KBS: Final = ("docs", "help", "attic")
TAGS: Final = ("everyone", "staff", "partners", "beta", "eu")
LEVELS: Final = 4
RUNS: Final = 3
DOCUMENTS: Final = 10
TOPICS: Final = ("rotation", "backup", "relay", "mirror", "quota", "harbour", "lantern", "bridge", "kettle", "orchard")
MARK: Final = re.compile(r"zq[b-df-hj-np-tv-z]{9}")
_LETTERS: Final = "bcdfghjklmnpqrstvwxz"


@dataclass(frozen=True, kw_only=True)
class Revision:
    """What one document was from run `since` to before run `until` (RUNS + 1: to the end)."""

    tenant: str
    kb: str
    doc_id: str
    since: int
    until: int
    acl: frozenset[str]
    level: int
    mark: str
    topic: str
    faq: bool

    @property
    def title(self) -> str:
        return f"How do I set up {self.topic} {self.mark}?" if self.faq else f"Setting up {self.topic} {self.mark}"

    @property
    def text(self) -> str:
        """Every page says the same things, so that each one is an answer to every question."""
        others = " ".join(topic for topic in TOPICS if topic != self.topic)
        return (
            f"# {self.title}\n\n"
            f"To set up the {self.topic} of {self.mark}, open the panel and press start.\n\n"
            f"The {self.topic} {self.mark} needs version 4.2 and restarts by itself after an error.\n\n"
            f"## Limits of {self.mark}\n\nIt works beside {others}. The port of {self.mark} is 8443.\n"
        )


@dataclass(frozen=True, kw_only=True)
class Asker:
    """Who asks, in words of the oracle's own."""

    tenant: str
    tags: frozenset[str]
    level: int


@dataclass(kw_only=True)
class Library:
    revisions: list[Revision] = field(default_factory=list[Revision])
    forgotten: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])

    runs: int = RUNS

    def __post_init__(self) -> None:
        self._mark()

    def _mark(self) -> None:
        self.by_mark: dict[str, list[Revision]] = {}
        for one in self.revisions:
            self.by_mark.setdefault(one.mark, []).append(one)

    def may_see(self, one: Revision, asker: Asker, kb: str, run: int) -> bool:
        """The rule, said once and plainly: not forgotten, the same tenant and knowledge base, there at the time, a tag
        in common, and a level that reaches."""
        if (one.tenant, one.kb, one.doc_id) in self.forgotten:
            return False
        return self.might_see(one, asker, kb, run)

    @staticmethod
    def might_see(one: Revision, asker: Asker, kb: str, run: int) -> bool:
        """If it was not forgotten."""
        if one.tenant != asker.tenant or one.kb != kb:
            return False
        if not (one.since <= run and run < one.until):
            return False
        if len([tag for tag in one.acl if tag in asker.tags]) == 0:
            return False
        return one.level <= asker.level

    def visible(self, asker: Asker, kb: str, run: int) -> list[Revision]:
        return [one for one in self.revisions if self.may_see(one, asker, kb, run)]

    def not_theirs(self, text: str, asker: Asker, kb: str, run: int) -> Iterator[str]:
        """The marks that a text tells and should not."""
        for mark in set(MARK.findall(text)):
            own = self.by_mark.get(mark, [])
            if own and not any(self.may_see(one, asker, kb, run) for one in own):
                yield mark

    def of_run(self, tenant: str, kb: str, run: int) -> list[Revision]:
        return [one for one in self.revisions if (one.tenant, one.kb) == (tenant, kb) and one.since <= run < one.until]

    def change_access(self, chance: random.Random) -> None:
        """One more run, in which documents stay as they are and some are shown to others than before."""
        last, self.runs = self.runs, self.runs + 1
        for place, one in enumerate(list(self.revisions)):
            if one.until != last + 1:
                continue
            changes = chance.random() < 0.4
            self.revisions[place] = replace(one, until=last + 1 if changes else last + 2)
            if changes:
                after = replace(one, since=last + 1, until=last + 2, acl=_acl(chance), level=chance.randrange(LEVELS))
                self.revisions.append(after)
        self._mark()


def make_library(seed: int, *, tenants: int = len(TENANTS), kbs: int = len(KBS)) -> Library:
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
    marks: set[str] = set()
    revisions: list[Revision] = []
    for tenant in TENANTS[:tenants]:
        for kb in KBS[:kbs]:
            for place in range(DOCUMENTS):
                revisions += _history(chance, tenant, kb, place, marks)
    library = Library(revisions=revisions)
    for tenant in TENANTS[:tenants]:
        for kb in KBS[:kbs]:
            last = sorted({one.doc_id for one in library.of_run(tenant, kb, RUNS)})
            library.forgotten |= {(tenant, kb, doc_id) for doc_id in chance.sample(last, min(2, len(last) - 1))}
    return library


def _history(chance: random.Random, tenant: str, kb: str, place: int, marks: set[str]) -> Iterator[Revision]:
    """One document through the runs: it stays, changes its text or its access, moves to another id, or goes."""
    doc_id, topic, faq = f"page-{place}.md", TOPICS[place % len(TOPICS)], place % 5 == 4
    began, acl, level = 1, _acl(chance), chance.randrange(LEVELS)
    for run in range(2, RUNS + 2):
        # The first pages never go: a run that would empty a knowledge base is refused.
        fate = chance.random() if run <= RUNS and place >= 3 else (0.9 if run <= RUNS else 0.0)
        if run <= RUNS and fate > 0.55:
            continue
        yield Revision(
            tenant=tenant,
            kb=kb,
            doc_id=doc_id,
            since=began,
            until=run,
            acl=acl,
            level=level,
            mark=_mark(chance, marks),
            topic=topic,
            faq=faq,
        )
        if fate < 0.1:
            return
        if fate < 0.2:
            doc_id = f"moved-{place}.md"
        began, acl, level = run, _acl(chance), chance.randrange(LEVELS)


def _acl(chance: random.Random) -> frozenset[str]:
    """Nobody, now and then."""
    return frozenset(chance.sample(TAGS, chance.choice((0, 1, 1, 2, 3))))


def _mark(chance: random.Random, marks: set[str]) -> str:
    while True:
        mark = "zq" + "".join(chance.choice(_LETTERS) for _ in range(9))
        if mark not in marks:
            marks.add(mark)
            return mark


def random_asker(chance: random.Random, tenant: str) -> Asker:
    return Asker(
        tenant=tenant,
        tags=frozenset(chance.sample(TAGS, chance.choice((0, 1, 1, 2, 2, 3, 5)))),
        level=chance.randrange(LEVELS),
    )
