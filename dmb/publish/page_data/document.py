"""The document in the page that its scripts read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from dmb.contracts.attempt import OUTCOMES
from dmb.publish.page_data import cell_pages
from dmb.publish.page_data.coding import Strings, coded
from dmb.publish.page_data.item_pages import suite_rows
from dmb.publish.sections import stamp

if TYPE_CHECKING:
    from dmb.publish.release import Release


def page_document(release: Release) -> Markup:
    """JSON that may stand in a script element: ``<`` is escaped, so nothing in it can end the element."""
    text = json.dumps(_document(release), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def _document(release: Release) -> dict[str, Any]:
    strings = Strings()
    # place 0 means that there is nothing
    strings.place("")
    cells = {}
    for (contender, suite), score in release.cells.items():
        facts = [[strings.place(name), strings.place(text)] for name, text in cell_pages.facts(release, score)]
        tables = [coded(table, strings) for table in cell_pages.tables(release, score)]
        cells[f"{contender}/{suite}"] = [facts, tables, int(score.simulated)]
    rows = {}
    for suite, spec in release.suites.items():
        found = {
            s.id: rows_of for s in spec.slots if (rows_of := suite_rows(release, suite, s.id, strings)) is not None
        }
        if found:
            rows[suite] = found
    return {
        "release": release.name,
        "stamp": stamp(release),
        "contenders": [[c, release.label(c)] for c in release.contenders],
        "suites": [[suite, spec.title] for suite, spec in release.suites.items()],
        "outcomes": list(OUTCOMES),
        "cells": cells,
        "rows": rows,
        "strings": strings.texts,
    }
