"""Table 4: the parts of the conflict-aware assignment."""

from __future__ import annotations

from geopar.problems.setting import Setting
from geopar.reproduce.experiment import (
    Context,
    Entry,
    Experiment,
    Line,
    Subject,
    as_printed,
    beside,
    in_printed_order,
)
from geopar.reproduce.pictures import beside_published
from geopar.reproduce.published import printed
from geopar.reproduce.subjects import geopar, is_installed

NAME = "assignment"
# The paper's names, and those of our variants.
VARIANTS = {
    "Logit-CF": "logit-cf",
    "GeoPool": "geopool",
    "GeoScore": "geoscore",
    "Full w/o Cache": "full-without-cache",
    "Full CA": "paper",
}
ALONE, DECODED = "PWin-only", "Full CA at decoding"


def lines(context: Context) -> list[Line]:
    """Weights trained by each variant where there are some, else others with it at decoding."""
    found = []
    for one in printed(NAME):
        subject, note = _variant(one.method, context)
        found.append(Line(one.set, one.method, subject, note))
        if one.method == "Full CA":
            decoded = geopar("hcvrp", context.weights, "ca-always", "paper", patience=1.0)
            note = "not in the paper: Full CA in every step of decoding, as the variants above"
            found.append(Line(one.set, DECODED, decoded, note))
    return in_printed_order(NAME, found)


def _variant(method: str, context: Context) -> tuple[Subject | None, str]:
    if method == "Full CA":
        return geopar("hcvrp", context.weights), ""
    trained = f"geopar-{'pwin' if method == ALONE else VARIANTS[method]}"
    if is_installed("hcvrp", trained):
        return geopar("hcvrp", trained, patience=1.0), ""
    missing = f"no weights hcvrp-{trained} are installed, which would have been trained so"
    if method == ALONE:
        return None, f"not measured: {missing}, and nothing stands for them"
    variant = VARIANTS[method]
    subject = geopar("hcvrp", context.weights, "ca-always", variant, patience=1.0)
    note = f"{missing}: these are those of Full CA with assignment {variant} at decoding only"
    return subject, note


def derive(entries: list[Entry]) -> list[Entry]:
    """Utilisation: N / (M · steps)."""
    found = []
    for entry in entries:
        if steps := entry.values.get("steps"):
            setting = Setting.parse(entry.line.set)
            share = setting.num_tasks / (setting.num_vehicles * steps)
            entry = entry.adding(utilisation=share)
        found.append(entry)
    return found


EXPERIMENT = Experiment(
    name=NAME,
    source="Table 4",
    title="Parts of the conflict-aware assignment",
    measures=("objective", "steps", "utilisation", "seconds", "amortised"),
    lines=lines,
    draw=beside_published("utilisation", "utilisation N/(M·steps)"),
    published=lambda: beside(as_printed(NAME), "Full CA", DECODED),
    derive=derive,
)
