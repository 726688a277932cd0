"""Random numbers for compiled code: one small state per run, passed along, never global.

The generator is xoshiro256++ (Blackman & Vigna 2021, "Scrambled linear pseudorandom number
generators", ACM TOMS 47), seeded through SplitMix64 as its authors advise. Where thousands of
streams are needed side by side, SplitMix64 itself (Steele, Lea & Flood 2014) has one word of state
for each. The same seed gives the same stream on every machine, with and without compilation, in
every thread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled

State = NDArray[np.uint64]

_WORD = (1 << 64) - 1
# Shifts as unsigned constants: numba turns unsigned with signed into float.
_11, _17, _19, _23, _32, _41, _45 = (np.uint64(bits) for bits in (11, 17, 19, 23, 32, 41, 45))
_UNIT = 1.0 / (1 << 53)
# Of SplitMix64: what a state goes on by, then shifts and factors of what is made of it.
_STRIDE, _FACTORS = 0x9E3779B97F4A7C15, (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_NEXT, _FIRST, _SECOND = np.uint64(_STRIDE), np.uint64(_FACTORS[0]), np.uint64(_FACTORS[1])
_27, _30, _31 = np.uint64(27), np.uint64(30), np.uint64(31)


def seed_state(seed: int) -> State:
    """A fresh state for any whole number; its lowest 64 bits count."""
    state = np.empty(4, dtype=np.uint64)
    word = seed & _WORD
    for i in range(4):
        word = (word + _STRIDE) & _WORD
        mixed = ((word ^ (word >> 30)) * _FACTORS[0]) & _WORD
        mixed = ((mixed ^ (mixed >> 27)) * _FACTORS[1]) & _WORD
        state[i] = mixed ^ (mixed >> 31)
    return state


@compiled
def next_u64(state: State) -> np.uint64:
    """The next 64 random bits; moves the state on."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    total = s0 + s3
    result = ((total << _23) | (total >> _41)) + s0
    shifted = s1 << _17
    s2 ^= s0
    s3 ^= s1
    state[1] = s1 ^ s2
    state[0] = s0 ^ s3
    state[2] = s2 ^ shifted
    state[3] = (s3 << _45) | (s3 >> _19)
    return result  # type: ignore[no-any-return]


@compiled
def uniform(state: State) -> float:
    """Uniform in [0, 1)."""
    return (next_u64(state) >> _11) * _UNIT  # type: ignore[no-any-return]


@compiled
def below(state: State, n: int) -> int:
    """A whole number uniform in 0 .. n-1, for n from 1 to 2^32.

    By multiplication of 32 bits (Lemire 2019); the bias is below n / 2^32.
    """
    return np.int64(((next_u64(state) >> _32) * np.uint64(n)) >> _32)  # type: ignore[return-value]


@compiled
def stream_uniform(streams: State, i: int) -> float:
    """Uniform in [0, 1), from stream ``i`` of many; any whole number is a stream's first state."""
    streams[i] += _NEXT
    z = streams[i]
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    z = z ^ (z >> _31)
    return float(z >> _11) * _UNIT
