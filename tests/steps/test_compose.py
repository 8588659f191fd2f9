"""Extractive composing: order, structure and spans survive."""

from dataclasses import replace

from tests.steps.evidence import piece

from firstline.domain import ChunkKind, ClaimKind
from firstline.questions.compose import compose
from firstline.questions.page.units import units_of
from firstline.questions.verify import verify

PROCEDURE = """## Rotate the logs

Before you begin, stop the writer.

1. Open the console.
2. Run the command:

```sh
# keeps seven files
larkctl rotate --keep 7
```

3. Start the writer.
"""

TABLE = """| Port | Use |
|------|-----|
| 27100 | Drivers |
| 27101 | Replication |
"""


def test_a_procedure_keeps_its_steps_code_and_order():
    claims = compose("how do I rotate logs", [piece(PROCEDURE)], chars_max=2000).claims
    assert [claim.kind for claim in claims] == [
        ClaimKind.SENTENCE,
        ClaimKind.STEP,
        ClaimKind.STEP,
        ClaimKind.CODE,
        ClaimKind.STEP,
    ]
    assert "larkctl rotate --keep 7" in claims[3].text
    assert "# keeps seven files" in claims[3].text


def test_a_table_row_carries_its_column_names_and_cites_both():
    claims = compose("which port for replication", [piece(TABLE)], chars_max=2000).claims
    assert claims[1].text == "**Port**: 27101 · **Use**: Replication"
    assert len(claims[1].citations) == 2


def test_every_citation_covers_its_claim_in_bytes():
    text = "Überprüfen Sie das. Die Grenze ist 16 MB."
    source = piece(text, start=11)
    for claim in compose("Grenze", [source], chars_max=2000).claims:
        citation = claim.citations[0]
        cut = text.encode()[citation.start - 11 : citation.end - 11].decode()
        assert cut.strip() == claim.text


def test_a_long_chunk_is_cut_around_the_best_match():
    filler = " ".join(f"Sentence number {i} says little." for i in range(60))
    text = f"{filler} The walrus needs a larger cache. {filler}"
    shown = " ".join(claim.text for claim in compose("walrus cache", [piece(text)], chars_max=300).claims)
    assert "walrus" in shown
    assert len(shown) < 400


def test_a_symptom_is_answered_by_the_resolution_of_its_document():
    symptom = piece("The import stops with LK1100.", kind=ChunkKind.SYMPTOM)
    other = piece("Buy more memory.", doc_id="other", kind=ChunkKind.RESOLUTION)
    fix = piece("Upgrade the driver to 5.2.", kind=ChunkKind.RESOLUTION, ordinal=1)
    texts = [claim.text for claim in compose("LK1100", [symptom, other, fix], chars_max=2000).claims]
    assert texts == ["Upgrade the driver to 5.2."]
    assert [claim.text for claim in compose("LK1100", [symptom, other], chars_max=2000).claims] == [symptom.text]


def test_no_evidence_is_no_draft():
    assert compose("anything", [], chars_max=2000).claims == ()


def test_links_and_images_lose_their_targets():
    units = units_of("See [the guide](https://x.example/not/here) and ![a chart](c.png).")
    assert units[0].text == "See the guide and a chart."


def test_what_completes_the_best_piece_stands_with_it_in_reading_order():
    summary = piece("Restore in two steps:\n", ordinal=1)
    steps = replace(piece("1. Stop the server.\n2. Copy the files.\n", ordinal=2), path=("NEXT doc-1",))
    found_too = piece("Backups are kept for a week.\n", ordinal=5)
    other = replace(piece("Steps of another page.\n", doc_id="other"), path=("NEXT other-0",))

    draft = compose("how do I restore", [summary, found_too, steps, other], chars_max=1_000)

    assert [claim.text for claim in draft.claims] == [
        "Restore in two steps:",
        "1. Stop the server.",
        "2. Copy the files.",
    ]
    assert [claim.citations[0].chunk_id for claim in draft.claims] == ["doc-1", "doc-2", "doc-2"]


def test_rows_of_a_table_that_goes_on_carry_the_names_of_its_columns():
    lead = "| Code | Meaning |\n|---|---|\n"
    rows = "| LK1409 | write concern timeout |\n| LK1501 | authentication failed |\n"
    part = piece(rows, start=200, kind=ChunkKind.TABLE)
    part = replace(part, lead_text=lead, chunk=replace(part.chunk, lead=(100, 100 + len(lead))))

    draft = compose("what is LK1409", [part], chars_max=1_000)

    assert [claim.kind for claim in draft.claims] == [ClaimKind.ROW, ClaimKind.ROW]
    assert draft.claims[0].text == "**Code**: LK1409 · **Meaning**: write concern timeout"
    row, names = draft.claims[0].citations
    assert (row.start, row.end) == (200, 200 + rows.index("\n") + 1)
    assert (names.start, names.end) == (100, 100 + lead.index("\n"))
    assert not verify(draft, [part]).dropped
