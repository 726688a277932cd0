import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from geopar.learn.crew import Alone, gather_crew
from geopar.learn.storage import read_tensors

from geopar.errors import InputError

SCRIPT = """
import sys
from pathlib import Path

from geopar.learn.configuration import default_config
from geopar.learn.crew import gather_crew
from geopar.learn.opening import open_run
from geopar.learn.storage import write_tensors

folder = Path(sys.argv[1])
config = default_config("hcvrp").changed({
    "preset": "local", "model.pair_width": "8", "sizes": "8/2", "batch_size": "4",
    "epoch_size": "4", "epochs": "3", "milestones": "", "augmentations": "2",
    "validation": "8/2", "validation_count": "4",
})
crew = gather_crew(processes=2)
run = open_run(config, folder / "run", folder / "labels", crew=crew)
run.train()
write_tensors(folder / f"rank-{crew.rank}.pt", {
    "policy": run.policy.state_dict(), "rank": crew.rank, "size": crew.size, "step": run.step,
})
"""


def test_one_process_needs_nobody() -> None:
    crew = gather_crew()
    assert isinstance(crew, Alone)
    assert crew.agree(True)


def test_impossible_crews_are_refused() -> None:
    with pytest.raises(InputError) as error:
        gather_crew(processes=0, nodes=2, node=2)
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
    for name, tensor in first["policy"].items():
        assert torch.equal(tensor, second["policy"][name])
    stored = read_tensors(tmp_path / "run" / "checkpoint.pt")
    assert stored["step"] == 3
    assert all(torch.equal(first["policy"][n], t) for n, t in stored["policy"].items())
