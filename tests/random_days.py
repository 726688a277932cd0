"""Hypothesis strategies: working days of every mix of parts, for a given problem."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.clock import CLOCK
from geopar.problems.day import GOALS, PER_HOUR, Day
from strategies import problems

Draw = Any

_short = st.one_of(st.integers(0, 5).map(float), st.floats(0, 5, allow_subnormal=False))
_time = st.one_of(st.integers(-2, 30).map(float), st.floats(-2, 30, allow_subnormal=False))
_span = st.tuples(_time, _short).map(lambda pair: (pair[0], pair[0] + pair[1]))
_open_span = st.one_of(_span, st.just((-np.inf, np.inf)), _span.map(lambda s: (s[0], np.inf)))
_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)


def _each(count: int, values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(values, min_size=count, max_size=count)


def _table(draw: Draw, places: int, parts: dict[str, Any], tasks: int) -> np.ndarray:
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    whole = draw(st.booleans())
    table = rng.integers(0, 9, (places, places)) if whole else rng.random((places, places))
    if not parts.get("has_depot", True):  # what stands for a depot is the first start
        table[0], table[:, 0] = table[tasks + 1], table[:, tasks + 1]
        table[0, 0] = table[tasks + 1, tasks + 1]
    return table.astype(np.float64)


@st.composite
def days(draw: Draw, problem: Problem) -> Day:
    """A day that fits the problem; any of its parts may be left out."""
    n, m = problem.num_tasks, problem.num_vehicles
    requests = len(problem.request_ids)
    parts: dict[str, Any] = {
        "time_unit": draw(st.sampled_from(sorted(PER_HOUR))),
        "clock": draw(st.sampled_from([None, CLOCK, "2026-11-17T00:00:00"])),
        "minimise": draw(st.sampled_from([None, *GOALS])),
    }
    choices: dict[str, st.SearchStrategy[Any]] = {
        "service": _each(n, _short),
        "windows": _each(n, st.lists(_open_span, max_size=2)),
        "available": _each(m, _open_span),
        "longest": _each(m, st.one_of(_short, st.just(np.inf))),
        "allowed": _each(requests, _each(m, st.booleans())),
        "priority": _each(requests, st.floats(0.5, 9)),
    }
    if isinstance(problem, HCVRP):
        choices |= {
            "released": _each(n, st.one_of(_time, st.just(-1e12))),
            "most_trips": _each(m, st.sampled_from([1.0, 2.0, np.inf])),
            "loading": _short,
            "opens": _time,
            "start": _each(m, st.sampled_from([(1.0, 2.0), (0.25, -1.0), (np.nan, np.nan)])),
            "end": _each(m, st.sampled_from([(1.0, 2.0), (np.inf, np.inf), (np.nan, np.nan)])),
        }
    else:
        choices |= {
            "released": _each(requests, _time).map(lambda r: r + [-1e12] * requests),
            "size": _each(requests, st.sampled_from([1.0, 2.0, 0.5])),
            "speed": _each(m, st.floats(0.5, 3)),
        }
    for name, values in choices.items():
        if draw(st.booleans()):
            parts[name] = draw(values)
    for name in ("start", "end"):  # a fleet without any has no such part
        if name in parts and np.isnan(parts[name]).all():
            del parts[name]
    if isinstance(problem, HCVRP) and draw(st.integers(0, 3)) == 0:
        parts |= {"has_depot": False, "start": draw(_each(m, st.just((3.0, 4.0))))}
        parts["end"] = draw(_each(m, st.sampled_from([(1.0, 2.0), (np.inf, np.inf)])))
        for name in ("opens", "loading"):
            parts.pop(name, None)
    if draw(st.booleans()):
        places = problem.replace(day=Day(**_own_places(parts))).places
        parts["matrices"] = {
            name: tuple(_table(draw, len(places), parts, n) for _ in range(2))
            for name in draw(st.sampled_from([("car",), ("car", "bike")]))
        }
        parts["profile"] = draw(_each(m, st.sampled_from(list(parts["matrices"]))))
    if draw(st.booleans()) and "allowed" not in parts:
        parts |= _lists(draw, problem)
    return Day(**parts)


def _own_places(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: parts[name] for name in ("start", "end", "has_depot") if name in parts}


def _lists(draw: Draw, problem: Problem) -> dict[str, Any]:
    """Some requests on board or locked, each of one vehicle."""
    owner = draw(_each(len(problem.request_ids), st.integers(-1, problem.num_vehicles - 1)))
    some = [[r for r, v in enumerate(owner) if v == own] for own in range(problem.num_vehicles)]
    if isinstance(problem, OMDCPDP):
        ends = [[[*one, *(problem.num_orders + r for r in one)]] if one else [] for one in some]
        return {"locked": ends, "on_board": [one[:1] for one in some]}
    return {"locked": [[one] if one else [] for one in some], "on_board": some}


@st.composite
def problems_with_days(draw: Draw) -> Problem:
    """A small problem of either kind with a day and things to tell the drivers."""
    problem = draw(problems(6, 3))
    n, m = problem.num_tasks, problem.num_vehicles
    told = draw(st.dictionaries(st.sampled_from(["phone", "note", "Ω"]), _each(n, _text)))
    drivers = draw(st.dictionaries(st.just("driver"), _each(m, _text)))
    day = draw(days(problem))
    if not day.has_depot:
        problem = problem.replace(depot=day.start[0])
    return problem.replace(
        day=day if day.parts else None,
        details={name: texts for name, texts in told.items() if any(texts)},
        vehicle_details={name: texts for name, texts in drivers.items() if any(texts)},
    )
