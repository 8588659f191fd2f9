"""Discussions of GitHub, which its GraphQL API alone knows."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any, Final

from firstline.connectors.http import HttpClient, HttpReply
from firstline.connectors.vendors.answers import LIMITED_S, Json, ask, inner, inner_list, record, text
from firstline.connectors.vendors.paging import place_after
from firstline.errors import Forbidden, InvalidInput, NotFound, TooManyRequests, Unavailable

PAGES_MAX: Final = 10_000
COMMENT_PAGES_MAX: Final = 20
_LISTING: Final = "The GraphQL API"
_LIST: Final = """query($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussions(first: 100, after: $after, orderBy: {field: CREATED_AT, direction: ASC}) {
      pageInfo { hasNextPage endCursor }
      nodes { number updatedAt isAnswered closed comments { totalCount } }
    }
  }
}"""
_POST: Final = "body isMinimized isAnswer authorAssociation author { __typename }"
_ONE: Final = f"""query($owner: String!, $name: String!, $number: Int!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    discussion(number: $number) {{
      number title body url updatedAt closed
      category {{ name }}
      labels(first: 50) {{ nodes {{ name }} }}
      comments(first: 50, after: $after) {{
        pageInfo {{ hasNextPage endCursor }}
        nodes {{ {_POST} replies(first: 50) {{ nodes {{ {_POST} }} }} }}
      }}
    }}
  }}
}}"""


class Discussions:
    """Of one repository. Errors that come with status 200 are raised as what they are."""

    def __init__(self, http: HttpClient, url: str, repository: str) -> None:
        self._http = http
        self._url = url
        owner, _, name = repository.partition("/")
        self._where = {"owner": owner, "name": name}

    async def listed(self) -> AsyncIterator[Json]:
        """Every discussion in the order in which they were begun."""
        after = ""
        for _ in range(PAGES_MAX):
            repository = await self._asked(_LIST, after=after or None)
            discussions = inner(repository, "discussions")
            for node in inner_list(discussions, "nodes"):
                yield node
            info = inner(discussions, "pageInfo")
            after = place_after(after, text(info, "endCursor"), more=info.get("hasNextPage") is True, where=_LISTING)
            if not after:
                return

    async def one(self, number: int) -> tuple[Json, list[Json]]:
        """(discussion, its comments). NotFound when it is gone."""
        after = ""
        found: Json = {}
        comments: list[Json] = []
        for _ in range(COMMENT_PAGES_MAX):
            found = inner(await self._asked(_ONE, number=number, after=after or None), "discussion")
            if not found:
                raise NotFound(f"Discussion {number} is not there.", remedy="It was deleted or moved.")
            comments.extend(inner_list(found, "comments", "nodes"))
            info = inner(found, "comments", "pageInfo")
            after = place_after(after, text(info, "endCursor"), more=info.get("hasNextPage") is True, where=_LISTING)
            if not after:
                break
        return found, comments

    async def _asked(self, query: str, **variables: Any) -> Json:
        asked = {"query": query, "variables": {**self._where, **variables}}
        answer, reply = await ask(self._http, self._url, data=asked)
        answered = record(answer, "The GraphQL API")
        errors = inner_list(answered, "errors")
        if errors:
            raise _error(errors[0], reply)
        repository = inner(answered, "data", "repository")
        if not repository:
            raise InvalidInput(
                "The GraphQL API did not answer as documented.", remedy="Check the address and the token of the source."
            )
        return repository


def _error(error: Json, reply: HttpReply) -> Exception:
    kind, said = text(error, "type"), text(error, "message")[:200]
    if kind == "RATE_LIMITED":
        try:
            wait_s = max(1.0, float(reply.headers.get("x-ratelimit-reset", "")) - time.time())
        except ValueError:
            wait_s = LIMITED_S
        return TooManyRequests(
            "The GraphQL API has had too many requests from us.",
            retry_after_s=wait_s,
            remedy="The next sync goes on from here.",
        )
    if kind == "NOT_FOUND":
        return NotFound(f"It is not there: {said}", remedy="Check its name, and what the token may read.")
    if kind in ("FORBIDDEN", "INSUFFICIENT_SCOPES"):
        return Forbidden(f"The token may not read discussions: {said}", remedy="Give it that right.")
    if "timeout" in said.lower() or "something went wrong" in said.lower():
        return Unavailable(f"The GraphQL API failed: {said}", remedy="The next sync goes on from here.")
    return InvalidInput(f"The GraphQL API refused: {said}", remedy="Check the source's settings.")
