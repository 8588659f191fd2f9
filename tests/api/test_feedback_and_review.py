"""Thumbs and reviews over HTTP."""

from __future__ import annotations

import httpx
import pytest
from calls import ask, assert_problem, bearer, begin
from conftest import client_of
from fake_firstline import FakeFirstline, open_fake

from firstline.domain import Level

DOWN = {"rating": "down", "reason": "wrong", "correction": "It is 5.0, says jane@example.com."}


async def rate(client: httpx.AsyncClient, session: str, turn: int = 1, **options: object) -> httpx.Response:
    given = {"json": DOWN, **options}
    return await client.post(f"/v1/sessions/{session}/turns/{turn}/feedback", **given)  # type: ignore[arg-type]  # httpx's many


async def answered(client: httpx.AsyncClient) -> str:
    session = await begin(client)
    await ask(client, session, "duplicate key")
    return session


async def test_the_newest_feedback_counts_and_is_redacted(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    session = await answered(client)
    for _ in range(2):
        kept = (await rate(client, session)).json()
        assert (kept["turn"], kept["rating"], kept["reason"]) == (1, "down", "wrong")
        assert kept["correction"].startswith("It is 5.0, says ") and "jane@" not in kept["correction"]
    assert (await client.get(f"/v1/sessions/{session}")).json()["ratings"] == {"1": "down"}
    assert (await rate(client, session, json={"rating": "up"})).json()["rating"] == "up"
    assert (await client.get(f"/v1/sessions/{session}")).json()["ratings"] == {"1": "up"}
    (stored,) = await firstline.feedback.ratings(session)
    assert stored.reason is None and stored.correction == ""
    text = (await client.get("/metrics")).text
    assert 'firstline_feedback_total{rating="down",reason="wrong"} 2' in text
    assert 'firstline_feedback_total{rating="up",reason=""} 1' in text


async def test_only_who_asked_may_rate_or_the_team(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    session = await answered(client)
    stranger = {"X-Firstline-User": "somebody"}
    assert_problem(await rate(client, session, headers=stranger), 404, "not_found")
    other_key = bearer(await firstline.token())
    assert_problem(await rate(client, session, headers=other_key), 404, "not_found")
    other_tenant = bearer(await firstline.token(level=Level.INTERNAL, tenant="other"))
    assert_problem(await rate(client, session, headers=other_tenant), 404, "not_found")
    assert await firstline.feedback.ratings(session) == []
    team = bearer(await firstline.token(level=Level.INTERNAL))
    assert (await rate(client, session, headers=team)).status_code == 200
    assert len(await firstline.feedback.ratings(session)) == 1


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"rating": "sideways"},
        {"rating": "down", "reason": "boring"},
        {"rating": "up", "reason": "wrong"},
        {"rating": "down", "correction": "x" * 4_001},
        {"rating": "down", "stars": 5},
    ],
)
async def test_what_is_no_feedback_is_refused(client: httpx.AsyncClient, sent: dict[str, object]) -> None:
    session = await answered(client)
    assert_problem(await rate(client, session, json=sent), 422, "invalid_input")


async def test_a_turn_that_is_not_there(client: httpx.AsyncClient) -> None:
    session = await answered(client)
    assert_problem(await rate(client, session, turn=2), 404, "not_found")
    assert_problem(await rate(client, "nowhere"), 404, "not_found")


async def test_feedback_is_limited_as_messages_are() -> None:
    firstline = await open_fake(rate_session_per_minute=3)
    async with client_of(firstline) as client:
        client.headers.update(bearer(await firstline.token()))
        session = await answered(client)
        codes = [(await rate(client, session)).status_code for _ in range(4)]
    assert codes[:2] == [200, 200] and codes[-1] == 429


async def test_reviews_are_for_internal_keys(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    session = await answered(client)
    assert_problem(await client.get("/v1/review"), 403, "forbidden")
    assert_problem(await client.post(f"/v1/review/{session}.1", json={"verdict": "good"}), 403, "forbidden")
    elsewhere = bearer(await firstline.token(level=Level.INTERNAL, tenant="other"))
    await rate(client, session)
    assert (await client.get("/v1/review", headers=elsewhere)).json() == {"turns": []}
    sent = {"verdict": "good"}
    assert_problem(await client.post(f"/v1/review/{session}.1", json=sent, headers=elsewhere), 404, "not_found")


async def test_a_turn_is_reviewed_by_one_person(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    session = await answered(client)
    await ask(client, session, "unsure about keys")
    await rate(client, session)
    ann, bob = [bearer(await firstline.token(level=Level.INTERNAL, name=name)) for name in ("ann", "bob")]
    (mine,) = (await client.get("/v1/review", headers=ann)).json()["turns"]
    assert (mine["turn"], mine["reasons"], mine["question"]) == (f"{session}.1", ["disliked"], "duplicate key")
    assert mine["feedback"]["reason"] == "wrong" and "jane@" not in str(mine)
    assert mine["quotes"][0]["text"].startswith("A duplicate key means")
    assert {(page["doc_id"], page["cited"]) for page in mine["pages"]} == {("keys.md", True)}
    assert mine["gates"] == ["are the pages found about this question: 0.90, needed 0.50, passed"]
    assert (await client.get("/v1/review", headers=ann)).json()["turns"] == [mine]
    (theirs,) = (await client.get("/v1/review?limit=5", headers=bob)).json()["turns"]
    assert (theirs["turn"], theirs["reasons"]) == (f"{session}.2", ["unsure"])
    assert [one["question"] for one in theirs["earlier"]] == ["duplicate key"]

    path = f"/v1/review/{session}.1"
    sent = {"verdict": "wrong", "docs": ["note.md"], "reference": "Ask jane@example.com."}
    assert_problem(await client.post(path, json=sent, headers=bob), 409, "conflict")
    assert_problem(await client.post(path, json={**sent, "docs": ["gone.md"]}, headers=ann), 422, "invalid_input")
    judged = (await client.post(path, json=sent, headers=ann)).json()["judgement"]
    assert (judged["verdict"], judged["docs"], judged["snapshot"]) == ("wrong", ["note.md"], 1)
    assert judged["by"] and "jane@" not in judged["reference"]
    skipped = (await client.post(f"/v1/review/{session}.2", json={"verdict": "skip"}, headers=bob)).json()
    assert skipped == {"turn": f"{session}.2", "judgement": None}
    assert (await client.get("/v1/review", headers=bob)).json() == {"turns": []}
    (left,) = (await client.get("/v1/review", headers=ann)).json()["turns"]
    assert left["turn"] == f"{session}.2"


@pytest.mark.parametrize("turn", ["x", "1", ".1", "a.b", "nowhere.1"])
async def test_names_that_name_no_turn(firstline: FakeFirstline, client: httpx.AsyncClient, turn: str) -> None:
    ann = bearer(await firstline.token(level=Level.INTERNAL))
    response = await client.post(f"/v1/review/{turn}", json={"verdict": "good"}, headers=ann)
    assert response.status_code in (404, 422) and "review --list" in response.json()["remedy"]
