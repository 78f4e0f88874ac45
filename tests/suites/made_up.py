"""Builder arguments for tests: sources and files as bytes in dictionaries, all of them made up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from dmb.contracts.suite import SuiteFile
from dmb.suites.built import BuilderArgs, Built, Inputs, items_digest

PROJECT = Path(__file__).resolve().parents[2]


def builder_args(
    params: dict,
    *,
    sources: Mapping[str, bytes] | None = None,
    files: Mapping[str, bytes] | None = None,
    upstream: Built | None = None,
    suite: str = "made-up",
    slots: tuple[str, ...] = ("decision",),
) -> BuilderArgs:
    """Arguments in the mappings' order; ``upstream`` goes by the name "upstream"."""
    sources, files = sources or {}, files or {}
    return BuilderArgs(
        suite=suite,
        sources=tuple(sources),
        files=tuple(files),
        upstream=None if upstream is None else "upstream",
        params=params,
        slots=slots,
        inputs=Inputs(
            source=sources.__getitem__, file=files.__getitem__, suite=lambda name: {"upstream": upstream}[name]
        ),
    )


def check_same_bytes(module: str, suite: SuiteFile, built: Built) -> None:
    """That a generated suite comes out the same in a second process, in which sets have another order."""
    code = (
        f"from {module} import build\nfrom dmb.suites.built import BuilderArgs, items_digest\n"
        f"args = BuilderArgs({suite.id!r}, (), (), None, {suite.items.params!r}, ['decision'], None)\n"
        "print(items_digest(build(args)))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(PROJECT)}
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == items_digest(built)
