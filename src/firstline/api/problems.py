"""Errors as application/problem+json (RFC 9457): what happened, what to try, never how the inside looks."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from firstline.api.problem_docs import MEDIA_TYPE, describe_problems
from firstline.api.validation import field_errors
from firstline.errors import Broken, FirstlineError, TooManyRequests, Unauthenticated

logger = logging.getLogger(__name__)

TITLES: Final[Mapping[int, str]] = {
    400: "Bad request",
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    408: "Too slow",
    409: "Conflict",
    413: "Too large",
    422: "Not usable",
    429: "Too many requests",
    500: "Something went wrong",
    503: "Not available right now",
}
UNEXPECTED: Final = "Something went wrong on our side."
UNEXPECTED_REMEDY: Final = "Try again; if it happens again, tell the operator the request id."


def problem_fields(error: Exception) -> dict[str, Any]:
    """The problem of any exception. Only errors raised on purpose speak for themselves."""
    if not isinstance(error, FirstlineError):
        return fields(500, code="unexpected", detail=UNEXPECTED, remedy=UNEXPECTED_REMEDY)
    if isinstance(error, Broken):
        # Written for the operator: it may name folders or hosts.
        return fields(500, code=error.code, detail="The service needs its operator.", remedy="Tell the operator.")
    found = fields(error.http_status, code=error.code, detail=error.message, remedy=error.remedy)
    if isinstance(error, TooManyRequests):
        found["retry_after_s"] = _whole_seconds(error.retry_after_s)
    return found


def fields(status: int, *, code: str, detail: str, remedy: str = "") -> dict[str, Any]:
    return {
        "type": f"urn:firstline:problem:{code}",
        "title": TITLES.get(status, "Error"),
        "status": status,
        "detail": detail,
        "remedy": remedy,
        "code": code,
    }


def problem_response(found: Mapping[str, Any], *, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse(
        dict(found), status_code=found["status"], media_type=MEDIA_TYPE, headers=dict(headers) if headers else None
    )


def respond(error: FirstlineError) -> Response:
    headers: dict[str, str] = {}
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = 'Bearer realm="firstline"'
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(_whole_seconds(error.retry_after_s))
    if isinstance(error, Broken):
        logger.error("%s", error)
    return problem_response(problem_fields(error), headers=headers)


def add_problem_handlers(app: FastAPI) -> None:
    async def on_firstline(_: Request, error: Exception) -> Response:
        assert isinstance(error, FirstlineError)  # noqa: S101 - registered for this class alone
        return respond(error)

    async def on_invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class alone
        return problem_response(invalid_request(error))

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class alone
        return problem_response(http_problem(error, method=request.method), headers=error.headers)

    app.add_exception_handler(FirstlineError, on_firstline)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)
    describe_problems(app)


def invalid_request(error: RequestValidationError) -> dict[str, Any]:
    found = field_errors(error.errors())
    problem = fields(
        422,
        code="invalid_input",
        detail=" ".join(str(each) for each in found),
        remedy="Correct the request; /docs shows its shape.",
    )
    return {**problem, "errors": [asdict(each) for each in found]}


def http_problem(error: HTTPException, *, method: str) -> dict[str, Any]:
    """What the web framework itself refuses: unknown addresses, wrong methods, bodies that cannot be read."""
    status = error.status_code
    code = TITLES.get(status, "error").lower().replace(" ", "_")
    match status:
        case 400:
            detail, remedy = "The body cannot be read.", "Send JSON in UTF-8, not nested deep; /docs shows its shape."
        case 404:
            detail, remedy = "There is nothing at this address.", "/docs lists what there is."
        case 405:
            allowed = (error.headers or {}).get("Allow", "")
            detail = f"This address does not take {method[:20]} requests."
            remedy = f"It takes {allowed}; /docs lists what there is." if allowed else "/docs lists what there is."
        case _:
            detail, remedy = f"{str(error.detail).rstrip('.')}.", "/docs lists what there is."
    return fields(status, code=code, detail=detail, remedy=remedy)


def _whole_seconds(seconds: float) -> int:
    return max(1, math.ceil(seconds))
