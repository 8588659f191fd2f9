from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cost import costs_less

from firstline.documents.chunk import ChunkSpan, chunk, embedding_text
from firstline.domain import ChunkKind


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def cut(text: str, aim: int = 200) -> tuple[ChunkSpan, ...]:
    return chunk(text, tokens_aim=aim, count_tokens=count)


def body(text: str, span: ChunkSpan) -> str:
    return text.encode()[span.start : span.end].decode()


WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa. "
LINE = st.one_of(
    st.sampled_from(
        [
            "# One",
            "## Two",
            "### Three",
            "#",
            "1. step",
            "2. step",
            "- item",
            "   - inner",
            "```",
            "~~~",
            "| a | b |",
            "|---|---|",
            "| 1 | 2 |",
            "",
            "",
            "    code",
            "> quote",
            "Intro:",
            WORDS * 12,
            "ü€𝄞" * 90,
            "   ```",
            "10) x",
        ]
    ),
    st.text(max_size=60),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINE, max_size=40).map("\n".join), st.sampled_from([50, 120, 200]))
def test_every_byte_in_one_chunk_in_order(text: str, aim: int) -> None:
    data = text.encode()
    headings: list[str] = re.findall(r"^ {0,3}#{1,6}(?:[ \t].*)?$", text, re.MULTILINE)
    at = 0
    for span in cut(text, aim):
        assert at <= span.start < span.end <= len(data)
        assert not data[at : span.start].strip()
        body(text, span)  # decodes: edges never split a character
        if span.lead:
            data[span.lead[0] : span.lead[1]].decode()
            assert span.lead[1] <= span.start
        for name in span.section_path:
            assert any(name in heading.replace("*", "").replace("`", "") for heading in headings) or not headings
        at = span.end
    assert not data[at:].strip()


def test_blank_text_has_no_chunks() -> None:
    assert cut("") == cut(" \n\n\t\n") == ()


def test_paths_are_chains_of_headings() -> None:
    text = (
        "# A\n\n"
        + WORDS * 20
        + "\n\n## B\n\n"
        + WORDS * 20
        + "\n\n### C\n\n"
        + WORDS * 20
        + "\n\n## D\n\n"
        + WORDS * 20
    )
    assert [span.section_path for span in cut(text)] == [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D")]


def test_small_sections_share_a_chunk_under_the_common_path() -> None:
    text = "# A\n\nIntro words.\n\n## B\n\nShort.\n\n## C\n\nShort too.\n"
    (span,) = cut(text)
    assert span.section_path == ("A",)
    assert body(text, span).startswith("# A") and body(text, span).endswith("Short too.")


def test_a_heading_without_text_stands_in_front_of_its_first_subsection() -> None:
    text = "# A\n\n## B\n\n" + WORDS * 15
    (span,) = cut(text)
    assert span.section_path == ("A", "B")


def test_a_procedure_is_whole_with_its_introduction() -> None:
    steps = "\n".join(f"{n}. Do the thing number {n} and wait until it is done." for n in range(1, 16))
    text = "# T\n\n" + WORDS * 15 + "\n\nTo reset the lock:\n\n" + steps + "\n\n" + WORDS * 15
    procedure = next(span for span in cut(text) if span.kind is ChunkKind.PROCEDURE)
    assert "To reset the lock:" in body(text, procedure)
    assert "number 1 " in body(text, procedure) and "number 15 " in body(text, procedure)


def test_steps_with_unindented_code_between_are_one_procedure() -> None:
    text = "Do:\n\n1. Stop it:\n\n```sh\n# not a heading\nstop\n```\n\n2. Start it:\n\n```sh\nstart\n```\n\n3. Look.\n"
    (span,) = cut(text)
    assert span.kind is ChunkKind.PROCEDURE


def test_a_long_table_is_cut_by_rows_with_its_header_as_lead() -> None:
    rows = "\n".join(f"| option_{n} | sets the number of things to {n} |" for n in range(80))
    text = f"## Options\n\nAll of them:\n\n| Name | Meaning |\n| --- | --- |\n{rows}\n"
    spans = cut(text)
    assert len(spans) > 2
    assert all(span.kind is ChunkKind.TABLE for span in spans)
    header = [text.encode()[span.lead[0] : span.lead[1]].decode() for span in spans[1:] if span.lead]
    assert header == ["| Name | Meaning |\n| --- | --- |"] * (len(spans) - 1)
    assert all(body(text, span).startswith("| option_") for span in spans[1:])


def test_code_keeps_its_introducing_sentence() -> None:
    text = "## X\n\n" + WORDS * 20 + "\nRun this:\n\n```sh\n" + "run --fast --now\n" * 12 + "```\n"
    code = next(span for span in cut(text) if span.kind is ChunkKind.CODE)
    assert body(text, code).startswith("Run this:")


def test_a_hash_in_code_is_no_heading() -> None:
    text = "# A\n\n```sh\n# comment\n```\n\n1. x\n   ```\n   # y\n   ```\n"
    assert {span.section_path for span in cut(text)} == {("A",)}


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Symptom", ChunkKind.SYMPTOM),
        ("PROBLEM(ABSTRACT)", ChunkKind.SYMPTOM),
        ("Meaning", ChunkKind.SYMPTOM),
        ("Environment", ChunkKind.ENVIRONMENT),
        ("Root cause", ChunkKind.CAUSE),
        ("RESOLVING THE PROBLEM", ChunkKind.RESOLUTION),
        ("Mitigation", ChunkKind.RESOLUTION),
        ("Impact", ChunkKind.SECTION),
    ],
)
def test_parts_of_a_ticket_give_their_kind(heading: str, kind: ChunkKind) -> None:
    text = f"## Other\n\n{WORDS}\n\n## {heading}\n\n1. {WORDS}\n\n## Last\n\n{WORDS}"
    spans = {span.section_path: span.kind for span in cut(text)}
    assert spans.get((heading,), ChunkKind.SECTION) is kind


def test_lengths_stay_near_the_aim() -> None:
    text = "# T\n\n" + "\n\n".join(WORDS * 8 for _ in range(60))
    lengths = [count(body(text, span)) for span in cut(text)]
    assert max(lengths) <= 1.3 * 200 and min(lengths) >= 0.4 * 200


@pytest.mark.parametrize(
    "text",
    [
        "word " * 400_000,
        "x" * 2_000_000,
        "漢字" * 300_000,
        "- " * 20_000 + "deep",
        "\n".join("  " * min(n, 40) + "- item" for n in range(10_000)),
        "1. a\n\ntext\n\n" * 20_000,
        "\n\n".join(f"{n}. a\n\ntext" for n in range(1, 10_000)),
        "| a | b |\n" * 50_000,
        "```\n" * 50_001,
        "# h\n" * 50_000,
        "\n" * 1_000_000 + "x",
        "    x\n\n\n" * 50_000,
        "a. " * 300_000,
    ],
    ids=range(13),
)
def test_hostile_shapes_take_seconds_and_lose_nothing(text: str) -> None:
    found: list[ChunkSpan] = []

    def work() -> None:
        found[:] = chunk(text, tokens_aim=200, count_tokens=lambda part: 1 + len(part.encode()) // 4)

    assert costs_less(work, than_s=10)
    spans = found
    assert sum(span.end - span.start for span in spans) <= len(text.encode())
    data, at = text.encode(), 0
    for span in spans:
        assert not data[at : span.start].strip()
        at = span.end
    assert not data[at:].strip()


def test_embedding_text_says_everything_once_and_without_marks() -> None:
    text = "## Set **up**\n\nSee [the guide](https://x.example/y) and `run`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n* \n"
    assert embedding_text("Guide", ("Guide", "Set up"), "", text) == "Guide\nSet up\nSee the guide and run.\na b\n1 2"
    assert embedding_text("T", ("A", "B"), "| h |\n|---|", "| 1 |") == "T > A > B\nh\n1"


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("The `_id` field", "The _id field"),
        ("_id and snake_case", "_id and snake_case"),
        ("`__init__` of _a_b_", "__init__ of a_b"),
        ("*Bold* __strong__ _slanted_", "Bold strong slanted"),
        ("`SELECT *` with **all**", "SELECT * with all"),
    ],
)
def test_a_section_path_keeps_the_underscores_of_names_and_drops_those_of_emphasis(heading: str, name: str) -> None:
    (span,) = cut(f"## {heading}\n\nText.\n")
    assert span.section_path == (name,)


@pytest.mark.parametrize("unit", [" ", "\t", "#", " #", "_a", "[", "![", "`", "*", "_ ", "|", "](", ". "])
@pytest.mark.parametrize("opening", ["# Title", "# Title ", "- item ", "1. step ", "| a ", "```", "    code ", "text "])
def test_one_long_line_costs_no_more_than_its_length(opening: str, unit: str) -> None:
    line = opening + unit * (40_000 // len(unit)) + "x\n"
    assert costs_less(lambda: cut(line + "\nSome text below.\n"), 1)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Title #", "Title"),
        ("# Title \t ######", "Title"),
        ("# Title #######", "Title #######"),
        ("# C#", "C#"),
        ("# C# #", "C#"),
    ],
)
def test_closing_marks_are_no_part_of_a_heading(line: str, title: str) -> None:
    assert cut(f"{line}\n\nSome text below.\n")[0].section_path == (title,)
