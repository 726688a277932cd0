"""``python -m geopar.testing days --count 1000``: run a campaign, print counts and what failed."""

from __future__ import annotations

import argparse
import sys
import time

from geopar.testing.random_days import campaign


def main() -> int:
    """Run it; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m geopar.testing", description=__doc__)
    parser.add_argument("campaign", choices=["days"], help="days: random working days of any mix")
    parser.add_argument("--count", type=int, default=1000, help="how many cases")
    parser.add_argument("--seed", type=int, default=0, help="of the first case; others follow")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="at most")
    options = parser.parse_args()
    began, done, failed = time.perf_counter(), 0, 0
    for seed, found in campaign(options.count, options.seed):
        done += 1
        failed += bool(found)
        for failure in found:
            print(f"seed {seed}: {failure.what}", flush=True)
        if done % 1000 == 0:
            print(f"{done} days, {failed} failed", flush=True)
        if time.perf_counter() - began > 60.0 * options.minutes:
            break
    print(f"{done} days from seed {options.seed} on, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
