import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from geopar.paper.windows import build_cache, directions
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.random import generate


def orderings(cache_tasks, q, extra):
    """Sorted task numbers along every ordering, ties by number, in plain Python."""
    result = []
    for turn in range(q):
        angle = math.pi * turn / q
        u = torch.tensor([math.cos(angle), math.sin(angle)])
        keys = (cache_tasks @ u).tolist()
        result.append(sorted(range(len(keys)), key=lambda i: (keys[i], i)))
    return result + extra


def windows(order, w):
    """For every task the (offset, other) pairs within w ranks."""
    rank = {task: r for r, task in enumerate(order)}
    return {
        i: [(d, order[rank[i] + d]) for d in range(-w, w + 1) if 0 <= rank[i] + d < len(order)]
        for i in order
    }


def test_directions_cover_half_a_turn():
    torch.testing.assert_close(
        directions(4), torch.tensor([[1, 0], [0.5**0.5, 0.5**0.5], [0, 1], [-(0.5**0.5), 0.5**0.5]])
    )


@pytest.mark.parametrize("tasks", [1, 2, 5, 30])
@pytest.mark.parametrize("radius", [1, 3])
def test_slots_are_the_definition(tasks, radius):
    batch = make_batch([generate(f"hcvrp/{tasks}/1", k) for k in range(2)])
    cache = build_cache(batch, 3, radius)
    assert cache.index.shape[-1] == 1 + 3 * (2 * radius + 1)
    for b in range(2):
        expected = [windows(o, radius) for o in orderings(batch.tasks[b], 3, [])]
        for i in range(tasks):
            slots = cache.index[b, i][cache.valid[b, i]].tolist()
            assert slots == [i] + [j for window in expected for _, j in window[i]]


def test_equal_points_are_ordered_by_number():
    problem = HCVRP((0, 0), [(1, 1)] * 5 + [(0, 0)] * 2, [1] * 7, [7], [1])
    cache = build_cache(make_batch([problem]), 4, 1)
    for ordering in (0, 1, 2):
        assert cache.order[0, ordering].tolist() == [5, 6, 0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("setting", "extra"),
    [
        ("hcvrp/9/1", lambda b: sorted(range(9), key=lambda i: depot_gap(b, i))),
        # Orders by where they begin, each pickup before its delivery.
        ("omdcpdp/8/1", lambda b: [
            task
            for k in sorted(range(4), key=lambda k: float(b.tasks[0, k, 0]))
            for task in (k, 4 + k)
        ]),
    ],
)  # fmt: skip
def test_task_native_orderings(setting, extra):
    batch = make_batch([generate(setting)])
    cache = build_cache(batch, 2, 2, auxiliary=True)
    assert cache.num_orderings == 3
    assert cache.order[0, 2].tolist() == extra(batch)


def depot_gap(batch, i):
    return math.dist(batch.tasks[0, i].tolist(), batch.reference[0].tolist())


def test_geometry_scores_are_equation_20():
    batch, w = make_batch([generate("omdcpdp/14/3")]), 2
    cache = build_cache(batch, 2, w)
    points = batch.tasks[0].tolist()
    bands = [windows(o, w) for o in orderings(batch.tasks[0], 2, [])]
    gaps = [0.0] * 14 + [math.dist(points[i], points[j]) for b in bands for i in b for _, j in b[i]]
    mean = sum(gaps) / len(gaps)
    assert float(cache.mean_distance) == pytest.approx(mean, rel=1e-5)
    for o, band in enumerate(bands):
        for i, window in band.items():
            for offset, j in window:
                gap = math.dist(points[i], points[j])
                expected = (depot_gap(batch, i) + depot_gap(batch, j) - gap) / mean
                expected += -gap / mean - 0.1 * abs(offset) / w
                slot = 1 + o * (2 * w + 1) + offset + w
                assert float(cache.score[0, i, slot]) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("most", [None, 4])
def test_what_is_seen_counts_once_with_its_smallest_offset(most):
    batch, w = make_batch([generate("hcvrp/25/1", 3)]), 2
    cache = build_cache(batch, 3, w, most=most)
    slots = cache.seen_from(torch.arange(25)[None])
    for i in range(25):
        best: dict[Any, Any] = {}
        for slot in range(cache.index.shape[-1]):
            if cache.valid[0, i, slot]:
                j = int(cache.index[0, i, slot])
                best[j] = max(best.get(j, -math.inf), float(cache.score[0, i, slot]))
        counts = slots.counts[0, i]
        tasks = slots.task[0, i][counts].tolist()
        assert sorted(tasks) == sorted(best)
        seen = dict(zip(tasks, slots.score[0, i][counts].tolist(), strict=True))
        assert seen == pytest.approx(best, abs=1e-5)
        assert most is None or len(tasks) <= most


def test_from_the_depot_nearer_is_better():
    batch = make_batch([generate("hcvrp/6/1")])
    cache = build_cache(batch)
    expected = [-depot_gap(batch, i) for i in range(6)]
    mean = -sum(expected) / 6
    seen = cache.depot_score(torch.arange(6)[None])[0].tolist()
    assert seen == pytest.approx([e / mean for e in expected], rel=1e-4)


@given(st.integers(1, 12), st.integers(1, 3), st.integers(1, 9), st.integers(0, 5))
def test_truncation_keeps_the_smallest_rank_distances(tasks, radius, most, seed):
    batch = make_batch([generate(f"hcvrp/{tasks}/1", seed)])
    whole, cut = build_cache(batch, 2, radius), build_cache(batch, 2, radius, most=most)
    bands = [windows(o, radius) for o in orderings(batch.tasks[0], 2, [])]
    for i in range(tasks):
        nearest: dict[int, int] = {i: 0}
        for band in bands:
            for offset, j in band[i]:
                nearest[j] = min(nearest.get(j, radius), abs(offset))
        kept = cut.index[0, i][cut.valid[0, i]].tolist()
        assert len(kept) == len(set(kept)) == min(most, len(nearest))
        assert i in kept
        allowed = sorted(nearest.values())[: len(kept)]
        assert sorted(nearest[j] for j in kept) == allowed
    assert whole.valid.sum() >= cut.valid.sum()
