"""A password that somebody pastes is in no store and no log: the whole data folder is searched for it."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstline.domain import EVERYONE, Level, Principal, Session
from firstline.settings import load_settings
from firstline.wiring import open_firstline

PASSWORDS = ("Tr0ub4dor&3xkcd", "Zq7!kvPm2waLong", "hunter2hunter2x")
MESSAGES = (
    f"I cannot log in. My password is {PASSWORDS[0]}, what is wrong?",
    f"I tried user anna with the password {PASSWORDS[1]} and it fails, get me a person please",
    f"config:\npassword: {PASSWORDS[2]}\nhost: db1",
)


@pytest.fixture
def folder() -> Generator[Path]:
    found = Path(tempfile.mkdtemp(prefix="firstline-password-"))
    found.chmod(0o711)
    yield found
    shutil.rmtree(found, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_a_pasted_password_is_in_no_store_and_no_log(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    settings = load_settings(flags={"data_folder": folder}, environ={})
    async with open_firstline(settings) as firstline:
        session = Session(session_id="s", tenant="default", kb="docs", user="u", created_at=datetime.now(UTC))
        await firstline.conversations.create_session(session)
        who = Principal(tenant="default", user="u", acl_tags=frozenset({EVERYONE}), level=Level.PUBLIC)
        for message in MESSAGES:
            turn = await firstline.questions.ask(session=session, principal=who, question=message)
            assert "[SECRET_1]" in turn.question
        rows = await firstline.ledgers.database.rows("SELECT record::text AS record FROM firstline.turns")
        assert len(rows) == len(MESSAGES), "the search below must have something to find"
    marker = b"I cannot log in"
    found = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert any(marker in data for data in found.values()), "Postgres' files are readable to this search"
    for password in PASSWORDS:
        holders = [
            path for path, data in found.items() if password.encode() in data or password.encode("utf-16-le") in data
        ]
        assert holders == []
        assert password not in caplog.text and not any(password in repr(record.args) for record in caplog.records)
