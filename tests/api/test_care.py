"""`/v1/faq` and `/v1/gaps`: for the team alone, within tenant and knowledge base; hidden pages are not named."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from fake_firstline import FakeFirstline

from firstline.domain import Level

WANTED = {"question": "Which port does it use?", "answer": "It listens on port 27100.", "owner": "docs team"}
VIEWS = ["", "/suggestions", "/stale", "/duplicates"]


async def signed(client: httpx.AsyncClient, firstline: FakeFirstline, level: Level, **given: Any) -> None:
    client.headers["Authorization"] = f"Bearer {await firstline.token(level=level, **given)}"


@pytest.fixture
async def team(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> httpx.AsyncClient:
    await signed(anonymous, firstline, Level.INTERNAL)
    return anonymous


async def ask(client: httpx.AsyncClient, question: str) -> dict[str, Any]:
    made = (await client.post("/v1/sessions")).json()
    sent = await client.post(f"/v1/sessions/{made['session_id']}/messages", json={"text": question})
    return sent.json()


async def test_customers_and_strangers_see_nothing_of_it(client: httpx.AsyncClient, firstline: FakeFirstline) -> None:
    for path in [*(f"/v1/gaps{view}" for view in VIEWS), "/v1/faq", "/v1/faq/keys.md"]:
        assert (await client.get(path)).status_code == 403
    assert (await client.post("/v1/faq", json=WANTED)).status_code == 403
    assert (await client.patch("/v1/faq/keys.md", json={"owner": "x"})).status_code == 403
    assert (await client.delete("/v1/faq/keys.md")).status_code == 403
    client.headers.pop("Authorization")
    assert (await client.get("/v1/gaps")).status_code == 401


async def test_an_answer_from_writing_to_removal(team: httpx.AsyncClient, firstline: FakeFirstline) -> None:
    made = await team.post("/v1/faq", json={**WANTED, "cites": ["keys.md"], "expires": "90d"})
    assert made.status_code == 201, made.text
    taken = made.json()
    assert taken["published"] and taken["waits"] == ""
    path = f"/v1/faq/{taken['doc_id']}"
    shown = (await team.get(path)).json()
    assert shown["answer"].strip() == WANTED["answer"] and shown["state"] == "live"
    # As narrow as the page that it rests on.
    assert (shown["level"], shown["acl"], shown["cites"]) == ("customer", ["everyone"], ["keys.md"])
    changed = (await team.patch(path, json={"owner": "another", "expires": "never"})).json()
    assert (changed["owner"], changed["expires_at"], changed["cites"]) == ("another", None, ["keys.md"])
    assert (await team.patch(path, json={"expires": "now"})).json()["state"] == "expired"
    assert "firstline_faq_expired 1" in (await team.get("/metrics")).text
    listed = (await team.get("/v1/faq", params={"owner": "another"})).json()["answers"]
    assert [one["state"] for one in listed] == ["expired"]
    assert (await team.get("/v1/faq", params={"owner": "nobody"})).json()["answers"] == []
    assert (await team.delete(path)).status_code == 200
    assert (await team.get(path)).status_code == 404


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({"cites": ["nowhere.md"]}, 404),
        ({"level": "restricted"}, 403),
        ({"level": "secret"}, 422),
        ({"expires": "soon"}, 422),
        ({"expires": "2001-01-01"}, 422),
        ({"cites": ["note.md"], "level": "public"}, 422),
        ({"acl": []}, 422),
        ({"answer": ""}, 422),
        ({"unknown": 1}, 422),
    ],
)
async def test_what_is_refused(team: httpx.AsyncClient, wanted: dict[str, Any], status: int) -> None:
    refused = await team.post("/v1/faq", json={**WANTED, **wanted})
    assert refused.status_code in (status, 400) and refused.json()["remedy"]
    assert (await team.get("/v1/faq")).json()["answers"] == []


async def test_a_key_sees_its_own_tenant_and_knowledge_base_alone(
    team: httpx.AsyncClient, firstline: FakeFirstline
) -> None:
    doc_id = (await team.post("/v1/faq", json=WANTED)).json()["doc_id"]
    await ask(team, "I want a person for which keys?")
    await ask(team, "which of these keys?")
    assert (await team.get("/v1/gaps")).json()["turns"] == 2
    for elsewhere in ({"tenant": "other"}, {"kb": "other"}):
        await signed(team, firstline, Level.RESTRICTED, **elsewhere)
        assert (await team.get("/v1/faq")).json()["answers"] == []
        assert (await team.get(f"/v1/faq/{doc_id}")).status_code == 404
        assert (await team.patch(f"/v1/faq/{doc_id}", json={"owner": "x"})).status_code == 404
        assert (await team.delete(f"/v1/faq/{doc_id}")).status_code == 404
        for view in VIEWS:
            assert "keys" not in (await team.get(f"/v1/gaps{view}")).text
        assert (await team.get("/v1/gaps")).json()["turns"] == 0


async def test_gaps_name_pages_and_are_counted(team: httpx.AsyncClient, firstline: FakeFirstline) -> None:
    for _ in range(2):
        await ask(team, "which of these keys?")
    await ask(team, "unsure of locks")
    found = (await team.get("/v1/gaps", params={"since": "1d", "limit": 1})).json()
    assert (found["turns"], found["unanswered"], len(found["gaps"])) == (3, 3, 1)
    gap = found["gaps"][0]
    assert (gap["turns"], gap["sessions"], gap["became"]) == (2, 2, {"asked_back": 2})
    assert [page["doc_id"] for page in gap["nearest"]] == ["keys.md"] and gap["trend"] == "new"
    assert "firstline_gap_clusters 1" in (await team.get("/metrics")).text
    # A key that may not see the page is not told of it.
    await signed(team, firstline, Level.INTERNAL, acl_tags=["others"])
    found = await team.get("/v1/gaps")
    assert found.json()["gaps"] and "keys.md" not in found.text


async def test_drafts_are_accepted_by_writing_them(team: httpx.AsyncClient) -> None:
    for _ in range(3):
        await ask(team, "duplicate keys")
    (draft,) = (await team.get("/v1/gaps/suggestions")).json()["suggestions"]
    assert (draft["turns"], draft["sessions"], draft["cites"], draft["level"]) == (3, 3, ["keys.md"], "customer")
    given = {name: draft[name] for name in ("question", "answer", "cites", "level", "acl")}
    assert (await team.post("/v1/faq", json={**given, "owner": "docs team"})).status_code == 201
    assert (await team.get("/v1/gaps/suggestions")).json()["suggestions"] == []


async def test_one_looks_at_a_time(team: httpx.AsyncClient, firstline: FakeFirstline) -> None:
    answers = await asyncio.gather(*(team.get("/v1/gaps") for _ in range(4)))
    codes = sorted(answer.status_code for answer in answers)
    assert codes[0] == 200 and set(codes) <= {200, 429}
    assert (await team.get("/v1/gaps")).status_code == 200


@pytest.mark.parametrize("params", [{"since": "soon"}, {"limit": 0}, {"limit": 101}, {"since": "x" * 41}])
async def test_what_is_no_time_or_number(team: httpx.AsyncClient, params: dict[str, Any]) -> None:
    assert (await team.get("/v1/gaps", params=params)).status_code in (400, 422)


async def test_a_long_answer_fits_and_a_longer_one_is_refused(team: httpx.AsyncClient) -> None:
    text = ("Run it again, and wait. " * 834)[:20_000]
    assert (await team.post("/v1/faq", json={**WANTED, "answer": text})).status_code == 201
    refused = await team.post("/v1/faq", json={**WANTED, "answer": text + "x"})
    assert refused.status_code in (400, 422)
    assert (await team.post("/v1/faq", json={**WANTED, "answer": "é" * 200_000})).status_code == 413


async def test_who_may_not_see_an_answer_neither_replaces_it_nor_is_told_of_it(
    team: httpx.AsyncClient, firstline: FakeFirstline
) -> None:
    await signed(team, firstline, Level.RESTRICTED)
    made = await team.post("/v1/faq", json={**WANTED, "level": "restricted"})
    assert made.status_code == 201, made.text
    path = f"/v1/faq/{made.json()['doc_id']}"
    await signed(team, firstline, Level.INTERNAL)
    refused = await team.post("/v1/faq", json={**WANTED, "answer": "Another one."})
    assert refused.status_code == 409 and made.json()["doc_id"] not in refused.text
    assert (await team.get(path)).status_code == 404
    await signed(team, firstline, Level.RESTRICTED)
    assert (await team.get(path)).json()["answer"].strip() == WANTED["answer"]


@pytest.mark.parametrize("since", ["2999-01-01", "0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00", "soon"])
async def test_a_beginning_that_is_none_is_refused(team: httpx.AsyncClient, since: str) -> None:
    for view in ("", "/suggestions", "/stale"):
        assert (await team.get(f"/v1/gaps{view}", params={"since": since})).status_code == 422
