"""Whatever stands where a file of the project should: an error with its code and path, never a hang or a traceback."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from lsqlc.project import files

from .conftest import Cli


@pytest.fixture(autouse=True)
def within_seconds() -> Iterator[None]:
    """A command that waits for a named pipe fails its test."""

    def waited(number: int, frame: FrameType | None) -> None:
        raise TimeoutError("the command waits for ever")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _socket(path: Path) -> None:
    # The path of a socket has 108 bytes at most.
    here = Path.cwd()
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, files.MAX_TEXT + 1)


KINDS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link to itself": (lambda path: path.symlink_to(path.name), "it is a link to itself"),
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "link to 'nowhere', which does not exist"),
    "a link to a folder": (lambda path: path.symlink_to(path.parent), "it is a folder, not a file"),
    "a folder": (Path.mkdir, "it is a folder, not a file"),
    "a named pipe": (os.mkfifo, "it is a named pipe, not a file"),
    "a socket": (_socket, "it is a socket, not a file"),
    "a large file": (_huge, "larger than the limit of 32 MiB"),
    "bytes": (lambda path: path.write_bytes(b"a\xff"), "is not UTF-8 text"),
}
PLACES = {
    "models/zz.sql": "build",
    "models/zz.yml": "build",
    "macros/zz.sql": "compile",
    "tests/zz.yml": "test",
    "golden/bikes_at_station/a_bike_moves.jsonl": "test",
    "schemas/zz.avsc": "compile",
    "lsqlc.yml": "build",
    "lsqlc.lock.yml": "compile",
    "profiles.yml": "run",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", PLACES)
def test_no_file_of_text(cli: Cli, bikes: Path, place: str, kind: str) -> None:
    """Models, YAML, macros, cases, golden files, schemas, the lock and the profile: why it cannot be read is said."""
    (bikes / "models/zz_topics.yml").write_text("topics: [{name: zz, value: schemas/zz.avsc}]\n")
    (bikes / "schemas").mkdir()
    (bikes / "schemas/zz.avsc").write_text('"string"')
    assert cli("build").code == 0
    path, (make, words) = bikes / place, KINDS[kind]
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    make(path)
    if kind == "a folder" and place.startswith("golden/"):
        words = "is a directory"
    for command in (PLACES[place], "build") if place != "profiles.yml" else ("run",):
        ran = cli(command)
        assert ran.code == 1, ran.err
        assert words in ran.err and place in ran.err
        assert "internal error" not in ran.err


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("a large file", "bytes")])
def test_no_seed(cli: Cli, bikes: Path, kind: str) -> None:
    """A seed may be as large as it likes, and is a file."""
    seed, (make, words) = bikes / "seeds/rides.csv", KINDS[kind]
    seed.unlink()
    make(seed)
    ran = cli("seed")
    assert ran.code == 1 and "error[LSQ410]" in ran.err
    assert "the file 'seeds/rides.csv' cannot be read: " in ran.err and words in ran.err


@pytest.mark.parametrize("kind", ["a link to itself", "a link to nothing", "a named pipe", "a socket"])
@pytest.mark.parametrize("path", ["data/w", "data/*"])
def test_no_file_of_records(cli: Cli, bikes: Path, path: str, kind: str) -> None:
    """What Spark would wait for, or pass over, in a folder of files ends the command before anything is read."""
    declared = "value: 'a INT'"
    text = f"topics: [{{name: w, connector: files, files: {{path: '{path}', format: csv}}, {declared}}}]\n"
    (bikes / "models/w.yml").write_text(text)
    (bikes / "data/w").mkdir(parents=True)
    (bikes / "data/w/a.csv").write_text("a\n1\n")
    make, words = KINDS[kind]
    made = "data/w/b.csv" if path == "data/w" else "data/b.csv"
    make(bikes / made)
    ran = cli("show", "w")
    assert ran.code == 1 and "error[LSQ441]" in ran.err
    assert f"cannot read '{made}': " in ran.err and words in ran.err


@pytest.mark.parametrize("kind", ["a link to itself", "a link to nothing", "a folder", "a named pipe", "a socket"])
def test_no_segment(cli: Cli, bikes: Path, kind: str) -> None:
    """What stands among the segments of a topic and is none."""
    assert cli("seed").code == 0
    folder = bikes / ".lsqlc/topics/rides/data"
    KINDS[kind][0](folder / f"{'9' * 20}.jsonl")
    for words in (("show", "rides"), ("run",)):
        ran = cli(*words)
        assert ran.code == 1 and "error[LSQ405]" in ran.err and "is not a regular file" in ran.err
        assert ".lsqlc/topics/rides" in ran.err


def test_a_row_beside_a_large_cell(cli: Cli, bikes: Path) -> None:
    """The line of a bad row is found in a file with cells that are larger than Python's own limit."""
    text = "topics: [{name: w, connector: files, files: {path: data/w, format: csv}, value: 'a INT, b STRING'}]\n"
    (bikes / "models/w.yml").write_text(text)
    (bikes / "data/w").mkdir(parents=True)
    (bikes / "data/w/a.csv").write_text(f"a,b\n1,{'x' * 200_000}\nbad,y\n")
    ran = cli("show", "w")
    assert ran.code == 1 and "error[LSQ440]" in ran.err and "data/w/a.csv:3:1" in ran.err


def test_a_linked_folder_is_not_entered(cli: Cli, bikes: Path) -> None:
    """A circle of links ends."""
    (bikes / "models/a").symlink_to("b")
    (bikes / "models/b").symlink_to("a")
    (bikes / "models/loop").symlink_to(".")
    assert cli("build").code == 0


def test_the_current_folder_is_gone(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no project where there is no folder."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    ran = cli("build")
    assert ran.code == 2 and "error[LSQ008]" in ran.err


@pytest.mark.parametrize(
    "path", [b"models/zz\xff.sql", b"models/zz\xff/zz.sql", b"tests/zz\xff.yml", b"data/w/\xff.csv"]
)
def test_a_name_that_is_not_utf_8(cli: Cli, bikes: Path, path: bytes) -> None:
    """It is pictured, in text and in JSON."""
    declared = "files: {path: data/w, format: csv}, value: 'a INT'"
    (bikes / "models/w.yml").write_text(f"topics: [{{name: w, connector: files, {declared}}}]\n")
    made = Path(os.fsdecode(path))
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text("a\n1\n")
    words = ("show", "w") if path.startswith(b"data") else ("build",)
    ran = cli(*words)
    assert ran.code == 1 and "its name is not UTF-8" in ran.err and "\ufffd" in ran.err
    ran = cli(*words, "--output", "json")
    assert "its name is not UTF-8" in str(ran.lines[-1] if words[0] == "show" else ran.data)


@pytest.mark.parametrize("name", ["run.lock", "run.json"])
def test_a_state_that_cannot_be_written(cli: Cli, bikes: Path, name: str) -> None:
    """What a run keeps beside the topics: a folder stands where its file should be."""
    (bikes / ".lsqlc" / name).mkdir(parents=True)
    for words in (("run",), ("seed", "--full-refresh")) if name == "run.lock" else (("run",),):
        ran = cli(*words)
        assert ran.code == 1 and f"error[LSQ034]: cannot write '.lsqlc/{name}': is a directory" in ran.err
    assert cli("status").code == 1
