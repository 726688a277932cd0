"""A ``geopar serve`` for tests."""

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Compiling may take minutes on a machine that has much else to do.
MOST_SECONDS = 300


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """A service of its own on a free port; gives its address."""
    command = [
        str(Path(sys.executable).with_name("geopar")),
        "serve",
        "--port",
        "0",
        "--workers",
        "1",
    ]
    command += ["--network-workers", "1", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            yield _address(process)
        finally:
            process.terminate()
            process.communicate(timeout=60)


def warm_up(address: str) -> None:
    """Solve once, so that no test waits for compiling."""
    problem = {
        "problem": "hcvrp", "depot": {"x": 0, "y": 0},
        "customers": [{"x": 1, "y": 1, "demand": 1}], "vehicles": [{"capacity": 1, "speed": 1}],
    }  # fmt: skip
    wish = {"problem": problem, "solver": "refine", "time_limit": 0.1, "seed": 0}
    request = urllib.request.Request(
        address + "solve", json.dumps(wish).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=MOST_SECONDS) as answer:
        assert json.load(answer)["result"]["feasible"]


def _address(process: "subprocess.Popen[bytes]") -> str:
    told = []
    assert process.stdout is not None
    for line in process.stdout:
        told.append(line.decode())
        found = re.search(r"http://[\d.]+:\d+", told[-1])
        if found:
            return found.group() + "/"
    raise AssertionError("geopar serve ended: " + "".join(told))
