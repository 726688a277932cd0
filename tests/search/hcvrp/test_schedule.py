from hypothesis import given
from hypothesis import strategies as st

from geopar.search.hcvrp.schedule import parameters_for


@given(st.integers(1, 10**6), st.integers(1, 10**5), st.floats(0, 1e15))
def test_always_cools_and_sharpens_within_reason(customers, vehicles, iterations):
    p = parameters_for(customers, vehicles, iterations)
    assert p.first_temperature >= p.last_temperature > 0
    assert 50 <= p.first_sharpness <= p.last_sharpness <= 1500.0001
    assert 0 < p.on_late < 1
    assert 0 < p.trip_moves < 1


def test_a_long_run_is_hotter_than_a_short_one():
    short, long = parameters_for(1000, 20, 1e4), parameters_for(1000, 20, 1e7)
    assert long.first_temperature > short.first_temperature


def test_a_large_fleet_is_colder_and_sharper_than_a_small_one():
    small, large = parameters_for(1000, 5, 1e6), parameters_for(1000, 80, 1e6)
    assert large.first_temperature < small.first_temperature
    assert large.last_sharpness > small.last_sharpness


def test_few_vehicles_get_more_cycles_when_there_is_time():
    cycles = [parameters_for(60, 3, iterations).cycles for iterations in (1e3, 1.2e5, 1e7, 1e15)]
    assert cycles == [1, 2, 3, 3]
    assert parameters_for(1000, 80, 1e6).cycles == 1
