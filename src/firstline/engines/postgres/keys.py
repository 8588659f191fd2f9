"""API keys on Postgres."""

from __future__ import annotations

from datetime import datetime

from psycopg.rows import DictRow

from firstline.domain import ApiKey, KeyScope, Level, Principal
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable, storable_id
from firstline.errors import NotFound


class PostgresKeyLedger:
    """See ports.KeyLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_key(self, key: ApiKey) -> None:
        async with self._database.connection() as connection:
            await connection.execute(
                """INSERT INTO firstline.api_keys (key_id, secret_sha256, name, tenant, user_id, acl_tags, level, kb,
                    created_at, expires_at, revoked_at, scopes)
                VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)""",
                [
                    storable_id(key.key_id),
                    key.secret_sha256,
                    storable(key.name),
                    storable_id(key.principal.tenant),
                    storable_id(key.principal.user),
                    sorted(storable_id(tag) for tag in key.principal.acl_tags),
                    int(key.principal.level),
                    storable_id(key.kb),
                    key.created_at,
                    key.expires_at,
                    key.revoked_at,
                    sorted(key.scopes),
                ],
            )

    async def key(self, key_id: str) -> ApiKey | None:
        row = await self._database.row("SELECT * FROM firstline.key_by_id(%s)", [storable(key_id)])
        return _read(row) if row else None

    async def keys(self, *, tenant: str) -> list[ApiKey]:
        rows = await self._database.rows(
            "SELECT * FROM firstline.api_keys WHERE tenant = %s ORDER BY created_at, key_id", [storable(tenant)]
        )
        return [_read(row) for row in rows]

    async def revoke_key(self, key_id: str, *, tenant: str, at: datetime) -> None:
        # The first revocation stands: a later one must not make the key look valid for longer.
        row = await self._database.row(
            """UPDATE firstline.api_keys SET revoked_at = least(revoked_at, %s)
            WHERE key_id = %s AND tenant = %s RETURNING key_id""",
            [at, storable(key_id), storable(tenant)],
        )
        if row is None:
            raise NotFound("There is no such key.", remedy="`firstline key list` shows the keys of this tenant.")


def _read(row: DictRow) -> ApiKey:
    return ApiKey(
        key_id=row["key_id"],
        secret_sha256=row["secret_sha256"],
        name=row["name"],
        principal=Principal(
            tenant=row["tenant"],
            user=row["user_id"],
            acl_tags=frozenset(row["acl_tags"]),
            level=Level(row["level"]),
        ),
        kb=row["kb"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
        scopes=frozenset(KeyScope(scope) for scope in row["scopes"]),
    )
