"""What persons said of the graph's names, on Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from psycopg.rows import DictRow

from firstline.domain import GraphRule, RuleKind, RulesRead
from firstline.domain.graph_rules import RULES_MAX
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable, storable_id
from firstline.errors import NotFound

RAISED = """UPDATE firstline.knowledge_bases SET forgotten = nextval('firstline.marks')
WHERE tenant = %s AND kb = %s"""


class PostgresGraphRules:
    """See ports.GraphRules."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def graph_rules(self, *, tenant: str, kb: str) -> RulesRead:
        # One statement, so that the mark is that of these rules.
        rows = await self._database.rows(
            """SELECT base.forgotten, rule.* FROM firstline.knowledge_bases AS base
            LEFT JOIN firstline.graph_rules AS rule
                ON rule.tenant = base.tenant AND rule.kb = base.kb AND rule.undone_at IS NULL
            WHERE base.tenant = %s AND base.kb = %s ORDER BY rule.number LIMIT %s""",
            [storable(tenant), storable(kb), RULES_MAX],
        )
        if not rows:
            return RulesRead()
        return RulesRead(
            mark=rows[0]["forgotten"], rules=tuple(_rule(row) for row in rows if row["number"] is not None)
        )

    async def graph_rules_said(self, *, tenant: str, kb: str, limit: int) -> list[GraphRule]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.graph_rules WHERE tenant = %s AND kb = %s
            ORDER BY number DESC LIMIT %s""",
            [storable(tenant), storable(kb), limit],
        )
        return [_rule(row) for row in rows]

    async def say_graph_rules(self, rules: Sequence[GraphRule], *, seen: int) -> list[GraphRule] | None:
        if not rules:
            return []
        place = [storable_id(rules[0].tenant), storable_id(rules[0].kb)]
        async with self._database.transaction() as connection:
            base = await connection.execute(
                "SELECT forgotten FROM firstline.knowledge_bases WHERE tenant = %s AND kb = %s FOR NO KEY UPDATE",
                place,
            )
            found = await base.fetchone()
            if found is None:
                raise NotFound(
                    f"There is no knowledge base {rules[0].kb!r}.",
                    remedy="`firstline status` lists them; `firstline ingest` makes one.",
                )
            if found["forgotten"] != seen:
                return None
            last = await connection.execute(
                "SELECT coalesce(max(number), 0) AS number FROM firstline.graph_rules WHERE tenant = %s AND kb = %s",
                place,
            )
            row = await last.fetchone()
            before: int = row["number"] if row else 0
            said = [replace(rule, number=number) for number, rule in enumerate(rules, start=before + 1)]
            async with connection.cursor() as cursor:
                await cursor.executemany(
                    """INSERT INTO firstline.graph_rules
                        (tenant, kb, number, kind, first, second, said_by, said_at, note)
                    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)""",
                    [
                        [
                            *place,
                            rule.number,
                            rule.kind.value,
                            storable_id(rule.first),
                            storable_id(rule.second),
                            storable(rule.by),
                            rule.at,
                            storable(rule.note),
                        ]
                        for rule in said
                    ],
                )
            await connection.execute(RAISED, place)
            return said

    async def undo_graph_rule(self, number: int, *, tenant: str, kb: str, by: str, at: datetime) -> GraphRule | None:
        place = [storable(tenant), storable(kb)]
        async with self._database.transaction() as connection:
            # In the order in which rules are said, so that nobody waits for the other.
            await connection.execute(
                "SELECT FROM firstline.knowledge_bases WHERE tenant = %s AND kb = %s FOR NO KEY UPDATE", place
            )
            undone = await connection.execute(
                """UPDATE firstline.graph_rules SET undone_at = %s, undone_by = %s
                WHERE tenant = %s AND kb = %s AND number = %s AND undone_at IS NULL""",
                [at, storable(by), *place, number],
            )
            if undone.rowcount:
                await connection.execute(RAISED, place)
            found = await connection.execute(
                "SELECT * FROM firstline.graph_rules WHERE tenant = %s AND kb = %s AND number = %s", [*place, number]
            )
            row = await found.fetchone()
        return None if row is None else _rule(row)


def _rule(row: DictRow) -> GraphRule:
    return GraphRule(
        tenant=row["tenant"],
        kb=row["kb"],
        kind=RuleKind(row["kind"]),
        first=row["first"],
        second=row["second"],
        by=row["said_by"],
        at=row["said_at"],
        note=row["note"],
        number=row["number"],
        undone_at=row["undone_at"],
        undone_by=row["undone_by"],
    )
