"""Before a connection is handed out: a dead one is noticed, a living one is not asked."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from firstline.engines.postgres.pool import check_alive


@dataclass
class Connection:
    pgconn: Any
    asked: list[str] = field(default_factory=list[str])

    async def execute(self, query: str) -> None:
        self.asked.append(query)


@pytest.mark.parametrize("news", ["none", "closed", "notice"])
async def test_only_a_connection_with_something_to_read_is_asked(news: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        if news == "closed":
            theirs.close()
        if news == "notice":
            theirs.send(b"N")
        connection = Connection(SimpleNamespace(socket=ours.fileno()))
        await check_alive(connection)  # type: ignore[arg-type]  # what the check looks at
        assert len(connection.asked) == (news != "none")
