import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from geopar.errors import InputError
from geopar.learn.checkpoint import read_tensors
from geopar.learn.distributed import Alone, start_processes

SCRIPT = """
import sys
from pathlib import Path

from geopar.learn.checkpoint import write_tensors
from geopar.learn.config import default_config
from geopar.learn.distributed import start_processes
from geopar.learn.open_run import open_run

folder, processes, nodes, node, address, port = sys.argv[1:]
folder = Path(folder)
config = default_config("hcvrp").changed({
    "model.width": "8", "model.heads": "2", "model.layers": "1", "model.feedforward": "8",
    "monitor": "mean", "sizes": "8/2", "batch_size": "4",
    "epoch_size": "4", "epochs": "3", "milestones": "", "augmentations": "2",
    "validation": "8/2", "validation_count": "4",
})
team = start_processes(int(processes), int(nodes), int(node), address, int(port))
run = open_run(config, folder / "run", folder / "labels", processes=team)
run.train()
write_tensors(folder / f"rank-{team.rank}.pt", {
    "network": run.learner.network.state_dict(), "rank": team.rank, "size": team.size,
    "step": run.step,
})
"""


def test_one_process_needs_nobody() -> None:
    team = start_processes()
    assert isinstance(team, Alone)
    assert team.agree(True)


def test_impossible_numbers_of_processes_are_refused() -> None:
    with pytest.raises(InputError) as error:
        start_processes(processes=0, nodes=2, node=2)
    assert {fault.field for fault in error.value.faults} == {"processes", "node", "port"}


GRADIENTS = """
import sys

import torch

from geopar.learn.distributed import start_processes

node, address, port, path = sys.argv[1:]
team = start_processes(1, 2, int(node), address, int(port))
torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1))
batch = torch.randn(8, 6)


def gradients(rows):
    network.zero_grad()
    network(rows).square().mean().backward()
    return [p.grad.clone() for p in network.parameters()]


whole = gradients(batch)
gradients(batch[team.rank::2])
team.average(network)
for alone, together in zip(whole, [p.grad for p in network.parameters()]):
    torch.testing.assert_close(together, alone)
assert team.agree(team.rank == 0)
open(path, "w").write(f"{team.rank} of {team.size}")
"""
# The whole network 127.0.0.0/8 is this machine, on Linux at least.
MAIN = "127.0.0.2"


def free_port(address: str = "127.0.0.1") -> int:
    """One that is free there; skipped where there is no such address."""
    try:
        with socket.create_server((address, 0)) as made:
            port: int = made.getsockname()[1]
            return port
    except OSError as error:
        pytest.skip(f"there is no address {address} here: {error}")


def run_all(scripts: list[list[str]], environments: list[dict[str, str]]) -> None:
    """Run Python scripts at the same time, until all have ended well."""
    running = [
        subprocess.Popen(
            [sys.executable, *script],
            env={**os.environ, "OMP_NUM_THREADS": "1", **more},
            stderr=subprocess.PIPE,
            text=True,
        )
        for script, more in zip(scripts, environments, strict=True)
    ]
    try:
        for process in running:
            _, told = process.communicate(timeout=300)
            assert process.returncode == 0, told
    finally:
        for process in running:
            process.kill()


def trained(folder: Path) -> list[dict[str, Any]]:
    """What each of two processes has learned."""
    return [read_tensors(folder / f"rank-{rank}.pt") for rank in (0, 1)]


def test_two_processes_share_their_gradients(tmp_path: Path) -> None:
    script = tmp_path / "pair.py"
    script.write_text(SCRIPT)
    run_all([[str(script), str(tmp_path), "2", "1", "0", "127.0.0.1", "0"]], [{}])
    first, second = trained(tmp_path)
    assert [(r["rank"], r["size"], r["step"]) for r in (first, second)] == [(0, 2, 3), (1, 2, 3)]
    for name, tensor in first["network"].items():
        assert torch.equal(tensor, second["network"][name])
    stored = read_tensors(tmp_path / "run" / "checkpoint.pt")
    assert stored["count"]["step"] == 3
    assert all(torch.equal(first["network"][n], t) for n, t in stored["network"].items())

    # Two machines with a process each learn the same as one machine with two.
    port = str(free_port(MAIN))
    machines = [tmp_path / "main", tmp_path / "other"]
    for folder in machines:
        folder.mkdir()
    scripts = [
        [str(script), str(folder), "1", "2", str(node), MAIN, port]
        for node, folder in enumerate(machines)
    ]
    run_all(scripts, [{"GLOO_SOCKET_IFNAME": "lo"}] * 2)
    apart = [read_tensors(folder / f"rank-{rank}.pt") for rank, folder in enumerate(machines)]
    for one in apart:
        assert one["size"] == 2
        for name, tensor in first["network"].items():
            assert torch.equal(tensor, one["network"][name])
    # Only the main one writes the run down.
    assert not (machines[1] / "run" / "checkpoint.pt").exists()


def test_machines_have_the_gradients_of_one_process(tmp_path: Path) -> None:
    script = tmp_path / "gradients.py"
    script.write_text(GRADIENTS)
    port = str(free_port(MAIN))
    marks = [tmp_path / "0", tmp_path / "1"]
    scripts = [[str(script), str(node), MAIN, port, str(marks[node])] for node in (0, 1)]
    run_all(scripts, [{"GLOO_SOCKET_IFNAME": "lo"}] * 2)
    assert [mark.read_text() for mark in marks] == ["0 of 2", "1 of 2"]
