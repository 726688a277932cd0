"""What the module of a problem in this room offers, and where it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from geopar.plan import Indices
from geopar.plotting.style import Colour
from geopar.problems.kinds import PROBLEM_KINDS, Kind
from geopar.schedule import Timetable

Routes = list[list[Indices]]


@dataclass
class Bars:
    """Pieces of a schedule's bars, and moments and waiting marked on them, each with its row."""

    pieces: list[tuple[int, float, float, Colour]] = field(default_factory=list)
    visits: list[tuple[int, float]] = field(default_factory=list)
    waits: list[tuple[int, float, float]] = field(default_factory=list)


class Parts(Protocol):
    """The parts of pictures that differ from problem to problem.

    ``ENDS`` says what the vehicle that is done last does.
    """

    ENDS: str

    def draw_problem(self, ax: Axes, problem: Any) -> None:
        """Where everything is."""

    def draw_routes(self, ax: Axes, problem: Any, routes: Routes, colours: list[Colour]) -> None:
        """The lines of a plan, one colour for each vehicle."""

    def draw_places(
        self, ax: Axes, problem: Any, tasks: list[Colour], vehicles: list[Colour]
    ) -> None:
        """The marks of tasks and of where vehicles begin, in their colours."""

    def keys(self) -> list[Line2D]:
        """Legend entries that tell the marks apart."""

    def add_bar(self, bars: Bars, row: int, problem: Any, day: Timetable, colour: Colour) -> None:
        """The pieces and marks of one vehicle's bar."""

    def edge(self, problem: Any) -> float:
        """How wide the line around each piece is."""

    def draw_visits(self, ax: Axes, problem: Any, visits: list[tuple[int, float]]) -> None:
        """The marked moments."""

    def time_axis(self, problem: Any, ticked: bool) -> str:
        """What runs along the schedule, and how to read it."""


def parts_of(kind: Kind) -> Parts:
    """Those of a problem."""
    return cast(Parts, PROBLEM_KINDS[kind].picture.load())
