"""``dmb explain``: one number of a published release, led back to the bytes that it was made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

#: Rows that a terminal gets; `--all` and `--json` have every one.
ROWS_SHOWN = 12


def explain(
    release: Annotated[str, typer.Argument(help="Release, or a published file of it, e.g. results/v2.md.")],
    cell: Annotated[str, typer.Argument(help="Cell as contender.suite, e.g. keyword.starter-gate.")],
    metric: Annotated[str, typer.Argument(help="Measure as the cells file names it, e.g. accuracy_valid.")],
    part: Annotated[
        str | None, typer.Option("--slice", help="Of one slice only, e.g. n_options=8.", metavar="BY=VALUE")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help=f"All rows, not the first {ROWS_SHOWN}.")] = False,
    root: Annotated[
        Path, typer.Option("--root", help="Folder that holds the evidence as a project does: runs/, data/items/.")
    ] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, with all rows.")] = False,
) -> None:
    """Number -> rows -> attempts (file and byte) -> request digest -> item -> price row -> code digest.

    Exit code: 0, 2 for a release, cell or measure that there is not, 3 where the evidence is missing or damaged.
    """
    from dmb.cli.target import published_release
    from dmb.store.evidence_root import EvidenceRoot
    from dmb.store.layout import RESULTS
    from dmb.verify.explain import explain as explained

    found = explained(published_release(release), cell, metric, part, RESULTS, EvidenceRoot(root))
    if as_json:
        print(json.dumps(found, indent=1))
    else:
        print("\n".join(_lines(found, None if everything else ROWS_SHOWN)))


def _lines(found: dict[str, Any], most: int | None) -> list[str]:
    number = found["number"]
    at = f" at {found['slice']}" if found["slice"] else ""
    simulated = " (simulated answers)" if found["simulated"] else ""
    lines = [f"{found['metric']} of {found['cell']}{at} in release {found['release']}{simulated}", found["what"], ""]
    lines.append(f"  number     {_number(number)}")
    if number["note"]:
        lines.append(f"  note       {number['note']}")
    same = found["published"] == number["value"]
    lines.append(f"  published  {'the same' if same else found['published']}")
    lines.append(f"  rows       {_counted(found)}")
    for name, of in found["evidence"].items():
        lines.append(f"  {name:<10} {_file(of)}".rstrip())
    for place, price in enumerate(found["prices"]):
        lines.append(f"  price {place:<4} {_price(price)}")
    code = found["code"]
    other = "" if code["scoring"] == code["scoring_here"] else ", and the code here is another"
    lines.append(
        f"  code       scoring {code['scoring'][:16]} ({code['asker']}){other}, publishing {code['publishing'][:16]}"
    )
    lines += ["", *_rows(found["rows"], most)]
    return lines


def _number(number: dict[str, Any]) -> str:
    if number["value"] is None:
        return "none"
    low, high = number["low"], number["high"]
    interval = f"  [{low}, {high}]" if low is not None or high is not None else ""
    ratio = f"  = {number['num']} / {number['den']}" if number["den"] is not None else ""
    groups = f" in {number['n_groups']} groups" if number["n_groups"] not in (None, number["n"]) else ""
    return f"{number['value']}{interval}{ratio}  (n {number['n']}{groups})"


def _counted(found: dict[str, Any]) -> str:
    counted = "" if found["n_counted"] is None else f", {found['n_counted']} of them in the numerator"
    return f"{found['n_rows']}{counted}"


def _file(of: dict[str, str | None]) -> str:
    name = of.get("file") or of.get("name") or ""
    sha = f"sha256 {of['sha256'][:16]}" if of.get("sha256") else ""
    return "  ".join(
        filter(None, (name, sha, f"prompt version {of['prompt_version']}" if "prompt_version" in of else ""))
    )


def _price(price: dict[str, Any]) -> str:
    if price.get("unbilled"):
        return f"nobody bills ({price['source']})"
    amounts = [f"{kind} {price[kind]}" for kind in ("input", "cached", "cache_write", "output") if price.get(kind)]
    return f"USD per million tokens: {', '.join(amounts)}; {price['window']}; {price['source']}, {price['checked_on']}"


def _rows(rows: list[dict[str, Any]], most: int | None) -> list[str]:
    lines = []
    for row in rows[:most]:
        mark = {True: "+", False: "-", None: " "}[row["counts"]]
        where = "".join(f" {k} {row[k]}" for k in ("permutation", "repeat") if row[k])
        confidence = "" if row["confidence"] is None else f", confidence {row['confidence']}"
        answer = (
            f"{row['answer']}, gold {row['gold']}{confidence}" if row["outcome"] == "valid" else row["reason"] or ""
        )
        value = f"; {row['value']}" if row["value"] else ""
        lines.append(f"{mark} {row['item']}{where}: {row['outcome']}: {answer}{value}")
        lines += [f"    {_attempt(a)}" for a in row["attempts"]]
        lines += [f"    compared with {_attempt(a)}" for a in row.get("compared_with", ())]
    if most is not None and len(rows) > most:
        lines.append(f"… {len(rows) - most} more rows; --all lists them")
    return lines


def _attempt(attempt: dict[str, Any]) -> str:
    text = f"{attempt['file']}:{attempt['byte']}  request {attempt['request'][:16]}"
    if "cost_usd" in attempt:
        cost = attempt["cost_note"] if attempt["cost_usd"] is None else f"{attempt['cost_usd']} USD"
        text += f"  {cost}" + ("" if attempt["price"] is None else f" by price {attempt['price']}")
    return text + (f"  taken over from {attempt['taken_over_from']}" if attempt["taken_over_from"] else "")
