import numpy as np
import pytest

from geopar.testing.rude_requests import HALVES, KINDS


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_seed_is_a_request(kind):
    first, again, other = (kind(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first
    if kind.__name__ in ("nested", "no_text", "no_http"):
        assert first != other


def test_halves_are_no_whole_requests():
    assert not any(half.endswith(b"\r\n\r\n") for half in HALVES)
