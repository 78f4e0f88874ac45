"""What one trial came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from dmb.errors import EXIT_COMPLETE, EXIT_EXECUTION

Status = Literal["ok", "note", "failed"]


@dataclass(frozen=True, slots=True)
class Check:
    """``measured``: what was seen; ``needed_by``: who leans on it. A note stops nothing; what failed does."""

    name: str
    status: Status
    measured: str
    needed_by: str = ""


def table(checks: Sequence[Check]) -> str:
    """One line a check."""
    width = max((len(c.name) for c in checks), default=0)
    lines = []
    for c in checks:
        lean = f"  (needed by {c.needed_by})" if c.status == "failed" and c.needed_by else ""
        lines.append(f"{c.status:<6}  {c.name:<{width}}  {c.measured}{lean}")
    return "\n".join(lines)


def as_json(checks: Sequence[Check]) -> dict[str, Any]:
    """For machines: the checks, and whether all that is needed is there."""
    return {"ok": exit_code(checks) == EXIT_COMPLETE, "checks": [asdict(c) for c in checks]}


def exit_code(checks: Sequence[Check]) -> int:
    """0, or 3 where anything failed."""
    return EXIT_EXECUTION if any(c.status == "failed" for c in checks) else EXIT_COMPLETE
