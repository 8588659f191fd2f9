"""A server that is killed in the middle of a send: the next one sends it again, with the same key."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest
from ledger_samples import escalated, handoff, session

from firstline.domain import DeliveryState
from firstline.engines.postgres import open_postgres

DELIVERS = """
import asyncio, sys
from pathlib import Path
from firstline.connectors.handover.deliver import Deliverer, Patience
from firstline.connectors.handover.webhook import WebhookChannel
from firstline.engines.postgres import open_postgres

async def main():
    folder, database, url = sys.argv[1:]
    channel = WebhookChannel(url=url, secret=b"0123456789abcdef")
    channel.name = "killed"
    async with open_postgres(data_folder=Path(folder), database_url=database) as ledgers:
        patience = Patience(lease_s=1.0, poll_s=0.02, backoff_s=0.05)
        async with Deliverer(ledger=ledgers.deliveries, channels=[channel], patience=patience).running():
            print("up", flush=True)
            await asyncio.sleep(60)

asyncio.run(main())
"""


async def deliverer(folder: Path, database: str, url: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", DELIVERS, str(folder), database, url), stdout=asyncio.subprocess.PIPE
    )


@pytest.mark.timeout(60)
async def test_a_delivery_survives_the_death_of_its_sender(postgres_url: str, tmp_path: Path, tenant: str) -> None:
    keys: list[str] = []
    arrived = asyncio.Event()

    async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        keys.append(head.lower().split("idempotency-key: ")[1].split("\r\n")[0])
        arrived.set()
        if len(keys) > 1:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        else:
            # The sender is killed while it waits for this reply.
            await reader.read(-1)
        writer.close()

    receiver = await asyncio.start_server(receive, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{receiver.sockets[0].getsockname()[1]}/"
    async with receiver, open_postgres(data_folder=tmp_path, database_url=postgres_url, channels=["killed"]) as ledgers:
        own = session(tenant)
        await ledgers.conversations.create_session(own)
        handed = handoff(own.session_id)
        await ledgers.conversations.append_turn(escalated(handed, 1), handed)
        first = await deliverer(tmp_path, postgres_url, url)
        await asyncio.wait_for(arrived.wait(), 30)
        first.send_signal(signal.SIGKILL)
        await first.wait()
        (one,) = await ledgers.deliveries.deliveries(tenant=tenant, limit=9)
        assert one.state is DeliveryState.PENDING
        second = await deliverer(tmp_path, postgres_url, url)
        async with asyncio.timeout(30):
            while one.state is DeliveryState.PENDING:
                await asyncio.sleep(0.05)
                (one,) = await ledgers.deliveries.deliveries(tenant=tenant, limit=9)
        second.terminate()
        await second.wait()
    assert (one.state, one.attempts) == (DeliveryState.DELIVERED, 2)
    assert keys == [one.delivery_id, one.delivery_id]
