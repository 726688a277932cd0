"""The parts of a working day as columns of plain values, for writing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from geopar.files.columns import Columns, objects, place_columns, plain, sparse
from geopar.files.day_parts import LONG_AGO
from geopar.problems import Problem
from geopar.problems.day import Day, windows_of
from geopar.problems.validation import Details, Floats


class DayWriter:
    """Columns of what a day asks for; none of what it does not ask for.

    Parameters
    ----------
    problem, day
        What is written.
    """

    def __init__(self, problem: Problem, day: Day) -> None:
        self._problem, self._day = problem, day
        self._clock = None if day.clock is None else day.how_written

    def top(self, *, drop_depot: bool = False) -> dict[str, Any]:
        """What concerns all; matrices are arrays, without the row of a depot that is none."""
        day, found = self._day, dict[str, Any]()
        if day.time_unit != "hours":
            found["time_unit"] = day.time_unit
        if day.clock is not None:
            found["clock"] = day.clock
        if day.minimise is not None:
            found["minimise"] = day.minimise
        if self._problem.load_names:
            found["loads"] = list(self._problem.load_names)
        if day.matrices is not None:
            first = int(drop_depot)
            found["matrices"] = {
                name: {"durations": table.durations[first:, first:]}
                | (
                    {}
                    if np.array_equal(table.durations, table.distances)
                    else {"distances": table.distances[first:, first:]}
                )
                for name, table in day.matrices.items()
            }
        return found

    def depot(self) -> dict[str, Any]:
        """Its fields, besides where it is."""
        day = self._day
        times = {"opens": day.opens, "closes": day.closes}
        found = {name: self._time(time) for name, time in times.items() if np.isfinite(time)}
        if day.loading:
            found["loading"] = plain(np.array([day.loading]))[0]
        told = self._problem.details_of_depot()
        return found | ({"details": told} if told else {})

    def tasks(self, tasks: range) -> Columns:
        """Service, windows and details of some tasks."""
        day, found = self._day, dict[str, Sequence[Any]]()
        if day.service is not None:
            found["service"] = plain(day.service[tasks.start : tasks.stop])
        if day.windows is not None:
            windows = [[self._span(w) for w in windows_of(day.windows, t)] for t in tasks]
            found["windows"] = sparse(windows, [])
        return found | self._details(self._problem.details, tasks)

    def requests(self) -> Columns:
        """Release, priority and who may, of all requests."""
        day, found = self._day, dict[str, Sequence[Any]]()
        if day.released is not None:
            count = len(self._problem.request_ids)
            released = [
                t if t == LONG_AGO else self._time(t) for t in day.released[:count].tolist()
            ]
            found["released"] = sparse(released, LONG_AGO)
        if day.allowed is not None:
            ids = self._problem.vehicle_ids
            everyone = list(ids)
            lists = [[ids[v] for v in np.flatnonzero(row)] for row in day.allowed]
            found["vehicles"] = sparse(lists, everyone)
        return found | self.numbers("priority", 1.0)

    def vehicles(self) -> Columns:
        """What both problems have of vehicles."""
        day, found = self._day, dict[str, Sequence[Any]]()
        if day.profile is not None:
            found["profile"] = day.profile
        if day.available is not None:
            found["available"] = [self._span(span) for span in day.available.tolist()]
        if day.on_board is not None:
            ids = self._problem.request_ids
            found["on_board"] = sparse([[ids[t] for t in some] for some in day.on_board], [])
        details = self._details(self._problem.vehicle_details, range(self._problem.num_vehicles))
        return found | self.numbers("longest", np.inf) | details

    def numbers(self, name: str, default: float) -> Columns:
        """A part with one number each, left out where it is the default."""
        values = getattr(self._day, name)
        if values is None:
            return {}
        given = iter(plain(values[values != default]))
        return {name: sparse([... if v == default else next(given) for v in values], ...)}

    def load(self, name: str, first: Floats, more: Floats | None, default: float) -> Columns:
        """A load, as a number or a list of them; left out where nothing limits it."""
        if more is not None:
            return {name: [plain(row) for row in np.column_stack([first, more])]}
        if np.all(first == default) and default != 0.0:
            return {}
        return {name: plain(first)}

    def places(self, name: str) -> Columns:
        """Own starts or ends; an open end is ``None``."""
        given: Floats | None = getattr(self._day, name)
        if given is None:
            return {}
        written = objects(place_columns(np.nan_to_num(given), self._problem.coordinates))
        column: list[Any] = [
            ... if np.isnan(place).any() else None if np.isinf(place).any() else text
            for place, text in zip(given, written, strict=True)
        ]
        return {name: column}

    def _details(self, details: Details, rows: range) -> Columns:
        if not details:
            return {}
        texts = [{name: one[i] for name, one in details.items() if one[i]} for i in rows]
        return {"details": [one or ... for one in texts]}

    def _span(self, span: Sequence[float]) -> list[Any]:
        return [self._time(time) if np.isfinite(time) else None for time in span]

    def _time(self, time: float) -> Any:
        number = plain(np.array([time]))[0]
        if self._clock is None:
            return number
        written = self._clock.exact(time)
        return written if isinstance(written, str) else number
