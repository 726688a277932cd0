"""Problems from data frames, with the columns that CSV files have; plans as data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from geopar.errors import Faults
from geopar.files.cell_text import cell_text
from geopar.files.plan_schedule import schedule_rows
from geopar.files.problem_csv import problem_from_tables
from geopar.files.table import Table, table_of
from geopar.files.wording import shown
from geopar.plan import Plan, frame_of
from geopar.problems import Problem
from geopar.problems.day import Goal, TimeUnit

if TYPE_CHECKING:
    from pandas import DataFrame

# As the rows of a result's schedule call what rows for people call otherwise.
_CLOCKS = {"arrives": "arrival_clock", "leaves": "departure_clock"}


def from_pandas(
    stops: Any,
    vehicles: Any,
    *,
    name: str = "",
    time_unit: TimeUnit | None = None,
    minimise: Goal | None = None,
) -> Problem:
    """A problem from two data frames.

    Parameters
    ----------
    stops, vehicles
        With the columns of ``docs/use/files-tables.md``, under any of the names known there. Any
        further column is kept and told to drivers. Their indexes have no meaning.
    name
        Of the problem.
    time_unit, minimise
        As for :func:`geopar.read`.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """
    faults = Faults()
    top = {"time_unit": time_unit, "minimise": minimise}
    tables = [
        _table(faults, frame, what) for frame, what in ((stops, "stops"), (vehicles, "vehicles"))
    ]
    faults.raise_if_any()
    given = {key: value for key, value in top.items() if value is not None}
    return problem_from_tables(faults, tables[0], tables[1], name, given)


def _table(faults: Faults, frame: Any, name: str) -> Table:
    if not hasattr(frame, "columns") or not hasattr(frame, "notna"):
        hint = "Give a pandas DataFrame, or read a file with geopar.read."
        faults.add("wrong-type", name, shown(frame), "is no data frame.", hint)
        return table_of(faults, name, [[""]], [1])
    # What is missing is no number and no text, in whatever way the column says it.
    values = frame.astype(object).where(frame.notna(), None)
    header = [str(column) for column in values.columns]
    rows = [[cell_text(value) for value in row] for row in values.itertuples(index=False)]
    return table_of(faults, name, [header, *rows], list(range(len(rows) + 1)))


def schedule_to_pandas(problem: Problem, plan: Plan) -> DataFrame:
    """Where everybody is when, a row for each stop, with a column for all that drivers are told.

    Raises
    ------
    geopar.errors.MissingExtraError
        Without pandas.
    """
    rows = []
    for row in schedule_rows(problem, plan):
        told = row.pop("details", {})
        named = {_CLOCKS.get(name, name): value for name, value in row.items()}
        rows.append(named | {name: text for name, text in told.items() if name not in named})
    return frame_of(rows, ("vehicle", "trip", "position", "stop", "action", "arrival"))
