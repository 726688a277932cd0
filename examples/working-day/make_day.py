"""Draws the files of this folder anew: a made-up town with a river and two bridges."""

import json
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
TOWN = (5.12, 52.09)  # longitude, latitude
KM_PER_DEGREE = (68.4, 111.2)  # at this latitude
RIVER = 52.085  # a latitude; the bridges are at these longitudes
BRIDGES = (5.10, 5.15)
KINDS = ("bakery", "school", "cafe", "chemist", "grocer", "hotel", "clinic", "kitchen")


def place(rng: np.random.Generator, spread_km: float = 2.5) -> dict:
    """A place in the town."""
    lon, lat = (
        float(round(middle + rng.normal(0.0, spread_km) / scale, 5))
        for middle, scale in zip(TOWN, KM_PER_DEGREE, strict=True)
    )
    return {"lat": lat, "lon": lon}


def kilometres(origin: dict, end: dict) -> float:
    """Along streets that run north and east, over a bridge where there is water between."""

    def blocks(a: tuple[float, float], b: tuple[float, float]) -> float:
        return sum(abs(x - y) * km for x, y, km in zip(a, b, KM_PER_DEGREE, strict=True))

    a, b = ((one["lon"], one["lat"]) for one in (origin, end))
    if (a[1] - RIVER) * (b[1] - RIVER) >= 0:
        return blocks(a, b)
    return min(blocks(a, (x, RIVER)) + blocks((x, RIVER), b) for x in BRIDGES)


def matrix(places: list[dict], km_per_hour: float, lights: float) -> dict:
    """Minutes and kilometres between all places; so many minutes of lights per kilometre."""
    km = np.array([[kilometres(a, b) for b in places] for a in places])
    north = np.array([[max(0.0, b["lat"] - a["lat"]) for b in places] for a in places])
    minutes = km * (60.0 / km_per_hour + lights) + 20.0 * north  # uphill
    return {"durations": minutes.round(1).tolist(), "distances": km.round(2).tolist()}


def deliveries(rng: np.random.Generator) -> dict:
    """Thirty stops, two vans and two cargo bikes, from eight to five."""
    depot = {"lat": 52.102, "lon": 5.085}
    customers = []
    for i in range(30):
        customer = {"id": f"{i + 1:02}", **place(rng)}
        customer["demand"] = int(rng.integers(1, 9))
        customer["service"] = int(rng.integers(3, 13))
        if i % 3 == 0:
            begin = int(rng.integers(8, 14))
            customer["windows"] = [[f"{begin:02}:00", f"{begin + 2:02}:30"]]
        if i % 10 == 4:
            customer["needs"] = ["fridge"]
        name = f"{KINDS[i % len(KINDS)].capitalize()} {i + 1}"
        customer["details"] = {"name": name, "phone": f"030 555 {i:04}"}
        customers.append(customer)
    shift = {"available": ["08:00", "17:00"]}
    places = [depot, *customers]
    return {
        "problem": "hcvrp", "name": "A working day", "time_unit": "minutes",
        "depot": depot | {"opens": "07:30", "closes": "18:00", "loading": 15},
        "customers": customers,
        "vehicles": [
            {"id": "van 1", "profile": "car", "capacity": 60, "skills": ["fridge"], **shift},
            {"id": "van 2", "profile": "car", "capacity": 60, **shift},
            {"id": "bike 1", "profile": "bike", "capacity": 18, "longest": 360, **shift},
            {"id": "bike 2", "profile": "bike", "capacity": 18, "longest": 360, **shift},
        ],
        "matrices": {"car": matrix(places, 35.0, 0.6), "bike": matrix(places, 16.0, 0.2)},
    }  # fmt: skip


def couriers(rng: np.random.Generator) -> dict:
    """An evening of orders that are ready at some time, with minutes at both doors."""
    orders = []
    for i in range(16):
        ready = 18 * 60 + 5 * int(rng.integers(0, 18))
        orders.append(
            {
                "id": f"order {i + 1:02}",
                "released": f"{ready // 60}:{ready % 60:02}",
                "pickup": place(rng, 0.8) | {"service": 2},
                "delivery": place(rng, 2.0) | {"service": 4},
            }
        )
    return {
        "problem": "omdcpdp", "name": "An evening of couriers", "time_unit": "minutes",
        "orders": orders,
        "vehicles": [
            {"id": name, **place(rng, 1.5), "capacity": room, "speed": speed,
             "available": ["18:00", "22:00"]}
            for name, room, speed in (("Ada", 3, 17), ("Ben", 3, 17), ("Cem", 2, 24))
        ],
    }  # fmt: skip


def vroom(rng: np.random.Generator) -> dict:
    """Jobs as VROOM has them, with its matrix in seconds."""
    depot = {"lat": 52.102, "lon": 5.085}
    places = [depot, *(place(rng) for _ in range(12))]
    minutes = np.array(matrix(places, 35.0, 0.6)["durations"])
    at = [[one["lon"], one["lat"]] for one in places]
    return {
        "vehicles": [
            {"id": i + 1, "start": at[0], "start_index": 0, "end": at[0], "end_index": 0,
             "capacity": [8], "time_window": [28800, 57600]}
            for i in range(2)
        ],
        "jobs": [
            {"id": i, "description": f"stop {i}", "location": at[i], "location_index": i,
             "service": 300, "delivery": [1], "time_windows": [[28800, 43200]]}
            for i in range(1, len(places))
        ],
        "matrices": {"car": {"durations": (minutes * 60).round().astype(int).tolist()}},
    }  # fmt: skip


def text(value: object, depth: int = 0) -> str:
    """JSON with one stop, vehicle or row of a matrix per line, so that people can read it."""
    if isinstance(value, dict) and depth < 3 and any(isinstance(v, list) for v in value.values()):
        fields = (f"{json.dumps(key)}: {text(one, depth + 1)}" for key, one in value.items())
        return "{\n" + ",\n".join(fields) + "\n}"
    if isinstance(value, list) and value and isinstance(value[0], dict | list):
        return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"
    if isinstance(value, dict) and depth < 2:
        fields = (f"{json.dumps(key)}: {text(one, depth + 1)}" for key, one in value.items())
        return "{" + ", ".join(fields) + "}"
    return json.dumps(value)


def main() -> None:
    """Write all three."""
    for make in (deliveries, couriers, vroom):
        value = make(np.random.default_rng(7))
        (HERE / f"{make.__name__}.json").write_text(text(value) + "\n")


if __name__ == "__main__":
    main()
