import math

import pytest
import torch

from geopar.pointer.omdcpdp.candidates import FORGIVEN, MOST_COMPARED_ORDERS
from geopar.pointer.omdcpdp.columns import Task
from geopar.pointer.omdcpdp.tables import tables_of
from midway import midway, network_for, observed
from observations import assert_seen_alike


@pytest.mark.parametrize(
    ("setting", "steps"),
    [
        ("omdcpdp/2/3", 0), ("omdcpdp/20/3", 0), ("omdcpdp/20/3", 5), ("omdcpdp/20/3", 9),
        ("omdcpdp/500/3", 0), ("omdcpdp/500/3", 20),
        # More vehicles than are compared with each other one by one.
        ("omdcpdp/60/30", 2),
        # More orders than are compared without a grid.
        (f"omdcpdp/{2 * MOST_COMPARED_ORDERS + 20}/2", 2),
    ],
)  # fmt: skip
def test_compiled_code_sees_what_tensor_operations_see(setting, steps):
    assert_seen_alike(setting, steps)


@pytest.mark.parametrize("setting", ["omdcpdp/20/3", "omdcpdp/600/3"])
@pytest.mark.parametrize("steps", [3, 8])
def test_vehicles_look_at_the_orders_that_are_due_first(setting, steps):
    config = network_for("omdcpdp").config
    environment, state = midway(setting, steps)
    half = environment.batch.num_orders
    listed = observed(config, environment, state).candidates
    ordered = listed.sort(-1).values
    assert (ordered[..., 1:] != ordered[..., :-1]).all(), "nobody looks at an order twice"
    orders = torch.arange(half).expand(*state.place.shape, -1)
    cost = environment.placing(environment.walk(state), orders).cost
    least = torch.from_numpy(tables_of(environment.batch).tasks[:, :half, Task.LEAST_COST])
    due = cost - FORGIVEN * least[:, None, None]
    due = due.masked_fill(~state.open[:, :, None, :half], math.inf)
    for b, r, m in torch.cartesian_prod(*(torch.arange(k) for k in listed.shape[:3])).tolist():
        free = torch.nonzero(state.open[b, r, :half])[:, 0].tolist()
        first = sorted(free, key=lambda j: float(due[b, r, m, j]))
        seen = [j for j in listed[b, r, m].tolist() if j in free]
        assert set(seen) == set(first[: config.reach])


def test_only_who_has_the_first_order_may_not_wait():
    environment, state = midway("omdcpdp/20/3", 2)
    seen = observed(network_for("omdcpdp").config, environment, state)
    assert torch.equal(seen.feasible[..., -1].sum(-1), torch.full((2, 2), 2))
