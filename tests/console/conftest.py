from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

API_TESTS = Path(__file__).parent.parent / "api"
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def served() -> Iterator[tuple[str, str]]:
    """A server on a scripted journey: its address and a customer's token."""
    process = subprocess.Popen([sys.executable, str(API_TESTS / "served.py"), "0"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url, token = process.stdout.readline().split()
    yield url, token
    process.terminate()
    process.communicate(timeout=15)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        if os.environ.get("CI") == "true":
            pytest.fail("chromium is missing: apt-get install chromium")
        pytest.skip("chromium is missing: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any, served: tuple[str, str]) -> Iterator[Any]:
    """A fresh tab, signed in by the link. Fails the test when the page logs an error or loads from elsewhere."""
    url, token = served
    context = browser.new_context(viewport={"width": 1180, "height": 800})
    context.set_default_timeout(8_000)
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda message: errors.append(message.text) if "Content Security" in message.text else None)
    tab.on("request", lambda sent: errors.append(sent.url) if not sent.url.startswith(url) else None)
    tab.goto(f"{url}/#key={token}")
    tab.get_by_label("Your question").wait_for()
    yield tab
    context.close()
    assert errors == []
