"""A planted key is nowhere after anything that goes wrong: not in a file, not on the screen, in no spelling."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from dmb.contracts.attempt import Attempt
from dmb.simulate import Simulator
from dmb.simulate.faults import FAULTS
from dmb.store.attempts import read_attempts
from dmb.store.layout import raw_log
from dmb.store.runs import end_run, run_status
from dmb.transport.scrub import BLOT
from tests.engine.failing import KEY_VARIABLE, PRICES, Case, Trials, WaitedClock, quick_folder
from tests.engine.failures_table import GIVEN
from tests.engine.made_up import SERVED, Server, ask, begin, first_option, planned
from tests.planted import SECRET, spellings, traces, traces_below
from tests.simulate.asking import WAYS


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    # with the line feed that a shell leaves
    monkeypatch.setenv(KEY_VARIABLE, f"{SECRET}\n")


def test_the_search_finds_the_key_in_every_spelling(tmp_path: Path):
    for name, spelling in spellings().items():
        (tmp_path / "file").write_bytes(b"a" + spelling + b"b")
        assert name in traces_below(tmp_path)["file"]
    (tmp_path / "file").write_bytes(base64.b64encode(f"user:{SECRET}".encode()))
    assert traces_below(tmp_path)["file"]
    (tmp_path / "file").unlink()
    (tmp_path / f"x{SECRET[3:12]}").mkdir()
    assert traces_below(tmp_path)


def test_no_fault_of_any_provider_leaves_the_key_anywhere(capfd: pytest.CaptureFixture[str]):
    """Every fault over one wire, and the echo of a wrong key over all ways of asking."""
    found: dict[str, list[str]] = {}
    scrubbed: list[int] = []

    def look(home: Path) -> None:
        found.update(traces_below(home))
        (log,) = home.glob("runs/*/raw/*.jsonl")
        scrubbed.append(sum(row.n_scrubbed for row in read_attempts(log)))

    time = WaitedClock()
    with quick_folder() as folder, Simulator(seed=3, prices=PRICES, now=time.now) as simulator:
        trials = Trials(simulator, time, folder, look)
        for fault in FAULTS:
            trials.run(Case(fault, given=GIVEN[fault], n=1))
        assert sum(scrubbed) == 1, "one fault repeats the key once"
        scrubbed.clear()
        for way in WAYS:
            trials.run(Case("echo_key", way, n=1))
        assert scrubbed == [1] * len(WAYS)
    assert found == {}
    printed = capfd.readouterr()
    assert traces(printed.out.encode()) == traces(printed.err.encode()) == []


# -- a server that repeats the key wherever it can

OK = {"content-type": "application/json"}


def valid_with(note: str) -> Callable[[int, dict], tuple[int, dict, bytes]]:
    """A good answer with something beside it, as JSON that is already written."""

    def answer(number: int, body: dict) -> tuple[int, dict, bytes]:
        status, _, data = first_option(number, body)
        return status, OK, data[:-1] + b', "note": ' + note.encode() + b"}"

    return answer


def says(status: int, body: bytes, **headers: str) -> Callable[[int, dict], tuple[int, dict, bytes]]:
    return lambda *_: (status, OK | {n.replace("_", "-"): v for n, v in headers.items()}, body)


_JSON = json.dumps(SECRET)
_BASE64 = base64.b64encode(f"user:{SECRET}".encode()).decode()
_ERROR = json.dumps({"detail": {"error_type": "authentication_error", "message": f"Bearer {SECRET} is not valid"}})

#: Name -> (how it answers, what the question comes to).
ECHOES: dict[str, tuple[Callable[[int, dict], tuple[int, dict, bytes]], str]] = {
    "error": (says(401, _ERROR.encode()), "failed"),
    "error with escaped slashes": (says(400, _ERROR.replace("/", "\\/").encode()), "failed"),
    "error of a proxy": (says(403, f"<p>{html.escape(SECRET)}</p>".encode(), content_type="text/html"), "failed"),
    "overload": (says(503, _ERROR.encode(), retry_after=SECRET), "failed"),
    "redirect": (says(307, b"", location=f"https://elsewhere.example/?key={quote(SECRET, safe='')}"), "failed"),
    "header": (says(429, b"{}", x_you_sent=SECRET, retry_after_ms="0"), "failed"),
    "answer": (valid_with(_JSON), "valid"),
    "answer with JSON in a text": (valid_with(json.dumps(_JSON)), "valid"),
    "answer with a URL": (valid_with(json.dumps(f"https://a.example/?k={quote(SECRET, safe='')}")), "valid"),
    "answer with basic authentication": (valid_with(json.dumps(_BASE64)), "valid"),
    "answer of another model": (says(200, json.dumps({"model": SECRET, "answers": {}}).encode()), "malformed"),
    "no JSON": (says(200, f"your key is {SECRET}".encode()), "malformed"),
    "no UTF-8": (says(200, b"\xff\xfe" + SECRET.encode() + b"\xff"), "malformed"),
    "UTF-16": (says(200, f"<key>{SECRET}</key>".encode("utf-16")), "malformed"),
    "an unknown choice": (
        says(200, json.dumps({"answers": {"decision": {"type": SECRET, "choice": SECRET}}}).encode()),
        "malformed",
    ),
    "an encoding": (says(200, b"x", content_encoding=quote(SECRET)), "failed"),
}


@pytest.mark.parametrize("name", ECHOES)
def test_a_key_that_a_server_repeats_is_blotted_out_before_anything_is_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DMB_RECORD", str(tmp_path / "recorded"))
    answer, outcome = ECHOES[name]
    with Server(answer) as server:
        provider = {"address": server.address, "billed": False, "credential": [KEY_VARIABLE], "concurrency": 1}
        cell = planned("m", SERVED, provider)
        run = begin(cell)
        receipt = ask(run, cell)
        assert end_run(run) == run_status(run)
        # it was really sent, without the line feed
        assert {headers["authorization"] for _, headers, _ in server.sent} == {f"Bearer {SECRET}"}
    rows: list[Attempt] = list(read_attempts(raw_log(run, "m", "s")))
    assert receipt.outcomes[outcome] >= 1 and {r.outcome for r in rows} == {outcome}
    assert all(r.n_scrubbed >= 1 for r in rows), [r.n_scrubbed for r in rows]
    assert traces_below(tmp_path) == {}
    assert any((tmp_path / "recorded").rglob("*.json"))
    if name in ("error", "answer"):
        assert BLOT in raw_log(run, "m", "s").read_text()
    printed = capfd.readouterr()
    assert traces((printed.out + printed.err).encode()) == []
