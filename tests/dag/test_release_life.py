"""A release sealed, archived, carried to another clone, restored there, asked for again, and corrected."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from dmb.archive.command import make_archive
from dmb.archive.quotes import Search
from dmb.archive.restore import read_archive, restore
from dmb.archive.seal import explanations, seal, write_corrections
from dmb.archive.tarball import pack, unpack
from dmb.canonical import digest, sha256_hex
from dmb.cli import main
from dmb.contracts.notes import Note
from dmb.errors import DamagedFile, DmbError, InputError, UsageError
from dmb.planning.auditing import audit_release, audit_sealed
from dmb.planning.plan import Planner, finished_rows
from dmb.planning.project import load_project
from dmb.planning.sealed import changes_since, check_sealed
from dmb.publish.document import load_document
from dmb.store.evidence_root import HERE
from dmb.store.files import pretty_json, write_whole
from dmb.verify.check import verify_release
from dmb.verify.findings import Verification
from dmb.verify.sealed import check_manifest
from tests.dag import situations
from tests.dag.tiny import Tiny
from tests.publish.factory import golden_release

ARCHIVE = Path("results/tiny.0.archive.tar.xz")
RAW = "runs/tiny-1/raw/keyword.alpha.attempts.jsonl"


@pytest.fixture(scope="module")
def with_seal(built: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """The built project and a sealed release of it; to be read only."""
    t = built.copy(tmp_path_factory.mktemp("sealed") / "project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(t.root)
        page = t.root / "FINDINGS.md"
        page.write_text("# What we found\n")
        seal("tiny", "tiny.0", [page])
    return t


@pytest.fixture
def owner(with_seal: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    """A copy of it in which the test runs."""
    t = with_seal.copy(tmp_path / "owner")
    monkeypatch.chdir(t.root)
    return t


@pytest.fixture
def clone(with_seal: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    """What git would bring: no runs, no items, no texts, no drafts."""
    t = with_seal.copy(tmp_path / "clone")
    for made in ("runs", "data/items", ".snakemake", "results/tiny"):
        shutil.rmtree(t.root / made, ignore_errors=True)
    for draft in (t.root / "results").glob("tiny.[!0-9]*"):
        draft.unlink()
    monkeypatch.chdir(t.root)
    return t


def everything(folder: Path = Path()) -> dict[str, str]:
    """Path -> sha256 of every file below."""
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


def audit() -> dict:
    project = load_project()
    planner = Planner(project)
    return audit_release(project, planner.release("tiny"), planner._now)


def verified() -> Verification:
    return verify_release("tiny.0", Path("results"), HERE)


# -- sealing


def test_a_sealed_release_holds_the_drafts_files_under_its_name_an_archive_and_all_digests(owner):
    results = Path("results")
    for ending in (".md", ".html", ".cells.json"):
        draft, sealed = (results / f"{name}{ending}" for name in ("tiny", "tiny.0"))
        assert sealed.read_text() != draft.read_text()
        assert sealed.read_text().replace("tiny.0", "tiny") == draft.read_text()
    drawings = {p.name for p in (results / "tiny").glob("*.svg")}
    assert drawings and {p.name for p in (results / "tiny.0").iterdir()} == {
        *(p.name for p in (results / "tiny").iterdir() if not p.name.startswith(".")),
        *("FINDINGS.md", "MANIFEST.sha256", "prices.toml"),
    }
    listed = subprocess.run(["sha256sum", "-c", "tiny.0/MANIFEST.sha256"], cwd=results, capture_output=True, text=True)
    assert listed.returncode == 0
    names = {line.partition(":")[0] for line in listed.stdout.splitlines()}
    sealed = {p.relative_to(results).as_posix() for pattern in ("tiny.0.*", "tiny.0/*") for p in results.glob(pattern)}
    assert names == sealed - {"tiny.0/MANIFEST.sha256"}


def test_git_takes_sealed_releases_and_neither_drafts_nor_private_archives(owner):
    checkout = Path(__file__).resolve().parents[2]
    shutil.copy(checkout / ".gitignore", ".gitignore")
    Path("results/tiny.0.private.archive.tar.xz").write_bytes(b"")
    subprocess.run(["git", "init", "-q"], check=True)
    told = subprocess.run(
        ["git", "status", "--porcelain", "-uall", "results"], capture_output=True, text=True, check=True
    )
    taken = {line[3:] for line in told.stdout.splitlines()}
    assert {"results/tiny.0.md", str(ARCHIVE), "results/tiny.0/MANIFEST.sha256"} <= taken
    assert all(name.startswith(("results/tiny.0.", "results/tiny.0/")) and "private" not in name for name in taken)


@pytest.mark.parametrize(
    "draft, name, says",
    [
        (
            "tiny",
            "tiny.0",
            "results/tiny.0.archive.tar.xz is there, and a sealed release never changes; seal tiny as 'tiny.1'",
        ),
        ("tiny", "v1", "'v1' is no name for tiny sealed; use 'tiny.1'"),
        ("tiny", "other.0", "is no name for tiny sealed"),
        ("tiny", "tiny", "is no name for tiny sealed"),
        ("tiny", "../tiny.0", "is no name for tiny sealed"),
        ("tiny.0", "tiny.0.1", "tiny.0 is sealed already"),
        ("absent", "absent.0", "release 'absent' is not in config.yaml"),
    ],
)
def test_a_name_that_is_taken_or_none_is_refused(owner, draft, name, says):
    before = everything()
    with pytest.raises(UsageError) as e:
        seal(draft, name)
    assert says in str(e.value)
    assert everything() == before


def test_a_draft_that_is_not_what_its_inputs_and_evidence_give_is_not_sealed(owner):
    before = everything(Path("results"))
    page = Path("results/tiny.html")
    whole = page.read_bytes()
    page.write_bytes(whole.replace(b"Tiny alpha", b"Tiny Alpha", 1))
    with pytest.raises(DmbError, match=r"results/tiny\.html: is not what the evidence gives"):
        seal("tiny", "tiny.1")
    page.write_bytes(whole)
    # nothing of what is shown, and yet part of what was published
    owner.edit("data/suites/beta.toml", "publish_text = true", "publish_text = false")
    with pytest.raises(DmbError, match=r"from other inputs than there are now; `snakemake results/tiny\.md` first"):
        seal("tiny", "tiny.1")
    owner.edit("data/suites/beta.toml", "publish_text = false", "publish_text = true")
    raw = Path(RAW)
    rows = raw.read_bytes()
    raw.write_bytes(rows.replace(b'"confidence', b'"confidencE', 1))
    with pytest.raises(DamagedFile, match=RAW):
        seal("tiny", "tiny.1")
    raw.write_bytes(rows)
    with pytest.raises(UsageError, match=r"--with: other\.txt is no page of your own"):
        seal("tiny", "tiny.1", [Path("other.txt")])
    assert everything(Path("results")) == before


def test_each_finding_that_asks_for_a_look_needs_an_explanation():
    release = golden_release()
    looks = [line for line in release.sanity_lines if line.verdict == "look"]
    assert len(looks) > 1
    with pytest.raises(InputError) as e:
        explanations(release.sanity_lines, (), "v2")
    assert str(e.value).startswith(
        f'data/notes.toml: release v2: check "{looks[0].check}" has a finding without explanation'
    )
    assert f"(and {len(looks) - 1} more)" in str(e.value) and "add a [[note]]" in str(e.value)
    notes = [
        Note(release="v2", check=line.check, finding=line.text, explanation="Looked at by hand.") for line in looks
    ]
    assert explanations(release.sanity_lines, notes, "v2") == [(line, "Looked at by hand.") for line in looks]
    with pytest.raises(InputError):
        explanations(release.sanity_lines, notes, "v3")
    with pytest.raises(InputError):
        explanations(release.sanity_lines, notes[1:], "v2")


# -- asked for again


#: What is changed -> what is named.
CHANGES: dict[str, tuple[Callable[[Tiny], None], str]] = {
    "a name in print": (
        lambda t: t.edit("data/contenders.toml", 'label = "Random"', 'label = "Dice"'),
        "how it is shown: contenders.random.label",
    ),
    "a setting": (
        lambda t: t.edit("data/contenders.toml", "C = 10", "C = 11"),
        "contender.settings.C of tfidf-logreg x alpha",
    ),
    "a question": (
        lambda t: t.edit("data/suites/beta.toml", "Which colour", "What colour"),
        "question of random x beta",
    ),
    "a contender": (
        lambda t: t.edit("config.yaml", "[random, keyword, tfidf-logreg]", "[random, keyword]"),
        "contender tfidf-logreg is gone",
    ),
    "another contender": (
        lambda t: t.edit("config.yaml", "[random, keyword,", "[random, majority, keyword,"),
        "contender majority is new",
    ),
    "how it is scored": (
        lambda t: t.edit("data/suites/beta.toml", 'title = "Tiny beta"', 'title = "Tiny beta"\nscorer_version = 2'),
        "how beta is scored",
    ),
    "items": (lambda t: t.edit("data/beta.jsonl", "is red", "is reddish"), "items of random x beta"),
    "the release": (
        lambda t: (
            t.edit("config.yaml", "  tiny:", "  tinier:") or t.edit("config.yaml", "all: [tiny]", "all: [tinier]")
        ),
        "tiny is no longer in config.yaml",
    ),
}


def test_a_sealed_release_whose_inputs_are_as_they_were_is_up_to_date(owner):
    assert audit_sealed(Planner(load_project()), "tiny.0") == {
        "release": "tiny.0",
        "sealed": True,
        "changed": [],
        "next": None,
    }
    check_sealed(Planner(load_project()), "tiny.0")


@pytest.mark.parametrize("change", CHANGES)
def test_a_sealed_release_with_other_inputs_is_refused_with_the_change_and_the_next_step(owner, change):
    make, named = CHANGES[change]
    make(owner)
    assert named in changes_since(Planner(load_project()), "tiny.0")
    with pytest.raises(DmbError) as e:
        check_sealed(Planner(load_project()), "tiny.0")
    assert str(e.value).startswith("tiny.0 is sealed and stays as it is; changed since: ") and named in str(e.value)
    assert str(e.value).endswith("next: `snakemake results/tiny.md`, then `dmb seal tiny --as tiny.1`")


def test_the_workflow_makes_a_sealed_release_never_again(owner):
    """As it stands there is nothing to do; forced, changed or incomplete it is refused before anything is deleted."""
    before = everything(Path("results"))
    done = owner.snakemake("results/tiny.0.md")
    assert "Nothing to be done" in done.output
    forced = owner.snakemake("-F", "results/tiny.0.md", check=False)
    assert "tiny.0 is sealed, and forcing does not make it again; build 'tiny'" in forced.output and forced.code != 0
    assert everything(Path("results")) == before
    CHANGES["a name in print"][0](owner)
    for target in ("results/tiny.0.md", "results/tiny.0.html"):
        refused = owner.snakemake(target, check=False)
        assert "changed since: how it is shown: contenders.random.label" in refused.output and refused.code != 0
    Path("results/tiny.0.html").unlink()
    missing = owner.snakemake("-n", "results/tiny.0.html", check=False)
    assert "results/tiny.0.html: is not here, and a sealed release is never made again; `git checkout" in missing.output
    assert {n: d for n, d in before.items() if n != "results/tiny.0.html"} == everything(Path("results"))


# -- in another clone


def test_a_fresh_clone_is_told_of_the_archive_and_restores_every_byte(clone, with_seal):
    told = audit()
    assert [len(told[part]) for part in ("ask", "restorable")] == [9, 1]
    assert told["restorable"][0]["archive"] == str(ARCHIVE) and len(told["restorable"][0]["cells"]) == 9
    assert f"`dmb restore {ARCHIVE}` takes them over" in clone.dry().output

    done = restore(ARCHIVE)
    assert (done.release, done.runs, done.n_cells, done.n_present) == ("tiny.0", ("tiny-1",), 9, 0)
    told = audit()
    assert (told["ask"], told["restorable"], len(told["score"])) == ([], [], 9)
    # what was restored is what was there
    theirs = everything(with_seal.root)
    for name, sha256 in everything(Path("runs")).items():
        assert Path(name).name == "restored.json" or theirs[str(with_seal.root / name)] == sha256
    # the page shows the texts of these suites, which is their suites' will
    assert len(list(Path("data/items").glob("*.texts.jsonl"))) == 3

    found = verified()
    assert found.holds, found.findings
    assert (found.n_cells_scored, found.n_requests, found.n_requests_without_text) == (9, 60, 0)
    assert found.n_published_files == len(Path("results/tiny.0/MANIFEST.sha256").read_text().splitlines())

    again = restore(ARCHIVE)
    assert (again.n_written, again.n_present) == (0, done.n_written)


def test_restored_rows_are_taken_over_by_a_new_run(clone):
    """Without the index of receipts the cells are planned anew, and every row is there by its content key."""
    restore(ARCHIVE)
    shutil.rmtree("runs/_cells")
    cells = Planner(load_project()).release("tiny").cells
    assert all(c.asks for c in cells)
    assert {c.n_expected - len(finished_rows(c)) for c in cells} == {0}


def test_nothing_is_overwritten(clone):
    write_whole(Path("runs/tiny-1/manifest.json"), b'{"status": "complete"}')
    before = everything()
    with pytest.raises(DmbError, match=r"runs/tiny-1/manifest\.json: is here with other contents than in the archive"):
        restore(ARCHIVE)
    assert everything() == before
    Path("runs/tiny-1/manifest.json").unlink()
    restore(ARCHIVE)
    # what was lost is put back, and what is there stays
    Path(RAW).unlink()
    assert restore(ARCHIVE).n_written == 1
    Path(RAW).write_bytes(b"")
    with pytest.raises(DmbError, match=RAW):
        restore(ARCHIVE)
    assert Path(RAW).read_bytes() == b""


def test_a_changed_byte_is_named_with_its_cells_wherever_it_stands(clone, tmp_path):
    """In the file, in a file that was packed anew with fitting digests, and in what was restored."""
    data = bytearray(ARCHIVE.read_bytes())
    data[len(data) // 2] ^= 1
    for place in (ARCHIVE, tmp_path / ARCHIVE.name):
        whole = ARCHIVE.read_bytes()
        place.write_bytes(bytes(data))
        with pytest.raises(DamagedFile, match=str(place)):
            restore(place)
        ARCHIVE.write_bytes(whole)
    assert not Path("runs").exists()

    files = unpack(ARCHIVE)
    files[RAW] = files[RAW].replace(b'"confidence', b'"confidencE', 1)
    elsewhere = tmp_path / ARCHIVE.name
    elsewhere.write_bytes(pack(files))
    with pytest.raises(DamagedFile) as e:
        read_archive(elsewhere)
    assert f"{RAW}: is not the one that the release was made from" in str(e.value)
    assert "keyword x alpha" in str(e.value) and "keyword x beta" not in str(e.value)
    # beside the sealed release its very archive is wanted
    whole = ARCHIVE.read_bytes()
    ARCHIVE.write_bytes(elsewhere.read_bytes())
    with pytest.raises(DamagedFile, match=r"its bytes are not those that results/tiny\.0/MANIFEST\.sha256 names"):
        restore(ARCHIVE)
    ARCHIVE.write_bytes(whole)
    assert not Path("runs").exists()

    found = verified()
    assert any(f.file.startswith("runs/_cells/keyword.alpha/") for f in found.findings)
    assert found.notes[-1] == f"`dmb restore {ARCHIVE}` brings the evidence here"
    restore(ARCHIVE)
    raw = Path(RAW)
    raw.write_bytes(raw.read_bytes().replace(b'"confidence', b'"confidencE', 1))
    (finding,) = verified().findings
    # what is compared with it rests on it, too
    assert (finding.file, finding.cells) == (RAW, (("keyword", "alpha"), ("keyword", "order")))


def test_whatever_was_published_is_held_to_the_manifest(owner):
    def held() -> dict[str, str]:
        seen = Verification("tiny.0")
        check_manifest("tiny.0", Path("results"), seen)
        return {f.file: f.problem for f in seen.findings}

    listed = "results/tiny.0/MANIFEST.sha256"
    assert held() == {}
    names = [line.split()[1] for line in Path(listed).read_text().splitlines()]
    assert {"tiny.0.md", "tiny.0.html", "tiny.0/FINDINGS.md", "tiny.0/prices.toml", "tiny.0.archive.tar.xz"} <= set(
        names
    )
    for path in (Path("results") / name for name in names):
        whole = path.read_bytes()
        path.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
        assert held() == {str(path): f"its bytes are not those that {listed} names"}
        path.unlink()
        assert held() == {str(path): f"is in {listed} and not here"}
        path.write_bytes(whole)
    write_whole(Path("results/tiny.0/MORE.md"), b"# More\n")
    write_whole(Path("results/tiny.0.1.md"), b"of another release\n")
    assert held() == {"results/tiny.0/MORE.md": f"is not in {listed}: it was not published with the release"}
    for damage in (lambda: Path(listed).write_bytes(b""), Path(listed).unlink):
        damage()
        assert held() == {listed: "is damaged or not here: nobody can say what was published"}


def test_an_archive_puts_nothing_into_a_project_but_evidence(clone, tmp_path):
    files = unpack(ARCHIVE)
    for name in (
        "config.yaml",
        "dmb/errors.py",
        "runs/_budget/tiny/index.jsonl",
        "runs/_numbers/tiny",
        "runs/tiny-1/alive",
        "data/items.lock.json",
    ):
        files[name] = b"x"
    other = tmp_path / "tiny.0.archive.tar.xz"
    other.write_bytes(pack(files))
    before = everything()
    restore(other)
    after = everything()
    assert {name: after[name] for name in before} == before
    new = after.keys() - before.keys()
    assert new and all(n.startswith(("runs/tiny-1/", "runs/_cells/", "data/items/")) for n in new)
    assert "runs/tiny-1/alive" not in new


def test_a_sealed_document_holds_when_documents_have_got_more_fields_since(owner):
    """As one of before the field was there: its digest is over what it says."""
    path = Path("results/tiny.0/release.json")
    fields = json.loads(path.read_bytes())
    assert fields.pop("command") is None
    fields.pop("sha256")
    write_whole(path, pretty_json(fields | {"sha256": digest(fields)}))
    document = load_document(path)
    assert document.command is None and document.name == "tiny.0"
    write_whole(path, pretty_json(fields | {"sha256": document.sha256, "title": "Edited"}))
    with pytest.raises(DamagedFile, match=r"release\.json: was edited"):
        load_document(path)


def test_an_archive_holds_the_code_that_made_the_numbers(owner):
    files = unpack(ARCHIVE)
    for path in (owner.root / "dmb").rglob("*.py"):
        assert files[f"code/{path.relative_to(owner.root).as_posix()}"] == path.read_bytes()
    assert files["release.json"] == Path("results/tiny.0/release.json").read_bytes()
    with tarfile.open(ARCHIVE) as tar:
        assert tar.getnames() == sorted(tar.getnames())


# -- commands


def command(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """(exit code, stdout, stderr)"""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as e:
        patch.setattr("sys.argv", ["dmb", *args])
        main()
    told = capsys.readouterr()
    return int(e.value.code or 0), told.out, told.err


def test_the_commands_say_what_they_did_in_lines_and_refuse_in_one(owner, capsys):
    code, out, _ = command(capsys, "archive", "tiny")
    assert code == 0 and out.startswith("results/tiny.archive.tar.xz: ")
    made = Path("results/tiny.archive.tar.xz").read_bytes()
    assert command(capsys, "archive", "tiny")[0] == 0
    assert Path("results/tiny.archive.tar.xz").read_bytes() == made
    assert command(capsys, "archive", "tiny.0", "--private")[0] == 0
    files = unpack(Path("results/tiny.0.private.archive.tar.xz"))
    # every suite here shows its texts, so nothing had been left out
    assert sum(n.endswith(".texts.jsonl") for n in files) == 3
    assert files == unpack(ARCHIVE)
    code, out, _ = command(capsys, "restore", str(ARCHIVE))
    assert (code, out.splitlines()[0]) == (0, f"{ARCHIVE}: 9 cells of tiny.0 from tiny-1")
    for expected, *args in (
        (2, "archive", "tiny.0"),
        (3, "archive", "absent"),
        (3, "restore", "absent.tar.xz"),
        (3, "restore", "config.yaml"),
        (2, "seal", "tiny", "--as", "tiny.0"),
        (3, "corrections", "tiny.0", "absent"),
    ):
        code, out, err = command(capsys, *args)
        assert (code, out, err.count("\n")) == (expected, "", 1) and err.startswith("dmb: "), args


# -- corrections


def change_published(old: str, new: str) -> None:
    """As if the sealed release had been made by code with a defect."""
    path = Path("results/tiny.0.cells.json")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_later_release_says_which_numbers_it_corrects_and_why(owner):
    cells = json.loads(Path("results/tiny.0.cells.json").read_text())["cells"]
    assert cells[0]["contender"] == "random" and cells[0]["n_expected"] == 6
    change_published('"n_expected": 6', '"n_expected": 7')
    for command in (lambda: write_corrections("tiny.0", "tiny"), lambda: seal("tiny", "tiny.1")):
        with pytest.raises(InputError) as e:
            command()
        assert str(e.value).startswith(
            "data/corrections.toml: random.alpha n_expected: was 7 and is 6; no correction explains it"
        )
    assert not Path("results/tiny/CORRECTIONS.md").exists() and not Path("results/tiny.1.md").exists()
    Path("data/corrections.toml").write_text(
        '[[correction]]\nold = "tiny.0"\ndefect = "Rows were counted one too many."\ncells = ["random.*"]\nnumbers = ["n_expected"]\n'
    )
    written = write_corrections("tiny.0", "tiny")
    assert written == Path("results/tiny/CORRECTIONS.md")
    page = written.read_text()
    assert "## 1. Rows were counted one too many." in page and "| `random.alpha` | `n_expected` | 7 | 6 |" in page
    seal("tiny", "tiny.1")
    assert Path("results/tiny.1/CORRECTIONS.md").read_text() == page.replace(
        "tiny.0 to tiny\n", "tiny.0 to tiny.1\n"
    ).replace("| tiny |", "| tiny.1 |")
    assert (
        f"{sha256_hex(Path('results/tiny.1/CORRECTIONS.md').read_bytes())}  tiny.1/CORRECTIONS.md\n"
        in Path("results/tiny.1/MANIFEST.sha256").read_text()
    )
    assert write_corrections("tiny.0", "tiny.1") is None
    change_published('"n_expected": 7', '"n_expected": 8')
    with pytest.raises(UsageError, match=r"tiny\.1 is sealed, and its corrections cannot be written any more"):
        write_corrections("tiny.0", "tiny.1")
    Path("data/corrections.toml").write_text("[[correction]]\nold = 1\n")
    with pytest.raises(InputError, match=r"^data/corrections\.toml: "):
        write_corrections("tiny.0", "tiny")


# -- texts of others


@pytest.mark.long
def test_texts_of_others_leave_the_requests_and_every_number_stays(tmp_path, monkeypatch):
    """Contenders behind wires, asked of a simulator: their logs hold every question in full."""
    t = situations.project(tmp_path / "owner", ["gpt-5-4-nano", "claude-haiku-4-5"])
    t.edit("data/suites/many.toml", "publish_text = true", "publish_text = false")
    with situations.simulated() as simulator:
        t.snakemake(f"results/{situations.TWIN}.md", env={"DMB_SIMULATOR": simulator.address})
    monkeypatch.chdir(t.root)
    logs = sorted(Path("runs").glob("*/raw/*.attempts.jsonl"))
    texts = [json.loads(line)["text"] for line in Path("data/many.jsonl").read_text().splitlines()]
    assert len(logs) == 2 and all(text in log.read_text() for log in logs for text in texts)

    path, _ = make_archive(situations.TWIN, private=False)
    files = unpack(path)
    search = Search(texts, shortest=3)
    assert len(search) == len(texts)
    assert {name for name, data in files.items() if search.first_in(data) is not None} == set()
    counts = json.loads(files[f"{logs[0].parent.parent}/redactions.json"])["logs"]
    assert {log.name: counts[log.name]["n_requests"] for log in logs} == dict.fromkeys(
        (log.name for log in logs), situations.N
    )
    kept, _ = make_archive(situations.TWIN, private=True)
    assert unpack(kept)[str(logs[0])] == logs[0].read_bytes()

    # a folder with the published files and the archive alone
    other = tmp_path / "other"
    other.mkdir()
    shutil.copytree(t.root / "results", other / "results")
    monkeypatch.chdir(other)
    restore(path)
    found = verify_release(situations.TWIN, Path("results"), HERE)
    assert found.holds, found.findings
    assert (found.n_requests, found.n_requests_without_text) == (0, 2 * situations.N)
    restored = Path(logs[0])
    restored.write_bytes(restored.read_bytes().replace(b"sha256:", b"sha255:", 1))
    (finding,) = verify_release(situations.TWIN, Path("results"), HERE).findings
    assert finding.file == str(logs[0])
