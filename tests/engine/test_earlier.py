"""Rows of earlier runs, put together again."""

from __future__ import annotations

import pytest

from dmb.engine.earlier import logged_attempts
from dmb.store.attempts import AttemptLog, read_attempts
from dmb.store.layout import raw_log
from tests.engine.made_up import ask, begin, planned


@pytest.mark.parametrize(
    "second", ["2026-11-30T10:00:09Z", "2026-11-30T10:00:01Z"], ids=["later", "by a clock set back"]
)
def test_attempts_stand_in_their_order_whatever_the_clock_said(tmp_path, monkeypatch, second):
    monkeypatch.chdir(tmp_path)
    cell = planned()
    run = begin(cell)
    ask(run, cell)
    one = next(read_attempts(raw_log(run, "random", "s")))

    def row(n: int, at: str):
        return one.model_copy(update={"attempt": n, "timing": one.timing.model_copy(update={"sent_at": at})})

    path = raw_log("other", "random", "s")
    with AttemptLog(path) as log:
        for made in (row(1, "2026-11-30T10:00:05Z"), row(2, second)):
            log.append(made.model_copy(update={"cell": "c" * 64}))
    found = logged_attempts("random", "s", "c" * 64)
    assert [r.attempt for r in found[one.item, one.permutation, one.repeat]] == [1, 2]
