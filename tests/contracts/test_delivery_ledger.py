"""What every DeliveryLedger promises, and what the conversation ledger writes into it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ledger_samples import KB, NOON, escalated, handoff, session, turn

from firstline.domain import Delivery, DeliveryState, Handoff, HandoffAct, HandoffEvent, Mood
from firstline.engines.memory.deliveries import MemoryDeliveryLedger
from firstline.engines.memory.handoffs import MemoryHandoffLedger
from firstline.engines.memory.ledger import MemoryConversationLedger
from firstline.engines.postgres import open_postgres
from firstline.errors import Conflict
from firstline.ports import ConversationLedger, DeliveryLedger, HandoffLedger

LEASE_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Out:
    """`elsewhere` is the delivery ledger as another process sees it. Channels have names of this test alone: one
    database serves them all."""

    conversations: ConversationLedger
    handoffs: HandoffLedger
    deliveries: DeliveryLedger
    elsewhere: DeliveryLedger
    webhook: str
    mail: str
    tenant: str

    async def hand_over(self, tenant: str = "", *, number: int = 1, handed: Handoff | None = None) -> Handoff:
        """A turn of a new session, handed over; or a further turn with this hand-over."""
        if handed is None:
            own = session(tenant or self.tenant)
            await self.conversations.create_session(own)
            handed = handoff(own.session_id)
        await self.conversations.append_turn(escalated(handed, number), handed)
        return handed

    async def all(self) -> list[Delivery]:
        """Oldest first."""
        return (await self.deliveries.deliveries(tenant=self.tenant, limit=100))[::-1]

    async def only(self) -> Delivery:
        """The delivery by webhook, of which there is one."""
        (found,) = [one for one in await self.all() if one.channel == self.webhook]
        return found


@pytest.fixture(params=["memory", "postgres"])
async def out(request: pytest.FixtureRequest, tmp_path: Path, tenant: str) -> AsyncGenerator[Out]:
    webhook, mail = f"webhook-{uuid.uuid4().hex}", f"mail-{uuid.uuid4().hex}"
    if request.param == "memory":
        deliveries = MemoryDeliveryLedger((webhook, mail))
        conversations = MemoryConversationLedger(outbox=deliveries)
        yield Out(
            conversations=conversations,
            handoffs=MemoryHandoffLedger(conversations),
            deliveries=deliveries,
            elsewhere=deliveries,
            webhook=webhook,
            mail=mail,
            tenant=tenant,
        )
        return
    url: str = request.getfixturevalue("postgres_url")
    async with (
        open_postgres(data_folder=tmp_path, database_url=url, channels=(webhook, mail)) as here,
        open_postgres(data_folder=tmp_path, database_url=url) as there,
    ):
        yield Out(
            conversations=here.conversations,
            handoffs=here.handoffs,
            deliveries=here.deliveries,
            elsewhere=there.deliveries,
            webhook=webhook,
            mail=mail,
            tenant=tenant,
        )


async def claim(out: Out, *, limit: int = 10, lease_s: float = LEASE_S) -> list[Delivery]:
    return await out.deliveries.claim(out.webhook, limit=limit, lease_s=lease_s)


async def test_a_hand_over_is_written_once_per_channel_with_its_turn(out: Out) -> None:
    before = datetime.now(UTC) - timedelta(seconds=5)
    handed = await out.hand_over()
    written = await out.all()
    assert {one.channel for one in written} == {out.webhook, out.mail}
    assert len({one.delivery_id for one in written}) == len(written) == 2
    for one in written:
        assert one.message.handoff == handed
        assert (one.message.event, one.message.tenant, one.message.kb) == (HandoffEvent.OPENED, out.tenant, KB)
        assert (one.state, one.attempts, one.problem, one.finished_at) == (DeliveryState.PENDING, 0, "", None)
        assert before < one.created_at <= datetime.now(UTC) + timedelta(seconds=5)


async def test_a_turn_that_is_refused_leaves_no_delivery(out: Out) -> None:
    handed = await out.hand_over()
    other = handoff(handed.session_id)
    with pytest.raises(Conflict):
        await out.conversations.append_turn(escalated(other, 1), other)
    assert {one.message.handoff.handoff_id for one in await out.all()} == {handed.handoff_id}


async def test_a_card_told_anew_without_news_is_not_sent_again(out: Out) -> None:
    handed = await out.hand_over()
    again = replace(handed, turn=2, entities=("upgrade", "5.0"), measured="unsure 0.50, needed 0.86")
    again = replace(again, summary=f"{handed.summary}\nLatest: and one word more", next_step="Ask for the platform.")
    await out.hand_over(handed=again, number=2)
    assert [one.message.event for one in await out.all() if one.channel == out.mail] == [HandoffEvent.OPENED]
    kept = await out.conversations.handoff(handed.handoff_id, tenant=out.tenant)
    assert kept == again, "who opens the card reads all of it"
    for number, news in enumerate(
        (
            replace(again, question="Is there a fix?"),
            replace(again, question="Is there a fix?", summary="Problem: It fails.\nError: LK1205"),
            replace(again, question="Is there a fix?", summary="Problem: It fails.\nError: LK1205", mood=Mood.NEUTRAL),
        ),
        start=3,
    ):
        await out.hand_over(handed=news, number=number)
        newest = [one for one in await out.all() if one.channel == out.mail][-1]
        assert (newest.message.event, newest.message.handoff) == (HandoffEvent.UPDATED, news)


async def test_the_keys_of_one_hand_over_begin_alike(out: Out) -> None:
    handed = await out.hand_over()
    await out.hand_over(handed=replace(handed, question="And now?"), number=2)
    keys = [one.delivery_id for one in await out.all()]
    assert len(set(keys)) == 4 and all(key.startswith(f"{handed.handoff_id}.") for key in keys)


async def test_what_follows_knows_the_thread_of_what_arrived_first(out: Out) -> None:
    handed = await out.hand_over()
    (opened,) = await claim(out)
    assert opened.message.thread == ""
    await out.deliveries.delivered(opened.delivery_id, thread="1700000000.000100")
    await out.hand_over(handed=replace(handed, question="And now?"), number=2)
    (second,) = await claim(out)
    assert second.message.thread == "1700000000.000100"
    await out.deliveries.delivered(second.delivery_id, thread="1700000009.000100")
    await out.hand_over(handed=replace(handed, question="And then?"), number=3)
    (third,) = await claim(out)
    assert third.message.thread == "1700000000.000100", "the first one's"
    (mail, *_) = await out.deliveries.claim(out.mail, limit=9, lease_s=LEASE_S)
    assert mail.message.thread == "", "a channel's own"


async def test_a_turn_without_a_hand_over_sends_nothing(out: Out) -> None:
    own = session(out.tenant)
    await out.conversations.create_session(own)
    await out.conversations.append_turn(turn(own.session_id, 1), None)
    assert await out.all() == []


async def test_a_further_message_and_what_a_person_does_are_updates(out: Out) -> None:
    handed = await out.hand_over()
    await out.hand_over(handed=replace(handed, question="And now?"), number=2)
    now = datetime.now(UTC)
    for act, text in (
        (HandoffAct.TAKE, ""),
        (HandoffAct.NOTE, "n"),
        (HandoffAct.REPLY, "r"),
        (HandoffAct.RESOLVE, "s"),
    ):
        await out.handoffs.act(handed.handoff_id, tenant=out.tenant, act=act, by="a person", at=now, text=text)
    told = [(one.message.event, one.message.handoff.state) for one in await out.all() if one.channel == out.mail]
    assert told == [("opened", "open"), ("updated", "open"), ("updated", "acknowledged"), ("updated", "resolved")]


async def test_of_many_that_claim_each_delivery_goes_to_one(out: Out) -> None:
    for _ in range(12):
        await out.hand_over()
    claims = await asyncio.gather(
        *(ledger.claim(out.webhook, limit=3, lease_s=LEASE_S) for ledger in [out.deliveries, out.elsewhere] * 5)
    )
    claimed = [one.delivery_id for each in claims for one in each]
    assert all(len(each) <= 3 for each in claims)
    assert len(claimed) == len(set(claimed)) == 12
    assert await claim(out) == []


async def test_a_claim_counts_and_holds_until_its_lease_ends(out: Out) -> None:
    await out.hand_over()
    (first,) = await claim(out, lease_s=0.2)
    assert (first.attempts, first.lease, first.state) == (1, 1, DeliveryState.PENDING)
    assert await claim(out) == []
    await asyncio.sleep(0.25)
    (second,) = await out.elsewhere.claim(out.webhook, limit=1, lease_s=LEASE_S)
    assert (second.delivery_id, second.attempts, second.lease) == (first.delivery_id, 2, 2)
    assert second.message == first.message


async def test_due_longest_comes_first(out: Out) -> None:
    handed = [await out.hand_over() for _ in range(4)]
    assert [one.message.handoff for one in await claim(out, limit=2)] == handed[:2]
    assert [one.message.handoff for one in await claim(out)] == handed[2:]


async def test_news_of_one_hand_over_arrives_in_order(out: Out) -> None:
    handed = await out.hand_over()
    await out.hand_over(handed=replace(handed, question="And now?"), number=2)
    (opened,) = await claim(out)
    assert opened.message.event is HandoffEvent.OPENED
    assert await claim(out) == [], "the update waits for it"
    await out.deliveries.failed(opened.delivery_id, lease=opened.lease, problem="status 500", again_in_s=60)
    assert await claim(out) == [], "also while it waits to be tried again"
    await out.deliveries.delivered(opened.delivery_id)
    (updated,) = await claim(out)
    assert updated.message.event is HandoffEvent.UPDATED


async def test_what_is_given_up_holds_up_nothing(out: Out) -> None:
    handed = await out.hand_over()
    await out.hand_over(handed=replace(handed, question="And now?"), number=2)
    (opened,) = await claim(out)
    await out.deliveries.failed(opened.delivery_id, lease=opened.lease, problem="status 404", again_in_s=None)
    (updated,) = await claim(out)
    assert updated.message.event is HandoffEvent.UPDATED


async def test_delivered_is_final(out: Out) -> None:
    await out.hand_over()
    (one,) = await claim(out)
    await out.deliveries.delivered(one.delivery_id)
    await out.deliveries.failed(one.delivery_id, lease=one.lease, problem="late news", again_in_s=None)
    found = await out.only()
    assert (found.state, found.problem) == (DeliveryState.DELIVERED, "")
    assert found.finished_at is not None
    await out.deliveries.delivered("unknown\x00")


async def test_a_failed_one_is_due_again_later(out: Out) -> None:
    await out.hand_over()
    (one,) = await claim(out)
    await out.deliveries.failed(one.delivery_id, lease=one.lease, problem="status 503", again_in_s=0.2)
    found = await out.only()
    assert (found.state, found.problem, found.attempts) == (DeliveryState.PENDING, "status 503", 1)
    assert await claim(out) == []
    await asyncio.sleep(0.25)
    (again,) = await claim(out)
    assert (again.delivery_id, again.attempts) == (one.delivery_id, 2)


async def test_who_was_overtaken_decides_no_failure_but_may_report_an_arrival(out: Out) -> None:
    await out.hand_over()
    (slow,) = await claim(out, lease_s=0.0)
    (quick,) = await out.elsewhere.claim(out.webhook, limit=1, lease_s=LEASE_S)
    await out.deliveries.failed(slow.delivery_id, lease=slow.lease, problem="late", again_in_s=None)
    found = await out.only()
    assert (found.state, found.problem, found.lease) == (DeliveryState.PENDING, "", quick.lease)
    await out.deliveries.delivered(slow.delivery_id)
    assert (await out.only()).state is DeliveryState.DELIVERED


async def test_a_dead_one_is_kept_and_can_be_retried(out: Out) -> None:
    await out.hand_over()
    (one,) = await claim(out)
    await out.deliveries.failed(one.delivery_id, lease=one.lease, problem="status 404", again_in_s=None)
    dead = await out.only()
    assert (dead.state, dead.problem, dead.attempts) == (DeliveryState.DEAD, "status 404", 1)
    assert dead.finished_at is not None
    assert await claim(out) == []
    assert await out.deliveries.retry(tenant="another", delivery_ids=[one.delivery_id]) == []
    assert await out.deliveries.retry(tenant=out.tenant, delivery_ids=["unknown", one.delivery_id]) == [one.delivery_id]
    assert await out.deliveries.retry(tenant=out.tenant, delivery_ids=[one.delivery_id]) == [], (
        "it is not dead any more"
    )
    (again,) = await claim(out)
    assert (again.delivery_id, again.attempts, again.finished_at) == (one.delivery_id, 1, None)
    assert again.lease > one.lease, "who held it before it died holds it no more"


async def test_every_dead_one_of_the_tenant_can_be_retried(out: Out) -> None:
    handed = [await out.hand_over() for _ in range(3)]
    foreign = f"{out.tenant}-2"
    await out.hand_over(foreign)
    for one in await claim(out):
        await out.deliveries.failed(one.delivery_id, lease=one.lease, problem="x", again_in_s=None)
    retried = await out.deliveries.retry(tenant=out.tenant, delivery_ids=None)
    assert len(retried) == len(handed)
    assert sorted(one.delivery_id for one in await claim(out)) == sorted(retried)
    (theirs,) = [one for one in await out.deliveries.deliveries(tenant=foreign, limit=9) if one.channel == out.webhook]
    assert theirs.state is DeliveryState.DEAD


async def test_deliveries_are_looked_up_inside_their_tenant(out: Out) -> None:
    await out.hand_over()
    one = await out.only()
    assert await out.deliveries.delivery(one.delivery_id, tenant=out.tenant) == one
    assert await out.deliveries.delivery(one.delivery_id, tenant="another") is None
    assert await out.deliveries.delivery("\x00", tenant=out.tenant) is None
    assert await out.deliveries.deliveries(tenant="another", limit=9) == []


async def test_a_list_is_newest_first_and_by_state(out: Out) -> None:
    handed = [await out.hand_over() for _ in range(3)]
    (first, *_rest) = await claim(out)
    await out.deliveries.delivered(first.delivery_id)
    listed = await out.deliveries.deliveries(tenant=out.tenant, limit=4)
    assert [one.message.handoff for one in listed] == [handed[2], handed[2], handed[1], handed[1]]
    done = await out.deliveries.deliveries(tenant=out.tenant, limit=9, states={DeliveryState.DELIVERED})
    assert [one.delivery_id for one in done] == [first.delivery_id]
    assert await out.deliveries.deliveries(tenant=out.tenant, limit=9, states=()) == []


async def test_the_backlog_counts_what_has_not_arrived(out: Out) -> None:
    assert await out.deliveries.backlog(tenant=out.tenant) == []
    for _ in range(4):
        await out.hand_over()
    first, second, third, _ = await claim(out)
    await out.deliveries.delivered(first.delivery_id)
    await out.deliveries.failed(second.delivery_id, lease=second.lease, problem="x", again_in_s=None)
    await out.deliveries.failed(third.delivery_id, lease=third.lease, problem="x", again_in_s=60)
    backlog = {one.channel: one for one in await out.deliveries.backlog(tenant=out.tenant)}
    assert {name: (one.pending, one.dead) for name, one in backlog.items()} == {out.webhook: (2, 1), out.mail: (4, 0)}
    assert list(backlog) == sorted(backlog)
    assert backlog[out.webhook].oldest_at == third.created_at
    oldest = min(one.created_at for one in await out.all())
    assert backlog[out.mail].oldest_at == oldest
    assert {out.webhook, out.mail} <= {one.channel for one in await out.deliveries.backlog(tenant=None)}


async def test_what_has_ended_is_forgotten_in_time(out: Out) -> None:
    for _ in range(3):
        await out.hand_over()
    first, second, _third = await claim(out)
    await out.deliveries.delivered(first.delivery_id)
    await out.deliveries.failed(second.delivery_id, lease=second.lease, problem="x", again_in_s=None)
    await out.deliveries.forget(finished_before=datetime.now(UTC) - timedelta(minutes=5))
    assert len(await out.all()) == 6
    await out.deliveries.forget(finished_before=datetime.now(UTC) + timedelta(minutes=5))
    left = await out.all()
    assert len(left) == 4
    assert {one.state for one in left} == {DeliveryState.PENDING}


@pytest.fixture
async def damaged(tmp_path: Path, tenant: str, postgres_url: str) -> AsyncGenerator[tuple[Out, str]]:
    """Three hand-overs, and the id of the second, whose records no version of ours has written."""
    webhook = f"webhook-{uuid.uuid4().hex}"
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url, channels=(webhook,)) as here:
        out = Out(
            conversations=here.conversations,
            handoffs=here.handoffs,
            deliveries=here.deliveries,
            elsewhere=here.deliveries,
            webhook=webhook,
            mail="",
            tenant=tenant,
        )
        ids = [(await out.hand_over()).handoff_id for _ in range(3)]
        async with here.database.connection() as connection:
            await connection.execute(
                """UPDATE firstline.deliveries SET message = jsonb_set(message, '{event}', '"sung"')
                WHERE handoff_id = %s""",
                [ids[1]],
            )
            await connection.execute(
                """UPDATE firstline.handoffs SET record = jsonb_set(record, '{reason}', '"whim"')
                WHERE handoff_id = %s""",
                [ids[1]],
            )
        yield out, ids[1]


async def test_a_record_that_cannot_be_read_is_given_up_and_holds_up_no_other(damaged: tuple[Out, str]) -> None:
    out, bad = damaged
    claimed = await claim(out)
    assert len(claimed) == 2 and bad not in [one.message.handoff.handoff_id for one in claimed]
    (dead,) = await out.deliveries.deliveries(tenant=out.tenant, limit=9, states=frozenset({DeliveryState.DEAD}))
    assert dead.message.handoff.handoff_id == bad
    assert "cannot be read" in dead.problem and dead.finished_at is not None
    found = await out.deliveries.delivery(dead.delivery_id, tenant=out.tenant)
    assert found == dead
    assert await claim(out) == []


async def test_a_list_shows_what_cannot_be_read_by_its_id(damaged: tuple[Out, str]) -> None:
    out, bad = damaged
    assert len(await out.all()) == 3
    listed = {one.handoff_id: one for one in await out.conversations.handoffs(tenant=out.tenant, limit=9)}
    assert len(listed) == 3
    assert "cannot be read" in listed[bad].question and listed[bad].state == "open"


@pytest.mark.parametrize("told_before", [True, False])
async def test_a_process_without_the_channels_of_the_others_says_that_nobody_is_told(
    told_before: bool, tmp_path: Path, tenant: str, postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    channels = ("webhook",) if told_before else ()
    own = session(tenant)
    handed = handoff(own.session_id)
    async with (
        open_postgres(data_folder=tmp_path, database_url=postgres_url, channels=channels) as server,
        open_postgres(data_folder=tmp_path, database_url=postgres_url) as shell,
    ):
        await server.conversations.create_session(own)
        await server.conversations.append_turn(escalated(handed, 1), handed)
        caplog.clear()
        await shell.handoffs.act(handed.handoff_id, tenant=tenant, act=HandoffAct.NOTE, by="ann", at=NOON, text="Hm.")
        assert not caplog.records, "a note is told nobody anyway"
        await shell.handoffs.act(handed.handoff_id, tenant=tenant, act=HandoffAct.TAKE, by="ann", at=NOON)
        said = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(said) == told_before
    assert all(handed.handoff_id in line and "webhook" in line and "FIRSTLINE_HANDOFF_" in line for line in said)
