"""Take docs/images/graph.png: the graph's page on the demo knowledge base, with the sentence behind one line open.

    python tools/picture_graph.py [PICTURE]

It needs Chromium (`apt-get install chromium`; CHROMIUM names another place) and the tools for tests.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

from demo_server import demo_server

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "graph.png"
ENTITY = "error:lk1100"
LINE = "#drawing .line.HAS_ROOT_CAUSE .arrow"
SIZE = ViewportSize(width=1320, height=672)
BYTES_MAX = 200_000


def take(picture: Path) -> None:
    chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    with demo_server() as (url, key), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        page.goto(f"{url}/graph#key={key}")
        page.locator("#find-form").wait_for()
        page.goto(f"{url}/graph#{ENTITY}")
        page.locator(LINE).first.click()
        page.locator("mark").first.wait_for()
        picture.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=picture)
        browser.close()
    size = picture.stat().st_size
    if size > BYTES_MAX:
        sys.exit(f"{picture} has {size:,} bytes, more than {BYTES_MAX:,}.")
    print(f"{picture}: {size:,} bytes")


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
