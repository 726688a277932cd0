import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import spread_tasks
from geopar.spread.executor import WorkerDiedError
from geopar.spread.processes import Processes

PATIENCE = 60.0


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_gone(processes: set[int]) -> None:
    end = time.monotonic() + PATIENCE
    while any(is_alive(process) for process in processes):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_worker_that_dies_is_replaced_and_its_task_done_again(tmp_path: Path) -> None:
    tasks = [(n, tmp_path / f"{n}" if n in (3, 7) else None) for n in range(12)]
    with Processes(2) as processes:
        values = [one.value for one in processes.run(spread_tasks.dies_at_first, tasks)]
    assert sorted(values) == list(range(12))


def test_a_task_that_kills_its_workers_is_given_up_and_no_other() -> None:
    with Processes(2) as processes:
        done = {one.number: one for one in processes.run(spread_tasks.dies_if_odd, [0, 1, 2, 4])}
    assert isinstance(done[1].error, WorkerDiedError)
    assert [done[n].value for n in (0, 2, 3)] == [0, 2, 4]


def test_processes_stay_for_the_next_tasks() -> None:
    with Processes(1) as processes:
        first, second = (
            {one.value for one in processes.run(spread_tasks.tells_process, range(3))}
            for _ in range(2)
        )
    assert first == second
    wait_until_gone(first)


def test_whoever_stops_ends_what_runs(tmp_path: Path) -> None:
    with Processes(1) as processes:
        (worker,) = {one.value for one in processes.run(spread_tasks.tells_process, [0])}
        (tmp_path / "there").touch()
        tasks = [(0, tmp_path / "there"), (1, tmp_path / "never"), (2, tmp_path / "never")]
        results = processes.run(spread_tasks.waits, tasks)
        assert next(results).value == 0
        results.close()  # type: ignore[attr-defined]
        wait_until_gone({worker})


def test_a_task_that_cannot_be_sent_comes_back_with_its_error() -> None:
    tasks: list[Any] = [lambda: 3, 3]
    with Processes(1) as processes:
        done = {one.number: one for one in processes.run(spread_tasks.square, tasks)}
    assert done[0].error is not None
    assert done[1].value == 9


def test_workers_end_with_the_process_that_they_work_for() -> None:
    script = (
        "import os, spread_tasks\n"
        "from geopar.spread.processes import Processes\n"
        "if __name__ == '__main__':\n"
        "    workers = Processes(1)\n"
        "    (one,) = workers.run(spread_tasks.tells_process, [0])\n"
        "    print(one.value, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    places = os.pathsep.join([str(Path(spread_tasks.__file__).parent), *sys.path])
    ended = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": places}, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    wait_until_gone({int(ended.stdout)})


@pytest.mark.parametrize("tries", [1, 4])
def test_the_error_says_how_often(tries: int) -> None:
    assert f"died {tries} times" in str(WorkerDiedError(tries))
