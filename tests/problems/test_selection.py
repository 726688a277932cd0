import numpy as np
import pytest

from geopar.errors import InputError
from geopar.problems.selection import indices_of
from instances import corridor, square


def test_ids_and_numbers_in_any_order() -> None:
    found = indices_of(["c", 0, np.int64(1)], ("a", "b", "c"), "thing")
    assert found.tolist() == [2, 0, 1]
    assert found.dtype == np.int64


def test_customers_by_id() -> None:
    part = square().select(["north", "east"], ["blue"])
    assert part.customer_ids == ("north", "east")
    assert part.vehicle_ids == ("blue",)
    assert part == square().select([1, 0], [1])


def test_orders_by_id() -> None:
    part = corridor().select(["c"], ["right", "left"])
    assert part.order_ids == ("c",)
    assert part.starts.tolist() == [[10.0, 0.0], [0.0, 0.0]]


def test_what_there_is_none_of_is_told_together() -> None:
    with pytest.raises(InputError) as caught:
        indices_of(["nort", "x", 4, -1, 1.5], ("north", "south"), "customer")
    assert len(caught.value.faults) == 5
    assert "Maybe 'north'" in str(caught.value)
