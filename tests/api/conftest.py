from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from fake_firstline import FakeFirstline, open_fake

from firstline.api.app import create_app


@asynccontextmanager
async def client_of(firstline: Any, *, heartbeat_s: float = 0.05) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(firstline, settings=firstline.settings, heartbeat_s=heartbeat_s)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://firstline.test") as client,
    ):
        yield client


@pytest.fixture
async def firstline() -> FakeFirstline:
    return await open_fake()


@pytest.fixture
async def anonymous(firstline: FakeFirstline) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(firstline) as client:
        yield client


@pytest.fixture
async def client(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> httpx.AsyncClient:
    """Signed in with a customer's key."""
    anonymous.headers["Authorization"] = f"Bearer {await firstline.token()}"
    return anonymous
