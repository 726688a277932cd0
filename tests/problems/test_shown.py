from xml.etree import ElementTree

import numpy as np
from hypothesis import given

from geopar.plan import ways
from geopar.problems.shown import map_svg
from instances import corridor, square, town
from strategies import problems_with_plans


def test_a_problem_shows_itself() -> None:
    shown = square()._repr_html_()
    assert "square: 4 customers, 2 vehicles" in shown
    assert shown.count("<circle") == 4
    assert shown.count("<rect") == 1
    assert "3 orders, 2 vehicles" in corridor()._repr_html_()


def test_a_name_is_text() -> None:
    assert "<script>" not in town().replace(name="<script>")._repr_html_()


@given(problems_with_plans())
def test_a_line_for_each_trip(one) -> None:
    problem, plan = one
    routes = plan.to_indices(problem)
    driven = [ways(problem, v, trips) for v, trips in enumerate(routes)]
    root = ElementTree.fromstring(map_svg(problem, driven))
    assert len(root.findall("polyline")) == sum(map(len, driven))
    assert "nan" not in ElementTree.tostring(root, encoding="unicode")
    assert len(root.findall("circle")) == problem.num_tasks


def test_a_large_problem_has_smaller_dots() -> None:
    many = square().replace(
        customers=np.random.default_rng(0).random((500, 2)),
        demand=np.ones(500),
        customer_ids=tuple(map(str, range(500))),
    )
    assert 'r="1.2"' in map_svg(many)
