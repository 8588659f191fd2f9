"""One knowledge base of all public documentation and one of the demo, kept between runs.

The data folder's name holds a digest of everything that shapes an indexed document (its steps' source, the engines,
the embedder, the chunk size): when that changes the folder is built anew, from cached embeddings where the texts are
the same; when it does not, ingestion finds every document unchanged.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import firstline
from firstline.cli.demo_command import PARTS
from firstline.connectors.files import FilesSource
from firstline.domain import EVERYONE, DocumentKind, IngestReport, Level
from firstline.evals.cases import Case, load_cases
from firstline.evals.datasets import DataSet, DataSource, data_folder, dataset_cases, document_records, present
from firstline.evals.run import Runner
from firstline.models.cached import CachedEmbedder
from firstline.models.embedder import open_embedder
from firstline.settings import Settings, load_settings
from firstline.wiring import Firstline, open_firstline

ROOT: Final = Path(__file__).resolve().parent.parent
CACHE: Final = ROOT / ".cache" / "eval"
DEMO: Final = ROOT / "demo"
DATA_KB: Final = "data"
DEMO_KB: Final = "demo"
KEPT_FOLDERS: Final = 2
SHAPING: Final = ("documents", "engines", "connectors", "models/words.py", "evals/datasets.py")


@dataclass(frozen=True, kw_only=True)
class Workbench:
    """An open data folder whose knowledge bases are up to date."""

    firstline: Firstline
    reports: dict[str, IngestReport]

    def runner(self, set_name: str) -> Runner:
        opened = self.firstline
        return Runner(
            rank_question=opened.questions.rank,
            ask_question=opened.questions.ask,
            create_session=opened.conversations.create_session,
            tenant=opened.settings.tenant,
            kb=DEMO_KB if set_name == DEMO_KB else DATA_KB,
            history_turns=opened.settings.history_turns,
        )


def real_data() -> Path:
    """DataMissing when it is not on this machine."""
    return data_folder(os.environ)


@asynccontextmanager
async def open_workbench(
    *, data: Path | None, open_gates: bool = False, cached: bool = True, flags: Mapping[str, object] | None = None
) -> AsyncGenerator[Workbench]:
    """`data`: the folder of public data, None for the demo alone. `open_gates`: every draft is shown.
    `cached` embeddings are for scoring; without them a question costs what it costs a user. `flags` are settings that
    shape questions, for experiments."""
    gates = {"relevance_gate": 0.0, "confidence_gate": 0.0} if open_gates else {}
    plain = load_settings()
    inner = open_embedder(
        name=plain.embedder, model=plain.embedder_model, api_key=plain.embedder_api_key, threads=plain.embed_threads
    )
    folder = CACHE / f"data-{shape_digest(plain, inner.model_id)}"
    _forget_old_folders(folder)
    settings = load_settings(flags={"data_folder": folder, **gates, **(flags or {})})
    embedder = CachedEmbedder(inner, CACHE / "embeddings") if cached else inner
    async with open_firstline(settings, embedder=embedder) as opened:
        reports = await _bring_up_to_date(opened, data)
        yield Workbench(firstline=opened, reports=reports)


def load_set(name: str, *, data: Path | None, split: str = "dev", long_form: bool = False) -> list[Case]:
    """The cases of a data set, or of the demo."""
    if name == DEMO_KB:
        return [replace(case, set_name=DEMO_KB) for case in load_cases(DEMO / "golden.jsonl")]
    if data is None:
        return []
    found = [one for one in present(data) if one.name == name]
    return dataset_cases(data, found[0], split=split, long_form=long_form) if found else []


def question_sets(data: Path | None) -> list[str]:
    """Sets that can be asked here, in the order of reports."""
    return [one.name for one in (present(data) if data else ()) if one.folder != "openshift_runbooks"] + [DEMO_KB]


def shape_digest(settings: Settings, model_id: str) -> str:
    digest = hashlib.sha256(f"{model_id}\x1f{settings.chunk_tokens}".encode())
    package = Path(firstline.__file__).parent
    for part in SHAPING:
        path = package / part
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and file.suffix in {".py", ".sql", ".json"}:
                digest.update(file.relative_to(package).as_posix().encode() + b"\x1e" + file.read_bytes() + b"\x1f")
    return digest.hexdigest()[:12]


def commit() -> str:
    """The short commit, with + when the tree differs from it; `none` outside a repository."""
    git = shutil.which("git")
    if git is None:
        return "none"
    described = subprocess.run(  # noqa: S603 - a fixed command
        [git, "describe", "--always", "--dirty=+"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return described.stdout.strip() or "none"


def show_progress(label: str):
    """A callback that keeps one line of stderr current, at most four times a second; in a log, its last state only."""
    last = [0.0]
    alive = sys.stderr.isatty()

    def show(done: int, total: int) -> None:
        now = time.monotonic()
        if done == total or (alive and now - last[0] > 0.25):
            last[0] = now
            print(f"\r{label}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return show


async def ingest_demo(opened: Firstline, *, kb: str = DEMO_KB) -> list[IngestReport]:
    return [
        await opened.documents.ingest(
            FilesSource(
                [DEMO / name],
                kind=DocumentKind(kind),
                acl=frozenset({EVERYONE}),
                level=Level.parse(level),
                map={},
                bytes_max=opened.settings.file_bytes_max,
            ),
            tenant=opened.settings.tenant,
            kb=kb,
        )
        for name, kind, level in PARTS
    ]


async def _bring_up_to_date(opened: Firstline, data: Path | None) -> dict[str, IngestReport]:
    reports: dict[str, IngestReport] = {}
    if data is not None:
        show = show_progress("ingest")
        sets: Sequence[DataSet] = present(data)
        total = sum(1 for one in sets for _ in document_records(data, one))
        reports[DATA_KB] = await opened.documents.ingest(
            DataSource(data, sets),
            tenant=opened.settings.tenant,
            kb=DATA_KB,
            on_progress=lambda progress: show(progress.items, total),
        )
    for report in await ingest_demo(opened):
        reports[DEMO_KB] = report
    return reports


def _forget_old_folders(keep: Path) -> None:
    """The newest few data folders stay, so that going back and forth between two versions costs nothing."""
    folders = sorted(
        (path for path in CACHE.glob("data-*") if path.is_dir() and path != keep),
        key=lambda path: path.stat().st_mtime,
        reverse=True,
    )
    for path in folders[KEPT_FOLDERS - 1 :]:
        shutil.rmtree(path, ignore_errors=True)
