"""The page stays small, and nothing in it depends on the machine."""

from __future__ import annotations

import json
import re

import pytest

from dmb.publish import numbers
from dmb.publish.figures.canvas import Canvas, Scale, decades, short
from dmb.publish.figures.labels import Box, Label, place_labels
from dmb.publish.figures.tradeoff import frontier
from dmb.publish.page import page_html
from dmb.publish.page_data.coding import Strings, coded
from dmb.publish.page_data.item_pages import base36
from dmb.publish.table import Column, Row, Table, Value
from tests.publish.showcase import showcase


def test_twenty_contenders_on_five_suites_fit_into_two_megabytes(record_property: pytest.RecordProperty) -> None:
    made = showcase(20)
    page = page_html(made).encode("utf-8")
    record_property("figures", f"{len(page):,} bytes for {len(made.contenders)} x {len(made.suites)}")
    assert (len(made.contenders), len(made.suites)) == (20, 5)
    assert len(page) < 2_000_000


def test_a_page_that_is_made_twice_is_the_same() -> None:
    assert page_html(showcase(5)) == page_html(showcase(5))


def test_a_confidence_is_coded_as_it_is_printed() -> None:
    """What the scripts print, ``(n / 1000).toFixed(3)``, is what ``numbers.index`` does, halves included."""
    for confidence in (0.0, 1.0, 0.0005, 0.0015, 0.12349999, 0.1235, 0.9995, 0.99949, *(k / 7 for k in range(8))):
        thousandths = round(1000 * float(f"{confidence:.3f}"))
        assert f"{thousandths / 1000:.3f}" == numbers.index(confidence)


@pytest.mark.parametrize("number, text", [(0, "0"), (35, "z"), (36, "10"), (1001, "rt"), (46655, "zzz")])
def test_base36(number: int, text: str) -> None:
    assert base36(number) == text and int(text, 36) == number


def test_a_table_is_coded_with_each_text_once() -> None:
    strings = Strings()
    strings.place("")
    table = Table(
        "t", "T", "T", (Column("A", numeric=False), Column("T")), (Row((Value("A"), Value("1", "[0, 2]", muted=True))),)
    )
    made = coded(table, strings)
    assert strings.texts == ["", "t", "T", "A", "1", "[0, 2]"]
    assert made == [1, 2, 2, [[3, 0, 0], [2, 0, 8]], [[3, [4, 1, 5]]], [], [], 1]
    json.dumps(made)


def test_the_frontier_is_whoever_nobody_beats() -> None:
    #: cost, accuracy
    points = [(1.0, 0.5), (2.0, 0.4), (3.0, 0.9), (3.0, 0.8), (4.0, 0.9), (0.5, 0.1)]
    assert frontier(points) == [5, 0, 2]
    assert frontier([]) == [] and frontier([(1.0, 0.5), (1.0, 0.5)]) == [0]


def test_labels_stand_apart() -> None:
    labels = [Label(f"contender {n}", (100.0, 50.0 + n), "point") for n in range(6)]
    boxes = []
    for label, (x, y), anchor, _ in place_labels(labels, 0, 470, 0, 300):
        width = 5.9 * len(label.text)
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        boxes.append(Box(left, y - 3.5 - 5.75, left + width, y - 3.5 + 5.75))
    assert not any(a.meets(b) for n, a in enumerate(boxes) for b in boxes[:n])


def test_scales_and_lengths() -> None:
    assert decades(0.02, 350) == [0.01, 0.1, 1, 10, 100, 1000] and decades(1, 1) == [1, 10]
    log = Scale(1, 1000, 0, 300, log=True)
    assert [short(log(x)) for x in (0.1, 1, 10, 1000, 5000)] == ["0", "0", "100", "300", "300"]
    assert [short(x) for x in (-0.04, 12.0, 12.25, 12.35)] == ["0", "12", "12.2", "12.3"]


def test_a_drawing_escapes_what_is_written_in_it() -> None:
    canvas = Canvas(10, 10, 'a "label" <b>')
    canvas.text((1, 1), "<script>&")
    assert re.findall(r"<(?!/?svg|/?text)", canvas.svg()) == []
    assert "&lt;script&gt;&amp;" in canvas.svg() and 'aria-label="a &#34;label&#34; &lt;b&gt;"' in canvas.svg()
