"""Versions of Delta tables are appended to topics once, while others write and read, and with outages of the store."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from lsqlc.connectors.folders.log import FileLog
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.workspace import Workspace, open_workspace
from lsqlc.tasks.delta_topics import TableWatch, load_topics
from lsqlc.tasks.query import QueryRequest, compiled_query, open_query, opened_for
from lsqlc.tasks.query_follow import Waiting, follow_query
from lsqlc.tasks.run_target import RunTarget, open_target
from tests.tables.test_delta_feed import _feed
from tests.tasks.test_query_follow import Rows

TOPICS = """\
topics:
  - {name: orders, connector: delta, delta: {path: table}, value: "id BIGINT"}
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: shop\n")
    (tmp_path / "models" / "topics.yml").write_text(TOPICS)
    return open_workspace(tmp_path)


def _append(root: Path, *ids: int) -> None:
    write_deltalake(root / "table", pa.table({"id": pa.array(ids, pa.int64())}), mode="append")


def _place(workspace: Workspace) -> RunTarget:
    return open_target(workspace.root, workspace.target(), project=workspace.project)


def _ids(workspace: Workspace) -> list[int]:
    (declared,) = workspace.project.topics
    return [record.value["id"] for record in _place(workspace).log.read(declared.topic)]


def test_loads_at_the_same_time_as_writes(workspace: Workspace) -> None:
    """Each row is in the topic once, in the order of versions."""
    _append(workspace.root, 0)

    def load() -> None:
        load_topics(workspace.project.topics, _place(workspace))

    def write() -> None:
        for n in range(1, 9):
            _append(workspace.root, n)

    with ThreadPoolExecutor(5) as pool:
        loads = [pool.submit(load) for _ in range(4)]
        writes = pool.submit(write)
        loads += [pool.submit(load) for _ in range(6)]
        writes.result()
        for each in loads:
            each.result()
    load()
    assert _ids(workspace) == list(range(9))


@pytest.mark.parametrize("crash", [1, 2])
def test_a_crash_between_two_versions(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, crash: int) -> None:
    """The next load goes on behind the last version that is there."""
    _append(workspace.root, 0)
    load_topics(workspace.project.topics, _place(workspace))
    for n in range(1, 4):
        _append(workspace.root, n)
    append, calls = FileLog.append_version, [0]

    def crashing(log: FileLog, *args: object, **options: object) -> int | None:
        calls[0] += 1
        if calls[0] > crash:
            raise KeyboardInterrupt
        return append(log, *args, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(FileLog, "append_version", crashing)
        with pytest.raises(KeyboardInterrupt):
            load_topics(workspace.project.topics, _place(workspace))
    assert _ids(workspace) == list(range(crash + 1))
    load_topics(workspace.project.topics, _place(workspace))
    assert _ids(workspace) == [0, 1, 2, 3]


def test_a_reader_that_is_behind_another_process(workspace: Workspace) -> None:
    """It has opened the table before versions that the topic has meanwhile, and appends nothing twice."""
    _append(workspace.root, 0)
    load_topics(workspace.project.topics, _place(workspace))
    feed = _feed(str(workspace.root / "table"), "id BIGINT")
    assert feed.reader.version == 0
    for n in (1, 2):
        _append(workspace.root, n)
    load_topics(workspace.project.topics, _place(workspace))
    positions = _place(workspace).log.versions("orders")
    assert positions == {feed.writer: 3} and list(feed.parts(positions[feed.writer])) == []


def test_an_environment_leaves_the_topics_of_its_base(workspace: Workspace) -> None:
    """The other target takes the versions."""
    profiles = "default: pr\ntargets:\n  main: {type: embedded}\n  pr: {type: embedded, defer: main}\n"
    (workspace.root / "profiles.yml").write_text(profiles)
    _append(workspace.root, 0)
    load_topics(workspace.project.topics, _place(workspace))
    assert _ids(workspace) == []
    main = open_target(workspace.root, workspace.target("main"), project=workspace.project)
    load_topics(workspace.project.topics, main)
    assert _ids(workspace) == [0]


class _Store:
    """A store whose looks fail with these codes, in order; None: the look succeeds."""

    def __init__(self, *codes: str | None) -> None:
        self.now = 0.0
        self.looks = 0
        self.outages: list[str] = []
        self._codes = codes

    def load(self) -> None:
        code = self._codes[self.looks]
        self.looks += 1
        if code is not None:
            raise LsqlcError([Diagnostic(code, f"look {self.looks}")])

    def show(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.outages += [diagnostic.message for diagnostic in diagnostics]


def test_a_followed_query_takes_new_versions(workspace: Workspace) -> None:
    """Every five seconds. An outage is reported, and does not end it."""
    _append(workspace.root, 1)
    opened = open_query(workspace.root, QueryRequest("SELECT * FROM orders", "sql"), vars={}, environment={})
    query = compiled_query(opened, True)
    rows, away = Rows(), workspace.root / "away"
    table = workspace.root / "table"
    steps = iter((lambda: _append(workspace.root, 2), lambda: table.rename(away), lambda: away.rename(table), None))
    now = 0.0

    def pause(_: float) -> bool:
        nonlocal now
        now += 6
        step = next(steps)
        if step is not None:
            step()
        return step is None

    follow_query(query, opened_for(query, opened), rows, Waiting(lambda: now, pause))
    assert rows.shown == [[("insert", 1)], [("insert", 2)], [("LSQ610",)]]


def test_a_continuous_run_looks_for_versions() -> None:
    """Every five seconds. An outage is shown once; a version that cannot be read ends the run."""
    store = _Store(None, "LSQ610", "LSQ610", None, "LSQ610", "LSQ612")
    watch = TableWatch(store.load, lambda: store.now, store.show)
    for _ in range(50):
        store.now += 0.5
        watch.keep_up()
    assert store.looks == 5 and store.outages == ["look 2", "look 5"]
    store.now += 5
    with pytest.raises(LsqlcError) as raised:
        watch.keep_up()
    assert raised.value.diagnostics[0].code == "LSQ612"
