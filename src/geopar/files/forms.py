"""What the module of a problem in this room offers, and where it is."""

from __future__ import annotations

from typing import Any, Protocol, cast

from geopar.errors import Faults
from geopar.files.json_objects import Objects
from geopar.files.table import Table
from geopar.plan import Route
from geopar.problems import Problem
from geopar.problems.day import TimeUnit
from geopar.problems.kinds import PROBLEM_KINDS, Kind


class Forms(Protocol):
    """The forms that a problem and its routes have in files.

    ``LISTED`` is the field of JSON that tells the problem apart where its name is missing,
    ``ROUTE_FIELD`` the one that holds what a vehicle does, ``COLUMNS`` those of a CSV file of
    stops that no other problem has.
    """

    LISTED: str
    ROUTE_FIELD: str
    COLUMNS: frozenset[str]

    def from_json(self, faults: Faults, top: Objects, name: str) -> Problem:
        """The problem in a parsed JSON object."""

    def to_json(self, problem: Any) -> dict[str, Any]:
        """The fields of the JSON object, besides kind and name."""

    def from_tables(
        self,
        faults: Faults,
        top: Objects,
        stops: Table,
        vehicles: Table,
        name: str,
        unit: TimeUnit,
    ) -> Problem:
        """The problem in two tables; ``top`` has what they do not say."""

    def to_rows(self, value: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The stops and the vehicles of what :meth:`to_json` gives, each to be a row of a table."""

    def route_from_json(self, faults: Faults, row: dict[str, Any], path: str, name: str) -> Route:
        """What the vehicle ``name`` does."""

    def route_to_json(self, route: Route) -> list[Any]:
        """What :meth:`route_from_json` reads."""


def forms_of(kind: Kind) -> Forms:
    """Those of a problem."""
    return cast(Forms, PROBLEM_KINDS[kind].files.load())
