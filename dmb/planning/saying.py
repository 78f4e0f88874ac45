"""Words of the planning to whoever watches the workflow."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from dmb.errors import DmbError


def say(text: str) -> None:
    """One line to whoever watches the workflow."""
    print(f"dmb: {text}", file=sys.stderr, flush=True)


def refuse(error: DmbError) -> NoReturn:
    """End the workflow with the error's one line and its exit code.

    Only before the first job: an exception would come out as a stack of the workflow's own, and with its code.
    """
    from dmb.store.heartbeat import HEART

    say(str(error))
    sys.stdout.flush()
    HEART.end_all()
    os._exit(error.exit_code)
