"""Hand-overs over HTTP: the team's side, and what the customer sees of it."""

from __future__ import annotations

import httpx
from calls import ask, ask_streamed, assert_problem, bearer, begin
from fake_firstline import FakeFirstline

from firstline.domain import Level


async def test_handoffs_are_for_internal_keys(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    handoff_id = (await ask(client, await begin(client), "a person")).json()["reply"]["handoff_id"]
    for path in ("", f"/{handoff_id}", f"/{handoff_id}/transcript", "/drafts"):
        assert_problem(await client.get(f"/v1/handoffs{path}"), 403, "forbidden")
    for act in ("take", "reply", "note", "resolve", "return"):
        assert_problem(
            await client.post(f"/v1/handoffs/{handoff_id}/{act}", json={"text": "x"} if act != "take" else {}),
            403,
            "forbidden",
        )
    elsewhere = bearer(await firstline.token(level=Level.INTERNAL, tenant="other"))
    assert (await client.get("/v1/handoffs", headers=elsewhere)).json() == {"handoffs": []}
    for path in ("", "/transcript"):
        assert_problem(await client.get(f"/v1/handoffs/{handoff_id}{path}", headers=elsewhere), 404, "not_found")
    assert_problem(await client.post(f"/v1/handoffs/{handoff_id}/take", headers=elsewhere), 404, "not_found")


async def test_a_handoff_goes_its_way_and_the_customer_hears_of_it(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    session = await begin(client)
    handoff_id = (await ask(client, session, "a person")).json()["reply"]["handoff_id"]
    ann, bob = [bearer(await firstline.token(level=Level.INTERNAL, name=name)) for name in ("ann", "bob")]
    path = f"/v1/handoffs/{handoff_id}"

    listed = (await client.get("/v1/handoffs?state=open", headers=ann)).json()["handoffs"]
    assert [(each["handoff_id"], each["reason"], each["owner"]) for each in listed] == [
        (handoff_id, "user_asked", None)
    ]
    assert_problem(await client.post(f"{path}/resolve", json={"text": "Done."}, headers=ann), 409, "conflict")
    taken = (await client.post(f"{path}/take", headers=ann)).json()
    assert taken["state"] == "acknowledged" and taken["owner"]
    assert (await client.get(f"/v1/sessions/{session}/person")).json() == {"said": [], "person_has_it": True}
    assert_problem(await client.post(f"{path}/reply", json={"text": "Hi."}, headers=bob), 409, "conflict")
    assert_problem(await client.post(f"{path}/take", headers=bob), 409, "conflict")
    assert_problem(await client.post(f"{path}/reply", json={"text": "  "}, headers=ann), 422, "invalid_input")
    await client.post(f"{path}/note", json={"text": "Look at the disk of jane@example.com."}, headers=bob)
    replied = await client.post(f"{path}/reply", json={"text": "Mail jane@example.com, please."}, headers=ann)
    assert replied.json()["state"] == "in_progress"

    shown = (await client.get(f"/v1/sessions/{session}")).json()["said"]
    assert [one["act"] for one in shown] == ["reply"]
    assert shown[0]["text"].startswith("Mail ") and "jane@" not in shown[0]["text"]
    assert_problem(await client.post(f"{path}/resolve", json={}, headers=ann), 422, "invalid_input")
    assert (await client.post(f"{path}/resolve", json={"text": "A disk."}, headers=ann)).json()["state"] == "resolved"
    after = (await client.get(f"/v1/sessions/{session}/person?after={shown[0]['id']}")).json()
    assert after["person_has_it"] is False
    assert [one["act"] for one in after["said"]] == ["resolve"] and "A disk" not in after["said"][0]["text"]
    assert_problem(await client.get(f"/v1/sessions/{session}/person?after=1"), 422, "invalid_input")
    stranger = {"X-Firstline-User": "somebody"}
    assert_problem(await client.get(f"/v1/sessions/{session}/person", headers=stranger), 404, "not_found")

    found = (await client.get(path, headers=bob)).json()
    assert [entry["act"] for entry in found["entries"]] == ["take", "note", "reply", "resolve"]
    assert found["handoff"]["resolution"] == "A disk."
    lines = (await client.get(f"{path}/transcript", headers=bob)).json()["lines"]
    assert [line["who"] for line in lines] == ["customer", "bot", "team", "team", "person", "team"]
    assert "jane@" not in str(lines) and lines[0]["text"] == "a person"


async def test_a_stream_brings_what_the_person_said_meanwhile(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    session = await begin(client)
    handoff_id = (await ask(client, session, "a person")).json()["reply"]["handoff_id"]
    ann = bearer(await firstline.token(level=Level.INTERNAL))
    await client.post(f"/v1/handoffs/{handoff_id}/take", headers=ann)
    await client.post(f"/v1/handoffs/{handoff_id}/reply", json={"text": "Which version?"}, headers=ann)
    events, _ = await ask_streamed(client, session, "Version 4.2")
    assert [data["text"] for name, data in events if name == "person"] == ["Which version?"]
    assert events[-1][0] == "final" and events[-1][1]["reply"]["outcome"] == "silent"
    events, _ = await ask_streamed(client, session, "Hello?")
    assert [name for name, _ in events if name == "person"] == [], "each is told once"


async def test_taking_over_needs_force(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    handoff_id = (await ask(client, await begin(client), "a person")).json()["reply"]["handoff_id"]
    ann, bob = [bearer(await firstline.token(level=Level.INTERNAL, name=name)) for name in ("ann", "bob")]
    first = (await client.post(f"/v1/handoffs/{handoff_id}/take", headers=ann)).json()
    second = await client.post(f"/v1/handoffs/{handoff_id}/take", json={"force": True}, headers=bob)
    assert second.json()["owner"] not in (None, first["owner"])
    entries = (await client.get(f"/v1/handoffs/{handoff_id}", headers=ann)).json()["entries"]
    assert entries[-1]["owner_before"] == first["owner"]


async def test_a_draft_waits_for_its_review(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    handoff_id = (await ask(client, await begin(client), "a person")).json()["reply"]["handoff_id"]
    client.headers.update(bearer(await firstline.token(level=Level.INTERNAL)))
    await client.post(f"/v1/handoffs/{handoff_id}/take")
    await client.post(f"/v1/handoffs/{handoff_id}/resolve", json={"text": "Restart it."})
    (draft,) = (await client.get("/v1/handoffs/drafts")).json()["drafts"]
    assert (draft["draft_id"], draft["resolution"], draft["state"]) == (handoff_id, "Restart it.", "draft")
    path = f"/v1/handoffs/drafts/{handoff_id}"
    assert_problem(await client.post(f"{path}/publish", json={"level": "restricted"}), 403, "forbidden")
    assert_problem(await client.post(f"{path}/publish", json={"level": "all"}), 422, "invalid_input")
    for acl in ([], [""], ["x" * 201], ["x"] * 101):
        assert_problem(await client.post(f"{path}/publish", json={"acl": acl}), 422, "invalid_input")
    assert (await client.post(f"{path}/discard")).json()["state"] == "discarded"
    assert_problem(await client.post(f"{path}/discard"), 409, "conflict")
    assert (await client.get("/v1/handoffs/drafts")).json() == {"drafts": []}


async def test_metrics_count_handoffs_and_their_steps(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    handoff_id = (await ask(client, await begin(client), "a person")).json()["reply"]["handoff_id"]
    client.headers.update(bearer(await firstline.token(level=Level.INTERNAL)))
    for act, body in (("take", {}), ("take", {}), ("note", {"text": "x"}), ("reply", {"text": "x"}), ("return", {})):
        assert (await client.post(f"/v1/handoffs/{handoff_id}/{act}", json=body)).status_code == 200
    text = (await client.get("/metrics")).text
    assert 'firstline_handoffs_total{reason="user_asked"} 1' in text
    moves = [line for line in text.splitlines() if line.startswith("firstline_handoff_moves_total{")]
    assert moves == [
        'firstline_handoff_moves_total{from="acknowledged",to="in_progress"} 1',
        'firstline_handoff_moves_total{from="in_progress",to="returned"} 1',
        'firstline_handoff_moves_total{from="open",to="acknowledged"} 1',
    ]
