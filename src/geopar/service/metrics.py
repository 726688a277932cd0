"""Counters in the text form that Prometheus reads."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
SIZES = (1, 2, 4, 8, 16, 32, 64)

Labels = tuple[tuple[str, str], ...]


@dataclass
class Histogram:
    """A histogram with fixed upper bounds."""

    bounds: tuple[float, ...]
    total: float = 0.0
    _counts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._counts = [0] * (len(self.bounds) + 1)

    def note(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, labels: Labels = ()) -> Iterable[str]:
        """The lines of the exposition format."""
        so_far = 0
        for bound, count in zip((*self.bounds, float("inf")), self._counts, strict=True):
            so_far += count
            edge = "+Inf" if bound == float("inf") else f"{bound:g}"
            yield f"{name}_bucket{_braces((*labels, ('le', edge)))} {so_far}"
        yield f"{name}_sum{_braces(labels)} {self.total:.9g}"
        yield f"{name}_count{_braces(labels)} {so_far}"


@dataclass
class Metrics:
    """All counters and histograms."""

    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    seconds: dict[str, Histogram] = field(default_factory=dict)
    batches: Histogram = field(default_factory=lambda: Histogram(SIZES))
    ended: Counter[str] = field(default_factory=Counter)
    streams: int = 0

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self.requests[method, route, status] += 1
        if route not in self.seconds:
            self.seconds[route] = Histogram(SECONDS)
        self.seconds[route].note(seconds)

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Everything, with numbers of this moment as ``{name: (help, value)}``."""
        lines: list[str] = []

        def head(name: str, kind: str, meaning: str) -> None:
            lines.extend((f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"))

        head("geopar_requests_total", "counter", "Requests answered.")
        for (method, route, status), count in sorted(self.requests.items()):
            labels = _braces((("method", method), ("route", route), ("status", str(status))))
            lines.append(f"geopar_requests_total{labels} {count}")
        head("geopar_request_seconds", "histogram", "Time until the answer began.")
        for route, histogram in sorted(self.seconds.items()):
            lines += histogram.lines("geopar_request_seconds", (("route", route),))
        head("geopar_one_pass_batch_size", "histogram", "Problems in one pass of the network.")
        lines += self.batches.lines("geopar_one_pass_batch_size")
        head("geopar_jobs_ended_total", "counter", "Jobs that ended, by how.")
        for how, count in sorted(self.ended.items()):
            lines.append(f"geopar_jobs_ended_total{_braces((('status', how),))} {count}")
        for name, (meaning, value) in gauges.items():
            head(name, "counter" if name.endswith("_total") else "gauge", meaning)
            lines.append(f"{name} {value:g}")
        return "\n".join(lines) + "\n"


def _braces(labels: Labels) -> str:
    inside = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{{{inside}}}" if inside else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
