"""What did a vendor's API answer? JSON of the shape that its documentation names, or an error that says what came."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping
from typing import Any, Final, cast

from firstline.connectors.http import HttpClient, HttpReply, shown_url
from firstline.errors import InvalidInput, TooManyRequests, Unavailable

TRUNCATED_TRIES_MAX: Final = 3
TRUNCATED_PAUSE_S: Final = 0.2
LIMITED_S: Final = 60.0

Json = Mapping[str, Any]


class Expired(InvalidInput):
    """The other side does not know this place (cursor) any more: begin anew."""


async def ask(
    http: HttpClient,
    url: str,
    *,
    params: Mapping[str, str] | None = None,
    data: object = None,
    expired: Collection[int] = (),
) -> tuple[Any, HttpReply]:
    """(what the JSON says, the reply). `data` asks by POST. Expired for a status in `expired`; InvalidInput when a web
    page comes with status 200; Unavailable when the JSON stops in the middle every time; else as `HttpClient.get`."""
    for number in range(TRUNCATED_TRIES_MAX):
        if number:
            await asyncio.sleep(TRUNCATED_PAUSE_S * number)
        reply = await http.fetch(url, method="GET" if data is None else "POST", params=params, data=data)
        if reply.status in expired:
            raise Expired(
                f"{shown_url(url)} does not know the place to go on from ({reply.status}).",
                remedy="The next sync begins anew: `firstline source sync NAME --full`.",
            )
        if reply.status == 403 and b"rate limit" in reply.body[:2_000].lower():
            # Some say "too many" so, and leave out for how long.
            raise TooManyRequests(
                f"{shown_url(url)} has had too many requests from us.",
                retry_after_s=LIMITED_S,
                remedy="The next sync goes on from here; raise `pace_s`, or use a token with a higher limit.",
            )
        reply.raise_for_status()
        if reply.media_type in ("text/html", "application/xhtml+xml"):
            raise InvalidInput(
                f"{shown_url(url)} answers with a web page, not with JSON: a login or error page.",
                remedy="Check the address and the token of the source; nothing was removed.",
            )
        try:
            return json.loads(reply.body), reply
        except (ValueError, RecursionError):
            continue
    raise Unavailable(
        f"{shown_url(url)} answered with JSON that is cut off or broken, {TRUNCATED_TRIES_MAX} times.",
        remedy="The next sync goes on from here; check the other side when it stays so.",
    )


def record(value: object, where: str) -> Json:
    """A JSON object. InvalidInput: it is something else, `where` says what was asked."""
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    raise _other(where)


def records(value: object, name: str, where: str) -> list[Json]:
    """The list of objects under `name` (""; the value itself). What is no object in it is left out. InvalidInput when
    there is no such list: an error told with status 200."""
    found = record(value, where).get(name) if name else value
    told = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if not isinstance(found, list) or (not found and any(told.get(each) for each in ("error", "errors"))):
        # Some say what went wrong beside an empty list.
        raise _other(where, value)
    return [cast("dict[str, Any]", each) for each in cast("list[object]", found) if isinstance(each, dict)]


def inner(value: Json, *names: str) -> Json:
    """The object under these names, one in the other; empty when there is none."""
    found = cast("object", value)
    for name in names:
        found = cast("dict[str, object]", found).get(name) if isinstance(found, dict) else None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def inner_list(value: Json, *names: str) -> list[Json]:
    """The objects of the list under these names; none when there is no list."""
    found = inner(value, *names[:-1]).get(names[-1])
    if not isinstance(found, list):
        return []
    return [cast("dict[str, Any]", each) for each in cast("list[object]", found) if isinstance(each, dict)]


def text(value: Json, name: str) -> str:
    """A text or number as text; "" for anything else."""
    found = value.get(name)
    if isinstance(found, str):
        return found
    return str(found) if isinstance(found, int | float) and not isinstance(found, bool) else ""


def texts(value: Json, name: str) -> tuple[str, ...]:
    """A list of texts; what is none is left out."""
    found = value.get(name)
    if not isinstance(found, list):
        return ()
    return tuple(each for each in cast("list[object]", found) if isinstance(each, str))


def _other(where: str, value: Any = None) -> InvalidInput:
    said = ""
    if isinstance(value, dict):
        told = cast("dict[str, Any]", value)
        said = next((str(told[name])[:200] for name in ("error", "errors", "message", "code") if told.get(name)), "")
    return InvalidInput(
        f"{where} did not answer as documented" + (f": {said}" if said else "."),
        remedy="Check the address and the token of the source; nothing was removed.",
    )
