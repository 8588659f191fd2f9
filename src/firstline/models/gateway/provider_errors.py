"""What a provider's error means here. Called at the edge: no error of a library goes beyond it.

No message quotes what a provider said: it may repeat a key or a customer's words. Its error code, a short word, is
told.
"""

from __future__ import annotations

import math
import re
from typing import Final

from pydantic_ai import exceptions as theirs

from firstline.errors import Broken, FirstlineError, InvalidInput, NotFound, TooLong, TooManyRequests, Unavailable
from firstline.models.gateway.streams import AGAIN

RETRY_AFTER_S: Final = 1.0
"""Where a provider asks for a pause and does not say how long."""
CODE: Final = re.compile(r"[A-Za-z0-9_.-]{1,60}")
# Their categories are sorted by meaning, and have to be looked at from the most specific to the least.
TOO_LONG: Final = re.compile(r"context.{0,20}(length|window|size)|too (long|many tokens)|exceed.{0,30}context", re.I)
BODY_CHARS_MAX: Final = 4_000


class Refused(Exception):
    """Not an error: the provider's filter or the model refused to answer. `NamedEnds` names it."""


def translated(error: Exception, name: str) -> FirstlineError:
    """`name` is the model as the settings name it. Raises Refused when it is no error."""
    if isinstance(error, theirs.ContentFilterError):
        raise Refused from error
    if isinstance(error, theirs.ModelAPIError):
        return _of_api(error, name)
    if isinstance(error, theirs.UserError):
        return InvalidInput(
            f"{name} cannot be asked like this: {error.message[:300]}", remedy="Correct its table under [models]."
        )
    # What is left is an answer that is not in the form it should be, from their code or from the client's.
    return Unavailable(f"{name} answered what cannot be read ({type(error).__name__}).", remedy=AGAIN)


def _of_api(error: theirs.ModelAPIError, name: str) -> FirstlineError:
    code = _code(error)
    if isinstance(error, theirs.ModelContextWindowExceededError) or _says_too_long(error):
        return TooLong(f"The prompt is longer than {name} can read{code}.", remedy="Send less evidence or history.")
    if isinstance(error, theirs.ModelAuthenticationError):
        return InvalidInput(
            f"{name} does not accept the key{code}.",
            remedy="Set the right key in the variable or file that its table under [models] names (docs/models.md).",
        )
    if isinstance(error, theirs.ModelNotFoundError):
        return NotFound(
            f"{name} is not known to its provider{code}.", remedy="Correct `model` or `base_url` under [models]."
        )
    if isinstance(error, theirs.ModelQuotaExceededError):
        return Broken(
            f"The account behind {name} has nothing left to spend{code}.", remedy="Pay its provider, or name another."
        )
    if isinstance(error, theirs.ModelRateLimitError):
        asked = error.retry_after
        wait = asked if asked is not None and math.isfinite(asked) and asked >= 0 else RETRY_AFTER_S
        return TooManyRequests(f"{name} asks for a pause{code}.", retry_after_s=wait, remedy=AGAIN)
    if isinstance(error, theirs.ModelRequestRejectedError):
        if "content" in code and ("filter" in code or "policy" in code):
            raise Refused from error
        return InvalidInput(
            f"{name} does not accept the request{code}.",
            remedy="`firstline doctor --models` asks something simple; look at `json_mode` and `max_tokens`.",
        )
    if isinstance(error, theirs.ModelTimeoutError | theirs.ModelRequestTimeout):
        return Unavailable(f"{name} was too late.", remedy=AGAIN)
    if isinstance(error, theirs.ModelConnectionError):
        return Unavailable(f"{name} cannot be reached, or broke off.", remedy=AGAIN)
    return Unavailable(f"{name} failed{code}.", remedy=AGAIN)


def _code(error: theirs.ModelAPIError) -> str:
    status = f"status {error.status_code}" if isinstance(error, theirs.ModelHTTPError) else ""
    said = error.provider_error_code or ""
    word = said if CODE.fullmatch(said) and said != str(getattr(error, "status_code", "")) else ""
    told = ", ".join(part for part in (status, word) if part)
    return f" ({told})" if told else ""


def _says_too_long(error: theirs.ModelAPIError) -> bool:
    """Compatible servers say it in words, each in its own."""
    rejected = isinstance(error, theirs.ModelRequestRejectedError) or getattr(error, "status_code", 0) == 413
    return rejected and bool(TOO_LONG.search(str(error.body)[:BODY_CHARS_MAX]))
