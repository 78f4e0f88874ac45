"""``dmb audit``: what a build would ask, why, and at most how much it would cost. Writes nothing, asks nothing."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Annotated, Any

import typer


def audit(
    target: Annotated[
        str | None, typer.Argument(help="Release or published file, e.g. results/v2.md; default: those under `all`.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (a list for several releases).")
    ] = False,
) -> None:
    """What would be asked, scored and published, and which part of which key changed."""
    from dmb.cli.target import releases_of
    from dmb.planning.auditing import audit_release, audit_sealed
    from dmb.planning.plan import Planner
    from dmb.planning.project import load_project
    from dmb.planning.sealed import draft_of

    project = load_project()
    planner = Planner(project)
    now = dt.datetime.now(dt.UTC)
    audits = [
        audit_sealed(planner, r) if draft_of(r) else audit_release(project, planner.release(r), now)
        for r in releases_of(target, project)
    ]
    if as_json:
        print(json.dumps(audits[0] if len(audits) == 1 else audits, indent=1))
        return
    for a in audits:
        _print(a)


def _total(costs: list[str | None]) -> str:
    known = sum((Decimal(c) for c in costs if c is not None), Decimal(0))
    unknown = costs.count(None)
    rest = f", and what {unknown} cells cost is not known before their items are built" if unknown else ""
    return f"{known:.2f} USD{rest}"


def _print(a: dict[str, Any]) -> None:
    print(f"release {a['release']}")
    if "sealed" in a:
        print("  is sealed and never built again")
        for what in a["changed"]:
            print(f"  changed since: {what}")
        if a["next"]:
            draft = a["next"].partition(".")[0]
            print(f"  next: `snakemake results/{draft}.md`, then `dmb seal {draft} --as {a['next']}`")
        return
    if a["ask"]:
        known = [c["max_cost_usd"] for c in a["ask"]]
        total = _total(known)
        calls = sum(c["calls"] for c in a["ask"])
        print(f"  asks {len(a['ask'])} cells, {calls} questions (retries apart), at most {total}:")
        width = max(len(f"{c['contender']} x {c['suite']}") for c in a["ask"])
        for c in a["ask"]:
            cost = "" if c["max_cost_usd"] in (None, "0") else f"  at most {Decimal(c['max_cost_usd']):.2f} USD"
            name = f"{c['contender']} x {c['suite']}"
            print(f"    {name:<{width}}  {c['calls']:>4} questions{cost}  {', '.join(c['changed'])}")
    else:
        print("  asks nothing")
    for u in a["unknown"]:
        print(f"  unknown until fetched: {u['suite']} for {len(u['contenders'])} contenders: {u['mend']}")
    if a["skip"]:
        reasons: dict[str, list[str]] = {}
        for c in a["skip"]:
            reasons.setdefault(c["reason"], []).append(c["contender"])
        for reason, who in reasons.items():
            print(f"  skips {len(who)} cells ({reason}): {', '.join(dict.fromkeys(who))}")
    for r in a["restorable"]:
        print(f"  {r['archive']} holds the answers of {len(r['cells'])} of these cells: `dmb restore {r['archive']}`")
    print(f"  scores {len(a['score'])} cells" if a["score"] else "  scores nothing")
    print("  publishes" if a["publish"] else "  publishes nothing: the report is up to date")
