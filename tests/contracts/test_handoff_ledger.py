"""What every HandoffLedger promises."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from ledger_samples import KB, NOON, Ledgers, escalated, handoff, session

from firstline.domain import DraftState, DraftTicket, Handoff, HandoffAct, HandoffState
from firstline.errors import Conflict, FirstlineError, InvalidInput, NotFound

ANN, BOB = "ann", "bob"


async def handed_over(ledgers: Ledgers, tenant: str) -> Handoff:
    own = session(tenant)
    await ledgers.conversations.create_session(own)
    handed = handoff(own.session_id)
    await ledgers.conversations.append_turn(escalated(handed, 1), handed)
    return handed


async def act(
    ledgers: Ledgers, handed: Handoff, tenant: str, does: HandoffAct, *, by: str = ANN, text: str = "So.", **more: bool
) -> Handoff:
    changed, _ = await ledgers.handoffs.act(
        handed.handoff_id, tenant=tenant, act=does, by=by, at=NOON, text=text, **more
    )
    return changed


def draft(handed: Handoff, tenant: str, *, minutes: int = 0) -> DraftTicket:
    return DraftTicket(
        draft_id=handed.handoff_id,
        tenant=tenant,
        kb=KB,
        title="It fails",
        symptom="It fails with \x00 E1.",
        resolution="Restart it.",
        state=DraftState.DRAFT,
        created_at=NOON + timedelta(minutes=minutes),
    )


async def test_a_handoff_from_open_to_resolved(ledgers: Ledgers, tenant: str) -> None:
    handed = await handed_over(ledgers, tenant)
    taken = await act(ledgers, handed, tenant, HandoffAct.TAKE, text="")
    assert taken == replace(handed, state=HandoffState.ACKNOWLEDGED, owner=ANN)
    replied = await act(ledgers, handed, tenant, HandoffAct.REPLY, text="Which version?")
    assert replied == replace(taken, state=HandoffState.IN_PROGRESS)
    assert await act(ledgers, handed, tenant, HandoffAct.NOTE, by=BOB, text="I know this one.") == replied
    resolved = await act(ledgers, handed, tenant, HandoffAct.RESOLVE, text="A newer driver.")
    assert resolved == replace(replied, state=HandoffState.RESOLVED, resolution="A newer driver.")
    assert await ledgers.conversations.handoff(handed.handoff_id, tenant=tenant) == resolved
    assert await ledgers.conversations.open_handoff(handed.session_id) is None

    entries = await ledgers.handoffs.events(handed.handoff_id, tenant=tenant)
    assert [(one.number, one.act, one.by, one.text, one.before, one.after, one.owner_before) for one in entries] == [
        (1, HandoffAct.TAKE, ANN, "", HandoffState.OPEN, HandoffState.ACKNOWLEDGED, None),
        (2, HandoffAct.REPLY, ANN, "Which version?", HandoffState.ACKNOWLEDGED, HandoffState.IN_PROGRESS, ANN),
        (3, HandoffAct.NOTE, BOB, "I know this one.", HandoffState.IN_PROGRESS, HandoffState.IN_PROGRESS, ANN),
        (4, HandoffAct.RESOLVE, ANN, "A newer driver.", HandoffState.IN_PROGRESS, HandoffState.RESOLVED, ANN),
    ]
    said = await ledgers.handoffs.said(handed.session_id)
    assert said == [entries[1], entries[3]], "the customer hears of no note"
    assert await ledgers.handoffs.said("another") == []
    assert await ledgers.handoffs.said(handed.session_id, after=(handed.handoff_id, 1)) == said
    assert await ledgers.handoffs.said(handed.session_id, after=(handed.handoff_id, 2)) == said[1:]
    assert await ledgers.handoffs.said(handed.session_id, after=(handed.handoff_id, 4)) == []
    assert await ledgers.handoffs.said(handed.session_id, after=("unknown", 2)) == said
    assert await ledgers.handoffs.events(handed.handoff_id, tenant="another") == []


async def test_a_conversation_of_any_length_is_followed_to_its_end(
    ledgers: Ledgers, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for engine in ("memory", "postgres"):
        monkeypatch.setattr(f"firstline.engines.{engine}.handoffs.EVENTS_READ_MAX", 3)
    handed = await handed_over(ledgers, tenant)
    await act(ledgers, handed, tenant, HandoffAct.TAKE)
    for number in range(2, 9):
        await act(ledgers, handed, tenant, HandoffAct.REPLY, text=f"{number}")

    async def numbers(after: int | None) -> list[int]:
        place = None if after is None else (handed.handoff_id, after)
        return [entry.number for entry in await ledgers.handoffs.said(handed.session_id, after=place)]

    assert await numbers(None) == [6, 7, 8], "the newest"
    assert await numbers(1) == [2, 3, 4], "the next ones, and none is passed over"
    assert await numbers(7) == [8]


@pytest.mark.parametrize("does", [HandoffAct.REPLY, HandoffAct.RESOLVE, HandoffAct.RETURN])
async def test_only_the_owner_moves_it_on(ledgers: Ledgers, tenant: str, does: HandoffAct) -> None:
    handed = await handed_over(ledgers, tenant)
    with pytest.raises(Conflict, match="nobody has taken"):
        await act(ledgers, handed, tenant, does)
    taken = await act(ledgers, handed, tenant, HandoffAct.TAKE)
    with pytest.raises(Conflict, match=f"{ANN} has this") as refused:
        await act(ledgers, handed, tenant, does, by=BOB)
    assert "--force" in refused.value.remedy
    assert await ledgers.conversations.handoff(handed.handoff_id, tenant=tenant) == taken
    assert len(await ledgers.handoffs.events(handed.handoff_id, tenant=tenant)) == 1


async def test_taking_over_is_explicit_and_recorded(ledgers: Ledgers, tenant: str) -> None:
    handed = await handed_over(ledgers, tenant)
    await act(ledgers, handed, tenant, HandoffAct.TAKE)
    await act(ledgers, handed, tenant, HandoffAct.REPLY)
    with pytest.raises(Conflict):
        await act(ledgers, handed, tenant, HandoffAct.TAKE, by=BOB)
    assert await act(ledgers, handed, tenant, HandoffAct.TAKE) == await act(ledgers, handed, tenant, HandoffAct.TAKE)
    taken = await act(ledgers, handed, tenant, HandoffAct.TAKE, by=BOB, force=True)
    assert (taken.owner, taken.state) == (BOB, HandoffState.IN_PROGRESS)
    last = (await ledgers.handoffs.events(handed.handoff_id, tenant=tenant))[-1]
    assert (last.number, last.by, last.owner_before) == (3, BOB, ANN)
    with pytest.raises(Conflict):
        await act(ledgers, handed, tenant, HandoffAct.REPLY)


@pytest.mark.parametrize("closing", [HandoffAct.RESOLVE, HandoffAct.RETURN])
@pytest.mark.parametrize("does", [does for does in HandoffAct if does is not HandoffAct.NOTE])
async def test_what_is_closed_stays_closed(
    ledgers: Ledgers, tenant: str, closing: HandoffAct, does: HandoffAct
) -> None:
    handed = await handed_over(ledgers, tenant)
    await act(ledgers, handed, tenant, HandoffAct.TAKE)
    closed = await act(ledgers, handed, tenant, closing)
    with pytest.raises(Conflict, match="cannot be"):
        await act(ledgers, handed, tenant, does, force=True)
    assert await act(ledgers, handed, tenant, HandoffAct.NOTE, by=BOB) == closed


@pytest.mark.parametrize("does", [HandoffAct.REPLY, HandoffAct.NOTE, HandoffAct.RESOLVE])
async def test_some_acts_need_a_text(ledgers: Ledgers, tenant: str, does: HandoffAct) -> None:
    handed = await handed_over(ledgers, tenant)
    await act(ledgers, handed, tenant, HandoffAct.TAKE)
    with pytest.raises(InvalidInput, match="needs a text"):
        await act(ledgers, handed, tenant, does, text=" \n")


async def test_of_many_that_take_it_one_gets_it(ledgers: Ledgers, tenant: str) -> None:
    handed = await handed_over(ledgers, tenant)
    results = await asyncio.gather(
        *(act(ledgers, handed, tenant, HandoffAct.TAKE, by=f"person {number}") for number in range(8)),
        return_exceptions=True,
    )
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 7 + ["Handoff"]
    assert len(await ledgers.handoffs.events(handed.handoff_id, tenant=tenant)) == 1


async def test_everything_stays_inside_its_tenant(ledgers: Ledgers, tenant: str) -> None:
    handed = await handed_over(ledgers, tenant)
    for where, which in (("another", handed.handoff_id), (tenant, "unknown"), (tenant, "\x00")):
        with pytest.raises(NotFound):
            await ledgers.handoffs.act(which, tenant=where, act=HandoffAct.TAKE, by=ANN, at=NOON)
        assert await ledgers.handoffs.session_of(which, tenant=where) is None
        assert await ledgers.handoffs.draft(which, tenant=where) is None
        with pytest.raises(NotFound):
            await ledgers.handoffs.settle_draft(which, tenant=where, state=DraftState.DISCARDED)
    own = await ledgers.handoffs.session_of(handed.handoff_id, tenant=tenant)
    assert own is not None and (own.session_id, own.kb) == (handed.session_id, KB)


async def test_a_draft_comes_with_the_resolution_or_not_at_all(ledgers: Ledgers, tenant: str) -> None:
    handed = await handed_over(ledgers, tenant)
    made = draft(handed, tenant)
    await act(ledgers, handed, tenant, HandoffAct.TAKE)
    with pytest.raises(Conflict):
        await ledgers.handoffs.act(
            handed.handoff_id, tenant=tenant, act=HandoffAct.RESOLVE, by=BOB, at=NOON, text="So.", draft=made
        )
    assert await ledgers.handoffs.drafts(tenant=tenant, limit=9) == []
    await ledgers.handoffs.act(
        handed.handoff_id, tenant=tenant, act=HandoffAct.RESOLVE, by=ANN, at=NOON, text="So.", draft=made
    )
    (kept,) = await ledgers.handoffs.drafts(tenant=tenant, limit=9)
    assert kept in (made, replace(made, symptom=made.symptom.replace("\x00", "\ufffd")))
    assert await ledgers.handoffs.draft(made.draft_id, tenant=tenant) == kept
    assert await ledgers.handoffs.drafts(tenant="another", limit=9) == []


async def test_a_draft_is_settled_once(ledgers: Ledgers, tenant: str) -> None:
    drafts: list[DraftTicket] = []
    for minutes in (0, 1, 2):
        handed = await handed_over(ledgers, tenant)
        await act(ledgers, handed, tenant, HandoffAct.TAKE)
        made = replace(draft(handed, tenant, minutes=minutes), symptom="It fails.")
        await ledgers.handoffs.act(
            handed.handoff_id, tenant=tenant, act=HandoffAct.RESOLVE, by=ANN, at=NOON, text="So.", draft=made
        )
        drafts.append(made)
    assert await ledgers.handoffs.drafts(tenant=tenant, limit=2) == [drafts[2], drafts[1]]
    published = await ledgers.handoffs.settle_draft(
        drafts[0].draft_id, tenant=tenant, state=DraftState.PUBLISHED, doc_id="handoffs/1", snapshot=4
    )
    assert published == replace(drafts[0], state=DraftState.PUBLISHED, doc_id="handoffs/1", snapshot=4)
    assert await ledgers.handoffs.draft(drafts[0].draft_id, tenant=tenant) == published
    await ledgers.handoffs.settle_draft(drafts[1].draft_id, tenant=tenant, state=DraftState.DISCARDED)
    for settled in drafts[:2]:
        with pytest.raises(FirstlineError, match="already"):
            await ledgers.handoffs.settle_draft(settled.draft_id, tenant=tenant, state=DraftState.DISCARDED)
    assert await ledgers.handoffs.drafts(tenant=tenant, limit=9) == [drafts[2]]


async def test_another_tenant_settles_no_draft_and_reads_none(ledgers: Ledgers, tenant: str) -> None:
    handed = await handed_over(ledgers, tenant)
    await act(ledgers, handed, tenant, HandoffAct.TAKE)
    made = replace(draft(handed, tenant), symptom="It fails.")
    await ledgers.handoffs.act(
        handed.handoff_id, tenant=tenant, act=HandoffAct.RESOLVE, by=ANN, at=NOON, text="So.", draft=made
    )
    for state in (DraftState.DISCARDED, DraftState.PUBLISHED):
        with pytest.raises(NotFound):
            await ledgers.handoffs.settle_draft(made.draft_id, tenant="another", state=state)
    assert await ledgers.handoffs.draft(made.draft_id, tenant="another") is None
    assert await ledgers.handoffs.draft(made.draft_id, tenant=tenant) == made, "it still waits"
    assert await ledgers.conversations.handoff(handed.handoff_id, tenant="another") is None
    assert await ledgers.conversations.handoffs(tenant="another", limit=9) == []
