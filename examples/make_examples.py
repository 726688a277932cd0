"""Draws the two examples anew: made-up days of work around made-up addresses.

deliveries.json: one depot, 60 customers in a town and its villages, five vehicles.
couriers.json: 24 orders within the town, four couriers who start where they are.
"""

import json
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
TOWN = (52.09, 5.12)  # latitude, longitude
VILLAGES = [(52.12, 5.25), (52.03, 5.06), (52.02, 5.18), (52.16, 5.02), (52.16, 5.15)]
DEGREES_PER_KM = (1 / 111.2, 1 / 68.4)  # at this latitude


def place(rng: np.random.Generator, centre: tuple[float, float], spread_km: float) -> dict:
    """A place around a centre."""
    lat, lon = (
        middle + step * scale
        for middle, step, scale in zip(
            centre, rng.normal(0.0, spread_km, 2), DEGREES_PER_KM, strict=True
        )
    )
    return {"lat": round(lat, 5), "lon": round(lon, 5)}


def deliveries(rng: np.random.Generator) -> dict:
    """One depot, several trips, vehicles that differ."""
    in_town = [place(rng, TOWN, 2.2) for _ in range(35)]
    in_villages = [place(rng, VILLAGES[i % len(VILLAGES)], 1.1) for i in range(25)]
    return {
        "problem": "hcvrp",
        "name": "A day of deliveries",
        "depot": {"lat": 52.102, "lon": 5.085},
        "customers": [
            {"id": f"customer {i + 1:02}", **at, "demand": int(rng.integers(1, 13))}
            for i, at in enumerate(in_town + in_villages)
        ],
        "vehicles": [
            {"id": "truck", "capacity": 90, "speed": 26},
            {"id": "van 1", "capacity": 50, "speed": 32},
            {"id": "van 2", "capacity": 50, "speed": 32},
            {"id": "cargo bike 1", "capacity": 20, "speed": 17},
            {"id": "cargo bike 2", "capacity": 20, "speed": 17},
        ],
    }


def couriers(rng: np.random.Generator) -> dict:
    """Pickups near the centre, deliveries all over the town."""
    return {
        "problem": "omdcpdp",
        "name": "An evening of couriers",
        "orders": [
            {
                "id": f"order {i + 1:02}",
                "pickup": place(rng, TOWN, 0.8),
                "delivery": place(rng, TOWN, 2.0),
            }
            for i in range(24)
        ],
        "vehicles": [
            {"id": f"courier {i + 1}", **place(rng, TOWN, 1.5), "capacity": capacity}
            for i, capacity in enumerate((3, 3, 2, 2))
        ],
    }


def lines(problem: dict) -> str:
    """JSON with one customer, order or vehicle per line, so that people can read it."""
    fields = []
    for name, value in problem.items():
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            fields.append(f'  "{name}": [\n{rows}\n  ]')
        else:
            fields.append(f'  "{name}": {json.dumps(value)}')
    return "{\n" + ",\n".join(fields) + "\n}\n"


def main() -> None:
    """Write both."""
    for make in (deliveries, couriers):
        (HERE / f"{make.__name__}.json").write_text(lines(make(np.random.default_rng(7))))


if __name__ == "__main__":
    main()
