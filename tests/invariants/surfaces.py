"""One recorded turn on every surface there is: what each of them says, as data that can be compared."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import httpx
from tests.api.calls import ask, ask_streamed, bearer, begin
from tests.api.fake_firstline import FakeFirstline, open_fake

from firstline.api.app import create_app
from firstline.cli.ask_command import print_reply
from firstline.cli.printing import say_json
from firstline.cli.review_screen import screen
from firstline.connectors.handover.mail import mail_of
from firstline.connectors.handover.slack import slack_message
from firstline.connectors.handover.webhook import payload
from firstline.domain import Handoff, HandoffEvent, HandoffMessage, Level, Principal, Reply, Session, Turn
from firstline.engines.postgres.codec import decode, encode
from firstline.questions.render import render_turn
from firstline.questions.review_desk import ReviewFile
from firstline.questions.transcript import transcript
from firstline.questions.wording.voice import shipped

KEY = "6f1c1e0a-0000-4000-8000-000000000003"
PLENTY = 10**6


class AsGiven:
    """A journey that comes to the turn it is given, in whichever session it is asked."""

    def __init__(self, fake: FakeFirstline) -> None:
        self._fake = fake
        self.turn: Turn | None = None

    async def ask(
        self, *, session: Session, principal: Principal, question: str, on_status: Any = None, **_: Any
    ) -> Turn:
        assert self.turn is not None
        # Through the codec, as every engine that keeps it would have it.
        kept = decode(Turn, json.loads(json.dumps(encode(replace(self.turn, session_id=session.session_id)))))
        await self._fake.conversations.append_turn(kept, None)
        return kept

    async def readable(self, turn: Turn, principal: Principal, *, kb: str) -> Turn:
        return turn


@dataclass(frozen=True, kw_only=True)
class Shown:
    """`replies`: the whole reply as JSON, by surface. `streamed`: what the stream said piece by piece. `printed`: what
    a terminal shows, by surface."""

    replies: dict[str, dict[str, Any]]
    streamed: dict[str, Any]
    printed: dict[str, str]


class Surfaces:
    """One app for many turns, on one event loop."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._open_until_closed = contextlib.AsyncExitStack()
        self._fake, self._client, self._inside = self._runner.run(self._open())

    async def _open(self) -> tuple[FakeFirstline, httpx.AsyncClient, str]:
        rates = {f"rate_{name}_per_minute": PLENTY for name in ("key", "user", "session")}
        fake = await open_fake(**rates)
        fake.questions = AsGiven(fake)  # type: ignore[assignment]  # the surfaces ask for nothing else
        token, inside = await fake.token(), await fake.token(level=Level.INTERNAL)
        app = create_app(fake, settings=fake.settings, heartbeat_s=5.0)  # type: ignore[arg-type]  # a fake of Firstline
        await self._open_until_closed.enter_async_context(app.router.lifespan_context(app))
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://firstline.test")
        await self._open_until_closed.enter_async_context(client)
        client.headers.update(bearer(token))
        return fake, client, inside

    def close(self) -> None:
        self._runner.run(self._open_until_closed.aclose())
        self._runner.close()

    def of(self, turn: Turn) -> Shown:
        return self._runner.run(self._shown(turn))

    async def _shown(self, turn: Turn) -> Shown:
        self._fake.questions.turn = turn  # type: ignore[attr-defined]  # the journey as given
        client = self._client
        session_id = await begin(client)
        answered = (await ask(client, session_id, "?")).json()
        read = (await client.get(f"/v1/sessions/{session_id}")).json()["turns"][0]
        events, _ = await ask_streamed(client, await begin(client), "?")
        explained = await self._explained()
        wording = shipped()
        reply = render_turn(turn, wording)
        said = transcript([turn], [], wording)[1].text
        return Shown(
            replies={
                "json": answered["reply"],
                "reload": read["reply"],
                "stream": events[-1][1]["reply"],
                "explained": explained["reply"],
                "command line --json": json.loads(_printed(lambda: say_json(_as_dict(reply)))),
            },
            streamed=_pieces(events),
            printed={
                "command line": _printed(lambda: print_reply(reply, wording.voice(reply.language))),
                "review": screen(_file(turn), wording, waiting=1),
                "transcript": said,
            },
        )

    async def _explained(self) -> dict[str, Any]:
        inside = bearer(self._inside)
        session_id = (await self._client.post("/v1/sessions", headers=inside)).json()["session_id"]
        path = f"/v1/sessions/{session_id}/messages?explain=true"
        return (await self._client.post(path, json={"text": "?"}, headers=inside)).json()


def expected(turn: Turn) -> dict[str, Any]:
    """What the one function says."""
    return json.loads(_printed(lambda: say_json(_as_dict(render_turn(turn, shipped())))))


def channels(handoff: Handoff) -> dict[str, Any]:
    """A hand-over as it goes out."""
    message = HandoffMessage(
        event=HandoffEvent.OPENED,
        tenant="acme",
        kb="docs",
        handoff=handoff,
        occurred_at=datetime(2026, 3, 1, tzinfo=UTC),
    )
    mail = mail_of(message, idempotency_key=KEY, sender="bot@acme.example", recipients=["team@acme.example"])
    return {
        "webhook": payload(message, KEY),
        "slack": slack_message(message, idempotency_key=KEY),
        "mail": mail,
    }


def _as_dict(reply: Reply) -> dict[str, Any]:
    import dataclasses

    return dataclasses.asdict(reply)


def _pieces(events: list[tuple[str, Any]]) -> dict[str, Any]:
    deltas = [data for name, data in events if name == "delta"]
    return {
        "first": deltas[0] if deltas else None,
        "notice": [each["notice"] for each in deltas if "notice" in each],
        "blocks": [each["block"] for each in deltas if "block" in each],
    }


def _printed(print_it: Any) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print_it()
    return out.getvalue()


def _file(turn: Turn) -> ReviewFile:
    session = Session(session_id=turn.session_id, tenant="acme", kb="docs", user="u", created_at=turn.asked_at)
    return ReviewFile(item=None, session=session, turn=turn, earlier=(), quotes=(), pages=(), feedback=None, said=())
