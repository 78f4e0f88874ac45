"""Every contract, and every table of this project read through one."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import pydantic
import pytest

import dmb.contracts
from dmb.contracts.frozen import Frozen, FrozenLate, Sha256, Slug
from dmb.errors import InputError
from dmb.planning.project import Project, load_project
from tests.conftest import PROJECT

MODULES = [importlib.import_module(f"dmb.contracts.{m.name}") for m in pkgutil.iter_modules(dmb.contracts.__path__)]
MODELS = sorted(
    {
        m
        for module in MODULES
        for m in vars(module).values()
        if isinstance(m, type) and issubclass(m, pydantic.BaseModel)
    }
    - {Frozen, FrozenLate, pydantic.BaseModel},
    key=lambda m: m.__name__,
)

#: Models whose price is not known on purpose; data/prices.toml says why.
UNPRICED = {"gpt-6-luna-decisions-openrouter"}


@pytest.fixture(scope="module")
def project() -> Project:
    return load_project(PROJECT)


def test_the_models_are_found():
    assert {"Attempt", "Receipt", "SuiteFile", "Config", "Contender", "PriceRow"} <= {m.__name__ for m in MODELS}


@pytest.mark.parametrize("model", MODELS)
def test_a_contract_is_frozen_closed_and_without_behaviour(model):
    assert issubclass(model, Frozen)
    assert model.model_config["frozen"] is True and model.model_config["extra"] == "forbid"
    with pytest.raises(pydantic.ValidationError) as caught:
        model.model_validate({"no_such_field": 1})
    assert "extra_forbidden" in {e["type"] for e in caught.value.errors()}
    own = {
        n for n, v in vars(model).items() if callable(v) and not n.startswith("_") and n not in dir(pydantic.BaseModel)
    }
    assert own == set()
    assert model.__doc__ and model.__doc__ != Frozen.__doc__


@pytest.mark.parametrize("model", MODELS)
def test_a_field_cannot_be_set(model):
    made = model.model_construct()
    with pytest.raises(pydantic.ValidationError, match="frozen"):
        setattr(made, next(iter(model.model_fields)), 1)


@pytest.mark.parametrize("model", MODELS)
def test_a_default_is_valid_and_no_two_objects_share_one(model):
    for name, field in model.model_fields.items():
        if field.is_required():
            continue
        default = field.get_default(call_default_factory=True)
        adapter = pydantic.TypeAdapter(field.annotation)
        assert adapter.validate_python(default) == default, name


def parsed(kind: Any, value: str) -> bool:
    try:
        pydantic.TypeAdapter(kind).validate_python(value)
    except pydantic.ValidationError:
        return False
    return True


@pytest.mark.parametrize("word", ["a", "intent-77", "7", "a-b-c", "a" * 60])
def test_slugs(word):
    assert parsed(Slug, word)


@pytest.mark.parametrize("word", ["", "A", "a_b", "a--b", "-a", "a-", "a b", "a.b", "a/b", "..", "a\n", "é", "a" * 61])
def test_what_cannot_stand_in_a_path_is_no_slug(word):
    assert not parsed(Slug, word)


def test_digests_are_64_lower_case_hex_digits():
    assert parsed(Sha256, "0a" * 32)
    assert not any(parsed(Sha256, w) for w in ("0a" * 31, "0A" * 32, "0a" * 32 + "\n", "0g" * 32))


def test_the_tables_are_read_together_and_are_not_empty(project):
    assert len(project.contenders) > 10 and len(project.providers) > 5 and len(project.prices.price) > 5
    files = {p.stem for p in (PROJECT / "data/suites").glob("*.toml")}
    assert set(project.suites) == files - {"review"}


def test_every_contender_has_a_price_or_is_known_to_have_none(project):
    today = {
        name for name, entry in project.contenders.items() if entry.retired_on is None and not project.price_rows(name)
    }
    assert today == UNPRICED


def test_a_price_row_belongs_to_a_provider(project):
    assert {r.provider for r in project.prices.price} <= set(project.providers)


def test_a_price_is_free_or_has_input_and_output(project):
    for row in project.prices.price:
        prices = (row.input, row.output, row.cached, row.cache_write)
        assert (prices == (None,) * 4) if row.unbilled else (row.input is not None and row.output is not None)
        assert all(p is None or p >= 0 for p in prices)
        provider = project.providers.get(row.provider)
        assert row.unbilled is (provider is not None and not provider.billed)


def test_a_billed_provider_has_an_address_and_names_its_credential(project):
    for name, provider in project.providers.items():
        assert not provider.billed or (provider.address and provider.credential), name
        assert provider.address is None or provider.address.startswith("https://"), name
        # names of variables, never values
        assert all(v.isupper() and v.isidentifier() for v in provider.credential), name


def test_every_contender_of_a_release_is_asked_by_something_known(project):
    for release in project.config.releases.values():
        assert set(release.contenders) <= set(project.contenders)
    for entry in project.contenders.values():
        assert entry.provider in project.providers


@pytest.mark.parametrize(
    "file, field",
    [
        ("data/contenders.toml", "provider"),
        ("data/providers.toml", "billed"),
        ("data/prices.toml", "checked_on"),
        ("data/sources.toml", "licence"),
        ("data/suites/starter-gate.toml", "instructions"),
        ("config.yaml", "contenders"),
    ],
)
def test_a_misspelt_field_of_a_table_is_refused_with_the_file(project_copy, file, field):
    path = project_copy / file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f"{field} =", f"{field}x =").replace(f"{field}:", f"{field}x:"), encoding="utf-8")
    with pytest.raises(InputError, match=rf"^{file}: .*did you mean '{field}'\?$"):
        load_project()
