"""What each release wrote, read by this one: every entry goes on, or names the reason (reasons.py).

This release is one of them, with an entry that is made here: so its state goes on, and all comparisons run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from lsqlc import __version__
from lsqlc.cli.main import main as cli
from lsqlc.connectors.folders.log import FileLog
from lsqlc.golden.cases import load_cases
from lsqlc.golden.files import read_case_files, read_golden_files
from lsqlc.golden.run import Goldens, Options, run
from lsqlc.lower.duckdb import Session, evaluate
from lsqlc.lower.spark import lower, unsupported
from lsqlc.lower.spark.checkpoint_parts import stage_parts
from lsqlc.lower.spark.evolution import Finding, goes_on
from lsqlc.lower.spark.layouts import AGGREGATES, HISTORY, LAYOUTS
from lsqlc.plan.clocks import has_clock
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.discovery import load_project
from lsqlc.project.versions.comparison import compare, version_from
from lsqlc.remote.cases.outcomes import final_rows
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.checkpoints import CheckpointRequest, changed_since, describe, open_checkpoint
from lsqlc.remote.run.stores import FolderStore
from lsqlc.types.record import Record, StoredRecord
from tests.history.__main__ import main
from tests.history.entry import CONSTRUCTS, HERE, PROJECTS, compiled, constructs, inputs, pack_project, rows, unpack
from tests.history.reasons import REASONS, What, needless, reason
from tests.history.records import FAR, append
from tests.shared import SharedServer

NOW = "this release"
KEPT = sorted(path.name for path in HERE.iterdir() if (path / "constructs.tar.xz").is_file())
RELEASES = [*KEPT, NOW]


@dataclass(frozen=True)
class Entry:
    """A project as a release had it, unpacked: its documents by name, and what this release compiles of it."""

    release: str
    root: Path
    documents: Mapping[str, Any]
    compilation: Compilation


Entries = Callable[[str], tuple[Entry, ...]]


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> Entries:
    """The projects of a release."""

    @cache
    def found(release: str) -> tuple[Entry, ...]:
        if release == NOW:
            archives = tmp_path_factory.mktemp("archives")
            pack_project(archives, "constructs", "now")
            return (_entry(release, archives, "constructs", tmp_path_factory.mktemp("now")),)
        return tuple(_entry(release, HERE / release, name, tmp_path_factory.mktemp(name)) for name in PROJECTS)

    return found


def _entry(release: str, archives: Path, name: str, folder: Path) -> Entry:
    unpack(archives / f"{name}.tar.xz", folder)
    documents = {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}
    project = load_project(folder / "project", vars={}, environment={}).project
    assert project is not None
    return Entry(release, folder / "project", documents, compile_project(project))


def programs(entry: Entry) -> dict[str, str]:
    """The models that have no plan any more."""
    found = entry.compilation
    return {name: "it does not compile" for name in entry.documents["plans"] if name not in found.plans}


def plans(entry: Entry) -> dict[str, str]:
    """The models with another plan, as data."""
    known, found = entry.documents["plans"], entry.compilation.plans
    same = {name for name, data in known.items() if name in found and _data(found[name].to_json()) == data}
    return {name: "another plan" for name in known if name in found and name not in same}


def stages(entry: Entry) -> dict[str, str]:
    """The queries that do not go on from a checkpoint of that release, and what users read then."""
    refused = {}
    for query, known in entry.documents["stages"].items():
        found = _now(entry, query, known)
        if found is None:
            refused[query] = "the query is gone"
        elif not goes_on(found):
            refused[query] = "; ".join(each.text for each in found)
    return refused


def outputs(entry: Entry) -> dict[str, str]:
    """The queries that go on from a checkpoint of that release and write other records from then on, and what users
    read then.
    """
    found = {query: _now(entry, query, known) for query, known in entry.documents["stages"].items()}
    return {query: "; ".join(f.text for f in how) for query, how in found.items() if how and goes_on(how)}


def _now(entry: Entry, query: str, known: Mapping[str, Any]) -> tuple[Finding, ...] | None:
    """What changed in a query, by what is beside its checkpoint; None: there is no such query."""
    model = known["parts"]["model"]
    plan = entry.compilation.plans.get(model)
    lowered = () if plan is None or unsupported(plan) else lower(plan).stages
    stage = next((stage for stage in lowered if stage.name == query), None)
    return None if stage is None else changed_since(known, describe(stage, partitions=1, server=(4, 3), model=model))


def topics(entry: Entry) -> dict[str, str]:
    """The topics that readers cannot read on, by the manifest of that release and the one of now."""
    old, new = entry.documents["manifest"], _data(entry.compilation.manifest("now"))
    changes = [change for model in compare(version_from(old), version_from(new), {}) for change in model.changes]
    return {change.topic or "": change.text for change in changes if change.category == "breaking"}


def other_rows(entry: Entry) -> dict[str, str]:
    """The models whose rows differ: from the golden files of the reference project, from the rows of the constructs."""
    known, found = entry.documents["rows"], entry.compilation
    if known:
        append(entry.root, inputs(found.plans), more=False)
        now = rows(entry.root, found.plans)
        return {name: f"{now.get(name)} for {each}" for name, each in known.items() if now.get(name) != each}
    config = found.project.config
    names = [model.name for model in found.project.models]
    cases = load_cases(read_case_files(entry.root, config.case_paths).texts, found.plans, models=names)
    files = read_golden_files(entry.root, config.golden_path)
    goldens = Goldens(files.texts, files.broken, config.golden_path)
    ran = run(found.plans, cases, evaluate, goldens, Options(ci=True, orphans=False))
    assert sum(result.kind == "case" for result in ran.results) > 50
    # Plans are looked at as data.
    return {result.model: result.name for result in ran.results if not result.ok and result.kind == "case"}


DIFFERENCES: Mapping[What, Callable[[Entry], dict[str, str]]] = {
    "program": programs,
    "plan": plans,
    "stage": stages,
    "output": outputs,
    "topic": topics,
    "rows": other_rows,
}


@pytest.mark.parametrize("what", DIFFERENCES)
@pytest.mark.parametrize("release", RELEASES)
def test_every_entry_goes_on_or_names_the_reason(entries: Entries, release: str, what: What) -> None:
    """What differs has a reason, and every reason something that differs. That of a refused checkpoint is what users
    read.
    """
    found = {name: how for entry in entries(release) for name, how in DIFFERENCES[what](entry).items()}
    assert {name: how for name, how in found.items() if reason(release, what, name) is None} == {}
    assert needless(release, what, set(found)) == []
    if what == "stage":
        assert [name for name, told in found.items() if (reason(release, what, name) or "") not in told] == []


def test_what_differs_is_found(entries: Entries, tmp_path: Path) -> None:
    """By each comparison, where an entry has something else than what this release makes."""
    (entry,) = entries(NOW)
    known = {what: json.loads(json.dumps(each)) for what, each in entry.documents.items()}
    known["plans"]["having"]["name"] = "other"
    known["plans"]["gone"] = {}
    known["stages"]["gone"] = {"parts": {"model": "gone"}}
    known["stages"]["stateless"]["parts"]["output"] = {}
    known["rows"]["having"] = {}
    known["manifest"]["models"]["having"]["outputs"][0]["value"]["type"] = "STRUCT<n: BIGINT, spent: BIGINT, gone: INT>"
    other = replace(entry, root=copytree(CONSTRUCTS, tmp_path / "constructs"), documents=known)
    found = {what: set(DIFFERENCES[what](other)) for what in DIFFERENCES}
    assert found == {
        "program": {"gone"},
        "plan": {"having"},
        "stage": {"gone"},
        "output": {"stateless"},
        "topic": {"having"},
        "rows": {"having"},
    }


def test_a_reason_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that nothing which differs needs is found."""
    monkeypatch.setitem(REASONS, (NOW, "plan", "stream_*"), "other sums")
    assert reason(NOW, "plan", "stream_lists") == "other sums" and reason(NOW, "rows", "stream_lists") is None
    assert needless(NOW, "plan", {"stream_lists"}) == [] and needless(NOW, "plan", {"having"}) == ["stream_*"]


def test_only_this_release_is_added(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Under its own version, and once."""
    assert main(["add", "0.0.1"]) == 1 and "this is lsqlc" in capsys.readouterr().err
    monkeypatch.setattr("tests.history.__main__.HERE", tmp_path)
    (tmp_path / __version__).mkdir()
    assert main(["add", __version__]) == 1 and "does not change" in capsys.readouterr().err
    assert main(["add"]) == 2


def test_reasons_are_of_releases() -> None:
    """No reason is left of a release that has no entry."""
    assert {release for release, _, _ in REASONS} <= set(KEPT)


def test_each_layout_has_a_construct() -> None:
    """So that the history sees what becomes of its state."""
    lowered = [lower(plan) for plan in compiled(CONSTRUCTS).plans.values()]
    kinds = {kind for plan in lowered for stage in plan.stages for kind in _kinds(stage_parts(stage).state)}
    assert kinds >= LAYOUTS.keys() | AGGREGATES.keys()


def _kinds(state: Mapping[str, str]) -> set[str]:
    """The kinds of what a query stores, by the parts of its state."""
    return {text.rpartition(" ")[0] for name, text in state.items() if name.startswith("the stored form of the ")}


def test_a_raised_layout_is_refused_with_its_reason(entries: Entries, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queries with that kind of state need a new one, and no other does."""
    (entry,) = entries(NOW)
    assert stages(entry) == {}
    monkeypatch.setitem(LAYOUTS, "TABLE aggregation", 2)
    monkeypatch.setitem(HISTORY, "TABLE aggregation 2", "weights are DECIMAL")
    monkeypatch.setitem(AGGREGATES, "AVG of DOUBLE over a STREAM", 2)
    monkeypatch.setitem(HISTORY, "AVG of DOUBLE over a STREAM 2", "means are exact")
    raised = {
        query: _kinds(known["parts"]["state"]) & {"TABLE aggregation", "AVG of DOUBLE over a STREAM"}
        for query, known in entry.documents["stages"].items()
    }
    refused = stages(entry)
    assert refused.keys() == {query for query, kinds in raised.items() if kinds} and len(refused) > 2
    for query, told in refused.items():
        assert ("has changed: weights are DECIMAL" in told) == ("TABLE aggregation" in raised[query])
        assert ("has changed: means are exact" in told) == ("AVG of DOUBLE over a STREAM" in raised[query])


def laid_out(release: str, root: Path) -> None:
    """The project of constructs with its checkpoints, as a release left it; of this one with their descriptions."""
    if release != NOW:
        unpack(HERE / release / "checkpoints.tar.xz", root)
        unpack(HERE / release / "constructs.tar.xz", root / "unpacked")
        for path in (root / "unpacked" / "project").iterdir():
            path.rename(root / path.name)
        return
    store, transport = FolderStore(root / ".lsqlc" / "checkpoints"), FileTransport(root / ".lsqlc" / "topics")
    for model, plan in constructs(root).items():
        for stage in () if unsupported(plan) else lower(plan).stages:
            parts = describe(stage, partitions=1, server=(4, 3), model=model)
            begun = (
                open_checkpoint(store, transport, CheckpointRequest(stage.name, stage.write.topic, parts)).folder
                / "offsets"
            )
            begun.mkdir(parents=True)
            (begun / "0").touch()


@pytest.mark.parametrize("release", RELEASES)
def test_status_says_beforehand_what_becomes_of_checkpoints(
    release: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each query of the constructs has a line. One that was edited is refused, with exit code 1, and so is one whose
    layout was raised, with the reason.
    """
    laid_out(release, tmp_path)
    monkeypatch.chdir(tmp_path)
    found = told(capsys)
    refused = {each["query"] for each in found if not each["verdict"].startswith("continues")}
    assert {each["model"] for each in found} == compiled(tmp_path).plans.keys()
    assert all(reason(release, "stage", query) for query in refused)
    model = tmp_path / "models" / "table_aggregation.sql"
    model.write_text(model.read_text("utf-8").replace("BY item", "BY note"), "utf-8")
    monkeypatch.setitem(LAYOUTS, "STREAM aggregation in session windows", 2)
    monkeypatch.setitem(HISTORY, "STREAM aggregation in session windows 2", "sessions have ends")
    now = {each["query"]: each for each in told(capsys, code=1)}
    assert {query for query, each in now.items() if not each["verdict"].startswith("continues")} >= {
        "table_aggregation",
        "sessions",
        *refused,
    }
    assert now["sessions"]["verdict"] == "needs a new state and a replay"
    assert "has changed: sessions have ends" in str(now["sessions"]["reasons"])


def told(capsys: pytest.CaptureFixture[str], code: int = 0) -> list[dict[str, Any]]:
    """What `lsqlc status --checkpoints` says of the project in the current folder."""
    with pytest.raises(SystemExit) as ended:
        cli(["status", "--checkpoints", "--output", "json"])
    assert (ended.value.code or 0) == code
    return list(json.loads(capsys.readouterr().out)["checkpoints"])


# What is resumed in every run of the suite: one of each kind; the others with the slow tests.
CORE = ("stateless", "table_aggregation", "stream_table", "tumbling", "sessions")


def resumed(release: str, root: Path, server: SharedServer, words: list[str]) -> None:
    """Run models of the constructs over more records, from the checkpoints that a release left, and see that Spark went
    on from them and wrote what DuckDB computes of all records.
    """
    target = f"targets: {{shared: {{type: connect, address: '{server.address}'}}}}\n"
    if release == NOW:
        constructs(root)
        (root / "profiles.yml").write_text(target)
        assert not any(event["resumed"] for event in run_on_spark(root, words))
    else:
        laid_out(release, root)
        (root / "profiles.yml").write_text(target)
    plans = compiled(root).plans
    append(root, inputs(plans), more=True)
    events = run_on_spark(root, ["--verify", *words])
    started = {event["model"] for event in events}
    assert started and all(event["resumed"] for event in events)
    changed = {event["query"]: event["changes"] for event in events if event["changes"]}
    assert {query: how for query, how in changed.items() if reason(release, "output", query) is None} == {}
    log = FileLog(root / ".lsqlc" / "topics")
    for plan in (plans[name] for name in sorted(started) if has_clock(plans[name])):
        # What waits for what may still come is left out by `--verify`.
        segments = {topic.name: log.segments(topic.name) for topic in plan.inputs}
        whole = Session().evaluate_logs(plan, segments, root=root).topics
        for topic in plan.outputs:
            written = sorted(log.read(topic), key=lambda record: record.ordinal)
            records = final_rows(topic, written) if plan.semantics[topic.name] == "TABLE" else written
            assert closed(records) == closed(whole[topic.name]), plan.name


def run_on_spark(root: Path, words: list[str]) -> list[dict[str, Any]]:
    """Run models until all is read; an event for the start of each query."""
    ran = subprocess.run(
        [sys.executable, "-m", "lsqlc", "run", "--threads", "1", "--output", "json", *words],
        cwd=root,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr + ran.stdout[-2000:]
    return [event for event in map(json.loads, ran.stdout.splitlines()) if event.get("event") == "started"]


def closed(records: Iterable[Record | StoredRecord]) -> Counter[str]:
    """Keys and values of what time has gone by."""
    found = (json.dumps([record.key, record.value], default=str) for record in records)
    return Counter(text for text in found if FAR not in text)


def refused(release: str) -> list[str]:
    """The models of constructs that have a reason not to go on from a release's checkpoints."""
    patterns = [pattern.partition(".")[0] for of, what, pattern in REASONS if (of, what) == (release, "stage")]
    return [name for name in compiled(CONSTRUCTS).plans if any(fnmatchcase(name, pattern) for pattern in patterns)]


@pytest.mark.parametrize("release", RELEASES)
def test_checkpoints_go_on_on_spark(release: str, tmp_path: Path, spark_server: SharedServer) -> None:
    """Of one construct of each kind."""
    names = [name for name in CORE if name not in refused(release)]
    resumed(release, tmp_path, spark_server, [word for name in names for word in ("--select", name)])


@pytest.mark.parametrize("release", RELEASES)
def test_all_checkpoints_go_on_on_spark(release: str, tmp_path: Path, spark_server: SharedServer) -> None:
    """Of every other construct."""
    words = [word for name in (*CORE, *refused(release)) for word in ("--exclude", name)]
    resumed(release, tmp_path, spark_server, words)


def _data(value: Any) -> Any:
    return json.loads(json.dumps(value))
