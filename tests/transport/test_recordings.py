"""Recording beside real servers on loopback, and answering from what was recorded without any socket."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dmb.canonical import text_digest
from dmb.contracts.recording import RecordedExchange, RecordedRequest
from dmb.contracts.scenario import FaultRule, Scenario
from dmb.engine.askers import WireAsker
from dmb.engine.judge import Verdict, judge
from dmb.engine.serve import ServedModel
from dmb.errors import DamagedFile, DmbError, MissingEvidence
from dmb.simulate import Simulator
from dmb.store.exchanges import ExchangeFolder
from dmb.store.files import pretty_json
from dmb.transport import RECORD_VARIABLE
from dmb.transport.allow_list import NAMES_KEPT, AllowList
from dmb.transport.exchange import Exchange
from dmb.transport.identifiers import BLOT
from dmb.transport.live import LiveTransport
from dmb.transport.recordings import RecordingTransport, ReplayTransport, exchange_key
from tests.conftest import PROJECT
from tests.engine.made_up import Server
from tests.oracles.asking import CHOICE, project, question
from tests.simulate.asking import OPTIONS, WAYS, Way, request

KEY = "sk-a-planted-key-0123456789"
POST = ("POST", "/v1/systemone", '{"model": "m"}', {"authorization": f"Bearer {KEY}"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where live transports of the engine record to."""
    monkeypatch.setenv(RECORD_VARIABLE, str(tmp_path / "recorded"))
    return tmp_path / "recorded"


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From when it is called, whoever makes a socket or looks up a name fails."""

    def forbid() -> None:
        def refuse(*_: Any, **__: Any) -> None:
            raise AssertionError("a replay has no socket")

        for name in ("socket", "create_connection", "getaddrinfo", "socketpair"):
            monkeypatch.setattr(socket, name, refuse)

    return forbid


def asker(way: Way, address: str, replay: Path | None = None, timeout_s: float = 5.0) -> WireAsker:
    return WireAsker(
        way.wire, way.model, way.settings, way.dialect, way.provider, address, KEY, 1, timeout_s, replay=replay
    )


def put(one: WireAsker, asked: Any) -> tuple[tuple[Any, ...], Verdict]:
    """(what the transport gave, what it comes to)."""
    a = one.ask(asked, one.call(asked), ("i", 0, 0), asked.options)
    shown = [(f"o{n}", text_digest(text)) for n, text in enumerate(asked.options)]
    verdict = judge(one.name, a.status, a.headers, a.reply, a.failure, shown, asked.slots)
    return (a.status, a.reply, a.failure, a.sent), verdict


# -- one exchange, recorded and replayed

#: What a simulated provider does.
DOES = (
    *("fair", "refusal", "truncated", "duplicate_keys", "nan", "non_utf8", "cut_json", "empty_body", "html_502"),
    *("rate_limit", "bad_key", "reset", "close_mid_body"),
)


@pytest.mark.parametrize("does", DOES)
def test_replayed_is_what_the_simulator_said(does: str, folder: Path, no_sockets: Callable[[], None]) -> None:
    rules = () if does == "fair" else (FaultRule(do=does),)
    live = {}
    with Simulator(Scenario(name=does, fault=rules), seed=3) as simulator:
        for name, way in WAYS.items():
            one = asker(way, f"{simulator.address}/{way.provider}")
            live[name] = put(one, request())
            one.close()
    no_sockets()
    for name, way in WAYS.items():
        one = asker(way, "http://nowhere.invalid", replay=folder)
        (status, reply, failure, sent), verdict = put(one, request())
        one.close()
        (live_status, live_reply, live_failure, live_sent), live_verdict = live[name]
        assert (status, failure, sent) == (live_status, live_failure, live_sent), name
        assert verdict == live_verdict, name
        try:
            read = (json.loads(reply, object_pairs_hook=list), json.loads(live_reply, object_pairs_hook=list))
        except ValueError:
            allowed = AllowList(way.call(request()).body)
            kept = allowed.body(live_reply.decode("utf-8", "surrogateescape"))
            assert reply == kept.encode("utf-8", "surrogateescape"), name
        else:
            check_same(*read, stays=True)


def check_same(got: Any, came: Any, stays: bool) -> None:
    """What was replayed is what came, but for values below names that are not on the list. Objects are lists of pairs."""
    if not stays:
        assert got in (BLOT, 0, False, None, []) and type(got) is type(came)
    elif isinstance(came, list) and came and isinstance(came[0], tuple):
        assert [name for name, _ in got] == [name for name, _ in came]
        for (name, g), (_, c) in zip(got, came, strict=True):
            check_same(g, c, name in NAMES_KEPT or name in OPTIONS or name == "decision")
    elif isinstance(came, list):
        assert len(got) == len(came)
        for g, c in zip(got, came, strict=True):
            check_same(g, c, stays)
    else:
        assert got == came or came != came


def test_jevcompats_mock_is_replayed(folder: Path, no_sockets: Callable[[], None]) -> None:
    mock = pytest.importorskip("jevcompat.mock", reason="oracle for a System One client: jevcompat is not installed")
    config = mock.MockConfig()
    server = mock.make_server(config)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    way = Way("typesafe", "systemone", "jev-1.13.0")
    asked = question(3, CHOICE)._replace(options=("Billing", "R\u00e9clamation", "other"))
    one = asker(way, f"http://127.0.0.1:{server.server_port}")
    faults = [None, *sorted(mock.FAULTS)]
    live = []
    for fault in faults:
        config.faults = frozenset({fault} if fault else ())
        live.append(put(one, asked))
    one.close()
    server.shutdown()
    server.server_close()
    [path] = folder.glob("*/*.json")
    assert len(json.loads(path.read_bytes())["exchanges"]) == len(faults)
    no_sockets()
    one = asker(way, "", replay=folder)
    for fault, ((status, _, _, _), verdict) in zip(faults, live, strict=True):
        (again, _, _, _), replayed = put(one, asked)
        assert again == status, fault
        assert replayed.outcome == verdict.outcome, fault
        if verdict.outcome == "valid":
            assert replayed == verdict, fault


@pytest.mark.skipif(
    shutil.which("sparrow-decider", path=str(Path(sys.executable).parent)) is None,
    reason="sparrow-decider is not installed",
)
def test_a_real_decision_model_is_replayed(folder: Path, tmp_path: Path, no_sockets: Callable[[], None]) -> None:
    entry = project().contenders["sparrow-nano"]
    way = Way("sparrow", "systemone", entry.model)
    questions = [question(2, CHOICE), question(77, CHOICE), question(2, CHOICE)._replace(options=("a",))]
    served = ServedModel(entry.serve, entry.health, entry.env, tmp_path / "log")
    one = asker(way, served.address, timeout_s=30.0)
    live = [put(one, q) for q in questions]
    one.close()
    served.close()
    no_sockets()
    one = asker(way, "", replay=folder)
    replayed = [put(one, q) for q in questions]
    assert [v for _, v in replayed] == [v for _, v in live]
    assert [v.outcome for _, v in live] == ["valid", "valid", "failed"]
    for (got, _), (came, _) in zip(replayed, live, strict=True):
        # how long it took is nobody's answer
        assert got[1] == came[1] or json.loads(got[1]) == json.loads(came[1]) | {"latency_ms": 0}


# -- which exchange answers


def reply(n: int) -> tuple[int, dict, bytes]:
    return 200, {}, json.dumps({"status": f"number {n}"}).encode()


def record(server: Server, recordings: ExchangeFolder, n: int, body: str = POST[2]) -> list[Exchange]:
    one = RecordingTransport(recordings, "lab", LiveTransport(server.address, 5.0, (KEY,)))
    sent = [one.send(POST[0], POST[1], body, POST[3]) for _ in range(n)]
    one.close()
    return sent


def test_the_nth_time_gets_the_nth_exchange(tmp_path: Path) -> None:
    recordings = ExchangeFolder(tmp_path)
    with Server(lambda n, _: reply(n)) as server:
        record(server, recordings, 2)
        record(server, recordings, 1, '{"model": "other"}')
        # another process, or another start, goes on in the same file
        record(server, recordings, 1)
    one = ReplayTransport(recordings, "lab")
    bodies = [one.send(*POST[:3], {}).body for _ in range(2)]
    other = one.send(POST[0], POST[1], '{"model": "other"}', {}).body
    bodies.append(one.send(*POST[:3], {"authorization": "Bearer another"}).body)
    assert [json.loads(b)["status"] for b in (*bodies, other)] == ["number 1", "number 2", "number 4", "number 3"]
    with pytest.raises(MissingEvidence, match="was recorded 3 times only"):
        one.send(*POST)
    # a replay that begins anew begins with the first
    assert json.loads(ReplayTransport(recordings, "lab").send(*POST).body)["status"] == "number 1"


def test_threads_share_what_there_is(tmp_path: Path) -> None:
    recordings = ExchangeFolder(tmp_path)
    with Server(lambda n, _: reply(n)) as server:
        record(server, recordings, 12)
    one = ReplayTransport(recordings, "lab")
    got: list[bytes] = []
    threads = [threading.Thread(target=lambda: got.extend(one.send(*POST).body for _ in range(3))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(json.loads(b)["status"] for b in got) == sorted(f"number {n}" for n in range(1, 13))


def test_times_are_unknown_and_what_was_never_sent_stays_so(tmp_path: Path) -> None:
    recordings = ExchangeFolder(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as s:
        address = f"http://127.0.0.1:{s.getsockname()[1]}"
    one = RecordingTransport(recordings, "lab", LiveTransport(address, 5.0))
    came = one.send(*POST)
    again = ReplayTransport(recordings, "lab").send(*POST)
    assert (came.status, came.sent) == (again.status, again.sent) == (None, False)
    assert again.error == came.error and "refused" in again.error
    with Server(lambda n, _: reply(n)) as server:
        record(server, recordings, 1, "{}")
    again = ReplayTransport(recordings, "lab").send(*POST[:2], "{}", {})
    times = (again.request_ms, again.first_byte_ms, again.connect_ms, again.tls_ms)
    assert times == (None, None, None, None) and not again.new_connection and again.sent


def test_a_timeout_is_one_again(tmp_path: Path) -> None:
    recordings = ExchangeFolder(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as s:
        one = RecordingTransport(recordings, "lab", LiveTransport(f"http://127.0.0.1:{s.getsockname()[1]}", 0.05))
        assert one.send(*POST).timed_out
    assert ReplayTransport(recordings, "lab").send(*POST).timed_out


# -- misses and damage


@pytest.mark.parametrize("change", ["provider", "method", "path", "body"], ids=lambda c: f"another {c}")
def test_a_miss_names_key_provider_method_and_path_in_one_line(tmp_path: Path, change: str) -> None:
    recordings = ExchangeFolder(tmp_path)
    with Server(lambda n, _: reply(n)) as server:
        record(server, recordings, 1)
    asked = {"provider": "lab", "method": POST[0], "path": POST[1], "body": POST[2]}
    asked |= {change: {"method": "PUT", "path": "/v2", "provider": "other", "body": "{}"}[change]}
    one = ReplayTransport(recordings, asked["provider"])
    with pytest.raises(MissingEvidence) as e:
        one.send(asked["method"], asked["path"], asked["body"], {})
    told = str(e.value)
    assert exchange_key(RecordedRequest(**asked)) in told and "\n" not in told
    assert f"{asked['method']} {asked['path']} of {asked['provider']}" in told and "was never recorded" in told
    assert str(recordings.path(asked["provider"], exchange_key(RecordedRequest(**asked)))) in told


def good(tmp_path: Path) -> tuple[ExchangeFolder, Path, dict[str, Any]]:
    recordings = ExchangeFolder(tmp_path)
    with Server(lambda n, _: reply(n)) as server:
        record(server, recordings, 1)
    [path] = tmp_path.glob("lab/*.json")
    return recordings, path, json.loads(path.read_bytes())


@pytest.mark.parametrize(
    "damage",
    [
        lambda r: None,
        lambda r: [],
        lambda r: {},
        lambda r: r | {"exchanges": None},
        lambda r: r | {"exchanges": [{"status": "200"}]},
        lambda r: r | {"exchanges": [[]]},
        lambda r: r | {"exchanges": [r["exchanges"][0] | {"body_base64": "%%%"}]},
        lambda r: r | {"exchanges": [r["exchanges"][0] | {"headers": {"retry-after": 5}}]},
        lambda r: r | {"exchanges": [r["exchanges"][0] | {"note": "by hand"}]},
        lambda r: r | {"key": r["key"][:16] + "0" * 48},
        lambda r: r | {"request": r["request"] | {"body": "{}"}},
        lambda r: r | {"request": r["request"] | {"provider": "../lab"}},
    ],
)  # fmt: skip
def test_a_damaged_recording_is_one_line(tmp_path: Path, damage: Callable[[dict[str, Any]], Any]) -> None:
    recordings, path, sound = good(tmp_path)
    path.write_bytes(pretty_json(damage(sound)))
    with pytest.raises(DamagedFile) as e:
        ReplayTransport(recordings, "lab").send(*POST)
    assert str(e.value).startswith(f"{path}: is damaged") and "\n" not in str(e.value)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe{}", b'{"key": "' + b"a" * 99])
def test_a_recording_that_is_no_json_is_one_line(tmp_path: Path, data: bytes) -> None:
    recordings, path, _ = good(tmp_path)
    path.write_bytes(data)
    with pytest.raises(DamagedFile, match="is damaged: it holds no JSON") as e:
        ReplayTransport(recordings, "lab").send(*POST)
    assert "\n" not in str(e.value)


def test_a_recording_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    recordings, path, _ = good(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(DmbError, match="cannot be read"):
        ReplayTransport(recordings, "lab").send(*POST)


def test_without_a_folder_there_is_nothing_to_replay(tmp_path: Path) -> None:
    with pytest.raises(MissingEvidence, match="is no folder of recorded exchanges; record them with DMB_RECORD"):
        asker(WAYS["jev"], "", replay=tmp_path / "nowhere")


# -- what cannot be written down


def test_a_paid_reply_is_returned_though_it_cannot_be_written_down(tmp_path: Path) -> None:
    recordings, path, _ = good(tmp_path)
    path.write_bytes(b"{")
    with Server(lambda n, _: reply(n)) as server:
        one = RecordingTransport(recordings, "lab", LiveTransport(server.address, 5.0))
        assert one.send(*POST).status == 200
        with pytest.raises(DamagedFile, match="is damaged"):
            one.send(*POST)
        assert len(server.sent) == 1
        # told once: whoever goes on all the same may close it
        one.close()
        one = RecordingTransport(recordings, "lab", LiveTransport(server.address, 5.0))
        assert one.send(*POST).status == 200
        with pytest.raises(DamagedFile, match="is damaged"):
            one.close()
    assert path.read_bytes() == b"{"


def test_another_request_under_the_same_name_is_not_written_over(tmp_path: Path) -> None:
    recordings, path, sound = good(tmp_path)
    path.write_bytes(pretty_json(sound | {"key": sound["key"][:16] + "0" * 48}))
    before = path.read_bytes()
    with Server(lambda n, _: reply(n)) as server, pytest.raises(DamagedFile, match="move it away"):
        record(server, recordings, 1)
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(RECORD_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(DmbError, match="file: exchanges cannot be recorded there: File exists"):
        asker(WAYS["jev"], "http://127.0.0.1:9")


# -- many at once

WRITER = """
import sys, threading
from pathlib import Path
from dmb.store.exchanges import ExchangeFolder
from dmb.transport.live import LiveTransport
from dmb.transport.recordings import RecordingTransport

address, folder, name = sys.argv[1:]
one = RecordingTransport(ExchangeFolder(Path(folder)), "lab", LiveTransport(address, 30.0))

def work(thread):
    for n in range(5):
        one.send("POST", "/v1/systemone", '{"same": true}', {})
        one.send("POST", "/v1/systemone", '{"own": "%s %d %d"}' % (name, thread, n), {})

threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
for t in threads: t.start()
for t in threads: t.join()
one.close()
"""


def test_threads_and_processes_record_into_one_folder_and_nothing_is_lost(tmp_path: Path) -> None:
    with Server(lambda n, _: reply(n)) as server:
        command = [sys.executable, "-c", WRITER, server.address, str(tmp_path / "recorded")]
        writers = [
            subprocess.Popen([*command, name], cwd=PROJECT, stderr=subprocess.PIPE, env=os.environ) for name in "ab"
        ]
        assert [w.communicate(timeout=120)[1] for w in writers] == [b"", b""]
        assert len(server.sent) == 80
    files = {p: json.loads(p.read_bytes()) for p in (tmp_path / "recorded/lab").glob("*.json")}
    assert len(files) == 41
    same = [r for r in files.values() if "same" in r["request"]["body"]]
    assert [len(r["exchanges"]) for r in same] == [40]
    told = [json.loads(x["body"])["status"] for r in files.values() for x in r["exchanges"]]
    assert sorted(told) == sorted(f"number {n}" for n in range(1, 81))
    # and nothing half-written lies about
    assert {p.name for p in (tmp_path / "recorded/lab").iterdir()} == {".lock", *(p.name for p in files)}


# -- what is on disk


def test_a_recording_holds_the_question_and_no_key(tmp_path: Path) -> None:
    headers = {"retry-after": "3", "x-request-id": "req_011CSHoEeqs5C35K2UUqR7Fy", "set-cookie": "s=0123456789abcdefg"}
    said = json.dumps({"error": {"message": f"the key {KEY} of org-QwErTyUiOpAs0123 is wrong"}, "id": "x"}).encode()
    with Server(lambda *_: (401, headers, said)) as server:
        record(server, ExchangeFolder(tmp_path), 1)
    [path] = tmp_path.glob("*/*.json")
    recorded = json.loads(path.read_bytes())
    assert recorded == {
        "key": recorded["key"],
        "request": {"provider": "lab", "method": "POST", "path": "/v1/systemone", "body": '{"model": "m"}'},
        "exchanges": [
            {
                "status": 401,
                "headers": {"retry-after": "3"},
                "body": '{"error": {"message": "the key [credential] of [scrubbed] is wrong"}, "id": "[scrubbed]"}',
                "sent": True,
                "timed_out": False,
            }
        ],
    }
    assert path.name == f"{recorded['key'][:16]}.json"
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or KEY not in file.read_text()


def test_a_simulator_says_that_it_is_one(folder: Path) -> None:
    with Simulator() as simulator:
        one = asker(WAYS["jev"], f"{simulator.address}/typesafe")
        put(one, request())
        one.close()
    [path] = folder.glob("*/*.json")
    assert json.loads(path.read_bytes())["exchanges"][0]["headers"]["x-simulated"] == "true"


def test_a_body_that_is_no_utf8_is_base64(tmp_path: Path) -> None:
    raw = b'{"content": "caf\xe9", "user": "j"}'
    with Server(lambda *_: (200, {}, raw)) as server:
        record(server, ExchangeFolder(tmp_path), 1)
    [path] = tmp_path.glob("*/*.json")
    [x] = json.loads(path.read_bytes())["exchanges"]
    assert base64.b64decode(x["body_base64"]) == raw.replace(b'"j"', b'"[scrubbed]"') and "body" not in x
    assert ReplayTransport(ExchangeFolder(tmp_path), "lab").send(*POST).body == base64.b64decode(x["body_base64"])


def test_the_digest_of_a_folder_is_that_of_its_recordings(tmp_path: Path) -> None:
    recordings, path, sound = good(tmp_path)
    before = recordings.digest()
    (tmp_path / "lab/.lock").write_text("x")
    (tmp_path / "README.md").write_text("x")
    assert recordings.digest() == before
    path.write_bytes(pretty_json(sound | {"exchanges": []}))
    assert recordings.digest() != before
    with pytest.raises(MissingEvidence):
        ExchangeFolder(tmp_path / "nowhere").digest()


def test_expected_is_for_tests_alone(tmp_path: Path) -> None:
    recordings, _, _ = good(tmp_path)
    key = exchange_key(RecordedRequest(provider="lab", method="POST", path="/v1/systemone", body=POST[2]))
    one = recordings.load("lab", key)
    assert one is not None
    noted = one.exchanges[0].model_copy(update={"expected": {"outcome": "valid"}})
    recordings.save(one.model_copy(update={"exchanges": (noted,)}))
    again = recordings.load("lab", key)
    assert again is not None and again.exchanges == (noted,) and isinstance(again.exchanges[0], RecordedExchange)
    assert ReplayTransport(recordings, "lab").send(*POST).body == reply(1)[2]
