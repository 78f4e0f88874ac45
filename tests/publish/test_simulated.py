"""Simulated answers are marked wherever they show: every table, plot, banner, text and file, and nothing else is."""

from __future__ import annotations

import dataclasses
import json
import re
import xml.etree.ElementTree as ET

import pytest

from dmb.publish import markdown, page
from dmb.publish.cells import cells_json
from dmb.publish.figures.files import figure_files
from dmb.publish.release import Release
from dmb.publish.sections import notices, sections
from dmb.publish.table import SIMULATED_CAPTION, SIMULATED_MARK, Table
from tests.publish.factory import SUITES, rehearsal_release
from tests.publish.test_golden import without_code

#: Says nothing of answers: how many rows there are to ask, and where they come from.
NO_ANSWERS = {"suites"}
SVG = "{http://www.w3.org/2000/svg}"


def tables_of(made: Release) -> list[Table]:
    """Every table of the report, found by where it is printed, so that one that is new is here too."""
    return [table for section in sections(made) for table in section.tables]


def written_in(drawing: bytes) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(drawing).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def whole() -> Release:
    return rehearsal_release(tuple(SUITES))


@pytest.fixture(scope="module")
def mixed(whole: Release) -> Release:
    """Cloud 2 is simulated on two suites, and nobody else is."""
    scores = (
        s.model_copy(
            update={
                "simulated": s.contender == "cloud-big" and s.suite in ("intent-77", "cardinality"),
                "source_run": "v8-1" if s.suite in ("intent-77", "cardinality") else "v8-2",
            }
        )
        for s in whole.scores
    )
    runs = (*whole.runs, dataclasses.replace(whole.runs[0], id="v8-2"))
    return dataclasses.replace(whole, scores=tuple(scores), runs=runs)


def test_every_row_of_every_table_is_marked_where_all_is_simulated(whole: Release) -> None:
    tables = tables_of(whole)
    assert {"charges", "cached-share", "spend", "prices", "runs", "contenders", "outcomes", "coverage"} <= {
        table.id for table in tables
    }
    for table in tables:
        for row in table.rows:
            marked = any(value.simulated for value in row.values)
            assert marked is (table.id not in NO_ANSWERS), (table.id, row.values[0].text)


def test_the_mark_and_its_meaning_are_spelled_in_markdown_and_on_the_page(whole: Release) -> None:
    tables = [table for table in tables_of(whole) if table.id not in NO_ANSWERS]
    for table in tables:
        text = markdown.table(table)
        head, *under = text.split("\n\n")
        assert SIMULATED_CAPTION in "\n".join(under), table.id
        assert all(SIMULATED_MARK in line for line in head.splitlines()[2:]), table.id
    html = page.page_html(whole)
    tables += [table for table in whole.page_result_tables if table.kind == "pairs"]
    assert html.count(f'<p class="remark">{SIMULATED_CAPTION}</p>') == len(tables)
    assert html.count('<abbr class="sim"') >= sum(len(table.rows) for table in tables)


def test_the_banner_says_how_much_is_simulated(whole: Release, mixed: Release) -> None:
    assert notices(whole)[0] == (
        "◇ Simulated: every answer in this release comes from a script, and no model was asked."
    )
    assert notices(mixed)[0] == (
        "◇ 2 of 15 cells hold simulated answers: they come from a script, and no model was asked."
    )
    for made in (whole, mixed):
        text, html = markdown.report_md(made), page.page_html(made)
        assert f"\n> {notices(made)[0]}\n" in text.split("\n## ")[0]
        assert f'<p class="notice">{notices(made)[0]}</p>' in html.split("</header>")[0]
    assert "<title>Rehearsal (simulated)</title>" in page.page_html(whole)
    assert "<title>Rehearsal</title>" in page.page_html(mixed)


def test_a_skipped_cell_is_no_real_answer_among_simulated_ones(whole: Release) -> None:
    skipped = {"status": "skipped", "simulated": False}
    scores = tuple(s.model_copy(update=skipped) if s.contender == "cloud" else s for s in whole.scores)
    assert dataclasses.replace(whole, scores=scores).wholly_simulated


def test_every_drawing_says_so_in_the_picture_its_title_and_its_words(whole: Release) -> None:
    html, text = page.page_html(whole), markdown.report_md(whole)
    assert text.count("![Simulated answers. ") == text.count("![") == len(whole.figures) > 10
    drawings = re.findall(r'<svg class="drawing"[^>]* aria-label="([^"]*)">(.*?)</svg>', html)
    assert len(drawings) > 20
    for said, drawn in drawings:
        assert said.startswith("Simulated answers. ") and ">simulated</text>" in drawn and "◇" in drawn, said
    assert html.count(" (simulated)</strong>") == html.count("<figure")
    for name, data in figure_files(whole.figures, "v8"):
        written, words = written_in(data), ET.fromstring(data).findtext(f"{SVG}desc")
        # as often as there are panels
        assert written.count("simulated") == data.count(b'role="img"') and SIMULATED_CAPTION in written, name
        assert written[0].endswith(" (simulated)") and str(words).startswith("Simulated answers. "), name


def test_only_what_is_simulated_is_marked_in_a_mixed_release(mixed: Release) -> None:
    for table in tables_of(mixed):
        for row in table.rows:
            shown = " ".join(value.text for value in row.values)
            if "Random" in shown or "Cloud 1" in shown or "v8-2" in shown:
                assert not any(value.simulated for value in row.values), (table.id, shown)
        real = ("gate-spam", "order-stability", "confidence-honesty")
        if any(table.id.endswith(suite) for suite in real) or table.id.startswith(tuple(f"slice-{s}" for s in real)):
            assert not table.simulated, table.id
    by_id = {table.id: table for table in tables_of(mixed)}
    assert [value.simulated for value in by_id["measure-latency-p50-ms"].rows[2].values] == [
        False,
        True,
        False,
        True,
        False,
        False,
    ]
    assert by_id["suite-intent-77"].simulated and by_id["spend"].simulated and by_id["runs"].simulated
    # what is added up over contenders is what its parts are
    assert [row.values[0].simulated for row in by_id["charges"].rows] == [False, True, True]
    assert by_id["cached-share"].simulated and by_id["confidence-kinds"].simulated


def test_drawings_of_a_mixed_release(mixed: Release) -> None:
    files = {name: written_in(data) for name, data in figure_files(mixed.figures, "v8")}
    for name, written in files.items():
        here = name.split(".")[1] in ("intent-77", "cardinality")
        assert (SIMULATED_CAPTION in written, written[0].endswith(" (partly simulated)")) == (here, here), name
        assert ("simulated" in written, "Cloud 2 ◇" in written) == (here, here), name
        assert not {"Random ◇", "Cloud 1 ◇"} & set(written), name


def test_findings_name_whose_answers_are_simulated(mixed: Release) -> None:
    found = [line.text for line in mixed.sanity_lines if "Cloud 2" in line.text]
    assert [text for text in found if text.startswith("Cloud 2 ◇ on `intent-77`:")]
    assert [text for text in found if text.startswith("Cloud 2 on `gate-spam`:")]


def test_the_cells_file_says_it_of_each_cell_and_of_the_whole(whole: Release, mixed: Release) -> None:
    for made in (
        whole,
        mixed,
        dataclasses.replace(mixed, scores=tuple(s.model_copy(update={"simulated": False}) for s in mixed.scores)),
    ):
        document = json.loads(cells_json(made))
        assert [c["simulated"] for c in document["cells"]] == [s.simulated for s in made.cells.values()]
        assert document["simulated"] is any(s.simulated for s in made.scores)


def test_a_release_without_simulated_answers_never_speaks_of_them(whole: Release) -> None:
    real = dataclasses.replace(whole, scores=tuple(s.model_copy(update={"simulated": False}) for s in whole.scores))
    files = (data.decode("utf-8") for _, data in figure_files(real.figures, "v8"))
    for text in (markdown.report_md(real), without_code(page.page_html(real)), *files):
        assert SIMULATED_MARK not in text and "imulated" not in text
