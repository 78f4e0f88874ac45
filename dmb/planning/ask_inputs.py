"""What an asking job needs before it begins, from the cell as its run has planned it. No libraries: every job pays them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dmb.store.layout import receipt_path

#: An asking process with the two of the workflow around it was seen to hold 500 MB; some workflows are larger. Cells that
#: compute load a library or weights.
MEM_MB = 1500
MEM_MB_COMPUTING = 4000

#: Beyond its deadline a cell still ends the request in flight, copies earlier rows and writes its receipt; before it,
#: the node starts two interpreters from a shared file system, and a model is loaded.
MARGIN_S = 600


def ask_inputs(job: Mapping[str, Any], w: Any) -> list[str]:
    """What a cell's questions are made of; nothing once its receipt is there. ``w``: the job's wildcards.

    A missing input of an answered cell would otherwise make the workflow ask it again.
    """
    if job["skip"] is not None or receipt_path(w.contender, w.suite, w.cell, int(w.n)).exists():
        return []
    inputs = [job["items"]["path"], job["texts"]]
    return inputs + [job[k]["path"] for k in ("train", "prior") if job[k] is not None]


def ask_threads(job: Mapping[str, Any]) -> int:
    """Cells that compute where they are asked take two cores, so that latencies mean something."""
    return 2 if _computes(job) else 1


def ask_mem_mb(job: Mapping[str, Any]) -> int:
    """Memory that a cluster is asked for."""
    return MEM_MB_COMPUTING if _computes(job) else MEM_MB


def ask_runtime(job: Mapping[str, Any]) -> int:
    """Minutes after which a cluster may end the job; DMB itself stops the cell before, as ``dnf``."""
    return math.ceil((job["protocol"]["cell_deadline_s"] + MARGIN_S) / 60)


def _computes(job: Mapping[str, Any]) -> bool:
    """Whether the work is done where the cell is asked, by a baseline or a served model, and not by a provider."""
    return job["skip"] is None and bool(job["entry"].get("baseline") or job["entry"].get("serve"))
