import dataclasses

import numpy as np
import pytest

from geopar.problems.batch import make_batch
from geopar.problems.frozen import frozen
from geopar.reproduce.experiment import Context
from geopar.reproduce.experiments import recall
from geopar.reproduce.experiments.recall import CONSTRUCTIONS, Recall, follow, lines
from geopar.reproduce.scale import QUICK

SET = "hcvrp/200/4"
CONTEXT = Context(dataclasses.replace(QUICK, search_seconds=0.05))


def test_pairs_follow_each_other_within_trips() -> None:
    pairs = follow([[[0, 1, 2], [3]], [[4, 5]]])
    assert pairs.tolist() == [[0, 1], [1, 2], [4, 5]]
    assert follow([[], [[1]]]).shape == (0, 2)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_candidates_are_tasks_of_each_task(name: str) -> None:
    batch = make_batch([frozen(SET, 1)[0]])
    found = CONSTRUCTIONS[name](batch)
    assert len(found) == 200
    assert found.min() >= 0
    assert found.max() < 200


def test_both_ways_to_the_nearest_agree() -> None:
    batch = make_batch([frozen(SET, 1)[0]])
    by_matrix, by_tree = (np.sort(CONSTRUCTIONS[n](batch)) for n in ("KNN", "KNN by k-d tree"))
    assert (by_matrix == by_tree).mean() > 0.999  # ties


def test_windows_hold_neighbours_by_rank() -> None:
    batch = make_batch([frozen(SET, 1)[0]])
    found, x = CONSTRUCTIONS["Projection"](batch), batch.tasks[0, :, 0].numpy()
    order = x.argsort(kind="stable")
    assert all(order[i + 8] in found[order[i]] for i in range(0, 190, 10))


def test_windows_and_neighbours_hold_more_than_chance() -> None:
    found = {
        name: Recall(name, "refine").measure(SET, CONTEXT).values["recall"]
        for name in CONSTRUCTIONS
    }
    assert found["KNN"] == found["KNN by k-d tree"] > found["Random"]
    assert found["Projection"] > found["Random"]
    assert all(0.0 <= value <= 1.0 for value in found.values())


def test_no_plan_no_transitions(monkeypatch) -> None:
    monkeypatch.setattr(recall, "transitions", lambda *key: None)
    measured = Recall("KNN", "refine").measure(SET, CONTEXT)
    assert measured.values == {}
    assert "longer than" in measured.note


def test_without_parco_only_our_search_is_looked_at(monkeypatch) -> None:
    monkeypatch.setattr(recall, "is_installed", lambda kind, name: False)
    found = lines(CONTEXT)
    assert all((line.subject is None) == ("PARCO" in line.method) for line in found)
