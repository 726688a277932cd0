"""Tables as text: Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

Row = Sequence[str]
TABLE_SUFFIXES = (".csv", ".md", ".tex")
_MARKS = {
    "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "$": r"\$", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "–": "--",
    "±": r"$\pm$", "×": r"$\times$", "…": r"\ldots{}",
}  # fmt: skip


def markdown(heads: Row, rows: Sequence[Row]) -> str:
    """A table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(c.replace('|', '/') for c in line)} |\n" for line in lines)


def latex(heads: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A table that may run over pages (packages booktabs and longtable).

    The first ``left`` columns are words, the others numbers.
    """
    form = "l" * left + "r" * (len(heads) - left)
    lines = [
        f"\\begin{{longtable}}{{{form}}}",
        "\\toprule",
        _line(heads),
        "\\midrule",
        "\\endhead",
        *map(_line, rows),
        "\\bottomrule",
        "\\end{longtable}",
    ]
    return "\n".join(lines) + "\n"


def comma_separated(heads: Row, rows: Sequence[Row]) -> str:
    """CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([heads, *rows])
    return text.getvalue()


def escaped(text: str) -> str:
    """Text as LaTeX has it."""
    return "".join(_MARKS.get(letter, letter) for letter in text)


def _line(cells: Row) -> str:
    return " & ".join(map(escaped, cells)) + " \\\\"
