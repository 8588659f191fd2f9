"""One evaluation run as JSON: written, read back, checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from firstline.errors import InvalidInput
from firstline.evals.evaluate import Judged, Ranked

FORMAT: Final = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Results:
    """`about` says what was run (commit, settings hash, split). `judged` are turns with the gates as shipped,
    `judged_open` the same questions with the gates held open."""

    name: str
    about: Mapping[str, str] = field(default_factory=dict[str, str])
    ranked: tuple[Ranked, ...] = ()
    judged: tuple[Judged, ...] = ()
    judged_open: tuple[Judged, ...] = ()


def save(results: Results, path: Path) -> None:
    """Replaces the file in one move: a reader sees the old run or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {"format": FORMAT, **asdict(results)}
    half = path.with_suffix(".part")
    half.write_text(json.dumps(_finite(record), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    half.replace(path)


def load(path: Path) -> Results:
    """InvalidInput when the file is missing or is not such a run."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise InvalidInput(
                f"{path} was written in format {record['format']}, this version reads {FORMAT}.", remedy="Run it again."
            )
        return Results(
            name=str(record["name"]),
            about=cast("dict[str, str]", record["about"]),
            ranked=tuple(Ranked(**_tuples(one)) for one in record["ranked"]),
            judged=tuple(Judged(**_tuples(one)) for one in record["judged"]),
            judged_open=tuple(Judged(**_tuples(one)) for one in record["judged_open"]),
        )
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", remedy="Name a results file.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} is not a results file.", remedy="Name a file that an evaluation wrote.") from error


def _tuples(record: Mapping[str, Any]) -> dict[str, Any]:
    lists = {"gold", "ranked", "expected", "lacking"}
    found = {name: tuple(value) if name in lists else value for name, value in record.items()}
    if "spans" in found:
        found["spans"] = tuple((str(blob), int(start), int(end)) for blob, start, end in found["spans"])
    return found


def _finite(value: Any) -> Any:
    """JSON has no NaN: a figure that could not be measured is null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in cast("list[Any]", value)]
    return value
