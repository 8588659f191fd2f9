"""`firstline gates`, `firstline gates rollback|reset|drift`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from firstline.domain import CalibratedGates
    from firstline.evals.drift import Drift
    from firstline.ports import GateLedger, KnowledgeStatus

HISTORY_SHOWN = 20
KB_OPTION = click.option("--kb", help="Knowledge base (default: docs).")


@click.group("gates", invoke_without_command=True)
@KB_OPTION
@click.pass_context
def command(ctx: click.Context, kb: str | None) -> None:
    """List the calibrated gates of a knowledge base, and which are in force."""
    if ctx.invoked_subcommand is None:
        run(_list(settings_from(ctx, kb=kb)))
    elif kb is not None:
        ctx.obj = {**ctx.obj, "kb": kb}


@command.command("rollback")
@KB_OPTION
@click.option("--to", "version", type=click.IntRange(1), help="A version (default: the one before that in force).")
@click.pass_context
def rollback(ctx: click.Context, kb: str | None, version: int | None) -> None:
    """Put an earlier version in force again."""
    run(_rollback(settings_from(ctx, kb=kb), version))


@command.command("reset")
@KB_OPTION
@click.pass_context
def reset(ctx: click.Context, kb: str | None) -> None:
    """Return to the gates that firstline ships; calibrated ones are kept."""
    run(_reset(settings_from(ctx, kb=kb)))


@command.command("drift")
@KB_OPTION
@click.pass_context
def drift_of(ctx: click.Context, kb: str | None) -> None:
    """Compare the questions since calibration with the cases it was made with."""
    run(_drift(settings_from(ctx, kb=kb)))


async def _list(settings: Any) -> None:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        where = {"tenant": settings.tenant, "kb": settings.kb}
        known = await ledgers.gates.gates_history(**where, limit=HISTORY_SHOWN)
        in_force = await ledgers.gates.gates_in_force(**where)
        snapshot = await ledgers.knowledge.published(**where)
    version = in_force.version if in_force else 0
    for gates in known:
        say(("* " if gates.version == version else "  ") + line_of(gates))
    if in_force is None:
        say(f"The shipped gates are in force for {settings.kb!r}; `firstline calibrate CASES` sets its own.")
    elif snapshot.number != in_force.snapshot:
        say(f"Calibrated on snapshot {in_force.snapshot}; snapshot {snapshot.number} is published.")


def line_of(gates: CalibratedGates) -> str:
    thresholds = ", ".join(f"{name} {gates.thresholds[name]:.4f}" for name in sorted(gates.thresholds))
    return (
        f"{gates.version:>4}  {gates.calibrated_at:%Y-%m-%d}  at most {gates.max_wrong:.2%} wrong "
        f"({gates.certainty:.0%} certain), {gates.coverage:.1%} answered, {gates.cases} cases, "
        f"snapshot {gates.snapshot}; {thresholds}"
    )


async def _rollback(settings: Any, version: int | None) -> None:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        wanted = version or await version_before(ledgers.gates, settings.tenant, settings.kb)
        await ledgers.gates.put_in_force(wanted, tenant=settings.tenant, kb=settings.kb)
    say(f"Version {wanted} of the gates is in force for {settings.kb!r}.")


async def version_before(ledger: GateLedger, tenant: str, kb: str) -> int:
    """The newest version older than the one in force; the newest of all when the shipped gates are in force. Conflict
    when there is none."""
    from firstline.errors import Conflict

    in_force = await ledger.gates_in_force(tenant=tenant, kb=kb)
    known = await ledger.gates_history(tenant=tenant, kb=kb, limit=1_000)
    older = [gates.version for gates in known if in_force is None or gates.version < in_force.version]
    if not older:
        raise Conflict(
            f"There are no earlier gates of {kb!r} to go back to.",
            remedy=f"`firstline gates reset --kb {kb}` returns to the shipped ones.",
        )
    return older[0]


async def _reset(settings: Any) -> None:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        before = await ledgers.gates.gates_in_force(tenant=settings.tenant, kb=settings.kb)
        await ledgers.gates.put_in_force(0, tenant=settings.tenant, kb=settings.kb)
    undo = f" `firstline gates rollback --kb {settings.kb} --to {before.version}` undoes this." if before else ""
    say(f"The shipped gates are in force for {settings.kb!r}.{undo}")


async def _drift(settings: Any) -> None:
    from firstline.evals.drift import drift_since
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        gates = await ledgers.gates.gates_in_force(tenant=settings.tenant, kb=settings.kb)
        if gates is None:
            say(f"The shipped gates are in force for {settings.kb!r}: there is no calibration to compare with.")
            return
        say(drift_in_words(*await drift_since(ledgers.gates, gates)))


def drift_in_words(turns: int, found: Drift | None) -> str:
    from firstline.evals.drift import LUCK_MAX, TURNS_MIN

    if found is None:
        return f"drift: not known yet, {turns} of the {TURNS_MIN} turns it takes came since calibration"
    verdict = (
        "DRIFTED: questions no longer look like the cases, so calibrate again with cases like today's"
        if found.drifted
        else "none seen"
    )
    return (
        f"drift: {verdict} (distance {found.distance:.3f} over {found.turns} turns and {found.reference} cases; by "
        f"luck in {found.luck:.1%}, called drift below {LUCK_MAX:.0%}; median moved by {found.shift:+.3f})"
    )


async def status_lines(settings: Any, ledger: GateLedger, status: KnowledgeStatus) -> list[str]:
    """For `firstline status`: which gates decide, on what they rest, and whether they still fit."""
    from firstline.evals.drift import drift_since
    from firstline.questions.gates_in_force import refusal
    from firstline.wiring import knobs_of, shipped_classifier

    gates = await ledger.gates_in_force(tenant=status.tenant, kb=status.kb)
    if gates is None:
        return ["  gates as shipped"]
    moved = "" if gates.snapshot == status.snapshot else f", {status.snapshot - gates.snapshot} snapshots ago"
    lines = [
        f"  gates version {gates.version}, calibrated {gates.calibrated_at:%Y-%m-%d} "
        f"on snapshot {gates.snapshot}{moved}: at most {gates.max_wrong:.2%} wrong, {gates.certainty:.0%} certain"
    ]
    # Embedder and reranker are not opened for a status: what they are called is taken from the knowledge base and the
    # gates.
    knobs = knobs_of(
        settings,
        embedder=status.embedder_id or "",
        reranker=gates.knobs.get("reranker", "none"),
        classifier=shipped_classifier(embedder=status.embedder_id or ""),
    )
    refused = refusal(gates, knobs)
    if refused is not None:
        lines.append(f"  REFUSED: {refused}")
    lines.append("  " + drift_in_words(*await drift_since(ledger, gates)))
    return lines
