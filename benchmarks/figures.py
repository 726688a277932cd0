"""Measures again every number of README, documentation and pictures that older code made.

    python benchmarks/figures.py --stale           # which those are
    python benchmarks/figures.py                   # measures them, then tables and pictures
    python benchmarks/figures.py examples search   # only these files of results
    python benchmarks/figures.py --sets omdcpdp    # only lines of sets whose names begin like this
    python benchmarks/figures.py --all             # also what no change of the code has touched

A line under ``benchmarks/results`` is stale when the sources that made it are no longer those of
its commit. Lines that say a set, a solver and how many instances are measured one by one, and kept
as they come, so that it can be ended at any time and goes on where it was; others are made again by
the commands that they name. All of it takes three hours of one core; ``--minutes`` ends it after
the line or command at hand.

Most lines are measured on one core, in its processor time: what else the machine does makes it
slower, not worse. ``threads``, ``parts`` and ``spread`` want two cores that do nothing else, and
``windows`` the files that PyVRP publishes, in the folder that ``--vrplib`` names.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from unittest import mock

import provenance
from provenance import RESULTS, Cell, origin, read, write

ROOT = Path(__file__).parents[1]
PACKAGE = "src/geopar"
# What a result depends on, by the name of its solver or weights, or of its file; without an entry
# on the search, whose plans most of them are. What all have in common is held by tests: the same
# seeds give the same plans (tests/test_pinned.py), and plans are judged by an independent checker.
SEARCH = ("search/hcvrp", "search/omdcpdp", "search/day", "search/day_orders", "search/refine.py")
CLASSICAL, NEURAL_PEERS = ("peers/classical",), ("peers",)
SOURCES: dict[str, tuple[str, ...]] = {
    "pointer": ("pointer", "weights/hcvrp-pointer.json", "weights/omdcpdp-pointer.json"),
    "pointer-small": (
        "pointer", "weights/hcvrp-pointer-small.json", "weights/omdcpdp-pointer-small.json",
    ),
    "hybrid": ("hybrid.py", "pointer", *SEARCH),
    "geopar": ("paper", "weights/hcvrp-geopar.json", "weights/omdcpdp-geopar.json"),
    "dispatch": ("search/dispatch.py",),
    **dict.fromkeys(("sisr", "ga", "sa"), CLASSICAL),
    **dict.fromkeys(("ortools", "ortools-span"), ("peers/ortools",)),
    **dict.fromkeys(("parco", "am", "2d-ptr", "dpn", "ham", "mapdp"), NEURAL_PEERS),
    "bounds": ("problems/hcvrp/bound.py",),
    "gaps": ("bounds", "bounding.py", *SEARCH),
    "windows-recall": ("paper/windows.py",),
    "paper": ("paper", "peers"),
}  # fmt: skip
# Other solvers' lines, which no change of ours makes older.
FOREIGN = ("PyVRP", "pyvrp", "vrp-cli")
# What hours of training gave, by weights that are not kept where there are better ones: such lines
# stand until somebody trains anew.
TRAINED = ("equal-budget",)
# Files that one command writes as a whole.
WHOLE = ("bounds", "examples", "gaps", "makespan-windows", "ordinary-day")
# A command that measures whatever lines a file does not have.
MISSING = {"every-solver": "python benchmarks/every_solver.py --patience 25"}
VRPLIB = "vrplib"
# What a search of HCVRP by one thread never runs: only the lines of ``threads`` depend on it.
DIVIDED = f"{PACKAGE}/search/hcvrp/division.py"
OTHER = {"hcvrp": "omdcpdp", "omdcpdp": "hcvrp"}
# Columns that say what was measured, not what came out.
ASKED = ("set", "solver", "weights", "instances", "seconds", "measure")
# The same of files whose lines are made by commands.
TOLD = {
    "every-solver": ("set", "solver"),
    "open-solvers": ("problems", "number", "seconds", "seed", "solver"),
    "ortools": ("set", "solver", "seconds"),
    "parts": ("set", "way", "seconds"),
    "spread": ("what", "kind", "count", "iterations"),
    "threads": ("set",),
    "windows": ("file", "seconds", "seed", "solver"),
    "windows-recall": ("tasks",),
}


def solver_of(line: Cell) -> str:
    """The name of what made it; empty where a line does not say."""
    return line.get("solver") or line.get("weights") or ""


def sources(name: str, line: Cell) -> tuple[str, ...]:
    """The paths that a line of a file depends on."""
    found = SOURCES.get(solver_of(line)) or SOURCES.get(name) or SEARCH
    if name == "paper":
        found = (*found, f"reproduce/experiments/{line['experiment'].replace('-', '_')}.py")
    # A frozen set has no days, and what is of the other problem alone does not touch it.
    of_others = (
        ("search/day", OTHER[kind]) if (kind := line.get("set", "").split("/")[0]) in OTHER else ()
    )
    paths = [f"{PACKAGE}/{path}" for path in found if not any(x in path for x in of_others)]
    return (*paths, *(() if name == "threads" else (f":(exclude){DIVIDED}",)))


class History:
    """What has changed since a commit, asked once."""

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._known: dict[tuple[str, tuple[str, ...]], bool | None] = {}

    def changed(self, commit: str, paths: tuple[str, ...]) -> bool | None:
        """Whether the paths differ from what they were; None when the commit is not here.

        As for git, ``:(exclude)`` before a path leaves it out.
        """
        key = commit, paths
        if key not in self._known:
            asked = ["git", "diff", "--quiet", commit, "HEAD", "--", *paths]
            code = subprocess.run(
                asked, cwd=self._root, capture_output=True, check=False
            ).returncode
            self._known[key] = None if code > 1 else code == 1
        return self._known[key]


def is_stale(name: str, line: Cell, history: History) -> bool:
    """Whether other sources made it than those at hand, as far as is known."""
    if solver_of(line).startswith(FOREIGN) or name in TRAINED:
        return False
    return history.changed(line["commit"], sources(name, line)) is not False


def by_sets(lines: Sequence[Cell]) -> bool:
    """Whether the lines of a file can be measured one by one."""
    if not lines or not {"set", "instances"} <= set(lines[0]) or not solver_of(lines[0]):
        return False
    # Elsewhere seconds are what came out, not what was given.
    given = ("--seconds", "--time-limit")
    return all(any(one in x["command"] for one in given) for x in lines if x.get("seconds"))


def measure(line: Cell) -> Cell:
    """The same line with what the code at hand reaches."""
    from geopar.evaluate import evaluate

    solver, weights = line.get("solver", ""), line.get("weights", "")
    if not solver:
        solver = "pointer" if weights.startswith("pointer") else weights
    limit = float(line["seconds"]) if line.get("seconds") else None
    # Only for this line: what is run afterwards inherits the environment.
    with mock.patch.dict(os.environ, {"GEOPAR_WEIGHTS": weights} if weights else {}):
        if not weights:
            os.environ.pop("GEOPAR_WEIGHTS", None)
        found = evaluate(
            line["set"], solver, int(line["instances"]), limit, announce=print
        ).to_json()
    found |= {"value": found.get(line.get("measure", "")), "error": found["objective_stderr"]}
    renewed = {
        column: like(cell, found[column]) if cell and found.get(column) is not None else cell
        for column, cell in line.items()
        if column not in ASKED
    }
    return line | renewed | origin(line["command"])


def like(cell: str, value: object) -> str:
    """A number with as many decimals as the one that it replaces."""
    decimals = len(cell.partition(".")[2])
    return f"{float(str(value)):.{decimals}f}"


def renew(name: str, stale: Sequence[int], until: float) -> bool:
    """Measure lines of a file anew, and keep each at once; whether there was time for all."""
    path = RESULTS / f"{name}.csv"
    for done, row in enumerate(stale):
        if time.monotonic() > until:
            return False
        lines = read(path)
        print(f"{name}, {done + 1} of {len(stale)}: {lines[row]['command']}", flush=True)
        lines[row] = measure(lines[row])
        write(path, lines)
    return True


def told(name: str, line: Cell) -> tuple[str, ...]:
    """What a line that a command made was to measure."""
    return tuple(line[column] for column in TOLD[name])


def remake(name: str, stale: Sequence[int], folder: Path | None, until: float) -> bool:
    """Have commands add lines again, in the order of the old ones; whether there was time for all.

    Where a command fails or is interrupted, what it did not measure stays as it was.
    """
    path = RESULTS / f"{name}.csv"
    old = read(path)
    place = {told(name, line): i for i, line in enumerate(old)}
    missing = MISSING.get(name)
    commands = list(dict.fromkeys(missing or old[i]["command"] for i in stale))
    for command in commands:
        if time.monotonic() > until:
            return False
        gone = [old[i] for i in stale if command in (missing, old[i]["command"])]
        left = [line for line in read(path) if line not in gone]
        if left:
            write(path, left)
        else:
            path.unlink()
        ended = False
        try:
            run([command.replace(f" {VRPLIB} ", f" {folder} ")])
            ended = True
        except subprocess.CalledProcessError as error:
            print(f"{name}: {error}", flush=True)
        finally:
            found = read(path)
            known = {told(name, line) for line in found}
            if not ended:
                found += [line for line in gone if told(name, line) not in known]
            write(path, sorted(found, key=lambda x: place.get(told(name, x), len(place))))
    return True


def remake_whole(name: str, command: str) -> None:
    """Have a command write a file anew; it stays as it was where the command fails."""
    path = RESULTS / f"{name}.csv"
    before = path.read_text()
    path.unlink()
    try:
        run([command])
    except BaseException as error:
        path.write_text(before)
        if not isinstance(error, subprocess.CalledProcessError):
            raise
        print(f"{name}: {error}", flush=True)  # others may still be measured


def reproduce(experiments: Iterable[str]) -> None:
    """The paper's experiments, afresh."""
    folder = f"benchmarks/out/reproduced-{provenance.COMMIT}"
    run([f"geopar reproduce {name} --quick --out {folder}" for name in experiments])
    told_by = "geopar reproduce all --quick"
    run([f"python benchmarks/keep_reproduced.py {folder} --command '{told_by}'"])


def run(commands: Iterable[str]) -> None:
    """Commands that write files of results, tables or pictures themselves."""
    for command in dict.fromkeys(commands):
        print(command, flush=True)
        words = shlex.split(command)
        words[:1] = {
            "python": [sys.executable],
            "geopar": [sys.executable, "-m", "geopar"],
        }[words[0]]
        subprocess.run(words, cwd=ROOT, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = sorted(path.stem for path in RESULTS.glob("*.csv"))
    parser.add_argument("files", nargs="*", help=f"of {', '.join(names)}")
    parser.add_argument("--stale", action="store_true", help="only say which are")
    parser.add_argument("--all", action="store_true", help="measure what is not stale, too")
    parser.add_argument("--sets", default="", help="only lines of sets that begin like this")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--vrplib", type=Path, help="the folder of files that PyVRP publishes")
    options = parser.parse_args()
    unknown = sorted(set(options.files) - set(names))
    if unknown:
        parser.error(f"no such results: {', '.join(unknown)}; there are {', '.join(names)}")
    history, until = History(), time.monotonic() + 60.0 * options.minutes
    time.perf_counter = time.process_time
    found = False
    for name in options.files or names:
        lines = read(RESULTS / f"{name}.csv")
        stale = [
            i
            for i, line in enumerate(lines)
            if line.get("set", "").startswith(options.sets)
            and (name not in TRAINED if options.all else is_stale(name, line, history))
        ]
        if options.stale:
            oldest = min((lines[i]["date"] for i in stale), default="")
            print(f"{name:18} {len(stale):4} of {len(lines):4} stale", oldest and f"from {oldest}")
            found = found or bool(stale)
        elif stale and name in WHOLE:
            command = {"examples": "python benchmarks/examples.py"}.get(name, lines[0]["command"])
            remake_whole(name, command)
        elif stale and name == "paper":
            reproduce(dict.fromkeys(lines[i]["experiment"] for i in stale))
        elif stale and name == "windows" and options.vrplib is None:
            print("windows: left as they are, for want of --vrplib FOLDER")
        elif stale:
            renewed = (
                renew(name, stale, until)
                if by_sets(lines)
                else remake(name, stale, options.vrplib, until)
            )
            if not renewed:
                break
    if options.stale:
        raise SystemExit(1 if found else 0)
    run(["python benchmarks/write_tables.py", "python docs/pictures.py",
         "python docs/page_picture.py"])  # fmt: skip


if __name__ == "__main__":
    assert provenance.COMMIT, (
        "Numbers are kept with their commit: this is for a clone of the repository."
    )
    main()
