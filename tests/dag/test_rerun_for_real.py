"""The table of what must rerun, held by real runs."""

from __future__ import annotations

import pytest

from tests.dag.changes import TABLE, Change, compare, tree
from tests.dag.tiny import Tiny

#: Really run by default too: nothing at all, and everything that there is to do. The others are under `-m long`.
REALLY_RUN = ("metadata lost, adverse mtimes", "question of a suite that another borrows")


@pytest.mark.parametrize("name", [n if n in REALLY_RUN else pytest.param(n, marks=pytest.mark.long) for n in TABLE])
def test_real_run_does_it_once(tiny: Tiny, name: str) -> None:
    change = TABLE[name]
    change.make(tiny)
    runs_before = tree(tiny, "runs/tiny-1")
    compare(tiny.build(), change)
    assert (tiny.root / "runs/tiny-2").exists() == bool(change.asks)
    assert tree(tiny, "runs/tiny-1") == runs_before, "an earlier run was changed"
    assert "Nothing to be done" in tiny.build().output


def _reseed_keyword(t: Tiny, seed: int) -> None:
    t.edit(
        "data/contenders.toml",
        'model = "keyword"\nsettings = { seed = 20261130 }',
        f'model = "keyword"\nsettings = {{ seed = {seed} }}',
    )


def test_change_taken_back_asks_and_scores_nothing(tiny: Tiny) -> None:
    target = "results/other.md"
    tiny.build(target)
    before = (tiny.root / "data/contenders.toml").read_text()
    published = (tiny.root / target).read_bytes()
    _reseed_keyword(tiny, 5)
    assert tiny.build(target).asked == {"keyword.beta"}
    (tiny.root / "data/contenders.toml").write_text(before)
    compare(tiny.dry(target), Change(lambda t: None))
    compare(tiny.build(target), Change(lambda t: None))
    assert (tiny.root / target).read_bytes() == published
    # changed, looked at, taken back: nothing at all
    _reseed_keyword(tiny, 7)
    tiny.dry(target)
    (tiny.root / "data/contenders.toml").write_text(before)
    assert "Nothing to be done" in tiny.build(target).output
