"""What one run of ingestion has in hand, and what it has done so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from firstline.domain import (
    FOREVER,
    ORIGIN,
    Chunk,
    Document,
    Edge,
    Failure,
    Level,
    Quarantined,
    QuarantineState,
    Suspicion,
)
from firstline.errors import InvalidInput

FAILURES_MAX: Final = 10_000
"""Failures and documents kept out that the report names; what is recorded of the latter has no such limit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """How far a run is: items seen, documents and chunks committed."""

    items: int
    documents: int
    chunks: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A document that is ready to be embedded. `texts` are the chunks' embedding texts; BM25 sees titles and bodies.
    All four of `chunks`, `texts`, `titles` and `bodies` are in reading order. `words` are those of the whole text.
    `fingerprint` names the content for the quarantine; `hidden` says what was left out because no reader sees it.
    `earlier` are the ids that the chunks have in the revision that stands, when only its access has changed. `edges`
    are what the document says for the graph, which took `extract_s`."""

    document: Document
    chunks: tuple[Chunk, ...]
    blob: bytes
    texts: tuple[str, ...]
    titles: tuple[str, ...]
    bodies: tuple[str, ...]
    redactions: Counter[str]
    words: frozenset[str] = frozenset()
    fingerprint: str = ""
    suspicions: tuple[Suspicion, ...] = ()
    hidden: str = ""
    earlier: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    extract_s: float = 0.0


@dataclass(kw_only=True, slots=True)
class Extraction:
    """What extraction for the graph took in this process, since it began."""

    documents: int = 0
    edges: int = 0
    seconds: float = 0.0

    def add(self, prepared: Prepared) -> None:
        self.documents += 1
        self.edges += len(prepared.edges)
        self.seconds += prepared.extract_s


Batch = Sequence[Prepared]
"""Documents that are embedded and committed together."""


class Run:
    """One run over one source. Only the stage that learns something writes it down here."""

    def __init__(
        self,
        *,
        tenant: str,
        kb: str,
        candidate: int,
        on_progress: Callable[[Progress], None] | None,
        suspect: str = "",
    ) -> None:
        """`suspect`: why it must not publish documents that it adds; empty: it may."""
        self.suspect = suspect
        self.tenant = tenant
        self.kb = kb
        self.candidate = candidate
        self.current: dict[str, Document] = {}
        self.resumed = False
        self.unsure: frozenset[str] = frozenset()
        """Written by this candidate, and about to be written anew when its run died: others may hold either."""
        self.exhausted = False
        """The source has yielded all."""
        self.published = False
        """A part of it was published already, when it gave way."""
        self._told = 0
        self.seen: set[str] = set()
        self.items = self.added = self.changed = self.removed = self.unchanged = self.chunks = 0
        self.readmitted = 0
        """Of the changed ones those of which nothing but their access is another."""
        self.redactions: Counter[str] = Counter()
        self.failures: list[Failure] = []
        self.unread: set[str] = set()
        self.not_taken: dict[str, tuple[frozenset[str], Level]] = {}
        """Who may see what could not be taken, or waits for a person: tags and level, by document or table."""
        self.decided: dict[tuple[str, str], QuarantineState] = {}
        self.held: list[Quarantined] = []
        """Not recorded yet: `take_held` empties it."""
        self.waiting: set[str] = set()
        """Every document of this run that waits for a person."""
        self.kept_out: list[Failure] = []
        self.rejected: list[Failure] = []
        self.hidden: list[Failure] = []
        self.contents: list[str] = []
        """Blobs that this run has written."""
        self._on_progress = on_progress

    def reopen(self, candidate: int, current: dict[str, Document]) -> None:
        """Begin, or go on after having given way, as this candidate."""
        self.candidate = candidate
        self.current = current
        self.resumed = any(document.since == candidate for document in current.values())
        self.contents = []
        self.readmitted = 0
        self._told = self._changes

    @property
    def has_news(self) -> bool:
        """Something changed as this candidate."""
        return self._changes > self._told

    @property
    def _changes(self) -> int:
        return self.added + self.changed + self.removed

    def refuse_strangers(self, origins: Mapping[str, str]) -> None:
        """InvalidInput when a current document under one of these prefixes came from another place: two folders of one
        name must not overwrite each other. Documents that do not say where they came from are anybody's."""
        for document in self.current.values():
            came_from = document.metadata.get(ORIGIN, "")
            if not came_from or document.until != FOREVER:
                continue
            for prefix in _prefixes(document.doc_id):
                if origins.get(prefix, came_from) != came_from:
                    raise _other_place(prefix, document.doc_id)

    def fail(self, failure: Failure) -> None:
        # What could not be read must not look deleted: a folder speaks for all below it, a broken line for its table.
        if failure.keeps:
            table, mark, _ = failure.item_id.partition("#")
            self.unread.add(table + mark)
        if failure.known_access is not None:
            self.not_taken[failure.item_id] = failure.known_access
        if len(self.failures) < FAILURES_MAX:
            self.failures.append(failure)

    def hold(self, prepared: Prepared) -> None:
        """Keep it out: what stands of the document, an older revision, stays as it is."""
        document = prepared.document
        self.not_taken[document.doc_id] = (document.acl, document.level)
        says = "; ".join(f"{one.where}: {', '.join(one.says)}" for one in prepared.suspicions)
        if self.state_of(prepared) is QuarantineState.REJECTED:
            # It is decided and waits for nobody: it takes no room from those that do.
            self._name(self.rejected, document.doc_id, f"rejected; {says}")
            return
        self._name(self.kept_out, document.doc_id, says)
        self.waiting.add(document.doc_id)
        self.held.append(
            Quarantined(
                tenant=self.tenant,
                kb=self.kb,
                doc_id=document.doc_id,
                fingerprint=prepared.fingerprint,
                title=document.title,
                suspicions=prepared.suspicions,
                state=QuarantineState.HELD,
                found_at=datetime.now(UTC),
            )
        )

    def take_held(self) -> list[Quarantined]:
        taken, self.held = self.held, []
        return taken

    @property
    def named_held(self) -> tuple[Failure, ...]:
        """At most FAILURES_MAX, those that wait first."""
        return tuple((*self.kept_out, *self.rejected)[:FAILURES_MAX])

    @staticmethod
    def _name(named: list[Failure], doc_id: str, reason: str) -> None:
        if len(named) < FAILURES_MAX:
            named.append(Failure(item_id=doc_id, reason=reason))

    def state_of(self, prepared: Prepared) -> QuarantineState | None:
        return self.decided.get((prepared.document.doc_id, prepared.fingerprint))

    def note_hidden(self, prepared: Prepared) -> None:
        if prepared.hidden and len(self.hidden) < FAILURES_MAX:
            self.hidden.append(Failure(item_id=prepared.document.doc_id, reason=prepared.hidden))

    def committed(self, batch: Batch) -> None:
        for prepared in batch:
            known = prepared.document.doc_id in self.current
            self.changed += known
            self.readmitted += bool(prepared.earlier)
            self.added += not known
            self.chunks += len(prepared.chunks)
            self.contents.append(prepared.document.blob)
            self.redactions.update(prepared.redactions)
        self.report_progress()

    def report_progress(self) -> None:
        if self._on_progress is not None:
            self._on_progress(Progress(items=self.items, documents=self.added + self.changed, chunks=self.chunks))


def same_id(item_id: str) -> Failure:
    return Failure(
        item_id=item_id, reason="Another item of this run has the same id; the first is kept. Rename this one."
    )


def _prefixes(doc_id: str) -> list[str]:
    """What a source may call the place of a document: the folders above it, its table, the document itself. Looked up
    rather than compared one by one: a glob has as many places as files."""
    return [*(doc_id[: at + 1] for at, sign in enumerate(doc_id) if sign in "/#"), doc_id]


def _other_place(prefix: str, doc_id: str) -> InvalidInput:
    what = "folder" if prefix.endswith("/") else "file"
    return InvalidInput(
        f"Another {what} of the same name was ingested as {prefix!r}; {doc_id!r} is of it. Nothing was changed.",
        remedy=f"Give this one a name of its own with --as NAME, or add --moved when it is that {what} at a new place.",
    )
