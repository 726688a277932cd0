import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import spread_tasks
from geopar import __about__
from geopar.errors import InputError
from geopar.spread import WorkerDiedError, open_executor

pytest.importorskip("ray", reason="needs the extra cluster")


def codes(error: pytest.ExceptionInfo[InputError]) -> set[str]:
    return {fault.code for fault in error.value.faults}


def test_a_worker_that_dies_is_replaced_and_its_task_done_again(
    ray_cluster: Any, tmp_path: Path
) -> None:
    tasks = [(n, tmp_path / f"{n}" if n in (3, 7) else None) for n in range(12)]
    with open_executor(ray_cluster.address) as executor:
        values = [one.value for one in executor.run(spread_tasks.dies_at_first, tasks)]
    assert sorted(values) == list(range(12))


def test_a_task_that_kills_its_workers_is_given_up_and_no_other(ray_cluster: Any) -> None:
    with open_executor(ray_cluster.address) as executor:
        done = {one.number: one for one in executor.run(spread_tasks.dies_if_odd, [0, 1, 2])}
    assert isinstance(done[1].error, WorkerDiedError)
    assert [done[n].value for n in (0, 2)] == [0, 2]


def test_short_tasks_go_together_and_a_deadly_one_takes_none_along(ray_cluster: Any) -> None:
    with open_executor(ray_cluster.address) as executor:
        done = {one.number: one for one in executor.run(spread_tasks.dies_at_99, range(150))}
    assert sorted(done) == list(range(150))
    assert isinstance(done[99].error, WorkerDiedError)
    assert all(done[n].value == n for n in done if n != 99)


def test_bunches_are_as_large_as_tasks_are_short() -> None:
    from geopar.spread.ray_cluster import MOST_IN_BUNCH, SECONDS_OF_BUNCH, _Bunches

    bunches = _Bunches(range(1000))
    first = bunches.take()
    assert first == [(0, 0)]  # nobody knows yet how long they take
    bunches.note(first, 1, SECONDS_OF_BUNCH / 10.0)
    second = bunches.take()
    assert len(second) == 10
    # The worker gave back what it had not begun: that comes first, and bunches become smaller.
    bunches.note(second, 4, 4.0 * SECONDS_OF_BUNCH)
    assert bunches.take() == second[4:]
    assert len(bunches.take()) < 10
    bunches.try_alone(second[:2])
    assert [bunches.take(), bunches.take()] == [[second[0]], [second[1]]]
    for _ in range(100):
        bunches.note(second, 10, 1e-9)
    assert len(bunches.take()) == MOST_IN_BUNCH


def test_a_node_that_dies_takes_no_result_along(ray_cluster: Any) -> None:
    lost = ray_cluster.add_node(num_cpus=1)
    with open_executor(ray_cluster.address) as executor:
        assert executor.workers == 3
        done = []
        for one in executor.run(spread_tasks.square, range(300)):
            done.append(one)
            if len(done) == 20:
                ray_cluster.remove_node(lost, allow_graceful=False)
    assert sorted(one.number for one in done) == list(range(300))
    assert all(one.value == one.number**2 for one in done)


def test_another_geopar_on_the_nodes_is_refused(
    ray_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = __about__.__version__
    monkeypatch.setattr(__about__, "__version__", "99.1")
    with pytest.raises(InputError, match=rf"has GeoPAR {real}, here it is 99\.1") as error:
        open_executor(ray_cluster.address)
    assert codes(error) == {"other-versions"}
    monkeypatch.undo()
    with open_executor(ray_cluster.address) as executor:  # the failure has left nothing behind
        assert executor.workers == 2


def test_so_it_is_on_nodes_that_join_later(
    ray_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_executor(ray_cluster.address) as executor:
        monkeypatch.setattr(__about__, "__version__", "99.1")
        with pytest.raises(InputError, match=r"here it is 99\.1"):
            list(executor.run(spread_tasks.square, [1]))


def test_more_cores_than_any_node_has_are_refused(ray_cluster: Any) -> None:
    with pytest.raises(InputError, match="more than any node") as error:
        open_executor(ray_cluster.address, cores=8)
    assert codes(error) == {"bad-threads"}


def test_a_full_store_is_said(ray_cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ray.exceptions import ObjectStoreFullError

    class Full:
        def remote(self, *arguments: object) -> None:
            raise ObjectStoreFullError

    with open_executor(ray_cluster.address) as executor:
        monkeypatch.setattr(executor, "_remote", Full())
        with pytest.raises(InputError, match="--object-store-memory") as error:
            list(executor.run(spread_tasks.square, [1]))
    assert codes(error) == {"full-store"}


def test_nobody_at_the_address() -> None:
    with pytest.raises(InputError, match="does not answer") as error:
        open_executor("127.0.0.1:9")
    assert codes(error) == {"no-cluster"}


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""])
def test_somebody_else_at_the_address(greeting: bytes) -> None:
    """At once, though Ray would wait for minutes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(100)
            connection.sendall(greeting)

    thread = threading.Thread(target=answer)
    thread.start()
    with pytest.raises(InputError, match="is no Ray cluster") as error:
        open_executor(f"127.0.0.1:{listener.getsockname()[1]}")
    thread.join()
    listener.close()
    assert codes(error) == {"no-cluster"}


def test_no_cluster_to_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def init(**options: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(InputError, match="ray start --head") as error:
        open_executor("auto")
    assert codes(error) == {"no-cluster"}


def test_rays_own_word_on_versions_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def init(**options: object) -> None:
        raise RuntimeError("Version mismatch: The cluster has Python 3.9.1,\n this has 3.11.7")

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(InputError, match=r"Python 3\.9\.1, this has 3\.11\.7") as error:
        open_executor("auto")
    assert codes(error) == {"other-versions"}


def test_ray_is_not_imported_unless_asked_for() -> None:
    script = (
        "import sys, geopar, geopar.cli, geopar.spread\n"
        "with geopar.spread.open_executor('serial') as executor: list(executor.run(abs, [1]))\n"
        "geopar.spread.open_executor('processes:2').close()\n"
        "assert 'ray' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
