"""One line of the benchmark: what was measured, against what, and the goal."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Row(Struct, frozen=True, kw_only=True):
    """``ours`` and ``peer`` are in ``unit``. The goal bounds their ratio, or ``ours`` if there is no peer.

    ``at_least`` and ``at_most`` are the goal; without either the line is for information.
    """

    name: str
    unit: str
    ours: float
    peer: float | None = None
    peer_name: str = ""
    at_least: float | None = None
    at_most: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.ours / self.peer if self.peer else None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None if there is none."""
        judged = self.ours if self.ratio is None else self.ratio
        if self.at_least is not None:
            return judged >= self.at_least
        return judged <= self.at_most if self.at_most is not None else None

    @property
    def goal_text(self) -> str:
        bound = self.at_most if self.at_least is None else self.at_least
        if bound is None:
            return ""
        return f"{'<=' if self.at_least is None else '>='} {bound:g}"

    def quantity(self, value: float) -> str:
        """A value with its unit, in three or more figures."""
        return f"{value:,.0f} {self.unit}" if value >= 100 else f"{value:.3g} {self.unit}"

    def report(self) -> dict[str, Any]:
        """The row with all that follows from it, JSON-ready."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return {**fields, "ratio": self.ratio, "met": self.met}
