"""The ledger on Postgres, embedded or by URL."""
