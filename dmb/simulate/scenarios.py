"""Scenario text -> contract, and which rule a request falls under."""

from __future__ import annotations

from dmb.contracts.scenario import FaultRule, Scenario
from dmb.inputs import parse_toml, validate
from dmb.simulate.asked import Asked

#: Nothing goes wrong.
FAIR = Scenario(name="fair")


def read_scenario(text: str, file: str) -> Scenario:
    """Raises ``InputError`` for the first fault of the file."""
    return validate(Scenario, parse_toml(text, file), file, text)


def matching_rule(scenario: Scenario, asked: Asked) -> FaultRule | None:
    """The first that fits."""
    return next((rule for i, rule in enumerate(scenario.fault) if _fits(rule, asked, i)), None)


def _fits(rule: FaultRule, asked: Asked, i: int) -> bool:
    wanted = ((rule.provider, asked.provider), (rule.model, asked.model), (rule.wire, asked.wire))
    if any(want is not None and want != is_ for want, is_ in wanted):
        return False
    if rule.first is not None and asked.attempt > rule.first:
        return False
    if rule.from_request is not None and asked.number < rule.from_request:
        return False
    if rule.to_request is not None and asked.number > rule.to_request:
        return False
    if rule.every is not None and asked.number % rule.every:
        return False
    # each rule draws by itself: two rules of a half each leave a quarter alone
    return rule.share is None or asked.draw.fraction(f"share {i}") < rule.share
