import json
from pathlib import Path

import pytest

from firstline.domain import Clarify, Level
from firstline.errors import InvalidInput
from firstline.evals.cases import Case, load_cases, outcome_kind, outcome_matches, parse_case


def written(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_a_conversation_is_read_with_everything_it_says(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {
            "id": "g1",
            "turns": ["Which driver?", "And on Windows?"],
            "docs": ["a.md", "b.md"],
            "outcome": ["clarify", "answered:partial"],
            "must_contain": "5.2",
            "level": "internal",
            "reference": "Use the new one.",
            "set": "demo",
            "note": "for people",
        },
        "",
        {"id": "g2", "question": "Line\u2028separator?", "answerable": False},
    )
    first, second = load_cases(path)
    assert first == Case(
        case_id="g1",
        turns=("Which driver?", "And on Windows?"),
        docs=("a.md", "b.md"),
        outcomes=("clarify", "answered:partial"),
        must_contain=("5.2",),
        level=Level.INTERNAL,
        reference="Use the new one.",
        set_name="demo",
    )
    assert (first.question, first.history, first.key) == ("And on Windows?", ("Which driver?",), "demo/g1")
    assert second.question == "Line\u2028separator?"
    assert second.answerable is False


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{broken", "line 2: this is not JSON"),
        ("[1]", "must be a JSON object"),
        ({"question": "x"}, "'id' must be a text"),
        ({"id": "a"}, "either 'question' or 'turns'"),
        ({"id": "a", "question": "x", "turns": ["y"]}, "either 'question' or 'turns'"),
        ({"id": "a", "turns": []}, "missing or empty"),
        ({"id": "a", "turns": ["  "]}, "missing or empty"),
        ({"id": "a", "question": "x", "anwserable": True}, "'anwserable' is not known"),
        ({"id": "a", "question": "x", "answerable": "yes"}, "'answerable' must be true"),
        ({"id": "a", "question": "x", "outcome": "refused"}, "'refused' is none of"),
        ({"id": "a", "question": "x", "level": "secret"}, "'secret' is none of public"),
        ({"id": "a", "question": "x", "docs": [1]}, "'docs' must be a text or a list"),
        ({"id": "ok", "question": "twice"}, "'ok' was used before"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: object, said: str) -> None:
    with pytest.raises(InvalidInput, match="line 2") as caught:
        load_cases(written(tmp_path, {"id": "ok", "question": "fine"}, line))
    assert said in caught.value.message


def test_a_missing_or_empty_file_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no file of cases"):
        load_cases(tmp_path / "none.jsonl")
    with pytest.raises(InvalidInput, match="holds no case"):
        load_cases(written(tmp_path, ""))
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="UTF-8"):
        load_cases(binary)


def test_outcomes_are_matched_by_name_and_completeness() -> None:
    asked_back = Clarify(question="Which?", options=())
    assert outcome_kind(asked_back) == "clarify"
    assert outcome_matches(("escalated", "clarify"), asked_back)
    assert not outcome_matches(("answered",), asked_back)


def test_where_is_in_front_of_the_message() -> None:
    with pytest.raises(InvalidInput, match=r"^here: "):
        parse_case({"id": 3}, where="here")
