"""Checks that catch a broken adapter before anybody believes its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dmb.contracts.attempt import OUTCOMES
from dmb.contracts.cell import MeasureRecord, Score
from dmb.publish.measures import joined
from dmb.publish.notes import in_words
from dmb.publish.numbers import count, of, percent, signed_percent, things, usd
from dmb.publish.table import literal
from dmb.publish.tables import charges, times
from dmb.publish.tables.predictions import top_label

if TYPE_CHECKING:
    from dmb.publish.release import Release

Verdict = Literal["ok", "undecided", "look"]
#: Above this share of one label the answers say more about the contender than about the items.
COLLAPSE = 0.9
#: What providers append to a model's name to say which snapshot of it answered.
_SNAPSHOT = re.compile(r"[-@]\d{4,8}(-\d\d-\d\d)?")
_FLOOR = "random"


@dataclass(frozen=True)
class Line:
    """One finding. ``look`` asks for a reader's eyes; it is no proof that something is wrong.

    ``undecided`` is a contender that is neither above random nor below it, as far as these rows can tell.
    """

    verdict: Verdict
    check: str
    text: str


def lines(release: Release) -> tuple[Line, ...]:
    """All findings: check by check, cells in the release's order."""
    return (
        *_against_random(release),
        *_majority_is_its_prior(release),
        *_outcomes_add_up(release),
        *_served_is_asked(release),
        *_one_model_a_cell(release),
        *_collapse(release),
        *_charges(release),
        *_undisturbed(release),
    )


def summary(found: tuple[Line, ...]) -> str:
    """How many findings of each verdict there are, those in order too."""
    look, undecided, ok = (sum(line.verdict == verdict for line in found) for verdict in ("look", "undecided", "ok"))
    return (
        f"Of {things(len(found), 'finding')}, {look or 'none'} need{'s' if look == 1 else ''} a look, "
        f"{undecided or 'none'} {'is' if undecided == 1 else 'are'} undecided (a contender not told apart from random) "
        f"and {ok or 'none'} {'is' if ok == 1 else 'are'} in order."
    )


def _against_random(release: Release) -> Iterator[Line]:
    check = "better than random"
    floor = next((name for name, entry in release.contenders.items() if entry.baseline == _FLOOR), None)
    if floor is None:
        yield Line("look", check, "`random` is not in this release, so nothing was compared with it.")
        return
    for suite in release.suites:
        for slot in release.slots(suite):
            for contender in release.contenders:
                score = release.cells[contender, suite]
                if contender != floor and score.status != "skipped":
                    yield _compare(release, score, release.cells[floor, suite], slot, check)


def _compare(release: Release, score: Score, floor: Score, slot: str, check: str) -> Line:
    # Some items of an honesty suite have no correct option, so only its controls tell an adapter fault from honesty.
    names = (
        ("accuracy_controls", "accuracy_valid") if release.suites[score.suite].metrics.honesty else ("accuracy_valid",)
    )
    name = next((name for name in names if joined(slot, name) in score.metrics), names[-1])
    ours, theirs = (cell.metrics.get(joined(slot, name), MeasureRecord(value=None)) for cell in (score, floor))
    where = f"{release.label_in_prose(score.contender, score.suite)} on `{score.suite}`" + (
        f" ({slot})" if slot else ""
    )
    if ours.value is None or theirs.value is None:
        completed = score.n_expected - score.outcomes.get("skipped", 0)
        if completed and score.outcomes.get("unsupported") == completed:
            return Line("ok", check, f"{where}: not compared, it supports no row of this suite.")
        missing = ours if ours.value is None else theirs
        return Line(
            "look", check, f"{where}: not compared, no accuracy ({in_words(missing.note or 'no reason recorded')})."
        )
    pair = f"{percent(ours.value)} against {percent(theirs.value)}"
    if ours.high is not None and ours.high < theirs.value:
        return Line("look", check, f"{where}: below random ({pair}): look for an adapter fault.")
    if ours.low is None or ours.low <= theirs.value:
        if release.contenders[score.contender].baseline == "majority":
            return Line(
                "ok", check, f"{where}: not told apart from random ({pair}), as may be: it always answers the same."
            )
        return Line("undecided", check, f"{where}: not told apart from random ({pair}), nor above it.")
    return Line("ok", check, f"{where}: above random ({pair}).")


def _majority_is_its_prior(release: Release) -> Iterator[Line]:
    check = "majority equals its prior"
    for (contender, suite), score in release.cells.items():
        if release.contenders[contender].baseline != "majority" or score.status == "skipped":
            continue
        where = f"{release.label_in_prose(contender, suite)} on `{suite}`"
        prior, record = score.prior, score.metrics.get("accuracy_end_to_end")
        if not prior:
            yield Line("ok", check, f"{where}: not compared, it has no prior and takes all options as equally likely.")
        elif prior["suite"] != suite:
            yield Line("ok", check, f"{where}: not compared, its prior comes from `{prior['suite']}`.")
        elif record is None or record.value is None:
            yield Line("look", check, f"{where}: not compared, it has no accuracy.")
        elif abs(record.value - float(prior["value"])) < 1e-9:
            yield Line(
                "ok", check, f"{where}: accuracy is the share of {literal(prior['option'])} ({percent(record.value)})."
            )
        else:
            pair = f"{percent(record.value)}, not {percent(float(prior['value']))}"
            yield Line(
                "look", check, f"{where}: accuracy differs from the share of {literal(prior['option'])} ({pair})."
            )


def _outcomes_add_up(release: Release) -> Iterator[Line]:
    check = "outcomes sum to expected"
    wrong = 0
    for (contender, suite), score in release.cells.items():
        total = sum(score.outcomes.values())
        unknown = sorted(set(score.outcomes) - set(OUTCOMES))
        if total != score.n_expected or unknown:
            wrong += 1
            also = f", with unknown outcomes {', '.join(unknown)}" if unknown else ""
            yield Line(
                "look",
                check,
                f"{release.label_in_prose(contender, suite)} on `{suite}`: {things(total, 'outcome')} for {things(score.n_expected, 'expected row')}{also}.",
            )
    if not wrong:
        yield Line("ok", check, f"In every cell, {count(len(release.cells))} in all.")


def _served_is_asked(release: Release) -> Iterator[Line]:
    check = "served model is the asked model"
    for contender, entry in release.contenders.items():
        scores = [release.cells[contender, suite] for suite in release.suites]
        # A skipped or in-process contender was never served by anybody.
        if entry.baseline is not None or not any(score.n_attempts for score in scores):
            continue
        label, served = (
            release.label_in_prose(contender),
            sorted({literal(model) for score in scores for model in score.served_models}),
        )
        others = [model for model in served if model != entry.model]
        snapshots = [model for model in others if _SNAPSHOT.fullmatch(model.removeprefix(entry.model))]
        if not served:
            yield Line("look", check, f"{label}: the replies do not say which model answered.")
        elif len(others) > len(snapshots) or len(served) > 1:
            yield Line("look", check, f"{label}: asked for {entry.model}, served {', '.join(served)}.")
        elif snapshots:
            yield Line("ok", check, f"{label}: asked for {entry.model}, served its snapshot {served[0]}.")
        else:
            yield Line("ok", check, f"{label}: {entry.model}.")


def _one_model_a_cell(release: Release) -> Iterator[Line]:
    """Silent where nobody's replies say which model answered."""
    check = "one model answered each cell"
    served = [score for score in release.cells.values() if score.served_models]
    mixed = [score for score in served if len(score.served_models) > 1]
    for score in mixed:
        where = f"{release.label_in_prose(score.contender, score.suite)} on `{score.suite}`"
        models = ", ".join(literal(model) for model in score.served_models)
        yield Line(
            "look", check, f"{where}: its rows were answered by {count(len(score.served_models))} models: {models}."
        )
    if served and not mixed:
        yield Line("ok", check, f"In all {things(len(served), 'cell')} whose replies name one.")


def _collapse(release: Release) -> Iterator[Line]:
    check = "no single label above 90 %"
    found = False
    for (contender, suite), score in release.cells.items():
        top = top_label(score)
        if top is None or top[1] <= COLLAPSE * top[2]:
            continue
        found = True
        label, n, total = top
        text = f"{release.label_in_prose(contender, suite)} on `{suite}`: {percent(n / total)} % of its answers are {literal(label)}"
        if release.contenders[contender].baseline == "majority":
            yield Line("ok", check, f"{text}, as this baseline is made.")
        else:
            yield Line("look", check, f"{text}.")
    if not found:
        yield Line("ok", check, "In no cell.")


def _charges(release: Release) -> Iterator[Line]:
    """Silent about whoever's provider does not say what it charged."""
    check = "charges agree with list prices"
    for contender in release.contenders:
        scores = charges.scores_with_charges(release, contender)
        both, share = charges.compared(scores), charges.gap(scores)
        if both is None or share is None:
            continue
        pair = f"charged {usd(both[1])} USD against {usd(both[0])}"
        apart = f"{signed_percent(share)} %" if share.is_finite() else "the list prices say nought"
        label = release.label_in_prose(contender)
        yield Line("look" if charges.is_far(share) else "ok", check, f"{label}: {pair} ({apart}).")


def _undisturbed(release: Release) -> Iterator[Line]:
    """Silent where nobody's lag was recorded, as in the asking process itself."""
    check = "times are undisturbed"
    lags = [(score, lagged) for score in release.cells.values() if (lagged := times.lag_of(score)) is not None]
    busy = [(score, lagged) for score, lagged in lags if times.is_disturbed(lagged)]
    for score, lagged in busy:
        where = f"{release.label_in_prose(score.contender, score.suite)} on `{score.suite}`"
        share = f"{of(int(lagged.num or 0), int(lagged.den or 0))} attempts lagged"
        yield Line("look", check, f"{where}: {share}: this machine was too busy to time this contender.")
    if lags and not busy:
        yield Line("ok", check, f"In no cell more than {times.LAGGED:.0%} of the attempts lagged.".replace("%", " %"))
