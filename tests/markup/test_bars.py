from xml.etree import ElementTree

from geopar.markup.bars import LEFT, MOST_ROWS, MOST_STOPS, RIGHT, WIDTH, Bar, bars_svg

RED = Bar("red", "12:00", [(8, 10), (10, 12)], [(9, "<a>, 09:00")], [(9, 9.5)])


def rects(made):
    """From where to where each goes."""
    found = [one for one in ElementTree.fromstring(made) if one.tag == "rect"]
    return [(float(one.get("x")), float(one.get("x")) + float(one.get("width"))) for one in found]


def test_trips_waiting_and_stops_in_one_scale():
    first, second, wait, stop = rects(bars_svg([RED]))
    middle = (LEFT + WIDTH - RIGHT) / 2
    assert first == (LEFT, middle)
    assert second == (middle, WIDTH - RIGHT)
    assert wait[0] == stop[0] == (LEFT + middle) / 2


def test_texts_stay_texts_and_long_names_are_cut():
    made = bars_svg([RED._replace(name="x" * 40 + "<b>")])
    root = ElementTree.fromstring(made)
    texts = [one.text for one in root if one.tag == "text"]
    assert texts == ["x" * 15 + "…", "12:00"]
    assert "<title>&lt;a&gt;, 09:00</title>" in made


def test_nobody_drives_or_too_many_do():
    idle = Bar("blue", "", [], [], [])
    assert bars_svg([idle]) == ""
    assert bars_svg([idle, RED]).count("<text") == 3
    assert bars_svg([RED] * (MOST_ROWS + 5)).count("<text") == 2 * MOST_ROWS
    assert len(rects(bars_svg([Bar("red", "0", [(8, 8)], [], [])]))) == 1
    busy = RED._replace(stops=[*RED.stops] * MOST_STOPS)
    assert bars_svg([busy]).count("<title>") == MOST_STOPS
    assert "<title>" not in bars_svg([busy, RED])
