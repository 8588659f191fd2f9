"""Which pieces of a page answer a question put this way."""

from dataclasses import replace

import pytest
from tests.steps.evidence import piece

from firstline.domain import ChunkKind, ClaimKind, Evidence
from firstline.questions.compose import compose
from firstline.questions.page.apt import apt, best_first
from firstline.questions.page.outright import of_another_code
from firstline.questions.page.rows_asked import rows_asked
from firstline.questions.page.units import units_of

KINDS = {
    "symptom": ChunkKind.SYMPTOM,
    "environment": ChunkKind.ENVIRONMENT,
    "cause": ChunkKind.CAUSE,
    "resolution": ChunkKind.RESOLUTION,
}
TEXTS = {
    "symptom": "The import stops in the middle of the night.",
    "environment": "A machine with two disks and little memory.",
    "cause": "The second run met the documents of the first.",
    "resolution": "Run it again and skip what is already there.",
}


def at(path: tuple[str, ...], text: str, *, ordinal: int, kind: ChunkKind = ChunkKind.SECTION) -> Evidence:
    made = piece(text, kind=kind, ordinal=ordinal)
    return replace(made, chunk=replace(made.chunk, section_path=path))


def case(*, found: str, under: tuple[str, ...] = (), first: int = 0) -> list[Evidence]:
    """A ticket's parts in order, the one that was found best in front."""
    parts = [
        at((*under, name), text, ordinal=first + place, kind=KINDS[name])
        for place, (name, text) in enumerate(TEXTS.items())
    ]
    best = next(one for one in parts if one.chunk.section_path[-1] == found)
    return [best, *(one for one in parts if one is not best)]


def shown(question: str, pieces: list[Evidence]) -> list[str]:
    return [one.chunk.section_path[-1] for one in apt(question, pieces)]


@pytest.mark.parametrize("found", list(TEXTS))
@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Why does the import stop?", ["cause", "resolution"]),
        ("What is the reason that the import stops?", ["cause", "resolution"]),
        ("How do I get the import through?", ["resolution"]),
        ("The import stops every night", ["cause", "resolution"]),
    ],
)
def test_a_case_answers_by_how_it_is_asked_whichever_part_was_found(question: str, parts: list[str], found: str):
    assert shown(question, case(found=found)) == parts


def test_of_several_cases_on_a_page_the_one_that_was_found_answers():
    first = case(found="symptom", under=("Troubleshooting", "Import stops"))
    second = case(found="symptom", under=("Troubleshooting", "Export stops"), first=4)
    chosen = apt("Why does the export stop?", [*second, *first])
    assert [one.chunk.section_path for one in chosen] == [
        ("Troubleshooting", "Export stops", "cause"),
        ("Troubleshooting", "Export stops", "resolution"),
    ]


def test_an_overview_of_several_cases_is_no_case():
    overview = at(("Troubleshooting", "Overview"), "Find your problem below and read on there.", ordinal=8)
    first = case(found="symptom", under=("Troubleshooting", "Import stops"))
    second = case(found="symptom", under=("Troubleshooting", "Export stops"), first=4)
    assert apt("Why does it stop?", [overview, *first, *second]) == [overview]


def test_a_resolution_with_headings_of_its_own_belongs_to_its_case():
    parts = case(found="symptom")
    deeper = at(("resolution", "On Linux"), "Start the service again.", ordinal=4, kind=ChunkKind.RESOLUTION)
    assert [one.chunk.ordinal for one in apt("Why does it stop?", [deeper, *parts])] == [2, 3]


def test_the_piece_that_says_what_tells_it_from_its_page_stands_first():
    types = piece("The package is typed, and checkers read its types in an editor.", ordinal=2)
    install = piece("Install it with the package manager of your system, as a user.", ordinal=0)
    ordered = best_first("How do I install the title?", [types, install])
    assert [one.chunk.ordinal for one in ordered] == [0, 2]
    assert best_first("What about the package being typed?", [types, install])[0] is types


def test_pieces_under_the_headings_of_apparatus_do_not_stand_first():
    related = at(("Title", "Related information"), "How to install and remove every driver there is.", ordinal=3)
    install = at(("Title", "Setup"), "Run the setup of the driver from its folder on each machine.", ordinal=1)
    assert best_first("install every driver", [related, install])[0] is install


def test_questions_that_a_page_puts_to_itself_are_left_out():
    claims = compose("limit", [piece("What is the limit? The limit is 16 MB for a document.")], chars_max=500).claims
    assert [claim.text for claim in claims] == ["The limit is 16 MB for a document."]
    assert compose("limit", [piece("What is the limit?")], chars_max=500).claims


TABLE = """Codes have four digits.

| Code | Meaning |
|---|---|
| LK1001 | nothing listens at that port |
| LK1004 | the handshake failed |
| LK1007 | no member was found in time |
| LK1012 | all connections are in use |
"""


def rows(question: str) -> list[str]:
    units = units_of(TABLE)
    sought = {word.strip("?").casefold() for word in question.split()}
    return [unit.text for unit in rows_asked(units, sought) if unit.kind is ClaimKind.ROW]


def test_of_a_long_table_the_row_that_was_asked_for_is_shown():
    assert rows("LK1007") == ["**Code**: LK1007 · **Meaning**: no member was found in time"]
    assert rows("what is it when connections are all in use?") == [
        "**Code**: LK1012 · **Meaning**: all connections are in use"
    ]


def test_a_table_of_which_no_row_was_asked_for_is_shown_whole():
    assert len(rows("zebra")) == 4


def test_one_word_in_common_with_a_row_chooses_none():
    assert len(rows("the port")) == 4


def test_sentences_around_a_table_stay():
    units = rows_asked(units_of(TABLE), {"lk1007"})
    assert units[0].text == "Codes have four digits."


def test_the_page_of_a_code_is_told_from_its_beginning():
    meaning = replace(piece("The write is there, on fewer members than were asked for.", ordinal=0))
    deep = piece("In a transaction the primary has committed it on its own disk.", ordinal=3)
    title = "LK1409: write concern timeout"
    pages = [replace(one, chunk=replace(one.chunk, title=title)) for one in (deep, meaning)]
    assert [one.chunk.ordinal for one in apt("what does LK1409 mean?", pages)] == [0, 3]
    assert [one.chunk.ordinal for one in apt("lk-1409", pages)] == [0, 3]
    assert [one.chunk.ordinal for one in apt("Is LK1409 raised in a transaction?", pages)] == [3]


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("the import fails with LK1205", True),
        ("lk-1205 since the upgrade", True),
        ("the import fails with LK1100", False),
        ("LK1100 or LK1205, I am not sure", False),
        ("the import fails", False),
        ("E11000 since the upgrade", False),
    ],
)
def test_a_page_of_another_code_is_told_apart(question: str, other: bool):
    page = piece("The nightly import stops with LK1100, because the key is there already.")
    assert of_another_code(question, [page]) is other
    assert not of_another_code(question, [piece("The nightly import stops in the night.")])
