"""The collector is still while a function works, and as it was afterwards."""

from __future__ import annotations

import gc

import pytest

from dmb.collector import uncollected


def test_still_while_it_works_and_on_again_whatever_comes():
    @uncollected
    def work(fails: bool) -> bool:
        if fails:
            raise ValueError("no")
        return gc.isenabled()

    assert gc.isenabled()
    assert work(False) is False and gc.isenabled()
    with pytest.raises(ValueError, match="no"):
        work(True)
    assert gc.isenabled()


def test_one_inside_another_leaves_it_still_until_the_outer_has_returned():
    inner = uncollected(gc.isenabled)
    assert uncollected(lambda: (inner(), gc.isenabled()))() == (False, False)
    assert gc.isenabled()
