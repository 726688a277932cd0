"""Blocks and tables as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

# A longer table would be endless.
MOST_ROWS = 60


def block(title: str, *parts: str) -> str:
    """A title, which is text, and below it parts, which are HTML."""
    return f"<div><div><b>{escape(title)}</b></div>{''.join(parts)}</div>"


def lines(texts: Iterable[str]) -> str:
    """Each text on a line of its own."""
    return "".join(f"<div>{escape(text)}</div>" for text in texts)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of texts; of a long one the beginning, and how much more there is."""

    def row(cells: Iterable[str], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells) + "</tr>"

    shown = "".join(row(cells, "td") for cells in rows[:MOST_ROWS])
    more = len(rows) - MOST_ROWS
    rest = f"<div>and {more:,} more</div>" if more > 0 else ""
    return f"<table><thead>{row(head, 'th')}</thead><tbody>{shown}</tbody></table>{rest}"
