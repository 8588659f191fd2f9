"""Postgres's exceptions, translated at the edge into what the caller does next."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
import psycopg_pool
from psycopg import errors

from firstline.errors import Broken, Conflict, FirstlineError, InvalidInput, NotFound, Unavailable

LATER = "Repeat in a moment; `firstline doctor` looks closer."


@contextmanager
def translated() -> Generator[None]:
    """Turn psycopg's exceptions raised inside into firstline's."""
    try:
        yield
    except (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.TooManyRequests) as error:
        raise explain(error) from error


def explain(error: Exception) -> FirstlineError:
    """Never quotes values: only Postgres's primary message goes in, and none for data errors."""
    reason = first_line(error)
    match error:
        case errors.DiskFull():
            return Unavailable("The disk of the database is full.", remedy="Free some space, then repeat.")
        case errors.UniqueViolation():
            return Conflict("That is already there.", remedy="Use another id, or read what is there.")
        case errors.ForeignKeyViolation():
            return NotFound("What this belongs to does not exist.", remedy="Create that first.")
        case psycopg.DataError():
            return InvalidInput("The database cannot store one of these values.", remedy="Check the input.")
        case errors.InsufficientPrivilege():
            return Broken(f"The database denies this user what firstline needs: {reason}", remedy="Grant it.")
        case errors.QueryCanceled():
            return Unavailable("The database took too long.", remedy=LATER)
        case psycopg_pool.PoolTimeout() | psycopg_pool.TooManyRequests():
            return Unavailable("No connection to the database became free in time.", remedy=LATER)
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return Unavailable(f"The database cannot be reached: {reason}", remedy=LATER)
        case _:
            return Broken(f"The database refused a statement: {reason}", remedy="`firstline doctor` looks closer.")


def first_line(error: Exception) -> str:
    """Postgres puts values into DETAIL and CONTEXT lines, which follow the first."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
