"""What the server counts and bills is exact, whoever asks at the same time."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import threading
from decimal import Decimal

import httpx
import pytest

from dmb.contracts.price import PriceRow
from dmb.contracts.scenario import FaultRule, Scenario
from dmb.simulate import Simulator
from dmb.simulate.asked import Asked
from dmb.simulate.counts import Counts
from dmb.simulate.draws import Draw
from dmb.simulate.speakers import SPEAKERS
from dmb.simulate.tokens import Tokens
from tests.simulate.asking import PRICES, WAYS, ask, plain_client, request

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


def test_counts_are_exact_under_sixteen_threads():
    """Every thread asks 40 of 100 questions, some twice; a quarter of the first attempts meets a limit."""
    rule = FaultRule(do="rate_limit", form="none", share=0.25, first=1)
    seen: list[tuple[str, int]] = []
    with Simulator(scenario=Scenario(name="s", fault=(rule,)), prices=PRICES) as s:

        def work(first: int) -> None:
            with plain_client() as c:
                for i in range(40):
                    number = (first * 7 + i) % 100
                    r = ask(c, s.address, WAYS["jev"], request(f"state {number}"))
                    seen.append((r.outcome, r.response.status_code))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        counts = s.counts()
    limited = sum(status == 429 for _, status in seen)
    assert len(seen) == 640 == counts["requests"]
    assert counts["distinct"] == 100
    assert counts["answered"] == counts["billed"] == 640 - limited
    assert counts["faults"] == {"rate_limit": limited}
    # chosen by digest: each of these questions is refused exactly once, however many ask at once
    assert 10 <= limited <= 40
    assert {(b["status"], b["requests"]) for b in counts["by"]} == {("200", 640 - limited), ("429", limited)}
    assert all((b["provider"], b["model"]) == ("typesafe", "jev-1.14.0") for b in counts["by"])


def test_the_most_at_once_is_counted_and_whoever_leaves_is_no_longer_at_work():
    with Simulator(scenario=Scenario(name="s", delay_ms=400)) as s:
        impatient = [threading.Thread(target=_ask_for, args=(s.address, n, 0.1)) for n in range(3)]
        for t in impatient:
            t.start()
        for t in impatient:
            t.join()
        # a turn of the loop takes in that they have gone
        assert s.counts()["peak_in_flight"] == {"typesafe": 3}
        _ask_for(s.address, 9, 5.0)
        patient = [threading.Thread(target=_ask_for, args=(s.address, n, 5.0)) for n in range(10, 14)]
        for t in patient:
            t.start()
        for t in patient:
            t.join()
        assert s.counts()["peak_in_flight"] == {"typesafe": 4}


def _ask_for(address: str, number: int, seconds: float) -> None:
    with plain_client(seconds) as c, contextlib.suppress(httpx.TimeoutException):
        ask(c, address, WAYS["jev"], request(f"state {number}"))


def test_the_bill_is_the_sum_that_a_hand_makes():
    """From the usage in the replies, at the list prices: jev 0.042 for input, Haiku 1.00 and 5.00."""
    total = Decimal(0)
    with Simulator(prices=PRICES) as s, plain_client() as c:
        for i in range(7):
            jev = ask(c, s.address, WAYS["jev"], request(f"state {i}")).usage
            total += Decimal(jev.input_tokens) * Decimal("0.042") / 1_000_000
            haiku = ask(c, s.address, WAYS["claude-tool"], request(f"state {i}")).usage
            total += (haiku.input_tokens * Decimal(1) + haiku.output_tokens * Decimal(5)) / 1_000_000
        assert Decimal(s.counts()["billed_usd"]) == total > 0


def test_cached_and_written_tokens_have_their_own_prices():
    with Simulator(prices=PRICES) as s, plain_client() as c:
        for do in ("cached_tokens", "cache_write_tokens"):
            s.use(Scenario(name=do, fault=(FaultRule(do=do, tokens=100),)))
            usage = ask(c, s.address, WAYS["claude-tool"]).usage
            before = Decimal(s.counts()["billed_usd"])
            ask(c, s.address, WAYS["claude-tool"])
            more = Decimal(s.counts()["billed_usd"]) - before
            price = Decimal("0.10") if do == "cached_tokens" else Decimal("1.25")
            expected = (usage.input_tokens - 100) + 100 * price + usage.output_tokens * 5
            assert more == expected / 1_000_000


def test_a_reply_that_breaks_is_billed_and_one_that_never_came_is_not():
    with Simulator(prices=PRICES) as s, plain_client() as c:
        for do, billed in (("reset_mid_body", 1), ("close_mid_body", 2), ("reset", 2), ("close", 2), ("slow_drip", 3)):
            s.use(Scenario(name=do, fault=(FaultRule(do=do, **({"ms": 0} if do == "slow_drip" else {})),)))
            ask(c, s.address, WAYS["jev"])
            assert s.counts()["billed"] == billed, do
        assert s.counts()["answered"] == 1
        assert {b["status"]: b["requests"] for b in s.counts()["by"]} == {"reset": 2, "close": 2, "200": 1}


def test_a_client_that_leaves_while_it_waits_is_billed_and_not_answered():
    with Simulator(scenario=Scenario(name="slow", delay_ms=300), prices=PRICES) as s:
        with plain_client(0.05) as c:
            assert ask(c, s.address, WAYS["jev"]).reason == "ReadTimeout"
        with plain_client() as c:
            ask(c, s.address, WAYS["jev"], request("another"))
        counts = s.counts()
    assert (counts["requests"], counts["billed"], counts["answered"]) == (2, 2, 1)


def test_counts_over_http_are_the_same_and_count_nothing():
    with Simulator(prices=PRICES) as s, plain_client() as c:
        ask(c, s.address, WAYS["jev"])
        assert c.get(f"{s.address}/_simulate/counts").json() == s.counts()
        about = c.get(f"{s.address}/_simulate/about").json()
        assert about == s.about() and about["simulated"] is True and about["seed"] == 0
        assert len(about["scenario"]["digest"]) == 64
        assert s.counts()["requests"] == 1


def test_counts_stay_readable_after_the_end():
    with Simulator() as s, plain_client() as c:
        ask(c, s.address, WAYS["jev"])
    assert s.counts()["requests"] == 1


def asked_of(provider: str, model: str, shape: str = "", **body) -> Asked:
    speaker = SPEAKERS[provider]
    return Asked(provider, speaker, "chat_completions", shape, model, body, {}, Draw(0, "d"), NOW)


def test_each_attempt_is_priced_at_its_own_instant():
    """DeepSeek costs twice as much on a Monday at 02:00 UTC as at 05:00."""
    at = [dt.datetime(2026, 11, 30, hour, tzinfo=dt.UTC) for hour in (2, 5)]
    asked, tokens = asked_of("deepseek", "deepseek-flash"), Tokens(input=1000, output=100)
    prices = [Counts(PRICES, lambda when=when: when).price(asked, tokens) for when in at]
    assert prices == [Decimal("0.00042"), Decimal("0.00021")]


def row(tier: str, output: str) -> PriceRow:
    return PriceRow(
        provider="openai", model="m", tier=tier, input="1", output=output, source="s", checked_on="2026-11-30"
    )


def test_the_tier_that_was_ordered_is_priced():
    counts = Counts([row("standard", "10"), row("flex", "4"), row("decisions", "0")], lambda: NOW)
    tokens = Tokens(input=1_000_000, output=1_000_000)
    for tier, usd in ((None, 11), ("auto", 11), ("default", 11), ("flex", 5), ("batch", None)):
        body = {} if tier is None else {"service_tier": tier}
        assert counts.price(asked_of("openai", "m", **body), tokens) == usd, tier
    # OpenAI's decisions have a price of their own under the model's one name
    assert counts.price(asked_of("openai", "m", shape="openai"), tokens) == 1


@pytest.mark.parametrize(
    "way, word, tier",
    [
        ("gpt", "flex", "flex"),
        ("responses", "priority", "priority"),
        ("gemini", "batch", "batch"),
        ("gpt", "auto", None),
    ],
)
def test_the_tier_that_was_ordered_serves(way, word, tier):
    ordered = dataclasses.replace(WAYS[way], settings={**WAYS[way].settings, "service_tier": word})
    with Simulator() as s, plain_client() as c:
        assert ask(c, s.address, ordered).usage.tier == (tier or "standard")
