"""Mean lower bounds of the frozen HCVRP sets, by which published objectives become ratios.

python benchmarks/bounds.py        # writes benchmarks/results/bounds.csv
"""

from __future__ import annotations

import numpy as np

from geopar.problems.frozen import frozen
from geopar.problems.hcvrp.bound import lower_bound
from provenance import RESULTS, origin, published, write


def main() -> None:
    names = dict.fromkeys(line["set"] for line in published())
    lines = []
    for name in names:
        if name.startswith("hcvrp"):
            bounds = [lower_bound(problem) for problem in frozen(name)]
            mean = f"{np.mean(bounds):.5g}"
            lines.append({"set": name, "instances": len(bounds), "bound": mean} | origin())
            print(name, mean, flush=True)
    write(RESULTS / "bounds.csv", lines)


if __name__ == "__main__":
    main()
