"""Which parts of a message are prose, and which are code or the frames of a trace?

Code is no sentence: a line of it is neither the problem nor what something runs on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.questions.message.pasted import is_frame

FENCE: Final = "```"
CODE_CHARS_MAX: Final = 200
CODE_LINES_SHOWN: Final = 3
_PROMPT: Final = re.compile(r"^\s*(?:\$\s+\S|>>>\s|\.\.\.\s|[\w:@~/.-]{2,40}[>#$]\s+\S)")
_STATEMENT: Final = re.compile(
    r"""^\s*(?:[{}()\[\]]+[;,]?\s*$ | (?:import|from|const|let|var|func|fn|public|private|return|if|for|while|try
       |catch|using
       |package|require|include)\b.*[({;]\s*$ | (?:def|class)\s+\w+.*:\s*$ | [\w.$]+\s*(?::=
       |=)\s*[\w.'"\[{(].*[)\]}'";]\s*$
       | [\w.$]+\([^()]{0,200}\);?\s*$ | .*;\s*$ | </?\w+[^>]*>\s*$)""",
    re.VERBOSE,
)


def prose_and_code(message: str) -> tuple[str, str]:
    """The message without code and frames, and its code, a line each. Fences decide; without them only what can be no
    sentence counts as code."""
    prose: list[str] = []
    code: list[str] = []
    fenced = False
    for line in message.splitlines():
        if line.strip().startswith(FENCE):
            fenced = not fenced
            continue
        if fenced or _PROMPT.match(line) or _STATEMENT.match(line):
            code.append(line)
        elif not is_frame(line):
            prose.append(line)
    if fenced and not any(one.strip() for one in prose):
        # A fence that nobody closed holds everything that was said.
        return message.replace(FENCE, " "), ""
    return "\n".join(prose), "\n".join(code)


def shown_of(code: str) -> Iterator[str]:
    """The first lines of it, and how many there are."""
    lines = [" ".join(line.split()) for line in code.splitlines() if line.strip(" \t{}()[];")]
    yield from (line[:CODE_CHARS_MAX] for line in lines[:CODE_LINES_SHOWN])
    if len(lines) > CODE_LINES_SHOWN:
        yield f"({len(lines)} lines)"
