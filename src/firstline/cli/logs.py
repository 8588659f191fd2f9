"""How is the log written? To standard error, as text or as JSON, each line with the turn that it belongs to."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any, Final

from firstline.domain import trace_id_of
from firstline.turn_context import parent_span, turn_under_way

TEXT: Final = "%(levelname)s %(name)s: %(message)s%(of_turn)s"


class OfTurn(logging.Filter):
    """Writes `turn` and `of_turn` into every record. A filter of the handler: records of libraries pass it too."""

    def filter(self, record: logging.LogRecord) -> bool:
        turn = turn_under_way()
        record.turn = turn
        record.of_turn = f" [turn {turn}]" if turn else ""
        return True


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and where they are known turn, trace_id and error."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if turn := getattr(record, "turn", ""):
            parent = parent_span()
            told |= {"turn": turn, "trace_id": parent[0] if parent else trace_id_of(turn)}
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)


def configure_logs(*, level: str, form: str) -> None:
    """For the whole process; the first call counts."""
    handler = logging.StreamHandler()
    handler.addFilter(OfTurn())
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter(TEXT))
    logging.basicConfig(level=level.upper(), handlers=[handler])
