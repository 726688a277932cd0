"""How long the compiled solvers take to be ready: cold, and from the cache on disk.

    python benchmarks/compile_time.py [SOLVER ...]

Each is measured in a process of its own with an empty cache folder, then again with the full one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from geopar.solver import solvers

READY = """
import time; began = time.process_time()
from geopar.solving import load
load({name!r}, {kind!r}, lambda text: None)
print(time.process_time() - began)
"""


def ready(name: str, kind: str, cache: str) -> tuple[float, float]:
    """Seconds of wall clock and of CPU until the solver can run."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", READY.format(name=name, kind=kind)],
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return time.perf_counter() - began, float(done.stdout)


def main() -> None:
    names = sys.argv[1:] or ["dispatch", "refine", "sisr", "ga", "sa"]
    print(f"{'solver':10} {'problem':8} {'cold s':>8} {'CPU s':>8} {'cached s':>9} {'CPU s':>8}")
    for name in names:
        for kind in solvers()[name].kinds:
            with tempfile.TemporaryDirectory() as cache:
                cold, warm = ready(name, kind, cache), ready(name, kind, cache)
            print(f"{name:10} {kind:8} {cold[0]:8.1f} {cold[1]:8.1f} {warm[0]:9.2f} {warm[1]:8.2f}")


if __name__ == "__main__":
    main()
