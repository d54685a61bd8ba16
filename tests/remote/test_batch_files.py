"""What is said of the files of a batch before it is read, from the notes that Spark keeps in a checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from types import FunctionType
from typing import Any

import duckdb
import pytest

from lsqlc.lower.spark.steps import FileSource, Stage, Write
from lsqlc.remote.connectors.batch_files import Told, form_of, guard, told
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.connectors.unreadable_files import open_files, replaced, unreadable
from lsqlc.types.data import INT, Field
from lsqlc.types.files import Files
from tests.lower_duckdb.test_files import write
from tests.remote.each_step import Batch


def batch(checkpoint: Path, number: int, *offsets: int | None) -> None:
    """What Spark notes of a batch: how far each source is read."""
    (checkpoint / "offsets").mkdir(parents=True, exist_ok=True)
    lines = ["-" if offset is None else json.dumps({"logOffset": offset}) for offset in offsets]
    (checkpoint / "offsets" / str(number)).write_text("\n".join(["v1", "{}", *lines]) + "\n")


def listed(checkpoint: Path, source: int, number: str, *files: tuple[int, str]) -> None:
    """What Spark notes of a source: URIs of files, each with the number of its note."""
    (checkpoint / "sources" / str(source)).mkdir(parents=True, exist_ok=True)
    rows = [json.dumps({"path": uri, "timestamp": 1_000_000_000, "batchId": of}) for of, uri in files]
    (checkpoint / "sources" / str(source) / number).write_text("\n".join(["v1", *rows]) + "\n")


class Session:
    """A batch whose session lets through what does not begin with `out/`."""

    def __init__(self) -> None:
        self.sparkSession = self

    def sql(self, text: str) -> Session:
        assert "$FILES" not in text
        self.paths = [part for part in text.split("'") if "/" in part]
        return self

    def collect(self) -> list[tuple[str]]:
        return [(p,) for p in self.paths if not p.startswith("data/out/")]


def said(error: pytest.ExceptionInfo[RuntimeError]) -> Told:
    found = told(f"some words of Spark [A_CLASS] {error.value} and more")
    assert found is not None
    return found


def test_the_files_of_a_batch_are_those_between_two_offsets(tmp_path: Path) -> None:
    """Of each source by itself, one of which may have nothing, and from a note that was made of those before it."""
    write(tmp_path, {"data/there é+.csv": "a\n"})
    root, checkpoint = f"file://{tmp_path}", tmp_path / "cp"
    batch(checkpoint, 6, 8, None)
    batch(checkpoint, 7, 10, 0)
    before = (8, f"{root}/data/before.csv")
    listed(
        checkpoint, 0, "9.compact", before, (9, f"{root}/data/there%20%C3%A9+.csv"), (9, f"{root}/data/a%20gone.csv")
    )
    listed(checkpoint, 0, "10", (10, f"{root}/data/more/gone.csv"), (10, f"{root}/data2/gone.csv"))
    listed(checkpoint, 1, "0", (0, f"{root}/other/gone.csv"))
    topic = ("t", str(tmp_path), "data", False, "letter", {"data/there é+.csv": "why"}, frozenset[str](), "")
    other = ("u", str(tmp_path), "other", False, "count", dict[str, str](), frozenset[str](), "")
    letters, count = guard(str(checkpoint), (topic, other))[0](Session(), 7)
    assert [json.loads(line)["value"] for line in letters] == [
        {"topic": "t", "ordinal": None, "reason": f"{path}: {why}", "record": path}
        for path, why in (
            ("data/there é+.csv", "why"), ("data/a gone.csv", "the file is gone"),
            ("data/more/gone.csv", "the file is gone"),
        )
    ]  # fmt: skip
    assert count == 1


@pytest.mark.parametrize("then", ["fail", "pass over", "count"])
def test_a_file_that_is_gone_follows_the_policy(tmp_path: Path, then: str) -> None:
    """It is an error, nothing, or counted; what no filter wants is neither."""
    root, checkpoint = f"file://{tmp_path}", tmp_path / "cp"
    batch(checkpoint, 0, 0)
    listed(checkpoint, 0, "0", (0, f"{root}/data/in/x.csv"), (0, f"{root}/data/out/x.csv"))
    topic = ("t", str(tmp_path), "data", False, then, dict[str, str](), frozenset[str](), "SELECT _path FROM $FILES")
    look, _ = guard(str(checkpoint), (topic,))
    if then != "fail":
        assert look(Session(), 0) == ([], 1 if then == "count" else 0)
        return
    with pytest.raises(RuntimeError) as raised:
        look(Session(), 0)
    assert said(raised) == Told("unread", (("t", "data/in/x.csv", "the file is gone"),))
    (found,) = unreadable("m", said(raised), skip_setting="SET error.policy = 'continue';")
    assert found.help == "fix the file, or skip such files: SET error.policy = 'continue';"
    assert found.code == "LSQ441" and "'m' cannot read the file 'data/in/x.csv': the file is gone" in found.message


def test_a_form_of_parquet_that_is_not_known_is_asked_about(tmp_path: Path) -> None:
    """With the form, which is then known; a file that cannot be looked at has none."""
    (tmp_path / "data").mkdir()
    duckdb.sql(f"COPY (SELECT 1 AS a) TO '{tmp_path}/data/1.parquet'")
    duckdb.sql(f"COPY (SELECT 'x' AS a) TO '{tmp_path}/data/2.parquet'")
    (tmp_path / "data/3.parquet").write_bytes(b"PAR1")
    checkpoint, files = tmp_path / "cp", [(0, f"file://{tmp_path}/data/{n}.parquet") for n in (1, 2, 3)]
    batch(checkpoint, 0, 0)
    listed(checkpoint, 0, "0", *files)
    fine = frozenset([form_of(f"{tmp_path}/data/1.parquet")])
    look, _ = guard(str(checkpoint), (("t", str(tmp_path), "data", True, "count", dict[str, str](), fine, ""),))
    with pytest.raises(RuntimeError) as raised:
        look(Session(), 0)
    asked = said(raised)
    assert (asked.kind, [path for _, path, _ in asked.files]) == ("unknown", ["data/2.parquet", "data/3.parquet"])
    known = open_files(stage("count", "parquet"), tmp_path, checkpoint)
    assert known is not None and known.answered(asked)
    assert known.reasons["t"] == {
        "data/2.parquet": "'a' is declared INT, and is STRING in the file",
        "data/3.parquet": "the file cannot be read",
    }
    assert known.guard(checkpoint)[0](Session(), 0) == ([], 2)


def stage(then: Any, format: Any = "csv") -> Stage:
    source = FileSource("rows", "t", Files("data", format), (Field("a", INT),), then)
    return Stage("m", (source,), Write("written", "out", "append"))


def test_a_file_that_breaks_twice_is_given_up(tmp_path: Path) -> None:
    """And stays so in the next run, until it changes; a query that is to fail fails then."""
    write(tmp_path, {"data/1.csv": "a\n1\n"})
    broken = Told("broken", (("t", "data/1.csv", ""),))
    (tmp_path / "cp").mkdir()
    for then in ("fail", "count"):
        known = open_files(stage(then), tmp_path, tmp_path / "cp")
        assert known is not None and known.answered(broken) and not known.reasons
        assert known.answered(broken) is (then != "fail")
        assert bool(known.reasons) is (then != "fail")
    again = open_files(stage("count"), tmp_path, tmp_path / "cp")
    assert again is not None and again.reasons == {"t": {"data/1.csv": "the file cannot be read"}}
    (source,) = (step for step in again.left_out().steps if isinstance(step, FileSource))
    assert source.left_out == ("data/1.csv",)
    write(tmp_path, {"data/1.csv": "a\n2\n"}, first=5)
    mended = open_files(stage("count"), tmp_path, tmp_path / "cp")
    assert mended is not None and not mended.reasons


@pytest.mark.parametrize(
    ("error", "kind", "path"),
    [
        (
            "[FAILED_READ_FILE.NO_HINT] ... while reading file file://ROOT/data/a%20b.csv. SQLSTATE",
            "broken",
            "data/a b.csv",
        ),
        ("[FAILED_READ_FILE.FILE_NOT_EXIST] ... reading file file:ROOT/data/x.csv. File", "again", "data/x.csv"),
        (
            "[FAILED_READ_FILE.NO_HINT] file file:ROOT/data/x.csv. CSV header does not conform to the schema",
            "again",
            "",
        ),
        ("[USER_RAISED_EXCEPTION] data/x.csv came while the query started, or has other columns", "again", ""),
    ],
)
def test_what_an_error_says_of_a_file(tmp_path: Path, error: str, kind: str, path: str) -> None:
    """That it is broken, or that the query is to look again; of another error nothing is said."""
    topic = ("t", str(tmp_path), "data", False, "count", dict[str, str](), frozenset[str](), "")
    _, after = guard(str(tmp_path / "cp"), (topic,))
    found = told(after(error.replace("ROOT", str(tmp_path))))
    assert found is not None and found.kind == kind and [p for _, p, _ in found.files] == [path] * bool(path)
    assert after("[DIVIDE_BY_ZERO] of file://nothing") == "[DIVIDE_BY_ZERO] of file://nothing"


def test_what_travels_says_no_path_of_this_machine(tmp_path: Path) -> None:
    """The functions, and those that they call, have lost where they were written, and use nothing of their module."""
    pending: list[Any] = [*guard("cp", ())]
    while pending:
        function = pending.pop()
        assert function.__code__.co_filename == "lsqlc"
        assert set(function.__globals__) == {"__name__", "__builtins__"}
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        pending += [cell for cell in cells if isinstance(cell, FunctionType)]


def test_files_that_changed_after_their_batch_are_told(tmp_path: Path) -> None:
    """Not those that are as they were listed, nor those that changed before their batch was done."""
    home = tmp_path / "checkpoints" / "m" / "spark-000001"
    write(tmp_path, {"data/same.csv": "a\n", "data/mended.csv": "a\n"}, first=1_000_000)
    batch(home, 0, 0)
    listed(home, 0, "0", *((0, f"file://{tmp_path}/data/{name}.csv") for name in ("same", "mended", "later", "unread")))
    batch(home, 1, 1)
    listed(home, 0, "1", (1, f"file://{tmp_path}/data/open.csv"))
    (home / "commits").mkdir()
    (home / "commits" / "0").write_text("v1\n{}")
    write(tmp_path, {"data/later.csv": "a\n", "data/open.csv": "a\n", "data/new.csv": "a\n"}, first=7)
    (found,) = replaced(stage("count"), tmp_path, tmp_path / "checkpoints")
    assert found.code == "LSQ446" and not found.is_error
    assert found.message == "the query 'm' has read files of 't' that changed since: 'data/later.csv'"
    assert list(replaced(stage("count"), tmp_path, tmp_path / "none")) == []


class Failing:
    """A batch that Spark cannot compute."""

    def toArrow(self) -> Any:
        raise RuntimeError("[FAILED_READ_FILE.NO_HINT] while reading file file:/data/x.csv. SQLSTATE: KD001")


def test_what_a_guard_gives_is_written_with_its_batch(tmp_path: Path) -> None:
    """Letters stand in the segment of the batch, the number is noted beside, and an error has the guard's words."""
    transport = FileTransport(tmp_path / "topics")

    def look(batch: Any, number: int) -> tuple[list[str], int]:
        return [f'{{"ordinal":0,"batch":{number}}}'], 2 * number

    publish = transport.write("bad", "g_000001", (look, lambda error: error.replace("KD001", "told")))
    publish(Batch(), 0)
    publish(Batch('{"ordinal":7}'), 3)
    segments = sorted((tmp_path / "topics/bad/data").iterdir())
    assert [s.read_text() for s in segments] == [
        '{"ordinal":0,"batch":0}\n',
        '{"ordinal":0,"batch":3}\n{"ordinal":7}\n',
    ]
    assert [transport.noted("bad", "g_000001", number) for number in (0, 3, 4)] == [0, 6, 0]
    with pytest.raises(RuntimeError, match="SQLSTATE: told"):
        publish(Failing(), 5)
    transport.write("bad", "g_000001")
    assert transport.noted("bad", "g_000001", 3) == 0
