"""What a turn has come to so far: the record, filled step by step, so that a turn cut short still records it."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from firstline.domain import (
    NOTHING,
    Advice,
    Answered,
    Category,
    Coverage,
    Document,
    Evidence,
    GateReading,
    Handoff,
    ModelCall,
    ModelDraft,
    RankedDocument,
    SearchPlan,
    Step,
    Triage,
)
from firstline.errors import Unavailable
from firstline.ports import Vectors
from firstline.questions.prefer import sisters_of
from firstline.questions.stories import only_a_story
from firstline.questions.walk.replaced import Replaced

NOTHING_READ: Final[Mapping[str, Document]] = MappingProxyType({})
HANDED_OVER: Final = "the turn was handed over"
"""What was done instead of a step that cut the turn short."""
STEPS_MAX: Final = 100
"""Steps and calls of a turn that are kept each; a turn takes some twenty."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UsualCause:
    """A sentence that tells a cause: bytes of the blob of a chunk, and the documents whose texts say the same."""

    text: str
    chunk_id: str
    start: int
    end: int
    doc_ids: tuple[str, ...]


@dataclass(kw_only=True, slots=True)
class Trail:
    """By document id: `documents` are those found, `copies` those whose text a better placed document has,
    `outdated` those that were replaced, as they or others say, `replaced` by which, as far as the graph tells it,
    `paths` how the graph led to some. `usual`: causes to list, whose pieces stand first among the evidence, and `found`
    the evidence and the documents without them.
    `left_out`: a sentence was not quoted. `degraded` names the stages that were late or broken and what was done
    instead, in plain words. `vector` is the message's own, `probabilities` what the triage classifier made of it.
    `read_as` is the message with its misspelt words corrected. `stands` is the session's hand-over that is not closed.
    `cut` names the step that ended the turn, if one did. `then` is the `degraded` of a recorded turn that is replayed:
    it goes without the same again. `ends_at_s`: the turn's deadline by the loop's clock. `draft`: what a model wrote;
    `shown`: the answer whose beginning somebody has seen. `began_s`: when the message came, by `time.perf_counter`.
    `advice`: what a model said at steps that need none. `coverage_most`: no answer is called more whole than this.

    What depends on the first document is read off `ranked` whenever it is needed: another may come first later."""

    stands: Handoff | None = None
    read_as: str = ""
    triage: Triage | None = None
    vector: Vectors | None = None
    probabilities: Mapping[Category, float] = field(default_factory=dict[Category, float])
    plan: SearchPlan | None = None
    evidence: tuple[Evidence, ...] = ()
    ranked: tuple[RankedDocument, ...] = ()
    documents: Mapping[str, Document] = field(default_factory=dict[str, Document])
    copies: frozenset[str] = frozenset()
    outdated: frozenset[str] = frozenset()
    replaced: tuple[Replaced, ...] = ()
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    usual: tuple[UsualCause, ...] = ()
    found: tuple[tuple[Evidence, ...], Mapping[str, Document]] = ((), NOTHING_READ)
    left_out: bool = False
    gates: list[GateReading] = field(default_factory=list[GateReading])
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])
    degraded: dict[str, str] = field(default_factory=dict[str, str])
    cut: str = ""
    then: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    ends_at_s: float = 0.0
    draft: ModelDraft | None = None
    shown: Answered | None = None
    began_s: float = field(default_factory=time.perf_counter)
    steps: list[Step] = field(default_factory=list[Step])
    calls: list[ModelCall] = field(default_factory=list[ModelCall])
    advice: list[Advice] = field(default_factory=list[Advice])
    coverage_most: Coverage = Coverage.FULLY

    @property
    def standalone(self) -> str:
        return self.plan.standalone if self.plan else self.read_as

    @property
    def story(self) -> bool:
        """The first document tells of one customer's problem, and the asker told none. What several of them tell is
        listed."""
        if self.usual:
            return False
        first = self.documents.get(self.ranked[0].doc_id) if self.ranked else None
        return only_a_story(first, question=self.standalone)

    @property
    def sisters(self) -> frozenset[str]:
        """The other versions and the copies of the first document, by document id: a page is no stranger for being as
        near to the question as its own copy is."""
        if not self.ranked:
            return frozenset()
        first = self.ranked[0].doc_id
        beside = {doc_id for pair in self.replaced for doc_id in (pair.old, pair.new) if first in (pair.old, pair.new)}
        return sisters_of(first, self.documents) | (beside - {first})

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        started = time.perf_counter()
        try:
            self.as_then(name, HANDED_OVER)
            yield
        except BaseException:
            self.cut = self.cut or name
            raise
        finally:
            spent = (time.perf_counter() - started) * 1000
            self.timings_ms[name] = self.timings_ms.get(name, 0.0) + spent
            if len(self.steps) < STEPS_MAX:
                began_ms = (started - self.began_s) * 1000
                self.steps.append(Step(name=name, began_ms=round(began_ms, 2), ms=round(spent, 2)))

    def as_then(self, stage: str, instead: str) -> None:
        """In a replay: fail where the recorded turn did, when it did this instead."""
        noted = self.then.get(stage, "")
        if noted.endswith(f": {instead}"):
            if noted.startswith("late"):
                raise TimeoutError
            raise Unavailable("As in the recorded turn.", remedy="Ask again.")

    def handed_over(self, why: str) -> None:
        """Note which step ended the turn, and why: late or broken."""
        stage = self.cut if self.cut and self.cut not in self.degraded else "turn"
        self.degraded[stage] = f"{why}: {HANDED_OVER}"

    def not_handed_over(self) -> None:
        """It was cut short after its answer had begun to be shown: that is the answer."""
        self.degraded = {stage: what for stage, what in self.degraded.items() if not what.endswith(f": {HANDED_OVER}")}
        self.degraded.setdefault("compose", "late: what had been verified was shown")
