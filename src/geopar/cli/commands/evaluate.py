"""``geopar evaluate``: how good solvers are over a set."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from geopar.cli.guard import FINE, VIOLATED
from geopar.cli.inputs import Cluster
from geopar.cli.limits import stop_rule
from geopar.cli.networks import NetworkOptions
from geopar.cli.outputs import check_targets, print_json, say, show
from geopar.cli.spreading import Bar
from geopar.errors import Faults, InputError, MissingExtraError
from geopar.evaluate import SECONDS_EACH, Evaluation, ProblemSet, Row, open_set
from geopar.evaluate import evaluate as evaluate_set
from geopar.problems.kinds import PROBLEM_KINDS, Kind
from geopar.result import number
from geopar.solver import Options, solvers
from geopar.spread import open_executor

ALL = "all"


def evaluate(
    set_name: Annotated[
        str,
        typer.Argument(
            metavar="SET", help="A frozen set such as hcvrp/60/3, or an npz file.",
            show_default=False,
        ),
    ],
    *,
    solver: Annotated[
        str | None, typer.Option(help=f"See `geopar solvers`, or {ALL}; the best if left out.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(help="Only the first so many; all if left out.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="For each instance; usually 1.")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(help="For each instance: repeatable on any machine.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the random choices.")] = 0,
    threads: Annotated[int, typer.Option(help="Cores to use.")] = 1,
    device: Annotated[
        str | None, typer.Option(help="Such as cpu or cuda, for solvers that have a choice.")
    ] = None,
    cluster: Cluster = None,
    network: NetworkOptions,
    out: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="Write the table: .csv, .md or .tex.")
    ] = None,
    rows: Annotated[
        Path | None, typer.Option(metavar="CSV", help="Write one line per instance and solver.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> int:  # fmt: skip
    """Solve every instance of a set and report the means; exit code 1 if a plan broke a rule."""
    rule = stop_rule(time_limit, iterations, default_seconds=SECONDS_EACH)
    options = network.given()
    _check(solver, options, out)
    check_targets(rows, out)
    chosen = open_set(set_name, count)
    names = list(solvers(chosen.kind)) if solver == ALL else [solver]
    done: list[Evaluation] = []
    with open_executor(cluster, threads) as executor:
        for name in names:
            try:
                with Bar(len(chosen), executor, f"{chosen.name} {name or ''}") as bar:
                    evaluation = evaluate_set(
                        chosen,
                        name,
                        None,
                        rule,
                        seed,
                        threads=threads,
                        device=device,
                        options=options,
                        cluster=executor,
                        tell=_Mean(bar),
                        announce=say,
                    )
            except (MissingExtraError, InputError) as error:
                if solver != ALL or not _is_not_installed(error):
                    raise
                say(f"Left out: {name}: {error}")
                continue
            done.append(evaluation)
            if len(evaluation.rows) < len(chosen):
                say(f"Stopped by the user after {len(evaluation.rows)} of {len(chosen)} instances.")
                break
    if rows is not None:
        _write_rows(done, rows)
    return _report(done, chosen, solver, out, json=json)


def _report(
    done: list[Evaluation], chosen: ProblemSet, solver: str | None, out: Path | None, *, json: bool
) -> int:
    """Write and print what was found; the exit code."""
    found = [evaluation.to_json() for evaluation in done]
    if out is not None:
        _write(out, _text(found, chosen.kind, out.suffix.lower()))
    if json:
        print_json({"set": chosen.name, "evaluations": found} if solver == ALL else found[0])
    else:
        show(_table(found, chosen.kind))
    return VIOLATED if any(summary["infeasible"] for summary in found) else FINE


def _is_not_installed(error: MissingExtraError | InputError) -> bool:
    """Whether a solver lacks packages or weights, which is no reason not to try the others."""
    return isinstance(error, MissingExtraError) or error.faults[0].code == "no-weights"


class _Mean:
    """The mean so far, beside the progress."""

    def __init__(self, bar: Bar) -> None:
        self._bar, self._sum, self._count = bar, 0.0, 0

    def __call__(self, row: Row) -> None:
        if row.objective is not None:
            self._sum += row.objective
            self._count += 1
        self._bar.count(word=f"mean {number(self._sum / self._count)}" if self._count else "")


def _check(solver: str | None, options: Options, out: Path | None) -> None:
    """What can be refused before anything is solved."""
    from geopar.files.text_tables import TABLE_SUFFIXES

    faults = Faults()
    if solver == ALL:
        for name, value in options.given().items():
            message = "is for one network, not for all solvers."
            faults.add("unused-option", name, value, message, "Name one with --solver.")
    if out is not None and out.suffix.lower() not in TABLE_SUFFIXES:
        hint = f"End the name in {', '.join(TABLE_SUFFIXES)}."
        message = "is no suffix of a table known here."
        faults.add("unknown-format", str(out), out.suffix, message, hint)
    faults.raise_if_any()


def _text(found: list[dict[str, Any]], kind: Kind, suffix: str) -> str:
    """The table for other programs: CSV with every digit, Markdown and LaTeX rounded."""
    from geopar.files import text_tables

    columns = {"set": "set"} | _columns(kind)
    if suffix == ".csv":
        rows = [["" if s[key] is None else str(s[key]) for key in columns] for s in found]
        return text_tables.comma_separated(list(columns), rows)
    rows = [[_cell(summary[key]) for key in columns] for summary in found]
    heads = list(columns.values())
    if suffix == ".tex":
        return text_tables.latex(heads, rows, left=2)
    return text_tables.markdown(heads, rows)


def _columns(kind: Kind) -> dict[str, str]:
    """Keys of a summary and their heads."""
    columns = {
        "solver": "solver",
        "count": "count",
        "objective": "objective",
        "objective_stderr": "± error",
        "bound_ratio": "/ bound",
        "steps": "steps",
        "seconds": "seconds",
        "median_seconds": "median s",
        "infeasible": "infeasible",
    }
    if PROBLEM_KINDS[kind].bound is None:
        del columns["bound_ratio"]
    return columns


def _table(found: list[dict[str, Any]], kind: Kind) -> Table:
    columns = _columns(kind)
    table = Table(title=found[0]["set"] if found else None, box=SIMPLE_HEAD, padding=0)
    for key, head in columns.items():
        table.add_column(head, justify="left" if key == "solver" else "right", no_wrap=True)
    for summary in found:
        table.add_row(*(_cell(summary[key]) for key in columns))
    return table


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return number(value, 4) if isinstance(value, float) else str(value)


def _write_rows(done: list[Evaluation], path: Path) -> None:
    text = io.StringIO()
    for i, evaluation in enumerate(done):
        evaluation.write_rows(text, header=i == 0)
    _write(path, text.getvalue())


def _write(path: Path, text: str) -> None:
    from geopar.files.storage import write_files

    write_files({path: text.encode()})
    say(f"Wrote {path}.")
