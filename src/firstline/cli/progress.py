"""A bar on standard error for work that is counted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager


@contextmanager
def counted(what: str) -> Generator[Callable[[int, int], None]]:
    """Hears (done, total). Nothing is drawn where nobody looks on."""
    from tqdm import tqdm

    with tqdm(desc=what, file=sys.stderr, disable=not sys.stderr.isatty()) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
