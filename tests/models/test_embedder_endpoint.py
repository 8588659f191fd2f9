"""The endpoint embedder against a real HTTP server on loopback that can be told to misbehave."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from firstline.errors import Broken, Unavailable
from firstline.models.embedder import open_embedder
from firstline.models.embedder_endpoint import BATCH_TEXTS_MAX, EndpointEmbedder

Answer = tuple[int, dict[str, str], Any]


class Endpoint:
    """Answers with a vector of (length, position, 1); `script` holds answers given first."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.seen: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.delay_s = 0.0
        self.reply: Callable[[list[str]], Any] = self.good
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.seen.append(body)
                endpoint.authorizations.append(self.headers.get("Authorization"))
                time.sleep(endpoint.delay_s)
                default: Answer = (200, {}, endpoint.reply(body["input"]))
                status, headers, value = endpoint.script.pop(0) if endpoint.script else default
                raw = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name, text)
                self.send_header("Content-Length", str(len(raw)))
                # Who was told to be late finds the asker gone.
                with suppress(BrokenPipeError):
                    self.end_headers()
                    self.wfile.write(raw)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/embeddings"

    @staticmethod
    def good(texts: list[str]) -> Any:
        rows = [{"index": n, "embedding": [len(text), n, 1.0]} for n, text in enumerate(texts)]
        return {"data": rows[::-1]}  # out of order: `index` counts


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    served = Endpoint()
    thread = threading.Thread(target=served.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    served.server.shutdown()
    served.server.server_close()
    thread.join()


def opened(endpoint: Endpoint, **options: Any) -> EndpointEmbedder:
    return EndpointEmbedder(url=endpoint.url, model="m", api_key="secret", backoff_s=0.001, **options)


async def test_vectors_come_back_in_order_normalised_and_authorised(endpoint: Endpoint) -> None:
    embedder = opened(endpoint)
    texts = ["a" * (n + 1) for n in range(BATCH_TEXTS_MAX + 3)]
    vectors = await embedder.embed(texts)
    assert vectors.shape == (len(texts), 3) and embedder.dimensions == 3
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert vectors[1][0] / vectors[1][2] == pytest.approx(2.0)
    assert sorted(len(body["input"]) for body in endpoint.seen) == [3, BATCH_TEXTS_MAX]
    assert set(endpoint.authorizations) == {"Bearer secret"} and endpoint.seen[0]["model"] == "m"
    await embedder.close()


async def test_dimensions_are_learned_before_any_text(endpoint: Endpoint) -> None:
    embedder = open_embedder(name=endpoint.url, model="m", api_key="", threads=0)
    assert (await embedder.embed([])).shape == (0, 3)
    assert opened(endpoint).dimensions == 3
    assert endpoint.authorizations[0] is None
    await embedder.close()


async def test_the_model_id_names_address_and_model(endpoint: Endpoint) -> None:
    other = EndpointEmbedder(url=endpoint.url, model="n", api_key="")
    assert opened(endpoint).model_id != other.model_id
    assert opened(endpoint).model_id == opened(endpoint).model_id


async def test_a_busy_endpoint_is_asked_again(endpoint: Endpoint) -> None:
    endpoint.script = [(429, {"Retry-After": "0.01"}, {}), (503, {"Retry-After": "soon"}, b"down")]
    embedder = opened(endpoint)
    assert (await embedder.embed(["text"])).shape == (1, 3)
    assert len(endpoint.seen) == 3
    await embedder.close()


async def test_it_gives_up_after_a_few_attempts(endpoint: Endpoint) -> None:
    endpoint.script = [(500, {}, {})] * 9
    embedder = opened(endpoint)
    with pytest.raises(Unavailable, match="status 500"):
        await embedder.embed(["text"])
    assert len(endpoint.seen) == 4
    await embedder.close()


async def test_a_refusal_is_not_repeated_and_keeps_the_key_out_of_the_message(endpoint: Endpoint) -> None:
    endpoint.script = [(401, {}, {})]
    embedder = opened(endpoint)
    with pytest.raises(Unavailable, match="status 401") as caught:
        await embedder.embed(["text"])
    assert len(endpoint.seen) == 1 and "secret" not in str(caught.value)
    await embedder.close()


@pytest.mark.parametrize(
    "reply",
    [
        b"<html>",
        [],
        {"data": [{"index": 0}]},
        {"data": []},
        {"data": [{"embedding": ["x"]}]},
        {"data": [{"embedding": [float("nan"), 1.0, 1.0]}]},
    ],
)
async def test_nonsense_is_unavailable(endpoint: Endpoint, reply: Any) -> None:
    endpoint.script = [(200, {}, reply)]
    embedder = opened(endpoint)
    with pytest.raises(Unavailable, match="reply"):
        await embedder.embed(["text"])
    await embedder.close()


async def test_a_changed_dimension_needs_an_operator(endpoint: Endpoint) -> None:
    embedder = opened(endpoint)
    await embedder.embed(["text"])
    endpoint.script = [(200, {}, {"data": [{"index": 0, "embedding": [1.0]}]})]
    with pytest.raises(Broken, match="from 3 to 1"):
        await embedder.embed(["text"])
    await embedder.close()


async def test_a_late_endpoint_is_unavailable(endpoint: Endpoint) -> None:
    endpoint.delay_s = 0.3
    embedder = opened(endpoint, timeout_s=0.05)
    with pytest.raises(Unavailable, match="too late"):
        await embedder.embed(["text"])
    with pytest.raises(Unavailable):
        _ = embedder.dimensions
    await embedder.close()


async def test_an_endpoint_that_is_not_there_is_unavailable() -> None:
    embedder = EndpointEmbedder(url="http://127.0.0.1:9/v1/embeddings", model="", api_key="", backoff_s=0.001)
    with pytest.raises(Unavailable, match="ConnectError"):
        await embedder.embed(["text"])
    await embedder.close()
