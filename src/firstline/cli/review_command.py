"""`firstline review`"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say
from firstline.cli.review_screen import line_of, screen
from firstline.cli.who_says import who_says

if TYPE_CHECKING:
    from firstline.domain import Judgement, Principal, Verdict
    from firstline.evals.golden import Golden
    from firstline.questions.review_desk import ReviewDesk, ReviewFile
    from firstline.questions.wording.voice import Wording

LISTED = 20
LISTED_UNREADABLE = 5
LISTED_MAX = 1_000
EXPORTED_MAX = 100_000
LEFT_OUT_SHOWN = 10
KEYS = "g good   w wrong   p partly   u unanswerable   s skip   e edit documents and answer   q quit"
VERDICTS = {"g": "good", "w": "wrong", "p": "partly", "u": "unanswerable"}


@click.group("review", invoke_without_command=True)
@click.option("--list", "listed", is_flag=True, help="List what waits, what teaches most first.")
@click.option("--limit", default=LISTED, type=click.IntRange(1, LISTED_MAX), help="With --list: how many.")
@click.option("--judge", "turn", metavar="TURN", help="Judge one turn, named as --list prints it.")
@click.option("--as", "verdict", help="With --judge: good, wrong, partly, unanswerable or skip.")
@click.option("--docs", help="With --judge: ids of the documents that hold the answer, commas between.")
@click.option("--reference", default="", help="With --judge: a right answer.")
@click.option("--must-contain", multiple=True, help="With --judge: a text that an answer must hold; repeatable.")
@click.option("--by", help="Who reviews (default: your user name on this machine).")
@click.option("--acl", multiple=True, help="See documents with these tags (default: everyone).")
@click.pass_context
def command(
    ctx: click.Context,
    listed: bool,
    limit: int,
    turn: str | None,
    verdict: str | None,
    docs: str | None,
    reference: str,
    must_contain: tuple[str, ...],
    by: str | None,
    acl: tuple[str, ...],
) -> None:
    """Judge turns, one at a time, with single keys; what teaches most comes first.

    Nobody else gets the turn that you are looking at. Quit at any time: run it again to go on.
    """
    if ctx.invoked_subcommand is not None:
        return
    if (turn is None) != (verdict is None):
        raise click.UsageError("--judge TURN and --as VERDICT belong together.", ctx)
    settings = settings_from(ctx)
    seeing = _reviewer(settings, acl)
    who = who_says(by)
    if listed:
        run(_list(settings, limit))
    elif turn is not None and verdict is not None:
        found = Found(docs=split_docs(docs or ""), reference=reference, must_contain=must_contain)
        run(_judge(settings, seeing, who, turn, verdict, found))
    elif sys.stdin.isatty():
        run(_review(settings, seeing, who))
    else:
        from firstline.errors import InvalidInput

        raise InvalidInput(
            "This is no terminal, so no keys can be pressed.",
            remedy="Use `firstline review --list` and `firstline review --judge TURN --as VERDICT --docs A,B`.",
        )


@command.command("export")
@click.argument("cases", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--unchanged", is_flag=True, help="Leave out cases whose documents changed since they were judged.")
@click.pass_context
def export_command(ctx: click.Context, cases: Path, kb: str | None, unchanged: bool) -> None:
    """Write what was judged as a file of cases, for `firstline eval` and `firstline calibrate`."""
    if not cases.parent.is_dir():
        from firstline.errors import InvalidInput

        raise InvalidInput(
            f"There is no folder {cases.parent} to write {cases.name} into.", remedy="Make it, or name another file."
        )
    found = run(_golden(settings_from(ctx, kb=kb)))
    kept = [one for one in found if one.case is not None and not (unchanged and one.changed)]
    text = "".join(json.dumps(one.case, ensure_ascii=False) + "\n" for one in kept)
    cases.write_text(text, encoding="utf-8")
    say(f"{len(kept)} {'case is' if len(kept) == 1 else 'cases are'} in {cases}.")
    for line in notices(found, unchanged=unchanged):
        say(f"notice: {line}", err=True)


def notices(found: list[Golden], *, unchanged: bool) -> list[str]:
    """What a reader of the file must know of it."""
    from firstline.domain import turn_id_of

    lines: list[str] = []
    changed = [one for one in found if one.case is not None and one.changed]
    for one in changed[:LEFT_OUT_SHOWN]:
        name = turn_id_of(one.judgement.session_id, one.judgement.turn)
        what = "left out" if unchanged else "look at it again"
        lines.append(f"{name}: {', '.join(one.changed)} changed since it was judged; {what}.")
    missing = [one for one in found if one.case is None]
    for one in missing[:LEFT_OUT_SHOWN]:
        lines.append(f"{turn_id_of(one.judgement.session_id, one.judgement.turn)} is left out: {one.why_not}.")
    more = sum(max(0, len(some) - LEFT_OUT_SHOWN) for some in (changed, missing))
    return lines + ([f"{more} more."] if more else [])


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a reviewer found beside the verdict."""

    docs: tuple[str, ...] = ()
    reference: str = ""
    must_contain: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Terminal:
    """Where keys and lines come from (both wait, outside the event loop), and how replies are worded."""

    key: Callable[[], str]
    line: Callable[[str, str], str]
    wording: Wording


def split_docs(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


async def review_all(desk: ReviewDesk, principal: Principal, by: str, terminal: Terminal) -> int:
    """Turn after turn until the queue or the reviewer's patience ends. Returns how many were judged."""
    judged = 0
    try:
        while files := await desk.next(principal, by=by, limit=1):
            waiting = len(await desk.waiting(tenant=principal.tenant, limit=LISTED_MAX))
            head, _, rest = screen(files[0], terminal.wording, waiting=waiting).partition("\n")
            say(head, bold=True)
            say(rest)
            done = await _review_one(desk, principal, by, files[0], terminal)
            if done is None:
                return judged
            judged += done
        say("Nothing waits for a review.")
        if desk.unreadable:
            named = ", ".join(sorted(desk.unreadable)[:LISTED_UNREADABLE])
            say(f"{len(desk.unreadable)} cannot be read and were left out: {named}. Restore them from a backup.")
    finally:
        await desk.release(tenant=principal.tenant, by=by)
    return judged


async def _review_one(
    desk: ReviewDesk, principal: Principal, by: str, file: ReviewFile, terminal: Terminal
) -> int | None:
    """1 when it was judged, 0 when it was skipped or lost to somebody else, None to stop."""
    from firstline.errors import Conflict, InvalidInput

    found = Found()
    while True:
        say(KEYS, dim=True)
        key = (await asyncio.to_thread(terminal.key)).lower()
        if key == "q":
            return None
        if key == "s":
            await desk.skip(file.turn.session_id, file.turn.number, tenant=principal.tenant, by=by)
            return 0
        if key == "e":
            found = await _edited(file, found, terminal)
        elif key in VERDICTS:
            settled = await _with_page(file, found, terminal) if key == "w" and not found.docs else found
            if settled is None:
                continue
            try:
                say(_told(await judge_one(desk, principal, by, file, VERDICTS[key], settled)))
                return 1
            except Conflict as error:
                say(str(error))
                return 0
            except InvalidInput as error:
                say(str(error))


async def judge_one(
    desk: ReviewDesk, principal: Principal, by: str, file: ReviewFile, verdict: str, found: Found
) -> Judgement:
    return await desk.judge(
        file.turn.session_id,
        file.turn.number,
        _verdict(verdict),
        principal,
        by=by,
        docs=found.docs,
        reference=found.reference,
        must_contain=found.must_contain,
    )


async def _with_page(file: ReviewFile, found: Found, terminal: Terminal) -> Found | None:
    """Which page would have been right, by its digit; None to go back."""
    if not file.pages:
        return found
    say(f"Which page holds the answer? 1-{len(file.pages)}   n none of these   any other key: back")
    key = (await asyncio.to_thread(terminal.key)).lower()
    if key == "n":
        return found
    if key.isdecimal() and 1 <= int(key) <= len(file.pages):
        return replace(found, docs=(file.pages[int(key) - 1].doc_id,))
    return None


async def _edited(file: ReviewFile, found: Found, terminal: Terminal) -> Found:
    before = found.docs or tuple(page.doc_id for page in file.pages if page.cited)
    docs = await asyncio.to_thread(terminal.line, "Documents that hold the answer, commas between", ",".join(before))
    reference = await asyncio.to_thread(terminal.line, "A right answer", found.reference)
    must = await asyncio.to_thread(terminal.line, "Must contain (one text)", "".join(found.must_contain[:1]))
    return Found(docs=split_docs(docs), reference=reference.strip(), must_contain=(must,) if must.strip() else ())


def _told(judgement: Judgement) -> str:
    resting = f" on {', '.join(judgement.docs)}" if judgement.docs else ""
    return f"{judgement.verdict}{resting}."


def _verdict(name: str) -> Verdict:
    from firstline.domain import Verdict
    from firstline.errors import InvalidInput

    if name not in list(Verdict):
        raise InvalidInput(f"There is no verdict {name}.", remedy=f"Use one of: {', '.join(Verdict)}, skip.")
    return Verdict(name)


def _reviewer(settings: Any, acl: tuple[str, ...]) -> Principal:
    """Who works on the data folder itself may see every level of it."""
    from firstline.domain import EVERYONE, Level, Principal

    return Principal(
        tenant=settings.tenant,
        user="review",
        acl_tags=frozenset(acl) or frozenset({EVERYONE}),
        level=Level.RESTRICTED,
    )


async def _review(settings: Any, principal: Principal, by: str) -> None:
    from firstline.wiring import open_ledgers, review_desk_of, wording_of

    terminal = Terminal(
        key=click.getchar,
        line=lambda asks, before: click.prompt(asks, default=before, show_default=bool(before)),
        wording=wording_of(settings),
    )
    async with open_ledgers(settings) as ledgers:
        judged = await review_all(review_desk_of(settings, ledgers), principal, by, terminal)
    say(f"{judged} judged. `firstline review export CASES.jsonl` makes cases of them.")


async def _list(settings: Any, limit: int) -> None:
    from firstline.wiring import open_ledgers, review_desk_of

    async with open_ledgers(settings) as ledgers:
        items = await review_desk_of(settings, ledgers).waiting(tenant=settings.tenant, limit=limit)
        for item in items:
            known = await ledgers.feedback.turn(item.session_id, item.turn, tenant=settings.tenant)
            say(line_of(item, known.turn.question if known else ""))
    if not items:
        say("Nothing waits for a review.")


async def _judge(settings: Any, principal: Principal, by: str, turn: str, verdict: str, found: Found) -> None:
    from firstline.questions.review_desk import turn_named
    from firstline.wiring import open_ledgers, review_desk_of

    session_id, number = turn_named(turn)
    async with open_ledgers(settings) as ledgers:
        desk = review_desk_of(settings, ledgers)
        if verdict == "skip":
            await desk.skip(session_id, number, tenant=settings.tenant, by=by)
            say(f"{turn} is skipped for {by}.")
            return
        _verdict(verdict)
        file = await desk.file(session_id, number, principal)
        say(f"{turn}: {_told(await judge_one(desk, principal, by, file, verdict, found))}")


async def _golden(settings: Any) -> list[Golden]:
    from firstline.evals.golden import golden
    from firstline.wiring import open_ledgers, review_desk_of

    async with open_ledgers(settings) as ledgers:
        judged = await review_desk_of(settings, ledgers).judged(
            tenant=settings.tenant, kb=settings.kb, limit=EXPORTED_MAX
        )
        current = await ledgers.knowledge.current(tenant=settings.tenant, kb=settings.kb)
        return [golden(one, turns, tenant=settings.tenant, current=current) for one, turns in judged]
