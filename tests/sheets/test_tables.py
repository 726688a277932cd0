from geopar.sheets.content import sheets_of
from geopar.sheets.tables import HEADER, cells_by_vehicle, sheet_cells
from instances import plan_of, square

PLAN = plan_of({"red": [["east", "north"], ["west"]], "blue": [["south"]]})


def test_one_row_for_each_stop_with_what_is_told() -> None:
    problem = square().replace(details={"phone": ("1", "", "3", "")})
    header, *rows = sheet_cells(problem, sheets_of(problem, PLAN))
    assert header == ["vehicle", *HEADER, "phone"]
    assert [(row[0], row[1], row[7], row[-1]) for row in rows] == [
        ("red", "1", "east", "1"),
        ("red", "1", "north", ""),
        ("red", "1", "Back at the depot", ""),
        ("red", "2", "west", "3"),
        ("red", "2", "Back at the depot", ""),
        ("blue", "1", "south", ""),
        ("blue", "1", "Back at the depot", ""),
    ]


def test_titles_are_those_that_spreadsheets_allow_and_differ() -> None:
    names = ("a/b:c" + "x" * 40, "A b c" + "x" * 40)
    problem = square().replace(vehicle_ids=names)
    plan = plan_of({names[0]: [["east"]], names[1]: [["north"]]})
    titles = list(cells_by_vehicle(problem, sheets_of(problem, plan)))
    assert len({title.lower() for title in titles}) == 2
    assert all(len(title) <= 31 and not set(title) & set("[]:*?/\\") for title in titles)


def test_a_plan_of_nothing_is_a_header() -> None:
    assert list(cells_by_vehicle(square(), []).values()) == [[list(HEADER)]]
