"""The input tables of a checkout, read and checked together before anything else happens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from dmb.contracts.config import Config, Release
from dmb.contracts.contender import Contender, Lane, Provider
from dmb.contracts.frozen import Slug
from dmb.contracts.price import PriceRow, PricesFile
from dmb.contracts.source import Source
from dmb.contracts.suite import SuiteFile
from dmb.errors import InputError
from dmb.inputs import nearest, parse_toml, parse_yaml, validate
from dmb.planning.contender_tables import MAY_HOLD_A_KEY, check_contenders, check_providers, check_sayable
from dmb.planning.rehearsal import SUFFIX
from dmb.planning.tables import CONFIG, CONTENDERS, PRICES, PROVIDERS, SOURCES, SUITES, rows_or_unbilled, table_text
from dmb.price_windows import first_overlap, window_text
from dmb.sources import load_sources
from dmb.suites import BUILDERS

#: Contenders of this provider answer in the asking process.
IN_PROCESS = "in-process"


@dataclass(frozen=True)
class Project:
    """Everything that people write, parsed. ``nicknames``: any name of a suite -> its id."""

    config: Config
    contenders: dict[str, Contender]
    providers: dict[str, Provider]
    prices: PricesFile
    sources: dict[str, Source]
    suites: dict[str, SuiteFile]
    nicknames: dict[str, str]

    def suite_id(self, name: str, file: str, field: str) -> str:
        """The id behind an id or nickname. Raises ``InputError`` with the nearest known name."""
        if name not in self.nicknames:
            raise InputError(file, field, f"unknown suite {name!r}", nearest(name, self.nicknames))
        return self.nicknames[name]

    def contender_id(self, name: str, file: str, field: str) -> str:
        """The same for a contender; a retired one is refused by name."""
        if name not in self.contenders:
            raise InputError(file, field, f"unknown contender {name!r}", nearest(name, self.contenders))
        retired, successor = self.contenders[name].retired_on, self.contenders[name].replaced_by
        if retired is not None and retired <= date.today():  # noqa: DTZ011 - a calendar day, as providers announce it
            mend = f"{successor!r} took its place" if successor else "choose the model that replaced it"
            raise InputError(file, field, f"contender {name!r} was retired on {retired}", mend)
        return name

    def asks_as(self, suite: SuiteFile) -> SuiteFile:
        """The suite that states the question: itself, or the one whose question it borrows."""
        return suite if suite.question.same_as is None else self.suites[suite.question.same_as]

    def lane(self, provider: str) -> Lane:
        """The lane in which a provider's contenders are asked; several providers may share one."""
        head = self.providers[provider].lane or provider
        return Lane(id=head, concurrency=self.providers[head].concurrency, limits=self.providers[head].limits)

    def credentials(self) -> list[str]:
        """Every variable that may hold a key, sorted."""
        return sorted({name for provider in self.providers.values() for name in provider.credential})

    def price_rows(self, contender: str) -> tuple[PriceRow, ...]:
        """The rows of this contender's model, in the file's order; one that says so where its provider bills nobody."""
        entry = self.contenders[contender]
        rows = self._rows_by_model.get((entry.provider, entry.model), ())
        return rows_or_unbilled(rows, entry.provider, entry.model, self.providers[entry.provider])

    @cached_property
    def _rows_by_model(self) -> dict[tuple[str, str], tuple[PriceRow, ...]]:
        """(provider, model) -> rows: every cell asks for its own, and a price file has rows of hundreds of models."""
        found: dict[tuple[str, str], list[PriceRow]] = {}
        for row in self.prices.price:
            found.setdefault((row.provider, row.model), []).append(row)
        return {model: tuple(rows) for model, rows in found.items()}


def load_project(root: Path = Path()) -> Project:
    """Read and check all tables below ``root``. Raises ``InputError`` for the first fault."""
    contenders_text = table_text(root, CONTENDERS)
    contenders = {
        _slug(name, CONTENDERS): validate(Contender, entry, CONTENDERS, contenders_text, name)
        for name, entry in parse_toml(contenders_text, CONTENDERS).items()
    }
    providers_text = table_text(root, PROVIDERS)
    providers = {
        _slug(name, PROVIDERS): validate(Provider, entry, PROVIDERS, providers_text, name, MAY_HOLD_A_KEY)
        for name, entry in parse_toml(providers_text, PROVIDERS).items()
    }
    prices_text = table_text(root, PRICES)
    prices = validate(PricesFile, parse_toml(prices_text, PRICES), PRICES, prices_text)
    sources = load_sources(root / SOURCES)
    suites = _suites(root)
    config_text = table_text(root, CONFIG)
    config = validate(Config, parse_yaml(config_text, CONFIG), CONFIG, config_text)
    nicknames = {name: s.id for s in suites.values() for name in (s.id, *s.nicknames)}
    project = Project(config, contenders, providers, prices, sources, suites, nicknames)
    check_providers(providers)
    check_contenders(contenders, providers)
    _check_suites(project)
    _check_prices(project)
    _check_config(project)
    return project


def _slug(name: str, file: str) -> str:
    try:
        return TypeAdapter(Slug).validate_python(name)
    except ValidationError:
        raise InputError(file, f"[{name}]", "no id", "use lower-case words joined by single hyphens") from None


def _suites(root: Path) -> dict[str, SuiteFile]:
    suites: dict[str, SuiteFile] = {}
    names: dict[str, str] = {}
    for path in sorted((root / SUITES).glob("*.toml")):
        if path.name == "review.toml":
            continue
        file = f"{SUITES}/{path.name}"
        text = table_text(root, file)
        suite = validate(SuiteFile, parse_toml(text, file), file, text)
        if suite.id != path.stem:
            raise InputError(file, "id", f"is {suite.id!r}", f"it must be the file's name, {path.stem!r}")
        for name in (suite.id, *suite.nicknames):
            if name in names:
                raise InputError(file, "nicknames", f"{name!r} names {names[name]} already", "choose another")
            names[name] = suite.id
        suites[suite.id] = suite
    return suites


def _check_prices(p: Project) -> None:
    """At every instant at most one row of a model, size and tier holds: otherwise nobody could say which is the price."""
    found = first_overlap(p.prices.price)
    if found is None:
        return
    a, b, when = found
    windows = " and ".join(f"'{window_text(row) or 'always'}'" for row in (a, b))
    raise InputError(
        PRICES,
        f"{a.provider} {a.model}",
        f"two rows hold at {when}: {windows}",
        "end the earlier one with valid_to, or drop one",
    )


def _check_suites(p: Project) -> None:
    for s in p.suites.values():
        file = f"{SUITES}/{s.id}.toml"
        check_sayable(s.items.params, file, "items.params")
        check_sayable(s.gate, file, "gate")
        if other := next((slot for slot in s.slots if slot.kind != "choice"), None):
            # the contract knows the kinds to come; asking and judging them is not built yet
            raise InputError(
                file, f"slots.{other.id}.kind", f"{other.kind!r} cannot be asked yet", 'use kind = "choice"'
            )
        if s.items.builder not in BUILDERS:
            raise InputError(
                file, "items.builder", f"unknown builder {s.items.builder!r}", nearest(s.items.builder, BUILDERS)
            )
        for source in (*s.items.sources, *s.attribution):
            if source not in p.sources:
                raise InputError(file, "items.sources", f"unknown source {source!r}", nearest(source, p.sources))
        links = {
            "items.suite": s.items.suite,
            "question.same_as": s.question.same_as,
            "metrics.compare_with": s.metrics.compare_with,
            "baseline.prior": s.baseline.prior,
        }
        for field, other in links.items():
            if other is not None and other not in p.suites:
                raise InputError(file, field, f"unknown suite {other!r}", nearest(other, p.suites))
        for field in ("items.suite", "question.same_as", "metrics.compare_with"):
            if links[field] == s.id:
                raise InputError(file, field, "names the suite itself", "name another suite or leave it out")
        if (s.question.instructions is None) == (s.question.same_as is None):
            raise InputError(file, "question", "needs either instructions or same_as", "give one of the two")
        if s.question.same_as is not None and p.suites[s.question.same_as].question.same_as is not None:
            raise InputError(
                file,
                "question.same_as",
                f"{s.question.same_as} borrows its question itself",
                "name the suite that states it",
            )


def _check_config(p: Project) -> None:
    for name in p.config.all:
        if name not in p.config.releases:
            raise InputError(CONFIG, "all", f"unknown release {name!r}", nearest(name, p.config.releases))
    for name, release in p.config.releases.items():
        _slug(name, CONFIG)
        if name.endswith(SUFFIX):
            raise InputError(
                CONFIG, f"releases.{name}", f"ends in {SUFFIX!r}, as simulated twins do", "choose another name"
            )
        check_release(p, name, release)


def check_release(p: Project, name: str, release: Release) -> None:
    """Every suite and contender is known, none stands twice, and a suite is there with the one it is compared with."""
    field = f"releases.{name}"
    suites = [p.suite_id(s, CONFIG, f"{field}.suites") for s in release.suites]
    contenders = [p.contender_id(c, CONFIG, f"{field}.contenders") for c in release.contenders]
    for ids, what in ((suites, "suites"), (contenders, "contenders")):
        if twice := next((i for i in ids if ids.count(i) > 1), None):
            raise InputError(CONFIG, f"{field}.{what}", f"{twice!r} stands twice", "name it once")
    for s in suites:
        other = p.suites[s].metrics.compare_with
        if other is not None and other not in suites:
            raise InputError(
                CONFIG,
                f"{field}.suites",
                f"{s!r} is compared with {other!r}, which is not in the release",
                f"add {other!r}",
            )
