"""Where in the list a contender's choices stand, beside where the right options stand."""

from __future__ import annotations

from dmb import metrics
from dmb.contracts.cell import PlaceRecord
from dmb.scoring.evidence import Evidence
from dmb.scoring.records import record, rounded

#: Lists that are all of one length, up to this one, are told place by place; others by thirds.
_SHORT = 4
_THIRDS = 3


def place_records(evidence: Evidence, slot: str) -> tuple[PlaceRecord, ...]:
    """From the top of the list to its end, over the valid decisions on items that have a right option.

    Lists of fewer than three options have no thirds: they are left out where lengths differ. Empty without a row.
    """
    rows = []
    # a list that is shown alike to many items is one object (scoring/evidence.py)
    ids_of: dict[int, list[str]] = {}
    for r in evidence.first_rows:
        output, gold = r.output(slot), r.item.gold.get(slot)
        if output is None or output.position is None or gold is None:
            continue
        if (ids := ids_of.get(id(r.shown))) is None:
            ids = ids_of[id(r.shown)] = [option for option, _ in r.shown]
        rows.append((output.position, ids.index(str(gold)), len(ids), r.item.group))
    lengths = {length for _, _, length, _ in rows}
    n_parts = lengths.pop() if len(lengths) == 1 and max(lengths) <= _SHORT else _THIRDS
    rows = [row for row in rows if row[2] >= n_parts]
    if not rows or n_parts < 2:
        return ()
    chosen, gold, length, groups = zip(*rows, strict=True)
    parts = metrics.position_rates(chosen, length, groups, gold=gold, n_parts=n_parts)
    return tuple(
        PlaceRecord(
            part=p.part,
            n_parts=n_parts,
            chosen=record(p.chosen),
            gold=rounded(p.gold) or 0.0,
            options=rounded(p.options) or 0.0,
            excess=record(
                metrics.paired_difference(
                    [k * n_parts // n == p.part for k, n in zip(chosen, length, strict=True)],
                    [k * n_parts // n == p.part for k, n in zip(gold, length, strict=True)],
                    groups,
                )
            ),
        )
        for p in parts
    )
