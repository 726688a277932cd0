import numpy as np
import pytest

from geopar.problems.hcvrp.generate import generate
from geopar.search.hcvrp import parameters_for, prepare
from geopar.search.hcvrp.audit import is_whole, largest_discrepancy
from geopar.search.hcvrp.division import HCVRPDivision, neighbours_among
from geopar.search.hcvrp.start import initial
from geopar.search.teams import Part, numbered


def test_neighbours_in_a_part_are_the_nearest_that_are_in_it():
    places = np.array([[0.0, 0], [1, 0], [2, 0], [4, 0], [8, 0], [0, 0]])
    wide = np.array([[1, 2, 3], [0, 2, 3], [1, 0, 3], [2, 1, 4], [3, 2, 1]], dtype=np.int32)
    mine = np.array([0, 3, 4])
    near, away = neighbours_among(wide, places, mine, numbered(mine, 5), 2)
    # The first sees the second only, and so does the third; the second sees the third.
    assert near.tolist() == [[1, 1], [2, 2], [1, 1]]
    assert away.tolist() == [[4.0, 4.0], [4.0, 4.0], [4.0, 4.0]]


def test_whoever_sees_nobody_has_somebody():
    places = np.array([[0.0, 0], [1, 0], [5, 0], [0, 0]])
    wide = np.array([[1], [0], [1]], dtype=np.int32)
    mine = np.array([0, 2])
    near, away = neighbours_among(wide, places, mine, numbered(mine, 3), 1)
    assert near.tolist() == [[1], [0]]
    assert away.tolist() == [[5.0], [5.0]]


def test_a_part_stays_whole_while_it_is_searched():
    data = prepare(generate(20, 6, np.random.default_rng(3)))
    division = HCVRPDivision(data, parameters_for(20, 6, 8.0, 1000.0))
    plan = division.best(Part(data, initial(data, 0), np.arange(20), np.arange(6)))
    part = division.part(plan, np.array([0, 3, 5]), 1)
    for k in range(50):
        (settings,) = division.settings([division.loads(part)], k / 50)
        division.advance(part, settings, 10, k / 50, (k + 1) / 50)
        assert is_whole(part.data, part.state)
    division.advance(part, settings, 0, 1.0, 1.0)
    assert largest_discrepancy(part.data, part.state) < 1e-6


def test_a_part_is_as_hot_as_the_whole():
    data = prepare(generate(20, 6, np.random.default_rng(3)))
    parameters = parameters_for(20, 6, 8.0, 1000.0)
    division = HCVRPDivision(data, parameters)
    everything = Part(data, initial(data, 0), np.arange(20), np.arange(6))
    loads = division.loads(everything)
    heat = [one.first_temperature for one in division.settings([loads[:2], loads[2:]], 0.5)]
    # A change of so much is as likely in a part: temperatures are those of its share of the cost.
    assert sum(parameters.first_temperature / one for one in heat) == pytest.approx(1.0)
    (alone,) = division.settings([loads], 0.5)
    assert alone == parameters


@pytest.mark.parametrize("times", [[[1.0, 1.0], [1e-9, 0.0]], [[0.0], [0.0]], [[1.0], [0.999]]])
def test_a_part_that_costs_nothing_has_a_temperature(times):
    # With a late sharpness what is home early costs less than any number can say.
    data = prepare(generate(20, 6, np.random.default_rng(3)))
    parameters = parameters_for(20, 6, 8.0, 1000.0)._replace(last_sharpness=1e4)
    division = HCVRPDivision(data, parameters)
    for one in division.settings([np.array(some) for some in times], 1.0):
        assert 0.0 < one.last_temperature < np.inf
        assert parameters.first_temperature <= one.first_temperature < np.inf
