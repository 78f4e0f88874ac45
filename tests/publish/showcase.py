"""A made-up release as large as they get, in our own words: for the size of the page, and for its pictures."""

from __future__ import annotations

from decimal import Decimal

from dmb import metrics
from dmb.contracts.cell import ReliabilityBin, Score
from dmb.contracts.contender import Contender
from dmb.contracts.price import PriceRow, PricesFile
from dmb.publish.item_texts import ShownTexts
from dmb.publish.release import Release
from tests.publish.factory import SUITES, Answers, contender, probes, release, sha

TREES = (
    "Alder", "Ash", "Aspen", "Beech", "Birch", "Cedar", "Cherry", "Cypress", "Elder",
    "Elm", "Fir", "Hazel", "Larch", "Linden", "Maple", "Oak", "Pine", "Rowan",
)  # fmt: skip
#: Suites of the made-up release whose texts are shown.
WITH_TEXTS = ("cardinality", "confidence-honesty")


def luck(*what: object) -> float:
    """The same number from 0 to 1 for the same words."""
    return int(sha(" ".join(map(str, what)))[:8], 16) / 2**32


def showcase(n_contenders: int, suites: tuple[str, ...] = tuple(SUITES)) -> Release:
    """Two baselines and so many trees that it comes to this number; the last one has no key."""
    trees = TREES[: n_contenders - 2]
    entries = {"random": contender("Random", baseline="random"), "majority": contender("Majority", baseline="majority")}
    entries |= {name.lower(): _tree(name, place) for place, name in enumerate(trees)}
    answers = {
        (name, suite): _answers(name, suite, place)
        for place, name in enumerate(entries)
        if name != trees[-1].lower()
        for suite in suites
    }
    made = release(
        entries,
        answers,
        list(suites),
        name="showcase",
        title="Typed decisions, a made-up release",
        prices=PricesFile(price=tuple(_price(name) for name in trees)),
        deviations=(),
        texts={suite: _texts(suite) for suite in WITH_TEXTS if suite in suites},
    )
    return _with_confidences(made)


def _tree(name: str, place: int) -> Contender:
    return contender(
        name,
        provider="grove",
        model=f"{name.lower()}-{1 + place % 3}",
        tier="flagship" if place % 3 == 0 else "small",
        temperature=0,
        max_output_tokens=64,
    )


def _price(name: str) -> PriceRow:
    step = Decimal(1 + int(luck(name, "price") * 40)) / 20
    return PriceRow(
        provider="grove",
        model=f"{name.lower()}-{1 + TREES.index(name) % 3}",
        input=step,
        output=4 * step,
        source="https://example.org/grove",
        checked_on="2026-11-01",
    )


def _answers(name: str, suite: str, place: int) -> Answers:
    n = SUITES[suite][1]
    if place < 2:
        return Answers(round(n * 0.04), {"valid": n}, 0.003 * (1 + place), ece=0.01, decay=0.5, predictions=_labels(n))
    strength = 0.35 + 0.6 * luck(name, "strength") ** 0.7
    share = min(0.97, strength + 0.1 * (luck(name, suite) - 0.5))
    bad = round(n * 0.05 * luck(name, suite, "bad"))
    outcomes = {"valid": n - bad, "malformed": bad // 2, "refused": bad - bad // 2}
    return Answers(
        round((n - bad) * share),
        outcomes,
        60 * 30 ** luck(name, "speed"),
        kind="stated" if luck(name, "kind") > 0.4 else "native-probability",
        ece=0.03 + 0.2 * luck(name, suite, "ece"),
        served=(f"{name}-{1 + (place - 2) % 3}",),
        cost_usd=f"{0.004 * 80 ** (0.5 * strength + 0.5 * luck(name, 'price')):.6f}",
        negotiation=(probes("v9-1", "0.00021", structured="json_schema", max_output_tokens=64),),
        predictions=_labels(n),
        decay=0.02 + 0.05 * luck(name, "decay"),
        cap=256 if luck(name, "cap") > 0.8 else None,
    )


def _labels(n: int) -> dict[str, int]:
    return {f"label_{k}": n // 10 for k in range(10)}


def _texts(suite: str) -> ShownTexts:
    groups = {"cardinality": 25}.get(suite, SUITES[suite][1])
    rows = [(f"i{row % groups}-{row // groups}", 0) for row in range(SUITES[suite][1])]
    states = {
        (item, order): f"Message {item}: a parcel for locker {1 + int(luck(item) * 40)} came, and it is the "
        f"{('red', 'green', 'blue', 'grey')[int(luck(item, 'c') * 4)]} one. Which of these is meant?"
        for item, order in rows
    }
    return ShownTexts(states, {key: {"a": "the parcel that is meant", "b": "another parcel"} for key in rows})


def _with_confidences(made: Release) -> Release:
    """Confidences that differ from row to row, and the bins that they come to."""
    return Release(**(made.__dict__ | {"scores": tuple(_confident(score) for score in made.scores)}))


def _confident(score: Score) -> Score:
    if score.contender in ("random", "majority") or not score.answers:
        return score
    (columns,) = score.answers
    knows = 0.25 + 0.7 * luck(score.contender, "knows")
    confidences = tuple(
        None if value is None else round(_confidence(score, item, value == gold, knows), 2)
        for item, value, gold in zip(columns.items, columns.values, columns.gold, strict=True)
    )
    right = [value == gold for value, gold in zip(columns.values, columns.gold, strict=True) if value is not None]
    bins = metrics.reliability([c for c in confidences if c is not None], right)
    return score.model_copy(
        update={
            "answers": (columns.model_copy(update={"confidences": confidences}),),
            "reliability": tuple(
                ReliabilityBin(low=b.low, high=b.high, n=b.n, mean_confidence=b.mean_confidence, accuracy=b.accuracy)
                for b in bins
            ),
        }
    )


def _confidence(score: Score, item: str, right: bool, knows: float) -> float:
    """The one who knows when it is right is sure then, and unsure otherwise."""
    free = luck(score.contender, score.suite, item, "sure")
    return 0.35 + 0.64 * (knows * (0.55 + 0.45 * free if right else 0.6 * free) + (1 - knows) * free)
