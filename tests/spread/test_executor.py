"""Laws of everything that runs tasks."""

import os
import pickle
from collections.abc import Iterator

import pytest

import spread_tasks
from geopar.errors import GeoparError, InputError
from geopar.spread import Done, Executor, open_executor
from geopar.spread.executor import attempt, portable

KINDS = ("serial", "processes:2", "ray")


@pytest.fixture(scope="module", params=KINDS)
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    name = request.param
    if name == "ray":
        name = request.getfixturevalue("ray_cluster").address
    with open_executor(name) as opened:
        yield opened


def test_every_task_comes_back_once(executor: Executor) -> None:
    done = list(executor.run(spread_tasks.square, range(50)))
    assert sorted(one.number for one in done) == list(range(50))
    assert {one.number: one.value for one in done} == {n: n * n for n in range(50)}


def test_bad_input_is_told_and_the_others_go_on(executor: Executor) -> None:
    done = {one.number: one for one in executor.run(spread_tasks.root, [4, -1, 9])}
    assert (done[0].value, done[2].value) == (2.0, 3.0)
    assert isinstance(done[1].error, InputError)
    assert done[1].error.faults[0].code == "out-of-range"


def test_an_error_that_nobody_expected_says_where_it_was(executor: Executor) -> None:
    (one,) = executor.run(spread_tasks.broken, [3])
    assert isinstance(one.error, ZeroDivisionError)
    assert "in broken" in "".join(one.error.__notes__)


def test_an_error_that_cannot_travel_comes_as_text(executor: Executor) -> None:
    (one,) = executor.run(spread_tasks.stubborn, [3])
    assert type(one.error) is GeoparError
    assert str(one.error) == "StubbornError: so3"


def test_no_task_is_nothing_to_do(executor: Executor) -> None:
    assert list(executor.run(spread_tasks.square, [])) == []


def test_tasks_are_taken_when_they_are_needed(executor: Executor) -> None:
    taken = []

    def source() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = executor.run(spread_tasks.square, source())
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(taken) <= 10


def test_it_goes_on_after_somebody_has_stopped(executor: Executor) -> None:
    results = executor.run(spread_tasks.square, range(10))
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert {one.value for one in executor.run(spread_tasks.square, [5, 6])} == {25, 36}


def test_there_is_a_worker(executor: Executor) -> None:
    assert executor.workers >= 1


@pytest.mark.parametrize("kind", KINDS[1:])
def test_work_is_done_in_other_processes(kind: str, request: pytest.FixtureRequest) -> None:
    name = request.getfixturevalue("ray_cluster").address if kind == "ray" else kind
    with open_executor(name) as executor:
        values = {one.value for one in executor.run(spread_tasks.tells_process, range(20))}
    assert os.getpid() not in values


def test_a_result_is_the_value_or_raises() -> None:
    assert attempt(spread_tasks.square, 0, 3).result() == 9
    with pytest.raises(InputError, match="has no root"):
        attempt(spread_tasks.root, 0, -3).result()


def test_an_error_of_ours_travels_as_it_is() -> None:
    error = attempt(spread_tasks.root, 0, -3).error
    assert portable(error) is error
    assert isinstance(error, InputError)
    again = pickle.loads(pickle.dumps(Done(0, error=error)))
    assert again.error.faults == error.faults
