"""The parts of the rewriting benchmark that decide what is measured."""

import pytest
from benchmarks.rewriting import WAYS, Conversation, in_half, leans

from firstline.domain import Exchange

SAID = (Exchange(question="How do I rotate logs?", reply="Run larkctl."),)


def test_a_conversation_is_in_one_half_with_all_its_turns():
    for number in range(20):
        halves = [{half for half in ("dev", "report") if in_half(f"c{number}<::>{turn}", half)} for turn in (1, 2)]
        assert halves[0] == halves[1] and len(halves[0]) == 1
        assert in_half(f"c{number}<::>1", "all")


@pytest.mark.parametrize(
    ("reference", "leaning"),
    [("How often do the logs rotate?", True), ("How often?", False), ("How frequently?", False)],
)
def test_a_reference_that_takes_over_words_of_the_conversation_leans(reference: str, leaning: bool):
    assert leans(Conversation(question="How often?", earlier=SAID, reference=reference)) is leaning


def test_only_the_full_rewriter_reads_replies():
    one = Conversation(question="How often does it?", earlier=SAID)
    reading = {name for name, way in WAYS.items() if any("larkctl" in query.text for query in way(one).queries)}
    assert reading == {"rewriter, with the reference's replies"}
    assert all(abs(sum(query.weight for query in way(one).queries) - 1) < 1e-9 for way in WAYS.values())
