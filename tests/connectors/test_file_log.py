"""The embedded transport: the contract, and what its files promise."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsqlc.connectors import naming
from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.diagnostics import LsqlcError
from lsqlc.types.record import Record, Topic
from tests.connectors.contract import ORDERS, PAIRS, TICKS, Connect, CountedContract, ids, order, pair, tick


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / ".lsqlc" / "topics"


class TestContract(CountedContract):
    @pytest.fixture
    def connect(self, root: Path) -> Connect:
        return lambda: FileLog(root)


def test_lines_are_what_spark_reads(root: Path) -> None:
    """One JSON object per line, all fields, in a folder that no glob trips over."""
    log = FileLog(root)
    log.append(TICKS, [tick(5), Record(TICKS.name, None, None)])
    log.append_batch(PAIRS, [pair(1, 2, 3)], generation="g1", batch=7)
    assert log.data_dir(TICKS.name) == root / "a_x2eticks_x2dby_hour" / "data"
    [segment] = log.segments(TICKS.name)
    assert segment.name == "00000000000000000000.jsonl"
    assert segment.read_text() == (
        '{"ordinal":0,"timestamp":5,"key":null,"value":5}\n{"ordinal":1,"timestamp":0,"key":null,"value":null}\n'
    )
    [batch] = log.segments("pairs")
    assert batch.name == "g1-000000000007.jsonl"
    assert batch.read_text() == '{"ordinal":[2,3],"timestamp":0,"key":1,"value":1}\n'
    assert not list(root.glob("*/tmp/*"))


def test_modification_times_follow_the_ordinals(root: Path) -> None:
    """Over all topics, a millisecond for an ordinal, so that a source over several topics takes them in order."""
    log = FileLog(root)
    for n in range(3):
        log.append(ORDERS, [order(n), order(n)], segments_of=1)
        log.append(TICKS, [tick(n)])
    log.append_batch(PAIRS, [pair(1, 40, 0), pair(1, 12, 0)], generation="g", batch=0)
    times = {s.name: s.stat().st_mtime_ns for t in ("orders", TICKS.name, "pairs") for s in log.segments(t)}
    assert times.pop("g-000000000000.jsonl") == naming.modification_time_ns(40)
    assert times == {naming.appended_segment(n): naming.modification_time_ns(n) for n in range(9)}


@given(st.text(max_size=30) | st.text(alphabet="_x25fedA.-", min_size=1, max_size=20))
def test_a_folder_says_which_topic_it_is(name: str) -> None:
    """No two topics share a folder, and the folder's name is plain ASCII."""
    folder = naming.folder_name(name)
    if folder is not None:
        assert naming.topic_name(folder) == name
        assert folder.isascii() and folder.replace("_", "a").isalnum()
    else:
        assert not name or any(0xD800 <= ord(c) < 0xE000 for c in name) or len(name) * 12 > 255


@pytest.mark.parametrize(
    ("name", "folder"),
    [("a.b-c", "a_x2eb_x2dc"), ("a_b", "a_b"), ("a_x2eb", "a_x5fx2eb"), ("é", "_xc3_xa9"), ("_x2g", "_x2g")],
)
def test_folder_names_are_as_written_down(name: str, folder: str) -> None:
    """The form that other writers of topics rely on."""
    assert naming.folder_name(name) == folder


def test_a_folder_of_something_else_is_no_topic() -> None:
    """Not ours: other characters, broken escapes, escapes of plain letters."""
    assert [naming.topic_name(f) for f in (".tmp", "a-b", "_x61", "_xff", "")] == [None] * 5


@pytest.mark.parametrize("name", ["", "é" * 40, "\ud800"])
def test_a_name_that_no_folder_can_have_is_refused(root: Path, name: str) -> None:
    """With a finding, by every method."""
    for call in (lambda: FileLog(root).append(Topic(name), []), lambda: FileLog(root).delete(name)):
        with pytest.raises(LsqlcError) as error:
            call()
        assert error.value.diagnostics[0].code == "LSQ404"


BAD_LINES = [
    ('{"ordinal":1,"timestamp":0,"key":"k","val', "LSQ402", 38),
    ('{"ordinal":1,"timestamp":0,"key":"k","val\n', "LSQ401", 38),
    ("\n", "LSQ401", 1),
    ('{"ordinal":1,"timestamp":0,"key":"k","key":"l","value":null}\n', "LSQ401", 38),
    ('{"ordinal":1,"timestamp":0,"key":"k","value":{"id":"x"}}\n', "LSQ403", 52),
    ('{"ordinal":1,"timestamp":0,"key":"é","value":{"id":1.5}}\n', "LSQ403", 52),
    ('{"timestamp":0,"key":"k","value":null}\n', "LSQ403", 1),
    ('{"ordinal":[1],"timestamp":0,"key":"k","value":null}\n', "LSQ403", 12),
    ("null\n", "LSQ403", 1),
    ("[]\n", "LSQ403", 1),
]


@pytest.mark.parametrize(("line", "code", "column"), BAD_LINES)
def test_a_broken_segment_is_a_finding_with_its_place(root: Path, line: str, code: str, column: int) -> None:
    """File as the user knows it, line and column; what stood before it is still read."""
    log = FileLog(root)
    log.append(ORDERS, [order(1)])
    [segment] = log.segments("orders")
    with segment.open("a") as file:
        file.write(line)
    sum_path(segment).unlink()
    reading = log.read(ORDERS)
    assert next(reading).value["id"] == 1
    with pytest.raises(LsqlcError) as error:
        next(reading)
    [finding] = error.value.diagnostics
    assert (finding.code, finding.line, finding.column) == (code, 2, column)
    assert finding.span and finding.span.path == ".lsqlc/topics/orders/data/00000000000000000000.jsonl"


def test_all_broken_lines_are_found_and_a_long_list_is_cut(root: Path) -> None:
    """The first hundred are shown, the others counted; bytes that are not UTF-8 are a finding too."""
    log = FileLog(root)
    segment = log.data_dir("orders") / naming.appended_segment(0)
    segment.write_bytes(b'"\xff"\n' * 104)
    with pytest.raises(LsqlcError) as error:
        list(log.read(ORDERS))
    assert len(error.value.diagnostics) == 100
    assert error.value.diagnostics[0].column == 2
    assert error.value.diagnostics[-1].notes[-1] == "and 4 more findings like these"
    with pytest.raises(LsqlcError):
        log.end(ORDERS)


def test_a_last_line_without_newline_is_a_record_if_it_is_whole(root: Path) -> None:
    """An editor may have taken the newline away, and nothing is lost."""
    log = FileLog(root)
    log.append(ORDERS, [order(1)])
    [segment] = log.segments("orders")
    segment.write_bytes(segment.read_bytes().rstrip(b"\n"))
    sum_path(segment).unlink()
    assert ids(log) == [1] and log.end(ORDERS) == (0,)


def test_an_append_that_was_made_ready_happens_after_a_crash(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between two links, an append of several segments is whole for whoever looks next."""

    log = FileLog(root)
    with monkeypatch.context() as patch:
        patch.setattr("lsqlc.connectors.folders.segments.sync_folder", _crash_at(root / "orders" / "data"))
        with pytest.raises(KeyboardInterrupt):
            log.append(ORDERS, [order(n) for n in range(6)], segments_of=2)
    assert len(list((root / "orders" / "data").iterdir())) == 1
    assert ids(log) == list(range(6))
    assert log.append(ORDERS, [order(6)]).first == 6
    assert not list((root / "orders" / "tmp").iterdir())


def _crash_at(folder: Path) -> Callable[[Path], None]:
    def sync(path: Path) -> None:
        if path == folder:
            raise KeyboardInterrupt

    return sync


def test_a_killed_appender_leaves_all_or_nothing(root: Path) -> None:
    """SIGKILL while records are being written: no record is there, no lock is held, and its scratch goes away."""
    script = (
        "import os, signal, sys; from tests.connectors.contract import ORDERS, order\n"
        "from lsqlc.connectors.folders.log import FileLog; from pathlib import Path\n"
        "def records():\n"
        "    yield from (order(n) for n in range(5))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "FileLog(Path(sys.argv[1])).append(ORDERS, records(), segments_of=2)\n"
    )
    repository = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", script, str(root)], env={**os.environ, "PYTHONPATH": repository})
    assert done.returncode == -signal.SIGKILL
    log = FileLog(root)
    assert ids(log) == [] and list((root / "orders" / "tmp").iterdir())
    log.append(ORDERS, [order(1)])
    assert ids(log) == [1] and not list((root / "orders" / "tmp").iterdir())


@pytest.mark.parametrize("text", [None, "", "4x"])
def test_a_lost_counter_continues_after_the_highest_ordinal(root: Path, text: str | None) -> None:
    """Deleted or damaged, no ordinal is given twice."""
    log = FileLog(root)
    log.append(ORDERS, [order(n) for n in range(3)])
    log.append_batch(PAIRS, [pair(1, 7, 0)], generation="g", batch=0)
    if text is None:
        (root / ".next").unlink()
    else:
        (root / ".next").write_text(text)
    assert log.append(TICKS, [tick(1)]).first == 8


def test_a_lost_counter_that_a_broken_line_hides_stops_the_append(root: Path) -> None:
    """A finding that names the topic to mend."""
    log = FileLog(root)
    log.append(ORDERS, [order(1)])
    log.segments("orders")[0].write_text("{")
    (root / ".next").unlink()
    with pytest.raises(LsqlcError) as error:
        log.append(TICKS, [tick(1)])
    assert error.value.diagnostics[0].code == "LSQ406"


def test_what_the_file_system_refuses_is_a_finding(root: Path) -> None:
    """A file where the folder of topics should be."""
    root.parent.mkdir(parents=True)
    root.write_text("")
    log = FileLog(root)
    for call in (lambda: log.append(ORDERS, [order(1)]), log.names, lambda: log.delete("orders")):
        with pytest.raises(LsqlcError) as error:
            call()
        assert error.value.diagnostics[0].code == "LSQ405"


def test_names_of_batches_are_checked() -> None:
    """A generation is part of a file name."""
    for generation, batch in (("a/b", 0), ("", 0), ("a", -1), ("a", 10**12)):
        with pytest.raises(ValueError):
            naming.batch_segment(generation, batch)


def test_nothing_lies_behind_the_end(root: Path, tmp_path: Path) -> None:
    """A segment that lies behind a place as a whole is given itself."""
    log = FileLog(root)
    log.append(TICKS, [tick(n) for n in range(4)], segments_of=2)
    assert log.segments_for(TICKS, tmp_path, since=log.place(TICKS.name, None)) == ()
    assert log.segments_for(TICKS, tmp_path, since=log.place(TICKS.name, 2)) == log.segments(TICKS.name)[1:]
