"""Problems in the OpenAPI description: which statuses an operation may answer with, and what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fastapi import FastAPI
from pydantic import BaseModel, Field

MEDIA_TYPE: Final = "application/problem+json"

MEANINGS: Final[Mapping[int, str]] = {
    400: "The request cannot be read: its body is not UTF-8, or its JSON is nested too deep.",
    401: "No key, or one that is wrong, expired or revoked.",
    403: "The key is valid and does not allow this.",
    404: "There is no such thing, or it is not yours: the two are not told apart.",
    405: "This address does not take that method; `Allow` names those it takes.",
    408: "The request did not arrive in time.",
    409: "Somebody else was quicker, or the move is not allowed now: read again, then repeat.",
    413: "The request is too large.",
    422: "A field is missing or not usable: `errors` names each, with what is allowed.",
    429: "Too many requests: wait the seconds that `Retry-After` says.",
    500: "Something went wrong on the service's side.",
    503: "An engine is down or late, or all places are taken: repeat later.",
}
METHODS: Final = frozenset({"get", "post", "put", "patch", "delete"})


class ProblemField(BaseModel):
    place: str = Field(description="body, query, path or header.")
    field: str = Field(description="The field's name; empty when the whole of it is meant.")
    problem: str
    allowed: str


class Problem(BaseModel):
    """An error (RFC 9457): what happened, and what to do."""

    type: str = Field(description="urn:firstline:problem: and the code.")
    title: str
    status: int
    detail: str
    remedy: str
    code: str
    errors: list[ProblemField] = Field([], description="With 422: what is wrong with which field.")
    retry_after_s: int | None = Field(None, description="Seconds to wait, where that is known.")
    request_id: str | None = None


def describe_problems(app: FastAPI) -> None:
    """Let the app's OpenAPI description list its problems."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            _add(plain())
        return app.openapi_schema or {}

    app.openapi = described


def _add(schema: dict[str, Any]) -> None:
    components = schema.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for model in (ProblemField, Problem):
        described = model.model_json_schema(ref_template="#/components/schemas/{model}")
        described.pop("$defs", None)
        schemas[model.__name__] = described
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    components["responses"] = {
        f"Problem{status}": {"description": meaning, "content": content} for status, meaning in MEANINGS.items()
    }
    for path, operations in schema["paths"].items():
        for method in METHODS & set(operations):
            operation = operations[method]
            responses = operation["responses"]
            responses.pop("422", None)
            for status in _statuses(path, method, operation):
                responses[str(status)] = {"$ref": f"#/components/responses/Problem{status}"}


def _statuses(path: str, method: str, operation: Mapping[str, Any]) -> Iterator[int]:
    if not path.startswith("/v1/"):
        yield from (503,) if path == "/readyz" else ()
        return
    changes = method != "get"
    if "requestBody" in operation:
        yield 400
    yield from (401, 403)
    if "{" in path:
        yield 404
    if changes:
        yield from (408, 409, 413)
    if "requestBody" in operation or operation.get("parameters"):
        yield 422
    yield from (429, 500, 503)
