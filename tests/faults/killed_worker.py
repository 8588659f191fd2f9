"""A worker that is told to stop in the middle: `killed_worker.py URL FOLDER NAME [holds]` works until it is killed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from firstline.engines.postgres import open_postgres
from firstline.engines.postgres.jobs import PostgresJobs


async def main(url: str, folder: Path, name: str, holds: bool) -> None:
    async with open_postgres(data_folder=folder / "data", database_url=url) as ledgers:

        async def work(args: Mapping[str, str]) -> None:
            with (folder / "journal").open("a") as file:
                file.write(f"{name} began {args['kb']}\n")
            if holds:
                await asyncio.sleep(60)
            with (folder / "journal").open("a") as file:
                file.write(f"{name} did {args['kb']}\n")

        jobs = PostgresJobs(ledgers.database, stalled_s=1.5)
        async with jobs.working({"work": work}, at_once=2):
            print("works", flush=True)
            await asyncio.sleep(120)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], "holds" in sys.argv[4:]))
