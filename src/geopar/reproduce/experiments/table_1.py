"""Table 1: every method on 24 settings."""

from __future__ import annotations

from geopar.errors import InputError
from geopar.problems.setting import Setting
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
from geopar.reproduce.subjects import Search, geopar, of_paper, peer

NAME = "table-1"
DECODED, MODES = "GeoPAR, {}", ("ca", "ca-always", "sample")
SEARCHES = {"SISRs": "sisr", "GA": "ga", "SA": "sa", "OR-Tools": "ortools-span"}
PEERS = {
    "AM": "am", "2D-Ptr": "2d-ptr", "DPN": "dpn", "PARCO": "parco", "HAM": "ham", "MAPDP": "mapdp",
}  # fmt: skip


def line_of(name: str, method: str, context: Context) -> Line:
    """The line of a published method."""
    setting, note = Setting.parse(name), ""
    subject: Subject | None = None
    if method in SEARCHES:
        share = context.scale.share[SEARCHES[method]]
        subject = Search(SEARCHES[method], share)
    elif method == "GeoPAR":
        subject = geopar(setting.kind, context.weights)
    else:
        try:
            subject = peer(setting.kind, PEERS[method], setting.num_vehicles)
        except InputError as error:
            note = f"not measured: {error}"
    return Line(name, method, subject, note)


def lines(context: Context) -> list[Line]:
    """Each published method, and the paper's network as its card wants it decoded."""
    found = []
    for one in printed(NAME):
        found.append(line_of(one.set, one.method, context))
        kind = Setting.parse(one.set).kind
        mode = of_paper(kind, context.weights)[1].decoding.get("mode", "greedy")
        if one.method == "GeoPAR" and mode != "greedy":
            subject = geopar(kind, context.weights, mode, patience=1.0)
            note = f"the decoding that its card names, mode {mode}; the paper's table is greedy"
            found.append(Line(one.set, DECODED.format(mode), subject, note))
    return in_printed_order(NAME, found)


EXPERIMENT = Experiment(
    name=NAME,
    source="Table 1",
    title="Every method on the 24 settings",
    measures=("objective", "steps", "seconds", "amortised"),
    lines=lines,
    draw=beside_published("objective", "objective"),
    published=lambda: beside(as_printed(NAME), "GeoPAR", *(DECODED.format(m) for m in MODES)),
)
