"""``python -m dmb …``. Jobs of the workflow take a short way round the command-line library, which they do not need."""

from __future__ import annotations

import os
import sys

# nobody's plugin may stand between a reply and its number, and looking for them takes time
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

from dmb.cli.jobs import JOBS, run_job

if len(sys.argv) > 1 and sys.argv[1] in JOBS:
    sys.exit(run_job(sys.argv[1], sys.argv[2:]))

from dmb.cli import main

main()
