"""`firstline faq add|list|show|change|expire|remove`"""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.knowledge_base import require_kb
from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import say, say_json
from firstline.cli.who_says import who_says

if TYPE_CHECKING:
    from firstline.documents.publish_faq import FaqWanted
    from firstline.domain import FaqShown, FaqSuggestion, IngestReport

KB_OPTION = click.option("--kb", help="Knowledge base (default: docs).")
BY_OPTION = click.option("--by", default="", help="Who does it (default: the user of this machine).")
CITE_OPTION = click.option("--cite", "cites", multiple=True, metavar="DOC_ID", help="A page it rests on, repeatable.")
OWNER_OPTION = click.option("--owner", help="Who looks after it.")
EXPIRES_OPTION = click.option("--expires", metavar="WHEN", help='"90d", "2027-01-31" or "never".')
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="For programs.")
DOC_ARGUMENT = click.argument("doc_id")


@click.group("faq", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Look after curated answers: the same question gets the answer that its owner wrote, while it has not expired."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_answers)


@command.command("add")
@click.argument("question", required=False)
@click.option("--answer", help="The answer, as Markdown.")
@click.option("--file", "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A file with it.")
@click.option("--suggestion", metavar="ID", help="Accept a draft of `firstline gaps --suggest-faq`.")
@click.option("--since", default="30d", help="As it was given to `firstline gaps` (default: 30d).")
@CITE_OPTION
@OWNER_OPTION
@EXPIRES_OPTION
@click.option("--level", help="Who may read it (default: as the pages cited; else public).")
@click.option("--acl", multiple=True, help="Tags that may read it (default: as the pages cited; else everyone).")
@click.option("--url", help="Where its source link leads (default: to the first page cited).")
@KB_OPTION
@BY_OPTION
@click.pass_context
def add(ctx: click.Context, kb: str | None, by: str, **given: Any) -> None:
    """Publish an answer to QUESTION, or replace the one that is there for it."""
    settings = settings_from(ctx, kb=kb)
    given["answer"] = _answer_in(given["answer"], given["path"])
    doc_id, report = run(_add(settings, who_says(by), given))
    say(f"{doc_id} is {'published' if report.published else 'kept'} in snapshot {report.snapshot} of {settings.kb!r}.")
    if report.waits:
        say(f"The snapshot waits: {report.waits}")


@command.command("list")
@click.option("--owner", help="Those of one owner; '' lists those that nobody looks after.")
@KB_OPTION
@JSON_OPTION
@click.pass_context
def list_answers(ctx: click.Context, owner: str | None = None, kb: str | None = None, as_json: bool = False) -> None:
    """List curated answers, those that need somebody first: expired, or resting on a page that changed or is gone."""
    settings = settings_from(ctx, kb=kb)

    async def read() -> list[FaqShown]:
        from firstline.wiring import faq_list_of, open_ledgers

        async with open_ledgers(settings) as ledgers:
            await require_kb(ledgers.knowledge, settings)
            listed = faq_list_of(settings, ledgers)
            return await listed.shown(tenant=settings.tenant, kb=settings.kb, reader=None, owner=owner)

    found = run(read())
    if as_json:
        say_json([_jsonable(one) for one in found])
        return
    for one in found:
        say(f"{one.state:<8} {one.doc_id}  {one.question}")
        say(f"         {one.owner or 'no owner'}, {_until(one)}{_troubles(one)}", dim=True)
    if not found:
        say("There is no curated answer. `firstline faq add QUESTION --answer TEXT` writes one.")


@command.command("show")
@DOC_ARGUMENT
@KB_OPTION
@JSON_OPTION
@click.pass_context
def show(ctx: click.Context, doc_id: str, kb: str | None, as_json: bool) -> None:
    """Show an answer with what is known of it."""
    settings = settings_from(ctx, kb=kb)

    async def read() -> FaqShown:
        from firstline.wiring import faq_list_of, open_ledgers

        async with open_ledgers(settings) as ledgers:
            await require_kb(ledgers.knowledge, settings)
            listed = faq_list_of(settings, ledgers)
            return await listed.one(doc_id, tenant=settings.tenant, kb=settings.kb, reader=None)

    one = run(read())
    if as_json:
        say_json(_jsonable(one))
        return
    say(f"{one.doc_id}: {one.state}, {one.owner or 'no owner'}, {_until(one)}")
    if one.level is not None:
        say(f"  level {one.level.label}, acl {', '.join(one.acl)}")
    for cited in one.cites:
        say(f"  rests on {cited}")
    for problem in one.problems:
        say(f"  look at: {problem.trouble} {problem.doc_id}".rstrip())
    if one.changed_at is not None:
        say(f"  changed by {one.changed_by} on {one.changed_at:%Y-%m-%d %H:%M} UTC")
    say(f"\n{one.question}\n\n{one.answer}")


@command.command("change")
@DOC_ARGUMENT
@OWNER_OPTION
@EXPIRES_OPTION
@CITE_OPTION
@click.option("--vouch", is_flag=True, help="Its answer holds for the cited pages as they are now.")
@KB_OPTION
@BY_OPTION
@click.pass_context
def change(
    ctx: click.Context,
    doc_id: str,
    owner: str | None,
    expires: str | None,
    cites: tuple[str, ...],
    vouch: bool,
    kb: str | None,
    by: str,
) -> None:
    """Change owner, expiry or the pages it rests on. What is not named stays."""
    from firstline.errors import InvalidInput

    if owner is None and expires is None and not cites and not vouch:
        raise InvalidInput("It is not told what to change.", remedy="Add --owner, --expires, --cite or --vouch.")
    settings = settings_from(ctx, kb=kb)

    async def work() -> None:
        from firstline.questions.care import until_of
        from firstline.wiring import faq_entries_of, open_ledgers

        until = until_of(expires, now=datetime.now(UTC)) if expires is not None else None
        async with open_ledgers(settings) as ledgers:
            await require_kb(ledgers.knowledge, settings)
            await faq_entries_of(ledgers).change(
                doc_id,
                tenant=settings.tenant,
                kb=settings.kb,
                by=who_says(by),
                reader=None,
                owner=owner,
                cites=cites or None,
                expires_at=until,
                never_expires=expires is not None and until is None,
                vouched=vouch,
            )

    run(work())
    say(f"{doc_id} is changed.")


@command.command("expire")
@DOC_ARGUMENT
@KB_OPTION
@BY_OPTION
@click.pass_context
def expire(ctx: click.Context, doc_id: str, kb: str | None, by: str) -> None:
    """Use it no more, from the next question on. `change --expires never` takes that back."""
    settings = settings_from(ctx, kb=kb)

    async def work() -> None:
        from firstline.wiring import faq_entries_of, open_ledgers

        async with open_ledgers(settings) as ledgers:
            await require_kb(ledgers.knowledge, settings)
            await faq_entries_of(ledgers).expire(
                doc_id, tenant=settings.tenant, kb=settings.kb, by=who_says(by), reader=None
            )

    run(work())
    say(f"{doc_id} is used no more.")


@command.command("remove")
@DOC_ARGUMENT
@KB_OPTION
@BY_OPTION
@click.pass_context
def remove(ctx: click.Context, doc_id: str, kb: str | None, by: str) -> None:
    """Use it no more, and end its document with the next snapshot."""
    settings = settings_from(ctx, kb=kb)

    async def work() -> IngestReport:
        from firstline.wiring import open_firstline

        async with open_firstline(settings) as firstline:
            await require_kb(firstline.knowledge, settings)
            return await firstline.faq.remove(
                doc_id, tenant=settings.tenant, kb=settings.kb, by=who_says(by), reader=None
            )

    report = run(work())
    say(f"{doc_id} is removed (snapshot {report.snapshot})." + (f" It waits: {report.waits}" if report.waits else ""))


async def _add(settings: Any, by: str, given: dict[str, Any]) -> tuple[str, IngestReport]:
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        draft = await _draft(firstline.care, settings, given) if given["suggestion"] else None
        wanted = await _wanted(firstline.faq, settings, given, draft)
        entry, report = await firstline.faq.add(wanted, tenant=settings.tenant, kb=settings.kb, by=by, reader=None)
        return entry.doc_id, report


async def _draft(care: Any, settings: Any, given: dict[str, Any]) -> FaqSuggestion:
    from firstline.errors import NotFound
    from firstline.questions.care import since_of

    since = since_of(given["since"], now=datetime.now(UTC))
    drafts = await care.suggestions(tenant=settings.tenant, kb=settings.kb, since=since, reader=None)
    found = next((one for one in drafts if one.suggestion_id == given["suggestion"]), None)
    if found is None:
        raise NotFound(
            "There is no such draft (any more).",
            remedy="`firstline gaps --suggest-faq` lists them; give --since as it was given there.",
        )
    return found


async def _wanted(faq: Any, settings: Any, given: dict[str, Any], draft: FaqSuggestion | None) -> FaqWanted:
    from firstline.documents.publish_faq import FaqWanted
    from firstline.errors import InvalidInput
    from firstline.questions.care import until_of

    question = given["question"] or (draft.question if draft else "")
    answer = given["answer"] or (draft.answer if draft else "")
    if not question or not answer:
        raise InvalidInput(
            "It needs a question and an answer.", remedy="`firstline faq add QUESTION --answer TEXT`, or --suggestion."
        )
    cites = given["cites"] or (draft.cites if draft else ())
    level, acl = await faq.as_narrow_as(cites, tenant=settings.tenant, kb=settings.kb, reader=None)
    return FaqWanted(
        question=question,
        answer=answer,
        owner=given["owner"] or "",
        expires_at=until_of(given["expires"], now=datetime.now(UTC)) if given["expires"] else None,
        cites=tuple(cites),
        level=level_named(given["level"]) if given["level"] else level,
        acl=frozenset(given["acl"]) or acl,
        url=given["url"],
    )


def _answer_in(told: str | None, path: Path | None) -> str:
    from firstline.documents.publish_faq import ANSWER_CHARS_MAX
    from firstline.errors import InvalidInput

    if path is None:
        return told or ""
    if told:
        raise InvalidInput("It has two answers.", remedy="Give --answer or --file.")
    try:
        with path.open(encoding="utf-8") as file:
            # One more than there may be is told of as too long.
            return file.read(ANSWER_CHARS_MAX + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path.name} cannot be read as text.", remedy="Give a file in UTF-8.") from error


def _until(one: FaqShown) -> str:
    if one.expires_at is None:
        return "never expires"
    return f"{'expired' if one.state == 'expired' else 'expires'} {one.expires_at:%Y-%m-%d %H:%M} UTC"


def _troubles(one: FaqShown) -> str:
    named = [f"{problem.trouble} {problem.doc_id}".rstrip() for problem in one.problems]
    return f"; {', '.join(named)}" if named else ""


def _jsonable(one: FaqShown) -> dict[str, Any]:
    return {
        **dataclasses.asdict(one),
        "level": one.level.label if one.level is not None else None,
        "expires_at": one.expires_at.isoformat() if one.expires_at else None,
        "changed_at": one.changed_at.isoformat() if one.changed_at else None,
    }
