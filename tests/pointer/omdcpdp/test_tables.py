import numpy as np
import pytest

from geopar.pointer.omdcpdp import tables as module
from geopar.pointer.omdcpdp.columns import Scale, Task
from geopar.pointer.omdcpdp.tables import states_of, tables_of
from geopar.problems import OMDCPDP
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment


@pytest.fixture
def corner():
    """Two orders; the first is 3 long and 1 from the only start, the second 1 and 3."""
    return make_batch([OMDCPDP([(1, 0), (0, 3)], [(4, 0), (0, 4)], [(0, 0)], capacity=[2])])


def test_orders_have_lengths_and_least_costs(corner):
    tables, unit = tables_of(corner), float(corner.scale[0])
    rows = tables.tasks[0] * unit
    np.testing.assert_allclose(rows[:4, Task.LENGTH], [3.0, 1.0, 3.0, 1.0], rtol=1e-5)
    np.testing.assert_allclose(rows[:4, Task.LEAST_COST], [4.0, 4.0, 4.0, 4.0], rtol=1e-5)
    assert not rows[4].any()
    assert tables.scale[0, Scale.ORDER_LENGTH] * unit == pytest.approx(2.0, rel=1e-5)
    assert tables.scale[0, Scale.ROUTE_LENGTH] * unit == pytest.approx(4.0, rel=1e-5)


@pytest.mark.parametrize(("most", "rows"), [(4, 2), (3, 0)])
def test_costs_are_remembered_where_there_is_memory(corner, most, rows, monkeypatch):
    monkeypatch.setattr(module, "MOST_REMEMBERED", most)
    states = states_of(make_environment(corner, inserts=True).reset(2))
    assert len(states.costs) == len(states.is_cached) == rows
    assert not states.is_cached.any()
