"""``geopar solve``: plan the routes of one problem, or of many."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from geopar import solve as solve_problem
from geopar.bounding import require_bound
from geopar.cli.bounds import BoundSeconds, find_bound, tell_bound, told_bound
from geopar.cli.guard import FINE
from geopar.cli.inputs import Cluster, ReadingOptions
from geopar.cli.limits import RunOptions
from geopar.cli.many import are_many, check_one, in_parts, solve_all
from geopar.cli.networks import NetworkOptions
from geopar.cli.outputs import (
    check_picture,
    check_plan_target,
    check_targets,
    print_json,
    say,
    show,
    stderr,
    tell,
)
from geopar.errors import Faults
from geopar.many import How
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.progress import ProgressLine
from geopar.replanning.keeping import keep as keep_begun
from geopar.result import Result
from geopar.solving import configured


def solve(
    problems: Annotated[
        list[str],
        typer.Argument(
            metavar="PROBLEM",
            help="A file (JSON, CSV, xlsx, VRPLIB, npz), or an instance: hcvrp/60/3#7 or "
            "batch.npz#7. Several, a pattern, JSON-lines or Parquet: plans go to a folder.",
            show_default=False,
        ),
    ],
    *,
    run: RunOptions,
    target: Annotated[
        float | None, typer.Option(help="Stop as soon as the objective is this good.")
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="PLAN", help="Begin with this plan: JSON or .sol; mended where it does not fit."
        ),
    ] = None,
    keep: Annotated[
        float | None,
        typer.Option(metavar="TIME", help="Leave alone what the plan begins within so long."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PLAN", help="Write it: .json, .sol, .geojson, .csv or .xlsx; many: a folder."
        ),
    ] = None,
    cluster: Cluster = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Many: skip what is done in the folder.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Draw it: .png, .svg or .pdf.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="JSON", help="Write the construction step by step (see `plot`)."),
    ] = None,
    bound: BoundSeconds = None,
    network: NetworkOptions,
    reading: ReadingOptions,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> int:
    """Plan the routes. Ctrl-C stops and keeps the best plan so far, or all that are complete."""
    rule, options = run.rule(target), network.given()
    if are_many(problems, out):
        unused = {
            "--start": start, "--keep": keep, "--picture": picture, "--trace": trace,
            "--bound": bound,
        }  # fmt: skip
        threads = 1 if run.threads is None else run.threads
        how = How(rule, run.seed, run.solver, options, threads)
        return solve_all(problems, reading.given, how, out, cluster, resume, json, unused)
    check_one(cluster, run.solver, run.threads, resume)
    check_targets(out, picture, trace)
    check_plan_target(out)
    check_picture(picture)
    instance = reading.problem(problems[0])
    tell(instance)
    if bound is not None:
        require_bound(instance, bound)
    first = None if start is None else _first(start, instance)
    if keep is not None:
        instance = _kept(instance, first, keep)
    with ExitStack() as stack:
        chosen = None if cluster is None else stack.enter_context(in_parts(instance, cluster))
        if chosen is None:
            chosen = configured(run.solver, instance.kind, options, say)
        progress = stack.enter_context(ProgressLine(instance, stderr))
        result = solve_problem(
            instance, rule, run.seed,
            solver=chosen, start=first, observe=progress, threads=run.threads,
            trace=trace is not None,
        )  # fmt: skip
    if result.is_fallback:
        say(result.notes[-1])
    _write(instance, result, out, picture, trace)
    if not json:
        show(result)
    least = None if result.interrupted else find_bound(instance, bound)
    is_whole = result.feasible and not result.left_out
    if json:
        print_json(result.to_json() | told_bound(least, result.objective if is_whole else None))
    elif least is not None:
        tell_bound(instance, least, result.objective, is_whole)
    return FINE


def _first(path: Path, problem: Problem) -> Plan:
    """The plan to begin with; it is said if it was made for another goal."""
    from geopar.files import read_plan

    plan = read_plan(path, problem)
    if plan.minimise not in (None, problem.goal):
        made, asked = plan.minimise, problem.goal
        say(f"{path} was made to minimise {made}; this run minimises {asked}: --minimise {made}.")
    return plan


def _write(
    problem: Problem, result: Result, out: Path | None, picture: Path | None, trace: Path | None
) -> None:
    """The files that were asked for."""
    from geopar.files import write_plan

    if out is not None:
        write_plan(result.plan, out, problem)
        say(f"Wrote {out}.")
    if picture is not None:
        result.plot(picture)
        say(f"Wrote {picture}.")
    if trace is not None and result.trace is not None:
        result.trace.write(trace)
        say(f"Wrote {trace}.")


def _kept(problem: Problem, start: Plan | None, span: float) -> Problem:
    """The problem with what the plan begins soon locked."""
    faults = Faults()
    if start is None:
        faults.add("missing-option", "--start", ..., "is needed for --keep.", "Give the plan.")
    if not span >= 0.0:
        faults.add("out-of-range", "--keep", span, "must be zero or more.", "Maybe 0.5.")
    faults.raise_if_any()
    assert start is not None
    return keep_begun(problem, start, span)
