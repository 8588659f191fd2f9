"""A small world with everything that an answer must not be made of: other tenants, other knowledge bases, closed pages,
old and deleted revisions, all in the same words. What may be seen is told by a table of the tests' own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tests.journeys.world import KB, TENANT, Items, World, asker, page

from firstline.domain import EVERYONE, Answered, Chunk, DocumentKind, Level, Principal, SourceItem, Turn, question_key

OTHER_TENANT, OTHER_KB = "umbra", "attic"
TEAM: frozenset[str] = frozenset({"team"})
QUESTIONS = (
    "How do I rotate the log files?",
    "Which command rotates the log files?",
    "How do I rotate the log files on the large plan?",
    "Why is there a duplicate key error after a retry of the driver?",
    "How long is a backup kept?",
    "Roles and access to a collection?",
    "Where does the zebrawood relay stand?",
    "rotate logs",
    "it does not help",
    "and in version 4.2?",
    "Thanks!",
    "I want to talk to a person",
    "I want to cancel my subscription and get my money back",
    "What is the password of the admin user anna?",
    "asdf qwer zxcv",
    "Who won the football match yesterday?",
    "How do I do the special thing?",
)


def with_address(item: SourceItem) -> SourceItem:
    return replace(item, url=f"https://docs.example/{item.item_id}")


PAGES = (
    page("logs.md", "# Log rotation\n\nRotate the log files with `lark rotate`. It closes the old file first.\n"),
    page(
        "plans.md",
        "# Plans\n\nOn the large plan rotate the log files every hour.\n\n1. Open the plan.\n2. Press rotate.\n",
    ),
    page("drivers.md", "# Drivers\n\nUpgrade the driver to end the duplicate key error after a retry.\n"),
    page("backup.md", "# Backup\n\nA backup of the cluster is taken every night and kept for a week.\n"),
    page("access.md", "# Access\n\nRoles grant access to a collection, never to a single document.\n"),
    page(
        "special.md",
        "The special thing is done with `lark special`.",
        title="How do I do the special thing?",
        kind=DocumentKind.FAQ,
        metadata={"question_key": question_key("How do I do the special thing?")},
    ),
)
INTERNAL = page(
    "internal.md", "# Log rotation inside\n\nRotate the log files with `lark secret`.\n", level=Level.INTERNAL
)
CLOSED = page("team.md", "# Log rotation of the team\n\nRotate the log files with `lark team`.\n", acl=TEAM)
NOBODY = page("nobody.md", "# Log rotation of nobody\n\nRotate the log files with `lark nobody`.\n", acl=frozenset())
OLD = page("changing.md", "# Log rotation once\n\nRotate the log files with `lark old`.\n")
NEW = page("changing.md", "# Log rotation now\n\nRotate the log files with `lark new`.\n")
GONE = page("gone.md", "# Log rotation gone\n\nRotate the log files with `lark gone`.\n")


@dataclass(kw_only=True)
class Universe:
    """`chunks` are all there are, of whoever, by id; the ledger's own memory is read, without any filter."""

    world: World = field(default_factory=World)

    @property
    def chunks(self) -> dict[str, Chunk]:
        bases = self.world.knowledge._bases.values()  # pyright: ignore[reportPrivateUsage]  (without any filter)
        return {chunk.chunk_id: chunk for base in bases for one in base.revisions.values() for chunk in one.chunks}

    async def text_of(self, chunk: Chunk) -> str:
        return (await self.world.blobs.get_range(chunk.blob, chunk.start, chunk.end)).decode()

    def problems(self, turn: Turn, principal: Principal) -> Iterator[str]:
        """What breaks invariant 1 in a turn; nothing when it holds. Tells by itself what may be seen."""
        if not isinstance(turn.outcome, Answered):
            return
        evidence = {chunk_id for chunk_id, _ in turn.evidence}
        every = self.chunks
        for claim in turn.outcome.claims:
            if not claim.citations:
                yield f"no citation: {claim.text}"
            for cited in claim.citations:
                chunk = every.get(cited.chunk_id)
                if chunk is None or cited.chunk_id not in evidence:
                    yield f"no evidence of this turn: {cited.chunk_id}"
                    continue
                if not may_see(chunk, principal, turn.snapshot):
                    yield f"not for this asker: {chunk.doc_id} since {chunk.since}"
                if (cited.blob, cited.doc_id) != (chunk.blob, chunk.doc_id):
                    yield f"another document: {cited.doc_id}"
                spans = [(chunk.start, chunk.end), *([chunk.lead] if chunk.lead else [])]
                if not any(start <= cited.start < cited.end <= end for start, end in spans):
                    yield f"outside of its chunk: {cited.start} to {cited.end}"


def may_see(chunk: Chunk, principal: Principal, snapshot: int) -> bool:
    return (
        (chunk.tenant, chunk.kb) == (principal.tenant, KB)
        and chunk.since <= snapshot < chunk.until
        and bool(chunk.acl & principal.acl_tags)
        and chunk.level <= principal.level
    )


async def open_universe(world: World | None = None) -> Universe:
    """Snapshot 2 of the tenant's knowledge base, with the same pages elsewhere."""
    made = Universe(world=world or World())
    journey = made.world.documents
    first = [with_address(one) for one in (*PAGES, INTERNAL, CLOSED, NOBODY, OLD, GONE)]
    await journey.ingest(Items(*first), tenant=TENANT, kb=KB, prune=())
    kept = [one for one in first if one.item_id not in ("gone.md", "changing.md")]
    await journey.ingest(Items(*kept, with_address(NEW)), tenant=TENANT, kb=KB, prune=("",))
    for tenant, kb in ((OTHER_TENANT, KB), (TENANT, OTHER_KB)):
        await journey.ingest(Items(*first), tenant=tenant, kb=kb, prune=())
    return made


CUSTOMER = asker()
INSIDER = asker(level=Level.INTERNAL)
TEAMMATE = asker(acl=frozenset({EVERYONE, "team"}))
PRINCIPALS = (CUSTOMER, INSIDER, TEAMMATE)
