"""Drawings and their files: the same bytes twice, readable by themselves, the word on simulated ones, nothing where there is nothing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dmb.publish.figures.canvas import Canvas
from dmb.publish.figures.figure import Figure, said_once, suite_of
from dmb.publish.figures.files import figure_files
from dmb.publish.figures.labels import short_names
from dmb.publish.release import Release
from dmb.publish.write import rendered
from tests.publish.browser import launched
from tests.publish.factory import ENTRIES, Answers, contender, golden_release, release, undefined
from tests.publish.showcase import showcase

SVG = "{http://www.w3.org/2000/svg}"
STAMP = "v9 · DMB 9, protocol 3 · asked 2026-11-02 · nothing billed"
TINY, TINY_SIMULATED = "Tiny <b>|& `x`", "Tiny <b>|& `x` ◇"


def drawn(made: Release) -> dict[str, ET.Element]:
    """File -> its root; a file that is no XML is an error."""
    return {name: ET.fromstring(data) for name, data in figure_files(made.figures, STAMP)}


def texts(root: ET.Element) -> list[str]:
    return ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]


def panels(root: ET.Element) -> list[ET.Element]:
    return root.findall(f"{SVG}g[@role='img']")


def of_one(*suites: str, **answers: Any) -> Release:
    given = Answers(200, {"valid": 270}, 1.0, **answers)
    return release({"tiny": ENTRIES["tiny"]}, {("tiny", s): given for s in suites}, list(suites))


@pytest.fixture(scope="module")
def files(golden: Release) -> dict[str, ET.Element]:
    return drawn(golden)


def test_drawn_twice_the_bytes_are_equal(golden: Release) -> None:
    first, second = (dict(figure_files(made.figures, STAMP)) for made in (golden, golden_release()))
    assert first == second and first


def test_every_figure_of_the_page_is_a_file_beside_the_report(golden: Release) -> None:
    files = rendered(golden)
    html, text = files["v9.html"].decode(), files["v9.md"].decode()
    names = [f"v9/{figure.name}.svg" for figure in golden.figures]
    assert re.findall(r'<figure [^>]*id="([^"]+)"', html) == [figure.id for figure in golden.figures]
    assert re.findall(r"^!\[.*\]\((.*)\)$", text, re.MULTILINE) == names == [n for n in files if n.endswith(".svg")]


def test_a_file_needs_nothing_but_itself(golden: Release) -> None:
    for name, data in figure_files(golden.figures, STAMP):
        text = data.decode("utf-8")
        assert not re.search(r"url\(|@import|<script|<image|https?://(?!www\.w3\.org/2000/svg)", text), name
        # not every reader knows variables, and a class without a rule would be black
        sheet = text.partition("<style>")[2].partition("</style>")[0]
        assert "var(" not in sheet and "prefers-color-scheme: dark" in sheet
        used = {word for found in re.findall(r'class="([^"]+)"', text) for word in found.split()}
        assert used <= set(re.findall(r"\.([a-z]+)", sheet)), name
        assert set(re.findall(r'<use href="#([^"]+)', text)) <= set(re.findall(r' id="([^"]+)', text))


def test_a_file_says_what_it_is(files: dict[str, ET.Element], golden: Release) -> None:
    for figure, root in zip(golden.figures, files.values(), strict=True):
        assert root.findtext(f"{SVG}title") == figure.bare_heading in texts(root)
        assert root.findtext(f"{SVG}desc") == figure.words and figure.caption.replace("`", "") in figure.words
        assert texts(root)[-1] == STAMP
        assert [panel.get("aria-label") for panel in panels(root)] == [drawing.label for drawing in figure.drawings]


def test_simulated_is_written_across_and_below(files: dict[str, ET.Element]) -> None:
    for name, root in files.items():
        marks = [(TINY_SIMULATED in texts(panel), "simulated" in texts(panel)) for panel in panels(root)]
        # in the golden release one contender's answers are
        assert [name for is_marked, is_written in marks if is_marked != is_written] == []
        assert any(is_marked for is_marked, _ in marks), name
        assert any(text.startswith("◇ simulated answers") for text in texts(root))
        assert str(root.findtext(f"{SVG}desc")).startswith("Partly simulated answers. ")


def test_without_simulated_answers_no_file_speaks_of_them() -> None:
    for root in drawn(of_one("intent-77", "cardinality")).values():
        assert "imulated" not in "".join(root.itertext()) and "◇" not in "".join(root.itertext())


def test_options_have_a_panel_for_whoever_answered_and_a_cross_where_nothing_was(files: dict[str, ET.Element]) -> None:
    root = files["options-accuracy.cardinality.svg"]
    names = [texts(panel)[0] for panel in panels(root)]
    # one contender was never asked
    assert names == ["Random", "Majority", TINY_SIMULATED, "Cloud 1"]
    crosses = {texts(panel)[0]: texts(panel).count("×") for panel in panels(root)}
    assert crosses == {"Random": 0, "Majority": 0, TINY_SIMULATED: 3, "Cloud 1": 0}
    assert len(panels(files["options-latency.cardinality.svg"])) == 4


def test_who_has_no_latency_has_no_panel_of_it(golden: Release) -> None:
    cell = golden.cells["tiny", "cardinality"]
    gone = cell.model_copy(update={"metrics": cell.metrics | {"latency_p50_ms": undefined("no timed answers")}})
    files = drawn(golden_release(scores=tuple(gone if s is cell else s for s in golden.scores)))
    assert len(panels(files["options-latency.cardinality.svg"])) == 3
    assert len(panels(files["options-accuracy.cardinality.svg"])) == 4


def test_what_has_nothing_to_show_is_not_drawn() -> None:
    assert not [name for name in drawn(of_one("intent-77")) if name.startswith("options-")]
    assert drawn(release(ENTRIES, {}, ["intent-77", "cardinality"])) == {}


def test_reliability_counts_decisions(golden: Release, files: dict[str, ET.Element]) -> None:
    for suite in golden.suites:
        cells = [
            golden.cells[c, suite] for c in golden.contenders if any(p.n for p in golden.cells[c, suite].reliability)
        ]
        for panel, cell in zip(panels(files[f"reliability.{suite}.svg"]), cells, strict=True):
            counts = [f"{part.n:,}" for part in cell.reliability if part.n]
            assert "|".join(counts) in "|".join(texts(panel)), (suite, cell.contender)


def test_a_name_tells_the_suite() -> None:
    assert suite_of("tradeoff.intent-77.label") == suite_of("risk.intent-77") == "intent-77"
    assert suite_of("ATTRIBUTION") == ""


def test_a_caption_that_was_said_is_not_said_again_on_the_page() -> None:
    figures = [Figure(f"a.{n}", "T", caption, (Canvas(1, 1, ""),), (False,)) for n, caption in enumerate("xxyx")]
    assert [figure.caption_repeats for figure in said_once(figures)] == [False, True, False, False]


def test_long_names_lose_what_they_can_do_without() -> None:
    muse = "Muse Spark 1.3 Contributor via OpenCode Go"
    assert short_names(["x" * 33, muse]) == ["x" * 33, "Muse Spark 1.3 Contri…OpenCode Go"]
    assert short_names([muse, muse.replace("Contributor", "Contributing")]) == [
        "Muse Spark 1.3 Contributor via O…",
        "Muse Spark 1.3 Contributing via…",
    ]
    assert short_names([muse, muse]) == [short_names([muse])[0]] * 2


# -- as a browser draws them


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from launched()


BOXES = """() => [...document.querySelectorAll('text')].filter(t => !t.closest('.watermark')).map(t => {
  const b = t.getBoundingClientRect(); return [t.textContent, b.left, b.top, b.right, b.bottom] })"""


def check_texts(browser: Any, made: Release, folder: Path, names: set[str], *kinds: str) -> None:
    """No text of the files stands on another one, and none leaves the paper."""
    tab = browser.new_page()
    for name, data in figure_files(made.figures, STAMP):
        if not name.startswith(kinds):
            continue
        (folder / name).write_bytes(data)
        tab.goto(f"file://{folder / name}")
        width = tab.evaluate("document.documentElement.width.baseVal.value")
        boxes = tab.evaluate(BOXES)
        assert names <= {text.removesuffix(" ◇") for text, *_ in boxes}, name
        for n, (text, left, top, right, bottom) in enumerate(boxes):
            assert left >= 0 and right <= width, (name, text)
            for other, left2, top2, right2, bottom2 in boxes[:n]:
                # a line's box is higher than its letters
                apart = left >= right2 - 1 or left2 >= right - 1 or top >= bottom2 - 4 or top2 >= bottom - 4
                assert apart, (name, text, other)
    tab.close()


def test_twenty_long_names_head_their_panels(browser: Any, tmp_path: Path) -> None:
    entries = {
        f"c{n}": contender(f"A provider's model, version {n}, structured output", baseline="random") for n in range(20)
    }
    given = {
        (name, "cardinality"): Answers(200 - n, {"valid": 275}, 100.0 + n, simulated=n % 2 == 0)
        for n, name in enumerate(entries)
    }
    names = set(short_names([entry.display.label for entry in entries.values()]))
    assert len(names) == 20
    made = release(entries, given, ["cardinality"])
    check_texts(browser, made, tmp_path, names, "options-", "reliability.", "risk.")


def test_names_beside_points_stand_apart(browser: Any, tmp_path: Path) -> None:
    made = showcase(20, ("intent-77", "gate-spam"))
    asked = {made.label(c) for c in made.contenders if made.cells[c, "intent-77"].status != "skipped"}
    check_texts(browser, made, tmp_path, asked, "tradeoff.")


@pytest.mark.parametrize("scheme, is_dark", [("light", False), ("dark", True)])
def test_a_picture_has_its_own_paper_in_light_and_dark(
    browser: Any, tmp_path: Path, golden: Release, scheme: str, is_dark: bool
) -> None:
    name, data = next(iter(figure_files(golden.figures, STAMP)))
    (tmp_path / name).write_bytes(data)
    context = browser.new_context(color_scheme=scheme)
    tab = context.new_page()
    tab.goto(f"file://{tmp_path / name}")
    paper, ink = (
        tab.evaluate(f"getComputedStyle(document.querySelector('{kind}')).fill.match(/\\d+/g).map(Number)")
        for kind in (".paper", ".title")
    )
    assert (sum(paper) < sum(ink)) is is_dark and abs(sum(paper) - sum(ink)) > 500
    context.close()
