import pytest

from geopar.bounds.columns import OutOfTimeError, Program, best_prices
from geopar.bounds.sorts import fleet_of
from geopar.bounds.trips import Pricing
from instances import SQUARE_OPTIMUM


def test_a_trip_that_is_known_is_not_added_again(square):
    program = Program(fleet_of(square))
    assert program.add(0, [0, 1], 3.0)
    assert not program.add(0, [1, 0], 3.0)
    assert program.add(0, [1, 0], 2.5)


def test_the_program_chooses_the_shortest_trips(square):
    fleet = fleet_of(square)
    program = Program(fleet)
    for trip in ([0], [1], [2], [3]):
        program.add(0, trip, 2.0)
    now = program.solve()
    assert now.value == pytest.approx(4.0)  # eight ways, two vehicles
    assert now.prices.sum() == pytest.approx(now.value)
    assert (
        sum(rate * sort.strength for rate, sort in zip(now.rates, fleet.sorts, strict=True)) == 1.0
    )


def test_what_is_proven_grows_until_it_is_complete(square, handful):
    value, complete = best_prices(fleet_of(square), Pricing(fleet_of(square), 4), lambda: None)
    assert complete
    assert value == pytest.approx(SQUARE_OPTIMUM, rel=1e-3)
    fleet = fleet_of(handful)
    short, _ = best_prices(fleet, Pricing(fleet, 1), lambda: None)
    long, _ = best_prices(fleet, Pricing(fleet, 8), lambda: None)
    assert 0.0 < short <= long * (1 + 1e-3)


@pytest.mark.parametrize("error", [OutOfTimeError, KeyboardInterrupt])
def test_what_there_is_must_do(handful, error):
    fleet, calls = fleet_of(handful), []

    def pause() -> None:
        calls.append(1)
        if len(calls) > 60:
            raise error

    value, complete = best_prices(fleet, Pricing(fleet, 4), pause)
    whole, _ = best_prices(fleet, Pricing(fleet, 4), lambda: None)
    assert not complete
    assert 0.0 <= value <= whole
