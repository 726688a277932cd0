import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.problems.day import GOALS, Day
from geopar.problems.omdcpdp.generate import generate
from geopar.search import day_orders as search
from geopar.search.day_orders.data import ANYBODY, NOBODY
from geopar.search.day_orders.recreate import (
    cheapest_anywhere,
    cheapest_on_leg,
    has_room,
    insert,
    list_all_legs,
    list_legs,
    may_follow,
    may_precede,
    may_serve,
    until_blink,
)
from geopar.search.day_orders.state import (
    CURRENT,
    ITERATIONS,
    MAKESPAN,
    SCALE,
    refresh,
    touch,
    unlink,
    weigh,
)
from order_days import PARTS, judge, random_day
from order_plans import METRIC, WIDE_AWAKE, mixed_days, told_first, tours_of


@compiled(allocates=True)
def without(data, state, order):
    state.counter[ITERATIONS] += 1
    v = np.int64(state.vehicle[order])
    touch(data, state, v)
    unlink(state, order)
    unlink(state, np.uint32(data.orders + order))
    fits = refresh(data, state, v)
    state.value[CURRENT] += weigh(data, state, v)
    return fits


@compiled(allocates=True)
def cheapest_of_all(data, state, order):
    return cheapest_anywhere(data, state, order)


@compiled(allocates=True)
def inserted(data, state, order, pickup_after, delivery_after):
    return insert(data, state, order, pickup_after, delivery_after)


def growths(problem, data, state, order):
    """What every way to insert an order that can be driven costs, by the definition."""
    routes, goal = search.current_routes(data, state), problem.goal
    scale = state.value[SCALE]

    def cost(routes):
        if goal != "makespan":
            return judge(problem, routes).total[goal]
        alone = [judge(problem, [r if i == v else r[:0] for i, r in enumerate(routes)])
                 for v in range(len(routes))]  # fmt: skip
        power = 2**data.settings.sharpness
        return sum(scale * (one.total[goal] / scale) ** power for one in alone)

    before = cost(routes)
    for v, route in enumerate(routes):
        for i in range(len(route) + 1):
            for j in range(i, len(route) + 1):
                longer = [*route[:i], order, *route[i:j], order + data.orders, *route[j:]]
                changed = [*routes[:v], np.array(longer), *routes[v + 1 :]]
                try:
                    yield cost(changed) - before
                except AssertionError:
                    continue


@settings(max_examples=200)
@given(
    st.sets(st.sampled_from(METRIC)), st.sampled_from(GOALS), st.integers(1, 5), st.integers(1, 3),
    st.integers(0, 2**32 - 1), st.data(),
)  # fmt: skip
def test_the_cheapest_way_is_the_cheapest_of_all(parts, goal, orders, vehicles, seed, draw):
    problem = random_day(orders, vehicles, parts, goal, seed)
    data = search.prepare(problem, WIDE_AWAKE)
    # Ties apart.
    data.weight[:] = np.arange(4) == data.goal
    state = search.initial(data, 1)
    order = np.uint32(draw.draw(st.integers(0, orders - 1)))
    # Who has less to do may be done earlier, and have to begin much earlier for it.
    if state.vehicle[order] >= 0 and not without(data, state, order):
        return
    ways = list(growths(problem, data, state, int(order)))
    cost, pickup_after, delivery_after = cheapest_of_all(data, state, order)
    end = len(state.stops) - 1
    if not ways or data.home[order] == NOBODY:
        assert pickup_after == end
        return
    assert cost == pytest.approx(min(ways), rel=1e-6, abs=1e-7)
    before = state.value[CURRENT]
    assert inserted(data, state, order, np.uint32(pickup_after), np.uint32(delivery_after))
    assert state.value[CURRENT] - before == pytest.approx(cost, rel=1e-6, abs=1e-7)


def test_an_idle_vehicle_finishes_at_the_beginning():
    problem = generate(8, 2, np.random.default_rng(1)).replace(day=Day(minimise="makespan"))
    data = search.prepare(problem)
    state = search.initial(data, 1)
    idle = [v for v, route in enumerate(search.current_routes(data, state)) if not len(route)]
    assert (state.total[idle, MAKESPAN] == 0.0).all()


@compiled(allocates=True)
def on_each_leg(data, state, order, v, limit, legs, costs, found):
    """The best delivery place for a pickup on each leg of a vehicle that it could be put on."""
    count = list_all_legs(data, state, order, v, np.int64(0))
    for i in range(count):
        legs[i] = state.legs[i]
        costs[i], found[i] = cheapest_on_leg(data, state, v, order, state.legs[i], limit)
    return count


@compiled(allocates=True)
def legs_around(data, state, order):
    return list_legs(data, state, order)


@compiled(allocates=True)
def asked(data, state, v, order, s, after):
    return (
        has_room(data, state, v, s, order),
        may_serve(data, v, order),
        may_precede(data, order, after),
        may_follow(data, order, s),
    )


@compiled(allocates=True)
def blinks_in(state, blink):
    return until_blink(state, blink)


@st.composite
def states_with_an_order_out(draw, parts=METRIC):
    """A problem, a state with a plan that can be driven, and an order that it lacks."""
    problem = draw(mixed_days(parts, 5))
    data = search.prepare(problem, WIDE_AWAKE)
    data.weight[:] = np.arange(4) == data.goal
    state = search.initial(data, draw(st.integers(0, 9)))
    order = np.uint32(draw(st.integers(0, data.orders - 1)))
    # Who has less to do may be done earlier, and have to begin much earlier for it.
    assume(state.vehicle[order] < 0 or without(data, state, order))
    return problem, data, state, order


def ways_by_leg(problem, data, state, order, v):
    """By stop behind which it is picked up: what each delivery place costs, by the definition."""
    tours, o = tours_of(data, state), int(order)
    routes = [np.array(tour, dtype=np.int64) for tour in tours]
    scale, power = state.value[SCALE], 2**data.settings.sharpness

    def cost(tour):
        if not tour:
            return 0.0
        alone = [np.array(tour if w == v else [], dtype=np.int64) for w in range(len(tours))]
        total = judge(problem, alone).total[problem.goal]
        return scale * (total / scale) ** power if problem.goal == "makespan" else total

    tour = tours[v]
    before, ways = cost(tour), {}
    for i in range(len(tour) + 1):
        at = {}
        for j in range(i, len(tour) + 1):
            longer = [*tour[:i], o, *tour[i:j], o + data.orders, *tour[j:]]
            try:
                # Others keep theirs, so that what is told to them is known.
                judge(problem, [*routes[:v], np.array(longer), *routes[v + 1 :]])
                at[tour[j - 1] if j > i else o] = cost(longer) - before
            except AssertionError:
                continue
        ways[tour[i - 1] if i else 2 * data.orders + v] = at
    return ways


@given(states_with_an_order_out(), st.floats(0, 1))
def test_on_each_leg_the_cheapest_delivery_place_is_found_below_a_limit(case, part):
    problem, data, state, order = case
    end = len(state.stops) - 1
    if data.home[order] == NOBODY:
        return
    for v in range(problem.num_vehicles):
        ways = ways_by_leg(problem, data, state, order, v)
        every = [cost for at in ways.values() for cost in at.values()]
        limits = [np.inf]
        if every:
            limits.append(min(every) + part * (max(every) - min(every)))
        for limit in limits:
            legs, costs, found = (np.zeros(end + 1) for _ in range(3))
            count = on_each_leg(data, state, order, v, limit, legs, costs, found)
            listed = legs[:count].astype(int).tolist()
            # No leg is missing on which it could be picked up.
            assert {a for a, at in ways.items() if at} <= set(listed)
            for a, cost, place in zip(listed, costs.tolist(), found.tolist(), strict=False):
                at = ways[a]
                slack = 1e-6 * max(1.0, abs(limit)) if limit < np.inf else 0.0
                below = [value for value in at.values() if value < limit - slack]
                if below:
                    assert cost == pytest.approx(min(below), rel=1e-6, abs=1e-7)
                    assert at[int(place)] == pytest.approx(cost, rel=1e-6, abs=1e-7)
                elif not [value for value in at.values() if value < limit + slack]:
                    assert place == end
                    assert cost == limit


@given(states_with_an_order_out(PARTS))
def test_legs_around_a_pickup_are_some_of_all_and_begin_with_what_is_told(case):
    problem, data, state, order = case
    if data.home[order] != ANYBODY:
        return
    count = legs_around(data, state, order)
    legs = state.legs[:count].tolist()
    for a in legs:
        v = int(state.vehicle[a])
        assert v >= 0
        assert problem.day.allowed is None or problem.day.allowed[order, v]
        following = int(state.following[a])
        if following != len(state.stops) - 1:
            assert data.rank[following] < 0
    # Where little is near, all starts are looked at that may serve it.
    if problem.num_vehicles <= data.settings.starts:
        for v, tour in enumerate(tours_of(data, state)):
            may = problem.day.allowed is None or problem.day.allowed[order, v]
            may &= problem.day.most_trips is None or problem.day.most_trips[v] >= 1
            if may and not (tour and data.rank[tour[0]] >= 0):
                assert 2 * data.orders + v in legs


@given(states_with_an_order_out(PARTS))
def test_there_is_room_and_leave_as_the_problem_says(case):
    problem, data, state, order = case
    day = problem.day
    size = np.ones(data.orders) if day.size is None else day.size
    for v, tour in enumerate(tours_of(data, state)):
        places = [2 * data.orders + v, *tour]
        for i, s in enumerate(places):
            aboard = [t for t in tour[:i] if t < data.orders and t + data.orders not in tour[:i]]
            held = [*aboard, int(order)]
            room = size[held].sum() <= problem.capacity[v] * (1 + 1e-9)
            if day.extra_demand is not None:
                more = day.extra_demand[held].sum(axis=0)
                room &= (more <= day.extra_capacity[v] * (1 + 1e-9)).all()
            following = places[i + 1] if i + 1 < len(places) else len(state.stops) - 1
            fits, may, before, behind = asked(
                data, state, v, order, np.uint32(s), np.uint32(following)
            )
            assert fits == room
            allowed = day.allowed is None or day.allowed[order, v]
            assert may == (allowed and (day.most_trips is None or day.most_trips[v] >= 1))
            told, then, now = data.rank[order], data.rank[following], data.rank[s]
            assert before == (then < 0 or 0 <= told < then)
            assert behind == (told < 0 or 0 <= now < told)


@settings(max_examples=100)
@given(mixed_days(), st.integers(0, 9))
def test_whatever_is_told_stays_first_while_orders_go_and_come(problem, seed):
    data = search.prepare(problem)
    state = search.initial(data, seed)
    told_first(problem, tours_of(data, state))
    for _ in range(10):
        search.run(data, state, 1, 0.0, 0.0, 1000)
        told_first(problem, tours_of(data, state))


def test_places_are_overlooked_as_often_as_asked_for():
    problem = generate(8, 2, np.random.default_rng(1)).replace(day=Day())
    state = search.initial(search.prepare(problem), 1)
    assert blinks_in(state, 0.0) > 1 << 40
    # So many are seen before one is not: nine in mean.
    assert np.mean([blinks_in(state, 0.1) for _ in range(3000)]) == pytest.approx(9.0, abs=0.8)
