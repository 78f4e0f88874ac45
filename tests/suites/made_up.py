"""Builder arguments for tests: sources and files as bytes in dictionaries, all of them made up."""

from __future__ import annotations

from collections.abc import Mapping

from dmb.suites.built import BuilderArgs, Built, Inputs


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
