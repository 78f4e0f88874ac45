"""What an asking job needs before it begins, from the cell as its run has planned it. No libraries: every job pays them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dmb.store.layout import receipt_path


def ask_inputs(job: Mapping[str, Any], w: Any) -> list[str]:
    """What a cell's questions are made of; nothing once its receipt is there. ``w``: the job's wildcards.

    A missing input of an answered cell would otherwise make the workflow ask it again.
    """
    if job["skip"] is not None or receipt_path(w.contender, w.suite, w.cell, int(w.n)).exists():
        return []
    inputs = [job["items"]["path"], job["texts"]]
    return inputs + [job[k]["path"] for k in ("train", "prior") if job[k] is not None]


def ask_threads(job: Mapping[str, Any]) -> int:
    """Cells that compute on this machine take two of the profile's cores, so that latencies mean something."""
    return 2 if job["skip"] is None and (job["entry"].get("baseline") or job["entry"].get("serve")) else 1
