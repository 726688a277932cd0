"""How long `import geopar` takes in a fresh Python, beside numpy alone, and what it pulls in.

The work is the processor's time, which a busy machine changes less than the time on the clock.
"""

import argparse
import json
import statistics
import subprocess
import sys

HEAVY = ("torch", "numba", "matplotlib", "scipy", "rich", "typer")

MEASURE = """
import json, sys, time
before, worked = time.perf_counter(), time.process_time()
import {module}
seconds, worked = time.perf_counter() - before, time.process_time() - worked
print(json.dumps([seconds, worked, [name for name in {heavy} if name in sys.modules]]))
"""


def measure(module: str) -> tuple[float, float, list[str]]:
    code = MEASURE.format(module=module, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    seconds, worked, loaded = json.loads(done.stdout)
    return seconds, worked, loaded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    for module in ("numpy", "geopar", "geopar.cli"):
        measure(module)  # once to have the files in memory
        runs = [measure(module) for _ in range(repeats)]
        times = [seconds for seconds, _, _ in runs]
        work = min(worked for _, worked, _ in runs)
        loaded = ", ".join(runs[0][2]) or "nothing heavy"
        print(
            f"{module:12} {min(times):.3f} s at best, {statistics.median(times):.3f} s median, "
            f"{work:.3f} s of work; loads {loaded}"
        )


if __name__ == "__main__":
    main()
