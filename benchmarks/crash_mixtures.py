"""kill -9 during ingest, publish, rollback, forget and prune, at random instants: is there ever a mixture?

    python -m benchmarks.crash_mixtures [--kills 200] [--seed N]

A worker process does one of these after the other on a small knowledge base, and writes down what it is about to do and
what it was told is done. It is killed at a random instant; every other kill takes the index worker and Postgres along,
as a power cut does. After each kill, every snapshot that is listed, whichever is published, must hold exactly the
documents, in exactly the versions, that it was made of, less those that were forgotten:

- the pointer is where it was before the act under way, or where that act moves it,
- what was acknowledged is there: a published snapshot, a rollback, a forgotten document (in no snapshot at all),
- the index finds every chunk of every listed snapshot, and shows no other; every text is readable,
- a document that was being forgotten is in all of its snapshots or in none, and the next run leaves no trace of it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.processes import doomed, kill, kill_at_once, scratch_folder
from firstline.documents.journey import Publish
from firstline.documents.sweep import prune
from firstline.domain import EVERYONE, DocumentKind, Failure, IngestReport, Level, Principal, SnapshotState, SourceItem
from firstline.errors import Conflict
from firstline.ports import IndexQuery, Scope, SparseVector, Vectors
from firstline.settings import load_settings
from firstline.wiring import Firstline, open_firstline

KILLS: Final = 200
KB: Final = "mixtures"
DOCUMENTS: Final = 12
AT_S_MAX: Final = 2.0
LOCK_S_MAX: Final = 30.0
READY_S_MAX: Final = 120.0
LISTED_MAX: Final = 1_000
ACTS: Final = ("ingest", "ingest", "wait", "wait", "publish", "rollback", "forget", "prune")
POINTER: Final = ("publish", "rollback")
POINTER_SHARE: Final = 0.4
"""Moving the pointer takes a few milliseconds: a kill at random hits it once in a hundred. So many of the kills wait
until it begins to be moved, and come within POINTER_S_MAX of that."""
POINTER_S_MAX: Final = 0.012
POINTER_WAIT_S_MAX: Final = 20.0
JOURNAL: Final = "journal.jsonl"
MODEL: Final = "model.json"

Contents = dict[str, int]
"""Document -> version."""


@dataclass(kw_only=True)
class Model:
    """What must be there. `contents` by snapshot. `redo` is an ingest that was interrupted: what it acknowledged is in
    the candidate, so it is run again before anything else, as a person would."""

    published: int = 0
    head: int = 0
    version: int = 0
    redo: dict[str, Any] = field(default_factory=dict[str, Any])
    contents: dict[int, Contents] = field(default_factory=dict[int, Contents])

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(self.__dict__), encoding="utf-8")

    @classmethod
    def read(cls, told: dict[str, Any]) -> Model:
        return cls(
            published=told["published"],
            head=told["head"],
            version=told["version"],
            redo=told["redo"],
            contents={int(number): one for number, one in told["contents"].items()},
        )


@dataclass(kw_only=True)
class MixtureReport:
    kills: int = 0
    under_way: dict[str, int] = field(default_factory=dict[str, int])
    findings: list[str] = field(default_factory=list[str])


class Drawn:
    """An embedder that draws: the trial is about engines, and the worker has to be up quickly."""

    model_id = "drawn"
    dimensions = 16

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = [np.random.default_rng(list(hashlib.sha256(text.encode()).digest())).normal(size=16) for text in texts]
        matrix = np.array(rows, dtype=np.float32).reshape(len(texts), 16)
        return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def text_of(doc: str, version: int) -> str:
    return f"# {doc}\n\nVersion {version} of {doc}: set limit_{version} and restart the service number {version}.\n"


class Pages:
    """A source of these documents."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        for doc, version in self._contents.items():
            raw = text_of(doc, version).encode()
            yield SourceItem(
                item_id=doc,
                kind=DocumentKind.DOCUMENTATION,
                media_type="text/markdown",
                raw=raw,
                acl=frozenset({EVERYONE}),
                level=Level.PUBLIC,
                content_hash=hashlib.sha256(raw).hexdigest(),
            )


def flags_of(folder: Path) -> dict[str, object]:
    """No question is asked here: what is undone or pruned need not wait for one that is under way."""
    return {"data_folder": folder, "kb": KB, "turn_deadline_s": 0.01}


# --- the process that is killed -------------------------------------------------------------------------------------


async def work(folder: Path, scratch: Path, seed: int) -> None:
    pick = random.Random(seed)  # noqa: S311 - repeatable, no secret
    model = Model.read(json.loads((scratch / MODEL).read_text(encoding="utf-8")))
    with (scratch / JOURNAL).open("w", encoding="utf-8", buffering=1) as journal:

        def tell(**told: object) -> None:
            journal.write(json.dumps(told) + "\n")

        async with open_firstline(load_settings(flags=flags_of(folder)), embedder=Drawn()) as opened:
            await opened.purger.resume(tenant=opened.settings.tenant)
            tell(ready=True, model=model.__dict__)
            if model.redo:
                await ingest(opened, model, tell, **model.redo)
            while True:
                await act(opened, model, pick, tell)


async def act(opened: Firstline, model: Model, pick: random.Random, tell: Any) -> None:
    where = {"tenant": opened.settings.tenant, "kb": KB}
    chosen = pick.choice(ACTS)
    later = sorted(one for one in model.contents if one > model.published)
    earlier = sorted(one for one in model.contents if one < model.published)
    known = sorted({doc for contents in model.contents.values() for doc in contents})
    if chosen in ("ingest", "wait"):
        await ingest(opened, model, tell, **drawn(model, pick), waits=chosen == "wait")
    elif chosen == "publish" and later:
        to = pick.choice(later)
        tell(begin="publish", to=to)
        await opened.snapshots.point_on(to, **where)
        model.published, model.head = to, max(model.head, to)
        tell(done="publish", model=model.__dict__)
    elif chosen == "rollback" and earlier:
        to = pick.choice(earlier)
        tell(begin="rollback", to=to)
        await opened.snapshots.point_back(to, **where)
        model.published = model.head = to
        tell(done="rollback", model=model.__dict__)
    elif chosen == "forget" and len(known) > DOCUMENTS // 2:
        doc = pick.choice(known)
        tell(begin="forget", doc=doc)
        certificate = await opened.purger.forget([doc], **where, by="trial")
        for contents in model.contents.values():
            contents.pop(doc, None)
        tell(done="forget", doc=doc, clean=certificate.clean, model=model.__dict__)
    elif chosen == "prune" and len(model.contents) > 6:
        tell(begin="prune")
        done = await prune(**where, keep=4, snapshots=opened.snapshots, index=opened.index, blobs=opened.blobs)
        model.contents = {number: one for number, one in model.contents.items() if number >= done.oldest}
        tell(done="prune", model=model.__dict__)


def drawn(model: Model, pick: random.Random) -> dict[str, Any]:
    """Some documents that change or come, and some that go."""
    base = model.contents.get(model.head, {})
    model.version += 1
    names = [f"page-{number:02d}" for number in range(DOCUMENTS)]
    changed = dict.fromkeys(pick.sample(names, pick.randint(1, 5)), model.version)
    removed = [doc for doc in pick.sample(names, 2) if doc in base and doc not in changed] if len(base) > 4 else []
    return {"changed": changed, "removed": removed}


async def ingest(
    opened: Firstline, model: Model, tell: Any, *, changed: Contents, removed: list[str], waits: bool
) -> None:
    base = model.contents.get(model.head, {})
    expected = {doc: version for doc, version in {**base, **changed}.items() if doc not in removed}
    again = {"changed": changed, "removed": removed, "waits": waits}
    tell(begin="ingest", expected=expected, version=model.version, again=again)
    report = await _patiently(
        lambda: opened.documents.ingest(
            Pages(changed),
            tenant=opened.settings.tenant,
            kb=KB,
            removed=removed,
            publish=Publish.NEVER if waits else Publish.AUTO,
        )
    )
    # What was ahead of a rollback is undone now.
    model.contents = {number: one for number, one in model.contents.items() if number <= model.head}
    model.contents[report.snapshot] = expected
    model.head, model.redo = report.snapshot, {}
    if report.published:
        model.published = report.snapshot
    tell(done="ingest", model=model.__dict__)


async def _patiently(ingest: Callable[[], Awaitable[IngestReport]]) -> IngestReport:
    """Postgres may not have noticed yet that the run before this one is dead, and its lock with it."""
    deadline = time.monotonic() + LOCK_S_MAX
    while True:
        try:
            return await ingest()
        except Conflict:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.1)


# --- the process that kills and looks -------------------------------------------------------------------------------


async def crash_mixtures(*, kills: int = KILLS, seed: int = 0) -> MixtureReport:
    """Run the whole trial in a temporary folder."""
    async with scratch_folder("firstline-mixtures-") as scratch:
        return await _trial(scratch, kills=kills, seed=seed)


async def _trial(scratch: Path, *, kills: int, seed: int) -> MixtureReport:
    report = MixtureReport()
    pick = random.Random(seed)  # noqa: S311 - repeatable, no secret
    folder = scratch / "data"
    Model().write(scratch / MODEL)
    while report.kills < kills:
        everything = report.kills % 2 == 1
        await asyncio.to_thread(_kill_at, folder, scratch, pick, everything=everything)
        report.kills += 1
        model, pending = _journal(scratch)
        act_under_way = str(pending.get("begin", "nothing"))
        report.under_way[act_under_way] = report.under_way.get(act_under_way, 0) + 1
        findings, model = await _look(folder, model, pending)
        report.findings += [f"kill {report.kills} ({act_under_way}): {one}" for one in findings]
        model.write(scratch / MODEL)
        for one in findings:
            print(one, file=sys.stderr)
        print(f"kill {report.kills} during {act_under_way}; findings {len(report.findings)}", file=sys.stderr)
    return report


def _kill_at(folder: Path, scratch: Path, pick: random.Random, *, everything: bool) -> None:
    """At a random instant after the worker has begun its acts, or while it moves the pointer."""
    journal = scratch / JOURNAL
    journal.unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.crash_mixtures", "--worker", str(folder), str(scratch)]
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*command, "--seed", str(pick.randrange(2**31))],
        stdout=subprocess.DEVNULL,
        stderr=(scratch / "worker.log").open("ab"),
    )
    began = time.monotonic()
    while not (journal.exists() and journal.stat().st_size) and time.monotonic() - began < READY_S_MAX:
        if process.poll() is not None:
            log = (scratch / "worker.log").read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"the worker ended by itself: {log[-2_000:]}")
        time.sleep(0.01)
    if pick.random() < POINTER_SHARE:
        pids = doomed(process.pid, folder, everything=everything)
        _wait_for_pointer(journal, process)
        time.sleep(pick.uniform(0, POINTER_S_MAX))
        kill(pids)
    else:
        time.sleep(pick.uniform(0, AT_S_MAX))
        if process.poll() is not None:
            log = (scratch / "worker.log").read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"the worker ended by itself: {log[-2_000:]}")
        kill_at_once(process.pid, folder, everything=everything)
    process.wait()


def _wait_for_pointer(journal: Path, process: subprocess.Popen[bytes]) -> None:
    """Until the last thing in the journal is that the pointer is about to be moved."""
    began = time.monotonic()
    with journal.open("rb") as lines:
        while process.poll() is None and time.monotonic() - began < POINTER_WAIT_S_MAX:
            last = lines.read().rpartition(b"\n")[0].rpartition(b"\n")[2]
            if any(f'"begin": "{act}"'.encode() in last for act in POINTER):
                return
            time.sleep(0.0002)


def _journal(scratch: Path) -> tuple[Model, dict[str, Any]]:
    """What was acknowledged, and the act that was under way."""
    model: dict[str, Any] = {}
    pending: dict[str, Any] = {}
    for line in (scratch / JOURNAL).read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(ValueError):  # the last line may be cut
            told = json.loads(line)
            pending = told if "begin" in told else {}
            model = told.get("model", model)
    return Model.read(model), pending


async def _look(folder: Path, model: Model, pending: dict[str, Any]) -> tuple[list[str], Model]:
    """What is wrong, and the model as the act under way has left it: done or not done."""
    findings: list[str] = []
    async with open_firstline(load_settings(flags=flags_of(folder)), embedder=Drawn()) as opened:
        tenant = opened.settings.tenant
        if KB not in await opened.knowledge.knowledge_bases(tenant=tenant):
            return findings, model
        entries = await opened.snapshots.snapshots(tenant=tenant, kb=KB, limit=LISTED_MAX)
        listed = {one.number: one.state for one in entries}
        published = (await opened.knowledge.published(tenant=tenant, kb=KB)).number
        findings += _settle(model, pending, listed, published)
        forgetting = str(pending.get("doc", "")) if pending.get("begin") == "forget" else ""
        seen: set[bool] = set()
        for number in sorted(listed):
            held, strays = await _held(opened, tenant, number)
            findings += [f"snapshot {number}: {stray}" for stray in strays]
            expected = model.contents.get(number, {})
            if forgetting in expected:
                seen.add(forgetting in held)
                expected = {doc: version for doc, version in expected.items() if doc != forgetting or doc in held}
            if held != expected:
                findings.append(f"snapshot {number} holds {held} instead of {expected}")
        if len(seen) > 1:
            findings.append(f"{forgetting} is forgotten in some snapshots only")
        if seen == {False}:
            for contents in model.contents.values():
                contents.pop(forgetting, None)
        # What was buried is purged by the next run, whose proof is read here.
        for certificate in await opened.purger.resume(tenant=tenant):
            if not certificate.clean:
                findings.append(f"traces are left: {certificate.places}")
        findings += await _traces(opened, model, tenant)
    return findings, model


def _settle(model: Model, pending: dict[str, Any], listed: dict[int, SnapshotState], published: int) -> list[str]:
    """Take what the act under way did into the model; say what it cannot have done."""
    findings: list[str] = []
    begun, before = pending.get("begin"), model.published
    fresh = sorted(set(listed) - set(model.contents))
    allowed = {before, pending["to"]} if begun in ("publish", "rollback") else {before}
    if begun == "ingest":
        model.version = max(model.version, pending["version"])
        model.redo = {} if fresh else pending["again"]
        if fresh:
            model.contents[fresh[0]] = pending["expected"]
            allowed.add(fresh[0])
            fresh = fresh[1:]
    if fresh:
        findings.append(f"snapshots {fresh} came from nowhere")
    if published not in allowed:
        findings.append(f"the pointer is at {published}, and may be at {sorted(allowed)}")
    gone = sorted(set(model.contents) - set(listed))
    ahead = [number for number in gone if number > model.head]
    lost = [number for number in gone if number not in ahead]
    if ahead and begun != "ingest":
        findings.append(f"snapshots {ahead} are gone, and no candidate was opened")
    if lost and begun != "prune":
        findings.append(f"snapshots {lost} are gone, and nobody pruned")
    for number in gone:
        del model.contents[number]
    model.published = published
    waiting = [number for number, state in listed.items() if state in (SnapshotState.WAITING, SnapshotState.CANARY)]
    model.head = max([published, *waiting])
    return findings


async def _held(opened: Firstline, tenant: str, number: int) -> tuple[Contents, list[str]]:
    """The documents of a snapshot by version, and what of it ledger, index and blobs do not agree about."""
    principal = Principal(tenant=tenant, user="trial", acl_tags=frozenset({EVERYONE}), level=Level.RESTRICTED)
    scope = Scope.of(principal, kb=KB, snapshot=number)
    limit = max(1, await opened.index.count(tenant=tenant, kb=KB))
    vector = (await opened.embedder.embed(["anything at all"]))[0]
    query = IndexQuery(scope=scope, dense=vector, words=SparseVector(indices=(), values=()), limit=limit)
    found = {hit.chunk_id: hit.doc_id for hit in await opened.index.search(query)}
    held: Contents = {}
    known: set[str] = set()
    strays: list[str] = []
    for doc in [f"page-{one:02d}" for one in range(DOCUMENTS)]:
        document = await opened.knowledge.document(doc, scope)
        chunks = await opened.knowledge.document_chunks(doc, scope)
        known |= {chunk.chunk_id for chunk in chunks}
        if (document is None) != (not chunks):
            strays.append(f"{doc} has chunks and no document, or the other way round")
        if document is None:
            continue
        try:
            text = (await opened.blobs.get_range(document.blob, 0, document.size_bytes)).decode()
            held[doc] = int(text.partition("Version ")[2].partition(" ")[0])
        except Exception as error:
            strays.append(f"the text of {doc} cannot be read: {error}")
    strays += [f"chunk {one} is not in the index" for one in known - set(found)]
    shown = await opened.knowledge.chunks(sorted(set(found) - known), scope)
    return held, strays + [f"chunk {one.chunk_id} is shown and belongs to no document" for one in shown]


async def _traces(opened: Firstline, model: Model, tenant: str) -> list[str]:
    """Of documents that no snapshot holds, buried ones: nothing may be left in the index."""
    kept = {doc for contents in model.contents.values() for doc in contents}
    gone = [doc for doc in (f"page-{one:02d}" for one in range(DOCUMENTS)) if doc not in kept]
    stones = await opened.ledgers.tombstones.tombstones(gone, tenant=tenant, kb=KB)
    return [
        f"vectors of {stone.doc_id} are left"
        for stone in stones
        if await opened.index.held(tenant=tenant, kb=KB, doc_ids=[stone.doc_id], upto=stone.upto)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crash_mixtures", description="Kill at random.")
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--worker", nargs=2, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        folder, scratch = given.worker
        asyncio.run(work(folder, scratch, given.seed))
        return 0
    print(f"seed {given.seed}", file=sys.stderr)
    report = asyncio.run(crash_mixtures(kills=given.kills, seed=given.seed))
    print("\n".join(report.findings))
    acts = ", ".join(f"{count} during {name}" for name, count in sorted(report.under_way.items()))
    print(f"{report.kills} kills ({acts}): {len(report.findings)} findings")
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
