"""The plan inside a state of the search of days with orders, checked link by link."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.problems import OMDCPDP
from geopar.problems.day import GOALS
from geopar.search import day_orders as search
from geopar.search.day_orders.state import (
    ABSENT,
    BEST,
    BEST_ABSENT,
    DIRTY,
    ITERATIONS,
    OUTSIDE,
    SAVED,
    SCALE,
    TOUCHED,
    empty,
    put,
    refresh,
    weigh,
)
from order_days import PARTS, random_day

WIDE_AWAKE = search.Settings(blink=0.0)
# Parts that keep to straight lines: a matrix may make a detour shorter than the way.
METRIC = tuple(part for part in PARTS if part != "matrices")

Tours = list[list[int]]


def mixed_days(parts: tuple[str, ...] = PARTS, most_orders: int = 6) -> st.SearchStrategy[OMDCPDP]:
    """Problems with a day of some parts; by one number, so that all mixes are as likely."""

    def made(seed: int) -> OMDCPDP:
        rng = np.random.default_rng(seed)
        some = rng.permutation(parts)[: rng.integers(7)].tolist()
        orders, vehicles = int(rng.integers(1, most_orders + 1)), int(rng.integers(1, 4))
        return random_day(orders, vehicles, set(some), str(rng.choice(GOALS)), seed)

    return st.integers(0, 2**32 - 1).map(made)


def tours_of(data: search.Data, state: search.State) -> Tours:
    """The tasks of each vehicle, after making sure that all links agree with each other."""
    tasks, end = 2 * data.orders, len(state.following) - 1
    tours: Tours = []
    for v in range(len(data.ready)):
        tour, s = [], tasks + v
        while state.following[s] != end:
            following = int(state.following[s])
            assert state.preceding[following] == s
            assert state.vehicle[following] == v
            tour.append(following)
            s = following
        assert state.last[v] == s
        tours.append(tour)
    seen = [task for tour in tours for task in tour]
    assert len(set(seen)) == len(seen)
    assert set(np.flatnonzero(state.vehicle[:tasks] >= 0)) == set(seen)
    for tour in tours:
        for order in (task for task in tour if task < data.orders):
            assert tour.index(order) < tour.index(order + data.orders)
    return tours


def told_first(problem: OMDCPDP, tours: Tours) -> None:
    """Whether every vehicle begins with what it is told to, as far as that is served."""
    for v, tour in enumerate(tours):
        told = [task for trip in (problem.day.locked or [()] * 99)[v] for task in trip]
        aboard = list((problem.day.on_board or [()] * 99)[v])
        told = [task for task in aboard if task not in told] + told
        here = [task for task in told if task in tour]
        assert tour[: len(here)] == here


@compiled(allocates=True)
def put_tour(data, state, v, tour):
    """A tour as it is, whether it can be driven or not; whether it can."""
    a = np.uint32(2 * data.orders + v)
    for task in tour:
        put(state, v, a, np.uint32(task))
        a = np.uint32(task)
    fits = refresh(data, state, v)
    weigh(data, state, v)
    return fits


def forced(data: search.Data, tours: Tours, scale: float = 1.0) -> tuple[search.State, list[bool]]:
    """A state with just these tours, and which of them can be driven."""
    state = empty(data, 0)
    state.value[SCALE] = scale
    fits = [
        bool(put_tour(data, state, v, np.array(tour, dtype=np.int64)))
        for v, tour in enumerate(tours)
    ]
    return state, fits


def numbers(data: search.Data, state: search.State) -> list[Any]:
    """All that a plan says of itself, to the last bit."""
    tours, tasks = tours_of(data, state), 2 * data.orders
    there = [*(task for tour in tours for task in tour), *range(tasks, tasks + len(tours))]
    return [
        tours,
        state.vehicle.tolist(),
        state.stops[there].tolist(),
        state.load[there].tolist(),
        state.last.tolist(),
        state.total.tolist(),
        state.cost.tolist(),
    ]


def contents(data: search.Data, state: search.State) -> list[Any]:
    """The same, and what is left out, the best plan and the journal."""
    outside = state.counter[OUTSIDE]
    return [
        *numbers(data, state),
        state.absent[:outside].tolist(),
        state.seat.tolist(),
        state.best.tolist(),
        state.best_total.tolist(),
        state.is_dirty.tolist(),
        state.dirty[: state.counter[DIRTY]].tolist(),
        state.counter[[TOUCHED, SAVED, OUTSIDE]].tolist(),
        state.value[[ABSENT, BEST, BEST_ABSENT, SCALE]].tolist(),
    ]


@compiled(allocates=True)
def next_iteration(state):
    """Begin one."""
    state.counter[ITERATIONS] += 1
