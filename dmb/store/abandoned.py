"""What is still taken in a project's folder, and the user's word that whoever took it is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dmb.errors import UsageError
from dmb.inputs import nearest
from dmb.kernel_lock import is_held
from dmb.process_identity import who_i_am
from dmb.store.claims import Owner, declare_dead, last_owner
from dmb.store.layout import CELLS, SCRATCH, run_dir
from dmb.store.locks import OWNER, START, now
from dmb.store.runs import SILENT_S, all_runs, run_owner, run_status
from dmb.takeover import Verdict


@dataclass(frozen=True, slots=True)
class Taken:
    """A run, a cell or this folder's start, with whoever has it. ``name``: what the user types."""

    name: str
    folder: Path
    stem: str
    lock: Path
    owner: Owner

    def standing(self) -> Verdict:
        """Whether it may be taken over, as far as can be seen from here."""
        return self.owner.standing(self.folder, not is_held(self.lock))

    def again(self) -> Taken:
        """As it stands now."""
        owner = run_owner(self.name) if self.folder == run_dir(self.name) else last_owner(self.folder, self.stem)
        return Taken(self.name, self.folder, self.stem, self.lock, owner or self.owner)


def taken() -> list[Taken]:
    """All that is taken and whose owner has not said that he has ended."""
    found = [_run(run) for run in all_runs() if run_status(run) == "running"]
    folders = sorted(CELLS.glob("*/*/")) if CELLS.is_dir() else []
    found += [t for folder in folders if (t := _cell(folder)) is not None]
    if (owner := last_owner(SCRATCH, START)) is not None and owner.n:
        found.append(Taken(START, SCRATCH, START, SCRATCH / "start.lock", owner))
    return [t for t in found if not t.owner.ended]


def _run(run: str) -> Taken:
    return Taken(run, run_dir(run), OWNER, run_dir(run) / "alive", run_owner(run))


def _cell(folder: Path) -> Taken | None:
    owner = last_owner(folder, OWNER)
    return None if owner is None else Taken(str(folder), folder, OWNER, folder / "lock", owner)


def chosen(names: Sequence[str], host: str | None) -> list[Taken]:
    """What is meant, by names or by the host that has it. Raises ``UsageError``.

    A start stands for the runs of its process, and a run for the cells that it asks.
    """
    if names and host is not None:
        raise UsageError("--host: stands for all that a host has taken; give either it or names")
    there = taken()
    if host is not None:
        if not (found := [t for t in there if t.owner.said.get("host") == host]):
            hosts = sorted({str(t.owner.said.get("host")) for t in there})
            raise UsageError(
                f"--host: nothing is taken by {host!r}; {nearest(host, hosts) or 'nothing is taken at all'}"
            )
        return found
    found = []
    for name in names:
        plain = name.rstrip("/")
        named = next((t for t in there if plain in (t.name, str(t.folder))), None)
        if named is None:
            known = [t.name for t in there]
            raise UsageError(f"{name!r} is not taken by anybody; {nearest(plain, known) or 'nothing is taken at all'}")
        runs = {named.name}
        if named.stem == START:
            runs |= {t.name for t in there if _process(t) == _process(named)}
        found += [t for t in there if (t.name in runs or t.owner.said.get("run") in runs) and t not in found]
    return found


def _process(t: Taken) -> tuple[object, ...]:
    return tuple(t.owner.said.get(k) for k in ("host", "boot", "pid", "started"))


def release(those: Sequence[Taken], sleep: Callable[[float], None] = time.sleep) -> list[tuple[Taken, str | None]]:
    """Write down that their owners are gone, but for those that live. Each with the reason why it was not; None: whoever
    wants it next may have it.

    Whoever lives beats: nobody is declared dead who was heard of while this waited, or whose lock is held.
    """
    doubtful = [t for t in those if t.standing().standing == "unknown"]
    if doubtful:
        sleep(SILENT_S)
    done: list[tuple[Taken, str | None]] = []
    for before in those:
        after = before.again()
        found = after.standing()
        if found.standing == "held":
            done.append((after, f"{found.why}; wait for it, or end that process"))
        elif (after.owner.n, after.owner.said.get("heartbeat")) != (before.owner.n, before.owner.said.get("heartbeat")):
            done.append((after, f"it was heard of within the last {SILENT_S:g} s; wait for it, or end that process"))
        else:
            if found.standing == "unknown":
                declare_dead(after.folder, after.stem, after.owner.n, {**who_i_am(), "at": now().isoformat()})
            done.append((after, None))
    return done
