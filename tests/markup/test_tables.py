from geopar.markup.tables import MOST_ROWS, block, lines, table


def test_texts_stay_texts() -> None:
    made = block("<b>", lines(["<i>"]), table(["<h>"], [["<c>"]]))
    for text in ("<b>", "<i>", "<h>", "<c>"):
        assert f"&lt;{text[1]}&gt;" in made
    assert "<i>" not in made


def test_a_long_table_says_how_much_more_there_is() -> None:
    rows = [[str(i)] for i in range(MOST_ROWS + 3)]
    made = table(["number"], rows)
    assert made.count("<td>") == MOST_ROWS
    assert "and 3 more" in made
    assert "more" not in table(["number"], rows[:MOST_ROWS])
