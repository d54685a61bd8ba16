"""What a pull request brings into `target/` is not believed, and nothing is removed that lsqlc did not create."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import pytest

from lsqlc.project.build import cache
from lsqlc.tasks.versions import LARGEST_MANIFEST

from .conftest import Cli, everything

PROJECT = {
    "lsqlc.yml": "name: p\n",
    "models/topics.yml": "topics:\n  - {name: t, key: INT, value: 'id INT, s STRING'}\n",
    "models/m.sql": "SELECT STREAM id, s FROM t\n",
    "docs/index.md": "# docs\n",
    "docs/compiled/duckdb/own.sql": "SELECT 1\n",
    "docs/schemas/own.avsc": "{}\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project as the current folder, in a folder that nothing but a test writes."""
    root = tmp_path / "project"
    write(root, PROJECT)
    monkeypatch.chdir(root)
    monkeypatch.setenv("LSQLC_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LSQLC_SECRET_CACHE_KEY", raising=False)
    return root


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


CASE = "cases:\n  - name: one\n    model: m\n    inputs: {t: [{key: 1, value: {id: 1}}]}\n"
BROKEN = "SELECT STREAM nothing FROM nowhere\n"


def _forge_contents(root: Path) -> None:
    """Compute the digest of the broken project as the cache does, from nothing but the published source."""
    file = root / "target/cache/state"
    text = file.read_bytes()
    head, _, body = text.rpartition(b"\n") if text[:1] != b"{" else (b"", b"", text)
    state = json.loads(body)
    found = cache._contents(root, state["folders"], state["named"], (root / "lsqlc.yml").read_bytes())
    assert found is not None
    state["digest"] = cache._digest(found, state["folders"])
    state["manifest"] = blake2b((root / "target/manifest.json").read_bytes(), digest_size=16).hexdigest()
    file.write_bytes((head + b"\n" if head else b"") + json.dumps(state).encode())


def test_a_forged_state_is_not_believed(cli: Cli, project: Path) -> None:
    """A project that does not compile, with the state of a build that says it does."""
    assert cli("compile").code == 0
    (project / "models/m.sql").write_text(BROKEN)
    assert cli("compile").code == 1
    (project / "models/m.sql").write_text(PROJECT["models/m.sql"])
    assert cli("compile").code == 0
    (project / "models/m.sql").write_text(BROKEN)
    _forge_contents(project)
    ran = cli("compile")
    assert ran.code == 1 and "error[LSQ200]" in ran.err


def test_forged_models_are_not_believed(cli: Cli, project: Path) -> None:
    """The entry of a model under the key of another text: its plan would be that of the attacker."""
    assert cli("compile").code == 0
    file = project / "target/cache/models"
    content = file.read_bytes()
    assert b"STRUCT<id: INT, s: STRING>" in content
    file.write_bytes(content.replace(b"STRUCT<id: INT, s: STRING>", b"STRUCT<id: INT, zzzzz: INT>"))
    (project / "target/cache/state").unlink()
    assert cli("compile").code == 0
    assert b"zzzzz" not in (project / "target/manifest.json").read_bytes()


def test_the_cache_of_another_user_is_not_believed(
    cli: Cli, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A genuine one, with another key: that of the machine of the author."""
    assert cli("compile").code == 0
    assert "(1 unchanged)" in cli("compile").err
    monkeypatch.setenv("LSQLC_CACHE", str(tmp_path / "other"))
    assert "(1 unchanged)" not in cli("compile").err


def kept(root: Path) -> dict[str, bytes]:
    """The files of the project and beside it, without the folders that lsqlc may create."""
    own = ("cache/", f"{root.name}/target/")
    return {path: content for path, content in everything(root.parent).items() if not path.startswith(own)}


@pytest.mark.parametrize(
    "path", [".git", ".git/hooks", "sub/.GIT", ".venv", ".lsqlc/x", "..", ".", "seeds/x", "models"]
)
def test_a_target_that_is_not_a_folder_of_its_own_is_refused(cli: Cli, project: Path, path: str) -> None:
    """Nothing is written there, and nothing is removed."""
    write(project, {".git/hooks/x": "x", ".git/config": "x", ".venv/x": "", ".lsqlc/x": "", "seeds/x/y": ""})
    (project / "lsqlc.yml").write_text(f"name: p\ntarget-path: {path}\n")
    before = kept(project)
    for words in (("clean",), ("compile", "--write"), ("docs", "build"), ("lint",), ("clean", "--topics")):
        ran = cli(*words)
        assert ran.code == 1 and ("error[LSQ007]" in ran.err or "error[LSQ009]" in ran.err), (words, ran.err)
    assert kept(project) == before


def _none(root: Path) -> None:
    pass


def _forged(root: Path) -> None:
    (root / "docs/.lsqlc-target").write_text("lsqlc created this folder\n" + "0" * 64 + "\n")


def _copied(root: Path) -> None:
    shutil.copy(root / "target/.lsqlc-target", root / "docs/.lsqlc-target")


@pytest.mark.parametrize("marker", [_none, _forged, _copied])
@pytest.mark.parametrize("built", [False, True], ids=["no build", "a build"])
def test_a_folder_that_lsqlc_did_not_create_is_not_removed(
    cli: Cli, project: Path, marker: Callable[[Path], None], built: bool
) -> None:
    """Whatever marker the pull request put there, before and after a build in it."""
    assert cli("compile").code == 0
    if marker is not _copied or (project / "target/.lsqlc-target").exists():
        marker(project)
    (project / "lsqlc.yml").write_text("name: p\ntarget-path: docs\n")
    before = everything(project)
    if built:
        assert cli("compile", "--write", "--schemas", "avro").code == 0
        assert cli("docs", "build").code == 0
    ran = cli("clean")
    assert ran.code == 1 and "error[LSQ037]" in ran.err and "'docs'" in ran.err, ran.err
    after = everything(project)
    assert {path: after.get(path) for path in before} == before


def test_a_folder_that_lsqlc_created_is_removed(cli: Cli, project: Path) -> None:
    """Also one that was empty, and by every verb that creates it."""
    before = everything(project)
    for words in (("compile",), ("build",), ("docs", "build"), ("docs", "alerts"), ("compile", "--schemas", "ddl")):
        assert cli(*words).code == 0
        ran = cli("clean")
        assert ran.code == 0 and "removed target/" in ran.err
        assert everything(project) == before and not (project / "target").exists()
    (project / "target").mkdir()
    assert cli("compile").code == 0 and cli("clean").code == 0 and not (project / "target").exists()


@pytest.mark.parametrize(
    ("link", "to"),
    [
        ("target", "docs"), ("target", ".git"), ("target", "../outside"), ("target/compiled", "docs/compiled"),
        ("target/compiled/duckdb", "models"), ("target/cache", ".git"), ("target/docs", "../outside"),
    ],
)  # fmt: skip
def test_no_link_in_the_target_is_followed(cli: Cli, project: Path, link: str, to: str) -> None:
    """Into the project neither: compiled SQL would replace models, and old files would be removed."""
    write(project, {".git/hooks/x.sql": "x", ".git/y.sql": "y", "../outside/z.sql": "z"})
    place = project / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(project / to)
    before = kept(project)
    for words in (("build",), ("compile", "--write", "--schemas", "avro"), ("docs", "build"), ("clean",)):
        assert cli(*words).code == 1
        assert kept(project) == before and place.is_symlink()


@pytest.mark.parametrize("to", [".git", "models", "../outside"])
def test_topics_behind_a_link_are_not_removed(cli: Cli, project: Path, to: str) -> None:
    """Nor is a lock written there."""
    write(project, {".git/x": "x", "../outside/z": "z"})
    for link in (".lsqlc", ".lsqlc/targets/dev"):
        place = project / link
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(project / to)
        before = kept(project)
        ran = cli("clean", "--topics")
        assert ran.code == 1 and "error[LSQ009]" in ran.err
        assert kept(project) == before
        place.unlink()


def test_no_temporary_file_is_written_through_a_link(cli: Cli, project: Path) -> None:
    """Its name was foreseeable, so that a link of that name led the content to any file."""
    outside = project.parent / "bashrc"
    outside.write_text("mine")
    names = (
        "target/.manifest.json", "target/cache/.state", "target/cache/.models", "target/.run_results.json",
        "target/compiled/duckdb/.m.sql", "target/docs/.index.html", "target/.report.md", "golden/m/.one.jsonl",
    )  # fmt: skip
    for name in names:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / f"{name}.{os.getpid()}").symlink_to(outside)
    for words in (("build", "--markdown", "target/report.md"), ("compile", "--write"), ("docs", "build")):
        cli(*words)
    (project / "models/.m.sql.lsqlc").symlink_to(outside)
    assert cli("fmt").code == 0 and "SELECT STREAM" in (project / "models/m.sql").read_text()
    assert outside.read_text() == "mine"


@pytest.mark.parametrize("kind", ["pipe", "device", "large", "folder", "deep", "not UTF-8"])
def test_a_manifest_that_is_no_file_of_a_build(cli: Cli, project: Path, kind: str) -> None:
    """It is neither waited for nor read without end."""
    file = project / "m.json"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "large":
        with file.open("wb") as opened:
            opened.truncate(LARGEST_MANIFEST + 1)
    elif kind == "folder":
        file.mkdir()
    else:
        file.write_bytes(b"[" * 100_000 if kind == "deep" else b"\xff\xfe")
    for words in (("diff", "--against", "m.json"), ("ls", "--select", "state:modified", "--state", "m.json")):
        ran = cli(*words)
        assert ran.code == 2 and "error[LSQ069]" in ran.err, ran.err


def test_names_in_a_manifest_do_not_steer_a_terminal(cli: Cli, project: Path) -> None:
    """Nor do they end a report that is not UTF-8."""
    assert cli("compile").code == 0
    manifest = json.loads((project / "target/manifest.json").read_text("utf-8"))
    name = "\x1b[31m\ud800\n::error::x\r"
    model = manifest["models"]["m"] | {"path": name, "owner": name, "fingerprint": name, "inputs": [name]}
    manifest["models"] = {name: model, "m": model}
    (project / "m.json").write_text(json.dumps(manifest), "utf-8")
    for words in ((), ("--output", "json"), ("--github", "--markdown", "target/d.md")):
        ran = cli("diff", "--against", "m.json", *words)
        assert ran.code == 0 and "\x1b[31m" not in ran.out + ran.err and "\n::error::x" not in ran.out + ran.err


def test_names_of_columns_do_not_steer_a_terminal(cli: Cli, project: Path) -> None:
    """A name in quotes may be any text. The plan, the columns and the topic show it escaped."""
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    (project / "models/topics.yml").write_text('topics:\n  - {name: t, key: INT, value: "`a\\e[31m` INT, s STRING"}\n')
    (project / "models/m.sql").write_text("INSERT INTO o SELECT STREAM * FROM t\n")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "first")):
        subprocess.run([*git, *words], check=True)
    (project / "models/m.sql").write_text(
        "INSERT INTO o SELECT STREAM *, s AS `b\x1b[31m` FROM t WHERE `a\x1b[31m` > 1\n"
    )
    ran = cli("diff", "--against", "HEAD")
    assert ran.code == 0 and "b\\u001b[31m" in ran.out and "a\\u001b[31m" in ran.out
    assert "\x1b" not in ran.out + ran.err


def test_a_link_in_place_of_the_state_folder_is_not_written_through(cli: Cli, project: Path) -> None:
    """A build notes there which golden files nobody has reviewed."""
    write(project, {"tests/m.yml": CASE, "../outside/unreviewed.json": '{"files": {"mine": "x"}}'})
    (project / ".lsqlc").symlink_to("../outside")
    before = everything(project.parent / "outside")
    ran = cli("build")
    assert ran.code == 1 and "warning[LSQ692]" in ran.err
    assert (project / "golden/m/one.jsonl").is_file() and everything(project.parent / "outside") == before
