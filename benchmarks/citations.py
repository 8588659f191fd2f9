"""Does each sentence of a shown answer stand in what it cites? Read from the documents, without the verifier."""

from __future__ import annotations

from collections import Counter
from typing import Final

from benchmarks.workbench import Workbench, load_set, open_workbench, real_data
from firstline.domain import Answered, Claim
from firstline.evals.scorers import normalised_tokens

CARRIED_MIN: Final = 0.95
"""Share of a sentence's words that must stand in its citations. Column names repeat in every row of a table."""


async def carried_sentences(set_name: str) -> tuple[int, int]:
    """(sentences carried by their citations, sentences shown), over a set's questions with the gates as shipped."""
    data = real_data()
    carried = total = 0
    async with open_workbench(data=data) as bench:
        runner = bench.runner(set_name)
        for case in load_set(set_name, data=data):
            turn = await runner.ask(case, frozenset())
            claims = turn.outcome.claims if isinstance(turn.outcome, Answered) else ()
            for claim in claims:
                carried += await _carried(bench, claim)
                total += 1
    return carried, total


async def _carried(bench: Workbench, claim: Claim) -> bool:
    blobs = bench.firstline.blobs
    spans = [await blobs.get_range(one.blob, one.start, one.end) for one in claim.citations]
    cited = normalised_tokens(" ".join(span.decode("utf-8", errors="replace") for span in spans))
    said = normalised_tokens(claim.text)
    shared = sum((Counter(said) & Counter(cited)).values())
    return bool(said) and shared >= CARRIED_MIN * len(said)
