import os
import subprocess
import sys
from pathlib import Path

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

folder = Path(sys.argv[1])
config = default_config("hcvrp").changed({
    "model.width": "8", "model.heads": "2", "model.layers": "1", "model.feedforward": "8",
    "monitor": "mean", "sizes": "8/2", "batch_size": "4",
    "epoch_size": "4", "epochs": "3", "milestones": "", "augmentations": "2",
    "validation": "8/2", "validation_count": "4",
})
team = start_processes(processes=2)
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


def test_two_processes_share_their_gradients(tmp_path: Path) -> None:
    script = tmp_path / "pair.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    arguments = [sys.executable, str(script), str(tmp_path)]
    done = subprocess.run(
        arguments, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    first, second = (read_tensors(tmp_path / f"rank-{rank}.pt") for rank in (0, 1))
    assert [(r["rank"], r["size"], r["step"]) for r in (first, second)] == [(0, 2, 3), (1, 2, 3)]
    for name, tensor in first["network"].items():
        assert torch.equal(tensor, second["network"][name])
    stored = read_tensors(tmp_path / "run" / "checkpoint.pt")
    assert stored["count"]["step"] == 3
    assert all(torch.equal(first["network"][n], t) for n, t in stored["network"].items())
