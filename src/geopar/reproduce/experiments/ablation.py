"""Table 3: windows and conflict-aware assignment, each with and without the other."""

from __future__ import annotations

from geopar.reproduce.experiment import (
    Context,
    Experiment,
    Line,
    Subject,
    Values,
    as_printed,
    beside,
    in_printed_order,
)
from geopar.reproduce.pictures import beside_published
from geopar.reproduce.published import printed
from geopar.reproduce.subjects import geopar, is_installed, parco_with_assignment, peer

NAME = "ablation"
WITH_ASSIGNMENT, WITH_WINDOWS, WITHOUT_BRANCH = "geopar-ca", "geopar-pwin", "GeoPAR, branch off"
# All four were trained from one start for the same time (benchmarks/ablation_training.py); those
# of +CA and +PWin are measured as such, these two beside the paper's first and last.
SAME_START = {"PARCO": "geopar-neither", "GeoPAR": "geopar-both"}


def lines(context: Context) -> list[Line]:
    """The paper's four variants, and what can be switched off at decoding."""
    found = []
    for one in printed(NAME):
        subject, note = _variant(one.method, context)
        found.append(Line(one.set, one.method, subject, note))
        if one.method == "GeoPAR":
            off = geopar("hcvrp", context.weights, model={"geometry": False}, patience=1.0)
            note = "not in the paper: the geometry branch of Eq. 5 is left out at decoding"
            found.append(Line(one.set, WITHOUT_BRANCH, off, note))
        weights = SAME_START.get(one.method, "")
        if weights and is_installed("hcvrp", weights):
            again = geopar("hcvrp", weights, patience=1.0)
            note = "trained from the same start and for as long as +CA and +PWin here"
            found.append(Line(one.set, from_same_start(one.method), again, note))
    return in_printed_order(NAME, found)


def from_same_start(method: str) -> str:
    """What the line of a variant is called that was trained like the others."""
    return f"{method}, same start"


def _variant(method: str, context: Context) -> tuple[Subject | None, str]:
    if method == "GeoPAR":
        return geopar("hcvrp", context.weights), ""
    has_parco = is_installed("hcvrp", "parco")
    if method == "PARCO" and has_parco:
        return peer("hcvrp", "parco"), ""
    if method == "+CA":
        if is_installed("hcvrp", WITH_ASSIGNMENT):
            return geopar("hcvrp", WITH_ASSIGNMENT, patience=1.0), ""
        if has_parco:
            note = (
                f"no weights hcvrp-{WITH_ASSIGNMENT} are installed, which would have been trained"
                " so: these are PARCO's, with the paper's assignment without cache at decoding only"
            )
            return parco_with_assignment("hcvrp"), note
    if method == "+PWin" and is_installed("hcvrp", WITH_WINDOWS):
        return geopar("hcvrp", WITH_WINDOWS, patience=1.0), ""
    name = {"+CA": WITH_ASSIGNMENT, "+PWin": WITH_WINDOWS}.get(method, "parco")
    return None, f"not measured: no weights hcvrp-{name} are installed, and nothing stands for them"


def _published() -> dict[tuple[str, str], Values]:
    found = beside(as_printed(NAME), "GeoPAR", WITHOUT_BRANCH)
    for method in SAME_START:
        found = beside(found, method, from_same_start(method))
    return found


EXPERIMENT = Experiment(
    name=NAME,
    source="Table 3",
    title="Projection windows and conflict-aware assignment",
    measures=("objective", "steps", "seconds"),
    lines=lines,
    draw=beside_published("steps", "steps"),
    published=_published,
)
