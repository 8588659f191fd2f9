"""An ONNX cross-encoder in this process, run by OpenVINO: question and passage are read together, one logit each."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from firstline.errors import Broken, Unavailable
from firstline.models.runtime import compiled_for_processor

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PAIR_TOKENS_MAX: Final = 256
"""A pair is cut here: the cost of attention grows with the square of its length."""
BATCH_PAIRS_MAX: Final = 16
CHARS_MAX: Final = 4_096
MODEL_BYTES_MAX: Final = 4 * 1024**3


class CrossEncoder:
    """Implements `ports.Reranker`. One call at a time: a second one would only slow both down, and is refused.

    It runs in a thread of its own: a thread cannot be stopped, and late ones must not take the embedder's places.
    """

    @classmethod
    def open(cls, folder: Path, *, threads: int, remedy: str) -> CrossEncoder:
        """Read and compile model.onnx and tokenizer.json. Broken, with `remedy`, when one is not what its name says."""
        from tokenizers import Tokenizer

        model, words = folder / "model.onnx", folder / "tokenizer.json"
        digest = hashlib.sha256()
        for path in (model, words):
            try:
                if path.stat().st_size > MODEL_BYTES_MAX:
                    raise Broken(f"The reranker's file {path} is larger than {MODEL_BYTES_MAX} bytes.", remedy=remedy)
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
            except OSError as error:
                raise Broken(f"The reranker's file {path} cannot be read: {error.strerror}.", remedy=remedy) from error
        try:
            tokenizer = Tokenizer.from_file(str(words))
            tokenizer.no_padding()
            # The longer of the two is cut: a pasted log as question must leave room for the passage.
            tokenizer.enable_truncation(PAIR_TOKENS_MAX, strategy="longest_first")  # pyright: ignore[reportUnknownMemberType] (untyped **kwargs)
        except Exception as error:  # the tokenizer library raises bare Exception
            raise Broken(f"The tokenizer {words} cannot be read.", remedy=remedy) from error
        try:
            compiled = compiled_for_processor(
                model,
                {
                    "PERFORMANCE_HINT": "LATENCY",
                    "INFERENCE_NUM_THREADS": threads or len(os.sched_getaffinity(0)),
                    "ENABLE_CPU_PINNING": False,
                },
            )
        except RuntimeError as error:
            raise Broken(f"The model {model} cannot be loaded.", remedy=remedy) from error
        inputs = frozenset(name for port in compiled.inputs for name in port.names)
        return cls(
            model_id=f"{folder.resolve().name}@{digest.hexdigest()[:16]}",
            tokenizer=tokenizer,
            request=compiled.create_infer_request(),
            inputs=inputs,
            remedy=remedy,
        )

    def __init__(
        self, *, model_id: str, tokenizer: Tokenizer, request: Any, inputs: frozenset[str], remedy: str
    ) -> None:
        self._model_id = model_id
        self._tokenizer = tokenizer
        self._request = request
        self._inputs = inputs
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rerank")
        self._running: Future[npt.NDArray[np.float32]] | None = None
        self._abandoned = threading.Event()
        # A model that gives no single logit per pair is found out now and not in the middle of a question.
        if not np.isfinite(self._score_now("a question", ["a passage"], self._abandoned)).all():
            raise Broken("The reranker does not give one finite score per pair.", remedy=remedy)

    @property
    def model_id(self) -> str:
        return self._model_id

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score per text, in their order; higher is better.

        Unavailable when the model fails, is closed, or is busy with another call. Cancelled, it ends after the batch
        that is being computed, and is busy until then.
        """
        if not texts:
            return []
        if self._running is not None and not self._running.done():
            raise Unavailable("The reranker is busy with another question.", remedy="Repeat later; it is done without.")
        abandoned = self._abandoned = threading.Event()
        try:
            self._running = self._thread.submit(self._score_now, question, list(texts), abandoned)
        except RuntimeError as error:
            raise Unavailable("The reranker is closed.", remedy="Start firstline again.") from error
        try:
            return [float(score) for score in await asyncio.wrap_future(self._running)]
        except asyncio.CancelledError:
            abandoned.set()
            raise

    async def close(self) -> None:
        """Waits for the batch that is being computed. Closing twice does nothing."""
        self._abandoned.set()
        await asyncio.to_thread(self._thread.shutdown)

    def _score_now(self, question: str, texts: Sequence[str], abandoned: threading.Event) -> npt.NDArray[np.float32]:
        asked = _encodable(question[:CHARS_MAX])
        pairs = self._tokenizer.encode_batch_fast([(asked, _encodable(text[:CHARS_MAX])) for text in texts])
        order = sorted(range(len(pairs)), key=lambda row: len(pairs[row].ids), reverse=True)
        scores = np.empty(len(pairs), dtype=np.float32)
        for start in range(0, len(order), BATCH_PAIRS_MAX):
            if abandoned.is_set():
                raise Unavailable("Nobody waits for these scores any more.", remedy="None is needed.")
            rows = order[start : start + BATCH_PAIRS_MAX]
            scores[rows] = self._infer([pairs[row] for row in rows])
        return scores

    def _infer(self, pairs: Sequence[Any]) -> npt.NDArray[np.float32]:
        shape = (len(pairs), max(len(pair.ids) for pair in pairs))
        feed = {name: np.zeros(shape, dtype=np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
        for row, pair in enumerate(pairs):
            length = len(pair.ids)
            feed["input_ids"][row, :length] = pair.ids
            feed["attention_mask"][row, :length] = 1
            feed["token_type_ids"][row, :length] = pair.type_ids
        try:
            self._request.infer({name: value for name, value in feed.items() if name in self._inputs})
        except RuntimeError as error:
            raise Unavailable("The reranker failed on a batch.", remedy="Repeat later; check free memory.") from error
        logits = np.array(self._request.get_output_tensor(0).data, dtype=np.float32).reshape(len(pairs), -1)
        # Two logits are (irrelevant, relevant); one is the score itself.
        return logits[:, -1] - logits[:, 0] if logits.shape[1] == 2 else logits[:, 0]


def _encodable(text: str) -> str:
    """Lone surrogates cannot be tokenised: they become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
