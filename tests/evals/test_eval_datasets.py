import json
from pathlib import Path

import pytest

from firstline.domain import EVERYONE, Level, SourceItem
from firstline.evals.datasets import DataMissing, DataSet, DataSource, data_folder, dataset_cases, present


def lines(path: Path, *records: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")


QUESTIONS = DataSet(name="short", folder="long_name")
FORUM = DataSet(name="forum", folder="forum", title_only=True)
TASKS = DataSet(name="tasks", folder="tasks")


async def test_documents_get_the_name_of_their_set(tmp_path: Path) -> None:
    lines(tmp_path / "long_name/docs.jsonl", {"id": "a", "text": "  indented", "filename": "a.txt"})
    lines(
        tmp_path / "forum/docs.jsonl",
        {"id": "p", "title": "Page", "url": "https://x.test/p", "path": "p.md", "text": "# P"},
    )
    lines(tmp_path / "tasks/passages.jsonl", {"id": "1", "title": None, "text": "passage"})
    items = [item async for item in DataSource(tmp_path, [QUESTIONS, FORUM, TASKS]).items()]
    assert all(isinstance(item, SourceItem) for item in items)
    found = [item for item in items if isinstance(item, SourceItem)]
    assert [item.item_id for item in found] == ["short/a", "forum/p", "tasks/1"]
    assert [item.media_type for item in found] == ["text/plain", "text/markdown", "text/plain"]
    assert [item.title for item in found] == ["", "Page", ""]
    assert found[0].raw == b"  indented"
    assert found[1].url == "https://x.test/p"
    assert all(item.acl == {EVERYONE} and item.level is Level.PUBLIC for item in found)
    assert len({item.content_hash for item in found}) == 3


def test_a_question_without_present_gold_is_unanswerable(tmp_path: Path) -> None:
    lines(tmp_path / "long_name/docs.jsonl", {"id": "a", "text": "x"}, {"id": "b", "text": "y"})
    lines(
        tmp_path / "long_name/dev_questions.jsonl",
        {"id": "1", "question": "q", "answer": "r", "article_ids": ["a", "gone"]},
        {"id": "2", "question": "q", "doc_ids": ["gone"]},
        {"id": "3", "question": "q", "doc_ids": ["b"], "answerable": False},
    )
    first, second, third = dataset_cases(tmp_path, QUESTIONS)
    assert (first.docs, first.answerable, first.reference, first.key) == (("short/a",), True, "r", "short/1")
    assert (second.docs, second.answerable) == ((), False)
    assert third.answerable is False


def test_forum_questions_are_reported_on_their_title_and_splits_by_prefix(tmp_path: Path) -> None:
    lines(tmp_path / "forum/docs.jsonl", {"id": "p", "text": "x"})
    record = {"id": "1", "title": "Short", "question": "Long text", "doc_ids": ["p"]}
    lines(tmp_path / "forum/dev_questions_forum.jsonl", record, record | {"doc_ids": []})
    lines(tmp_path / "forum/test_questions.jsonl", record | {"id": "t"})
    assert [case.question for case in dataset_cases(tmp_path, FORUM)] == ["Short", "Short"]
    assert [case.case_id for case in dataset_cases(tmp_path, FORUM)] == ["1", "1#2"]
    assert [case.question for case in dataset_cases(tmp_path, FORUM, long_form=True)] == ["Short\n\nLong text"] * 2
    assert [case.case_id for case in dataset_cases(tmp_path, FORUM, split="test")] == ["t"]


def test_tasks_keep_earlier_user_turns_and_judgements(tmp_path: Path) -> None:
    lines(tmp_path / "tasks/passages.jsonl", {"id": "1", "text": "x"}, {"id": "2", "text": "y"})
    turns = [
        {"speaker": "user", "text": "first"},
        {"speaker": "agent", "text": "said"},
        {"speaker": "user", "text": "second"},
    ]
    lines(
        tmp_path / "tasks/dev_tasks.jsonl",
        {"id": "a", "answerability": "PARTIAL", "turns": turns, "reference": "r"},
        {"id": "b", "answerability": "UNANSWERABLE", "turns": turns},
        {"id": "c", "answerability": "UNDERSPECIFIED", "turns": turns},
    )
    lines(tmp_path / "tasks/dev_qrels.jsonl", {"qid": "a", "pid": "2", "rel": 1}, {"qid": "a", "pid": "1", "rel": 0})
    first, second, third = dataset_cases(tmp_path, TASKS)
    assert (first.turns, first.docs, first.answerable) == (("first", "second"), ("tasks/2",), True)
    assert second.answerable is False
    assert (third.answerable, third.outcomes) == (None, ("clarify",))


def test_missing_data_is_said_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match="FIRSTLINE_DATA"):
        data_folder({"FIRSTLINE_DATA": str(tmp_path)})
    (tmp_path / "techqa").mkdir()
    assert data_folder({"FIRSTLINE_DATA": str(tmp_path)}) == tmp_path
    assert [one.name for one in present(tmp_path)] == ["techqa"]
