"""What drivers are told of stops and vehicles: kept, selected, compared."""

import pytest

import instances
from geopar.errors import InputError


def test_details_go_along():
    square = instances.square().replace(
        details={"phone": ["1", "2", "", "4"]}, vehicle_details={"driver": ["Ann", "Bo"]}
    )
    assert square != instances.square()
    assert square.details_of(0) == {"phone": "1"}
    assert square.details_of(2) == {}
    part = square.select([3, 0], [1])
    assert part.details == {"phone": ("4", "1")}
    assert part.vehicle_details == {"driver": ("Bo",)}


def test_both_ends_of_an_order_have_their_own():
    corridor = instances.corridor().replace(details={"name": list("abcxyz")})
    assert corridor.select([2], [0]).details == {"name": ("c", "z")}


def test_one_for_each_is_needed():
    with pytest.raises(InputError, match="details phone"):
        instances.square().replace(details={"phone": ["1"]})
