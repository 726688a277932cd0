import csv
import io

import pytest

from geopar.reproduce.experiment import Context, Entry, Experiment, Line
from geopar.reproduce.measuring import set_bound
from geopar.reproduce.report import comma_separated, latex, markdown, ratio, table
from geopar.reproduce.store import Measured

EXPERIMENT = Experiment(
    "decoding", "Table 7", "A title", ("objective", "steps"),
    lambda context: [], lambda figure, entries: None, dict,
)  # fmt: skip


class Subject:
    key, weights = "geopar mode=greedy", "abc"

    def measure(self, name: str, context: Context) -> Measured:
        raise NotImplementedError


def entry(values, published=None, note="", name="omdcpdp/50/5", method="Greedy") -> Entry:
    return Entry(Line(name, method, Subject(), note), Measured(values), published or {})


def test_ratios_of_plain_numbers() -> None:
    assert ratio(entry({"steps": 3.0}, {"steps": 2.0}), "steps") == pytest.approx(1.5)
    assert ratio(entry({"steps": 3.0}), "steps") is None
    assert ratio(entry({}, {"steps": 3.0}), "steps") is None


def test_the_ratio_of_a_few_instances_takes_out_where_their_depots_are() -> None:
    name = "hcvrp/10/2"
    whole = set_bound(name)
    # Twice as far away, twice as long: as good as what is published.
    measured = entry({"objective": 6.0, "bound": 2 * whole}, {"objective": 3.0}, name=name)
    assert ratio(measured, "objective") == pytest.approx(1.0)


def test_markdown_has_ours_beside_the_published_value_and_notes_by_number() -> None:
    text = markdown(
        EXPERIMENT,
        [
            entry({"objective": 40.0, "instances": 2.0}, {"objective": 20.0}, "as it is"),
            entry({}, {"objective": 20.0}, "not measured", method="Full"),
        ],
        "How.",
    )
    assert "The paper's Table 7. How." in text
    assert "| omdcpdp/50/5 | Greedy | 2 | 40.00 | 20.00 | 2.000 | – | 1 |" in text
    assert "| omdcpdp/50/5 | Full | – | – | 20.00 | – | – | 2 |" in text
    assert "1. as it is\n2. not measured" in text


def test_every_row_is_as_wide_as_the_head() -> None:
    made = table(EXPERIMENT, [entry({"objective": 1.0}, {"steps": 2.0}), entry({}, {})])
    assert {len(row) for row in made.rows} == {len(made.heads)}


def test_latex_is_escaped() -> None:
    text = latex(EXPERIMENT, [entry({"objective": 1.0}, note="5 % of a_b & c")])
    assert "5 \\% of a\\_b \\& c" in text
    assert text.count("\\begin{longtable}") == text.count("\\end{longtable}") == 1


def test_csv_says_what_was_measured_with_which_weights() -> None:
    text = comma_separated(
        EXPERIMENT, [entry({"objective": 1.25, "instances": 2.0}, {"objective": 2.5}, "why")]
    )
    (line,) = csv.DictReader(io.StringIO(text))
    assert line["measured"] == "geopar mode=greedy"
    assert (line["weights"], line["instances"], line["note"]) == ("abc", "2", "why")
    assert float(line["objective_ratio"]) == pytest.approx(0.5)
