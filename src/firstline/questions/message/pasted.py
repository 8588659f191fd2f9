"""What does a message with a pasted log or stack trace ask? Its own sentences, and the lines that name the error.

A vector reads the first few hundred words of a text, and a trace drowns the one line that matters. Only messages
longer than a usual question are touched, and only what is searched changes: the record keeps every word.
"""

from __future__ import annotations

import re
from typing import Final

from firstline.questions.message.terms import identifiers

PASTED_CHARS_MIN: Final = 800
CONDENSED_CHARS_MAX: Final = 1_200
LINES_MAX: Final = 2_000
LINE_CHARS_MAX: Final = 400
TOLD_MAX: Final = 12
"""Lines of a log that are kept: the first ones that tell something, each kind once."""

_FRAME: Final = re.compile(
    r"""^\s*(?:
        at\s+[\w.$<>/]+\s*[(\[]           # at com.example.Worker.run(Worker.java:101)
      | File\s+"[^"]*",\s+line            # File "worker.py", line 101, in run
      | \.\.\.\s+\d+\s+(?:more|common)    # ... 12 more
      | \#\d+\s+0x                        # #3 0x00007f
      | (?:[|+>*=~-]\s*){4,}$             # rules and boxes
    )""",
    re.VERBOSE,
)
_INLINE_FRAME: Final = re.compile(r"\bat\s+[\w.$<>]{3,200}\([\w.$: ]{0,80}\)")
_STAMP: Final = re.compile(
    r"^\W*(?:\w{3}\s+\d\d?\s+)?(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[/.:-]\d\d?[/.:-]\d\d(?:\d\d)?)"
    r"(?:[T\s,]*\d\d?:\d\d(?::\d\d)?[.,:\d]*)?(?:Z|\s+[A-Z]{3,4}\b|[+-]\d\d:?\d\d)?"
)
_ADDRESS: Final = re.compile(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{12,}\b|\[[\w\s#:.-]{0,40}\]", re.IGNORECASE)
_TELLS: Final = re.compile(
    r"error|exception|fail|fatal|denied|refused|reject|unable|cannot|could not|timed? ?out|invalid|missing|not found"
    r"|caused by|panic|abort",
    re.IGNORECASE,
)
_FIGURES: Final = re.compile(r"\d+")


def is_frame(line: str) -> bool:
    """A line of a stack trace that says where, and nothing of what."""
    return _FRAME.match(line) is not None


def condensed(message: str) -> str:
    """The message as it is searched: itself when it is short, or when nothing in it looks pasted."""
    if len(message) < PASTED_CHARS_MIN:
        return message
    prose: list[str] = []
    told: dict[str, str] = {}
    pasted = False
    for line in message.splitlines()[:LINES_MAX]:
        cut = line[:LINE_CHARS_MAX]
        stamp = _STAMP.match(cut)
        if stamp is None and not _FRAME.match(cut) and not _INLINE_FRAME.search(cut) and not _is_told(cut):
            prose.append(cut.strip())
            continue
        pasted = True
        rest = _INLINE_FRAME.sub(" ", _ADDRESS.sub(" ", cut[stamp.end() if stamp else 0 :])).strip()
        if not _FRAME.match(cut) and (_TELLS.search(rest) or identifiers(rest)):
            # The same line with other figures says the same again.
            told.setdefault(_FIGURES.sub("0", rest), rest)
    if not pasted:
        return message
    kept = "\n".join(line for line in (*prose, *list(told.values())[:TOLD_MAX]) if line)
    return kept[:CONDENSED_CHARS_MAX] or message


def _is_told(line: str) -> bool:
    """A line like `SqlException: SQL0911N`: a dotted or camel-case name, a colon, and what it says."""
    return re.match(r"^\s*(?:Caused by:\s*)?[\w.$]*(?:Exception|Error)\b\s*:", line) is not None
