"""Who was asked, what was asked, and in which runs."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from dmb.pricing import sum_usd
from dmb.publish import numbers
from dmb.publish.notes import settings_text
from dmb.publish.table import Column, Row, Table, Value, words

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: The kinds of spending in a run's manifest.
SPEND = ("scored", "negotiation", "unsettled")


def contender_table(release: Release) -> Table:
    """One row per contender: its id, what it is, and the settings that the provider sees."""
    rows = []
    for name, entry in release.contenders.items():
        settings = settings_text(entry.settings)
        values = (
            Value(name, code=True),
            Value(entry.display.tier),
            Value(entry.provider),
            Value(entry.baseline or entry.model),
            Value(settings or "–", muted=not settings),
            Value(entry.display.notes or "–", muted=not entry.display.notes),
        )
        rows.append(Row((release.head(name), *values)))
    heads = ("Contender", "Id", "Tier", "Provider", "Model or rule", "Settings", "Notes")
    columns = tuple(Column(head, numeric=False) for head in heads)
    return Table("contenders", "Contenders", "In the order of every table.", columns, tuple(rows))


def suite_list(release: Release) -> Table:
    """One row per suite: how many rows each contender was to answer, and how often the prompt and the scoring changed."""
    rows = []
    for name, spec in release.suites.items():
        rows_expected, groups = release.size(name)
        values = (
            Value(spec.title),
            Value(numbers.count(rows_expected)),
            Value(numbers.count(groups)),
            Value(str(spec.prompt_version)),
            Value(str(spec.scorer_version)),
            Value(
                words(
                    (*spec.items.sources, *spec.items.files, *([spec.items.suite] if spec.items.suite else [])),
                    "made by the builder",
                )
            ),
        )
        rows.append(Row((Value(name, code=True), *values)))
    columns = (
        Column("Suite", numeric=False),
        Column("Title", numeric=False),
        Column("Expected", unit="rows"),
        Column("Groups"),
        Column("Prompt", unit="version"),
        Column("Scorer", unit="version"),
        Column("Items from", numeric=False),
    )
    return Table(
        "suites",
        "Suites",
        "Rows of one group are not independent; intervals take that into account.",
        columns,
        tuple(rows),
    )


def run_table(release: Release) -> Table:
    """One row per run: when, where, with what, and what it cost."""
    rows, spend = [], () if nothing_billed(release) else SPEND
    simulated = {score.source_run for score in release.cells.values() if score.simulated}
    for run in release.runs:
        money = (_usd(run.spend_usd.get(name)) for name in spend)
        versions = words((f"{name} {version}" for name, version in sorted(run.versions.items())), "not recorded")
        rows.append(
            Row(
                (
                    Value(run.id, code=True, simulated=run.id in simulated),
                    Value(run.started_at),
                    *money,
                    Value(versions),
                )
            )
        )
    columns = (
        Column("Run", numeric=False),
        Column("Started", numeric=False),
        *(Column(name.capitalize(), unit="USD") for name in spend),
        Column("Versions", numeric=False),
    )
    billed = "Negotiation is the cost of probes before the first item; unsettled is what was reserved for attempts whose charge never became known."
    caption = billed if spend else "Cost: not billed, in every run."
    return Table("runs", "Runs", caption, columns, tuple(rows))


def spend_line(release: Release) -> tuple[str, ...]:
    """What the runs have spent, as their manifests have it, and under which caps; nothing where nobody bills."""
    if nothing_billed(release) or not release.runs:
        return ()
    spent = ", ".join(f"{kind} {_in_words(amount)}" for kind, amount in total_spend(release).items())
    caps = dict.fromkeys((run.budget_usd.get("soft"), run.budget_usd.get("hard")) for run in release.runs)
    limits = " or ".join(f"{_in_words(soft)} (soft) and {_in_words(hard)} (hard)" for soft, hard in caps)
    return (
        f"Spent by {numbers.things(len(release.runs), 'run')}, as the ledger has it: {spent}. Caps: {limits}. "
        "All cells of a run count, and what nobody can price counts at its reservation.",
    )


def total_spend(release: Release) -> dict[str, Decimal | None]:
    """US dollars by kind over the runs that gave evidence; None where that of any run is unknown."""
    return {kind: _sum([run.spend_usd.get(kind) for run in release.runs]) for kind in SPEND}


def _sum(amounts: list[str | None]) -> Decimal | None:
    known = [Decimal(amount) for amount in amounts if amount is not None]
    return sum_usd(known) if len(known) == len(amounts) else None


def _in_words(amount: Decimal | str | None) -> str:
    return "unknown" if amount is None else f"{numbers.usd(amount)} USD"


def nothing_billed(release: Release) -> bool:
    """Whether a column of costs would hold nothing but noughts that are no prices."""
    amounts = [run.spend_usd.get(name) for run in release.runs for name in SPEND]
    if any(amount is not None and Decimal(amount) for amount in amounts) or any(map(release.billed, release.asked)):
        return False
    # A run may have probed a billed contender that was then skipped; only without any is an unknown amount none.
    return None not in amounts or not any(map(release.billed, release.contenders))


def _usd(amount: str | None) -> Value:
    return Value(numbers.usd(amount)) if amount is not None else Value("unknown", muted=True)
