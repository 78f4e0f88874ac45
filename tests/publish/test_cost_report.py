"""Costs from logged attempts to the printed report: each side of every price edge, charges, caches, the unknown."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from dmb.contracts.cell import Score
from dmb.price_windows import first_overlap
from dmb.publish.release import Release
from dmb.publish.table import Table
from tests.scoring.by_hand import NOON, attempt, chat, price, published, release, score, tokens


@pytest.fixture(autouse=True)
def in_a_scratch_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def texts(table: Table, label: str) -> list[str]:
    """What stands in a row, numbers of notes included."""
    (row,) = [r for r in table.rows if r.values[0].text == label]
    return [v.text + "".join(f"^{n}" for n in v.notes) for v in row.values[1:]]


def line(markdown: str, section: str, label: str) -> str:
    """A row of a table in the report."""
    part = markdown.split(f"# {section}\n")[1].split("\n#")[0]
    (found,) = [text for text in part.splitlines() if text.startswith(f"| {label} ")]
    return found


MILLION = tokens(1_000_000, 0)
_WEEK = ("mon", "tue", "wed", "thu", "fri")
_BERLIN = {"zone": "Europe/Berlin"}

#: The window of a row at 3 dollars a million input tokens (0.3 cached), and those of rows at 1 dollar beside it.
PEAK = (
    {"weekdays": _WEEK, "hours": "06:00-10:00"},
    {"weekdays": _WEEK, "hours": "10:00-24:00"},
    {"weekdays": _WEEK, "hours": "00:00-06:00"},
    {"weekdays": ("sat", "sun")},
)
FROM = ({"valid_from": "2026-12-01"}, {"valid_to": "2026-11-30"})
UNTIL = ({"valid_to": "2026-12-01"}, {"valid_from": "2026-12-02"})
LARGE = ({"prompt_from": 272_001}, {"prompt_to": 272_001})
# at 08:00 in Berlin it is 07:00 UTC in winter and 06:00 UTC in summer
DAYTIME = (_BERLIN | {"hours": "08:00-18:00"}, _BERLIN | {"hours": "18:00-08:00"})
BERLIN_DAY = (_BERLIN | {"valid_from": "2026-03-30"}, _BERLIN | {"valid_to": "2026-03-29"})

#: Edge -> windows, when, tokens, dollars.
EDGES = {
    "weekday window, before it": (PEAK, "2026-11-30T05:59:59.999999Z", MILLION, "1"),
    "weekday window, in it": (PEAK, "2026-11-30T06:00:00Z", MILLION, "3"),
    "weekday window, its last instant": (PEAK, "2026-12-04T09:59:59.999999Z", MILLION, "3"),
    "weekday window, after it": (PEAK, "2026-12-04T10:00:00Z", MILLION, "1"),
    "weekday window, on Saturday": (PEAK, "2026-12-05T08:00:00Z", MILLION, "1"),
    "from a date, the day before": (FROM, "2026-11-30T23:59:59.999999Z", MILLION, "1"),
    "from a date, on it": (FROM, "2026-12-01T00:00:00Z", MILLION, "3"),
    "to a date, on it": (UNTIL, "2026-12-01T23:59:59.999999Z", MILLION, "3"),
    "to a date, the day after": (UNTIL, "2026-12-02T00:00:00Z", MILLION, "1"),
    "prompt size, at the step": (LARGE, NOON, tokens(272_000, 0), "0.272"),
    "prompt size, above it": (LARGE, NOON, tokens(272_001, 0), "0.816003"),
    # what was cached is part of the prompt: 1 fresh token at 3 dollars and 272,000 cached ones at 0.3
    "prompt size, cached": (LARGE, NOON, tokens(272_001, 0, cached=272_000), "0.081603"),
    # the clock springs ahead on 2026-03-29
    "spring, before the hour": (DAYTIME, "2026-03-28T06:59:59.999999Z", MILLION, "1"),
    "spring, at the hour": (DAYTIME, "2026-03-28T07:00:00Z", MILLION, "3"),
    "summer, before the hour": (DAYTIME, "2026-03-29T05:59:59.999999Z", MILLION, "1"),
    "summer, at the hour": (DAYTIME, "2026-03-29T06:00:00Z", MILLION, "3"),
    # and falls back on 2026-10-25
    "last of summer, at the hour": (DAYTIME, "2026-10-24T06:00:00Z", MILLION, "3"),
    "autumn, before the hour": (DAYTIME, "2026-10-25T06:59:59.999999Z", MILLION, "1"),
    "autumn, at the hour": (DAYTIME, "2026-10-25T07:00:00Z", MILLION, "3"),
    # a day of summer begins in Berlin two hours before it begins in UTC
    "a day in Berlin, before it": (BERLIN_DAY, "2026-03-29T21:59:59.999999Z", MILLION, "1"),
    "a day in Berlin, in it": (BERLIN_DAY, "2026-03-29T22:00:00Z", MILLION, "3"),
}


@pytest.fixture(scope="module")
def edges(tmp_path_factory) -> tuple[Release, dict[str, Score], tuple]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("edges"))
        rows, scores = [], {}
        for number, (case, ((dear, *cheap), at, used, _)) in enumerate(EDGES.items()):
            name = f"m{number}"
            table = [price(name, input="3", cached="0.3", **dear), *(price(name, **window) for window in cheap)]
            assert first_overlap(table) is None
            rows += table
            scores[case] = score(name, [attempt(chat(used), at=at)], table)
        made = release(list(scores.values()), rows)
        return made, scores, published(made)


@pytest.mark.parametrize("case", EDGES)
def test_each_side_of_an_edge_is_priced_right_in_every_file(edges, case):
    made, scores, (markdown, page, cells) = edges
    found, usd = scores[case], EDGES[case][3]
    assert (found.cost_usd, found.cost_note) == (usd, None)
    label = made.label(found.contender)
    spelled = f"{Decimal(usd):.4f}"
    assert texts(made.spend_table, label)[:2] == [spelled, f"{1000 * Decimal(usd):,.2f}"]
    assert line(markdown, "Spend", label).split(" | ")[1] == spelled
    assert re.search(rf'<th scope="row">.*{label}(?:</span>|</a>)</th>\n<td class="num">{spelled}\b', page)
    (cell,) = [c for c in cells["cells"] if c["contender"] == found.contender]
    assert cell["cost_usd"] == usd and cell["metrics"]["cost_usd_per_1000"]["num"] == float(usd)


# -- the unknown


def test_an_unknown_price_stays_unknown_with_its_reason_in_every_file():
    rows = [price("known"), price("late", valid_from="2027-01-01")]
    scores = [
        score("known", [attempt(chat(MILLION))], rows[:1]),
        score("late", [attempt(chat(MILLION)), attempt(chat(MILLION), item=1)], rows[1:]),
        score("none", [attempt(chat(MILLION))], []),
        score("part", [attempt(chat(MILLION)), attempt(chat(None), item=1)], [price("part")]),
    ]
    made = release(scores, [*rows, price("part")])
    markdown, page, cells = published(made)
    why = "no price row for this model and date"
    for found, n in zip(scores[1:3], (2, 1), strict=True):
        note = f"{why} ({n} attempt{'s' if n > 1 else ''})"
        assert (found.cost_usd, found.cost_note, found.cost.unknown) == (None, note, {why: n})
        label = made.label(found.contender)
        assert texts(made.spend_table, label)[:2] == ["unknown", "unknown"]
        assert texts(made.spend_table, label)[3] == "100.0"
        assert line(markdown, "Spend", label).rstrip("| ").endswith(note)
        assert "| unknown | unknown |" in line(markdown, "Spend", label)
        (cell,) = [c for c in cells["cells"] if c["contender"] == found.contender]
        assert (cell["cost_usd"], cell["cost_note"], cell["cost"]["unknown"]) == (None, note, {why: n})
        per_1000 = cell["metrics"]["cost_usd_per_1000"]
        assert (per_1000["value"], per_1000["note"]) == (None, f"unknown cost for {n} of {n} decisions: {note}")
        # tables and the cell's own page say it where the number would stand
        assert f"Unknown cost for {n} of {n} decisions: {note}." in markdown
        assert page.count(f"Unknown cost for {n} of {n} decisions: {note}.") == 3
    assert (
        "Billed, and no price is known: Model none." in markdown
        and "Billed, and no price is known: Model none." in page
    )
    # one attempt of two: a lower bound, and no rate
    assert texts(made.spend_table, "Model part") == [
        "at least 1.0000",
        "unknown",
        "2",
        "50.0",
        "not reported",
        "not reported",
        "not reported",
        "usage not reported (1 attempt)",
    ]


def test_another_tier_is_said():
    rows = [price("m"), price("m", tier="flex", input="0.5")]
    attempts = [attempt(chat(MILLION, service_tier=t), item=i) for i, t in enumerate(("flex", "flex", "default"))]
    made = release([score("m", attempts, rows)], rows)
    assert texts(made.spend_table, "Model m")[0] == "2.0000"
    assert texts(made.spend_table, "Model m")[-1] == "flex tier (2 attempts)"
    assert [r.values[5].text for r in made.price_table.rows] == ["–", "flex tier"]


# -- charges


def charging(name: str, *pairs: tuple[str, str | None]) -> Score:
    """One attempt for each (dollars by the table, charge as it is written)."""
    attempts = []
    for item, (usd, charge) in enumerate(pairs):
        used = f'{{"prompt_tokens": {int(Decimal(usd) * 1_000_000)}, "completion_tokens": 0'
        attempts.append(attempt(chat(used + (f', "cost": {charge}}}' if charge else "}")), item=item))
    return score(name, attempts, [price(name)])


def test_the_worked_example_comes_out_from_the_replies_to_the_report():
    # four models whose replies say what was charged, and one whose replies do not: 0.3748 against 0.5040 USD
    scores = [
        charging("a", ("0.1000", "0.0980"), ("0.1016", "0.1000"), ("0.7", None)),
        charging("b", ("0.1512", "0.0718")),
        charging("c", ("0.0504", "0.04"), ("0.0504", "0.03")),
        charging("d", ("0.0504", "0.035")),
        charging("e", ("0.9", None)),
    ]
    made = release(scores, [price(s.contender) for s in scores])
    (table,) = made.charge_tables
    assert texts(table, "Model a") == ["2", "0.2016", "0.1980", "-1.79"]
    assert texts(table, "Model b") == ["1", "0.1512", "0.0718", "-52.51^1"]
    assert texts(table, "Model c") == ["2", "0.1008", "0.0700", "-30.56^1"]
    assert texts(table, "Model d") == ["1", "0.0504", "0.0350", "-30.56^1"]
    assert texts(table, "Together") == ["6", "0.5040", "0.3748", "-25.63^1"]
    assert table.notes == ("More than 5 % away from the list prices.",)
    assert table.remarks == ("No charge is reported for Model e.",)
    markdown, page, cells = published(made)
    assert line(markdown, "Charged by the provider", "Together") == (
        "| Together | 6 | 0.5040 | 0.3748 | -25.63<sup>1</sup> |"
    )
    assert "<sup>1</sup> More than 5 % away from the list prices.<br>" in markdown
    assert re.search(r'<td class="num">-25\.63\b', page) and "More than 5 % away from the list prices." in page
    # and where a reader looks first
    looks = [found.text for found in made.sanity_lines if found.check == "charges agree with list prices"]
    assert looks[:2] == [
        "Model a: charged 0.1980 USD against 0.2016 (-1.79 %).",
        "Model b: charged 0.0718 USD against 0.1512 (-52.51 %).",
    ]
    verdicts = [found.verdict for found in made.sanity_lines if found.check == "charges agree with list prices"]
    assert verdicts == ["ok", "look", "look", "look"]
    costs = [cell["cost"] for cell in cells["cells"]]
    assert [(c["compared_priced_usd"], c["compared_charged_usd"]) for c in costs] == [
        ("0.2016", "0.198"),
        ("0.1512", "0.0718"),
        ("0.1008", "0.07"),
        ("0.0504", "0.035"),
        (None, None),
    ]
    assert [c["gap"] for c in costs] == [-0.0178571428571, -0.525132275132, -0.305555555556, -0.305555555556, None]
    # what was charged changes no cost
    assert texts(made.spend_table, "Model a")[0] == "0.9016"


@pytest.mark.parametrize(
    "charge, spelled, far",
    [
        ("1.05", "+5.00", False),
        ("1.0500001", "+5.00", True),
        ("0.95", "-5.00", False),
        ("0.9499999", "-5.00", True),
        ("1", "0.00", False),
        ("0", "-100.00", True),
        ("1.00000001", "0.00", False),
    ],
)
def test_a_gap_is_flagged_above_five_per_cent(charge, spelled, far):
    found = charging("m", ("1", charge))
    made = release([found], [price("m")])
    (table,) = made.charge_tables
    assert texts(table, "Model m")[-1] == spelled + "^1" * far
    (verdict,) = [s.verdict for s in made.sanity_lines if s.check == "charges agree with list prices"]
    assert verdict == ("look" if far else "ok")
    # of one contender there is nothing to put together
    assert len(table.rows) == 1


def test_a_charge_beside_no_price_is_printed_and_compared_with_nothing():
    rows = [price("dated", valid_to="2026-12-01")]
    after = attempt(chat('{"prompt_tokens": 1000000, "completion_tokens": 0, "cost": 0.5}'), at="2026-12-02T00:00:00Z")
    before = after.model_copy(
        update={"item": "i1", "timing": after.timing.model_copy(update={"sent_at": "2026-12-01T00:00:00Z"})}
    )
    scores = [
        score("dated", [after, before], rows),
        score("never", [after], []),
        score("free", [after], [price("free", input="0")]),
    ]
    made = release(scores, [*rows, price("free", input="0")])
    (table,) = made.charge_tables
    assert texts(table, "Model dated") == ["1^1", "1.0000", "0.5000", "-50.00^2"]
    assert texts(table, "Model never") == ["0", "unknown^3", "0.5000", "n/a"]
    assert texts(table, "Model free") == ["1", "0.0000", "0.5000", "n/a^4"]
    assert table.notes == (
        "1 attempt with a charge has no known cost at list prices and is left out; charged in all: 1.0000 USD.",
        "More than 5 % away from the list prices.",
        "1 attempt with a charge has no known cost at list prices and is left out; charged in all: 0.5000 USD.",
        "Something was charged where the list prices come to nothing.",
        "2 attempts with a charge have no known cost at list prices and are left out; charged in all: 2.0000 USD.",
    )
    said = {s.text: s.verdict for s in made.sanity_lines if s.check == "charges agree with list prices"}
    assert said["Model free: charged 0.5000 USD against 0.0000 (the list prices say nought)."] == "look"
    assert not [text for text in said if "never" in text]
    _, _, cells = published(made)
    assert [c["cost"]["gap"] for c in cells["cells"]] == [-0.5, None, None]


def test_without_charges_nothing_is_said_of_them():
    made = release([charging("m", ("1", None))], [price("m")])
    assert made.charge_tables == ()
    markdown, page, _ = published(made)
    assert "Charged" not in markdown and "charges agree" not in page


# -- the cached share


def test_the_cached_share_is_printed_for_each_cell():
    scores = [
        score(
            "some",
            [attempt(chat(tokens(1000, 1, cached=125))), attempt(chat(tokens(1000, 1)), item=1)],
            [price("some")],
        ),
        score("none", [attempt(chat(tokens(1000, 1, cached=0)))], [price("none")]),
        score("silent", [attempt(chat(tokens(1000, 1)))], [price("silent")]),
    ]
    made = release(scores, [price(s.contender) for s in scores])
    (table,) = made.cached_tables
    assert texts(table, "Model some") == ["12.5^1"] and texts(table, "Model none") == ["0.0"]
    assert texts(table, "Model silent") == ["unknown^2"]
    assert table.rows[0].values[1].n == "125 / 1,000 tokens"
    assert table.notes == (
        "1 of 2 attempts do not say how much of their input was cached.",
        "1 of 1 attempts do not say how much of their input was cached.",
    )
    markdown, page, cells = published(made)
    assert line(markdown, "Cached share, %", "Model some") == "| Model some | 12.5 125 / 1,000 tokens<sup>1</sup> |"
    assert 'id="cached-share"' in page
    found = cells["cells"][0]["metrics"]["cached_share"]
    assert (found["value"], found["num"], found["den"], found["n"]) == (0.125, 125, 1000, 1)
    # it stands in one place
    assert "measure-cached-share" not in page and "Cached share." not in "".join(made.measure_lines)


def test_both_sums_stand_in_the_table_where_prices_have_changed() -> None:
    logged = [attempt(chat(tokens(1_000_000, 0)), item=n) for n in range(3)]
    old, new, same = price("m1", input="1"), price("m1", input="3"), price("m2", input="1")
    scores = [score("m1", logged, [new], others=[old]), score("m2", logged, [same])]
    assert (scores[0].cost_usd, scores[0].cost_other.priced_usd, scores[1].cost_other) == ("9", "3", None)
    text, _, document = published(release(scores, [new, same]))
    assert "| At the prices when asked, USD |" in text
    # who has the same prices in both has the same sum
    table = release(scores, [new, same]).spend_table
    assert (texts(table, "Model m1")[:2], texts(table, "Model m2")[:2]) == (["9.0000", "3.0000"], ["3.0000", "3.0000"])
    assert [c["cost_other"] and c["cost_other"]["priced_usd"] for c in document["cells"]] == ["3", None]
    merged = replace(release(scores, [new, same]), command="dmb report --runs a")
    assert merged.spend_table.columns[2].label == "At today's prices"
    assert release(scores[1:], [same]).spend_table.columns[2].label == "Per 1,000 decisions"
