"""A job finds its cell in the plan of its run without reading the others."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.errors import DamagedFile, MissingEvidence
from dmb.store.files import load_json, pretty_json, write_whole
from dmb.store.layout import run_dir
from dmb.store.plan_file import plan_bytes, planned_job

#: Texts with what could be taken for the file's own lines.
TEXTS = st.text(alphabet=st.sampled_from('a"{}[],: \n\\é\u2028')) | st.just('\n"cells": {\n') | st.just("},\n")
CELLS = st.dictionaries(
    st.text("0123456789abcdef", min_size=64, max_size=64), st.dictionaries(TEXTS, TEXTS), min_size=1, max_size=4
)


@given(head=st.dictionaries(TEXTS.filter(lambda t: t != "cells"), TEXTS), cells=CELLS)
def test_every_cell_is_found_as_it_was_planned(tmp_path_factory, head, cells) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("runs"))
        data = plan_bytes({**head, "cells": cells})
        assert json.loads(data) == {**head, "cells": cells}
        # a cell a line, beside a line for each other field and three around them
        assert data.count(b"\n") == len(cells) + len(head) + 4
        write_whole(run_dir("r") / "plan.json", data)
        for key, cell in cells.items():
            assert planned_job("r", key) == (key, cell, head)


def test_other_cells_are_not_read(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = plan_bytes({"budget": {}, "cells": {"a" * 64: {"n": 1}, "b" * 64: {"n": 2}}})
    # damage in the line of another cell is that cell's
    write_whole(run_dir("r") / "plan.json", data.replace(b'"n": 1', b'"n": ?'))
    assert planned_job("r", "b" * 16).cell == {"n": 2}
    with pytest.raises(DamagedFile, match=r"plan\.json: is damaged"):
        planned_job("r", "a" * 16)


def test_a_plan_that_is_written_otherwise_is_read_whole(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = {"budget": {}, "cells": {"a" * 64: {"n": 1}}}
    write_whole(run_dir("r") / "plan.json", pretty_json(plan))
    assert planned_job("r", "a" * 16)[:2] == ("a" * 64, {"n": 1})
    assert load_json(run_dir("r") / "plan.json") == plan


def test_what_is_not_planned_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_whole(run_dir("r") / "plan.json", plan_bytes({"cells": {"a" * 64: {}}}))
    with pytest.raises(MissingEvidence, match="run r did not plan cell b"):
        planned_job("r", "b" * 16)
    with pytest.raises(MissingEvidence, match=r"plan\.json: is not here"):
        planned_job("s", "a" * 16)
