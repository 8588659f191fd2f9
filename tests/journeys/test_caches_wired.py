"""Caches as they are composed for a server, on real engines."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.journeys.world import Items, asker, page

from firstline.caches.records import KIND
from firstline.domain import Answered, Session, Turn, acting_for
from firstline.questions.kept_answers import HIT
from firstline.settings import load_settings
from firstline.wiring import Firstline, open_firstline

PAGES = (
    page("logs", "# Rotate the log files\n\nRotate the log files with `lark rotate`. It closes the old file first.\n"),
    page("backup", "# Backups of a cluster\n\nA backup of the cluster is taken every night and kept for a week.\n"),
)
QUESTION = "How do I rotate the log files?"


@pytest.fixture
def data_folder() -> Iterator[Path]:
    # pytest's own folders are closed to other users, and as root Postgres runs as one.
    folder = Path(tempfile.mkdtemp(prefix="fl-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


async def ask(opened: Firstline, number: int, question: str = QUESTION) -> Turn:
    who = asker()
    session = Session(session_id=f"s{number}", tenant=who.tenant, kb="kb", user="u", created_at=datetime.now(UTC))
    with acting_for(who.tenant):
        await opened.conversations.create_session(session)
        return await opened.questions.ask(session=session, principal=who, question=question)


@pytest.mark.slow
async def test_a_server_answers_from_memory_and_forgets_there_too(data_folder: Path) -> None:
    flags = {"data_folder": data_folder, "relevance_gate": 0.0, "confidence_gate": 0.0}
    settings = load_settings(flags=flags, environ={})
    tenant = asker().tenant
    async with open_firstline(settings) as opened:
        await opened.documents.ingest(Items(*PAGES), tenant=tenant, kb="kb")
        first, second = await ask(opened, 1), await ask(opened, 2)
        assert isinstance(first.outcome, Answered) and HIT not in first.timings_ms
        assert HIT in second.timings_ms and second.outcome == first.outcome and second.evidence == first.evidence
        with acting_for(tenant):
            (recorded,) = await opened.conversations.turns("s2", limit=5)
        assert recorded.outcome == second.outcome and HIT in recorded.timings_ms
        # Somebody else on the same folder, with caches of their own, closes the page.
        async with open_firstline(settings) as other:
            assert HIT not in (await ask(other, 3)).timings_ms, "nothing is shared between processes"
            await other.purger.bury(["logs"], tenant=tenant, kb="kb", by="t")
        after = await ask(opened, 4)
        assert HIT not in after.timings_ms and "lark rotate" not in repr(after.outcome)
        await ask(opened, 5, "How long is a backup of the cluster kept?")
        assert len(opened.caches.answer)
        certificate = await opened.purger.forget(["backup"], tenant=tenant, kb="kb", by="t")
        place = next(one for one in certificate.places if one.name == KIND)
        assert place.left == 0 and len(opened.caches.answer) == len(opened.caches.retrieval) == 0
