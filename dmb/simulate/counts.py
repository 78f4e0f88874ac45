"""What the server counted: requests, answers, and its own bill. Used by one thread only."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from dmb.contracts.price import PriceRow
from dmb.price_tiers import STANDARD, tier_named
from dmb.pricing import attempt_cost_usd
from dmb.simulate.asked import Asked
from dmb.simulate.tokens import Tokens

#: So many different requests are told apart; it takes some 100 MB. Beyond, their number is unknown.
MOST_DISTINCT = 1_000_000

_DECISIONS = "decisions"


class Counts:
    """``now``: the clock that prices are read by."""

    def __init__(self, prices: Sequence[PriceRow], now: Callable[[], dt.datetime]) -> None:
        self._now = now
        self._rows: dict[tuple[str, str], list[PriceRow]] = {}
        for row in prices:
            self._rows.setdefault((row.provider, row.model), []).append(row)
        self._requests: Counter[tuple[str, str, str]] = Counter()
        self._attempts: dict[bytes, int] = {}
        self._full = False
        self._answered = 0
        self._billed = 0
        self._unpriced: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._usd = Decimal(0)
        self._in_flight: Counter[str] = Counter()
        self._peak: Counter[str] = Counter()
        self.n = 0

    def arrived(self, provider: str, digest: str) -> tuple[int, int]:
        """(its number on this server, how often this request has come), both from 1."""
        self.n += 1
        name = bytes.fromhex(digest)[:16] + provider.encode()
        attempt = self._attempts.get(name, 0) + 1
        if attempt > 1 or len(self._attempts) < MOST_DISTINCT:
            self._attempts[name] = attempt
        else:
            self._full = True
        return self.n, attempt

    def ended(self, provider: str, model: str, status: str) -> None:
        """How a request was dealt with: its status, or how the connection was broken."""
        self._requests[provider, model, status] += 1

    def entered(self, provider: str) -> None:
        """A request to it is at work from now on."""
        self._in_flight[provider] += 1
        self._peak[provider] = max(self._peak[provider], self._in_flight[provider])

    def left(self, provider: str) -> None:
        """Its reply has gone out, or whoever asked has."""
        self._in_flight[provider] -= 1

    def answered(self) -> None:
        """A model's reply left in full."""
        self._answered += 1

    def applied(self, fault: str) -> None:
        """A rule of the scenario fitted."""
        self._faults[fault] += 1

    def has_price(self, provider: str, model: str) -> bool:
        """Whether the table names it."""
        return (provider, model) in self._rows

    def price(self, asked: Asked, tokens: Tokens) -> Decimal | None:
        """What the price table makes of the work, in US dollars; None where it has no price.

        Priced is the tier that was ordered. OpenAI's decisions have prices of their own under the model's one name.
        """
        rows = self._rows.get((asked.provider, asked.model), ())
        own = asked.shape == "openai" and any(r.tier == _DECISIONS for r in rows)
        tier = _DECISIONS if own else tier_named(asked.tier) or STANDARD
        return attempt_cost_usd(rows, tokens.usage(), self._now(), tier)[0]

    def bill(self, provider: str, model: str, usd: Decimal | None) -> None:
        """A model worked: it is billed, whatever became of the reply."""
        self._billed += 1
        if usd is None:
            self._unpriced[f"{provider} {model}"] += 1
        else:
            self._usd += usd

    def as_json(self) -> dict[str, Any]:
        """All of it. ``distinct`` is null when there were too many to tell apart."""
        return {
            "requests": self.n,
            "distinct": None if self._full else len(self._attempts),
            "answered": self._answered,
            "billed": self._billed,
            "billed_usd": f"{self._usd:f}",
            "unpriced": dict(sorted(self._unpriced.items())),
            "faults": dict(sorted(self._faults.items())),
            "peak_in_flight": dict(sorted(self._peak.items())),
            "by": [
                {"provider": provider, "model": model, "status": status, "requests": n}
                for (provider, model, status), n in sorted(self._requests.items())
            ],
        }
