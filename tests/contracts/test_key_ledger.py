"""What every KeyLedger promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from ledger_samples import NOON, Ledgers, api_key

from firstline.errors import Conflict, NotFound


async def test_a_key_comes_back_as_it_was_added(ledgers: Ledgers, tenant: str) -> None:
    key, endless = api_key(tenant), replace(api_key(tenant, minutes=1), expires_at=None)
    await ledgers.keys.add_key(key)
    await ledgers.keys.add_key(endless)
    assert await ledgers.keys.key(key.key_id) == key
    assert await ledgers.keys.key(endless.key_id) == endless
    assert await ledgers.keys.key("unknown") is None
    assert await ledgers.keys.key("\x00") is None


async def test_a_key_id_is_taken_once(ledgers: Ledgers, tenant: str) -> None:
    key = api_key(tenant)
    await ledgers.keys.add_key(key)
    with pytest.raises(Conflict):
        await ledgers.keys.add_key(replace(api_key("another"), key_id=key.key_id))
    assert await ledgers.keys.key(key.key_id) == key


async def test_keys_are_listed_by_age_inside_their_tenant(ledgers: Ledgers, tenant: str) -> None:
    old, new, foreign = api_key(tenant), api_key(tenant, minutes=5), api_key(f"{tenant}-2")
    for key in (new, foreign, old):
        await ledgers.keys.add_key(key)
    assert await ledgers.keys.keys(tenant=tenant) == [old, new]
    assert await ledgers.keys.keys(tenant="nobody") == []


async def test_revoking_stands_from_the_first_time_on(ledgers: Ledgers, tenant: str) -> None:
    key = api_key(tenant)
    await ledgers.keys.add_key(key)
    with pytest.raises(NotFound):
        await ledgers.keys.revoke_key(key.key_id, tenant="another", at=NOON)
    with pytest.raises(NotFound):
        await ledgers.keys.revoke_key("unknown", tenant=tenant, at=NOON)
    assert await ledgers.keys.key(key.key_id) == key
    await ledgers.keys.revoke_key(key.key_id, tenant=tenant, at=NOON)
    await ledgers.keys.revoke_key(key.key_id, tenant=tenant, at=NOON + timedelta(hours=1))
    assert await ledgers.keys.key(key.key_id) == replace(key, revoked_at=NOON)
