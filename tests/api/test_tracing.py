"""Traces: asked for, a collector can read the life of a move in them; not asked for, nothing is there."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from kleos.api.telemetry import objection, wanted
from tests.api.conftest import Newcomer
from tests.scenarios.client import Client
from tests.scenarios.server import PATIENCE, Server, free_port

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


class Collector:
    """An OTLP receiver, by HTTP: what it was sent, as bytes and decoded."""

    def __init__(self) -> None:
        self.octets = b""
        self.paths: set[str] = set()
        self.services: set[str] = set()
        self.spans: list[Span] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.receive(self.path, body)
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def receive(self, path: str, body: bytes) -> None:
        self.octets += body
        self.paths.add(path)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.services |= {
                each.value.string_value for each in resource.resource.attributes if each.key == "service.name"
            }
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def trace(self, trace: str, *names: str) -> dict[str, Span]:
        """The spans of a trace by name, once all of these are there."""
        deadline = time.monotonic() + PATIENCE
        while True:
            found = {span.name: span for span in list(self.spans) if span.trace_id.hex() == trace}
            if set(names) <= found.keys():
                return found
            assert time.monotonic() < deadline, f"only {sorted(found)}"
            time.sleep(0.05)


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    collector = Collector()
    yield collector
    collector.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, collector: Collector) -> Iterator[Server]:
    """A server that is asked for traces as any program is."""
    running = Server(
        tmp_path_factory.mktemp("traced"),
        OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
        OTEL_SERVICE_NAME="the-club",
        OTEL_BSP_SCHEDULE_DELAY="50",
    )
    running.start()
    yield running
    assert running.stop() == 0


def attributes(span: Span) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


def moved(server: Server, host: Client, match: str, **headers: str) -> Any:
    """One move of seat 0; the answer."""
    view, etag = host.view(match, 0)
    body = {"seat": 0, "move": view["moves"][0]["move"]}
    answer = host.ask("POST", f"{match}/moves", body, If_Match=etag, **headers)
    assert answer.status == 201
    return answer


def test_the_life_of_a_move_can_be_read_in_its_trace(
    server: Server, collector: Collector, newcomer: Newcomer
) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2)
    guest.join(match, 1)
    answer = moved(server, host, match, Traceparent=f"00-{TRACE}-{PARENT}-01", X_Request_Id="one-move")
    name = "POST /v1/matches/{match_id}/moves"
    spans = collector.trace(TRACE, name, "decide", "seal", "append", "view")
    request = spans[name]
    assert (request.kind, request.parent_span_id.hex()) == (Span.SPAN_KIND_SERVER, PARENT)
    assert attributes(request) == {
        "http.request.method": "POST",
        "http.response.status_code": 201,
        "http.route": "/v1/matches/{match_id}/moves",
        "kleos.match": match.rpartition("/")[2],
        "kleos.request": answer.headers["x-request-id"],
        "url.scheme": "http",
    }
    steps = [spans[each] for each in ("decide", "seal", "append", "view")]
    assert {each.parent_span_id for each in steps} == {request.span_id}
    ends = [
        request.start_time_unix_nano,
        *(each.end_time_unix_nano for each in steps),
        request.end_time_unix_nano,
    ]
    assert ends == sorted(ends), "one after the other, all within the request"
    assert (collector.paths, collector.services) == ({"/v1/traces"}, {"the-club"})
    [line] = [each for each in server.output.read_text().splitlines() if '"one-move"' in each]
    assert json.loads(line)["trace"] == TRACE


def test_what_a_bot_answers_is_in_the_trace_of_the_move(
    server: Server, collector: Collector, newcomer: Newcomer
) -> None:
    host = newcomer()
    match = host.create("tiny", 2)
    trace = "e" * 32
    headers = {"Traceparent": f"00-{trace}-{PARENT}-01"}
    assert host.ask("POST", f"{match}/seats", {"seat": 1, "bot": "random"}, **headers).status == 201
    name = "POST /v1/matches/{match_id}/seats"
    request = collector.trace(trace, name, "append")[name].span_id
    deadline = time.monotonic() + PATIENCE
    while (appends := _children(collector, request).count("append")) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert appends >= 2, "that of joining, and that of the bot's first move"


def _children(collector: Collector, parent: bytes) -> list[str]:
    return [span.name for span in list(collector.spans) if span.parent_span_id == parent]


def test_a_match_that_is_not_in_memory_is_seen_to_be_loaded(
    server: Server, collector: Collector, newcomer: Newcomer
) -> None:
    host = newcomer()
    match = host.create("tiny", 2)
    trace = TRACE[::-1]
    host.ask("GET", match, Traceparent=f"00-{trace}-{PARENT}-01")
    spans = collector.trace(trace, "GET /v1/matches/{match_id}", "load")
    assert spans["load"].parent_span_id == spans["GET /v1/matches/{match_id}"].span_id


def test_what_fails_is_marked_and_what_leads_nowhere_names_no_route(
    server: Server, collector: Collector, newcomer: Newcomer
) -> None:
    host = newcomer()
    trace = "a" * 32
    host.ask("GET", "/v1/nothing/of/ours", Traceparent=f"00-{trace}-{PARENT}-01")
    span = collector.trace(trace, "GET")["GET"]
    assert attributes(span)["http.response.status_code"] == 404
    assert "http.route" not in attributes(span)
    assert span.status.code == 0, "the fault is the client's"


def test_a_trace_that_its_caller_does_not_keep_is_not_sent(
    server: Server, collector: Collector, newcomer: Newcomer
) -> None:
    host = newcomer()
    kept, dropped = "b" * 32, "c" * 32
    host.ask("GET", "/v1/games", Traceparent=f"00-{dropped}-{PARENT}-00")
    host.ask("GET", "/v1/games", Traceparent=f"00-{kept}-{PARENT}-01")
    collector.trace(kept, "GET /v1/games")
    assert dropped not in {span.trace_id.hex() for span in collector.spans}
    assert f'"trace":"{dropped}"' in server.output.read_text()


def test_no_secret_is_in_what_is_sent(server: Server, collector: Collector, newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2, visibility="private", entropy="my-own-entropy")
    invite = host.get(match)["invite"]
    guest.command(f"{match}/seats", {"seat": 1, "invite": invite})
    trace = "d" * 32
    moved(server, host, match, Traceparent=f"00-{trace}-{PARENT}-01", Idempotency_Key="my-own-key")
    host.ask("GET", f"{match}/events?after=0&token=my-own-query")
    collector.trace(trace, "append")
    time.sleep(0.3)
    salts = [opening["salt"] for item in host.events(match) for opening in item["opened"].values()]
    assert salts
    for secret in (host.token, guest.token, invite, "my-own", "Bearer", "pledge", *salts):
        assert secret.encode() not in collector.octets


def test_a_collector_that_is_away_holds_nothing_up(tmp_path: Path) -> None:
    server = Server(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{free_port()}")
    server.start()
    host = Client(server.url).register("Host")
    host.create("tiny", 2)
    host.close()
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 40, "left alone, the exporter tries for more than a minute"


@pytest.mark.parametrize(
    ("environment", "asked"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "x"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, False),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, False),
    ],
)
def test_traces_are_sent_when_the_standard_variables_ask_for_them(
    environment: dict[str, str], asked: bool
) -> None:
    assert wanted(environment) == asked


@pytest.mark.parametrize(
    ("environment", "installed", "why"),
    [
        ({}, True, None),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, True, None),
        ({}, False, "pip install 'kleos[otel]'"),
        ({"OTEL_TRACES_EXPORTER": "console"}, True, "console"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, True, "grpc"),
    ],
)
def test_what_cannot_be_had_is_told(environment: dict[str, str], installed: bool, why: str | None) -> None:
    told = objection(environment, installed=installed)
    assert (told is None) if why is None else (told is not None and why in told)


def test_who_does_not_ask_loads_nothing_that_traces() -> None:
    """The client of the store loads the SDK where it is installed; what would send anything, we do."""
    code = "import sys, kleos.api.serve, kleos.api.command; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "kleos.api.telemetry" in loaded.split()
    assert [each for each in loaded.split() if "exporter" in each or each == "kleos.api.tracing"] == []
