"""When is a job that failed done again? Decided by what the error asks for, the same on every engine."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from firstline.errors import Conflict, FirstlineError, TooManyRequests, Unavailable

PROBLEM_CHARS_MAX: Final = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How often, how far apart. The defaults try for about two hours. Who is in the way ends by itself: a Conflict is
    waited for without counting."""

    attempts_max: int = 20
    backoff_s: float = 1.0
    backoff_s_max: float = 600.0
    conflict_s: float = 1.0
    asked_s_max: float = 86_400.0

    def again_in_s(self, error: Exception, *, attempts: int) -> float | None:
        """`attempts` before this one; None: it is given up."""
        if isinstance(error, Conflict):
            return self.conflict_s
        if not isinstance(error, Unavailable | TooManyRequests) or attempts + 1 >= self.attempts_max:
            return None
        full = min(self.backoff_s_max, self.backoff_s * 2.0 ** min(attempts, 30))
        # Jitter: what failed together must not come back together.
        pause_s = full * (0.5 + random.random() / 2)  # noqa: S311 (not a secret)
        asked_s = error.retry_after_s if isinstance(error, TooManyRequests) else 0.0
        return max(pause_s, min(asked_s, self.asked_s_max))

    @staticmethod
    def counted(error: Exception, *, attempts: int) -> int:
        """`attempts` after this one."""
        return attempts if isinstance(error, Conflict) else attempts + 1

    @staticmethod
    def problem_of(error: Exception) -> str:
        """Only errors raised on purpose speak for themselves: another one may quote what a document says."""
        said = str(error) if isinstance(error, FirstlineError) else f"It failed ({type(error).__name__}); see the log."
        return said[:PROBLEM_CHARS_MAX]
