"""A collector on loopback that takes OTLP over HTTP, reads what it is sent, and misbehaves as it is told."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SENDERS: Final = ("traces-close", "OtelBatch")
"""Names of the threads of `engines/otlp.py` and of the SDK."""
SENDS_S_MAX: Final = 20.0


@dataclass
class Collector:
    """`status` answers every request; `hangs` until `let_go` is set. `wants`: a header without which it says 401."""

    status: int = 200
    hangs: bool = False
    wants: tuple[str, str] | None = None
    port: int = 0
    paths: list[str] = field(default_factory=list)
    spans: list[Any] = field(default_factory=list)
    resources: list[dict[str, Any]] = field(default_factory=list)
    refused: int = 0
    let_go: threading.Event = field(default_factory=threading.Event)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1/traces"

    def recover(self) -> None:
        """It takes everything from here on."""
        self.status, self.wants, self.hangs = 200, None, False
        self.let_go.set()

    def take(self, path: str, headers: Any, body: bytes) -> int:
        self.paths.append(path)
        if self.hangs:
            self.let_go.wait(60)
        if self.wants and headers.get(self.wants[0]) != self.wants[1]:
            self.refused += 1
            return 401
        if self.status == 200:
            for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.resources.append(values(sent.resource.attributes))
                self.spans += [span for scope in sent.scope_spans for span in scope.spans]
        return self.status


def values(attributes: Any) -> dict[str, Any]:
    """Attributes of the protocol as plain values."""
    found: dict[str, Any] = {}
    for one in attributes:
        kind = one.value.WhichOneof("value")
        value = getattr(one.value, kind)
        found[one.key] = [part.string_value for part in value.values] if kind == "array_value" else value
    return found


def _until_nobody_sends() -> None:
    """A thread that still tries again draws its pauses from the `random` module, under the next test's property tests,
    which fail of it."""
    for thread in threading.enumerate():
        if thread.name.startswith(SENDERS):
            thread.join(SENDS_S_MAX)


@contextmanager
def collecting(**plays: Any) -> Generator[Collector]:
    collector = Collector(**plays)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = collector.take(self.path, self.headers, body)
            try:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()
            except OSError:
                pass  # who asked is gone

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        collector.recover()
        _until_nobody_sends()
        server.shutdown()
        server.server_close()
        thread.join()
