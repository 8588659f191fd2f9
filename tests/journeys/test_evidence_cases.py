"""Hard cases of finding the evidence, each as one question to the shipped embedder on pages that mislead on purpose."""

from __future__ import annotations

import asyncio

import pytest
from world import KB, World, asker, page

from firstline.domain import Answered, Completeness
from firstline.engines.memory.index import MemoryIndex
from firstline.models.classifier import open_classifier
from firstline.models.embedder import open_embedder
from firstline.settings import Settings
from firstline.wiring import gates_of

DEEP = """# Duplicate keys

General remarks about keys that occur twice.

## Causes

### Imports

#### Batches

##### After a retry

A batch that was sent again after a timeout is applied twice. Set `idempotent: true` in the import profile, so that the
server recognises the second batch.
"""

TABLE = """# Limits

| Plan | Collections | Snapshot retention |
|---|---|---|
| Small | 20 | 7 days |
| Large | 400 | 90 days |
"""

CODE = """# Client settings

```python
client = connect(
    url,
    # raise pool_wait_ms when the log says "no free socket in pool"
    pool_wait_ms=5000,
)
```
"""

CAUSE = """# Driver 3 and unique indexes

Driver 3 retries a write that was already stored. The second write meets the unique index and the server answers E11000.
Upgrade to driver 4, which marks retried writes.
"""

INSERTS = [
    page(
        f"inserts-{number}",
        f"# Inserts and indexes, part {number}\n\nInserts of {topic} are fast when the index on {topic} is small. A "
        f"duplicate key in the index of {topic} is refused with an error. The index is kept in memory.\n",
    )
    for number, topic in enumerate(
        "orders users carts parcels invoices events visits sessions devices sensors rooms desks books films songs "
        "teams games trips routes".split()
    )
]

PAGES = [
    page("deep", DEEP),
    page("limits", TABLE),
    page("client", CODE),
    page("cause", CAUSE),
    page("on", "# Turn audit logging on\n\nSet `audit: on` in the server file and restart. Every login is written.\n"),
    page("off", "# Turn audit logging off\n\nSet `audit: off` in the server file. No restart is needed.\n"),
    page(
        "without",
        "# Backups without downtime\n\nUse a snapshot of the secondary. Clients go on writing meanwhile.\n",
    ),
    page("backup", "# Backups with downtime\n\nStop the server, copy the data folder, start the server.\n"),
    page("replica", "# Replica sets\n\nA replica set has three members, and one of them is elected primary.\n"),
    page(
        "gateway-hub",
        "# Hub gateway\n\nThe Hub gateway routes messages between sites. Its port is 7001 unless changed.\n",
    ),
    page(
        "gateway-pay",
        "# Pay gateway\n\nThe Pay gateway sends card payments to the bank. Its port is 9443 unless changed.\n",
    ),
    page("errors", "# SQL0911N\n\nThe transaction was rolled back because of a deadlock or a timeout. Retry it.\n"),
    page("errors-2", "# SQL0912N\n\nThe lock list is full. Raise LOCKLIST or commit more often.\n"),
    *INSERTS,
]

TRACE = "\n".join(
    f"2026-01-{day:02d} 10:{minute:02d}:07,123 [pool-{minute}] 0x7ffe{day:02x}{minute:02x}a0 "
    f"at com.example.net.Worker{minute}.run(Worker{minute}.java:{100 + minute})"
    for day in (3, 4)
    for minute in range(45)
)


@pytest.fixture(scope="module")
def world() -> World:
    embedder = open_embedder(name="", model="", api_key="", threads=1)
    made = World(index=MemoryIndex(dimensions=embedder.dimensions), embedder=embedder)  # pyright: ignore[reportArgumentType]
    asyncio.run(made.ingest(*PAGES))
    return made


async def found(world: World, question: str, *, limit: int = 3) -> list[str]:
    ranked = await world.questions(question_chars_max=20_000).rank(principal=asker(), kb=KB, question=question)
    return [document.doc_id for document in ranked[:limit]]


@pytest.mark.parametrize(
    ("question", "doc_id"),
    [
        ("A batch sent again after a timeout gives duplicate keys. What do I set?", "deep"),
        ("How long are snapshots kept on the Large plan?", "limits"),
        ('The log says "no free socket in pool". What can I raise?', "client"),
        ("Why does a retried write of driver 3 end in a duplicate key error?", "cause"),
        ("E11000", "cause"),
        ("SQL0911N", "errors"),
        ("sql0912n", "errors-2"),
        ("how do I turn audit logging on?", "on"),
        ("how do I turn audit logging off?", "off"),
        ("make a backup without downtime", "without"),
        ("How many members do replicasets have?", "replica"),
        ("how many members does a ReplicaSet have", "replica"),
        ("Which port does the Pay gateway use?", "gateway-pay"),
        ("Which port does the Hub gateway use?", "gateway-hub"),
        ("no free socket\nin pool\n\nwhat\nto raise", "client"),
        ("no   free\tsocket in     pool", "client"),
        ("Can you tell me why &quot;no free socket in pool&quot; is logged?", "client"),
    ],
)
async def test_the_page_that_answers_comes_first(world: World, question: str, doc_id: str) -> None:
    assert (await found(world, question))[0] == doc_id


async def test_one_line_of_question_in_eight_thousand_characters_of_trace(world: World) -> None:
    question = f"{TRACE}\nSqlException: SQL0911N\n{TRACE}\nWhat does this mean?"
    assert len(question) > 8_000

    assert "errors" in await found(world, question)


@pytest.mark.parametrize("question", ["SQL0911N", "What does SQL0911N mean?", "I get error SQL0911N"])
async def test_a_code_and_little_else_is_answered_from_the_page_of_that_name(world: World, question: str) -> None:
    journey = world.questions()
    journey._gates = gates_of(Settings())  # pyright: ignore[reportPrivateUsage]  (as shipped, not the toys)
    turn = await journey.ask(session=await world.session(question), principal=asker(), question=question)

    assert isinstance(turn.outcome, Answered)
    assert turn.outcome.claims[0].citations[0].doc_id == "errors"


@pytest.mark.parametrize("code", ["SQL0987N", "SQL091", "SQL09112N", "QL0911N"])
async def test_an_unknown_code_is_never_answered_from_another_codes_page(world: World, code: str) -> None:
    journey = world.questions()
    journey._gates = gates_of(Settings())  # pyright: ignore[reportPrivateUsage]  (as shipped, not the toys)
    turn = await journey.ask(session=await world.session(code), principal=asker(), question=code)

    assert not isinstance(turn.outcome, Answered)


@pytest.mark.parametrize(
    "question",
    [
        "Wie lange werden Sicherungen der Rechnungen nach der Kündigung in Frankreich aufbewahrt?",
        "請求書の支払い方法を変更するにはどうすればいいですか",
        "请问如何更改发票的付款方式",
        "Bonjour, comment changer la couleur du thème in the mobile App?",
    ],
)
async def test_another_language_is_never_answered_from_a_wrong_page(world: World, question: str) -> None:
    """None of the pages answers these, in any language."""
    journey = world.questions()
    journey._gates = gates_of(Settings())  # pyright: ignore[reportPrivateUsage]  (as shipped, not the toys)
    journey._classifier = open_classifier(embedder=world.embedder.model_id)  # pyright: ignore[reportPrivateUsage]
    turn = await journey.ask(session=await world.session(question), principal=asker(), question=question)

    full = isinstance(turn.outcome, Answered) and turn.outcome.completeness is Completeness.FULL
    assert not full
