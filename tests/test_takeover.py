"""Taken over from the certainly dead only: the rule over all facts, and what is seen of real processes."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb import process_identity, takeover
from dmb.process_identity import is_there, who_i_am
from dmb.takeover import Facts, device_of, facts_of, tried_between, verdict

FACTS = st.builds(
    Facts,
    lock_is_free=st.booleans(),
    ended=st.booleans(),
    same_boot=st.sampled_from([True, False, None]),
    same_host=st.booleans(),
    same_lock=st.booleans(),
    process_is_there=st.sampled_from([True, False, None]),
    beat_before_boot=st.booleans(),
    locks_shared=st.booleans(),
)


@given(FACTS)
def test_nothing_is_taken_from_whoever_holds_a_lock_or_is_seen_alive(facts):
    if not facts.lock_is_free or (facts.process_is_there and not facts.ended):
        assert verdict(facts).standing == "held"


@given(FACTS)
def test_a_free_verdict_has_a_reason_that_proves_it(facts):
    proofs = (
        facts.ended,
        facts.process_is_there is False,
        facts.same_boot and facts.same_lock,
        facts.same_boot is None and facts.same_host,
        facts.same_boot is False and facts.same_host and facts.beat_before_boot,
        facts.locks_shared,
    )
    if verdict(facts).standing == "free":
        assert facts.lock_is_free and any(proofs)
    elif facts.lock_is_free and facts.process_is_there is None:
        assert not any(proofs)


@given(FACTS)
def test_knowing_less_never_frees(facts):
    less = Facts(facts.lock_is_free, same_boot=facts.same_boot, same_host=False)
    assert verdict(less).standing != "free"


# -- facts


def owner(**other: object) -> dict[str, object]:
    """This very process, but for ``other``."""
    return {**who_i_am(), "mount": None, "heartbeat": dt.datetime.now(dt.UTC).isoformat(), **other}


def standing(tmp_path: Path, **other: object) -> str:
    return verdict(facts_of(owner(device=device_of(tmp_path), **other), tmp_path, lock_is_free=True)).standing


def test_a_living_process_is_seen_and_one_that_has_ended_is_not(tmp_path):
    code = "import json; from dmb.process_identity import who_i_am; print(json.dumps(who_i_am()), flush=True); input()"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        said = json.loads(child.stdout.readline())
        assert is_there(said) is True
        # the same number, given out again
        assert is_there({**said, "started": said["started"] - 1}) is False
        child.kill()
        # dead, and not yet waited for
        while is_there(said):
            pass
        assert child.returncode is None
    assert is_there(said) is False


def test_whoever_cannot_be_seen_is_not_judged(tmp_path):
    assert is_there(owner(pid_namespace="pid:[1]")) is None
    assert is_there(owner(boot="another")) is None
    assert is_there({"host": "old", "pid": 1}) is None
    # in another container on this kernel: the lock is one with ours, unless the folder is mounted twice
    assert standing(tmp_path, pid_namespace="pid:[1]") == "free"
    away = owner(device=-1, pid_namespace="pid:[1]")
    assert verdict(facts_of(away, tmp_path, lock_is_free=True)).standing == "unknown"


def test_a_lock_of_another_host_is_free_for_nobody_however_old(tmp_path):
    assert standing(tmp_path, host="far", boot="another", heartbeat="1999-01-01T00:00:00+00:00") == "unknown"


@pytest.mark.parametrize(
    "up_s, beat_s, expected",
    [
        (3600.0, 7200.0, "free"),  # heard of before this boot
        (3600.0, 10.0, "unknown"),  # heard of since: another machine of the same name
        (30.0, 7200.0, "unknown"),  # only just booted: a namesake may not have beaten since
    ],
)
def test_a_host_that_was_started_anew_knows_that_what_it_did_before_is_gone(
    tmp_path, monkeypatch, up_s, beat_s, expected
):
    now = dt.datetime.now(dt.UTC)
    monkeypatch.setattr(takeover, "booted_at_s", lambda: now.timestamp() - up_s)
    beat = (now - dt.timedelta(seconds=beat_s)).isoformat()
    assert standing(tmp_path, boot="the one before", heartbeat=beat) == expected
    assert standing(tmp_path, boot="the one before", heartbeat=beat, machine="another") == "unknown"
    assert standing(tmp_path, boot="the one before", heartbeat=None) == "unknown"


def test_this_host_has_booted_in_the_past():
    booted = process_identity.booted_at_s()
    if booted is None:
        pytest.skip("this system does not say when it was booted")
    assert 0 < booted < dt.datetime.now(dt.UTC).timestamp()


# -- proofs

NORTH, SOUTH, WEST = ({"host": h, "machine": "m", "mount": "nfs4 s:/d rw"} for h in ("north", "south", "west"))


def test_the_last_trial_with_both_hosts_as_they_are_mounted_counts():
    good, bad = ({"locks_shared": shared, "hosts": [NORTH, SOUTH]} for shared in (True, False))
    assert tried_between([good], NORTH, SOUTH) is tried_between([bad, good], SOUTH, NORTH) is True
    assert tried_between([good, bad], NORTH, SOUTH) is False
    assert tried_between([good], NORTH, WEST) is tried_between([], NORTH, SOUTH) is None
    assert tried_between([good], NORTH, {**SOUTH, "mount": "nfs4 s:/d rw,local_lock=flock"}) is None
    assert tried_between([{}, {"hosts": []}, good], NORTH, SOUTH) is True
