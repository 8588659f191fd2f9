"""What would a run do, and what would it take? A sample is prepared and measured, and nothing is written.

Everything is read once, to tell what is new, changed, unchanged and gone; of what is to be prepared a sample is drawn
at random, and prepared and embedded as a run does. What is measured is measured on this machine, now. Bounded in
memory by the bytes that the sample may hold, and in time: what is begun is ended, and nothing more is begun.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from firstline.documents.embed import embed
from firstline.documents.estimate import NOTHING, Estimate, estimate
from firstline.documents.publish_policy import Policy, refuse_wipe
from firstline.documents.run import Prepared, Run, same_id
from firstline.domain import FOREVER, Document, Failure, QuarantineState, Relation, SourceItem
from firstline.errors import InvalidInput, NotAccepted
from firstline.ports import Embedder, Source

SECONDS: Final = 30.0
LOOKING_SHARE: Final = 0.5
PREPARING_SHARE: Final = 0.8
EMBEDDING_SHARE: Final = 0.25
"""Of the time: reading all ends by the first, preparing by the second, and embedding takes at most the third."""
SAMPLE_ITEMS: Final = 400
SAMPLE_BYTES: Final = 64 * 1024**2
TEXTS_KEPT: Final = 2_000
TEXTS_AT_ONCE: Final = 128
REFUSED_NAMED: Final = 1_000
LOOKS_EVERY: Final = 16

CHUNK_LEDGER_BYTES: Final = 2_000
"""With the words of the knowledge base. These are what real documents took, with their indexes in the database."""
EDGE_BYTES: Final = 750
DOCUMENT_LEDGER_BYTES: Final = 1_100
CHUNK_INDEX_BYTES: Final = 3_500
"""Besides the vector: words, filters, ids, and room that files keep."""
BLOCK_BYTES: Final = 4_096
"""What a file takes on disk is whole blocks."""
DIMENSION_BYTES: Final = 4

PrepareItem = Callable[[SourceItem, Document | None], Prepared]


@dataclass(frozen=True, kw_only=True, slots=True)
class DryRun:
    """`items` by media type, refused ones left out. `refused` are those of the source and of the sample, the first
    REFUSED_NAMED by name; `refused_count` is of the source alone. `looked_whole`: the source was read to its end; else
    what was met of it in time. `sampled` of `to_prepare` items were prepared. `held`: of the sample, kept out until
    somebody looks. `refusal`: why the run as a whole would be refused. Times are seconds on this machine: of one core
    for preparing and extracting, of all for embedding; None: texts would go to an endpoint, which was not asked."""

    items: Mapping[str, int]
    refused: tuple[Failure, ...]
    refused_count: int
    sampled_refused: int
    new: int
    changed: int
    unchanged: int
    gone: int
    gone_kept: bool
    looked_whole: bool
    to_prepare: int
    to_prepare_bytes: int
    sampled: int
    held: int
    embedded: int
    documents: Estimate
    chunks: Estimate
    edges: Mapping[Relation, Estimate]
    edges_all: Estimate
    blob_bytes: Estimate
    index_bytes: Estimate
    ledger_bytes: Estimate
    prepare_s: Estimate
    extract_s: Estimate
    embed_s: Estimate | None
    took_s: float
    refusal: InvalidInput | None = None


@dataclass(kw_only=True)
class _Sample:
    """Drawn from a stream, each of it as likely as any other."""

    chance: random.Random
    kept: list[tuple[SourceItem, Document | None]] = field(default_factory=list[tuple[SourceItem, Document | None]])
    bytes: int = 0
    offered: int = 0
    room: int = SAMPLE_ITEMS

    def offer(self, item: SourceItem, known: Document | None) -> None:
        self.offered += 1
        if len(self.kept) < self.room:
            self.kept.append((item, known))
        else:
            place = self.chance.randrange(self.offered)
            if place >= len(self.kept):
                return
            self.bytes -= len(self.kept[place][0].raw)
            self.kept[place] = (item, known)
        self.bytes += len(item.raw)
        while self.bytes > SAMPLE_BYTES and len(self.kept) > 1:
            # Whichever goes, the rest is as good a sample; it only grows no more.
            gone, _ = self.kept.pop(self.chance.randrange(len(self.kept)))
            self.bytes -= len(gone.raw)
            self.room = len(self.kept)


@dataclass(kw_only=True)
class _Measured:
    """A row for each item of the sample."""

    sizes: list[int] = field(default_factory=list[int])
    documents: list[int] = field(default_factory=list[int])
    chunks: list[int] = field(default_factory=list[int])
    blobs: list[int] = field(default_factory=list[int])
    edges: list[Counter[Relation]] = field(default_factory=list[Counter[Relation]])
    prepare_s: list[float] = field(default_factory=list[float])
    extract_s: list[float] = field(default_factory=list[float])
    texts: list[str] = field(default_factory=list[str])
    refused: list[Failure] = field(default_factory=list[Failure])
    held: int = 0

    def add(self, item: SourceItem, prepared: Prepared | None, seconds: float) -> None:
        self.sizes.append(len(item.raw))
        self.documents.append(int(prepared is not None))
        self.chunks.append(len(prepared.chunks) if prepared else 0)
        self.blobs.append(-(-len(prepared.blob) // BLOCK_BYTES) * BLOCK_BYTES if prepared else 0)
        self.edges.append(Counter(edge.relation for edge in prepared.edges) if prepared else Counter())
        extract_s = prepared.extract_s if prepared else 0.0
        self.prepare_s.append(max(0.0, seconds - extract_s))
        self.extract_s.append(extract_s)
        if prepared is not None and len(self.texts) < TEXTS_KEPT:
            self.texts.extend(prepared.texts[: TEXTS_KEPT - len(self.texts)])


async def dry_run(
    source: Source,
    *,
    run: Run,
    prepare_item: PrepareItem,
    embedder: Embedder | None,
    dimensions: int,
    prefixes: Collection[str] = (),
    prune: bool = False,
    origins: Mapping[str, str],
    moved: bool = False,
    force: bool = False,
    policy: Policy,
    seconds: float = SECONDS,
    seed: int = 1,
) -> DryRun:
    """`run` knows what is current and what was decided on held documents. `prefixes` are those that the source speaks
    for. Without an `embedder` nothing is embedded. InvalidInput as the run itself would raise before it begins."""
    began = time.monotonic()
    if not moved:
        run.refuse_strangers(origins)
    sample = _Sample(chance=random.Random(seed))  # noqa: S311  (a sample, no secret)
    items: Counter[str] = Counter()
    news: Counter[str] = Counter()
    whole, size = True, 0
    async for item in source.items():
        run.items += 1
        if run.items % LOOKS_EVERY == 0 and time.monotonic() - began > LOOKING_SHARE * seconds:
            whole = False
            break
        if isinstance(item, Failure):
            run.fail(item)
            continue
        if item.item_id in run.seen:
            run.fail(same_id(item.item_id))
            continue
        run.seen.add(item.item_id)
        items[item.media_type] += 1
        known = run.current.get(item.item_id)
        if known is not None and known.content_hash == item.content_hash:
            news["unchanged"] += 1
            continue
        news["new" if known is None else "changed"] += 1
        size += len(item.raw)
        sample.offer(item, known)
    gone = _gone(run, prefixes) if whole else []
    refusal = _refusal(run, gone, prefixes, prune=prune, force=force, policy=policy)
    measured = await _prepared(sample, run, prepare_item, until=began + PREPARING_SHARE * seconds)
    until = min(began + seconds, time.monotonic() + EMBEDDING_SHARE * seconds)
    embed_s, embedded = await _embedded(measured, embedder, until=until)
    count = sample.offered

    def of_all(amounts: Sequence[float]) -> Estimate:
        return estimate(amounts, measured.sizes, items=count, size=size)

    chunks, documents = of_all(measured.chunks), of_all(measured.documents)
    relations = sorted({relation for own in measured.edges for relation in own})
    edges_all = of_all([own.total() for own in measured.edges])
    return DryRun(
        items=dict(items),
        refused=(*run.failures, *measured.refused)[:REFUSED_NAMED],
        refused_count=len(run.failures),
        sampled_refused=len(measured.refused),
        new=news["new"],
        changed=news["changed"],
        unchanged=news["unchanged"],
        gone=len(gone),
        gone_kept=not prune,
        looked_whole=whole,
        to_prepare=count,
        to_prepare_bytes=size,
        sampled=len(measured.sizes),
        held=measured.held,
        embedded=embedded,
        documents=documents,
        chunks=chunks,
        edges={relation: of_all([own[relation] for own in measured.edges]) for relation in relations},
        edges_all=edges_all,
        blob_bytes=of_all(measured.blobs),
        index_bytes=chunks.times(CHUNK_INDEX_BYTES + DIMENSION_BYTES * dimensions),
        ledger_bytes=chunks.times(CHUNK_LEDGER_BYTES)
        .plus(edges_all.times(EDGE_BYTES))
        .plus(documents.times(DOCUMENT_LEDGER_BYTES)),
        prepare_s=of_all(measured.prepare_s),
        extract_s=of_all(measured.extract_s),
        embed_s=None if embed_s is None else chunks.times(embed_s),
        took_s=time.monotonic() - began,
        refusal=refusal,
    )


def _gone(run: Run, prefixes: Collection[str]) -> list[str]:
    unread = tuple(run.unread)
    return [
        doc_id
        for doc_id, document in run.current.items()
        if document.until == FOREVER
        and doc_id not in run.seen
        and doc_id.startswith(tuple(prefixes))
        and not (unread and doc_id.startswith(unread))
    ]


def _refusal(
    run: Run, gone: Sequence[str], prefixes: Collection[str], *, prune: bool, force: bool, policy: Policy
) -> InvalidInput | None:
    own = sum(doc_id.startswith(tuple(prefixes)) for doc_id in run.current)
    try:
        if prune:
            refuse_wipe(len(gone), of=own, policy=policy, force=force)
    except InvalidInput as error:
        return error
    return None


async def _prepared(sample: _Sample, run: Run, prepare_item: PrepareItem, *, until: float) -> _Measured:
    measured = _Measured()
    sample.chance.shuffle(sample.kept)
    while sample.kept and (not measured.sizes or time.monotonic() < until):
        item, known = sample.kept.pop()
        began = time.perf_counter()
        try:
            prepared = await asyncio.to_thread(prepare_item, item, known)
        except NotAccepted as error:
            measured.refused.append(Failure(item_id=item.item_id, reason=str(error)))
            measured.add(item, None, time.perf_counter() - began)
            continue
        except Exception as error:
            # As a run does: one hostile file must not stop the others.
            reason = f"It could not be read ({type(error).__name__}). Save it anew."
            measured.refused.append(Failure(item_id=item.item_id, reason=reason))
            measured.add(item, None, time.perf_counter() - began)
            continue
        took = time.perf_counter() - began
        held = bool(prepared.suspicions) and run.state_of(prepared) is not QuarantineState.RELEASED
        measured.held += held
        measured.add(item, None if held else prepared, took)
    return measured


async def _embedded(measured: _Measured, embedder: Embedder | None, *, until: float) -> tuple[float | None, int]:
    """Seconds for a text, and how many texts say so."""
    if embedder is None:
        return None, 0
    if not measured.texts:
        return 0.0, 0
    # The first call loads what the others have.
    await embed(measured.texts[:1], embedder=embedder)
    done, began = 0, time.monotonic()
    while done < len(measured.texts):
        part = measured.texts[done : done + TEXTS_AT_ONCE]
        await embed(part, embedder=embedder)
        done += len(part)
        if time.monotonic() > until:
            break
    return (time.monotonic() - began) / done, done


def total_s(found: DryRun) -> tuple[Estimate, Estimate]:
    """At least and at most: a run does its stages at the same time, as far as the cores reach."""
    prepared = found.prepare_s.plus(found.extract_s)
    embedded = found.embed_s or NOTHING
    return (prepared if prepared.value > embedded.value else embedded), prepared.plus(embedded)
