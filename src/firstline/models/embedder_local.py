"""An ONNX sentence embedder in this process, run by OpenVINO: mean pooling over the mask, then L2 normalisation.

Why these options (benchmarks/embedder.py measures them): one stream per core, each with one thread, and small batches
of equal length give the highest throughput, and a question waits for at most one small batch when ingestion runs
beside it. The precision is the runtime's choice for the processor; its cosine to a float32 run of one text at a time
stays above .999.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import queue
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from firstline.errors import Broken, Unavailable
from firstline.models.runtime import compiled_for_processor
from firstline.ports import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENS_MAX: Final = 256
BATCH_TOKENS_MAX: Final = 1024
"""Padded tokens per batch: beyond it throughput no longer grows, and a waiting question waits longer."""
CHARS_MAX: Final = 16_384
"""A text is cut here before it is tokenised: 256 tokens of any language end well before it."""
COUNT_EXACT_CHARS_MAX: Final = 65_536
"""Longer texts are counted by extrapolation."""
TOKENISE_TEXTS_MAX: Final = 4_096
"""Texts tokenised at once, so that memory does not grow with the call."""
THREADS_MAX: Final = 64

Ids = list[int]


class LocalEmbedder:
    """Implements `ports.Embedder`. Concurrent calls share the cores batch by batch."""

    @classmethod
    def open(
        cls,
        *,
        label: str,
        model: Path,
        tokenizer: Path,
        weights_digest: str,
        tokens_max: int,
        threads: int,
        remedy: str,
    ) -> LocalEmbedder:
        """Read and compile the model. Broken, with `remedy`, when a file is not what its name says."""
        from tokenizers import Tokenizer

        streams = min(threads or len(os.sched_getaffinity(0)), THREADS_MAX)
        try:
            words = Tokenizer.from_file(str(tokenizer))
            words.no_padding()
            words.enable_truncation(tokens_max)  # pyright: ignore[reportUnknownMemberType] (untyped **kwargs)
        except Exception as error:  # the tokenizer library raises bare Exception
            raise Broken(f"The tokenizer {tokenizer} cannot be read.", remedy=remedy) from error
        try:
            # Pinning to cores is left off: other processes of this machine need them too.
            compiled = compiled_for_processor(
                model,
                {
                    "PERFORMANCE_HINT": "THROUGHPUT",
                    "NUM_STREAMS": streams,
                    "INFERENCE_NUM_THREADS": streams,
                    "ENABLE_CPU_PINNING": False,
                },
            )
        except RuntimeError as error:
            raise Broken(f"The model {model} cannot be loaded.", remedy=remedy) from error
        # Two requests beyond the streams: a question never waits for ingestion to hand one back.
        requests = [compiled.create_infer_request() for _ in range(streams + 2)]
        inputs = frozenset(name for port in compiled.inputs for name in port.names)
        return cls(
            label=label,
            tokenizer=words,
            requests=requests,
            inputs=inputs,
            weights_digest=weights_digest,
            tokens_max=tokens_max,
            streams=streams,
        )

    def __init__(
        self,
        *,
        label: str,
        tokenizer: Tokenizer,
        requests: Sequence[Any],
        inputs: frozenset[str],
        weights_digest: str,
        tokens_max: int,
        streams: int,
    ) -> None:
        self._tokenizer = tokenizer
        self._inputs = inputs
        self._streams = streams
        self._requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for request in requests:
            self._requests.put(request)
        settings = f"{weights_digest}|mean|l2|{tokens_max}"
        self._model_id = f"{label}@{hashlib.sha256(settings.encode()).hexdigest()[:16]}"
        self._dimensions = self._embed_now([""]).shape[1]

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def dimensions(self) -> int:
        return self._dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions), float32, unit length. A text beyond the window is cut at its end."""
        if not texts:
            return np.zeros((0, self._dimensions), dtype=np.float32)
        return await asyncio.to_thread(self._embed_now, list(texts))

    def count_tokens(self, text: str) -> int:
        """Tokens without the two markers; exact up to 65,536 characters, extrapolated from them beyond."""
        head = text[:COUNT_EXACT_CHARS_MAX]
        encoding = self._tokenizer.encode_batch_fast([_encodable(head)], add_special_tokens=False)[0]
        tokens = len(encoding) + sum(len(more) for more in encoding.overflowing)
        return tokens if len(head) == len(text) else round(tokens * len(text) / len(head))

    async def close(self) -> None:
        """Nothing to give back; there so that every embedder is closed the same way."""

    def _embed_now(self, texts: list[str]) -> Vectors:
        try:
            parts = [
                self._run(self._token_ids(texts[start : start + TOKENISE_TEXTS_MAX]))
                for start in range(0, len(texts), TOKENISE_TEXTS_MAX)
            ]
        except RuntimeError as error:
            raise Unavailable("The embedder failed on a batch.", remedy="Repeat later; check free memory.") from error
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _token_ids(self, texts: list[str]) -> list[Ids]:
        cut = [_encodable(text[:CHARS_MAX]) for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(cut)]

    def _run(self, ids: list[Ids]) -> Vectors:
        order = sorted(range(len(ids)), key=lambda row: len(ids[row]), reverse=True)
        rows_of: deque[tuple[Any, list[int], npt.NDArray[np.int64]]] = deque()
        found: list[tuple[list[int], Vectors]] = []
        try:
            for rows in _batches(order, ids):
                if len(rows_of) >= self._streams:
                    found.append(self._finish(rows_of))
                request = self._take(rows_of, found)
                feed = _feed([ids[row] for row in rows])
                rows_of.append((request, rows, feed["attention_mask"]))
                request.start_async({name: value for name, value in feed.items() if name in self._inputs})
            while rows_of:
                found.append(self._finish(rows_of))
        finally:
            while rows_of:  # only after an error: every request goes back, or later calls would wait forever
                request, _, _ = rows_of.popleft()
                self._requests.put(request)
        vectors = np.empty((len(ids), found[0][1].shape[1]), dtype=np.float32)
        for rows, part in found:
            vectors[rows] = part
        return vectors

    def _take(
        self,
        running: deque[tuple[Any, list[int], npt.NDArray[np.int64]]],
        found: list[tuple[list[int], Vectors]],
    ) -> Any:
        """A free request. Who holds one never waits for another, so callers cannot block each other in a circle."""
        while running:
            try:
                return self._requests.get_nowait()
            except queue.Empty:
                found.append(self._finish(running))
        return self._requests.get()

    def _finish(self, running: deque[tuple[Any, list[int], npt.NDArray[np.int64]]]) -> tuple[list[int], Vectors]:
        request, rows, mask = running[0]
        request.wait()
        vectors = _pool(request.get_output_tensor(0).data, mask)
        running.popleft()
        self._requests.put(request)
        return rows, vectors


def _batches(order: Sequence[int], ids: Sequence[Ids]) -> Iterator[list[int]]:
    """Rows in the order given (longest first), as many per batch as fit when all are padded to its longest."""
    start = 0
    while start < len(order):
        rows_max = max(1, BATCH_TOKENS_MAX // max(1, len(ids[order[start]])))
        yield list(order[start : start + rows_max])
        start += rows_max


def _feed(ids: Sequence[Ids]) -> dict[str, npt.NDArray[np.int64]]:
    shape = (len(ids), max(1, max(len(row) for row in ids)))
    tokens = np.zeros(shape, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    for row, values in enumerate(ids):
        tokens[row, : len(values)] = values
        mask[row, : len(values)] = 1
    return {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros(shape, dtype=np.int64)}


def _pool(hidden: npt.NDArray[np.float32], mask: npt.NDArray[np.int64]) -> Vectors:
    """Mean of the token vectors where the mask is 1, unit length. A model that pools itself has no token axis."""
    # einsum sums without a copy of `hidden`, which the runtime still owns.
    pooled = hidden if hidden.ndim == 2 else np.einsum("btd,bt->bd", hidden, mask.astype(np.float32))
    norms = np.linalg.norm(pooled, axis=1, keepdims=True)
    return (pooled / np.maximum(norms, 1e-12)).astype(np.float32)


def _encodable(text: str) -> str:
    """Lone surrogates cannot be tokenised: they become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
