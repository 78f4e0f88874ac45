"""Bring data/items.lock.json up to date with the suites, their sources and the builders. Needs all sources on disk.

Usage: python scripts/freeze_items.py        `snakemake sources` fetches what is missing; building a release does this too
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dmb.planning.freeze import Freezer, write_lock
from dmb.planning.project import load_project


def main() -> None:
    """Freeze each suite whose lock entry differs, and say which items changed."""
    project = load_project()
    freezer = Freezer(project)
    frozen = {s: freezer.frozen(s) for s in project.suites}
    changed = {s: f.lock_entry() for s, f in frozen.items() if f.changed}
    write_lock(changed)
    for s, f in frozen.items():
        print(f"{s}: {f.n_items} items {f.items[:12]}{'' if s not in changed else '  (lock rewritten)'}")


if __name__ == "__main__":
    main()
