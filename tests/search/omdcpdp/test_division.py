import numpy as np
import pytest

from geopar.problems.omdcpdp.generate import generate
from geopar.search import omdcpdp
from geopar.search.omdcpdp.division import OMDCPDPDivision, stops_among
from geopar.search.teams import Part, numbered


def test_stops_in_sight_are_the_nearest_in_the_part_and_then_the_end():
    wide = np.array([[5, 1, 2, 3], [0, 5, 3, 2]], dtype=np.uint32)
    stops = np.array([0, 2, 3, 5])
    near = stops_among(wide, np.array([0, 1]), numbered(stops, 6), 3, 4)
    assert near.tolist() == [[3, 1, 2], [0, 3, 2]]
    few = stops_among(wide[:, :2], np.array([0, 1]), numbered(stops, 6), 2, 4)
    assert few.tolist() == [[3, 4], [0, 3]]


def test_costs_of_a_part_are_true_while_it_is_searched():
    data = omdcpdp.prepare(generate(20, 6, np.random.default_rng(1)))
    division = OMDCPDPDivision(data, omdcpdp.cooling_for(data, 1000))
    everything = Part(data, omdcpdp.initial(data, 0), np.arange(20), np.arange(6))
    part = division.part(division.best(everything), np.array([1, 2, 4, 5]), 3)
    omdcpdp.watch_costs(part.state)
    (settings,) = division.settings([division.loads(part)], 0.0)
    division.advance(part, settings, 500, 0.0, 1.0)
    assert omdcpdp.largest_discrepancy(part.state) < 1e-9
    tasks, bounds, driver = division.now(part)
    assert sorted(tasks) == list(range(len(part.tasks)))
    assert len(bounds) == len(driver) + 1


def test_idle_vehicles_have_no_trips():
    data = omdcpdp.prepare(generate(2, 5, np.random.default_rng(1)))
    division = OMDCPDPDivision(data, omdcpdp.cooling_for(data, 100))
    everything = Part(data, omdcpdp.initial(data, 0), np.arange(2), np.arange(5))
    tasks, bounds, driver = division.best(everything)
    assert (tasks.tolist(), bounds.tolist(), len(driver)) == ([0, 1], [0, 2], 1)
    assert division.best_cost(everything) == pytest.approx(float(everything.state.cost.sum()))
