"""What runs must agree on before their cells may stand in one table, and where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dmb.canonical import canonical_json
from dmb.contracts.decision import LATENCY_SCOPES
from dmb.errors import UsageError
from dmb.merge.opened import OpenedRun, RunCell


@dataclass(frozen=True, slots=True)
class Difference:
    """``what`` has several values; ``by_value``: (value as text, runs that have it), in the order given."""

    what: str
    by_value: tuple[tuple[str, tuple[str, ...]], ...]

    def __str__(self) -> str:
        return f"{self.what}: " + ", ".join(f"{value} in {' '.join(runs)}" for value, runs in self.by_value)


def differing_items(runs: Iterable[OpenedRun]) -> list[Difference]:
    """Suites of which two runs record different items. Nothing allows those: their rows are other questions."""
    told = ((f"items of {suite}", sha[:12], run.id) for run in runs for suite, sha in run.manifest["items"].items())
    return _differences(told)


def differing_protocols(runs: Iterable[OpenedRun]) -> list[Difference]:
    """Everything else that makes cells of one table comparable: how it was asked, of what, and of whom."""
    return _differences((what, value, run.id) for run in runs for what, value in _protocol(run))


def _protocol(run: OpenedRun) -> Iterator[tuple[str, Any]]:
    yield "protocol version", run.manifest.get("protocol_version")
    # manifests of before it was written down: they all took both
    yield "latency scopes", list(run.manifest.get("latency_scopes", LATENCY_SCOPES))
    yield "definition of confidence", _short(run.manifest.get("confidence_definition"))
    for cell in run.cells.values():
        yield from _of_cell(cell)


def _of_cell(cell: RunCell) -> Iterator[tuple[str, Any]]:
    contender, suite = cell.name
    parts = cell.receipt.parts
    yield f"protocol version of cells of {suite}", parts["protocol"]
    yield f"question of {suite}", _short(parts["question"])
    yield f"subset of {suite}", "all items" if parts["limit"] is None else f"{parts['limit']} items"
    yield f"repeats of {suite}", parts["repeats"]
    yield f"retries of {suite}", [cell.planned["protocol"]["retry_failed"], parts["retry_malformed"]]
    yield (
        f"entry of {contender}",
        _flat({**parts["contender"], "asker": parts["asker"], "dialect": parts.get("dialect", {})}),
    )


def _differences(told: Iterable[tuple[str, Any, str]]) -> list[Difference]:
    """(what, value, run) -> those of which there are several values."""
    found: dict[str, dict[str, tuple[Any, dict[str, None]]]] = {}
    for what, value, run in told:
        _, runs = found.setdefault(what, {}).setdefault(canonical_json(value), (value, {}))
        runs[run] = None
    return [
        Difference(
            what,
            tuple(
                zip(
                    _texts([value for value, _ in values.values()]), (tuple(r) for _, r in values.values()), strict=True
                )
            ),
        )
        for what, values in found.items()
        if len(values) > 1
    ]


def _texts(values: list[Any]) -> list[str]:
    """The values as people read them; of tables only the fields that are not the same in all."""
    if not all(isinstance(value, dict) for value in values):
        return ["not recorded" if v is None else v if isinstance(v, str) else canonical_json(v) for v in values]
    fields = sorted({field for value in values for field in value})
    apart = [f for f in fields if any(value.get(f) != values[0].get(f) for value in values)]
    return [", ".join(f"{f} {canonical_json(v[f]) if f in v else 'not set'}" for f in apart) for v in values]


def _flat(table: dict[str, Any], at: str = "") -> dict[str, Any]:
    """Nested tables as one, with dotted names."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        flat |= _flat(value, f"{at}{name}.") if isinstance(value, dict) else {f"{at}{name}": value}
    return flat


def _short(digest: str | None) -> str | None:
    return None if digest is None else digest[:12]


def must_agree(runs: Iterable[OpenedRun], allow_mix: bool) -> list[Difference]:
    """The differences that were allowed. Raises ``UsageError`` for the first one that was not."""
    runs = list(runs)
    if items := differing_items(runs):
        raise UsageError(f"--runs: {items[0]}: rows of other items are other questions; leave one of the runs out")
    mixed = differing_protocols(runs)
    if mixed and not allow_mix:
        more = f" (and {len(mixed) - 1} more)" if len(mixed) > 1 else ""
        raise UsageError(f"--runs: {mixed[0]}{more}; leave a run out, or mix them knowingly with --allow-protocol-mix")
    return mixed
