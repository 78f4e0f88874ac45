"""What is said when a run has ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmb.planning.lifecycle import failure_lines
from dmb.store.runs import begin_run, end_run, mark


@pytest.mark.parametrize(
    ("n_failed", "said"),
    [
        (0, []),
        (1, ["cause 0"]),
        (3, ["cause 0", "cause 1", "cause 2"]),
        (5, ["cause 0", "cause 1", "cause 2", "and 2 more, in runs/r-1/manifest.json"]),
    ],
)
def test_the_last_lines_say_what_failed(tmp_path: Path, monkeypatch, n_failed: int, said: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    never_asked = {"k" * 64: {"contender": "a", "suite": "b", "number": 1}}
    run = begin_run(None, "r", {"release": "r", "cells": never_asked}, {}, {})
    for n in range(n_failed):
        mark(run, f"failed.source.{n}", f"cause {n}")
    assert end_run(run) == ("failed" if n_failed else "interrupted")
    assert failure_lines(run, most=3) == said
