import numpy as np
import pytest
import torch

from geopar.pointer.hcvrp.columns import Customer, Scale
from geopar.pointer.hcvrp.tables import MAKESPAN_OVER_BOUND, SECTORS, states_of, tables_of
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment


@pytest.fixture
def cross():
    """Customers east, north and west of the depot; two vehicles."""
    return make_batch([
        HCVRP((0, 0), [(1, 0), (0, 2), (-1, 0)], [1, 2, 4], capacity=[4, 8], speed=[1, 0.5])
    ])  # fmt: skip


def test_customers_as_seen_from_the_depot(cross):
    tables = tables_of(cross, turns=3)
    unit = float(cross.scale[0]) or 1.0
    row = tables.customers[0]
    np.testing.assert_allclose(row[:3, Customer.DEPOT_DISTANCE] * unit, [1.0, 2.0, 1.0], rtol=1e-6)
    np.testing.assert_allclose(row[:3, Customer.EAST], [1.0, 0.0, -1.0], atol=1e-6)
    np.testing.assert_allclose(row[:3, Customer.NORTH], [0.0, 1.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(row[:, Customer.DEMAND], [0.125, 0.25, 0.5, 0.0])
    assert tables.relative_capacity.tolist() == [[0.5, 1.0]]
    assert len(set(tables.sector[0, :3].tolist())) == 3
    assert tables.sector.max() < SECTORS
    assert tables.turns == 3


def test_work_adds_up_to_the_bound_over_the_estimate(cross):
    tables = tables_of(cross, turns=0)
    away = tables.customers[0, :, Customer.DEPOT_DISTANCE].astype(float)
    demand = tables.customers[0, :, Customer.DEMAND].astype(float)
    bound = max((2.0 * demand * away).sum() / (0.5 * 1.0 + 1.0 * 0.5), 2.0 * away.max())
    assert tables.scale[0, Scale.MAKESPAN] == pytest.approx(MAKESPAN_OVER_BOUND * bound, rel=1e-5)
    work = (2.0 * demand * away).sum() / tables.scale[0, Scale.MAKESPAN]
    assert tables.work.sum() == pytest.approx(work, rel=1e-5)
    assert tables.scale[0, Scale.LARGEST_DEPOT_DISTANCE] == pytest.approx(away.max())
    assert tables.scale[0, Scale.MEAN_DEPOT_DISTANCE] == pytest.approx(away[:3].mean())


def test_states_share_the_memory_of_their_tensors(cross):
    state = make_environment(cross, inserts=True).reset(2)
    states = states_of(state)
    states.is_open[1, 0] = False
    assert state.open[0, :, 0].tolist() == [True, False]
    states.room[0, 0] = 0.0
    assert float(states.full_room[0, 0]) == pytest.approx(4.0)
    assert isinstance(state.left, torch.Tensor)
