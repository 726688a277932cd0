import pytest

from geopar.testing.shapes import SHAPES, drawn, shape_of


@pytest.mark.parametrize("seed", range(3 * len(SHAPES)))
def test_every_shape_makes_problems_that_repeat(seed: int) -> None:
    assert shape_of(seed) in SHAPES
    assert drawn(seed) == drawn(seed)


def test_vans_beside_a_truck_may_have_nothing_to_do() -> None:
    seed = list(SHAPES).index("truck-and-vans")
    problem = drawn(seed)
    assert problem.capacity.max() >= 2.0 * problem.capacity.min()
