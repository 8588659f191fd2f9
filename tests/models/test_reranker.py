"""Rerankers: a real ONNX cross-encoder through OpenVINO, and an endpoint that can be told to misbehave."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tiny_cross_encoder import write_cross_encoder

from firstline.errors import Broken, InvalidInput, Unavailable
from firstline.models.reranker import open_reranker
from firstline.models.reranker_endpoint import REPLY_BYTES_MAX, EndpointReranker
from firstline.models.reranker_local import BATCH_PAIRS_MAX, CrossEncoder

WORDS = "duplicate key error retry index replica driver timeout the a of".split()


def opened(folder: Path) -> CrossEncoder:
    found = open_reranker(name=str(folder), model="", api_key="", threads=1)
    assert isinstance(found, CrossEncoder)
    return found


@pytest.mark.parametrize("logits", [1, 2])
async def test_the_passage_that_shares_the_words_scores_highest(tmp_path: Path, logits: int) -> None:
    model = opened(write_cross_encoder(tmp_path / "tiny", WORDS, logits=logits))

    scores = await model.score(
        "duplicate key error", ["replica timeout", "retry the duplicate key error", "", "key " * 3_000]
    )

    assert len(scores) == 4
    assert scores[1] > scores[0]
    assert scores[2] == pytest.approx(0.0, abs=1e-4)
    assert await model.score("anything", []) == []


async def test_scores_do_not_depend_on_what_is_judged_together(tmp_path: Path) -> None:
    model = opened(write_cross_encoder(tmp_path / "tiny", WORDS))
    texts = [f"{word} {other}" for word in WORDS for other in WORDS]

    together = await model.score("duplicate key of the index", texts)
    alone = [(await model.score("duplicate key of the index", [text]))[0] for text in texts]

    assert together == pytest.approx(alone, abs=1e-3)


async def test_a_question_longer_than_the_window_still_leaves_room(tmp_path: Path) -> None:
    model = opened(write_cross_encoder(tmp_path / "tiny", WORDS))

    near, far = await model.score("duplicate " * 2_000, ["duplicate key", "replica timeout"])

    assert near > far


def test_equal_files_have_equal_ids_and_others_do_not(tmp_path: Path) -> None:
    one = opened(write_cross_encoder(tmp_path / "tiny", WORDS))
    again = opened(write_cross_encoder(tmp_path / "more" / "tiny", WORDS))
    other = opened(write_cross_encoder(tmp_path / "other" / "tiny", WORDS[:4]))

    assert one.model_id == again.model_id != other.model_id


def test_what_is_no_reranker_is_refused_with_a_remedy(tmp_path: Path) -> None:
    assert open_reranker(name="", model="", api_key="", threads=1) is None
    with pytest.raises(InvalidInput, match="neither a folder nor"):
        open_reranker(name=str(tmp_path / "nowhere"), model="", api_key="", threads=1)
    with pytest.raises(Broken, match="cannot be read") as caught:
        open_reranker(name=str(tmp_path), model="", api_key="", threads=1)
    assert "FIRSTLINE_RERANKER" in caught.value.remedy
    folder = write_cross_encoder(tmp_path / "tiny", WORDS)
    (folder / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(Broken, match="cannot be loaded"):
        open_reranker(name=str(folder), model="", api_key="", threads=1)


class Held:
    """Stands in a model's request: the first batch of a call waits until it is let go."""

    def __init__(self, model: CrossEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began, self.go, self.batches = threading.Event(), threading.Event(), 0
        self.threads: set[str] = set()
        infer = model._infer  # pyright: ignore[reportPrivateUsage]  (the one place where a model can be held)

        def held(pairs: Any) -> Any:
            self.batches += 1
            self.threads.add(threading.current_thread().name)
            self.began.set()
            assert self.go.wait(10)
            return infer(pairs)

        monkeypatch.setattr(model, "_infer", held)


async def test_a_second_call_is_refused_while_one_runs_and_waits_in_no_shared_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(write_cross_encoder(tmp_path / "tiny", WORDS))
    held = Held(model, monkeypatch)
    running = asyncio.create_task(model.score("key", ["key"]))
    assert await asyncio.to_thread(held.began.wait, 10)
    with pytest.raises(Unavailable, match="busy"):
        await model.score("key", ["key"])
    held.go.set()
    assert len(await running) == 1
    assert len(await model.score("key", ["key"])) == 1
    assert {name.split("_")[0] for name in held.threads} == {"rerank"}
    await model.close()
    with pytest.raises(Unavailable, match="closed"):
        await model.score("key", ["key"])


async def test_a_call_that_is_given_up_ends_after_its_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = opened(write_cross_encoder(tmp_path / "tiny", WORDS))
    held = Held(model, monkeypatch)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await model.score("key", ["key"] * 5 * BATCH_PAIRS_MAX)
    with pytest.raises(Unavailable, match="busy"):
        await model.score("key", ["key"])
    held.go.set()
    await model.close()
    assert held.batches == 1


class Endpoint:
    """Scores a document by its length; `status` and `reply` replace that."""

    def __init__(self) -> None:
        self.status = 200
        self.reply: Any = None
        self.raw = b""
        self.sent = 0
        self.delay_s = 0.0
        self.seen: list[dict[str, Any]] = []
        self.authorization: str | None = None
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.seen.append(body)
                endpoint.authorization = self.headers.get("Authorization")
                time.sleep(endpoint.delay_s)
                good = [{"index": n, "relevance_score": float(len(d))} for n, d in enumerate(body["documents"])][::-1]
                raw = json.dumps({"results": good} if endpoint.reply is None else endpoint.reply).encode()
                raw = endpoint.raw or raw
                self.send_response(endpoint.status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                try:
                    for start in range(0, len(raw), 65_536):
                        self.wfile.write(raw[start : start + 65_536])
                        endpoint.sent += 65_536
                except ConnectionError:
                    self.close_connection = True  # whoever asked has read enough

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/rerank"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


async def test_the_endpoint_is_asked_as_servers_expect_and_scores_come_back_in_order(endpoint: Endpoint) -> None:
    model = open_reranker(name=endpoint.url, model="some-model", api_key="key", threads=0)
    assert isinstance(model, EndpointReranker)
    try:
        assert await model.score("why", ["abc", "a", "ab"]) == [3.0, 1.0, 2.0]
        assert await model.score("why", []) == []
    finally:
        await model.close()

    assert endpoint.seen == [{"model": "some-model", "query": "why", "documents": ["abc", "a", "ab"], "top_n": 3}]
    assert endpoint.authorization == "Bearer key"
    assert "127.0.0.1" not in model.model_id


@pytest.mark.parametrize(
    ("status", "reply"),
    [
        (500, {}),
        (401, {}),
        (200, {"results": []}),
        (200, {"results": [{"index": 0, "relevance_score": 1.0}]}),
        (200, {"results": [{"index": 0, "relevance_score": 1.0}, {"index": 7, "relevance_score": 1.0}]}),
        (200, {"results": [{"index": n, "relevance_score": float("nan")} for n in range(2)]}),
        (200, ["no object"]),
        (200, {"results": "text"}),
    ],
)
async def test_an_endpoint_that_fails_or_talks_nonsense_is_unavailable(
    endpoint: Endpoint, status: int, reply: Any
) -> None:
    endpoint.status, endpoint.reply = status, reply
    model = EndpointReranker(url=endpoint.url, model="", api_key="")
    try:
        with pytest.raises(Unavailable) as caught:
            await model.score("why", ["a", "b"])
    finally:
        await model.close()
    assert "FIRSTLINE_RERANKER" in caught.value.remedy


@pytest.mark.parametrize(
    "raw",
    [
        b'{"results": [{"index": 1e999, "relevance_score": 1}]}',
        b'{"results": [{"index": 0, "relevance_score": ' + b"9" * 400 + b"}]}",
        b"[" * 100_000,
        b"",
    ],
    ids=["infinite index", "score of 400 digits", "deep nesting", "not what was asked"],
)
async def test_numbers_and_nesting_that_no_reply_has_are_unavailable(endpoint: Endpoint, raw: bytes) -> None:
    endpoint.raw, endpoint.reply = raw, {}
    model = EndpointReranker(url=endpoint.url, model="", api_key="")
    with pytest.raises(Unavailable, match="not in the expected form"):
        await model.score("why", ["a"])
    await model.close()


async def test_a_reply_past_the_limit_is_not_read_to_its_end(endpoint: Endpoint) -> None:
    endpoint.raw = b" " * 16 * REPLY_BYTES_MAX
    model = EndpointReranker(url=endpoint.url, model="", api_key="")
    with pytest.raises(Unavailable, match="too large"):
        await model.score("why", ["a"])
    await model.close()
    assert endpoint.sent < 12 * REPLY_BYTES_MAX


async def test_a_late_endpoint_is_unavailable(endpoint: Endpoint) -> None:
    endpoint.delay_s = 0.5
    model = EndpointReranker(url=endpoint.url, model="", api_key="", timeout_s=0.1)
    try:
        with pytest.raises(Unavailable, match="too late"):
            await model.score("why", ["a"])
    finally:
        await model.close()
