"""Values of spreadsheets and data frames as the text that CSV would have in their place."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np


def cell_text(value: Any) -> str:
    """A cell as CSV would have it."""
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat() if value.time() != time() else value.date().isoformat()
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
