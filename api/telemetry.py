"""Whether traces are wanted, by the standard ``OTEL_*`` variables, and whether they can be had.

This is all that is imported where they are not.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # an extra that most do not have
    from kleos.api.tracing import Tracing

_log = logging.getLogger("kleos.telemetry")


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether traces are asked for: by an address to send them to, or by the name of an exporter."""
    exporter = environment.get("OTEL_TRACES_EXPORTER", "").strip()
    disabled = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    addresses = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    asked = bool(exporter) or any(environment.get(each, "").strip() for each in addresses)
    return asked and exporter != "none" and not disabled


def objection(environment: Mapping[str, str], *, installed: bool) -> str | None:
    """Why the traces that are wanted cannot be had; None if they can."""
    if not installed:
        return "OTEL_… asks for traces, which need an extra: pip install 'kleos[otel]'"
    if (exporter := environment.get("OTEL_TRACES_EXPORTER", "").strip() or "otlp") != "otlp":
        return f"OTEL_TRACES_EXPORTER is {exporter}; traces are sent by otlp"
    either = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    protocol = next((environment[each] for each in either if environment.get(each)), "http/protobuf")
    if protocol != "http/protobuf":
        return f"the protocol of OTEL_EXPORTER_OTLP is {protocol}; traces are sent by http/protobuf"
    return None


def tracing(environment: Mapping[str, str]) -> Tracing | None:
    """The traces that are wanted; None, and a warning, if they cannot be had: the matches go on without."""
    if not wanted(environment):
        return None
    if why := objection(environment, installed=_installed()):
        _log.warning("no traces: %s", why)
        return None
    from kleos.api.tracing import Tracing  # noqa: PLC0415 - an extra that most do not have

    return Tracing(environment)


def _installed() -> bool:
    """Whether both parts of the extra are there."""
    try:
        return all(
            find_spec(name) is not None
            for name in ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http")
        )
    except ModuleNotFoundError:  # not even the package that they would be in
        return False
