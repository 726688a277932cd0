import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.compiled.random import seed_state
from geopar.peers.classical.crossover import (
    mix_vehicles,
    order_crossover,
    partially_mapped_crossover,
    reverse,
    shift,
)

OX, PMX, MIX, REVERSE, SHIFT = range(5)


@numba.njit
def apply(kind, random, one, other, child, place, i, j):
    """The way in from Python: the operators themselves have none."""
    if kind == OX:
        order_crossover(random, one, other, child, place)
    elif kind == PMX:
        partially_mapped_crossover(random, one, other, child, place)
    elif kind == MIX:
        mix_vehicles(random, one, other, child)
    elif kind == REVERSE:
        reverse(child, i, j)
    else:
        shift(child, i, j)


def crossed(kind: int, seed: int, one: list[int], other: list[int]) -> list[int]:
    a, b = np.array(one, dtype=np.int32), np.array(other, dtype=np.int32)
    child, place = np.full_like(a, -7), np.zeros_like(a)
    apply(kind, seed_state(seed), a, b, child, place, 0, 0)
    return child.tolist()


def changed(kind: int, order: list[int], i: int, j: int) -> list[int]:
    child = np.array(order, dtype=np.int32)
    apply(kind, seed_state(0), child, child, child, child, i, j)
    return child.tolist()


permutations = st.integers(1, 9).flatmap(
    lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))
)


@pytest.mark.parametrize("kind", [OX, PMX])
@given(parents=permutations, seed=st.integers(0, 1000))
def test_children_are_permutations(kind, parents, seed):
    assert sorted(crossed(kind, seed, *parents)) == list(range(len(parents[0])))


@pytest.mark.parametrize("kind", [OX, PMX])
@given(parents=permutations, seed=st.integers(0, 1000))
def test_equal_parents_have_an_equal_child(kind, parents, seed):
    assert crossed(kind, seed, parents[0], parents[0]) == parents[0]


def slices_of(child: list[int], one: list[int]) -> list[tuple[int, int]]:
    """Where the child could have its slice of ``one``."""
    n = len(one)
    return [(i, j) for i in range(n) for j in range(i, n) if child[i : j + 1] == one[i : j + 1]]


@given(parents=permutations, seed=st.integers(0, 1000))
def test_ox_keeps_a_slice_and_the_others_cyclic_sequence(parents, seed):
    one, other = parents
    child, n = crossed(OX, seed, one, other), len(one)

    def follows(first: int, last: int) -> bool:
        behind = [(last + i) % n for i in range(1, n + 1)]
        rest = [other[p] for p in behind if other[p] not in one[first : last + 1]]
        return [child[p] for p in behind if not first <= p <= last] == rest

    assert any(follows(*ends) for ends in slices_of(child, one))


@given(parents=permutations, seed=st.integers(0, 1000))
def test_pmx_keeps_a_slice_and_the_others_places(parents, seed):
    one, other = parents
    child, n = crossed(PMX, seed, one, other), len(one)

    def stays(first: int, last: int) -> bool:
        outside = [p for p in range(n) if not first <= p <= last]
        return all(child[p] == other[p] for p in outside if other[p] not in one[first : last + 1])

    assert any(stays(*ends) for ends in slices_of(child, one))


def test_vehicles_come_from_either_parent():
    one, other = [1] * 40, [2] * 40
    child = crossed(MIX, 3, one, other)
    assert set(child) == {1, 2}


def test_reverse():
    assert changed(REVERSE, [0, 1, 2, 3, 4], 1, 3) == [0, 3, 2, 1, 4]
    assert changed(REVERSE, [0, 1, 2, 3, 4], 2, 2) == [0, 1, 2, 3, 4]


def test_shift():
    assert changed(SHIFT, [0, 1, 2, 3, 4], 1, 3) == [0, 2, 3, 1, 4]
    assert changed(SHIFT, [0, 1, 2, 3, 4], 3, 1) == [0, 3, 1, 2, 4]
    assert changed(SHIFT, [0, 1, 2, 3, 4], 2, 2) == [0, 1, 2, 3, 4]
