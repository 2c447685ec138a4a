"""Traces (OpenTelemetry): a span for every request, and in it one for each step of the life of a move.

Needs the extra ``kleos[otel]``; without it, or unless the standard ``OTEL_*`` variables ask for it, nothing
of this is imported and nothing is measured. What leaves the process names routes, statuses, matches and
steps: never a header, a query, a body, or an exception's text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import version
from typing import Any, Final

from opentelemetry import propagate, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.propagators.textmap import Getter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from kleos.api.meter import METHODS

LAST_WORDS: Final = 2000
"""Milliseconds that a process which stops gives the collector to take what is left."""


class _Headers(Getter[list[tuple[bytes, bytes]]]):
    """The headers of an ASGI request, for whoever looks for the trace they belong to."""

    def get(self, carrier: list[tuple[bytes, bytes]], key: str) -> list[str] | None:
        wanted = key.lower().encode()
        return [value.decode("latin-1") for name, value in carrier if name == wanted] or None

    def keys(self, carrier: list[tuple[bytes, bytes]]) -> list[str]:
        return [name.decode("latin-1") for name, _ in carrier]


_HEADERS: Final = _Headers()


class Tracing:
    """The traces of one process. ``close`` sends what is left."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        """Exporter, sampler, batches and resource are as the ``OTEL_*`` variables say."""
        named = "OTEL_SERVICE_NAME" in environment or "service.name=" in environment.get(
            "OTEL_RESOURCE_ATTRIBUTES", ""
        )
        about = {"service.version": version("kleos")} | ({} if named else {"service.name": "kleos"})
        self._provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
        self._batches = BatchSpanProcessor(OTLPSpanExporter())
        self._provider.add_span_processor(self._batches)
        self._tracer = self._provider.get_tracer("kleos", version("kleos"))

    def close(self) -> None:
        """Send what is left, and stop. Waits for the collector a moment."""
        self._batches.force_flush(LAST_WORDS)
        self._provider.shutdown()

    @contextmanager
    def request(self, scope: Any, request_id: str) -> Iterator[Exchange]:
        """The span of a request, in the trace that it says it belongs to."""
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        with self._tracer.start_as_current_span(
            method,
            context=propagate.extract(scope["headers"], getter=_HEADERS),
            kind=SpanKind.SERVER,
            attributes={
                "http.request.method": method,
                "url.scheme": scope["scheme"],
                "kleos.request": request_id,
            },
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            yield Exchange(span, method, scope["state"])

    def step(self, name: str) -> AbstractContextManager[object]:
        """The span of a step of whatever request is under way; nothing outside of one."""
        around = trace.get_current_span().get_span_context()
        if not around.trace_flags.sampled:
            return nullcontext()
        return self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False)


class Exchange:
    """A request in its trace. ``state`` is the request's own: routing leaves word there."""

    def __init__(self, span: Span, method: str, state: Mapping[str, Any]) -> None:
        self._span = span
        self._method = method
        self._state = state
        self.trace_id = trace.format_trace_id(span.get_span_context().trace_id)

    def answered(self, status: int) -> None:
        """The request was answered, or given up (status 0)."""
        span, route = self._span, self._state.get("route")
        if route is not None:
            span.update_name(f"{self._method} {route}")
            span.set_attribute("http.route", route)
        if match := self._state.get("match"):
            span.set_attribute("kleos.match", match)
        if status:
            span.set_attribute("http.response.status_code", status)
        if status == 0 or status >= 500:
            span.set_status(Status(StatusCode.ERROR))
