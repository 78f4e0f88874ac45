"""What an attempt cost, at its own instant."""

from __future__ import annotations

import datetime as dt
import importlib.util
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.contracts.attempt import Usage
from dmb.contracts.price import PriceRow
from dmb.planning.project import load_project
from dmb.pricing import GAP_SHOWN_ABOVE, attempt_cost_usd, compare_with_charge, row_at, worst_case_usd
from tests.conftest import PROJECT

NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def row(**fields) -> PriceRow:
    known = {"input": "0.75", "cached": "0.075", "cache_write": "0.9", "output": "4.50"}
    return PriceRow(**{"provider": "p", "model": "m", "source": "s", "checked_on": "2026-11-30"} | known | fields)


def usage(**fields) -> Usage:
    return Usage(**{"input_tokens": 1000, "output_tokens": 20} | fields)


@pytest.mark.parametrize(
    "counts, expected",
    [
        ({}, "0.00084"),
        ({"cached_tokens": 400}, "0.00057"),
        ({"cached_tokens": 400, "cache_write_tokens": 600}, "0.00066"),
        ({"cached_tokens": 1000}, "0.000165"),
        ({"input_tokens": 1, "output_tokens": 0}, "0.00000075"),
        # reasoning is part of the output
        ({"reasoning_tokens": 15}, "0.00084"),
    ],
)
def test_hand_computed(counts, expected):
    assert attempt_cost_usd([row()], usage(**counts), NOON) == (Decimal(expected), None)


@pytest.mark.parametrize(
    "rows, used, why",
    [
        ([], usage(), "no price row for this model and date"),
        ([row(valid_from="2026-12-01")], usage(), "no price row for this model and date"),
        ([row()], None, "usage not reported"),
        ([row()], usage(output_tokens=None), "usage not reported"),
        ([row(output=None)], usage(), "the price row is incomplete"),
        ([row(cached=None)], usage(cached_tokens=1), "no price for cached tokens"),
        ([row(cache_write=None)], usage(cache_write_tokens=1), "no price for cached tokens"),
        ([row()], usage(cached_tokens=700, cache_write_tokens=301), "usage buckets exceed the input"),
        ([row()], usage(reasoning_tokens=21), "reasoning tokens exceed the output"),
        ([row()], usage(input_tokens=0), "a prompt without any tokens"),
        ([row()], usage(input_tokens=0, output_tokens=0), "a prompt without any tokens"),
        ([row()], usage(input_tokens=10**30), "a token count that no model reaches"),
        ([row()], usage(output_tokens=-1), "a negative token count"),
        ([row(prompt_to=9)], usage(), "no price row for this model, prompt size and date"),
        ([row(prompt_to=9)], None, "usage not reported, and the price depends on the prompt's size"),
        (
            [row(prompt_to=9)],
            usage(input_tokens=None),
            "usage not reported, and the price depends on the prompt's size",
        ),
        ([row(prompt_to=9)], usage(output_tokens=None), "usage not reported"),
        ([row(tier="batch")], usage(), "no price row for this model and date"),
        ([row(hours="13:00-12:00")], usage(), "no price row for this model and date"),
    ],
)
def test_unknown_is_no_number_and_has_a_reason(rows, used, why):
    assert attempt_cost_usd(rows, used, NOON) == (None, why)


def test_what_nobody_bills_costs_nothing_and_needs_no_usage():
    free = row(unbilled=True, input=None, output=None)
    assert attempt_cost_usd([free], None, NOON) == (Decimal(0), None)


def test_a_cached_price_is_needed_only_where_something_is_cached():
    assert attempt_cost_usd([row(cached=None, cache_write=None)], usage(cached_tokens=0), NOON)[0] == Decimal("0.00084")


def test_dates_are_utc_days_with_both_ends_included():
    old, new = row(valid_to="2026-11-30"), row(valid_from="2026-12-01")
    last = dt.datetime(2026, 11, 30, 23, 59, 59, 999999, tzinfo=dt.UTC)
    assert row_at([old, new], last) == old
    assert row_at([old, new], last + dt.timedelta(microseconds=1)) == new
    # the same instant in a zone where it is tomorrow already
    assert row_at([old, new], last.astimezone(dt.timezone(dt.timedelta(hours=9)))) == old
    assert row_at([row(valid_from="2026-11-30", valid_to="2026-11-30")], NOON) is not None
    assert row_at([old, new], dt.datetime(2020, 1, 1, tzinfo=dt.UTC)) == old


def test_two_rows_at_once_are_an_error():
    with pytest.raises(ValueError, match="2 price rows of p m hold on 2026-11-30"):
        row_at([row(), row(valid_from="2026-01-01")], NOON)


# -- each side of every edge, in the shipped table


@pytest.fixture(scope="module")
def table():
    rows = load_project(PROJECT).prices.price
    return lambda provider, model: [r for r in rows if (r.provider, r.model) == (provider, model)]


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


@pytest.mark.parametrize(
    "at, expected",
    [
        # Monday 2026-11-30: 1,000 in and 20 out are 0.000162 off-peak, twice that at peak
        ("2026-11-30 00:59:59.999999", "0.000162"),
        ("2026-11-30 01:00", "0.000324"),
        ("2026-11-30 03:59:59.999999", "0.000324"),
        ("2026-11-30 04:00", "0.000162"),
        ("2026-11-30 05:59:59.999999", "0.000162"),
        ("2026-11-30 06:00", "0.000324"),
        ("2026-11-30 09:59:59.999999", "0.000324"),
        ("2026-11-30 10:00", "0.000162"),
        # Friday's last peak, the weekend, Monday's first
        ("2026-12-04 09:59", "0.000324"),
        ("2026-12-04 23:59:59.999999", "0.000162"),
        ("2026-12-05 00:00", "0.000162"),
        ("2026-12-05 02:00", "0.000162"),
        ("2026-12-06 09:00", "0.000162"),
        ("2026-12-07 00:00", "0.000162"),
        ("2026-12-07 01:00", "0.000324"),
    ],
)
def test_each_side_of_a_weekday_window(table, at, expected):
    assert attempt_cost_usd(table("deepseek", "deepseek-flash"), usage(), utc(at)) == (Decimal(expected), None)


@pytest.mark.parametrize(
    "provider, model, at, expected",
    [
        ("google", "gemini-4-argon", "2026-11-30 23:59:59.999999", "0.0022"),
        ("google", "gemini-4-argon", "2026-12-01 00:00", "0.0044"),
        ("google", "gemini-3.6-flash", "2026-12-31 23:59:59.999999", "0.000825"),
        ("google", "gemini-3.6-flash", "2027-01-01 00:00", "0.00165"),
        ("google", "gemini-3.8-flash", "2026-12-31 23:59:59.999999", "0.000825"),
        ("google", "gemini-3.8-flash", "2027-01-01 00:00", "0.00165"),
        ("openai", "gpt-5.6-luna", "2026-07-29 23:59:59.999999", "0.00112"),
        ("openai", "gpt-5.6-luna", "2026-07-30 00:00", "0.000224"),
        # midnight in UTC+8
        ("zai", "glm-5.3-flash", "2026-09-09 15:59:59.999999", "0.00008"),
        ("zai", "glm-5.3-flash", "2026-09-09 16:00", "0.00016"),
        ("zai", "glm-5.3-flash", "2026-09-10 00:00", "0.00016"),
    ],
)
def test_each_side_of_a_date(table, provider, model, at, expected):
    assert attempt_cost_usd(table(provider, model), usage(), utc(at)) == (Decimal(expected), None)


@pytest.mark.parametrize(
    "provider, model, tokens, cached, expected",
    [
        ("anthropic", "claude-haiku-5-5", 100_000, 0, "0.01001"),
        ("anthropic", "claude-haiku-5-5", 100_001, 0, "0.0500505"),
        # the size is that of the whole prompt, whatever of it was cached
        ("anthropic", "claude-haiku-5-5", 100_001, 100_000, "0.0050505"),
        ("openai", "gpt-6-luna", 272_000, 0, "0.02721"),
        ("openai", "gpt-6-luna", 272_001, 0, "0.0544152"),
        ("openai", "gpt-5.6-luna", 272_000, 0, "0.054424"),
        ("openai", "gpt-5.6-luna", 272_001, 0, "0.1088364"),
    ],
)
def test_each_side_of_a_prompt_size_step(table, provider, model, tokens, cached, expected):
    used = usage(input_tokens=tokens, cached_tokens=cached)
    assert attempt_cost_usd(table(provider, model), used, NOON) == (Decimal(expected), None)


@pytest.mark.parametrize(
    "at, peak",
    [
        # the clock springs ahead on 2026-03-29 and falls back on 2026-10-25
        ("2026-03-28 07:00", True),
        ("2026-03-29 05:59", False),
        ("2026-03-29 06:00", True),
        ("2026-03-29 16:00", False),
        ("2026-10-24 06:00", True),
        ("2026-10-25 06:59", False),
        ("2026-10-25 07:00", True),
        ("2026-10-25 16:59", True),
        ("2026-10-25 17:00", False),
    ],
)
def test_each_side_of_an_edge_in_a_zone_with_daylight_saving(at, peak):
    zone = {"zone": "Europe/Berlin"}
    rows = [row(hours="08:00-18:00", input="1.50", **zone), row(hours="18:00-08:00", **zone)]
    assert attempt_cost_usd(rows, usage(), utc(at))[0] == Decimal("0.00159" if peak else "0.00084")


def test_a_tier_is_priced_by_its_own_rows():
    rows = [row(), row(tier="batch", input="0.375", output="2.25")]
    assert attempt_cost_usd(rows, usage(), NOON) == (Decimal("0.00084"), None)
    assert attempt_cost_usd(rows, usage(), NOON, "batch") == (Decimal("0.00042"), None)
    assert attempt_cost_usd(rows, usage(), NOON, "flex") == (
        None,
        "no price row for this model and date in the flex tier",
    )
    assert row_at(rows, NOON, tier="batch") == rows[1]


def test_the_tier_that_served_is_priced_and_not_the_one_that_was_ordered():
    rows = [row(), row(tier="flex", input="0.375", output="2.25")]
    assert attempt_cost_usd(rows, usage(tier="standard"), NOON, "flex") == (Decimal("0.00084"), None)
    assert attempt_cost_usd(rows, usage(tier="flex"), NOON) == (Decimal("0.00042"), None)
    assert attempt_cost_usd(rows, usage(tier="priority"), NOON, "flex") == (
        None,
        "no price row for this model and date in the priority tier",
    )


def test_what_nobody_bills_is_billed_in_no_tier():
    free = row(unbilled=True, input=None, output=None)
    assert attempt_cost_usd([free], usage(tier="decisions"), NOON) == (Decimal(0), None)
    # one row that is billed, and the tier counts again
    found = attempt_cost_usd([free, row(tier="flex")], usage(tier="decisions"), NOON)
    assert found == (None, "no price row for this model and date in the decisions tier")


def test_the_most_that_a_request_can_cost_allows_for_the_tier_that_may_serve_instead():
    # 9,000 bytes and 1,000 tokens around them at 0.9, the dearest kind of input; 100 written at 4.50
    rows = [row(), row(tier="flex", input="0.375", cached="0.03", cache_write="0.45", output="2.25")]
    dearest = row(tier="priority", input="1.50", cached=None, cache_write=None, output="9.00")
    assert worst_case_usd(rows, 9_000, 100, NOON) == Decimal("0.00945")
    assert worst_case_usd(rows, 9_000, 100, NOON, "flex") == Decimal("0.00945")
    assert worst_case_usd([*rows, dearest], 9_000, 100, NOON, "priority") == Decimal("0.0159")
    # a tier without a price bounds nothing, whatever the standard one costs
    assert worst_case_usd(rows, 9_000, 100, NOON, "priority") is None
    assert worst_case_usd([row(unbilled=True, input=None, output=None)], 9_000, 100, NOON, "flex") == 0


def test_a_row_is_not_guessed_where_the_size_is_not_known():
    small, large = row(prompt_to=100), row(prompt_from=100)
    assert row_at([small, large], NOON) is None
    assert row_at([small], NOON) is None
    assert row_at([small, large], NOON, 99) == small
    assert row_at([small, large], NOON, 100) == large


# -- exactness

COUNTS = st.integers(0, 10**7)


@given(COUNTS.filter(bool), COUNTS, COUNTS, COUNTS)
def test_the_cost_is_the_exact_sum_of_its_buckets(fresh, cached, written, output):
    used = Usage(
        input_tokens=fresh + cached + written,
        cached_tokens=cached,
        cache_write_tokens=written,
        output_tokens=output,
        reasoning_tokens=output // 2,
    )
    cost, why = attempt_cost_usd([row(cached="0.0028")], used, NOON)
    prices = [Fraction("0.75"), Fraction("0.0028"), Fraction("0.9"), Fraction("4.5")]
    counts = (fresh, cached, written, output)
    assert why is None and isinstance(cost, Decimal)
    assert Fraction(cost) == sum(n * p for n, p in zip(counts, prices, strict=True)) / 10**6


def test_the_charge_beside_the_table_in_the_worked_example():
    gap = compare_with_charge(Decimal("0.5040"), Decimal("0.3748"))
    assert gap is not None and f"{gap:.2%}" == "-25.63%" and abs(gap) > GAP_SHOWN_ABOVE


@pytest.mark.parametrize(
    "table_usd, charged_usd, gap, shown",
    [
        ("1", "1.05", "0.05", False),
        ("1", "1.0501", "0.0501", True),
        ("1", "0.95", "-0.05", False),
        ("1", "0", "-1", True),
        ("0", "0", "0", False),
        ("0", "0.01", "Infinity", True),
    ],
)
def test_a_gap_is_a_share_of_the_table(table_usd, charged_usd, gap, shown):
    found = compare_with_charge(Decimal(table_usd), Decimal(charged_usd))
    assert found == Decimal(gap) and (abs(found) > GAP_SHOWN_ABOVE) is shown


def test_no_gap_is_made_up():
    assert compare_with_charge(None, Decimal(1)) is None
    assert compare_with_charge(Decimal(1), None) is None


# -- against genai-prices

needs_genai_prices = pytest.mark.skipif(
    importlib.util.find_spec("genai_prices") is None, reason="genai-prices is not installed: uv sync --group oracles"
)


#: Models whose rows begin within the days below: the package cannot say what held before.
BEGINS = {"deepseek-v4-pro": "2026-08-23"}


@needs_genai_prices
def test_genai_prices_computes_the_same_costs():
    import genai_prices
    import genai_prices.data

    providers = {p.id: p for p in genai_prices.data.providers}
    models = sorted({(r.provider, r.model) for r in load_project(PROJECT).prices.price if not r.unbilled})
    rows = load_project(PROJECT).prices.price
    # weekdays, since the package knows none, at hours on both sides of every edge
    days = ["2026-06-01", "2026-07-29", "2026-07-30", "2026-11-30", "2026-12-01", "2026-12-31", "2027-01-01"]
    hours = ["00:59:59", "01:00:00", "03:59:59", "04:00:00", "05:59:59", "06:00:00", "09:59:59", "10:00:00", "23:59:59"]
    compared = set()
    for provider, model in models:
        if provider not in providers or providers[provider].find_model(model) is None:
            continue
        those = [r for r in rows if (r.provider, r.model) == (provider, model)]
        cached, written = (all(getattr(r, k) is not None for r in those) for k in ("cached", "cache_write"))
        for day in (d for d in days if d >= BEGINS.get(model, "")):
            for hour in hours:
                for tokens in (1_000, 100_000, 100_001, 272_000, 272_001):
                    at = utc(f"{day} {hour}")
                    counts = {"input_tokens": tokens, "output_tokens": 77}
                    read, write = 300 * cached, 200 * written
                    theirs = genai_prices.calc_price(
                        genai_prices.Usage(**counts, cache_read_tokens=read, cache_write_tokens=write),
                        model_ref=model,
                        provider_id=provider,
                        genai_request_timestamp=at,
                    ).total_price
                    used = Usage(**counts, cached_tokens=read, cache_write_tokens=write)
                    assert attempt_cost_usd(those, used, at) == (theirs, None), (provider, model, at, tokens)
        compared.add((provider, model))
    assert len(compared) >= 15, compared


@needs_genai_prices
def test_what_the_script_proposes_prices_as_the_package_does():
    import genai_prices
    import genai_prices.data

    spec = importlib.util.spec_from_file_location("refresh_prices", PROJECT / "scripts/refresh_prices.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    providers = {p.id: p for p in genai_prices.data.providers}
    for provider, model in (("deepseek", "deepseek-flash"), ("openai", "gpt-5.6-luna"), ("google", "gemini-3.6-flash")):
        rows = list(script.proposed_rows(provider, model, providers[provider].find_model(model).prices))
        for at in ("2026-07-29 23:00", "2026-07-30 01:00", "2026-12-05 03:59", "2026-12-31 04:00", "2027-01-01 09:59"):
            for tokens in (272_000, 272_001):
                counts = {"input_tokens": tokens, "output_tokens": 77}
                theirs = genai_prices.calc_price(
                    genai_prices.Usage(**counts), model_ref=model, provider_id=provider, genai_request_timestamp=utc(at)
                )
                assert attempt_cost_usd(rows, Usage(**counts), utc(at)) == (theirs.total_price, None)
