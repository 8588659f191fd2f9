"""The ledger on Postgres, embedded or by URL."""

from firstline.engines.postgres.opening import PostgresLedgers, open_postgres

__all__ = ["PostgresLedgers", "open_postgres"]
