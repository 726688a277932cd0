"""What an experiment is: lines to measure, what is published beside them, and a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from geopar.reproduce.published import printed, statements
from geopar.reproduce.scale import Scale
from geopar.reproduce.store import Key, Measured
from geopar.spread import Executor, open_executor

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Values = dict[str, float]


@dataclass(frozen=True)
class Context:
    """How experiments are run.

    Parameters
    ----------
    scale
        How much of them.
    seed, threads
        As for :func:`geopar.solve`.
    weights
        Of the paper's network, by name or path; those that are installed if left out.
    runs
        Folders of training runs, whose snapshots show how training went.
    announce
        Told what takes long before the clock starts.
    executor
        What runs the searches; networks run here, where their times are measured.
    """

    scale: Scale
    seed: int = 0
    threads: int = 1
    weights: str | None = None
    runs: tuple[Path, ...] = ()
    announce: Callable[[str], None] | None = None
    executor: Executor = field(default_factory=open_executor)


class Subject(Protocol):
    """What is measured.

    ``key`` says exactly what it is; ``weights`` is the beginning of the hash of its weights, or
    empty. Two lines with the same key, weights and set share one measurement.
    """

    @property
    def key(self) -> str:
        """What it is."""

    @property
    def weights(self) -> str:
        """With which weights."""

    def measure(self, name: str, context: Context) -> Measured:
        """On a set.

        Raises
        ------
        geopar.errors.GeoparError
            When it cannot be, such as for want of weights.
        """


@dataclass(frozen=True)
class Line:
    """One line of a table.

    Parameters
    ----------
    set
        Such as ``hcvrp/1000/20``.
    method
        As the paper calls it, or in our words where the paper has no such line.
    subject
        What stands for it here; none where there is nothing, and ``note`` says why.
    note
        What the reader must know, such as that a setting was changed at decoding only.
    """

    set: str
    method: str
    subject: Subject | None
    note: str = ""

    def key(self, context: Context) -> Key | None:
        """Under which its measurement is kept."""
        if self.subject is None:
            return None
        return Key(
            context.scale.name, context.seed, context.threads,
            self.set, self.subject.key, self.subject.weights,
        )  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A line with what was measured and what is published."""

    line: Line
    measured: Measured
    published: Values = field(default_factory=dict)

    @property
    def values(self) -> Values:
        """What was measured."""
        return self.measured.values

    def adding(self, **values: float) -> Entry:
        """With more values, which follow from those that were measured."""
        return replace(self, measured=Measured(self.values | values, self.measured.note))

    @property
    def notes(self) -> tuple[str, ...]:
        """Everything that the reader must know."""
        return tuple(note for note in (self.line.note, self.measured.note) if note)


def by_set(entries: list[Entry], method: str, measure: str) -> Values:
    """What was measured of one method, by set."""
    return {
        entry.line.set: entry.values[measure]
        for entry in entries
        if entry.line.method == method and measure in entry.values
    }


def in_printed_order(experiment: str, lines: list[Line]) -> list[Line]:
    """The lines of one set after those of another, as the paper's table has the sets."""
    order = list(dict.fromkeys(one.set for one in printed(experiment)))
    return sorted(lines, key=lambda line: order.index(line.set))


def as_printed(experiment: str) -> dict[tuple[str, str], Values]:
    """What the paper's table has, by set and method."""
    return {(line.set, line.method): line.values for line in printed(experiment)}


def beside(
    published: dict[tuple[str, str], Values], method: str, *ours: str
) -> dict[tuple[str, str], Values]:
    """With lines of ours that the paper has not, beside what it prints for one of its methods."""
    own = {
        (name, line): values
        for (name, printed_for), values in published.items()
        if printed_for == method
        for line in ours
    }
    return published | own


def as_stated(experiment: str) -> dict[tuple[str, str], Values]:
    """What the paper says in words, by set and method."""
    found: dict[tuple[str, str], Values] = {}
    for one in statements(experiment):
        if one.value is not None:
            found.setdefault((one.set, one.method), {})[one.measure] = one.value
    return found


@dataclass(frozen=True)
class Experiment:
    """One table or figure of the paper.

    Parameters
    ----------
    name, source, title
        Ours, the paper's, and what it is about.
    measures
        Columns of its table.
    lines
        What is to be measured.
    draw
        Draws the picture.
    published
        What stands beside a set and method.
    derive
        Adds to the measured values of all entries what follows from them.
    summary
        Sentences about the whole, for the end of the table.
    """

    name: str
    source: str
    title: str
    measures: tuple[str, ...]
    lines: Callable[[Context], list[Line]]
    draw: Callable[[Figure, list[Entry]], None]
    published: Callable[[], dict[tuple[str, str], Values]]
    derive: Callable[[list[Entry]], list[Entry]] = lambda entries: entries
    summary: Callable[[list[Entry]], list[str]] = lambda entries: []
