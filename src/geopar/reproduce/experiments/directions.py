"""Table 2: how many projection directions."""

from __future__ import annotations

from geopar.reproduce.experiment import Context, Entry, Experiment, Line, as_printed, beside
from geopar.reproduce.pictures import beside_published, tasks
from geopar.reproduce.published import printed
from geopar.reproduce.subjects import geopar, is_installed

NAME = "directions"
LEARNED, RADIUS = 4, 8
# Trained from the same start and for as long as those of the other q.
AGAIN, AGAIN_WEIGHTS = f"q={LEARNED}, same start", f"geopar-q{LEARNED}"


def lines(context: Context) -> list[Line]:
    """Weights trained with q directions where there are some, else others with q at decoding."""
    found = []
    for one in printed(NAME):
        q = int(one.method.removeprefix("q="))
        trained, note = f"geopar-q{q}", ""
        if q == LEARNED:
            subject = geopar("hcvrp", context.weights)
        elif is_installed("hcvrp", trained):
            subject = geopar("hcvrp", trained, patience=1.0)
        else:
            subject = geopar("hcvrp", context.weights, model={"directions": q}, patience=1.0)
            note = (
                f"no weights hcvrp-{trained} are installed, which would have been trained with"
                f" {q} directions: these are those of q = {LEARNED} with model.directions={q} at"
                " decoding only"
            )
        found.append(Line(one.set, one.method, subject, note))
        if q == LEARNED and is_installed("hcvrp", AGAIN_WEIGHTS):
            again = geopar("hcvrp", AGAIN_WEIGHTS, patience=1.0)
            note = "trained from the same start and for as long as the other q here"
            found.append(Line(one.set, AGAIN, again, note))
    return found


def derive(entries: list[Entry]) -> list[Entry]:
    """Entries of the cache for each task."""
    found = []
    for entry in entries:
        if entry.values:
            q = int(entry.line.method.removeprefix("q=").partition(",")[0])
            entry = entry.adding(slots=1.0 + min(q * (2 * RADIUS + 1), q * tasks(entry)))
        found.append(entry)
    return found


EXPERIMENT = Experiment(
    name=NAME,
    source="Table 2",
    title="Sensitivity to the number of projection directions q",
    measures=("slots", "objective", "steps", "seconds", "amortised"),
    lines=lines,
    draw=beside_published("steps", "steps"),
    published=lambda: beside(as_printed(NAME), f"q={LEARNED}", AGAIN),
    derive=derive,
)
