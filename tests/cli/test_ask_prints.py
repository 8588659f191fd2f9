"""What `firstline ask` prints."""

from __future__ import annotations

import pytest

from firstline.cli.ask_command import print_missed, print_reply
from firstline.domain import Answered, Citation, Claim, ClaimKind, Completeness, GateReading, Note
from firstline.questions.missed import ChunkSeen, Missed, QuerySeen
from firstline.questions.render import render
from firstline.questions.wording.voice import shipped

NOTE = "This page is about version 4.1; you asked about 4.2."


def test_a_note_stands_above_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    citation = Citation(chunk_id="c", doc_id="d", blob="b", start=0, end=4, title="Logs", url=None)
    claim = Claim(text="Run larkctl.", kind=ClaimKind.SENTENCE, citations=(citation,))
    outcome = Answered(completeness=Completeness.PARTIAL, claims=(claim,), confidence=0.9, notes=(Note.of_text(NOTE),))
    print_reply(render(outcome), shipped().voice("en"))
    printed = capsys.readouterr().out
    assert 0 <= printed.index(NOTE) < printed.index("Run larkctl.")


def test_why_not_says_the_verdict_first_and_then_what_it_rests_on(capsys: pytest.CaptureFixture[str]) -> None:
    missed = Missed(
        doc_id="docs/logs.md",
        title="Logs",
        verdict="This page was a candidate, at place 14 of the documents.",
        lost_at="documents_ranked",
        queries=(QuerySeen(text="rotate\nlogs", weight=1.0, dense_place=40, words_place=None),),
        fused_place=14,
        preferred_place=None,
        gate=GateReading(name="relevance", value=0.25, threshold=0.5),
        lacks=("rotate",),
        chunks=(ChunkSeen(chunk_id="c", heading="Logs > Disk", dense=0.25, words=1.5, read=False),),
    )
    print_missed(missed)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["--- why not docs/logs.md? ---", missed.verdict]
    rest = "\n".join(lines[3:])
    for told in (
        "by vector at place 40, by words at no place",
        "fused place 14, in the end no place",
        "FAILED",
        "rotate",
    ):
        assert told in rest
    assert "dense 0.250  words   1.50  not read  Logs > Disk" in rest


def test_why_not_says_nothing_more_of_a_page_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    print_missed(Missed(doc_id="pay", title="", verdict="There is no such page for you."))
    assert capsys.readouterr().out.splitlines()[1:] == ["--- why not pay? ---", "There is no such page for you."]
