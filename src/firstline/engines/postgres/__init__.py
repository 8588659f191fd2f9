"""The ledger on Postgres, embedded or by URL."""

from firstline.engines.postgres.opening import PostgresLedgers, open_postgres
from firstline.engines.postgres.server import mark_data_folder

__all__ = ["PostgresLedgers", "mark_data_folder", "open_postgres"]
