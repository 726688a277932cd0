"""How long `import geopar` takes in a fresh Python, beside numpy alone, and what it pulls in."""

import argparse
import json
import statistics
import subprocess
import sys

HEAVY = ("torch", "numba", "matplotlib", "scipy", "rich", "typer")

MEASURE = """
import json, sys, time
before = time.perf_counter()
import {module}
seconds = time.perf_counter() - before
print(json.dumps([seconds, [name for name in {heavy} if name in sys.modules]]))
"""


def measure(module: str) -> tuple[float, list[str]]:
    code = MEASURE.format(module=module, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    seconds, loaded = json.loads(done.stdout)
    return seconds, loaded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    for module in ("numpy", "geopar", "geopar.cli"):
        measure(module)  # once to have the files in memory
        runs = [measure(module) for _ in range(repeats)]
        times = [seconds for seconds, _ in runs]
        loaded = ", ".join(runs[0][1]) or "nothing heavy"
        print(
            f"{module:12} {min(times):.3f} s at best, {statistics.median(times):.3f} s median; "
            f"loads {loaded}"
        )


if __name__ == "__main__":
    main()
