"""Documents and questions, the same for everybody: what firstline's connectors and parser make of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.peers.peer import PeerDocument
from benchmarks.workbench import DATA_KB, DEMO, DEMO_KB, load_set, question_sets
from firstline.cli.demo_command import PARTS
from firstline.connectors.files import FilesSource
from firstline.documents.parse import parse
from firstline.domain import EVERYONE, DocumentKind, Level, SourceItem
from firstline.evals.cases import Case
from firstline.evals.datasets import DataSource, present
from firstline.evals.run import LEVEL_DEFAULT
from firstline.ports import Source
from firstline.settings import Settings, load_settings

TENANT: Final = "peers"


@dataclass(frozen=True, kw_only=True, slots=True)
class KnowledgeBase:
    """`access`: document id -> who may see it."""

    documents: tuple[PeerDocument, ...]
    access: dict[str, tuple[frozenset[str], Level]]


async def read_knowledge(data: Path | None) -> dict[str, KnowledgeBase]:
    """By name: all public documentation as one knowledge base, and the demo's."""
    settings = load_settings()
    found = {DEMO_KB: await _read([_demo_part(part, settings) for part in PARTS])}
    if data is not None:
        found[DATA_KB] = await _read([DataSource(data, present(data))])
    return found


def read_cases(data: Path | None, *, split: str = "dev") -> list[Case]:
    """Every question that has a gold document, in the order of reports."""
    return [case for name in question_sets(data) for case in load_set(name, data=data, split=split) if case.docs]


def knowledge_of(case: Case) -> str:
    return DEMO_KB if case.set_name == DEMO_KB else DATA_KB


def visible(ranked: Sequence[str], case: Case, knowledge: KnowledgeBase) -> list[str]:
    """What the asker of this case may see. Peers have no notion of it; what is left out costs them no place."""
    level = LEVEL_DEFAULT if case.level is None else case.level
    access = knowledge.access
    return [doc for doc in ranked if EVERYONE in access[doc][0] and access[doc][1] <= level]


def _demo_part(part: tuple[str, str, str], settings: Settings) -> FilesSource:
    name, kind, level = part
    return FilesSource(
        [DEMO / name],
        kind=DocumentKind(kind),
        acl=frozenset({EVERYONE}),
        level=Level.parse(level),
        map={},
        bytes_max=settings.file_bytes_max,
    )


async def _read(sources: Sequence[Source]) -> KnowledgeBase:
    documents: list[PeerDocument] = []
    access: dict[str, tuple[frozenset[str], Level]] = {}
    for source in sources:
        async for item in source.items():
            if isinstance(item, SourceItem):
                parsed = parse(item)
                documents.append(PeerDocument(doc_id=item.item_id, title=parsed.title, text=parsed.text))
                access[item.item_id] = (item.acl, item.level)
    return KnowledgeBase(documents=tuple(documents), access=access)
