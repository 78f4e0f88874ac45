"""Which kind of confidence each contender gives, suite by suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.publish.table import Column, Row, Table, Value, words
from dmb.publish.tables.matrix import answered, not_asked

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: Said under the table for those kinds that occur.
KINDS = {
    "native-probability": "the probability that the model itself puts on the option it chose",
    "native": "a field of the provider's own that is not documented as that probability",
    "stated": "a number that the model wrote because the question asked for one",
    "logprob": "computed from the probabilities of the answer's tokens",
    "rule": "computed by the rule of a baseline",
}


def table(release: Release) -> Table:
    """Rows are contenders, columns are suites."""
    rows, seen = [], {}
    for contender in answered(release, release.suites):
        scores = [release.cells[contender, suite] for suite in release.suites]
        seen |= dict.fromkeys(kind for score in scores for kind in score.confidence_kinds)
        places = [Value(words(s.confidence_kinds), simulated=s.simulated, muted=not s.confidence_kinds) for s in scores]
        rows.append(Row((Value(release.label(contender)), *places)))
    return Table(
        id="confidence-kinds",
        title="Kinds of confidence",
        caption="Everybody is asked for the probability that the chosen option is correct. Where that comes from differs, "
        "and numbers of different kinds are to be compared with care.",
        columns=(Column("Contender", numeric=False), *(Column(s, numeric=False, code=True) for s in release.suites)),
        rows=tuple(rows),
        remarks=(*(f"`{kind}`: {KINDS[kind]}." for kind in KINDS if kind in seen), *not_asked(release, release.suites)),
    )
