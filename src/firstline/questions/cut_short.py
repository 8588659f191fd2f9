"""What ends a turn before it has come to an outcome: its deadline, or an engine that is down, slow or lies."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from firstline.errors import FirstlineError, Unavailable
from firstline.questions.trail import HANDED_OVER, Trail

logger = logging.getLogger(__name__)

BEGIN_S_MIN: Final = 2.0
"""The ledger is given this long to begin a turn that waited for its place until its deadline."""

RECORD_S_MAX: Final = 5.0
"""A turn that is not recorded by then, after its outcome, is none."""


@contextmanager
def cut_short(trail: Trail) -> Generator[None]:
    """Whatever goes wrong within ends the block, and the trail says where and why."""
    try:
        trail.as_then("turn", HANDED_OVER)
        yield
    except TimeoutError:
        logger.warning("a turn reached its deadline")
        trail.handed_over("late")
    except FirstlineError as error:
        logger.warning("a turn failed: %s", error.code)
        trail.handed_over("broken")
    except Exception as error:  # an engine may break in ways that it does not know of
        logger.error("a turn failed: %s at %s", type(error).__name__, _where(error))
        trail.handed_over("broken")


@asynccontextmanager
async def ledger_s_max(seconds: float) -> AsyncGenerator[None]:
    """For what a turn cannot do without. Unavailable when it takes longer: then nothing is recorded."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise Unavailable("The ledger did not answer in time.", remedy="Send the message again in a moment.") from error


def _where(error: BaseException) -> str:
    """The line that raised it. Not its message: that may quote what a person wrote."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"
