"""Propose price rows from the installed genai-prices package and show where data/prices.toml differs, model by model.

Usage: python scripts/refresh_prices.py [--toml] [MODEL …]      (needs `uv sync --group oracles`)

Writes nothing, and nothing at run time depends on it. The package knows start dates, UTC hours and prompt sizes; its last
row that holds wins, so its rows are cut into disjoint windows here. Weekdays, zones, other tiers than standard, what
ended before its oldest start, and each row's source are kept by hand: such rows always show as a difference.
``--toml`` also prints the proposed rows of the models that differ.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from dmb.contracts.price import PriceRow  # noqa: E402
from dmb.planning.project import load_project  # noqa: E402
from dmb.price_windows import window_text  # noqa: E402

#: DMB's column -> the package's.
PRICES = {
    "input": "input_mtok",
    "cached": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "output": "output_mtok",
}


def main() -> None:
    """Print the differences."""
    wanted = [a for a in sys.argv[1:] if not a.startswith("-")]
    try:
        from genai_prices import data
    except ImportError:
        raise SystemExit("genai-prices is not installed: uv sync --group oracles") from None
    table: dict[tuple[str, str], list[PriceRow]] = {}
    project = load_project(ROOT)
    for entry in project.contenders.values():
        if project.providers[entry.provider].billed and entry.retired_on is None:
            table[entry.provider, entry.model] = []
    for row in project.prices.price:
        if not row.unbilled:
            table.setdefault((row.provider, row.model), []).append(row)
    providers = {p.id: p for p in data.providers}
    n_same = 0
    for (provider, model), rows in table.items():
        if wanted and model not in wanted:
            continue
        known = providers[provider].find_model(model) if provider in providers else None
        if known is None:
            print(f"{provider} {model}: unknown to genai-prices")
            continue
        proposed = list(proposed_rows(provider, model, known.prices))
        ours, theirs = ({as_line(r) for r in side} for side in (rows, proposed))
        if ours == theirs:
            n_same += 1
            continue
        print(f"{provider} {model}")
        for sign, lines in (("-", ours - theirs), ("+", theirs - ours)):
            for line in sorted(lines):
                print(f"  {sign} {line}")
        if known.price_comments:
            print(f"  # {' '.join(known.price_comments.split())}")
        if "--toml" in sys.argv[1:]:
            print("\n" + "\n".join(as_toml(r) for r in proposed))
    print(f"{n_same} models as in data/prices.toml. `-` is there, `+` is in genai-prices {version()}.")


def proposed_rows(provider: str, model: str, prices: Any) -> Iterator[PriceRow]:
    """The package's rows as disjoint windows: every date, hour and size at which anything changes cuts."""
    conditional = prices if isinstance(prices, list) else [prices]
    whens = [getattr(row, "constraint", None) for row in conditional]
    values = [getattr(row, "prices", row) for row in conditional]
    starts = sorted({w.start_date for w in whens if hasattr(w, "start_date")})
    clock = {minute(t) for w in whens if hasattr(w, "start_time") for t in (w.start_time, w.end_time)}
    sizes = {
        tier.start + 1 for v in values for name in PRICES.values() for tier in getattr(getattr(v, name), "tiers", ())
    }
    for first, following in pairwise([None, *starts, None]):
        day = first or (following - dt.timedelta(days=1) if following else dt.date(2026, 1, 1))
        steps: list[list[Any]] = []
        for size, above in pairwise([0, *sorted(sizes), None]):
            spans: list[list[Any]] = []
            for begin, end in pairwise(sorted({0, 24 * 60} | clock)):
                at = dt.datetime.combine(day, dt.time(*divmod(begin, 60)), dt.UTC)
                # the last row that holds wins
                holding = [v for w, v in zip(whens, values, strict=True) if w is None or w.active(at)]
                found = {k: at_size(getattr(holding[-1], name), size) for k, name in PRICES.items()} if holding else {}
                extend(spans, begin, end, found)
            extend(steps, size, above, spans)
        for size, above, spans in steps:
            for begin, end, found in spans:
                if any(price is not None for price in found.values()):
                    yield PriceRow(
                        provider=provider,
                        model=model,
                        valid_from=first,
                        valid_to=following - dt.timedelta(days=1) if following else None,
                        hours=None if end - begin == 24 * 60 else f"{hh_mm(begin)}-{hh_mm(end)}",
                        prompt_from=size or None,
                        prompt_to=above,
                        source=f"genai-prices {version()}",
                        checked_on=dt.datetime.now(dt.UTC).date(),
                        **found,
                    )


def extend(pieces: list[list[Any]], begin: int, end: int | None, value: Any) -> None:
    """Append (begin, end, value), or lengthen the last piece where its value is the same."""
    if pieces and pieces[-1][2] == value:
        pieces[-1][1] = end
    else:
        pieces.append([begin, end, value])


def at_size(price: Any, size: int) -> Any:
    """The package takes a step where the prompt is greater than the step's start."""
    tiers = [tier for tier in getattr(price, "tiers", ()) if size > tier.start]
    return max(tiers, key=lambda t: t.start).price if tiers else getattr(price, "base", price)


def minute(clock: dt.time) -> int:
    """Of the day in UTC, as the package's hours are."""
    if clock.tzinfo not in (None, dt.UTC):
        raise SystemExit(f"genai-prices has hours in {clock.tzinfo}: add that row by hand")
    return clock.hour * 60 + clock.minute


def hh_mm(minutes: int) -> str:
    """``01:30``."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def as_line(row: PriceRow) -> str:
    """Window and prices, 0.20 and 0.2 alike."""
    prices = ((name, getattr(row, name)) for name in PRICES)
    known = ", ".join(f"{name} {price.normalize():f}" for name, price in prices if price is not None)
    return f"{window_text(row) or 'always'}: {known}"


def as_toml(row: PriceRow) -> str:
    """As it would stand in the table."""
    lines = ["[[price]]"]
    for name, value in row.model_dump(exclude_defaults=True).items():
        bare = isinstance(value, int | dt.date)
        lines.append(f"{name} = {value if bare else chr(34) + str(value) + chr(34)}")
    return "\n".join(lines) + "\n"


def version() -> str:
    """Of the installed package."""
    return metadata.version("genai-prices")


if __name__ == "__main__":
    main()
