from __future__ import annotations

import numpy as np
import pytest

from geopar.compiled.random import below, next_u64, seed_state, stream_uniform, uniform


def test_stream_is_the_published_one() -> None:
    # First outputs of the authors' reference generator for the state (1, 2, 3, 4).
    state = np.arange(1, 5, dtype=np.uint64)
    drawn = [int(next_u64(state)) for _ in range(4)]
    assert drawn == [41943041, 58720359, 3588806011781223, 3591011842654386]


def test_seeding_is_splitmix64() -> None:
    # First outputs of SplitMix64 for seed 1234567.
    assert [int(word) for word in seed_state(1234567)[:2]] == [
        6457827717110365317,
        3203168211198807973,
    ]


@pytest.mark.parametrize("seed", [0, -1, 1 << 64, 3 << 70])
def test_any_whole_number_is_a_seed(seed: int) -> None:
    assert seed_state(seed).any()


def test_same_seed_same_stream() -> None:
    one, other, third = seed_state(7), seed_state(7), seed_state(8)
    stream = [int(next_u64(one)) for _ in range(20)]
    assert stream == [int(next_u64(other)) for _ in range(20)]
    assert stream != [int(next_u64(third)) for _ in range(20)]


def test_uniform_covers_the_unit_interval() -> None:
    state = seed_state(1)
    drawn = np.array([uniform(state) for _ in range(4000)])
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    assert abs(drawn.mean() - 0.5) < 0.03
    assert abs(drawn.var() - 1 / 12) < 0.01


@pytest.mark.parametrize("n", [1, 2, 7])
def test_below_is_even(n: int) -> None:
    state = seed_state(2)
    counts = np.bincount([below(state, n) for _ in range(3000)], minlength=n)
    assert len(counts) == n
    assert counts.min() > 0.8 * 3000 / n


def test_plain_and_compiled_agree() -> None:
    plain, fast = seed_state(5), seed_state(5)
    with np.errstate(over="ignore"):
        slow = [int(next_u64.py_func(plain)) for _ in range(8)]
    assert slow == [int(next_u64(fast)) for _ in range(8)]


def test_streams_are_splitmix64() -> None:
    # First outputs of SplitMix64 for seed 1234567, of which the upper 53 bits count.
    streams = np.array([0, 1234567], dtype=np.uint64)
    expected = [6457827717110365317 >> 11, 3203168211198807973 >> 11]
    assert [stream_uniform(streams, 1) * 2.0**53 for _ in range(2)] == expected
    assert streams[0] == 0
