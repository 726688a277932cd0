import numpy as np
import pytest

from geopar.bounds.last_stop import home_from_the_last
from geopar.problems.day import Day


def test_somebody_drives_to_the_farthest(two_speeds):
    assert home_from_the_last(two_speeds) == pytest.approx(2.0)  # the fast one, there and back


def test_whoever_serves_the_last_window_comes_home(square):
    day = Day(windows=[[], [(0.0, 2.0), (7.0, 9.0)], [(5.0, 6.0)], []], service=np.full(4, 0.5))
    assert home_from_the_last(square.replace(day=day)) == pytest.approx(5.0 + 0.5 + 1.0)


def test_a_window_that_is_over_before_anybody_is_there_is_the_wrong_one(square):
    day = Day(windows=[[(0.0, 0.5), (7.0, 9.0)], [], [], []])
    assert home_from_the_last(square.replace(day=day)) == pytest.approx(8.0)
