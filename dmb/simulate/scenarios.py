"""Scenario text -> contract, and which rule a request falls under."""

from __future__ import annotations

from collections.abc import Collection

from dmb.contracts.scenario import FaultRule, Scenario
from dmb.errors import InputError
from dmb.inputs import nearest, parse_toml, validate
from dmb.simulate.asked import Asked
from dmb.simulate.faults import FAULTS, parameters_of
from dmb.simulate.faults.errors import RETRY_FORMS
from dmb.simulate.speakers import SPEAKERS
from dmb.simulate.speech import SPEECH

#: Nothing goes wrong.
FAIR = Scenario(name="fair")


def read_scenario(text: str, file: str, providers: Collection[str] = ()) -> Scenario:
    """A scenario file's text. ``providers``: ids beyond those that the simulator knows by itself.

    Raises ``InputError`` for the first fault of the file.
    """
    scenario = validate(Scenario, parse_toml(text, file), file, text)
    check_scenario(scenario, file)
    known = {*SPEAKERS, *providers}
    for i, rule in enumerate(scenario.fault):
        if rule.provider is not None and rule.provider not in known:
            raise _error(file, i, "provider", f"unknown provider {rule.provider!r}", nearest(rule.provider, known))
    return scenario


def check_scenario(scenario: Scenario, file: str) -> None:
    """Every fault, wire and parameter is one that there is. Raises ``InputError``."""
    for i, rule in enumerate(scenario.fault):
        if rule.do not in FAULTS:
            raise _error(file, i, "do", f"unknown fault {rule.do!r}", nearest(rule.do, FAULTS))
        if rule.wire is not None and rule.wire not in SPEECH:
            raise _error(file, i, "wire", f"unknown wire {rule.wire!r}", nearest(rule.wire, SPEECH))
        known = parameters_of(rule.do)
        for name in rule.parameters():
            if name not in known:
                raise _error(file, i, name, f"no parameter of {rule.do}", nearest(name, known) or "it has none")
        if rule.form is not None and rule.form not in RETRY_FORMS:
            raise _error(file, i, "form", f"unknown form {rule.form!r}", nearest(rule.form, RETRY_FORMS))
        if None not in (rule.from_request, rule.to_request) and rule.from_request > rule.to_request:  # type: ignore[operator]
            raise _error(file, i, "to_request", "is below from_request", "give the later one last")


def _error(file: str, i: int, field: str, problem: str, mend: str) -> InputError:
    return InputError(file, f"fault.{i}.{field}", problem, mend)


def matching_rule(scenario: Scenario, asked: Asked) -> tuple[int, FaultRule] | None:
    """The first that fits, with its place in the file."""
    return next(((i, rule) for i, rule in enumerate(scenario.fault) if _fits(rule, asked, i)), None)


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
