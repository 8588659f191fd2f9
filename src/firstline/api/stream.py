"""A turn as server-sent events.

    ack      at once: the message was taken
    status   the step that the journey begins: {"step": ...}
    person   what the person who has the conversation said meanwhile: {"at": ..., "act": ..., "text": ...}
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
from firstline.api.shapes import SaidShown, TurnShown
from firstline.domain import Principal, Session, Silent, Turn
from firstline.errors import FirstlineError

STATUSES_WAITING_MAX: Final = 64
HEARTBEAT: Final = b": heartbeat\n\n"
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
MEDIA_TYPE: Final = "text/event-stream"


def begin(
    run: Running, *, session: Session, principal: Principal, question: str, explain: bool, request_id: str
) -> AsyncIterator[bytes]:
    """Start the turn now (so that a refusal is still a plain HTTP response) and return its events."""
    statuses: asyncio.Queue[str | None] = asyncio.Queue()

    async def on_status(step: str) -> None:
        # A client that reads slowly misses statuses; it never holds up the turn.
        if statuses.qsize() < STATUSES_WAITING_MAX:
            statuses.put_nowait(step)

    task = run.start_turn(session=session, principal=principal, question=question, on_status=on_status)
    task.add_done_callback(lambda _: statuses.put_nowait(None))
    return _events(run, task, statuses, session_id=session.session_id, explain=explain, request_id=request_id)


async def _events(
    run: Running,
    task: asyncio.Task[Turn],
    statuses: asyncio.Queue[str | None],
    *,
    session_id: str,
    explain: bool,
    request_id: str,
) -> AsyncIterator[bytes]:
    yield event("ack", {"session_id": session_id})
    async for sent in _until_done(statuses, heartbeat_s=run.heartbeat_s):
        yield sent
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is not None:
        if not isinstance(error, FirstlineError):
            log_unexpected(error, request_id=request_id)
        shown = error if isinstance(error, Exception) else RuntimeError("stopped")
        yield event("error", problem_fields(shown))
        return
    turn = task.result()
    if isinstance(turn.outcome, Silent):
        yield await _said_meanwhile(run, turn)
    yield _answer(TurnShown.of(turn, run.wording, explain=explain))


async def _said_meanwhile(run: Running, turn: Turn) -> bytes:
    """What the person who has the conversation said since the message before this one."""
    before = await run.firstline.conversations.turns(turn.session_id, limit=2)
    since = before[0].asked_at if len(before) == 2 else turn.asked_at
    voice = run.wording.voice(turn.language)
    said = [entry for entry in await run.firstline.handoffs.said(turn.session_id) if entry.at >= since]
    return b"".join(event("person", SaidShown.of(entry, voice).model_dump(mode="json")) for entry in said)


def _answer(turn: TurnShown) -> bytes:
    """What is known all at once goes out in one piece: every write wakes the client and the server once more."""
    shown = turn.model_dump(mode="json")
    notice = [event("delta", {"notice": turn.reply.notice})] if turn.reply.notice else []
    blocks = [event("delta", {"block": block}) for block in shown["reply"]["blocks"]]
    return b"".join((*notice, *blocks, event("final", shown)))


async def _until_done(statuses: asyncio.Queue[str | None], *, heartbeat_s: float) -> AsyncIterator[bytes]:
    """Statuses as they come, those that came together in one piece, and heartbeats between them; None is the end."""
    while True:
        try:
            async with asyncio.timeout(heartbeat_s):
                steps = [await statuses.get()]
        except TimeoutError:
            yield HEARTBEAT
            continue
        while not statuses.empty():
            steps.append(statuses.get_nowait())
        told = b"".join(event("status", {"step": step}) for step in steps if step is not None)
        if told:
            yield told
        if None in steps:
            return


def event(name: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
