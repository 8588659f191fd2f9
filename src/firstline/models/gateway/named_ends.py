"""What came of it? Gives every end of an answer its name, and stops one that has none."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final

from firstline.domain import UNSEEN_ENDS, Completion, Finish, ModelRequest, Piece
from firstline.errors import FirstlineError, Unavailable
from firstline.models.gateway.json_schema import check_schema, misfit
from firstline.models.gateway.repetition import repeats
from firstline.models.gateway.streams import AGAIN, Wrapper

CHARS_PER_TOKEN_MAX: Final = 16
CHARS_FREE: Final = 400
ESCAPE_SIGNS_MAX: Final = 6
HALF_NUMBER: Final = re.compile(r"\.|[eE][-+]?")
LOOK_EVERY_CHARS: Final = 200
"""How much more text there is before it is looked through for repetition again."""


class NamedEnds(Wrapper):
    """Directly around a provider, which hands on what it is told."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        if request.schema is not None:
            check_schema(request.schema)
        name = self.model_id(request.role)
        chars_max = CHARS_FREE + request.max_tokens * CHARS_PER_TOKEN_MAX
        text, looked_at = "", 0
        stream = self._inner.stream(request)
        async with aclosing(stream):
            try:
                async for piece in stream:
                    if piece.completion is not None:
                        if piece.completion.finish in UNSEEN_ENDS and not text:
                            break
                        yield Piece(completion=_named(replace(piece.completion, text=text), request))
                        return
                    if not piece.text:
                        continue
                    text += piece.text
                    yield piece
                    if len(text) - looked_at >= LOOK_EVERY_CHARS:
                        looked_at = len(text)
                        if repeats(text):
                            yield _ended(text, Finish.REPEATING, name)
                            return
                        # A model that takes no notice of max_tokens is cut here.
                        if len(text) > chars_max:
                            yield _ended(text, Finish.CUT, name)
                            return
            except FirstlineError:
                if not text:
                    raise
        if not text:
            raise Unavailable("The model's answer ended before it began.", remedy=AGAIN)
        yield _ended(text, Finish.BROKEN_OFF, name)


def _ended(text: str, finish: Finish, name: str) -> Piece:
    return Piece(completion=Completion(text=text, finish=finish, model_id=name, counted=False))


def _named(done: Completion, request: ModelRequest) -> Completion:
    if done.finish not in (Finish.WHOLE, Finish.CUT):
        return done
    if repeats(done.text):
        return replace(done, finish=Finish.REPEATING)
    if not done.text.strip():
        return replace(done, finish=Finish.EMPTY if done.finish is Finish.WHOLE else Finish.CUT)
    if request.schema is None:
        return done
    if done.finish is Finish.CUT:
        return replace(done, finish=Finish.HALF_JSON)
    parsed, problem = read_json(done.text)
    if problem is not None:
        return replace(done, finish=problem)
    wrong = misfit(parsed, request.schema)
    if wrong:
        return replace(done, finish=Finish.INVALID_JSON, notes=(*done.notes, f"the JSON does not fit: {wrong}"))
    return replace(done, parsed=parsed)


def read_json(text: str) -> tuple[Any, Finish | None]:
    """The value, or what is wrong. A fence of Markdown around it is set aside; words around it are not JSON."""
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.partition("\n")[2].rstrip().removesuffix("```").rstrip()
    try:
        return json.loads(bare, parse_constant=_no_number), None
    except json.JSONDecodeError as error:
        return None, Finish.HALF_JSON if _stops(bare, error) else Finish.INVALID_JSON
    except (ValueError, RecursionError):
        return None, Finish.INVALID_JSON


def _stops(text: str, error: json.JSONDecodeError) -> bool:
    """Whether something is missing at the very end: a bracket, the rest of a text, a word, a number or an escape."""
    if text[:1] not in ("{", "[", '"'):
        return False
    rest = text[error.pos :]
    if not rest or error.msg.startswith("Unterminated"):
        return True
    if error.msg.startswith("Invalid \\"):
        return len(rest) <= ESCAPE_SIGNS_MAX
    return any(word.startswith(rest) for word in ("true", "false", "null", "-")) or bool(HALF_NUMBER.fullmatch(rest))


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
