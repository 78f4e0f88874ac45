"""Where the tables that people write lie, and the little of them that the scoring of one cell takes.

`project.py` reads and checks all of them, once, before anything else happens. A job that scores a cell comes after that:
it reads its suite and its model's prices, and loads neither builders nor baselines.
"""

from __future__ import annotations

from pathlib import Path

from dmb.contracts.contender import Provider
from dmb.contracts.price import PriceRow, PricesFile
from dmb.contracts.suite import SuiteFile
from dmb.errors import InputError
from dmb.inputs import parse_toml, validate

CONFIG = "config.yaml"
CONTENDERS = "data/contenders.toml"
PROVIDERS = "data/providers.toml"
PRICES = "data/prices.toml"
SOURCES = "data/sources.toml"
SUITES = "data/suites"


def table_text(root: Path, file: str) -> str:
    """The text of a table. Raises ``InputError``."""
    try:
        return (root / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(file, "", "is not here", "run the command in the project's folder") from None
    except UnicodeDecodeError as e:
        raise InputError(file, "", f"is no UTF-8 text (byte {e.start})", "save it as UTF-8") from None


def rows_or_unbilled(rows: tuple[PriceRow, ...], name: str, model: str, provider: Provider) -> tuple[PriceRow, ...]:
    """The rows of a model; one that says so where it has none and its provider ``name`` bills nobody."""
    if rows or provider.billed:
        return rows
    return (PriceRow(provider=name, model=model, unbilled=True, source=f"{PROVIDERS}: billed = false"),)


def suite_and_prices(
    suite: str, provider: str, model: str, root: Path = Path()
) -> tuple[SuiteFile, tuple[PriceRow, ...]]:
    """What ``load_project`` has of a suite and of a model, read by itself. Raises ``InputError``."""
    file = f"{SUITES}/{suite}.toml"
    text = table_text(root, file)
    spec = validate(SuiteFile, parse_toml(text, file), file, text)
    entries = parse_toml(table_text(root, PROVIDERS), PROVIDERS)
    if provider not in entries:
        raise InputError(PROVIDERS, provider, "is gone since it was asked", "put it back, or start again")
    rows = [
        row
        for row in parse_toml(table_text(root, PRICES), PRICES).get("price", ())
        if (row.get("provider"), row.get("model")) == (provider, model)
    ]
    found = validate(PricesFile, {"price": rows}, PRICES).price
    return spec, rows_or_unbilled(found, provider, model, Provider.model_validate(entries[provider]))
