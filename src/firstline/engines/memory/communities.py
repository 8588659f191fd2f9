"""The reference store of communities, in process. What the other engine is compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from firstline.domain import FOREVER, Community, CommunityBuild, Level
from firstline.engines.memory.knowledge import MemoryKnowledgeLedger
from firstline.errors import Conflict
from firstline.ports import Audience, Gathered, Scope


@dataclass(kw_only=True, slots=True)
class Row:
    """`built` and `dropped`: the builds that added it and let it end."""

    gathered: Gathered
    built: int
    dropped: int = FOREVER

    def until(self, build: int | None) -> int:
        return FOREVER if build is not None and self.dropped > build else self.gathered.community.until

    def stands(self, snapshot: int, build: int | None = None) -> bool:
        known = build is None or self.built <= build
        return known and self.gathered.community.since <= snapshot < self.until(build)


@dataclass(kw_only=True, slots=True)
class Base:
    rows: list[Row] = field(default_factory=list[Row])
    build: CommunityBuild = field(default_factory=CommunityBuild)
    tried_at: datetime | None = None


class MemoryCommunities:
    """See ports.CommunityStore."""

    def __init__(self, knowledge: MemoryKnowledgeLedger) -> None:
        self._knowledge = knowledge
        self._bases: dict[tuple[str, str], Base] = {}

    async def due(self, *, rest_s: float, limit: int) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for tenant, kb in self._knowledge.places():
            published = await self._knowledge.published(tenant=tenant, kb=kb)
            base = self._bases.get((tenant, kb)) or Base()
            made_of = (base.build.snapshot, base.build.forgotten)
            rests = max(rest_s, 10 * base.build.took_s)
            rested = base.tried_at is None or (datetime.now(UTC) - base.tried_at).total_seconds() >= rests
            if published.number and made_of != (published.number, published.forgotten) and rested:
                found.append((tenant, kb))
        return found[:limit]

    async def begin(self, *, tenant: str, kb: str) -> None:
        self._base(tenant, kb).tried_at = datetime.now(UTC)

    async def built(self, *, tenant: str, kb: str) -> CommunityBuild:
        return self._base(tenant, kb).build

    async def audiences(self, snapshot: int, *, tenant: str, kb: str, limit: int) -> list[Audience]:
        counted: Counter[Audience] = Counter(
            (one.acl, one.level) for one in self._knowledge.documents_in(snapshot, tenant=tenant, kb=kb)
        )
        return sorted(counted, key=lambda one: (-counted[one], sorted(one[0]), one[1]))[:limit]

    async def standing(self, snapshot: int, *, tenant: str, kb: str) -> dict[str, str]:
        rows = [row.gathered.community for row in self._base(tenant, kb).rows if row.stands(snapshot)]
        return {one.community_id: one.component for one in rows}

    async def commit(
        self, made: Sequence[Gathered], *, keep: Collection[str], build: CommunityBuild, tenant: str, kb: str
    ) -> CommunityBuild:
        published = await self._knowledge.published(tenant=tenant, kb=kb)
        if published.forgotten != build.forgotten:
            raise forgotten_meanwhile()
        base = self._base(tenant, kb)
        number = base.build.number + 1
        for row in base.rows:
            community = row.gathered.community
            if row.stands(build.snapshot) and community.community_id not in keep:
                row.gathered = replace(row.gathered, community=replace(community, until=build.snapshot))
                row.dropped = number
        base.rows += [Row(gathered=one, built=number) for one in made]
        base.build = replace(build, number=number, built_at=datetime.now(UTC))
        return base.build

    async def about(
        self, entity_ids: Collection[str], scope: Scope, *, limit: int, build: int | None = None
    ) -> list[Community]:
        wanted = frozenset(entity_ids)
        rows = [row for row in self._base(scope.tenant, scope.kb).rows if wanted & row.gathered.entity_ids]
        return (await self._seen(rows, scope, build))[:limit]

    async def communities(self, scope: Scope, *, limit: int) -> list[Community]:
        return (await self._seen(self._base(scope.tenant, scope.kb).rows, scope, None))[:limit]

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        base = self._base(tenant, kb)
        base.rows = [row for row in base.rows if not _cites(row, doc_ids, upto)]

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        return sum(_cites(row, doc_ids, upto) for row in self._base(tenant, kb).rows)

    async def prune(self, *, tenant: str, kb: str, oldest: int) -> None:
        base = self._base(tenant, kb)
        base.rows = [row for row in base.rows if row.gathered.community.until > oldest]

    def _base(self, tenant: str, kb: str) -> Base:
        return self._bases.setdefault((tenant, kb), Base())

    async def _seen(self, rows: Iterable[Row], scope: Scope, build: int | None) -> list[Community]:
        found: list[Community] = []
        for row in rows:
            community = row.gathered.community
            if row.stands(scope.snapshot, build) and is_for(community.acl, community.level, scope):
                cited = sorted(community.chunk_ids)
                if len(await self._knowledge.chunks(cited, scope)) == len(cited):
                    found.append(replace(community, until=row.until(build)))
        return sorted(found, key=lambda one: (-len(one.doc_ids), one.community_id))


def is_for(acl: frozenset[str], level: Level, scope: Scope) -> bool:
    """A missing ACL means nobody."""
    return not scope.acl_tags.isdisjoint(acl) and level <= scope.level_max


def forgotten_meanwhile() -> Conflict:
    return Conflict(
        "A document was forgotten while the communities were made.", remedy="Nothing was changed: they are made anew."
    )


def _cites(row: Row, doc_ids: Sequence[str], upto: int) -> bool:
    community = row.gathered.community
    return community.since <= upto and not community.doc_ids.isdisjoint(doc_ids)
