import numpy as np
import pytest

from geopar.plan import flatten
from geopar.problems import HCVRP
from geopar.search.hcvrp import Parameters, anneal, best_cost, best_routes, from_routes, prepare
from geopar.search.hcvrp.audit import largest_discrepancy

ONLY = Parameters(
    trip_moves=0.0, exchanges=0.0, reconnections=1.0, first_temperature=1e-9, last_temperature=1e-9
)


@pytest.mark.parametrize("tour", [[0, 2, 1, 3], [3, 1, 2, 0], [1, 0, 2, 3], [2, 0, 3, 1]])
def test_a_tour_that_crosses_itself_is_untangled(tour):
    corners = [(0, 1), (1, 1), (2, 1), (2, 0)]
    data = prepare(HCVRP((0, 0), corners, [1] * 4, [4], [1]))
    state = from_routes(data, 0, flatten([[np.array(tour)]]))
    anneal(data, state, ONLY, 300, 0.0, 1.0)
    assert largest_discrepancy(data, state) < 1e-9
    (found,) = best_routes(data, state)[0]
    assert found.tolist() in ([0, 1, 2, 3], [3, 2, 1, 0])
    assert best_cost(data, state) == pytest.approx(6.0)
