"""Whether a server sees what we put into a folder: with what a server may answer instead of one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.session.shared_folders import check_files, check_visible, check_written
from lsqlc.types.files import Files


def server(answer: Any) -> Any:
    """A session that reads a file as `answer` says, from its path."""

    def text(uri: str) -> Any:
        return SimpleNamespace(collect=lambda: answer(Path(uri.removeprefix("file://"))))

    return SimpleNamespace(read=SimpleNamespace(text=text))


def not_found(path: Path) -> Any:
    raise RuntimeError(f"[PATH_NOT_FOUND] Path does not exist: {path}. SQLSTATE: 42K03")


def refused(answer: Any, folder: Path) -> tuple[str, tuple[str, ...]]:
    with pytest.raises(LsqlcError) as raised:
        check_visible(server(answer), folder, "topics", "host:15002")
    (found,) = raised.value.diagnostics
    assert found.code == "LSQ697"
    assert "'host:15002'" in found.message and str(folder) in found.message and "`topics:`" in str(found.help)
    return found.message, found.notes


def test_a_shared_folder_is_taken(tmp_path: Path) -> None:
    """It is made if it is not there, and nothing is left in it."""
    check_visible(server(lambda path: [[path.read_text()]]), tmp_path / "made", "topics", "host:15002")
    assert list((tmp_path / "made").iterdir()) == []


def test_a_folder_that_is_not_there_for_the_server_is_told(tmp_path: Path) -> None:
    """With Spark's own reason; and so is one of the same path with other files."""
    assert "PATH_NOT_FOUND" in " ".join(refused(not_found, tmp_path)[1])
    assert "something else" in refused(lambda path: [["another"]], tmp_path)[1][0]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_we_cannot_write_to_is_told(tmp_path: Path) -> None:
    """Here a file stands where it should be made."""
    (tmp_path / "file").touch()
    assert "lsqlc cannot write" in refused(not_found, tmp_path / "file" / "topics")[1][0]


def test_a_lost_server_is_not_taken_for_a_wrong_folder(tmp_path: Path) -> None:
    """What pyspark raises goes on, for whoever restarts."""

    def gone(path: Path) -> Any:
        raise ConnectionError("StatusCode.UNAVAILABLE: Connection refused")

    with pytest.raises(ConnectionError):
        check_visible(server(gone), tmp_path, "topics", "host:15002")


def sizes(*answers: Any) -> Any:
    """A session that tells the sizes of a file; what is no number is raised."""

    def load(path: str) -> Any:
        def collect() -> Any:
            for answer in answers:
                if isinstance(answer, Exception):
                    raise answer
            return [[answer] for answer in answers]

        return SimpleNamespace(select=lambda column: SimpleNamespace(collect=collect))

    return SimpleNamespace(read=SimpleNamespace(format=lambda name: SimpleNamespace(load=load)))


def test_files_that_the_server_sees_otherwise_are_told(tmp_path: Path) -> None:
    """One that is not there for it, and one of another size; nothing is written into the folder to find out."""
    (tmp_path / "data").mkdir()
    files = Files("data", "csv")
    check_files(sizes(5), tmp_path, "t", files, "host:15002")
    (tmp_path / "data/a.csv").write_text("a\n1\n")
    check_files(sizes(4), tmp_path, "t", files, "host:15002")
    for answer, why in (
        (not_there(), "does not exist there"),
        (sizes(7), "another file"),
        (sizes(), "does not exist there"),
    ):
        with pytest.raises(LsqlcError) as raised:
            check_files(answer, tmp_path, "t", files, "host:15002")
        (found,) = raised.value.diagnostics
        assert found.code == "LSQ697" and "'t'" in found.message and why in found.notes[0]
    with pytest.raises(ConnectionError):
        check_files(sizes(ConnectionError("StatusCode.UNAVAILABLE")), tmp_path, "t", files, "host:15002")
    assert [p.name for p in (tmp_path / "data").iterdir()] == ["a.csv"]


def not_there() -> Any:
    return sizes(RuntimeError("[PATH_NOT_FOUND] Path does not exist"))


def writer(write: Any) -> Any:
    """A session that writes a folder as `write` does, given its path."""

    def text(uri: str) -> None:
        write(Path(uri.removeprefix("file://")))

    frame = SimpleNamespace(write=SimpleNamespace(text=text))
    return SimpleNamespace(range=lambda *bounds: SimpleNamespace(selectExpr=lambda sql: frame))


def _well(folder: Path) -> None:
    folder.mkdir()
    (folder / "part-0").write_text("seen\n")


def _denied(folder: Path) -> None:
    raise RuntimeError("[FAILED] Permission denied. SQLSTATE: 42000")


def test_what_the_server_writes_is_looked_for(tmp_path: Path) -> None:
    """It can write and we can read it, or it is reported what was tried; nothing is left."""
    check_written(writer(_well), tmp_path, "checkpoints", "host:15002")
    for write, words in (
        (_denied, "the server cannot write there"),
        (lambda path: None, "lsqlc does not see what the server writes"),
    ):
        with pytest.raises(LsqlcError) as raised:
            check_written(writer(write), tmp_path, "checkpoints", "host:15002")
        (found,) = raised.value.diagnostics
        assert found.code == "LSQ697" and words in found.notes[0] and "`checkpoints:`" in str(found.help)
    assert list(tmp_path.iterdir()) == []
