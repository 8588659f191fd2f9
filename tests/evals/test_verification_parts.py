"""The labelled claims of the verification benchmark are what their labels say."""

from __future__ import annotations

import random

import pytest
from benchmarks import figures, labelled_claims, perturb, verification
from benchmarks.labelled_claims import DEVELOPMENT, HELD_OUT, half_of

DRAW = random.Random(7)  # noqa: S311 - a repeatable test, no secret
TEXT = (
    "The Larch Server must be restarted before version 4.2 is installed. It needs at least 16 GB, which is usual. "
    "Do not stop the Birch Client when `max_wal_size` is set. All nodes keep 30 days of logs if the disk allows. "
)


def document(doc_id: str, text: str = TEXT) -> list[labelled_claims.Page]:
    return [labelled_claims._page(doc_id, 0, 0, len(text), text, text, " ".join(text.casefold().split()))]


def test_samples_are_balanced_and_cite_their_evidence() -> None:
    found = labelled_claims.samples([document(f"d{at}") for at in range(30)], claims=60, seed=1)
    assert {one.supported for one in found} == {True, False}
    for one in found:
        ids = {piece.chunk.chunk_id for piece in one.evidence}
        assert {citation.chunk_id for citation in one.claim.citations} <= ids
    kinds = {one.kind for one in found}
    assert {"number changed", "version changed", "negation added", "modality changed", "as written"} <= kinds


def test_the_same_seed_gives_the_same_claims() -> None:
    documents = [document(f"d{at}") for at in range(5)]
    one, two = (labelled_claims.samples(documents, claims=40, seed=3) for _ in range(2))
    assert [sample.claim for sample in one] == [sample.claim for sample in two]


def test_a_document_lies_in_one_half() -> None:
    halves = [half_of(f"set/{at}") for at in range(200)]
    assert 60 < halves.count(HELD_OUT) < 140
    assert set(halves) == {HELD_OUT, DEVELOPMENT}


@pytest.mark.parametrize(
    "change",
    [
        perturb.changed_number,
        perturb.changed_version,
        perturb.negated,
        perturb.modality,
        perturb.comparator,
        perturb.quantity,
    ],
)
def test_a_change_changes_something(change: perturb.Change) -> None:
    said = change(TEXT, DRAW)
    assert said is not None
    assert said != TEXT


def test_scores_count_what_was_called() -> None:
    samples = labelled_claims.samples([document(f"d{at}") for at in range(10)], claims=20, seed=1)
    right = verification.Verdicts(samples=samples, called=[one.supported for one in samples])
    assert (right.precision, right.recall, right.f1) == (1.0, 1.0, 1.0)
    everything = verification.Verdicts(samples=samples, called=[True] * len(samples))
    assert everything.recall == 1.0
    assert everything.precision == sum(one.supported for one in samples) / len(samples)
    assert "as written" in verification.verdict_table(right)


def test_the_figure_has_its_name() -> None:
    assert "verify.f1" in figures.registry()
