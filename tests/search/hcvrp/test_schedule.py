from hypothesis import given
from hypothesis import strategies as st

from geopar.search.hcvrp.schedule import parameters_for, to_breed


@given(st.integers(1, 10**6), st.integers(1, 10**5), st.floats(0, 1), st.floats(0, 1e15))
def test_always_cools_and_sharpens_within_reason(customers, vehicles, full, iterations):
    trips = 1 + full * (customers - 1)
    p = parameters_for(customers, vehicles, trips, iterations)
    assert p.first_temperature >= p.last_temperature > 0
    assert 20 <= p.first_sharpness <= p.last_sharpness <= 4500.0001
    assert 0 < p.on_late < 1
    assert 0 < p.trip_moves + p.exchanges + p.reconnections < 0.9001
    assert p.reconnections >= 0


def test_a_long_run_is_hotter_than_a_short_one():
    short, long = parameters_for(1000, 20, 100, 1e4), parameters_for(1000, 20, 100, 1e7)
    assert long.first_temperature > short.first_temperature


def test_a_large_fleet_is_no_hotter_the_longer_the_run():
    long, longer = parameters_for(1000, 20, 100, 1e6), parameters_for(1000, 20, 100, 1e7)
    assert longer.first_temperature == long.first_temperature
    assert longer.last_temperature == long.last_temperature


def test_a_large_fleet_is_colder_and_sharper_than_a_small_one():
    small, large = parameters_for(1000, 5, 100, 1e6), parameters_for(1000, 80, 100, 1e6)
    assert large.first_temperature < small.first_temperature
    assert large.last_sharpness > small.last_sharpness


def test_few_vehicles_get_more_annealings_when_there_is_time():
    assert parameters_for(60, 3, 10, 1e3).annealing == 0
    assert 0 < parameters_for(60, 3, 10, 1e6).annealing == parameters_for(60, 3, 10, 1e15).annealing
    few = parameters_for(60, 3, 10, 1e5).annealing
    assert 1e5 % few < 10
    assert parameters_for(60, 3, 10, 1e6, 5.0).annealing < parameters_for(60, 3, 10, 1e6).annealing
    assert parameters_for(1000, 80, 100, 1e6).annealing == 0


def test_a_bred_plan_is_annealed_from_less_heat():
    usual = parameters_for(60, 5, 10, 1e6)
    bred = to_breed(usual, 60, 10)
    assert usual.last_temperature <= bred.first_temperature < usual.first_temperature


def test_one_vehicle_is_no_hotter_than_a_leg_is_long():
    p = parameters_for(200, 1, 16, 1e7)
    assert p.first_temperature <= p.first_sharpness / 216 * 1.0001
    assert p.last_temperature < p.last_sharpness / 216 / 20


def test_long_tours_are_reconnected_and_short_trips_of_small_fleets_are_not():
    assert parameters_for(1000, 3, 3, 1e6).reconnections > 0.2
    assert parameters_for(100, 5, 18, 1e6).reconnections == 0


def test_large_fleets_exchange_more_and_swap_tails():
    small, large = parameters_for(100, 5, 18, 1e6), parameters_for(1000, 20, 180, 1e6)
    assert large.exchanges > small.exchanges
    assert large.reconnections > 0.1


def test_only_long_runs_of_large_fleets_are_annealed_again_and_again():
    assert parameters_for(1000, 20, 180, 1e6).doublings == 0
    assert parameters_for(1000, 20, 180, 1e7).doublings == 3
    assert parameters_for(100, 5, 18, 1e9).doublings == 0
