"""The demo, as a newcomer meets it: real engines, the real model, the three questions it prints."""

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstline.cli.demo_command import ingest_demo
from firstline.domain import EVERYONE, Answered, Completeness, HighStakes, Level, Principal, Session
from firstline.settings import load_settings
from firstline.wiring import open_firstline

ROOT = Path(__file__).parents[2]


@pytest.fixture
def data_folder() -> Iterator[Path]:
    # pytest's own folders are closed to other users, and as root Postgres runs as one.
    folder = Path(tempfile.mkdtemp(prefix="fl-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_the_three_questions_get_two_proven_answers_and_a_hand_over(data_folder: Path):
    settings = load_settings(flags={"data_folder": data_folder, "kb": "demo"}, environ={})
    await ingest_demo(settings, ROOT / "demo")
    questions = [line for line in (ROOT / "demo" / "ask.txt").read_text("utf-8").splitlines() if line.strip()]
    principal = Principal(tenant="default", user="u", acl_tags=frozenset({EVERYONE}), level=Level.CUSTOMER)
    async with open_firstline(settings) as firstline:
        status = await firstline.knowledge.status(tenant="default", kb="demo")
        assert status.failures == 0 and status.documents >= 150
        session = Session(
            session_id=str(uuid.uuid4()), tenant="default", kb="demo", user="u", created_at=datetime.now(UTC)
        )
        await firstline.conversations.create_session(session)
        outcomes = [
            (await firstline.questions.ask(session=session, principal=principal, question=question)).outcome
            for question in questions
        ]
    assert isinstance(outcomes[0], Answered) and outcomes[0].completeness is not Completeness.UNSURE
    assert isinstance(outcomes[1], Answered) and outcomes[1].completeness is not Completeness.UNSURE
    assert isinstance(outcomes[2], HighStakes)
