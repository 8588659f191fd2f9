"""One tree of errors, sorted by what the caller does next.

    FirstlineError                 message says what happened, remedy says what to do
    |-- InvalidInput               the caller sent something unusable: change it (exit 2, HTTP 422)
    |   |-- NotAccepted            one document cannot be read: fix or leave out that document (HTTP 422)
    |   |-- TooLong                a model cannot read that much: send less of it (HTTP 422)
    |   `-- NotFound               no such thing, or not visible to this principal (exit 2, HTTP 404)
    |-- Unauthenticated            who are you? send a valid key (exit 3, HTTP 401)
    |-- Forbidden                  the key is valid and does not allow this (exit 3, HTTP 403)
    |-- TooManyRequests            wait `retry_after_s`, then repeat (exit 4, HTTP 429)
    |   `-- OverBudget             what may be spent on models is spent: do without, no other model helps (HTTP 429)
    |-- Conflict                   somebody else holds it: wait or stop the other (exit 4, HTTP 409)
    |-- Unavailable                an engine or model is down or late: repeat later (exit 5, HTTP 503)
    `-- Broken                     the installation or the data needs an operator (exit 6, HTTP 500)
        `-- DataTooNew             the data folder was written by a newer firstline: upgrade

Expected outcomes of a question are values (`domain.Outcome`), never exceptions.
"""

from __future__ import annotations


class FirstlineError(Exception):
    """Base of every error that firstline raises on purpose.

    `remedy` is a sentence that tells the reader what to do; surfaces print it after the message.
    """

    exit_code = 1
    http_status = 500
    code = "error"

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class InvalidInput(FirstlineError):
    exit_code = 2
    http_status = 422
    code = "invalid_input"


class NotAccepted(InvalidInput):
    code = "not_accepted"


class TooLong(InvalidInput):
    code = "too_long"


class NotFound(InvalidInput):
    http_status = 404
    code = "not_found"


def graph_is_off() -> NotFound:
    """Whoever asks for the graph where none is kept."""
    return NotFound("There is no graph here: it is off.", remedy="Set `graph` to ledger, then `firstline graph build`.")


class Unauthenticated(FirstlineError):
    exit_code = 3
    http_status = 401
    code = "unauthenticated"


class Forbidden(FirstlineError):
    exit_code = 3
    http_status = 403
    code = "forbidden"


class TooManyRequests(FirstlineError):
    exit_code = 4
    http_status = 429
    code = "too_many_requests"

    def __init__(self, message: str, *, retry_after_s: float, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after_s = retry_after_s


class OverBudget(TooManyRequests):
    code = "over_budget"


class Conflict(FirstlineError):
    exit_code = 4
    http_status = 409
    code = "conflict"


class Unavailable(FirstlineError):
    exit_code = 5
    http_status = 503
    code = "unavailable"


class Broken(FirstlineError):
    exit_code = 6
    code = "broken"


class DataTooNew(Broken):
    code = "data_too_new"


def content_changed(doc_id: str) -> Conflict:
    """Somebody decides on a content of a document that is not the one held."""
    return Conflict(
        f"What is held of {doc_id!r} is another content than that one.",
        remedy=f"Look at it: `firstline quarantine show {doc_id}`.",
    )
