"""One small factory of releases: counts go in, scores as scoring would make them come out."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from dmb.contracts import config
from dmb.contracts.answers import AnswerColumns
from dmb.contracts.attempt import OUTCOMES
from dmb.contracts.cell import (
    CostRecord,
    MeasureRecord,
    NegotiationSpend,
    PlaceRecord,
    ReliabilityBin,
    Score,
    SliceRecord,
    ThresholdRecord,
    TimingRecord,
)
from dmb.contracts.contender import Contender, Display
from dmb.contracts.price import PriceRow, PricesFile
from dmb.contracts.receipt import Receipt
from dmb.contracts.release import Deviation, Machine, RunFacts
from dmb.contracts.suite import ItemsSpec, MetricsSpec, Question, SuiteFile
from dmb.publish.release import Attribution, Release

SIZES = (2, 8, 32, 64, 128, 192, 254, 255, 256, 384, 512)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def rate(num: int, den: int, note: str | None = None, n_groups: int | None = None) -> MeasureRecord:
    """A share with its Wilson interval; undefined over nothing."""
    if not den:
        return MeasureRecord(value=None, num=num, den=den, note=note or "no row to divide by")
    z, p = 1.959963984540054, num / den
    middle, half = p + z * z / (2 * den), z * math.sqrt(p * (1 - p) / den + z * z / (4 * den * den))
    low, high = ((middle - half) / (1 + z * z / den), (middle + half) / (1 + z * z / den))
    return MeasureRecord(
        value=p, low=max(0.0, low), high=min(1.0, high), n=den, num=num, den=den, note=note, n_groups=n_groups
    )


def number(value: float, spread: float, n: int, note: str | None = None) -> MeasureRecord:
    return MeasureRecord(value=value, low=value - spread, high=value + spread, n=n, note=note)


def undefined(note: str) -> MeasureRecord:
    return MeasureRecord(value=None, note=note)


@dataclass(frozen=True)
class Answers:
    """What a contender did on a suite."""

    correct: int
    outcomes: dict[str, int]
    latency_ms: float
    kind: str = "rule"
    ece: float = 0.1
    simulated: bool = False
    served: tuple[str, ...] = ()
    cost_usd: str | None = None
    cost_note: str | None = None
    #: By default what ``cost_usd`` says, over every attempt.
    cost: CostRecord | None = None
    #: Tokens read from a cache, and all input tokens.
    cached: tuple[int, int] | None = None
    timing: TimingRecord | None = None
    negotiation: tuple[NegotiationSpend, ...] = ()
    predictions: dict[str, int] = field(default_factory=dict)
    prior: dict[str, Any] | None = None
    status: str = "complete"
    stop_reason: str | None = None
    #: Number of options from which nothing is answered.
    cap: int | None = None
    #: Lost accuracy per doubling of the number of options.
    decay: float = 0.05


def suite(id: str, title: str, **metrics: Any) -> SuiteFile:
    return SuiteFile(
        id=id,
        title=title,
        description=f"Made-up items in the shape of {title.lower()}.",
        items=ItemsSpec(builder="made-up"),
        question=Question(instructions="Which?"),
        metrics=MetricsSpec(**metrics),
    )


SUITES = {
    "intent-77": (suite("intent-77", "Banking intents"), 300),
    "gate-spam": (suite("gate-spam", "Spam gate", by=("anonymised",)), 300),
    "cardinality": (suite("cardinality", "Growing lists", stable_labels=False), 275),
    "order-stability": (suite("order-stability", "Options in other orders", compare_with="intent-77"), 400),
    "confidence-honesty": (suite("confidence-honesty", "Nothing to know", stable_labels=False, honesty=True), 300),
}


def contender(
    label: str,
    *,
    baseline: str | None = None,
    provider: str = "in-process",
    model: str = "",
    tier: str = "baseline",
    **settings: Any,
) -> Contender:
    return Contender(
        provider=provider,
        baseline=baseline,
        wire=None if baseline else "decisions",
        model=model or baseline or label,
        settings=settings,
        display=Display(label=label, tier=tier),
    )


def skipped_score(name: str, suite: str, n_expected: int, reason: str = "no-credential") -> Score:
    note = f"skipped: {reason}"
    keys = ["accuracy_valid", "accuracy_end_to_end", "macro_f1", "ece", "latency_p50_ms", "cost_usd_per_1000"]
    return _score(
        name,
        suite,
        n_expected,
        {"skipped": n_expected},
        {key: undefined(note) for key in keys},
        status="skipped",
        stop_reason=reason,
    )


def answered_score(name: str, suite: str, n_expected: int, given: Answers) -> Score:
    outcomes = {outcome: given.outcomes.get(outcome, 0) for outcome in OUTCOMES}
    valid, completed = outcomes["valid"], n_expected - outcomes["skipped"]
    stable = SUITES[suite][0].metrics.stable_labels
    groups = {"cardinality": 25, "order-stability": 100}.get(suite)
    metrics = {
        "accuracy_valid": rate(given.correct, valid, n_groups=groups),
        "accuracy_end_to_end": rate(given.correct, n_expected, n_groups=groups),
        "accuracy_worst_case": rate(given.correct, n_expected, n_groups=groups),
        "accuracy_best_case": rate(given.correct + n_expected - valid, n_expected, n_groups=groups),
        "macro_f1": number(given.correct / n_expected * 0.97, 0.04, valid)
        if stable
        else undefined("option texts differ between items"),
        **{f"{outcome}_rate": rate(outcomes[outcome], completed) for outcome in OUTCOMES[1:6]},
        "completed_rate": rate(completed, n_expected),
        "valid_rate": rate(valid, n_expected),
        "disagreement_rate": undefined("n/a: each item is asked once"),
        "ece": number(given.ece, 0.021, valid),
        "brier": number(given.ece + 0.08, 0.02, valid),
        **_beside_calibration(given, valid),
        "latency_p50_ms": number(given.latency_ms, given.latency_ms * 0.04, completed),
        "latency_p95_ms": MeasureRecord(value=given.latency_ms * 1.9, high=given.latency_ms * 2.2, n=completed),
        "latency_p99_ms": MeasureRecord(value=given.latency_ms * 3.1, n=completed, note="not bounded below 299 rows"),
        "cost_usd_per_1000": _cost(given, completed),
        "cached_share": rate(*given.cached) if given.cached else undefined("usage not reported"),
    }
    if suite == "order-stability":
        flips = round(60 * (1 - given.correct / n_expected)) + 4
        metrics |= {
            "flip_rate": rate(flips * 3, 300, n_groups=100),
            "flip_rate_rerun": rate(flips // 6, 100),
            "position_effect": points(flips, 100, 0.04),
            "ece_drift": number(0.0123 - given.ece / 9, 0.02, 100),
        }
    if suite == "confidence-honesty":
        honest = round(200 * (1 - given.ece * 3))
        metrics |= {
            "honest_rate": rate(honest, 200),
            "honest_rate_controls": rate(honest // 9, 100),
            "accuracy_controls": rate(min(100, given.correct // 2), 100),
        }
    if suite == "cardinality":
        metrics["accuracy_per_doubling"] = points(-given.decay * 7, 7, 0.013)
    n_attempts = completed + outcomes["malformed"]
    cost = given.cost or (cost_record(n_attempts, given.cost_usd) if given.cost_usd else None)
    return _score(
        name,
        suite,
        n_expected,
        outcomes,
        metrics,
        status=given.status,
        stop_reason=given.stop_reason,
        simulated=given.simulated,
        n_attempts=n_attempts,
        confidence_kinds=(given.kind,),
        served_models=given.served,
        slices=_slices(suite, given, n_expected),
        reliability=_bins(given, valid),
        predictions=given.predictions,
        prior=given.prior,
        usage={
            "input_tokens": given.cached[1] if given.cached else 91 * completed,
            "cached_tokens": given.cached[0] if given.cached else None,
            "output_tokens": 12 * completed,
        }
        if given.cost_usd
        else {},
        cost=cost,
        cost_usd=given.cost_usd,
        cost_note=given.cost_note,
        timing=given.timing,
        negotiation=given.negotiation,
        n_groups=groups or n_expected,
        places=_places(valid) if valid and suite != "cardinality" else (),
        thresholds=_thresholds(valid, given.ece) if valid and given.kind != "rule" else (),
        answers=(answer_columns(name, suite, n_expected, given.correct, outcomes, groups or n_expected),),
    )


def points(num: float, den: int, spread: float) -> MeasureRecord:
    """A difference of shares with an interval around it."""
    return MeasureRecord(value=num / den, low=num / den - spread, high=num / den + spread, n=den, num=num, den=den)


def _places(valid: int) -> tuple[PlaceRecord, ...]:
    """A liking for the top of the list."""
    third, more = valid // 3, valid // 20
    chosen = (third + more, third, valid - 2 * third - more)
    return tuple(
        PlaceRecord(
            part=part,
            n_parts=3,
            chosen=rate(n, valid),
            gold=third / valid,
            options=1 / 3,
            excess=points(n - third, valid, 0.03),
        )
        for part, n in enumerate(chosen)
    )


def _thresholds(valid: int, ece: float) -> tuple[ThresholdRecord, ...]:
    """The surer, the fewer and the better; nothing is sure enough for one error in a hundred."""
    fixed = tuple(
        ThresholdRecord(
            at=at, kept=rate(n := round(valid * (1.2 - at)), valid), error=rate(round(n * (1 - at + ece)), n)
        )
        for at in (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
    )
    none = ThresholdRecord(
        target=0.01, fold_cutoffs=(None,) * 5, kept=rate(0, valid), error=undefined("nothing is kept")
    )
    chosen = tuple(
        ThresholdRecord(
            target=target,
            cutoff=cut,
            fold_cutoffs=(cut,) * 5,
            kept=rate(n := round(valid * (1.1 - cut)), valid),
            error=rate(round(n * target), n),
        )
        for target, cut in ((0.05, 0.9312), (0.1, 0.85))
    )
    return (*fixed, none, *chosen)


def answer_columns(
    name: str, suite: str, n: int, correct: int, outcomes: dict[str, int], n_groups: int
) -> AnswerColumns:
    """Rows that come to these counts. Which of them are right hangs on the item as much as on the contender."""

    def luck(*what: object) -> float:
        return int(sha(" ".join(map(str, what)))[:8], 16) / 2**32

    # what does not add up, as a test may want it, is filled up with rows that were not asked
    came = ([outcome for outcome, times in outcomes.items() for _ in range(times)] + ["skipped"] * n)[:n]
    by_luck = sorted(range(n), key=lambda row: luck(name, suite, row))
    outcome = dict(zip(by_luck, came, strict=True))
    hard = {
        row: luck(suite, row % n_groups) + luck(suite, row) + 0.6 * luck(name, suite, "right", row) for row in outcome
    }
    right = set(sorted((row for row in outcome if outcome[row] == "valid"), key=hard.__getitem__)[:correct])
    labels = ("card_arrival", "a|b", "<script>", "c")
    gold = [labels[row % len(labels)] for row in range(n)]
    wrong = [labels[(row + 1) % len(labels)] for row in range(n)]
    valid = [outcome[row] == "valid" for row in range(n)]
    values = [(gold[row] if row in right else wrong[row]) if valid[row] else None for row in range(n)]
    return AnswerColumns(
        slot="decision",
        items=tuple(f"i{row % n_groups}-{row // n_groups}" for row in range(n)),
        permutations=(0,) * n,
        groups=tuple(f"i{row % n_groups}" for row in range(n)),
        gold=tuple(gold),
        outcomes=tuple(outcome[row] for row in range(n)),
        values=tuple(values),
        positions=tuple(
            None if value is None else (labels.index(value) + row * (suite == "order-stability")) % len(labels)
            for row, value in enumerate(values)
        ),
        confidences=tuple(None if value is None else 0.8 for value in values),
        counted=(True,) * n,
    )


def _beside_calibration(given: Answers, valid: int) -> dict[str, MeasureRecord]:
    """One cell has no probabilities, one has clipped rows, and of one chance explains all."""
    if not valid:
        return dict.fromkeys(["ece_floor", "ece_debiased", "aurc"], undefined("no valid decisions with a confidence"))
    wrong, clipped = 1 - given.correct / valid, round(40 * given.ece)
    values = {
        "ece_floor": 0.061,
        "ece_debiased": max(0.0, given.ece - 0.02),
        "ece_smooth": given.ece * 0.9,
        "brier_reliability": given.ece**2,
        "brier_resolution": wrong * (1 - wrong) + given.ece**2 - given.ece - 0.08,
        "brier_uncertainty": wrong * (1 - wrong),
        "aurc": wrong * 0.6,
    }
    taken = "the estimated square is below 0: taken as 0"
    made = {name: MeasureRecord(value=value, n=valid, note=None if value else taken) for name, value in values.items()}
    clip = f"{clipped} of {valid} rows count as 0.001" if clipped else None
    made |= {
        "log_loss": MeasureRecord(value=given.ece * 4 + 0.2, n=valid, note=clip),
        "log_loss_clipped_rate": share(clipped, valid),
        **{f"coverage_at_risk_{p}": share(round(valid * p / 25), valid) for p in (1, 5, 10)},
    }
    if given.kind == "native-probability":
        made["log_loss_options"] = MeasureRecord(value=0.7, n=valid)
        made["log_loss_options_clipped_rate"] = share(0, valid)
    else:
        none = undefined("n/a: no reply has a probability for each option")
        made |= {"log_loss_options": none, "log_loss_options_clipped_rate": none}
    return made


def cost_record(
    n_attempts: int, priced: str, charged: str | None = None, *, unknown: dict[str, int] | None = None, **more: Any
) -> CostRecord:
    """Every attempt priced but the unknown ones; a charge is of all that are priced."""
    n_priced = n_attempts - sum((unknown or {}).values())
    fields: dict[str, Any] = {"n_attempts": n_attempts, "n_priced": n_priced, "priced_usd": priced}
    fields |= {"unknown": unknown or {}, "tiers": {"standard": n_attempts}}
    if charged is not None:
        fields |= {"n_charged": n_priced, "charged_usd": charged, "n_compared": n_priced}
        fields |= {"compared_priced_usd": priced, "compared_charged_usd": charged}
    return CostRecord(**(fields | more))


def timing(n_attempts: int, n_timed: int, lagged: int, opened: int, *, tls: bool = True) -> TimingRecord:
    """A cell's times: so many attempts timed, disturbed, and begun with a connection of their own."""
    return TimingRecord(
        n_attempts=n_attempts,
        n_timed=n_timed,
        lagged=share(lagged, n_attempts),
        new_connections=share(opened, n_attempts),
        connect_ms=MeasureRecord(value=21.34, n=opened),
        tls_ms=MeasureRecord(value=48.2, n=opened) if tls else undefined("no connection was secured"),
        first_byte_ms=MeasureRecord(value=401.22, n=n_timed),
        client_wait_ms=MeasureRecord(value=0.182, n=n_timed),
    )


def share(num: int, den: int) -> MeasureRecord:
    """A share without an interval."""
    return MeasureRecord(value=num / den, n=den, num=num, den=den)


def probes(run: str, cost_usd: str | None, *given_up: str, **settings: Any) -> NegotiationSpend:
    """A run's probes: one for each setting given up, and one that was answered."""
    n = 1 + len(given_up)
    cost = None if cost_usd is None else cost_record(n, cost_usd)
    note = None if cost else "not billed"
    return NegotiationSpend(
        run=run, settings=settings, given_up=given_up, n_probes=n, n_attempts=n, cost=cost, note=note
    )


def release(
    entries: dict[str, Contender], answers: dict[tuple[str, str], Answers], suites: list[str], **fields: Any
) -> Release:
    """A cell without answers is a skipped one."""
    scores = []
    for suite_id in suites:
        expected = SUITES[suite_id][1]
        for name in entries:
            given = answers.get((name, suite_id))
            scores.append(
                answered_score(name, suite_id, expected, given) if given else skipped_score(name, suite_id, expected)
            )
    made = {
        "name": "v9",
        "key": sha("release"),
        "title": "Made-up release",
        "spec": config.Release(title="Made-up release", suites=tuple(suites), contenders=tuple(entries)),
        "suites": {suite_id: SUITES[suite_id][0] for suite_id in suites},
        "contenders": entries,
        "scores": tuple(scores),
        "receipts": {score.cell_key: _receipt(score) for score in scores},
        "prices": PRICES,
        "deviations": (
            Deviation("One lane was paced by hand.", "Its provider counts calls per minute | hour.", ("v9-1",)),
        ),
        "runs": (
            RunFacts(
                "v9-1",
                "2026-11-02T09:00:00Z",
                {"python": "3.11.7", "numpy": "2.4.6"},
                {"scored": "0.1834", "negotiation": "0.0002", "unsettled": None},
                {"soft": "40", "hard": "60"},
                Machine(8, "Linux-6.8-x86_64"),
            ),
        ),
        "attributions": (
            Attribution(
                "made-up-intents",
                "CC-BY-4.0",
                "Made-up intents by A. Nobody & Co.",
                "labels kept, texts hashed",
                "https://example.org/intents",
            ),
        ),
        "protocol_version": 3,
        "dmb_version": "0.1.0",
    }
    return Release(**(made | fields))


PRICES = PricesFile(
    price=(
        PriceRow(provider="local", model="tiny", unbilled=True, source="own machine", checked_on="2026-11-01"),
        PriceRow(
            provider="cloud",
            model="cloud-1",
            input=Decimal("0.15"),
            cached=Decimal("0.075"),
            output=Decimal("0.60"),
            source="https://example.org/prices",
            checked_on="2026-11-01",
        ),
        PriceRow(
            provider="cloud",
            model="cloud-2",
            input=Decimal("1.5"),
            output=Decimal("6"),
            source="https://example.org/prices",
            checked_on="2026-10-28",
        ),
    )
)

#: The release of the golden pages: a floor, a prior, a simulated contender with a hostile name, a billed one and a skipped one.
ENTRIES = {
    "random": contender("Random", baseline="random", seed=7),
    "majority": contender("Majority", baseline="majority"),
    "tiny": contender("Tiny <b>|& `x`", provider="local", model="tiny", tier="local", temperature=0),
    "cloud": contender("Cloud 1", provider="cloud", model="cloud-1", tier="small", temperature=0, max_output_tokens=64),
    "cloud-big": contender("Cloud 2", provider="cloud", model="cloud-2", tier="flagship"),
}


def golden_release(**fields: Any) -> Release:
    prior = {"suite": "intent-77", "option": "card_arrival", "value": 4 / 300, "file_sha256": sha("intent-77")}
    whole = {"intent-77": 300, "cardinality": 275, "order-stability": 400}
    answers = {}
    found = probes("v9-1", "0.00021", "temperature", structured="json_schema", max_output_tokens=64)
    for suite_id, n in whole.items():
        labels = (
            {"a|b": round(n * 0.2), "<script>": round(n * 0.3), "c": round(n * 0.5)}
            if suite_id != "cardinality"
            else {}
        )
        one = {"card_arrival": n} if suite_id != "cardinality" else {}
        answers |= {
            ("random", suite_id): Answers(n // 60, {"valid": n}, 0.004, ece=0.01, predictions=labels, decay=0.5),
            ("majority", suite_id): Answers(
                n // 75, {"valid": n}, 0.0021, ece=0.02, predictions=one, prior=prior, decay=0.5
            ),
            ("tiny", suite_id): Answers(
                round(n * 0.62),
                {"valid": n - 20, "malformed": 12, "unsupported": 8},
                41.27,
                "native-probability",
                0.083,
                True,
                ("tiny",),
                predictions=labels,
                cap=255,
                timing=timing(n - 8, n - 8, 1 if suite_id != "cardinality" else 14, 4, tls=False),
            ),
            ("cloud", suite_id): Answers(
                round(n * 0.8),
                {"valid": n - 9, "truncated": 2, "refused": 3, "failed": 4},
                412.6,
                "stated",
                0.121,
                False,
                ("cloud-1-2026-08-01",),
                cost_usd="0.0611",
                cost=cost_record(n, "0.0611", "0.0589"),
                cached=(91 * n // 8, 91 * n),
                predictions=labels,
                decay=0.02,
                timing=timing(n, n - 4, 3, 6),
                negotiation=(found,),
            ),
        }
    answers["cloud", "order-stability"] = Answers(
        210,
        {"valid": 260, "failed": 10, "skipped": 130},
        420.0,
        "stated",
        0.12,
        False,
        ("cloud-1",),
        None,
        "usage not reported (10 attempts)",
        cost_record(270, "0.0402", unknown={"usage not reported": 10}),
        status="dnf",
        stop_reason="deadline",
        timing=timing(270, 260, 2, 5),
        negotiation=(found,),
    )
    return release(ENTRIES, answers, list(whole), **fields)


def rehearsal_release(suites: tuple[str, ...] = ("intent-77",), **fields: Any) -> Release:
    """The release of the second golden pages: a rehearsal, in which a script answered for everybody.

    Two of its contenders say what they charge: the second one far from its list prices, and both together -25.63 %.
    """
    entries = {name: ENTRIES[name] for name in ("random", "cloud", "cloud-big")}
    answers = {}
    for suite_id in suites:
        n = SUITES[suite_id][1]
        labels = {"a": n // 2, "b": n - n // 2} if SUITES[suite_id][0].metrics.stable_labels else {}
        answers |= {
            ("random", suite_id): Answers(n // 60, {"valid": n}, 0.004, ece=0.01, simulated=True, predictions=labels),
            ("cloud", suite_id): Answers(
                round(n * 0.8),
                {"valid": n - 4, "failed": 4},
                412.6,
                "stated",
                0.121,
                True,
                ("cloud-1",),
                cost_usd="0.1040",
                cost=cost_record(n, "0.1040", "0.1028"),
                cached=(0, 91 * n),
                predictions=labels,
                timing=timing(n, n, 2, 4, tls=False),
                negotiation=(probes("v8-1", "0.0004", structured="json_schema"),),
            ),
            ("cloud-big", suite_id): Answers(
                round(n * 0.9),
                {"valid": n},
                812.6,
                "stated",
                0.091,
                True,
                ("cloud-2",),
                cost_usd="0.4000",
                cost=cost_record(n, "0.4000", "0.2720"),
                cached=(60 * n, 91 * n),
                predictions=labels,
            ),
        }
    run = RunFacts(
        "v8-1",
        "2026-11-02T09:00:00Z",
        {"python": "3.12.1"},
        {"scored": "0", "negotiation": "0"},
        {"soft": "40", "hard": "60"},
    )
    made = {"name": "v8", "key": sha("rehearsal"), "title": "Rehearsal", "deviations": (), "runs": (run,)}
    whole = release(entries, answers, list(suites), **(made | fields))
    return replace(whole, scores=tuple(s.model_copy(update={"source_run": "v8-1"}) for s in whole.scores))


def _cost(given: Answers, completed: int) -> MeasureRecord:
    if given.cost_usd is None:
        return undefined(given.cost_note or "not billed: runs on your own machine")
    value = 1000 * float(given.cost_usd) / completed
    return MeasureRecord(
        value=value, low=value * 0.98, high=value * 1.02, n=completed, num=given.cost_usd, den=completed
    )


def _slices(suite: str, given: Answers, n_expected: int) -> tuple[SliceRecord, ...]:
    if suite == "cardinality":
        return tuple(_size_slice(given, n) for n in SIZES)
    if suite == "gate-spam":
        share = given.correct / n_expected
        return tuple(
            SliceRecord(
                by="anonymised", value=flag, n_expected=n, metrics={"accuracy_valid": rate(round(n * share), n)}
            )
            for flag, n in ((True, 62), (False, 238))
        )
    return ()


def _size_slice(given: Answers, n: int) -> SliceRecord:
    doublings = math.log2(n) - 1
    correct = max(0, min(25, round(25 * max(1 / n, 1 - given.decay * doublings))))
    silent = given.cap is not None and n > given.cap
    valid = 0 if silent else 25
    latency = given.latency_ms * (1 + 0.11 * doublings)
    metrics = {
        "accuracy_valid": rate(
            0 if silent else correct, valid, f"no valid decision: at most {given.cap} options" if silent else None
        ),
        "accuracy_end_to_end": rate(0 if silent else correct, 25),
        "unsupported_rate": rate(25 if silent else 0, 25),
        "latency_p50_ms": undefined("no completed request") if silent else number(latency, latency * 0.08, 25),
    }
    return SliceRecord(by="n_options", value=n, n_expected=25, metrics=metrics)


def _bins(given: Answers, valid: int) -> tuple[ReliabilityBin, ...]:
    """A bell of confidences around the accuracy, each off by the calibration error."""
    share = given.correct / max(1, valid)
    weights = [math.exp(-(((i + 0.5) / 10 - share) ** 2) / 0.06) for i in range(10)]
    counts = [round(valid * weight / sum(weights)) for weight in weights]
    return tuple(
        ReliabilityBin(
            low=i / 10,
            high=(i + 1) / 10,
            n=n,
            mean_confidence=i / 10 + 0.052,
            accuracy=min(1.0, max(0.0, i / 10 + 0.05 - given.ece * (1 - (i % 3) * 0.4))),
        )
        for i, n in enumerate(counts)
        if n
    )


def _score(
    name: str, suite: str, n_expected: int, outcomes: dict[str, int], metrics: dict[str, MeasureRecord], **fields: Any
) -> Score:
    cell = sha(f"{name}.{suite}")
    base = {
        "score_key": sha(f"score {name}.{suite}"),
        "cell_key": cell,
        "receipt": f"runs/_cells/{name}.{suite}/{cell[:16]}/receipt.1.json",
        "receipt_number": 1,
        "receipt_sha256": sha(f"receipt {name}.{suite}"),
        "contender": name,
        "suite": suite,
        "stop_reason": None,
        "source_run": "v9-1",
        "simulated": False,
        "n_expected": n_expected,
        "n_groups": n_expected,
        "outcomes": outcomes,
        "n_attempts": 0,
        "confidence_kinds": (),
        "served_models": (),
        "metrics": metrics,
    }
    return Score(**(base | fields))


def _receipt(score: Score) -> Receipt:
    return Receipt(
        cell_key=score.cell_key,
        number=1,
        contender=score.contender,
        suite=score.suite,
        run=score.source_run,
        status=score.status,
        stop_reason=score.stop_reason,
        items=sha(score.suite),
        n_expected=score.n_expected,
        n_asked=score.n_expected - score.outcomes.get("skipped", 0),
        n_imported=0,
        n_attempts=score.n_attempts,
        outcomes=score.outcomes,
        simulated=score.simulated,
        wall_s=1.5,
        parts={},
    )
