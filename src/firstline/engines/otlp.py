"""Traces of recorded turns, to any collector that takes OpenTelemetry's protocol over HTTP.

A trace is made from a turn's record once that is written: nothing is added to a turn's way, and what is sent is what
`firstline trace` prints. Spans wait in a queue of OpenTelemetry's SDK, which a thread empties: a collector that is slow
or down costs traces, and no turn waits for it. The SDK is an extra (`pip install firstline[telemetry]`).
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from firstline import __version__
from firstline.domain import Session, Span, Turn, trace_id_of, turn_tree
from firstline.errors import InvalidInput
from firstline.turn_context import parent_span

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span as SentSpan

logger = logging.getLogger(__name__)

Tell = Callable[[Turn, Session], None]

SEND_S_MAX: Final = 5.0
"""One request to the collector, with what is tried again."""
CLOSE_S_MAX: Final = 3.0
QUEUE_SPANS_MAX: Final = 8_192
"""Some 300 turns; the oldest are lost first."""
BATCH_SPANS_MAX: Final = 512
BATCH_EVERY_MS: Final = 1_000
ATTRIBUTE_CHARS_MAX: Final = 20_000
TOLD_AGAIN_S: Final = 300.0
NOISY: Final = (
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.exporter.otlp.proto.http._common",
    "opentelemetry.exporter.http.transport",
    "opentelemetry.sdk._shared_internal",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TraceSettings:
    """`endpoint` is the whole address; empty: nothing is sent. `sample`: the share of turns, 0 to 1."""

    endpoint: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    sample: float = 1.0
    content: bool = False


@asynccontextmanager
async def open_traces(settings: TraceSettings) -> AsyncGenerator[Tell]:
    """What tells a recorded turn to the collector. InvalidInput when the SDK is not installed."""
    if not settings.endpoint or not settings.sample:
        yield _to_nobody
        return
    traces = Traces(settings)
    try:
        yield traces.tell
    finally:
        await traces.close()


def headers_of(variable: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Headers as OpenTelemetry writes them in variables: `name=value`, commas between, percent-encoded.
    InvalidInput, without the value, when the variable is not set or cannot be read so."""
    if not variable:
        return {}
    text = environ.get(variable, "").strip()
    pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
    if not pairs or not all(name.strip() and equals for name, equals, _ in pairs):
        raise InvalidInput(
            f"The environment variable {variable}, named by `trace_headers_env`, holds no headers.",
            remedy="Write `Authorization=Basic ...` into it; more than one with commas between.",
        )
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}


def _to_nobody(_turn: Turn, _session: Session) -> None:
    return None


class Traces:
    """One exporter with its queue and thread."""

    def __init__(self, settings: TraceSettings) -> None:
        self._settings = settings
        self._ids = _TurnIds()
        self._provider = _provider(settings, self._ids)
        self._tracer = self._provider.get_tracer("firstline", __version__)
        self._broken = False

    def tell(self, turn: Turn, session: Session) -> None:
        """Queue the trace of a recorded turn. What goes wrong with a trace is logged once and harms no turn."""
        try:
            if sampled(turn.turn_id, self._settings.sample):
                self._send(turn, session)
        except Exception as error:
            if not self._broken:
                logger.warning("A trace could not be made (%s); turns go on without.", type(error).__name__)
            self._broken = True

    async def close(self) -> None:
        """Send what waits, for some seconds at most: a thread that a collector holds longer ends with the process."""
        closing = threading.Thread(target=self._provider.shutdown, name="traces-close", daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, CLOSE_S_MAX)

    def _send(self, turn: Turn, session: Session) -> None:
        from opentelemetry import trace

        tree = turn_tree(turn, session, content=self._settings.content)
        self._ids.trace_id = int(trace_id_of(turn.turn_id), 16)
        parent = parent_span()
        if parent is not None:
            flags = trace.TraceFlags(trace.TraceFlags.SAMPLED)
            above = trace.SpanContext(int(parent[0], 16), int(parent[1], 16), is_remote=True, trace_flags=flags)
            context = trace.set_span_in_context(trace.NonRecordingSpan(above))
        else:
            context = trace.set_span_in_context(trace.INVALID_SPAN)
        began_ns = int(turn.asked_at.timestamp() * 1e9) - _ns(tree.ms or 0.0)
        self._span(tree, context, began_ns, at_ns=began_ns, kind=trace.SpanKind.SERVER)

    def _span(self, span: Span, context: Any, turn_ns: int, *, at_ns: int, kind: Any = None) -> int:
        """Send a span with all that is inside; gives when it ended. `at_ns`: when it began, where nobody knows."""
        from opentelemetry import trace

        began_ns = at_ns if span.began_ms is None else turn_ns + _ns(span.began_ms)
        ends_ns = began_ns + _ns(span.ms or 0.0)
        sent = self._tracer.start_span(
            span.name,
            context=context,
            kind=kind or (trace.SpanKind.CLIENT if span.model else trace.SpanKind.INTERNAL),
            attributes=dict(span.attributes),
            start_time=began_ns,
        )
        below, at_ns = trace.set_span_in_context(sent), began_ns
        for one in span.inside:
            if one.ms is None:
                sent.add_event(one.name, attributes=dict(one.attributes), timestamp=ends_ns)
            else:
                at_ns = self._span(one, below, turn_ns, at_ns=at_ns)
        _ended(sent, span.error, ends_ns)
        return ends_ns


def sampled(turn_id: str, share: float) -> bool:
    """The same for a turn wherever it is asked."""
    return int(trace_id_of(turn_id)[:8], 16) / 2**32 < share


def _ended(sent: SentSpan, error: str, ends_ns: int) -> None:
    from opentelemetry.trace import Status, StatusCode

    if error:
        sent.set_status(Status(StatusCode.ERROR, error))
    sent.end(ends_ns)


def _ns(ms: float) -> int:
    return int(ms * 1e6)


class _TurnIds:
    """Traces are named by their turns. Implements the SDK's IdGenerator: `trace_id` is set before each root span, and
    nothing is awaited in between."""

    trace_id = 0

    def generate_trace_id(self) -> int:
        return self.trace_id

    def generate_span_id(self) -> int:
        return random.randrange(1, 1 << 64)  # noqa: S311 - a name, not a secret

    def is_trace_id_random(self) -> bool:
        return False


def _provider(settings: TraceSettings, ids: Any) -> TracerProvider:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import SpanLimits, TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.sampling import ALWAYS_ON
    except ImportError as error:
        raise InvalidInput(
            "Traces are to be sent to `trace_endpoint`, and OpenTelemetry's SDK is not installed.",
            remedy="Install it with `pip install 'firstline[telemetry]'`, or unset `trace_endpoint`.",
        ) from error

    provider = TracerProvider(
        sampler=ALWAYS_ON,
        resource=Resource.create({"service.name": "firstline", "service.version": __version__}),
        id_generator=ids,
        span_limits=SpanLimits(max_attribute_length=ATTRIBUTE_CHARS_MAX),
        shutdown_on_exit=False,
    )
    exporter = OTLPSpanExporter(endpoint=settings.endpoint, headers=dict(settings.headers), timeout=SEND_S_MAX)
    processor = BatchSpanProcessor(
        exporter,
        max_queue_size=QUEUE_SPANS_MAX,
        schedule_delay_millis=BATCH_EVERY_MS,
        max_export_batch_size=BATCH_SPANS_MAX,
    )
    provider.add_span_processor(processor)
    for name in NOISY:
        logging.getLogger(name).addFilter(_NowAndThen())
    return provider


class _NowAndThen(logging.Filter):
    """A collector that is down is told once in some minutes, and not with every batch."""

    def __init__(self) -> None:
        super().__init__()
        self._next_s = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        now = time.monotonic()
        if now < self._next_s:
            return False
        self._next_s = now + TOLD_AGAIN_S
        return True
