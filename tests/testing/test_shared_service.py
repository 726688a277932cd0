import json

import pytest

import instances
from geopar.checking import check
from geopar.files import plan_to_json
from geopar.plan import Plan
from geopar.testing.postgresql import Postgres, why_not
from geopar.testing.shared_service import _wrong, kill_one_of_two

SQUARE = instances.square()
PLAN = Plan.from_indices(SQUARE, [[[0, 1]], [[2, 3]]])


def test_one_of_two_servers_is_killed_and_nothing_is_lost() -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    postgres = Postgres()
    try:
        done = kill_one_of_two(postgres.url, jobs=12, seconds=0.3, seed=5)
    finally:
        postgres.close()
    assert done.found == []
    assert done.counts["finished"] + done.counts["interrupted"] == 12


def job(status: str, objective: float | None) -> dict:
    result = {"plan": json.loads(json.dumps(plan_to_json(PLAN))), "objective": objective}
    has_result = objective is not None
    return {"id": "a", "status": status, "error": None, "result": result if has_result else None}


def test_what_counts_as_lost() -> None:
    true = check(SQUARE, PLAN).objective
    assert _wrong(job("finished", true), SQUARE) == []
    assert _wrong(job("interrupted", true), SQUARE) == []
    assert "is failed" in _wrong(job("failed", true), SQUARE)[0]
    assert "is interrupted" in _wrong(job("interrupted", None), SQUARE)[0]
    assert "1.0 is" in _wrong(job("finished", 1.0), SQUARE)[0]
