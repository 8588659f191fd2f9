"""`firstline forget` says what comes back, counts what it scrubs once, and promises no proof that it did not write."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstline.cli.main import group
from firstline.domain import EVERYONE, Level, Principal, Session
from firstline.errors import Conflict, FirstlineError, NotFound
from firstline.settings import load_settings
from firstline.wiring import open_firstline


@pytest.fixture
def place() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-forget-"))
    folder.chmod(0o711)
    (folder / "pages" / "internal").mkdir(parents=True)
    (folder / "pages" / "a.md").write_text("# Pumps\n\nThe pump listens on port 7000. Ask Jane Roe about pumps.\n")
    (folder / "pages" / "internal" / "b.md").write_text("# Plans\n\nThe next pump listens on port 7100.\n")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def firstline(place: Path, *words: str) -> str:
    done = CliRunner().invoke(group, ["--data", str(place / "data"), *words])
    if isinstance(done.exception, FirstlineError):
        raise done.exception
    return done.output


async def ask(place: Path) -> None:
    """Two turns that quote the page, one of which names her too, and one that only names her."""
    async with open_firstline(load_settings(flags={"data_folder": place / "data"})) as opened:
        who = Principal(tenant="default", user="u", acl_tags=frozenset({EVERYONE}), level=Level.PUBLIC)
        for number, question in enumerate(
            ("Which port does the pump listen on?", "Does Jane Roe know which port the pump listens on?", "Jane Roe?")
        ):
            session = Session(
                session_id=f"s{number}", tenant="default", kb="docs", user="u", created_at=datetime.now(UTC)
            )
            await opened.conversations.create_session(session)
            await opened.questions.ask(session=session, principal=who, question=question)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_forgetting_tells_what_it_does(place: Path) -> None:
    added = ("source", "add", "live", "folder", str(place / "pages"), "--access", "internal/**=staff:internal")
    firstline(place, *added)
    firstline(place, "source", "sync", "live")
    # A folder that leaves its rule waits; what it was called before is gone at once.
    (place / "pages" / "internal").rename(place / "pages" / "open")
    said = firstline(place, "source", "sync", "live")
    assert "internal/**" in said and "Correct the rule" in said
    firstline(place, "snapshot", "discard")
    asyncio.run(ask(place))

    nobody = place / "proof.json"
    said = firstline(place, "forget", "--subject", "Nobody Known", "--yes", "--certificate", str(nobody))
    assert f"No certificate was written to {nobody}" in said and not nobody.exists()
    with pytest.raises(Conflict, match="registered source"):
        firstline(place, "forget", "--source", "live")
    for wrong in (("gaps", "--kb", "nope"), ("faq", "list", "--kb", "nope"), ("faq", "show", "x", "--kb", "nope")):
        with pytest.raises(NotFound, match="no knowledge base 'nope'"):
            firstline(place, *wrong)

    said = firstline(place, "forget", "--subject", "Jane Roe", "--yes", "--certificate", str(nobody))
    assert "scrubs the name from turns (" in said and "live/a.md" in said
    places = {one["name"]: one["found"] for one in json.loads(nobody.read_text())["places"]}
    assert 2 <= places["turns"] <= 3, "a turn that quotes the page and names her is one"
    assert f"turns: {places['turns']} scrubbed, 0 left" in said and "documents and chunks: 1 removed" in said

    # The same for a folder that is taken by hand.
    by_hand = ("ingest", str(place / "pages"), "--kb", "hand", "--quiet", "--access", "open/**=staff:internal")
    assert "Snapshot 1 is published" in firstline(place, *by_hand)
    (place / "pages" / "open").rename(place / "pages" / "wide")
    said = firstline(place, *by_hand)
    assert "It is not published" in said and "open/**" in said
    firstline(place, "snapshot", "discard", "--kb", "hand")
    assert "is published" in firstline(place, *by_hand, "--force")

    firstline(place, "source", "sync", "live", "--full", "--force")
    said = firstline(place, "forget", "--source", "live", "--yes")
    assert "next sync brings everything back" in said and "source remove live" in said
