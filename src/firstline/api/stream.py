"""A turn as server-sent events.

    ack      at once: the message was taken
    status   the step that the journey begins: {"step": ...}
    delta    a piece of the VERIFIED answer: {"notice": ...} first when there is one, then {"block": {...}} by block
    final    the whole reply, the same JSON as without streaming
    error    a problem instead of `final`

Comments (`: heartbeat`) come every few seconds while nothing else does, so that proxies keep the connection.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from firstline.api.guard import log_unexpected
from firstline.api.problems import problem_fields
from firstline.api.running import Running
from firstline.api.shapes import TurnShown
from firstline.domain import Principal, Session, Turn
from firstline.errors import FirstlineError

STATUSES_WAITING_MAX: Final = 64
HEARTBEAT: Final = b": heartbeat\n\n"
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
MEDIA_TYPE: Final = "text/event-stream"


def begin(
    run: Running, *, session: Session, principal: Principal, question: str, explain: bool, request_id: str
) -> AsyncIterator[bytes]:
    """Start the turn now (so that a refusal is still a plain HTTP response) and return its events."""
    statuses: asyncio.Queue[str] = asyncio.Queue(maxsize=STATUSES_WAITING_MAX)

    async def on_status(step: str) -> None:
        # A client that reads slowly misses statuses; it never holds up the turn.
        if not statuses.full():
            statuses.put_nowait(step)

    task = run.start_turn(session=session, principal=principal, question=question, on_status=on_status)
    return _events(run, task, statuses, session_id=session.session_id, explain=explain, request_id=request_id)


async def _events(
    run: Running,
    task: asyncio.Task[Turn],
    statuses: asyncio.Queue[str],
    *,
    session_id: str,
    explain: bool,
    request_id: str,
) -> AsyncIterator[bytes]:
    yield event("ack", {"session_id": session_id})
    async for sent in _until_done(task, statuses, heartbeat_s=run.heartbeat_s):
        yield sent
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is not None:
        if not isinstance(error, FirstlineError):
            log_unexpected(error, request_id=request_id)
        shown = error if isinstance(error, Exception) else RuntimeError("stopped")
        yield event("error", problem_fields(shown))
        return
    turn = TurnShown.of(task.result(), explain=explain)
    if turn.reply.notice:
        yield event("delta", {"notice": turn.reply.notice})
    for block in turn.model_dump(mode="json")["reply"]["blocks"]:
        yield event("delta", {"block": block})
    yield f"event: final\ndata: {turn.model_dump_json()}\n\n".encode()


async def _until_done(
    task: asyncio.Task[Turn], statuses: asyncio.Queue[str], *, heartbeat_s: float
) -> AsyncIterator[bytes]:
    """Statuses as they come and heartbeats between them, until the turn has ended and every status was sent."""
    waiting: asyncio.Task[str] | None = None
    try:
        while not task.done():
            waiting = waiting or asyncio.create_task(statuses.get())
            done, _ = await asyncio.wait({task, waiting}, timeout=heartbeat_s, return_when=asyncio.FIRST_COMPLETED)
            if waiting in done:
                yield event("status", {"step": waiting.result()})
                waiting = None
            elif not done:
                yield HEARTBEAT
        if waiting is not None and waiting.done():
            yield event("status", {"step": waiting.result()})
            waiting = None
        while not statuses.empty():
            yield event("status", {"step": statuses.get_nowait()})
    finally:
        if waiting is not None:
            waiting.cancel()


def event(name: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
