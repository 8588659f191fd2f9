"""Forget documents and persons: out of sight at once, then out of every engine, then looked for again.

The order makes a crash harmless. A tombstone hides a document from every snapshot in one transaction. Then index
and graph forget it, records lose their quotations, the ledger its rows, the blob store its contents, each step
repeatable. The
ledger's rows go late because they name the chunks that the other steps look for.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from firstline.documents.certificate import Certificate, Place
from firstline.documents.sweep import delete_unused, sweep
from firstline.domain import Tombstone
from firstline.errors import FirstlineError, InvalidInput, NotFound, TooManyRequests
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    CommunityStore,
    Graph,
    KnowledgeLedger,
    Marks,
    RecordLedger,
    Redactor,
    Revision,
    SnapshotLedger,
    TombstoneLedger,
)

PASSES_MAX: Final = 3
"""A record that was written between two looks is found by the next one."""
SUBJECT_CHARS_MIN: Final = 3
STONES_AT_ONCE: Final = 10_000
PURGED_AT_ONCE: Final = 100
"""Documents whose vectors are removed while no write of their knowledge base goes on: a publication waits as long."""
WAITS_S: Final = 15.0
ANEW: Final = "documents that are written anew"
"""Place of a certificate: not to be purged yet."""
WAITING: Final = (
    "documents are being taken anew by a run under way, or were forgotten once more meanwhile: they are not shown, and "
    "the rest of them is purged by the next `firstline forget --resume`, which a server does by itself."
)
INDEX_BYTES: Final = (
    "The index's files may hold bytes of removed vectors until their segment is built anew; no look-up reaches them."
)
BACKUPS: Final = (
    "Backups and write-ahead logs made before keep what they held until they expire: delete or expire them."
)
TOMBSTONE: Final = "The tombstone keeps the document's id, so that a run under way cannot bring it back."


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """Where a person is named, before anything is done. `documents` by knowledge base; `cannot`: what cannot be found,
    in words. `searched`: how many revisions of each knowledge base were read; `records` names every kind that was."""

    text: str
    documents: Mapping[str, tuple[str, ...]]
    records: Mapping[str, int]
    cannot: tuple[str, ...]
    searched: Mapping[str, int]


class Purger:
    """Forgets on one data folder. `forget_cached` is told of every tombstone, for caches in this process."""

    def __init__(
        self,
        *,
        knowledge: KnowledgeLedger,
        tombstones: TombstoneLedger,
        records: RecordLedger,
        snapshots: SnapshotLedger,
        index: ChunkIndex,
        blobs: BlobStore,
        redactor: Redactor,
        forget_cached: Sequence[Callable[[Tombstone], None]] = (),
        graph: Graph | None = None,
        communities: CommunityStore | None = None,
    ) -> None:
        self._knowledge = knowledge
        self._tombstones = tombstones
        self._records = records
        self._snapshots = snapshots
        self._index = index
        self._blobs = blobs
        self._redactor = redactor
        self._forget_cached = forget_cached
        self._graph = graph
        self._communities = communities

    async def bury(self, doc_ids: Sequence[str], *, tenant: str, kb: str, by: str) -> list[Tombstone]:
        """Out of sight with the next look-up, in every snapshot. NotFound when one is not there: then none is."""
        stones = await self._tombstones.bury(doc_ids, tenant=tenant, kb=kb, by=by)
        for forget in self._forget_cached:
            for stone in stones:
                forget(stone)
        return stones

    async def forget(
        self, doc_ids: Sequence[str], *, tenant: str, kb: str, by: str, texts: frozenset[str] = frozenset()
    ) -> Certificate:
        """Bury, purge, and look again. A run that was interrupted is finished by forgetting the same once more. `texts`
        are blanked in every record by the same pass, so that a record with both is counted once."""
        stones = await self._buried_or_known(doc_ids, tenant=tenant, kb=kb, by=by)
        return await self.purge(stones, by=by, texts=texts)

    async def finish(self, *, tenant: str | None) -> list[Certificate]:
        """As `resume`, for a job that is done again. TooManyRequests when something of it must wait for a run that is
        writing a forgotten document anew."""
        done = await self.resume(tenant=tenant)
        waiting = sum(place.left for one in done for place in one.places if place.name == ANEW)
        if waiting:
            raise TooManyRequests(
                f"{waiting} forgotten documents are being written anew by a run under way.",
                retry_after_s=WAITS_S,
                remedy="They are not shown. `firstline forget --resume` purges the rest after that run.",
            )
        return done

    async def resume(self, *, tenant: str | None) -> list[Certificate]:
        """Finish all that runs that died have left: STONES_AT_ONCE documents at a time, of one knowledge base after the
        other. One that fails does not keep the others: its error is raised when they are done."""
        done: list[Certificate] = []
        failed: FirstlineError | None = None
        tried: set[tuple[str, str, str]] = set()
        while groups := await self._untried(tried, tenant):
            for stones in groups.values():
                try:
                    done.append(await self.purge(stones, by=stones[0].by))
                except FirstlineError as error:
                    failed = failed or error
        # One that died behind the ledger's rows is not buried any more, and its contents may still be there.
        await sweep(snapshots=self._snapshots, blobs=self._blobs)
        if failed is not None:
            raise failed
        return done

    async def _untried(
        self, tried: set[tuple[str, str, str]], tenant: str | None
    ) -> dict[tuple[str, str], list[Tombstone]]:
        """The next of what is buried, by knowledge base, and remember it as tried: what has to wait, or fails, stays
        buried, and must not stand before the rest for ever."""
        groups: dict[tuple[str, str], list[Tombstone]] = {}
        for stone in await self._tombstones.buried(tenant=tenant, limit=STONES_AT_ONCE + len(tried)):
            one = (stone.tenant, stone.kb, stone.doc_id)
            if one not in tried:
                tried.add(one)
                groups.setdefault((stone.tenant, stone.kb), []).append(stone)
        return groups

    async def purge(self, stones: Sequence[Tombstone], *, by: str, texts: frozenset[str] = frozenset()) -> Certificate:
        """Remove every trace of documents of one knowledge base that are buried, as they are buried by now: one that
        was forgotten once more is purged of that too, and what a run has taken anew since is left alone."""
        tenant, kb = stones[0].tenant, stones[0].kb
        traces: dict[str, Sequence[Revision]] = {}
        vectors, edges, cited, now = 0, 0, 0, list[Tombstone]()
        for start in range(0, len(stones), PURGED_AT_ONCE):
            async with self._tombstones.removing(stones[start : start + PURGED_AT_ONCE]) as found:
                for stone in found:
                    traces[stone.doc_id] = await self._tombstones.traces(stone)
                vectors += await self._purge_index(found)
                edges += await self._purge_graph(found)
                cited += await self._purge_communities(found)
                now += found
        revisions = [one for found in traces.values() for one in found]
        marks = replace(await self._marks(kb, traces, tenant), texts=texts)
        quoted = await self._scrub(marks, tenant)
        waiting = sum([not await self._tombstones.purged(stone) for stone in now])
        names = sorted({one.blob for one in revisions})
        deleted = await delete_unused(names, snapshots=self._snapshots, blobs=self._blobs)
        left = await self._left(await self._not_taken_anew(now), marks, names)
        for _ in range(PASSES_MAX):
            if not any(left[name] for name in quoted):
                break
            # A question that was under way has told of it since: by now none can find it any more.
            for name, count in (await self._scrub(marks, tenant)).items():
                quoted[name] = quoted.get(name, 0) + count
            left |= await self._records.quoting(marks, tenant=tenant)
        places = [
            Place(name="index", found=vectors, left=left["index"]),
            Place(name="graph", found=edges, left=left["graph"]),
            Place(name="communities", found=cited, left=left["communities"]),
            Place(name="documents and chunks", found=len(revisions), left=left["documents and chunks"]),
            Place(name="texts in the blob store", found=deleted, left=left["texts in the blob store"]),
            *(Place(name=name, found=quoted.get(name, 0), left=left[name]) for name in sorted(quoted)),
            *([Place(name=ANEW, found=0, left=waiting)] if waiting else []),
        ]
        shared = len(names) - deleted
        return Certificate(
            tenant=tenant,
            what={"kb": kb, "documents": sorted(traces), "snapshots_up_to": max(stone.upto for stone in now)},
            by=by,
            unreachable_at=min(stone.at for stone in now),
            purged_at=datetime.now(UTC),
            places=places,
            kept=(
                *([f"{shared} texts stay: other documents have the same content."] if shared else []),
                *([f"{waiting} {WAITING}"] if waiting else []),
                *KEPT,
            ),
        )

    async def _not_taken_anew(self, purged: Sequence[Tombstone]) -> list[Tombstone]:
        """What is to be gone: less what a run has written anew since it was removed."""
        doc_ids = [stone.doc_id for stone in purged]
        known = await self._tombstones.tombstones(doc_ids, tenant=purged[0].tenant, kb=purged[0].kb)
        upto = {stone.doc_id: stone.upto for stone in known}
        return [replace(stone, upto=min(stone.upto, upto[stone.doc_id])) for stone in purged]

    async def look_for(self, text: str, *, tenant: str) -> Subject:
        """Every place that names a person. InvalidInput for a text so short that it names everybody."""
        wanted = " ".join(text.split())
        if len(wanted) < SUBJECT_CHARS_MIN:
            raise InvalidInput(
                f"A text of {len(wanted)} characters stands everywhere.", remedy="Give the whole name or address."
            )
        documents: dict[str, tuple[str, ...]] = {}
        searched: dict[str, int] = {}
        placeholders = self._placeholders(wanted)
        hidden = 0
        for kb in await self._knowledge.knowledge_bases(tenant=tenant):
            found = set(await self._tombstones.naming(wanted, tenant=tenant, kb=kb))
            contents = await self._tombstones.contents(tenant=tenant, kb=kb)
            searched[kb] = len(contents)
            for doc_id, blob, size in contents:
                content = await self._content(blob, size)
                if wanted.casefold() in content.casefold():
                    found.add(doc_id)
                hidden += bool(placeholders and placeholders.search(content))
            if found:
                documents[kb] = tuple(sorted(found))
        records = await self._records.quoting(Marks(texts=frozenset({wanted})), tenant=tenant)
        return Subject(
            text=wanted,
            documents=documents,
            records=records,
            cannot=_cannot(placeholders, hidden),
            searched=searched,
        )

    async def forget_subject(self, subject: Subject, *, tenant: str, by: str) -> Certificate:
        """Forget the documents that name the person, and blank the name in every record."""
        began = datetime.now(UTC)
        places: Counter[str] = Counter()
        left: Counter[str] = Counter()
        for kb, doc_ids in subject.documents.items():
            done = await self.forget(doc_ids, tenant=tenant, kb=kb, by=by, texts=frozenset({subject.text}))
            for place in done.places:
                places[place.name] += place.found
                left[place.name] += place.left
        marks = Marks(texts=frozenset({subject.text}))
        for name, count in (await self._scrub(marks, tenant)).items():
            places[name] += count
        for name, count in (await self._records.quoting(marks, tenant=tenant)).items():
            left[name] = max(left[name], count)
        again = await self.look_for(subject.text, tenant=tenant)
        left["documents and chunks"] += sum(map(len, again.documents.values()))
        digest = hashlib.sha256(subject.text.casefold().encode()).hexdigest()
        return Certificate(
            tenant=tenant,
            what={"subject_sha256": digest, "documents": {kb: list(ids) for kb, ids in subject.documents.items()}},
            by=by,
            unreachable_at=began,
            purged_at=datetime.now(UTC),
            places=[Place(name=name, found=places[name], left=left[name]) for name in sorted(places | left)],
            kept=(*subject.cannot, *KEPT),
        )

    async def forget_tenant(self, tenant: str, *, by: str) -> Certificate:
        """Every document, conversation, key and registered source of a tenant. Its knowledge bases stay, empty.
        NotFound when there is nothing of it."""
        began = datetime.now(UTC)
        documents, places = await self._forget_documents(tenant, by=by)
        removed = await self._records.forget_tenant(tenant)
        if not documents and not any(removed.values()):
            # A certificate for a name that was mistyped would prove what nobody did.
            raise NotFound(f"There is nothing of a tenant {tenant!r}.", remedy="Check the name; nothing was removed.")
        # Its sources are gone by now: what a sync had in hand meanwhile is the last.
        late, more = await self._forget_documents(tenant, by=by)
        documents.update(late)
        places += more
        left = await self._records.of_tenant(tenant)
        places += [Place(name=name, found=removed[name], left=left[name]) for name in removed]
        return Certificate(
            tenant=tenant,
            what={"tenant": tenant, "documents": dict(documents)},
            by=by,
            unreachable_at=began,
            purged_at=datetime.now(UTC),
            places=places,
            kept=KEPT,
        )

    async def _forget_documents(self, tenant: str, *, by: str) -> tuple[Counter[str], list[Place]]:
        """(how many of each knowledge base, what was found where)"""
        counts: Counter[str] = Counter()
        places: list[Place] = []
        for kb in await self._knowledge.knowledge_bases(tenant=tenant):
            ids = await self._tombstones.known_documents("", tenant=tenant, kb=kb)
            counts[kb] = len(ids)
            if ids:
                found = await self.forget(ids, tenant=tenant, kb=kb, by=by)
                places += [Place(name=f"{kb}: {one.name}", found=one.found, left=one.left) for one in found.places]
        return counts, places

    async def _buried_or_known(self, doc_ids: Sequence[str], *, tenant: str, kb: str, by: str) -> list[Tombstone]:
        """Documents that were purged already are looked for once more: the proof may have been lost."""
        stones = await self._tombstones.tombstones(doc_ids, tenant=tenant, kb=kb)
        known = set(await self._known(doc_ids, tenant=tenant, kb=kb))
        done = [stone for stone in stones if stone.doc_id not in known]
        rest = sorted(set(doc_ids) - {stone.doc_id for stone in done})
        return [*done, *(await self.bury(rest, tenant=tenant, kb=kb, by=by) if rest else [])]

    async def _known(self, doc_ids: Sequence[str], *, tenant: str, kb: str) -> list[str]:
        wanted = set(doc_ids)
        start = min(wanted, default="") if len(wanted) == 1 else ""
        return [one for one in await self._tombstones.known_documents(start, tenant=tenant, kb=kb) if one in wanted]

    async def _marks(self, kb: str, traces: Mapping[str, Sequence[Revision]], tenant: str) -> Marks:
        return Marks(
            kb=kb,
            doc_ids=frozenset(traces),
            chunk_ids=frozenset(chunk for found in traces.values() for one in found for chunk in one.chunk_ids),
            titles=await self._tombstones.titles(sorted(traces), tenant=tenant, kb=kb),
        )

    async def _purge_index(self, stones: Sequence[Tombstone]) -> int:
        removed = 0
        for upto in sorted({stone.upto for stone in stones}):
            where = _where(stones, upto)
            removed += await self._index.held(**where)
            await self._index.purge(**where)
        return removed

    async def _purge_graph(self, stones: Sequence[Tombstone]) -> int:
        removed = 0
        if self._graph is not None:
            for upto in sorted({stone.upto for stone in stones}):
                where = _where(stones, upto)
                removed += await self._graph.held(**where)
                await self._graph.purge(**where)
        return removed

    async def _purge_communities(self, stones: Sequence[Tombstone]) -> int:
        """Those that cite them; the rest of what was told in one is gathered anew by the next build."""
        removed = 0
        if self._communities is not None:
            for upto in sorted({stone.upto for stone in stones}):
                where = _where(stones, upto)
                removed += await self._communities.held(**where)
                await self._communities.purge(**where)
        return removed

    async def _scrub(self, marks: Marks, tenant: str) -> dict[str, int]:
        changed: Counter[str] = Counter()
        for _ in range(PASSES_MAX):
            found = await self._records.scrub(marks, tenant=tenant)
            changed.update(found)
            if not any(found.values()):
                break
        return dict(changed)

    async def _left(self, stones: Sequence[Tombstone], marks: Marks, names: Sequence[str]) -> dict[str, int]:
        """Look again, as if nothing had been done."""
        tenant = stones[0].tenant
        vectors = [await self._index.held(**_where(stones, upto)) for upto in sorted({one.upto for one in stones})]
        edges = 0
        if self._graph is not None:
            edges = sum([await self._graph.held(**_where(stones, upto)) for upto in {one.upto for one in stones}])
        cited = 0
        if self._communities is not None:
            uptos = {one.upto for one in stones}
            cited = sum([await self._communities.held(**_where(stones, upto)) for upto in uptos])
        kept = 0
        for name in names:
            async with self._snapshots.unused(name) as unused:
                kept += unused and await self._blobs.holds(name)
        return {
            "index": sum(vectors),
            "graph": edges,
            "communities": cited,
            "documents and chunks": sum([len(await self._tombstones.traces(stone)) for stone in stones]),
            "texts in the blob store": kept,
            **await self._records.quoting(marks, tenant=tenant),
        }

    async def _content(self, blob: str, size: int) -> str:
        try:
            data = await self._blobs.get_range(blob, 0, size)
        except FirstlineError:
            return ""  # deleted meanwhile
        return " ".join(data.decode("utf-8", "replace").split())

    def _placeholders(self, text: str) -> re.Pattern[str] | None:
        """What the redactor makes of this text when a document holds it."""
        made = self._redactor.redact(f"It says {text} there.")
        names = sorted({re.escape(one.type) for one in made.redactions})
        return re.compile(rf"\[?({'|'.join(names)})(_\d+)?\]?") if names else None


KEPT: Final = (BACKUPS, INDEX_BYTES, TOMBSTONE)


def _where(stones: Sequence[Tombstone], upto: int) -> dict[str, Any]:
    doc_ids = [stone.doc_id for stone in stones if stone.upto == upto]
    return {"tenant": stones[0].tenant, "kb": stones[0].kb, "doc_ids": doc_ids, "upto": upto}


def _cannot(placeholders: re.Pattern[str] | None, hidden: int) -> tuple[str, ...]:
    if placeholders is None:
        return ()
    told = "A text like this one is replaced by a placeholder before it is stored, so it cannot be looked for: "
    return (f"{told}{hidden} documents hold placeholders of its kind, and nobody can tell whose they are.",)
