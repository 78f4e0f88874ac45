"""A release: what is published, with every table made the first time it is asked for."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dmb.compare.league import compare
from dmb.contracts import config
from dmb.contracts.cell import Score
from dmb.contracts.comparison import Comparisons
from dmb.contracts.contender import Contender
from dmb.contracts.price import PriceRow, PricesFile
from dmb.contracts.receipt import Receipt
from dmb.contracts.release import Deviation, RunFacts
from dmb.contracts.suite import SuiteFile
from dmb.errors import MissingEvidence
from dmb.publish import sanity
from dmb.publish.figures import cardinality as options
from dmb.publish.figures import reliability, risk, tradeoff
from dmb.publish.figures.labels import short_names
from dmb.publish.measures import split
from dmb.publish.table import SIMULATED_MARK, Table, Value, literal
from dmb.publish.tables import (
    by_measure,
    by_suite,
    cached,
    calibration,
    charges,
    confidence,
    entries,
    honesty,
    league,
    negotiation,
    order,
    outcomes,
    overview,
    pair_grid,
    places,
    predictions,
    slices,
    spend,
    thresholds,
    times,
)

if TYPE_CHECKING:
    from dmb.publish.figures.figure import Figure
    from dmb.publish.item_texts import ShownTexts


class Attribution(NamedTuple):
    """What a licence asks to be said about one third-party source."""

    source: str
    licence: str
    attribution: str
    changes: str
    url: str


@dataclass(frozen=True)
class Release:
    """Everything that the published files are made of. Dictionaries stand in the release's order."""

    name: str
    key: str
    title: str
    spec: config.Release
    suites: dict[str, SuiteFile]
    contenders: dict[str, Contender]
    scores: tuple[Score, ...]
    receipts: dict[str, Receipt]
    prices: PricesFile
    deviations: tuple[Deviation, ...]
    runs: tuple[RunFacts, ...]
    attributions: tuple[Attribution, ...]
    protocol_version: int
    dmb_version: str
    #: What makes it again, where that is not the workflow.
    command: str | None = None
    #: Suite -> texts of its items, for those suites that let them be published.
    texts: dict[str, ShownTexts] = field(default_factory=dict)

    # -- looking things up

    @cached_property
    def cells(self) -> dict[tuple[str, str], Score]:
        """(contender, suite) -> score, in the release's order; a cell without a score is an error."""
        found = {(score.contender, score.suite): score for score in self.scores}
        wanted = [(contender, suite) for suite in self.suites for contender in self.contenders]
        if missing := [f"{contender}.{suite}" for contender, suite in wanted if (contender, suite) not in found]:
            raise MissingEvidence(f"release {self.name}: no score for {', '.join(missing)}")
        return {cell: found[cell] for cell in wanted}

    def label(self, contender: str) -> str:
        """How a contender is called in print."""
        return self.contenders[contender].display.label

    def short_label(self, contender: str, *suites: str) -> str:
        """The same where there is little room, with the mark of simulated answers."""
        return self.marked(self._short_labels[contender], contender, *suites)

    @cached_property
    def _short_labels(self) -> dict[str, str]:
        return dict(zip(self.contenders, short_names([self.label(c) for c in self.contenders]), strict=True))

    def head(self, contender: str, *suites: str) -> Value:
        """The same as the head of a row, marked where a cell of these suites (all without any) is simulated."""
        return Value(self.label(contender), simulated=self.is_simulated(contender, *suites))

    def label_in_prose(self, contender: str, *suites: str) -> str:
        """The same in our own text, where backticks would mark code."""
        return self.marked(literal(self.label(contender)), contender, *suites)

    def marked(self, text: str, contender: str, *suites: str) -> str:
        """The text with the mark behind it where a cell of these suites (all without any) is simulated."""
        return f"{text} {SIMULATED_MARK}" if self.is_simulated(contender, *suites) else text

    def is_simulated(self, contender: str, *suites: str) -> bool:
        """Whether any of the contender's cells in these suites (all without any) holds simulated answers."""
        return any(self.cells[contender, suite].simulated for suite in suites or self.suites)

    def slots(self, suite: str) -> list[str]:
        """Slot prefixes of a suite's measures; one empty prefix where it has a single slot."""
        return self._slots[suite]

    @cached_property
    def _slots(self) -> dict[str, list[str]]:
        keys = {s: {key for c in self.contenders for key in self.cells[c, s].metrics} for s in self.suites}
        return {s: sorted({split(key)[0] for key in found}) or [""] for s, found in keys.items()}

    def size(self, suite: str) -> tuple[int, int]:
        """Rows that each contender was to answer, and the groups that they form."""
        scores = [self.cells[contender, suite] for contender in self.contenders]
        # A skipped cell knows how many rows it would have had, and not always how they hang together.
        scores = [score for score in scores if score.status != "skipped"] or scores
        return max(score.n_expected for score in scores), max(score.n_groups for score in scores)

    def price_rows(self, contender: str) -> list[PriceRow]:
        """The price rows of a contender's model at its provider."""
        entry = self.contenders[contender]
        return [row for row in self.prices.price if (row.provider, row.model) == (entry.provider, entry.model)]

    def billed(self, contender: str) -> bool:
        """Whether anybody sends a bill for this contender."""
        rows = self.price_rows(contender)
        return self.contenders[contender].baseline is None and not (rows and all(row.unbilled for row in rows))

    @cached_property
    def priced_on(self) -> tuple[dt.date, dt.date] | None:
        """First and last date on which the prices in use were checked; None where nothing is billed."""
        dates = [
            row.checked_on
            for contender in self.contenders
            if self.billed(contender)
            for row in self.price_rows(contender)
            if row.checked_on
        ]
        return (min(dates), max(dates)) if dates else None

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """Contenders that answered in at least one cell."""
        return tuple(c for c in self.contenders if any(self.cells[c, s].status != "skipped" for s in self.suites))

    @cached_property
    def simulated(self) -> bool:
        """Whether any cell holds simulated answers."""
        return any(score.simulated for score in self.cells.values())

    @cached_property
    def wholly_simulated(self) -> bool:
        """Whether every cell that was asked holds simulated answers."""
        return self.simulated and all(score.simulated for score in self.cells.values() if score.status != "skipped")

    @cached_property
    def comparisons(self) -> Comparisons:
        """What takes more than one cell. Made from the scores alone, so whoever has those has it."""
        return compare(self.cells.values(), self.suites)

    # -- what is printed

    @cached_property
    def asked_on(self) -> tuple[str, str] | None:
        """First and last day on which a run that gave evidence started; None where no run says."""
        days = sorted(run.started_at[:10] for run in self.runs if run.started_at[:1].isdigit())
        return (days[0], days[-1]) if days else None

    @cached_property
    def overview_table(self) -> Table:
        """Everybody's main measure on every suite."""
        return overview.table(self)

    @cached_property
    def suite_tables(self) -> tuple[Table, ...]:
        """The main result: one table per suite (and slot)."""
        return tuple(by_suite.table(self, suite, slot) for suite in self.suites for slot in self.slots(suite))

    @cached_property
    def result_tables(self) -> tuple[Table, ...]:
        """Each suite's main table with its league below it."""
        return tuple(
            table
            for suite in self.suites
            for slot in self.slots(suite)
            for table in (by_suite.table(self, suite, slot), *league.tables(self, suite, slot))
        )

    @cached_property
    def page_result_tables(self) -> tuple[Table, ...]:
        """The same with every pair of a league below it, for which only the page has the room."""
        return tuple(
            table
            for suite in self.suites
            for slot in self.slots(suite)
            for table in (
                by_suite.table(self, suite, slot),
                *league.tables(self, suite, slot),
                *pair_grid.tables(self, suite, slot),
            )
        )

    @cached_property
    def measure_tables(self) -> tuple[Table, ...]:
        """One table per measure: contenders by suites."""
        return by_measure.tables(self)

    @cached_property
    def measure_lines(self) -> tuple[str, ...]:
        """Measures with nothing to compare."""
        return by_measure.lines(self)

    @cached_property
    def outcome_table(self) -> Table:
        """The seven outcomes of each cell."""
        return outcomes.outcome_table(self)

    @cached_property
    def coverage_table(self) -> Table:
        """How each cell ended, and where its rows come from."""
        return outcomes.coverage_table(self)

    @cached_property
    def band_tables(self) -> tuple[Table, ...]:
        """Accuracy between worst and best case; none where every row was answered."""
        return outcomes.band_tables(self)

    @cached_property
    def calibration_tables(self) -> tuple[Table, ...]:
        """Calibration error, scores of confidences, and what keeping the surest answers gains."""
        return calibration.tables(self)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Every drawing."""
        return (*self.tradeoff_figures, *self.cardinality_figures, *self.calibration_figures)

    @cached_property
    def tradeoff_figures(self) -> tuple[Figure, ...]:
        """Accuracy over cost and over latency."""
        return tradeoff.figures(self)

    @cached_property
    def cardinality_figures(self) -> tuple[Figure, ...]:
        """The same over the number of options."""
        return options.figures(self)

    @cached_property
    def calibration_figures(self) -> tuple[Figure, ...]:
        """Reliability, and risk over coverage."""
        return (*reliability.figures(self), *risk.figures(self))

    @cached_property
    def cardinality_tables(self) -> tuple[Table, ...]:
        """Accuracy and latency by the number of options."""
        return slices.cardinality_tables(self)

    @cached_property
    def slice_tables(self) -> tuple[Table, ...]:
        """Accuracy over every other slice."""
        return slices.slice_tables(self)

    @cached_property
    def order_tables(self) -> tuple[Table, ...]:
        """Flips under permutation beside flips on a rerun."""
        return order.tables(self)

    @cached_property
    def place_tables(self) -> tuple[Table, ...]:
        """Where in the list choices stand, beside the right options."""
        return places.tables(self)

    @cached_property
    def honesty_tables(self) -> tuple[Table, ...]:
        """Confidence where nothing can be known, beside the controls, and what cut-offs would keep."""
        return (*honesty.tables(self), *thresholds.tables(self, honesty=True))

    @cached_property
    def threshold_tables(self) -> tuple[Table, ...]:
        """What accepting answers from a confidence on keeps, in all other suites."""
        return thresholds.tables(self, honesty=False)

    @cached_property
    def spend_table(self) -> Table:
        """What each contender's answers cost."""
        return spend.spend_table(self)

    @cached_property
    def charge_tables(self) -> tuple[Table, ...]:
        """What providers charged beside what the list prices say; none where nobody says what it charged."""
        return charges.tables(self)

    @cached_property
    def cached_tables(self) -> tuple[Table, ...]:
        """How much of the input came from a cache; none where nobody counts tokens."""
        return cached.tables(self)

    @cached_property
    def negotiation_tables(self) -> tuple[Table, ...]:
        """What was found out by asking, and what that cost; none where nobody was probed."""
        return negotiation.tables(self)

    @cached_property
    def time_tables(self) -> tuple[Table, ...]:
        """How the times of each cell were taken; none where nobody was asked over a wire."""
        return times.tables(self)

    @cached_property
    def price_table(self) -> Table:
        """The list prices in use, with source and date."""
        return spend.price_table(self)

    @cached_property
    def confidence_table(self) -> Table:
        """What each contender's confidence is."""
        return confidence.table(self)

    @cached_property
    def prediction_table(self) -> Table:
        """How far each contender's choices collapse on one label."""
        return predictions.table(self)

    @cached_property
    def histogram_tables(self) -> tuple[Table, ...]:
        """The choices of those that collapse; none where nobody does."""
        return predictions.histograms(self)

    @cached_property
    def contender_table(self) -> Table:
        """Who was asked, and with which settings."""
        return entries.contender_table(self)

    @cached_property
    def suite_list(self) -> Table:
        """What was asked."""
        return entries.suite_list(self)

    @cached_property
    def run_table(self) -> Table:
        """Where the evidence comes from and what it cost to get."""
        return entries.run_table(self)

    @cached_property
    def sanity_lines(self) -> tuple[sanity.Line, ...]:
        """Checks that a reader would otherwise make by hand."""
        return sanity.lines(self)
