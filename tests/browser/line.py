"""Two vehicles and four stops on a line, and a plan of them."""

from typing import Any

LINE: dict[str, Any] = {
    "problem": "hcvrp",
    "name": "A line",
    "depot": {"x": 0, "y": 0},
    "customers": [{"id": name, "x": x, "y": 0, "demand": 1} for x, name in enumerate("abcd", 1)],
    "vehicles": [{"id": name, "capacity": 4, "speed": 1} for name in ("red", "blue")],
}
PLAN = {
    "problem": "hcvrp",
    "routes": [
        {"vehicle": "red", "trips": [["a", "b"]]},
        {"vehicle": "blue", "trips": [["c", "d"]]},
    ],
}
