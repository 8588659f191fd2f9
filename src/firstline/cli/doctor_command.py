"""`firstline doctor`"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.golden_file import cases_problem
from firstline.cli.main import run, settings_from
from firstline.cli.printing import say
from firstline.cli.table_checks import table_warnings

if TYPE_CHECKING:
    from pathlib import Path

FREE_BYTES_MIN = 1_000_000_000


@click.command("doctor")
@click.option("--models", is_flag=True, help="Call each configured language model once, too (docs/models.md).")
@click.pass_context
def command(ctx: click.Context, models: bool) -> None:
    """Check the installation step by step; each finding names its remedy. Exit code 1 when something is wrong."""
    settings = settings_from(ctx)
    say(f"ok    settings ({settings.settings_hash})")
    fine = run(_check(settings))
    if models:
        # Whatever is wrong with the rest.
        fine = run(_models(settings)) and fine
    sys.exit(0 if fine else 1)


async def _check(settings: Any) -> bool:
    import numpy as np

    from firstline.errors import FirstlineError
    from firstline.wiring import open_firstline, prepare_folder

    try:
        folder = prepare_folder(settings.data_folder)
        room, told = room_line(folder, shutil.disk_usage(folder).free)
        say(told)
        async with open_firstline(settings) as firstline:
            say("ok    ledger answers and is migrated")
            say(wall_line(firstline.ledgers.database.walled))
            vector = (await firstline.embedder.embed(["Does the embedder work?"]))[0]
            length = float(np.linalg.norm(vector))
            say(f"ok    embedder {firstline.embedder.model_id} ({len(vector)} dimensions, norm {length:.3f})")
            if problem := cases_problem(settings):
                say(f"WARN  {problem}")
            names = await firstline.knowledge.knowledge_bases(tenant=settings.tenant)
            for slip in table_warnings(settings, names):
                say(f"WARN  {slip}")
            # Every one of them, whatever is wrong with an earlier one.
            return room and all([await knowledge_base_is_fine(firstline, settings.tenant, kb) for kb in names])
    except FirstlineError as error:
        say(f"BAD   {error.message} {error.remedy}")
        return False


async def _models(settings: Any) -> bool:
    from firstline.cli.model_checks import models_are_fine

    return await models_are_fine(settings.models)


def room_line(folder: Path, free: int) -> tuple[bool, str]:
    """Whether there is room enough to ingest, and the line that says so."""
    from firstline.engines.qdrant_edge.shard import FREE_BYTES_MIN as REFUSED_BELOW

    says = f"data folder {folder}, {free / 1e9:.1f} GB free"
    if free < REFUSED_BELOW:
        return False, f"BAD   {says}: below {REFUSED_BELOW / 1e9:.2f} GB nothing is ingested. Free some space."
    return True, f"{'ok   ' if free > FREE_BYTES_MIN else 'WARN '} {says}"


def wall_line(walled: bool) -> str:
    if walled:
        return "ok    the database keeps tenants apart by itself (row-level security)"
    return "WARN  the database does not keep tenants apart by itself: docs/access.md says how its role is made"


async def knowledge_base_is_fine(firstline: Any, tenant: str, kb: str) -> bool:
    status = await firstline.knowledge.status(tenant=tenant, kb=kb)
    held = await firstline.index.count(tenant=tenant, kb=kb)
    if held < status.chunks:
        say(
            f"BAD   {kb}: the index holds {held} of {status.chunks} chunks. "
            "Ingest into a new data folder (--data) and move over."
        )
        return False
    if status.embedder_id not in (None, firstline.embedder.model_id):
        say(
            f"BAD   {kb} was embedded with {status.embedder_id}. Set `embedder` back to it, or ingest again "
            "into a new knowledge base."
        )
        return False
    say(f"ok    {kb}: snapshot {status.snapshot}, {status.chunks} chunks, all indexed")
    return True
