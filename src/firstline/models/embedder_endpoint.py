"""An embedder behind an OpenAI-compatible endpoint: POST {"input": [...], "model": ...}."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Sequence
from typing import Any, Final, cast

import httpx
import numpy as np

from firstline.errors import Broken, Unavailable
from firstline.ports import Vectors

BATCH_TEXTS_MAX: Final = 64
CONCURRENT_MAX: Final = 4
CHARS_MAX: Final = 8_192
ATTEMPTS_MAX: Final = 4
BACKOFF_S: Final = 0.25
BACKOFF_S_MAX: Final = 5.0
REPLY_BYTES_MAX: Final = 64 * 1024 * 1024
REPEATABLE: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
CHARS_PER_TOKEN: Final = 4
NO_VECTORS: Final = "The embeddings endpoint gives no vectors: {}."
CHECK: Final = "Check FIRSTLINE_EMBEDDER, FIRSTLINE_EMBEDDER_MODEL and FIRSTLINE_EMBEDDER_API_KEY."


class EndpointEmbedder:
    """Implements `ports.Embedder`. Unavailable when the endpoint is down, late, refuses or answers nonsense."""

    def __init__(
        self, *, url: str, model: str, api_key: str, timeout_s: float = 30.0, backoff_s: float = BACKOFF_S
    ) -> None:
        self._url = url
        self._model = model
        self._backoff_s = backoff_s
        self._timeout = httpx.Timeout(timeout_s, connect=min(5.0, timeout_s))
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        # Made at the first call: a client belongs to the event loop that it first runs in.
        self._client: httpx.AsyncClient | None = None
        self._slots = asyncio.Semaphore(CONCURRENT_MAX)
        self._dimensions = 0
        # The weights behind an address cannot be hashed; its name and window are what is known of them.
        self._model_id = (
            f"{model or 'endpoint'}@{hashlib.sha256(f'{url}|{model}|{CHARS_MAX}'.encode()).hexdigest()[:16]}"
        )

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def dimensions(self) -> int:
        """Learned from the first reply. Asked before any call, it makes one, and blocks for it."""
        if not self._dimensions:
            try:
                with httpx.Client(timeout=self._timeout, headers=self._headers) as client:
                    reply = client.post(self._url, json=self._body(["dimensions"]))
                reply.raise_for_status()
            except httpx.HTTPError as error:
                raise Unavailable(
                    f"The embeddings endpoint gives no vectors: {_plain(error)}.", remedy=CHECK
                ) from error
            self._vectors(reply, 1)
        return self._dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions), float32, unit length. A text is cut at 8,192 characters."""
        if not texts:
            if not self._dimensions:
                await self._post(["dimensions"])
            return np.zeros((0, self._dimensions), dtype=np.float32)
        # Some endpoints refuse an empty string; a space means the same.
        cut = [text[:CHARS_MAX] or " " for text in texts]
        parts = await asyncio.gather(
            *(self._post(cut[start : start + BATCH_TEXTS_MAX]) for start in range(0, len(cut), BATCH_TEXTS_MAX))
        )
        return np.concatenate(parts)

    def count_tokens(self, text: str) -> int:
        """An estimate: the endpoint's tokenizer is not known here."""
        return -(-len(text) // CHARS_PER_TOKEN)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _body(self, texts: Sequence[str]) -> dict[str, Any]:
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        return {"input": clean, "model": self._model}

    async def _post(self, texts: Sequence[str]) -> Vectors:
        if self._client is None:
            self._client = httpx.AsyncClient(timeout=self._timeout, headers=self._headers)
        trouble = ""
        async with self._slots:
            for attempt in range(1, ATTEMPTS_MAX + 1):
                try:
                    reply = await self._client.post(self._url, json=self._body(texts))
                    if reply.status_code < 400:
                        return self._vectors(reply, len(texts))
                    trouble = f"status {reply.status_code}"
                    wait_s = _retry_after_s(reply)
                    repeatable = reply.status_code in REPEATABLE
                except httpx.HTTPError as error:
                    trouble, wait_s, repeatable = _plain(error), 0.0, isinstance(error, httpx.TransportError)
                if not repeatable or attempt == ATTEMPTS_MAX:
                    break
                # Jitter: callers that were refused together must not come back together.
                pause = self._backoff_s * 2 ** (attempt - 1) * (1 + random.random())  # noqa: S311 (not a secret)
                await asyncio.sleep(min(BACKOFF_S_MAX, max(wait_s, pause)))
        raise Unavailable(NO_VECTORS.format(trouble), remedy=CHECK)

    def _vectors(self, reply: httpx.Response, expected: int) -> Vectors:
        if len(reply.content) > REPLY_BYTES_MAX:
            raise Unavailable("The embeddings endpoint's reply is too large.", remedy=CHECK)
        try:
            data = cast("list[dict[str, Any]]", reply.json()["data"])
            # `index` orders the rows; without it they stand in the order asked.
            rows = sorted(enumerate(data), key=lambda pair: int(pair[1].get("index", pair[0])))
            vectors = np.array([row["embedding"] for _, row in rows], dtype=np.float32)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Unavailable("The embeddings endpoint's reply is not in the expected form.", remedy=CHECK) from error
        if vectors.ndim != 2 or vectors.shape[0] != expected or not np.isfinite(vectors).all():
            raise Unavailable("The embeddings endpoint's reply has the wrong number of vectors.", remedy=CHECK)
        if self._dimensions and vectors.shape[1] != self._dimensions:
            raise Broken(
                f"The embeddings endpoint changed from {self._dimensions} to {vectors.shape[1]} dimensions.",
                remedy="Ingest again with the present model.",
            )
        self._dimensions = vectors.shape[1]
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def _retry_after_s(reply: httpx.Response) -> float:
    try:
        return max(0.0, float(reply.headers.get("Retry-After", "0")))
    except ValueError:
        return 0.0


def _plain(error: httpx.HTTPError) -> str:
    """The kind of trouble without the address, which may carry a secret."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"status {error.response.status_code}"
    return "too late" if isinstance(error, httpx.TimeoutException) else type(error).__name__
