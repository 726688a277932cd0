import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from geopar.files.text_tables import comma_separated, escaped, latex, markdown

HEADS = ["solver", "objective", "± error"]
ROWS = [["2d-ptr", "7.20", "–"], ["a_b|c", "5 %", "1"]]


def test_markdown() -> None:
    assert markdown(HEADS, ROWS).splitlines() == [
        "| solver | objective | ± error |",
        "| --- | --- | --- |",
        "| 2d-ptr | 7.20 | – |",
        "| a_b/c | 5 % | 1 |",
    ]


def test_latex() -> None:
    text = latex(HEADS, ROWS)
    assert text.startswith("\\begin{longtable}{lrr}\n")
    assert "a\\_b|c & 5 \\% & 1 \\\\" in text
    assert "$\\pm$ error" in text


@given(st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=5))
def test_csv_comes_back(rows: list[tuple[str, str, str]]) -> None:
    rows = [row for row in rows if not any("\r" in c or "\0" in c for c in row)]
    found = list(csv.reader(io.StringIO(comma_separated(HEADS, rows), newline="")))
    assert found == [HEADS, *map(list, rows)]


@given(st.text())
def test_no_sign_of_latex_is_left(text: str) -> None:
    bare = escaped(text.replace("\\", ""))
    assert bare.count("%") == bare.count("\\%")
    assert bare.count("&") == bare.count("\\&")
