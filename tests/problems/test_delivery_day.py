"""Delivery days: whole seconds, and something for everybody to do."""

import numpy as np

from geopar.problems.delivery_day import delivery_day


def test_the_same_seed_is_the_same_day():
    assert delivery_day(30, 1) == delivery_day(30, 1)
    assert delivery_day(30, 1) != delivery_day(30, 2)


def test_everything_is_in_whole_seconds():
    day = delivery_day(40, 3).day
    for table in day.matrices.values():
        assert (table.durations == np.round(table.durations)).all()
    times = [day.service, day.windows.opens, day.windows.closes[np.isfinite(day.windows.closes)]]
    assert all((some == np.round(some)).all() for some in times)


def test_vans_are_of_two_kinds_and_streets_differ_by_direction():
    problem = delivery_day(60, 0)
    assert len(set(problem.capacity)) == len(set(problem.day.profile)) == 2
    durations = problem.day.matrices["van 1"].durations
    assert not np.array_equal(durations, durations.T)
