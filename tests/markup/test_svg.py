from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from geopar.markup import svg

points = st.integers(0, 6).flatmap(
    lambda n: arrays(float, (n, 2), elements=st.floats(-1e9, 1e9, width=32))
)


@given(points)
def test_everything_fits_on_the_paper(found) -> None:
    drawn = svg.fitted(found, 100.0, 60.0, 5.0)
    assert drawn.shape == found.shape
    assert np.all(drawn >= 5.0 - 1e-6)
    assert np.all(drawn <= [95.0 + 1e-6, 55.0 + 1e-6])


def test_north_is_up_and_shapes_are_kept() -> None:
    south, north, east = svg.fitted(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), 100, 60, 5)
    assert north[1] < south[1]
    assert east[0] - south[0] == pytest.approx(south[1] - north[1])


def test_places_in_a_row_fill_the_paper() -> None:
    drawn = svg.fitted(np.array([[1e-45, 7.0], [0.0, 7.0]]), 100.0, 60.0, 5.0)
    assert drawn == pytest.approx(np.array([[95.0, 30.0], [5.0, 30.0]]))


def test_one_place_is_in_the_middle() -> None:
    (drawn,) = svg.fitted(np.array([[7.0, 9.0]]), 100.0, 60.0, 5.0)
    assert drawn.tolist() == [50.0, 30.0]


def test_text_cannot_break_out() -> None:
    parts = [svg.label(np.zeros(2), "<script>"), svg.dot(np.zeros(2), 3), svg.square(np.ones(2), 4)]
    made = svg.document([*parts, svg.line(np.eye(2), 'fill="none"')], 10, 10, '"><x')
    root = ElementTree.fromstring(made)
    assert root.get("aria-label") == '"><x'
    assert [child.tag for child in root] == ["text", "circle", "rect", "polyline"]
    assert root[0].text == "<script>"
