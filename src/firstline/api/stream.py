"""A turn as server-sent events.

    ack      at once: the message was taken
    status   the step that the journey begins: {"step": ...}
    person   what the person who has the conversation said meanwhile: {"at": ..., "act": ..., "text": ...}
    delta    a piece of the VERIFIED answer: {"notice": ...} first when there is one, then {"block": {...}} by block.
             While a model writes, each block as soon as it is verified; none is ever taken back
    final    the whole reply, the same JSON as without streaming
    error    a problem instead of `final`

Comments (`: heartbeat`) come every few seconds while nothing else does, so that proxies keep the connection.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from firstline.api.guard import log_unexpected
from firstline.api.problems import problem_fields
from firstline.api.running import Running
from firstline.api.shapes import SaidShown, TurnShown
from firstline.domain import Answered, Principal, Reply, Session, Silent, Turn
from firstline.errors import FirstlineError
from firstline.questions.render import render
from firstline.questions.wording.voice import Wording

STATUSES_WAITING_MAX: Final = 64
HEARTBEAT: Final = b": heartbeat\n\n"
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
MEDIA_TYPE: Final = "text/event-stream"


def begin(
    run: Running, *, session: Session, principal: Principal, question: str, explain: bool, request_id: str
) -> AsyncIterator[bytes]:
    """Start the turn now (so that a refusal is still a plain HTTP response) and return its events."""
    statuses: asyncio.Queue[str | None] = asyncio.Queue()
    begun = Begun(run.wording)

    async def on_claims(answered: Answered, language: str) -> None:
        begun.more(answered, language)
        # An empty step wakes whoever sends. It is told how far the answer is, so one is enough.
        if statuses.qsize() < STATUSES_WAITING_MAX:
            statuses.put_nowait("")

    async def on_status(step: str) -> None:
        # A client that reads slowly misses statuses; it never holds up the turn.
        if statuses.qsize() < STATUSES_WAITING_MAX:
            statuses.put_nowait(step)

    task = run.start_turn(
        session=session, principal=principal, question=question, on_status=on_status, on_claims=on_claims
    )
    task.add_done_callback(lambda _: statuses.put_nowait(None))
    return _events(run, task, statuses, begun, session_id=session.session_id, explain=explain, request_id=request_id)


async def _events(
    run: Running,
    task: asyncio.Task[Turn],
    statuses: asyncio.Queue[str | None],
    begun: Begun,
    *,
    session_id: str,
    explain: bool,
    request_id: str,
) -> AsyncIterator[bytes]:
    yield event("ack", {"session_id": session_id})
    async for sent in _until_done(statuses, begun, heartbeat_s=run.heartbeat_s):
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
    yield _answer(TurnShown.of(turn, run.wording, explain=explain), begun)


async def _said_meanwhile(run: Running, turn: Turn) -> bytes:
    """What the person who has the conversation said since the message before this one."""
    before = await run.firstline.conversations.turns(turn.session_id, limit=2)
    since = before[0].asked_at if len(before) == 2 else turn.asked_at
    voice = run.wording.voice(turn.language)
    said = [entry for entry in await run.firstline.handoffs.said(turn.session_id) if entry.at >= since]
    return b"".join(event("person", SaidShown.of(entry, voice).model_dump(mode="json")) for entry in said)


class Begun:
    """What of an answer has been sent before its turn came to an end."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._reply: Reply | None = None
        self.blocks_sent = 0
        self.notice_sent = ""

    def more(self, answered: Answered, language: str) -> None:
        self._reply = render(answered, self._wording.voice(language), spoken=language)

    def events(self) -> bytes:
        """What there is that has not been sent yet."""
        if self._reply is None:
            return b""
        blocks = [asdict(block) for block in self._reply.blocks]
        return self.rest(self._reply.notice, blocks)

    def rest(self, notice: str, blocks: Sequence[Mapping[str, Any]]) -> bytes:
        sent: list[bytes] = []
        if notice and notice != self.notice_sent:
            sent.append(event("delta", {"notice": notice}))
            self.notice_sent = notice
        sent += [event("delta", {"block": block}) for block in blocks[self.blocks_sent :]]
        self.blocks_sent = max(self.blocks_sent, len(blocks))
        return b"".join(sent)


def _answer(turn: TurnShown, begun: Begun) -> bytes:
    """What is known all at once goes out in one piece: every write wakes the client and the server once more."""
    shown = turn.model_dump(mode="json")
    return begun.rest(turn.reply.notice, shown["reply"]["blocks"]) + event("final", shown)


async def _until_done(statuses: asyncio.Queue[str | None], begun: Begun, *, heartbeat_s: float) -> AsyncIterator[bytes]:
    """Statuses and verified blocks as they come, those that came together in one piece, and heartbeats between them;
    None is the end."""
    while True:
        try:
            async with asyncio.timeout(heartbeat_s):
                steps = [await statuses.get()]
        except TimeoutError:
            yield HEARTBEAT
            continue
        while not statuses.empty():
            steps.append(statuses.get_nowait())
        told = b"".join(event("status", {"step": step}) for step in steps if step) + begun.events()
        if told:
            yield told
        if None in steps:
            return


def event(name: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
