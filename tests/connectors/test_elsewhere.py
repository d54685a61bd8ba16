"""Topics that an environment reads from another target, and never writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.connectors.folders.log import FileLog, OtherFolder
from lsqlc.connectors.kafka.access import reading
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.connectors.kafka.transport import KafkaTransport
from lsqlc.types import data
from lsqlc.types.kafka import Elsewhere, KafkaSettings
from lsqlc.types.record import Facet, Record, Topic

INPUT, OWN = (Topic(name, key=Facet(data.STRING, "string"), value=Facet(data.INT, "json")) for name in ("input", "own"))
SETTINGS = KafkaSettings("h:9092", prefix="pr.", elsewhere=Elsewhere("prod", "prod.", frozenset(["own"])))


def test_folders(tmp_path: Path) -> None:
    """Its own topics are in its folder, and what lsqlc notes; the others are read in that of the other target."""
    FileLog(tmp_path / "prod").append(INPUT, [Record("input", "a", 1, 5)])
    log = FileLog(tmp_path / "pr", elsewhere=OtherFolder("prod", tmp_path / "prod", "prod", frozenset(["own"])))
    assert [r.value for r in log.read(INPUT)] == [1] and log.count("input") == 1
    log.prepare(INPUT)
    log.append(OWN, [Record("own", "b", 2, 6)])
    assert log.folder("own").parent == log.folder("_lsqlc-replayed").parent == tmp_path / "pr"
    assert [r.value for r in log.read(OWN)] == [2] and FileLog(tmp_path / "prod").names() == ("input",)
    before = sorted(path for path in (tmp_path / "prod").rglob("*"))
    for write in (
        lambda: log.append(INPUT, [Record("input", "a", 1, 5)]),
        lambda: log.append_unless_arrived([(INPUT, [Record("input", "a", 1, 5)])], log.arrivals()),
        lambda: log.append_batch(INPUT, [], generation="g", batch=0),
        lambda: log.delete("input"),
    ):
        assert _refused(write) == "LSQ799"
    assert sorted(path for path in (tmp_path / "prod").rglob("*")) == before


def test_kafka() -> None:
    """The same of names in a cluster, which is not asked before a write is refused."""
    log = KafkaLog(SETTINGS)
    assert [log._name(topic) for topic in ("own", "input", "_lsqlc.commits", "_lsqlc-replayed")] == [
        "pr.own", "prod.input", "pr._lsqlc.commits", "pr._lsqlc-replayed",
    ]  # fmt: skip
    assert [access.name for access in reading(SETTINGS, ["own", "input"])][:2] == ["pr.own", "prod.input"]
    assert _refused(lambda: log.append(INPUT, [])) == _refused(lambda: log.prepare(INPUT)) == "LSQ799"


def test_a_query_writes_no_other_topic(tmp_path: Path) -> None:
    """Even if it were asked to."""
    other = OtherFolder("prod", tmp_path / "prod", "prod", frozenset(["own"]))
    assert _refused(lambda: FileTransport(tmp_path / "pr", elsewhere=other).write("input", "g")) == "LSQ799"
    assert _refused(lambda: KafkaTransport(SETTINGS, {}, tmp_path).write("input", "g")) == "LSQ799"


def _refused(write: object) -> str:
    with pytest.raises(LsqlcError) as raised:
        write()  # type: ignore[operator]
    return raised.value.diagnostics[0].code
