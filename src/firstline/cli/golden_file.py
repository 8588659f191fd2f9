"""Can the file of golden cases be used that the settings name? Whoever ingests should hear of it before they check."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def cases_problem(settings: Any) -> str:
    """What is wrong with it, and what follows from that; empty when it is fine, or when none is named."""
    from firstline.errors import InvalidInput
    from firstline.evals.cases import load_cases

    if not settings.golden_cases:
        return ""
    try:
        load_cases(Path(settings.golden_cases))
    except InvalidInput as error:
        return (
            f"the setting `golden_cases` names a file that cannot be used, so a large change waits for a check that "
            f"fails. {error}"
        )
    return ""
