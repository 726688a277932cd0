"""Bodies of requests, before they are parsed."""

import numpy as np
import pytest

from geopar.files.problem_json import problem_text
from geopar.problems.day import Day
from geopar.problems.random import generate
from geopar.service.limits import Limits
from geopar.service.requests import check_values
from geopar.service.responses import RefusedError

FEW = Limits(tasks=1000, vehicles=100)


def test_a_matrix_of_many_places_is_not_too_much():
    day = Day(matrices={"car": np.ones((801, 801))})
    check_values(problem_text(generate("hcvrp/800/9").replace(day=day)).encode(), FEW)


@pytest.mark.parametrize("part", [b"[],", b"{},", b'{"a":[[1]]},'])
def test_many_lists_or_objects_are(part):
    with pytest.raises(RefusedError, match="more than any problem needs"):
        check_values(b"[" + 20_000 * part + b"0]", FEW)


def test_no_end_of_numbers_is():
    with pytest.raises(RefusedError, match="more than any problem needs"):
        check_values(b"[" + 2_100_000 * b"1," + b"0]", FEW)
