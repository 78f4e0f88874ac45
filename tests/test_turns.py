"""Threads that take turns."""

from __future__ import annotations

import threading
import time

import pytest

from dmb.turns import Turns


def in_thread(work) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_one_works_and_whoever_waits_lets_the_others():
    turns, waits, works, order = Turns(), threading.Event(), threading.Event(), []

    def first():
        with turns:
            order.append("first asks")
            with turns.waiting:
                waits.set()
                assert works.wait(20)
            order.append("first goes on")

    def second():
        assert waits.wait(20)
        with turns:
            works.set()
            # time for the first to come back from its waiting; it must not go on yet
            time.sleep(0.05)
            assert order == ["first asks"]
            order.append("second works")

    for thread in [in_thread(first), in_thread(second)]:
        thread.join(20)
    assert order == ["first asks", "second works", "first goes on"] and not turns.is_mine()


def test_several_may_wait_at_once():
    turns, all_wait = Turns(), threading.Barrier(4)

    def work():
        with turns:
            for _ in range(3):
                with turns.waiting:
                    all_wait.wait(20)
                assert turns.is_mine()

    for thread in [in_thread(work) for _ in range(4)]:
        thread.join(20)
    assert not all_wait.broken


def test_who_has_no_turn_gives_none_up():
    turns = Turns()
    with turns.waiting:
        pass
    holding, done = threading.Event(), threading.Event()

    def hold():
        with turns:
            holding.set()
            assert done.wait(20)
            assert turns.is_mine()

    holder = in_thread(hold)
    assert holding.wait(20)
    with turns.waiting:
        assert not turns.is_mine()
    done.set()
    holder.join(20)


def test_an_error_keeps_and_ends_the_turn_where_it_must():
    turns = Turns()
    with pytest.raises(OSError), turns:
        with pytest.raises(ValueError), turns.waiting:
            raise ValueError
        assert turns.is_mine()
        raise OSError
    assert not turns.is_mine()
    with turns:
        pass


def test_who_is_interrupted_on_the_way_back_ends_nobody_elses_turn():
    turns, has_it, may_end = Turns(), threading.Event(), threading.Event()

    def other():
        with turns:
            has_it.set()
            assert may_end.wait(20)
            assert turns.is_mine()
            theirs.append(True)

    theirs: list[bool] = []
    thread = threading.Thread(target=other)
    real = Turns.__enter__

    def interrupted(_: Turns) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), turns, pytest.MonkeyPatch.context() as patch, turns.waiting:
        thread.start()
        assert has_it.wait(20)
        # Ctrl-C comes while this thread waits for its turn
        patch.setattr(Turns, "__enter__", interrupted)
    assert not turns.is_mine() and Turns.__enter__ is real
    may_end.set()
    thread.join(20)
    assert theirs == [True]
    with turns:
        assert turns.is_mine()


def test_a_sleep_is_a_waiting():
    turns, seen = Turns(), []
    sleep = turns.while_waiting(lambda s: seen.append((s, turns.is_mine())))
    with turns:
        sleep(2.5)
    sleep(1.0)
    assert seen == [(2.5, False), (1.0, False)]
