"""Table 3: windows and conflict-aware assignment, each with and without the other."""

from __future__ import annotations

from geopar.reproduce.experiment import (
    Context,
    Experiment,
    Line,
    Subject,
    as_printed,
    beside,
    in_printed_order,
)
from geopar.reproduce.pictures import beside_published
from geopar.reproduce.published import printed
from geopar.reproduce.subjects import geopar, is_installed, parco_with_assignment, peer

NAME = "ablation"
WITH_ASSIGNMENT, WITH_WINDOWS, WITHOUT_BRANCH = "geopar-ca", "geopar-pwin", "GeoPAR, branch off"


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
    return in_printed_order(NAME, found)


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


EXPERIMENT = Experiment(
    name=NAME,
    source="Table 3",
    title="Projection windows and conflict-aware assignment",
    measures=("objective", "steps", "seconds"),
    lines=lines,
    draw=beside_published("steps", "steps"),
    published=lambda: beside(as_printed(NAME), "GeoPAR", WITHOUT_BRANCH),
)
