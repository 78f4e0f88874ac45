"""Work in several threads."""

from __future__ import annotations

import threading

import pytest

from dmb.engine.threads import in_threads


def test_each_thread_works_once():
    seen: list[int] = []
    in_threads(lambda: seen.append(threading.get_ident()), 4)
    assert len(seen) == 4


@pytest.mark.parametrize("in_the_callers_own", [True, False])
def test_what_one_of_them_raises_reaches_the_caller_when_all_have_ended(in_the_callers_own):
    main, ended = threading.get_ident(), []

    def work() -> None:
        if (threading.get_ident() == main) is in_the_callers_own:
            raise KeyError("planted")
        ended.append(1)

    with pytest.raises(KeyError, match="planted"):
        in_threads(work, 3)
    assert len(ended) == (2 if in_the_callers_own else 1)
