"""Whether what a process had taken may be taken over: only where that process has certainly ended. Age proves nothing.

``facts_of`` gathers what can be seen from here; ``verdict`` is pure.
"""

from __future__ import annotations

import datetime as dt
import json
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dmb.mounts import mount_of
from dmb.process_identity import boot_id, booted_at_s, is_there, machine_id, who_i_am

#: Where `dmb doctor --peers` writes down between which hosts locks were seen to hold.
PROOFS = Path("runs/_hosts")

#: A host that has only just booted cannot tell its own earlier life from another host of its name.
YOUNG_BOOT_S = 60.0

Standing = Literal["held", "free", "unknown"]


class Facts(NamedTuple):
    """What can be seen of an owner from here. None: it cannot be told.

    ``ended``: it said so itself, or the user did for it. ``same_lock``: its kernel lock is one with ours, since kernel
    and mounted file system are. ``beat_before_boot``: its last heartbeat is older than this host's boot, by a margin.
    ``locks_shared``: between its host and this one, locks on this mount were seen to hold.
    """

    lock_is_free: bool
    ended: bool = False
    same_boot: bool | None = None
    same_host: bool = False
    same_lock: bool = False
    process_is_there: bool | None = None
    beat_before_boot: bool = False
    locks_shared: bool = False


class Verdict(NamedTuple):
    """``why`` is half a sentence for the user."""

    standing: Standing
    why: str


def verdict(facts: Facts) -> Verdict:
    """May it be taken over? ``held``: no, its owner lives; ``free``: yes; ``unknown``: only if the user says so."""
    if not facts.lock_is_free:
        return Verdict("held", "its lock is held")
    if facts.ended:
        return Verdict("free", "it has ended")
    if facts.process_is_there is not None:
        return (
            Verdict("held", "its process lives") if facts.process_is_there else Verdict("free", "its process is gone")
        )
    if facts.same_boot and facts.same_lock:
        return Verdict("free", "its lock is free")
    # written before owners said more than their host's name
    if facts.same_boot is None and facts.same_host:
        return Verdict("free", "its lock is free")
    if facts.same_boot is False and facts.same_host and facts.beat_before_boot:
        return Verdict("free", "its host has been started anew since")
    if facts.locks_shared:
        return Verdict("free", "its lock is free, and locks hold between these hosts")
    return Verdict("unknown", "nobody here can tell whether it lives")


def facts_of(owner: Mapping[str, Any], folder: Path, lock_is_free: bool, ended: bool = False) -> Facts:
    """``owner``: as its file says; ``folder``: where that lies."""
    boot, here = owner.get("boot"), boot_id()
    same_boot = boot == here if isinstance(boot, str) and here is not None else None
    machine = owner.get("machine")
    same_host = owner.get("host") == socket.gethostname() and machine in (None, machine_id())
    same_lock = same_boot is True and owner.get("device") == device_of(folder)
    return Facts(
        lock_is_free=lock_is_free,
        ended=ended,
        same_boot=same_boot,
        same_host=same_host,
        same_lock=same_lock,
        process_is_there=is_there(dict(owner)),
        beat_before_boot=_beat_before_boot(heartbeat_of(owner)),
        locks_shared=lock_is_free and not (ended or same_lock) and tried_with(owner, folder) is True,
    )


def device_of(folder: Path) -> int | None:
    """The number of the mounted file system: two mounts of the same files have two, and locks of their own."""
    try:
        return folder.stat().st_dev
    except OSError:
        return None


def heartbeat_of(owner: Mapping[str, Any]) -> dt.datetime | None:
    """When it was last heard of, by its own clock."""
    try:
        beat = dt.datetime.fromisoformat(owner["heartbeat"])
    except (KeyError, TypeError, ValueError):
        return None
    return beat if beat.tzinfo is not None else None


def _beat_before_boot(beat: dt.datetime | None) -> bool:
    booted, now = booted_at_s(), dt.datetime.now(dt.UTC).timestamp()
    return beat is not None and booted is not None and beat.timestamp() < booted and now - booted > YOUNG_BOOT_S


# -- proofs


def proof_name(host: Mapping[str, Any]) -> tuple[str, str, str]:
    """By what a host is known in a proof: its name, its system, and how it has mounted the folder."""
    return (str(host.get("host")), str(host.get("machine")), str(host.get("mount")))


def tried_between(proofs: Iterable[Mapping[str, Any]], one: Mapping[str, Any], other: Mapping[str, Any]) -> bool | None:
    """Whether locks held in the last trial with both hosts, mounted as they are; None without one. Oldest first."""
    found = None
    for proof in proofs:
        if {proof_name(one), proof_name(other)} <= {proof_name(host) for host in proof.get("hosts", ())}:
            found = proof.get("locks_shared") is True
    return found


def tried_with(owner: Mapping[str, Any], folder: Path) -> bool | None:
    """The same for an owner's host and this one, on the file system of ``folder``."""
    here = mount_of(folder)
    if here is None or not isinstance(owner.get("mount"), str):
        return None
    return tried_between(_proofs(PROOFS), {**who_i_am(), "mount": here.text}, owner)


def _proofs(folder: Path) -> list[dict[str, Any]]:
    found = []
    for path in sorted(folder.glob("peers.*.json")):
        try:
            proof = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(proof, dict):
            found.append(proof)
    return found
