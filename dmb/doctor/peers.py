"""What a folder holds to between hosts: exclusion, how soon one sees what another wrote, and how far clocks are apart."""

from __future__ import annotations

import datetime as dt
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dmb.doctor.check import Check
from dmb.doctor.meeting import POLL_S, Meeting, listed
from dmb.doctor.primitives import REAL, Primitives
from dmb.mounts import mount_of
from dmb.process_identity import who_i_am
from dmb.store.files import pretty_json, write_whole
from dmb.takeover import PROOFS, proof_name

_NAMES, _TRIALS = 20, 3

#: A stop mark or a row of the ledger must be seen within this time.
SEEN_WITHIN_S = 5.0

#: Limits per minute are kept in slices of a second.
CLOCKS_WITHIN_S = 1.0

#: By name alone, what is new may be seen as late as a minute; no trial waits for that.
_LOOK_UP_S = 3.0

_WAYS = ("listed", "replaced", "appended", "looked up")


def examine_together(
    folder: Path, n: int, token: str, wait_s: float, do: Primitives = REAL
) -> tuple[int, list[Check], dict[str, Any]]:
    """This process's number, the checks (the same for all), and what may be written down about these hosts."""
    folder.mkdir(parents=True, exist_ok=True)
    on = mount_of(folder)
    me = {**who_i_am(), "mount": on.text if on is not None else None}
    meeting = Meeting(folder / f".doctor.{token}", n, wait_s, me)
    checks = [_hosts(meeting.members), _exclusive(meeting, do)]
    pairs = _locks(meeting, do)
    checks.append(_locks_check(meeting.members, pairs))
    checks += _seen(meeting, do)
    meeting.leave()
    return meeting.number, checks, proof(meeting.members, pairs)


def proof(members: Sequence[dict[str, Any]], pairs: dict[tuple[int, int], bool]) -> dict[str, Any]:
    """``locks_shared``: between all that run on different kernels; None where all are on one."""
    apart = [held for (i, j), held in pairs.items() if _kernel(members[i]) != _kernel(members[j])]
    hosts = {proof_name(m): {k: m[k] for k in ("host", "machine", "boot", "mount")} for m in members}
    return {
        "locks_shared": all(apart) if apart else None,
        "hosts": list(hosts.values()),
        "at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }


def keep_proof(project: Path, found: dict[str, Any], token: str) -> Path | None:
    """Write it where whoever takes over a lock looks; returns where. Nothing where it says nothing of several hosts."""
    if found["locks_shared"] is None:
        return None
    path = project / PROOFS / f"peers.{dt.datetime.now(dt.UTC):%Y%m%dT%H%M%S.%f}.{token}.json"
    write_whole(path, pretty_json(found))
    return path


def _kernel(member: dict[str, Any]) -> tuple[Any, ...]:
    return (member["boot"],) if member["boot"] is not None else (member["host"], member["machine"])


def _hosts(members: Sequence[dict[str, Any]]) -> Check:
    hosts = sorted({str(m["host"]) for m in members})
    said = f"{len(members)} processes on {len(hosts)}: {', '.join(hosts)}"
    if len({_kernel(m) for m in members}) == 1:
        return Check("hosts", "note", f"{said}; all on one kernel, so this says nothing of other hosts")
    return Check("hosts", "ok", said)


def _exclusive(meeting: Meeting, do: Primitives) -> Check:
    meeting.share("race")
    names = [(way, i) for i in range(_NAMES) for way in do.exclusive]
    won = [f"{way}-{i}" for way, i in names if do.exclusive[way](meeting.folder / f"made-{way}-{i}")]
    made = Counter(name for winners in meeting.share("made", won) for name in winners)
    wrong = sorted({way for way, i in names if made[f"{way}-{i}"] != 1})
    if wrong:
        said = f"{', '.join(wrong)}: a name was made by several processes, or by none"
        return Check("exclusive create", "failed", said, "run ids, owner files, receipts")
    return Check("exclusive create", "ok", f"{_NAMES} names by {', '.join(do.exclusive)}: one made each")


def _locks(meeting: Meeting, do: Primitives) -> dict[tuple[int, int], bool]:
    """(holder, other) -> whether the other was kept out, and got the lock once it was free."""
    path = meeting.folder / "lock"
    pairs: dict[tuple[int, int], bool] = {}
    for holder in range(meeting.n):
        lock = do.lock(path)
        try:
            mine = meeting.number == holder
            held = meeting.share(f"hold-{holder}", mine and _lock(lambda lock=lock: lock.try_acquire()))[holder]
            got = meeting.share(f"try-{holder}", not mine and _lock(lambda lock=lock: lock.try_acquire()))
            lock.release()
            meeting.share(f"free-{holder}")
            later = meeting.share(f"later-{holder}", _lock(lambda lock=lock: lock.try_for(SEEN_WITHIN_S), lock.release))
        finally:
            lock.close()
        for other in range(meeting.n):
            if other != holder:
                # None: the system refused
                pairs[holder, other] = held is True and got[other] is False and later[other] is True
    return pairs


def _lock(take: Callable[[], bool], after: Callable[[], None] = lambda: None) -> bool | None:
    try:
        got = take()
        after()
    except OSError:
        return None
    return got


def _locks_check(members: Sequence[dict[str, Any]], pairs: dict[tuple[int, int], bool]) -> Check:
    leans = "caps, lanes and limits over hosts"
    if wrong := [pair for pair, held in pairs.items() if not held]:
        i, j = wrong[0]
        where = f"{members[i]['host']} and {members[j]['host']}"
        return Check("flock", "failed", f"{len(wrong)} of {len(pairs)} pairs do not exclude each other: {where}", leans)
    return Check("flock", "ok", f"{len(pairs)} pairs exclude each other, and get it once it is free")


# -- how soon, by whose clock


def _seen(meeting: Meeting, do: Primitives) -> list[Check]:
    longest: dict[str, float] = dict.fromkeys(_WAYS, 0.0)
    apart: list[tuple[float, float, str]] = []
    for other in range(1, meeting.n):
        rounds = {way: [_there_and_back(meeting, do, other, way, t) for t in range(_TRIALS)] for way in _WAYS}
        for way in _WAYS:
            longest[way] = max(longest[way], *(back - sent for sent, _, back in rounds[way]))
        sent, there, back = min(rounds["listed"], key=lambda r: r[2] - r[0])
        apart.append((there - (sent + back) / 2, (back - sent) / 2, str(meeting.members[other]["host"])))
    checks = [_seen_check(way, longest[way]) for way in _WAYS]
    far, error, host = max(apart, key=lambda a: abs(a[0]), default=(0.0, 0.0, ""))
    status = "failed" if abs(far) - error > CLOCKS_WITHIN_S else "ok"
    said = f"{far:+.3f} s ± {error:.3f} s at most ({host} against {meeting.members[0]['host']})"
    return [*checks, Check("clocks", status, said, "limits per minute")]


def _seen_check(way: str, seconds: float) -> Check:
    name = {"listed": "new file, folder listed", "looked up": "new file, by name"}.get(way, f"{way} file")
    if way == "looked up":
        late = seconds > _LOOK_UP_S
        said = (
            f"later than {_LOOK_UP_S:g} s: DMB lists folders instead"
            if late
            else f"seen and answered in {seconds * 1000:.0f} ms"
        )
        return Check(name, "note" if late else "ok", said)
    status = "failed" if seconds > SEEN_WITHIN_S else "ok"
    return Check(name, status, f"seen and answered in {seconds * 1000:.0f} ms at most", "stop marks, the ledger")


def _there_and_back(meeting: Meeting, do: Primitives, other: int, way: str, trial: int) -> tuple[float, float, float]:
    """Written by 0, seen by the other, answered, seen by 0: when it was sent, seen, and back, each by the own clock."""
    stem = f"{way.replace(' ', '-')}-{other}-{trial}"
    path, answer = meeting.folder / f"ping-{stem}", f"pong-{stem}"
    if meeting.number == 0 and way in ("replaced", "appended"):
        do.replace(path, b"0\n")
    meeting.share(f"ready-{stem}")
    times: list[float] = []
    if meeting.number == 0:
        # the other looks for it meanwhile, and so has been told that it is not there
        time.sleep(4 * POLL_S)
        times.append(time.time())
        if way == "appended":
            do.append(path, b"1\n")
        else:
            do.replace(path, b"0\n1\n")
        _until(lambda: answer in listed(meeting.folder))
        times.append(time.time())
    elif meeting.number == other:
        look = {"listed": lambda: path.name in listed(meeting.folder), "looked up": path.exists}.get(
            way, lambda: path.read_bytes() == b"0\n1\n"
        )
        _until(look, _LOOK_UP_S if way == "looked up" else 2 * SEEN_WITHIN_S)
        times.append(time.time())
        do.replace(meeting.folder / answer, b"1\n")
    shared = meeting.share(f"times-{stem}", times)
    (sent, back), (there,) = shared[0], shared[other]
    return sent, there, back


def _until(condition: Callable[[], bool], seconds: float = 4 * SEEN_WITHIN_S) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(POLL_S / 5)
