"""A reranker behind the rerank endpoint that most servers speak.

POST {"model", "query", "documents", "top_n"}, and the reply {"results": [{"index", "relevance_score"}, ...]}.
One attempt: a reranker that is late is done without, and a second try would only be later.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from typing import Any, Final, cast

import httpx

from firstline.errors import Unavailable

CHARS_MAX: Final = 4_096
REPLY_BYTES_MAX: Final = 4 * 1024 * 1024
TIMEOUT_S: Final = 5.0
CHECK: Final = "Check FIRSTLINE_RERANKER, FIRSTLINE_RERANKER_MODEL and FIRSTLINE_RERANKER_API_KEY."


class EndpointReranker:
    """Implements `ports.Reranker`. Unavailable when the endpoint is down, late, refuses or answers nonsense."""

    def __init__(self, *, url: str, model: str, api_key: str, timeout_s: float = TIMEOUT_S) -> None:
        self._url = url
        self._model = model
        self._timeout = httpx.Timeout(timeout_s)
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        # Made at the first call: a client belongs to the event loop that it first runs in.
        self._client: httpx.AsyncClient | None = None
        self._model_id = f"{model or 'reranker'}@{hashlib.sha256(f'{url}|{model}'.encode()).hexdigest()[:16]}"

    @property
    def model_id(self) -> str:
        return self._model_id

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score per text, in their order; higher is better. Question and texts are cut at 4,096 characters."""
        if not texts:
            return []
        if self._client is None:
            self._client = httpx.AsyncClient(timeout=self._timeout, headers=self._headers)
        body = {
            "model": self._model,
            "query": _sendable(question),
            "documents": [_sendable(text) for text in texts],
            "top_n": len(texts),
        }
        try:
            async with self._client.stream("POST", self._url, json=body) as reply:
                if reply.status_code >= 400:
                    raise Unavailable(f"The rerank endpoint gives no scores: status {reply.status_code}.", remedy=CHECK)
                raw = await _read(reply)
        except httpx.HTTPError as error:
            plain = "too late" if isinstance(error, httpx.TimeoutException) else type(error).__name__
            raise Unavailable(f"The rerank endpoint gives no scores: {plain}.", remedy=CHECK) from error
        return _scores(raw, len(texts))

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def _sendable(text: str) -> str:
    return text[:CHARS_MAX].encode("utf-8", "replace").decode()


async def _read(reply: httpx.Response) -> bytes:
    """The limit holds while reading: a reply without end never fills the memory."""
    raw = bytearray()
    async for part in reply.aiter_bytes():
        raw += part
        if len(raw) > REPLY_BYTES_MAX:
            raise Unavailable("The rerank endpoint's reply is too large.", remedy=CHECK)
    return bytes(raw)


def _scores(raw: bytes, expected: int) -> list[float]:
    try:
        found = cast("list[dict[str, Any]]", json.loads(raw)["results"])
        by_index = {int(one["index"]): float(one["relevance_score"]) for one in found}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise Unavailable("The rerank endpoint's reply is not in the expected form.", remedy=CHECK) from error
    if set(by_index) != set(range(expected)) or not all(math.isfinite(score) for score in by_index.values()):
        raise Unavailable("The rerank endpoint's reply does not score every text once.", remedy=CHECK)
    return [by_index[at] for at in range(expected)]
