import re
from xml.etree import ElementTree

import numpy as np
from hypothesis import given

from geopar.sheets.content import sheets_of
from geopar.sheets.route_map import HEIGHT, WIDTH, map_svg
from instances import plan_of, square
from strategies import problems_with_plans


def test_stops_have_their_numbers_and_north_is_up() -> None:
    plan = plan_of({"red": [["south", "north"]]})
    (sheet,) = sheets_of(square(), plan)
    root = ElementTree.fromstring(map_svg(square(), sheet))
    south, north = root.findall("circle")
    assert float(north.get("cy")) < float(south.get("cy"))
    assert [one.text for one in root.findall("text")] == ["1", "2"]
    assert len(root.findall("rect")) == 1


def test_a_name_cannot_break_out() -> None:
    problem = square().replace(vehicle_ids=('"><script>', "blue"))
    plan = plan_of({'"><script>': [["south"]]})
    (sheet,) = sheets_of(problem, plan)
    assert "<script" not in map_svg(problem, sheet)


@given(problems_with_plans())
def test_everything_is_on_the_paper(one) -> None:
    problem, plan = one
    for sheet in sheets_of(problem, plan):
        root = ElementTree.fromstring(map_svg(problem, sheet))
        for line in root.findall("polyline"):
            points = np.array([pair.split(",") for pair in line.get("points").split()], float)
            assert np.all((points >= 0.0) & (points <= [WIDTH, HEIGHT]))
        assert not re.search("nan|inf", ElementTree.tostring(root, encoding="unicode"))
