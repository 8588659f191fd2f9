"""Folders of public data, read as documents and cases.

What is in a folder is found by its file names: `*docs*.jsonl` or `*passages*.jsonl` hold documents;
`<split>_*questions*.jsonl`, `<split>_*tasks*.jsonl` and `<split>_*qrels*.jsonl` hold questions, conversations and
which documents answer them. Nothing here cleans or changes a text: documents go through the ordinary journey.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from firstline.domain import EVERYONE, DocumentKind, Failure, Level, SourceItem
from firstline.errors import InvalidInput
from firstline.evals.cases import Case

DATA_ENV: Final = "FIRSTLINE_DATA"
DATA_DEFAULT: Final = "../shared/data"

TITLE_CHARS_MAX: Final = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class DataSet:
    """A folder of the data. `name` prefixes its document ids: `name/id`."""

    name: str
    folder: str
    title_only: bool = False
    """Report on the question's title alone (the convention for questions taken from a forum)."""


DOCUMENTATION: Final = (
    DataSet(name="techqa", folder="techqa"),
    DataSet(name="wixqa", folder="wixqa_sample"),
    DataSet(name="kubernetes", folder="kubernetes", title_only=True),
    DataSet(name="mtrag_un", folder="mtrag_un"),
    DataSet(name="openshift_runbooks", folder="openshift_runbooks"),
)
"""Indexed together as one knowledge base: each one's documents distract from the others'."""


class DataMissing(InvalidInput):
    """The data is not on this machine."""


def data_folder(environ: Mapping[str, str]) -> Path:
    """Where the data lies. DataMissing says how to point at it."""
    path = Path(environ.get(DATA_ENV, "") or DATA_DEFAULT)
    if not any((path / one.folder).is_dir() for one in DOCUMENTATION):
        raise DataMissing(
            f"There is no evaluation data at {path}.",
            remedy=f"Set {DATA_ENV} to the folder that holds {', '.join(one.folder for one in DOCUMENTATION)}.",
        )
    return path


def present(data: Path) -> list[DataSet]:
    """The sets that are there, in their fixed order."""
    return [one for one in DOCUMENTATION if (data / one.folder).is_dir()]


# --- documents ------------------------------------------------------------------------------------------------------


class DataSource:
    """Every document of the given sets, as a connector yields them."""

    def __init__(self, data: Path, sets: Sequence[DataSet]) -> None:
        self._data = data
        self._sets = tuple(sets)

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        for one in self._sets:
            for record in document_records(self._data, one):
                yield _item(one, record)


def document_records(data: Path, one: DataSet) -> Iterator[dict[str, Any]]:
    """The records of a set's documents, as they lie in its files."""
    for path in _files(data / one.folder, ("*docs*.jsonl", "*passages*.jsonl")):
        yield from _records(path)


def document_ids(data: Path, one: DataSet) -> frozenset[str]:
    return frozenset(f"{one.name}/{record['id']}" for record in document_records(data, one))


def _item(one: DataSet, record: Mapping[str, Any]) -> SourceItem:
    item_id = f"{one.name}/{record['id']}"
    title, url = record.get("title") or "", record.get("url") or None
    raw = str(record["text"]).encode()
    shape = json.dumps([item_id, title, url], ensure_ascii=False).encode()
    return SourceItem(
        item_id=item_id,
        kind=DocumentKind.DOCUMENTATION,
        media_type=_media_type(record),
        raw=raw,
        title=title[:TITLE_CHARS_MAX],
        url=url,
        acl=frozenset({EVERYONE}),
        level=Level.PUBLIC,
        content_hash=hashlib.sha256(raw + b"\x00" + shape).hexdigest(),
    )


def _media_type(record: Mapping[str, Any]) -> str:
    """A record that remembers a Markdown file is Markdown, and so is one that begins with a heading of it; any other
    text is plain, where indentation means nothing."""
    if str(record["text"]).lstrip().startswith("# "):
        return "text/markdown"
    names = (str(record.get(field) or "") for field in ("path", "component", "filename"))
    return "text/markdown" if any(name.endswith((".md", ".mdx")) for name in names) else "text/plain"


# --- cases ----------------------------------------------------------------------------------------------------------


def dataset_cases(data: Path, one: DataSet, *, split: str = "dev", long_form: bool = False) -> list[Case]:
    """The labelled questions of a set. Gold documents that are not in the set are left out; a question whose gold
    documents are all missing counts as unanswerable. `long_form` takes a forum question's whole text, not its title.
    """
    known = document_ids(data, one)
    folder = data / one.folder
    cases = [
        _question_case(one, record, known, title_only=one.title_only and not long_form)
        for path in _files(folder, (f"{split}_*questions*.jsonl", f"{split}_questions*.jsonl"))
        for record in _records(path)
    ]
    gold = _judgements(folder, split)
    for path in _files(folder, (f"{split}_*tasks*.jsonl", f"{split}_tasks*.jsonl")):
        cases += [_task_case(one, record, gold, known) for record in _records(path)]
    return _with_unique_ids(cases)


def _with_unique_ids(cases: Sequence[Case]) -> list[Case]:
    """A forum question that stands there once per accepted page gets `#2`, `#3` at its id: runs are paired by id."""
    times: Counter[str] = Counter()
    found: list[Case] = []
    for case in cases:
        times[case.case_id] += 1
        again = times[case.case_id]
        found.append(case if again == 1 else replace(case, case_id=f"{case.case_id}#{again}"))
    return found


def _question_case(one: DataSet, record: Mapping[str, Any], known: frozenset[str], *, title_only: bool) -> Case:
    named: list[str] = record.get("doc_ids") or record.get("article_ids") or []
    docs = tuple(doc for doc in (f"{one.name}/{name}" for name in named) if doc in known)
    labelled = record.get("answerable")
    title, body = record.get("title") or "", record.get("question") or ""
    question = title if title_only and title else "\n\n".join(part for part in (title, body) if part)
    return Case(
        case_id=str(record["id"]),
        turns=(question,),
        docs=docs,
        answerable=bool(docs) if labelled is None else bool(labelled) and bool(docs),
        reference=record.get("answer") or None,
        set_name=one.name,
    )


_ANSWERABLE: Final = {"ANSWERABLE": True, "PARTIAL": True, "UNANSWERABLE": False}
_OUTCOMES: Final = {"UNDERSPECIFIED": ("clarify",), "UNANSWERABLE": ("clarify", "escalated", "deflected")}


def _task_case(one: DataSet, record: Mapping[str, Any], gold: Mapping[str, list[str]], known: frozenset[str]) -> Case:
    label = str(record.get("answerability", ""))
    named = (f"{one.name}/{name}" for name in gold.get(str(record["id"]), ()))
    return Case(
        case_id=str(record["id"]),
        turns=tuple(str(turn["text"]) for turn in record["turns"] if turn["speaker"] == "user"),
        docs=tuple(doc for doc in named if doc in known),
        # An underspecified task is neither: the right outcome is to ask back.
        answerable=_ANSWERABLE.get(label),
        outcomes=_OUTCOMES.get(label, ()),
        reference=record.get("reference") or None,
        set_name=one.name,
    )


def _judgements(folder: Path, split: str) -> dict[str, list[str]]:
    gold: dict[str, list[str]] = {}
    for path in _files(folder, (f"{split}_*qrels*.jsonl", f"{split}_qrels*.jsonl")):
        for record in _records(path):
            if record.get("rel", 1) > 0:
                gold.setdefault(str(record["qid"]), []).append(str(record["pid"]))
    return gold


def _files(folder: Path, patterns: Sequence[str]) -> list[Path]:
    return sorted({path for pattern in patterns for path in folder.glob(pattern)})


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield json.loads(line)
            except ValueError as error:
                raise InvalidInput(
                    f"{path}, line {number}: this is not JSON: {error}.", remedy="Correct that line."
                ) from error
