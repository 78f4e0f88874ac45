"""What stands in a report and in which order: the Markdown file and the page are two spellings of this.

Texts may mark code with backticks; everything else in them is literal and escaped by whoever spells it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmb.publish import numbers, sanity
from dmb.publish.measures import ECE_ALONE
from dmb.publish.sanity import Line
from dmb.publish.table import SIMULATED_MARK, Table, words
from dmb.publish.tables import entries, thresholds, times

if TYPE_CHECKING:
    from dmb.publish.figures.figure import Figure
    from dmb.publish.release import Release


#: Sections whose text says something with nothing below it; elsewhere it only leads to what stands below.
_PROSE_ALONE = ("items", "deviations", "attribution", "recompute")


_PLACES = (
    "How much more often a choice stands in a part of the list than the right option does, in points with its interval; "
    "behind it the two shares, in %. Above 0 in one part and below it in another is a liking for places.",
)


@dataclass(frozen=True)
class Section:
    """One heading with what stands below it, in this order: prose, bullets, findings, drawings, tables.

    ``page_tables`` stand in the page in place of ``tables``, where it has more.
    """

    id: str
    title: str
    prose: tuple[str, ...] = ()
    bullets: tuple[str, ...] = ()
    findings: tuple[Line, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    page_tables: tuple[Table, ...] = ()
    group: bool = False


def lead(release: Release) -> str:
    """One paragraph: what this is."""
    rows = sum(release.cells[contender, suite].n_expected for contender, suite in release.cells)
    left = len(release.contenders) - len(release.asked)
    text = (
        f"{numbers.things(len(release.contenders), 'contender')}, {numbers.things(len(release.suites), 'suite')} of frozen items, "
        f"{numbers.things(rows, 'expected decision')}. "
        "Each decision picks one of the options it is offered and says how sure it is. "
        "Everybody gets the same text, and every number below is computed from replies that were kept. "
        "Intervals are 95 %."
    )
    if left:
        text += (
            f" {left} of the contenders could not be asked and {'is' if left == 1 else 'are'} listed with the reason."
        )
    return text


def facts(release: Release) -> tuple[tuple[str, str], ...]:
    """Versions, price date and runs."""
    priced = release.priced_on
    day = (
        "nothing in this release is billed"
        if priced is None
        else " to ".join(dict.fromkeys(d.isoformat() for d in priced))
    )
    return (
        ("Release", release.name),
        ("DMB", release.dmb_version),
        ("Protocol", f"version {release.protocol_version}"),
        ("Prices checked", day),
        ("Runs", ", ".join(run.id for run in release.runs) or "none"),
        *((("Repeats", f"{n} of each item"),) if (n := times.repeats(release)) > 1 else ()),
        *(
            (("Subset", f"{numbers.things(release.spec.limit, 'item')} of each suite: a smoke release"),)
            if release.spec.limit
            else ()
        ),
    )


def stamp(release: Release) -> str:
    """What stands with every table: which release, made with what, asked when, at which prices."""
    priced, asked = release.priced_on, release.asked_on
    return " · ".join(
        (
            release.name,
            f"DMB {release.dmb_version}, protocol {release.protocol_version}",
            "asked " + ("on no recorded day" if asked is None else " to ".join(dict.fromkeys(asked))),
            "nothing billed"
            if priced is None
            else "prices of " + " to ".join(dict.fromkeys(day.isoformat() for day in priced)),
        )
    )


def notices(release: Release) -> tuple[str, ...]:
    """What a reader must know before the first number."""
    said = []
    if release.simulated:
        said.append(_simulation(release))
    verdicts = [line.verdict for line in release.sanity_lines]
    if {"look", "undecided"} & set(verdicts):
        said.append(f"Sanity checks: {sanity.summary(release.sanity_lines)}")
    return tuple(said)


def _simulation(release: Release) -> str:
    """How much of the release is simulated, in the words of the caption below its tables."""
    asked = [score for score in release.cells.values() if score.status != "skipped"]
    if release.wholly_simulated:
        return f"{SIMULATED_MARK} Simulated: every answer in this release comes from a script, and no model was asked."
    n = sum(score.simulated for score in asked)
    return (
        f"{SIMULATED_MARK} {numbers.count(n)} of {numbers.things(len(asked), 'cell')} "
        f"{'holds' if n == 1 else 'hold'} simulated answers: they come from a script, and no model was asked."
    )


def has_rows(release: Release, suite: str) -> bool:
    """Whether any contender's answers to the suite can be shown one by one."""
    return any(columns.items for contender in release.contenders for columns in release.cells[contender, suite].answers)


def sections(release: Release) -> tuple[Section, ...]:
    """All of them; those with nothing to say are left out."""
    return tuple(
        s
        for s in (*_first(release), *_rest(release))
        if s.bullets or s.findings or s.figures or s.tables or (s.prose and s.id in _PROSE_ALONE)
    )


def _first(release: Release) -> tuple[Section, ...]:
    """What a reader came for."""
    return (
        Section("overview", "Overview", tables=_overview(release)),
        Section("results", "Results by suite", tables=release.result_tables, page_tables=release.page_result_tables),
        Section("tradeoff", "What accuracy costs", figures=release.tradeoff_figures),
        Section("sanity", "Sanity checks", (sanity.summary(release.sanity_lines),), findings=release.sanity_lines),
        Section(
            "outcomes-and-coverage",
            "Outcomes and coverage",
            tables=(release.outcome_table, release.coverage_table, *release.band_tables),
        ),
        Section(
            "cardinality",
            "Number of options",
            (
                "The same questions with growing lists of options. The line marks 255, the largest list that some decision models state to accept.",
            ),
            figures=release.cardinality_figures,
            tables=release.cardinality_tables,
        ),
        Section("order", "Order of options", tables=release.order_tables),
        Section("places", "Places in the list", _PLACES, tables=release.place_tables, group=True),
        Section("honesty", "Honesty about what cannot be known", tables=release.honesty_tables),
        Section(
            "calibration",
            "Calibration",
            (
                "Accuracy over confidence, ten bins; on the diagonal a confidence means what it says. Numbers under the bins count decisions.",
                f"ECE is the distance to the diagonal, averaged over decisions. {ECE_ALONE}",
            ),
            figures=release.calibration_figures,
            tables=release.calibration_tables,
        ),
        Section("thresholds", "Accepting by confidence", thresholds.PROSE, tables=release.threshold_tables, group=True),
        Section(
            "cost",
            "Spend",
            entries.spend_line(release),
            tables=(
                release.spend_table,
                *release.negotiation_tables,
                *release.charge_tables,
                *release.cached_tables,
                *((release.price_table,) if release.price_table.rows or release.price_table.remarks else ()),
            ),
        ),
    )


def _rest(release: Release) -> tuple[Section, ...]:
    """What a reader looks up."""
    return (
        Section("times", times.TITLE, times.prose(release), times.machines(release), tables=release.time_tables),
        Section(
            "measures",
            "Every measure",
            (
                "One table per measure, value [95 % interval] and n. A suite has no column where the measure does not exist. "
                "What has a section of its own above is not repeated.",
            ),
            release.measure_lines,
            tables=release.measure_tables,
            group=True,
        ),
        Section("slices", "Parts of suites", tables=release.slice_tables, group=True),
        Section("items", "Item by item", _items(release)),
        Section("kinds", "Kinds of confidence", tables=_with_rows(release.confidence_table)),
        Section(
            "collapse", "Prediction collapse", tables=(*_with_rows(release.prediction_table), *release.histogram_tables)
        ),
        Section("deviations", "Deviations from the protocol", _deviations_prose(release), _deviations(release)),
        Section(
            "setup", "Contenders, suites, runs", tables=(release.contender_table, release.suite_list, release.run_table)
        ),
        Section("attribution", "Attribution", _attribution(release)),
        Section("recompute", "How to recompute this", _recompute(release)),
    )


def _items(release: Release) -> tuple[str, ...]:
    if not any(has_rows(release, suite) for suite in release.suites):
        return ()
    shown = [f"`{suite}`" for suite in release.suites if suite in release.texts]
    texts = f"Texts are shown of {words(shown)}; " if shown else "No suite lets its texts be published; "
    return (
        "The page (`.html`) shows each item with everybody's answer and confidence. "
        f"{texts}{'of the others, items are named by id' if shown else 'items are named by id'}.",
    )


def _overview(release: Release) -> tuple[Table, ...]:
    """With one suite it would only repeat that suite's table."""
    return _with_rows(release.overview_table) if len(release.suites) > 1 else ()


def _with_rows(table: Table) -> tuple[Table, ...]:
    return (table,) if table.rows else ()


def _deviations_prose(release: Release) -> tuple[str, ...]:
    return () if release.deviations else ("None were recorded.",)


def _deviations(release: Release) -> tuple[str, ...]:
    return tuple(
        f"{deviation.what} Why: {deviation.why}"
        + (f" Runs: {', '.join(f'`{run}`' for run in deviation.runs)}." if deviation.runs else "")
        for deviation in release.deviations
    )


def _attribution(release: Release) -> tuple[str, ...]:
    if not release.attributions:
        return ("No third-party source is named by its suites.",)
    return (f"Licences and attributions of the data behind labels and ids stand in `{release.name}/ATTRIBUTION.md`.",)


def _recompute(release: Release) -> tuple[str, ...]:
    how = (
        f"`{release.command}` makes these files again from the kept evidence, to the byte, and asks nobody."
        if release.command
        else f"`snakemake results/{release.name}.md` makes these files again from the kept evidence, to the byte, and asks nobody who has already answered. "
        f"`dmb audit results/{release.name}.md` says beforehand what would be asked, scored and published, and why."
    )
    return (
        how,
        f"`{release.name}.cells.json` has every number with its numerator and denominator. Its `cell_key` leads to "
        "`runs/_cells/<contender>.<suite>/<first 16 digits>/`, where the score names its receipt, and the receipt the raw log, each by sha256.",
    )
