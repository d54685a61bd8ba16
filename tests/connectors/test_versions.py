"""Topics that follow a table: each version is appended once, whatever crashes and however many processes append."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lsqlc.connectors.folders.log import FileLog, OtherFolder
from lsqlc.diagnostics import LsqlcError
from lsqlc.types import data
from lsqlc.types.record import ABSENT, Facet, Record, Topic

TOPIC = Topic("orders", ABSENT, Facet(data.INT, "int"), connector="delta")


def _records(*values: int) -> list[Record]:
    return [Record("orders", None, value, 1000) for value in values]


def test_versions_are_numbered_in_order_of_arrival(tmp_path: Path) -> None:
    """Their ordinals are those of appends, so that a join with another topic sees the order in which both came."""
    log = FileLog(tmp_path)
    assert log.versions("orders") == {}
    assert log.append_version(TOPIC, _records(1, 2), writer="t", version=7, previous=None) == 2
    log.append(Topic("other", ABSENT, Facet(data.INT, "int")), [Record("other", None, 5, 1)])
    assert log.append_version(TOPIC, _records(3), writer="t", version=8, previous=8) == 1
    assert [(r.value, r.ordinal, r.timestamp) for r in log.read(TOPIC)] == [
        (1, (0,), 1000), (2, (1,), 1000), (3, (3,), 1000),
    ]  # fmt: skip
    assert log.versions("orders") == {"t": 9}
    assert [segment.name for segment in log.segments("orders")] == ["t-000000000007.jsonl", "t-000000000008.jsonl"]
    assert all(map(log.has_checksum, log.segments("orders"))) and not list(log.faults("orders"))
    # A server of another user can read them, if it can read appended records.
    (other,) = log.segments("other")
    assert {segment.stat().st_mode for segment in log.segments("orders")} == {other.stat().st_mode}


@pytest.mark.parametrize("previous", [None, 7, 9])
def test_a_version_is_appended_once(tmp_path: Path, previous: int | None) -> None:
    """Who has seen another position appends nothing."""
    log = FileLog(tmp_path)
    log.append_version(TOPIC, _records(1), writer="t", version=7, previous=None)
    assert log.append_version(TOPIC, _records(2), writer="t", version=7, previous=previous) is None
    assert [r.value for r in log.read(TOPIC)] == [1] and log.versions("orders") == {"t": 8}


def test_versions_without_records_are_noted(tmp_path: Path) -> None:
    """They have no segment. A lost note is no harm: the version is looked at again."""
    log = FileLog(tmp_path)
    assert log.append_version(TOPIC, _records(1), writer="t", version=0, previous=None) == 1
    assert log.append_version(TOPIC, [], writer="t", version=1, previous=1) == 0
    assert log.versions("orders") == {"t": 2} and len(log.segments("orders")) == 1
    (tmp_path / "orders" / "version.json").unlink()
    assert log.versions("orders") == {"t": 1}


def test_a_crash_behind_the_segment_repeats_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the segment has the version."""
    log = FileLog(tmp_path)

    def crash(segment: Path, content: bytes) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("lsqlc.connectors.folders.sums.store_sum", crash)
        with pytest.raises(KeyboardInterrupt):
            log.append_version(TOPIC, _records(1), writer="t", version=0, previous=None)
    assert log.versions("orders") == {"t": 1}
    assert log.append_version(TOPIC, _records(1), writer="t", version=0, previous=None) is None
    assert log.append_version(TOPIC, _records(2), writer="t", version=1, previous=1) == 1
    assert [r.value for r in log.read(TOPIC)] == [1, 2]


def test_files_of_a_crash_are_removed(tmp_path: Path) -> None:
    log = FileLog(tmp_path)
    log.prepare(TOPIC)
    (tmp_path / "orders" / "tmp" / "version-1").write_text("half a li")
    assert log.append_version(TOPIC, _records(1), writer="t", version=0, previous=None) == 1
    assert not list((tmp_path / "orders" / "tmp").iterdir())


def test_a_version_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    log = FileLog(tmp_path)

    def records() -> Iterator[Record]:
        yield from _records(1)
        raise OSError("the store is gone")

    with pytest.raises(LsqlcError):
        log.append_version(TOPIC, records(), writer="t", version=0, previous=None)
    assert log.versions("orders") == {} and log.is_empty("orders")
    assert not list((tmp_path / "orders" / "tmp").iterdir())


def test_appenders_at_the_same_time(tmp_path: Path) -> None:
    """One of them appends a version."""
    with ThreadPoolExecutor(8) as pool:
        results = [
            pool.submit(FileLog(tmp_path).append_version, TOPIC, _records(n), writer="t", version=0, previous=None)
            for n in range(8)
        ]
    assert sorted(map(str, (result.result() for result in results))) == ["1", *["None"] * 7]
    assert FileLog(tmp_path).count("orders") == 1


def test_an_environment_appends_no_version_of_another_target(tmp_path: Path) -> None:
    other = OtherFolder("prod", tmp_path / "prod", "prod", frozenset())
    with pytest.raises(LsqlcError) as raised:
        FileLog(tmp_path / "pr", elsewhere=other).append_version(TOPIC, [], writer="t", version=0, previous=None)
    assert raised.value.diagnostics[0].code == "LSQ799"
