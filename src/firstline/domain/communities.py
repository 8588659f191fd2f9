"""What many documents tell of the same things: a cluster of the graph, and what is told in it, word for word."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from firstline.domain.basics import FOREVER
from firstline.domain.principals import Level


class ToldKind(StrEnum):
    NAME = "name"
    """What a thing is called: `text` is the name as the cited span writes it most."""
    CAUSE = "cause"
    RESOLUTION = "resolution"
    AFFECTED = "affected"


@dataclass(frozen=True, kw_only=True, slots=True)
class Telling:
    """Who tells it: bytes of the document's blob."""

    doc_id: str
    chunk_id: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """One statement. `text` stands in the first telling; the others say the same. `documents`: how many texts tell it,
    copies counted once. `of`: ids of the entities that it is told of, sorted."""

    kind: ToldKind
    text: str
    tellings: tuple[Telling, ...]
    documents: int
    of: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Community:
    """Visible to whoever may see every chunk that it cites. `acl` and `level` say for whom it was made: it rests on
    nothing that they may not see. `component` names the part of the graph that it was made from, by its content. `told`
    is in order: names, causes, resolutions, what is affected, each told by most first. `size`: its entities."""

    tenant: str
    kb: str
    community_id: str
    component: str
    title: str
    size: int
    told: tuple[Told, ...]
    acl: frozenset[str]
    level: Level
    since: int
    until: int = FOREVER

    @property
    def chunk_ids(self) -> frozenset[str]:
        return frozenset(one.chunk_id for told in self.told for one in told.tellings)

    @property
    def doc_ids(self) -> frozenset[str]:
        return frozenset(one.doc_id for told in self.told for one in told.tellings)

    def of_kind(self, kind: ToldKind) -> tuple[Told, ...]:
        return tuple(told for told in self.told if told.kind is kind)


@dataclass(frozen=True, kw_only=True, slots=True)
class CommunityBuild:
    """What the communities of a knowledge base were made of last. `number` rises with every build; 0: none yet.
    `components` are those that have communities, each named with whom it was made for. `cut`: there was more than is
    looked at."""

    number: int = 0
    snapshot: int = 0
    forgotten: int = 0
    built_at: datetime | None = None
    took_s: float = 0.0
    cut: bool = False
