"""What spreading costs, and whether results survive it.

    python benchmarks/spread.py speed --count 1000 --iterations 20000 --kinds serial processes:2
    python benchmarks/spread.py speed --count 1000 --iterations 20000 --kinds processes:1 ray:1
    python benchmarks/spread.py kills --count 1000 --iterations 200 --rounds 10

``ray:K`` is Ray's own test cluster on this machine: a head without cores, and K nodes with one
core each. Starting workers and loading compiled code is measured apart, by a first round of small
tasks, and so is what all processes take while there is nothing to do (``idle``: in as much time by
the clock as the tasks took, which is long on a core that others use too). ``kills`` ends a node
(SIGKILL of its raylet) in the middle of each round and starts a new one; what comes back is
compared with one process. With as many workers as cores the clock counts; on one core that others
use too, look at the processor seconds of all processes: this one, its workers and, of Ray, its
nodes. The digest is that of all plans: the same whatever made them.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from geopar.many.cases import Cases, open_cases
from geopar.many.solving import How, Job, Solved, run_job, solved
from geopar.problems.frozen import frozen
from geopar.spread import Done, Executor, open_executor
from geopar.stop import MaxIterations
from provenance import RESULTS, append, origin

Found = dict[int, tuple[Any, float | None]]


def timed(job: Job) -> tuple[Solved, float]:
    """A solve, and the processor seconds that it took."""
    began = time.process_time()
    return solved(job.case, run_job(job)), time.process_time() - began


def used_by_all() -> float:
    """Processor seconds of this process and all below it that are alive."""
    ticks, parents = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            values = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended just now
        process = int(stat.parent.name)
        parents[process], ticks[process] = int(values[1]), int(values[11]) + int(values[12])
    ours = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(ticks.get(process, 0) for process in ours) / os.sysconf("SC_CLK_TCK")


def settle() -> None:
    """Wait until nothing is being started any more, as a cluster's agents are for a while."""
    until, used = time.monotonic() + 180.0, used_by_all()
    while time.monotonic() < until:
        time.sleep(5.0)
        before, used = used, used_by_all()
        if used - before < 0.25:
            return


def used_while_idle() -> float:
    """Processor seconds that all take in a second without tasks."""
    began, used = time.perf_counter(), used_by_all()
    time.sleep(20.0)
    return (used_by_all() - used) / (time.perf_counter() - began)


@contextmanager
def opened(kind: str) -> Iterator[tuple[Executor, Any]]:
    """An executor by name, and the test cluster behind it."""
    if not kind.startswith("ray:"):
        with open_executor(kind) as executor:
            yield executor, None
        return
    # Ray lets its workers step back behind everybody else (nice 15), ours do not.
    os.environ.setdefault("RAY_worker_niceness", "0")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    for _ in range(int(kind.partition(":")[2])):
        cluster.add_node(num_cpus=1)
    try:
        with open_executor(cluster.address) as executor:
            yield executor, cluster
    finally:
        cluster.shutdown()


def run(executor: Executor, cases: Cases, iterations: int) -> Iterator[Done[tuple[Solved, float]]]:
    how = How(MaxIterations(iterations))
    return executor.run(timed, (Job(case, how) for case in cases))


def gathered(done: Iterator[Done[tuple[Solved, float]]]) -> tuple[Found, float]:
    """Plans by number, each once, and the processor seconds of the tasks."""
    found: Found = {}
    seconds = 0.0
    for one in done:
        told, used = one.result()
        assert one.number not in found, "came twice"
        found[one.number] = (told.plan, told.objective)
        seconds += used
    return found, seconds


def digest(found: Found) -> str:
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()[:16]


def speed(options: argparse.Namespace, cases: Cases) -> None:
    first: Found | None = None
    for kind in options.kinds:
        with opened(kind) as (executor, _):
            began = time.perf_counter()
            gathered(run(executor, open_cases(list(frozen("hcvrp/10/2", 8))), 10))
            start = time.perf_counter() - began
            settle()
            rate = used_while_idle()
            began, used = time.perf_counter(), used_by_all()
            found, tasks = gathered(run(executor, cases, options.iterations))
            clock, used = time.perf_counter() - began, used_by_all() - used
        first = found if first is None else first
        assert found == first, f"{kind} gives other plans"
        print(
            f"{kind:12} {clock:8.2f} s by the clock, {used:8.2f} s of processors, of them "
            f"{tasks:8.2f} s in tasks and {rate * clock:.2f} s as when idle; start {start:.1f} s; "
            f"{len(found)} plans {digest(found)}",
            flush=True,
        )
        note(
            options, kind,
            clock=clock, processors=used, tasks=tasks, idle=rate * clock, start=start,
        )  # fmt: skip


def kills(options: argparse.Namespace, cases: Cases) -> None:
    with open_executor("serial") as here:
        wanted, _ = gathered(run(here, cases, options.iterations))
    chance = random.Random(options.seed)
    with opened("ray:2") as (executor, cluster):
        for number in range(options.rounds):
            when = chance.randrange(len(cases) // 10, len(cases) * 9 // 10)
            found, began = killed(executor, cluster, cases, options.iterations, when, chance)
            assert found == wanted, "other plans than one process gives"
            seconds = time.perf_counter() - began
            print(
                f"round {number + 1}: a node killed after {when} results; {len(found)} came, each "
                f"once, equal; {seconds:.1f} s",
                flush=True,
            )
            note(options, "ray:2, a node killed", clock=seconds)


def killed(
    executor: Executor, cluster: Any, cases: Cases, iterations: int, when: int, chance: Any
) -> tuple[Found, float]:
    began, come = time.perf_counter(), 0

    def watched() -> Iterator[Done[tuple[Solved, float]]]:
        nonlocal come
        for one in run(executor, cases, iterations):
            yield one
            come += 1
            if come == when:
                victim = chance.choice(sorted(cluster.worker_nodes, key=id))
                cluster.remove_node(victim, allow_graceful=False)
                cluster.add_node(num_cpus=1)

    return gathered(watched())[0], began


def note(options: argparse.Namespace, kind: str, **values: float) -> None:
    if options.out:
        row = {"what": options.what, "kind": kind, "count": str(options.count)}
        row |= {"iterations": str(options.iterations)}
        row |= {name: f"{values[name]:.2f}" if name in values else "" for name in TIMES}
        append(options.out, [row | origin()])


TIMES = ("clock", "processors", "tasks", "idle", "start")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["speed", "kills"])
    parser.add_argument("--set", default="hcvrp/60/3")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--iterations", type=int, default=20_000)
    parser.add_argument("--kinds", nargs="+", default=["serial", "processes:2"])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "spread.csv")
    options = parser.parse_args()
    cases = open_cases(list(frozen(options.set, options.count)))
    {"speed": speed, "kills": kills}[options.what](options, cases)


if __name__ == "__main__":
    main()
