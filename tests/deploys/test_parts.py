"""The parts of `lsqlc deploy` that need no server: what is compared, noted, refused, and where checkpoints are."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from lsqlc.api import Project
from lsqlc.connectors.folders.log import FileLog
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.lower.spark.steps import Source
from lsqlc.plan.nodes import Semantics
from lsqlc.project.build.compile import compile_project
from lsqlc.project.declared.target import Target
from lsqlc.project.discovery import load_project
from lsqlc.remote.connectors.folders.progress import FilesProgress, FilesRead
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.connectors.partitions import OffsetsRead
from lsqlc.remote.run.batch_log import BatchLog
from lsqlc.remote.run.checkpoints import (
    Checkpoint,
    CheckpointRequest,
    clear_described,
    describe_elsewhere,
    described,
    finish_refreshes,
    forget,
    open_checkpoint,
    refresh,
    take_up,
)
from lsqlc.remote.run.deployments import Deployment, Deployments, deployments_text, parse_deployments
from lsqlc.remote.run.graph import Node
from lsqlc.remote.run.locks import run_lock
from lsqlc.remote.run.stores import FolderStore
from lsqlc.remote.session.failures import PassingError
from lsqlc.report.deploy_report import lines_text as shown_lines
from lsqlc.report.deploy_report import promoted_line, proof_text
from lsqlc.tasks import backlog
from lsqlc.tasks.backlog import Fit
from lsqlc.tasks.deploy import handover, positions
from lsqlc.tasks.deploy.handover import UpToLive
from lsqlc.tasks.deploy.note import aside_place
from lsqlc.tasks.deploy.pairs import Pair
from lsqlc.tasks.deploy.positions import Cut, Position
from lsqlc.tasks.deploy.proof import proofs
from lsqlc.tasks.deploy.staging import Deployer, _unstageable_stream, run_to_end
from lsqlc.tasks.deploy.stream_proof import compared
from lsqlc.tasks.deploy.table_proof import TableProof
from lsqlc.tasks.run_context import Console, RunRequest
from lsqlc.tasks.run_target import open_target
from lsqlc.types.data import BIGINT, INT, STRING, Field, Struct
from lsqlc.types.record import Facet, Record, Topic
from tests.cli.conftest import Cli, bikes, cli
from tests.cli.test_plan import edit, ran

__all__ = ["bikes", "cli"]

OLD = Topic("sums", Facet(STRING, "string"), Facet(Struct((Field("n", INT),)), "json"))
NEW = Topic("sums", Facet(STRING, "string"), Facet(Struct((Field("n", INT), Field("total", BIGINT))), "json"))
PARTS = Parts((), {"k": "STRING"}, {"v": "INT"}, "sums")


def row(key: str, **value: int) -> Record:
    return Record("sums", key, value or None)


def rows(*some: Record) -> dict[str, Record]:
    return {json.dumps(record.key): record for record in some}


def test_rows_are_compared_by_key_and_column() -> None:
    """What only one side has, and in which columns the others differ; a column that one program lacks differs."""
    live = rows(row("a", n=1), row("b", n=2), row("c", n=3))
    staged = rows(row("a", n=1), row("b", n=5), row("d", n=4))
    proof = TableProof(Pair("m", OLD, OLD)).after(live, lambda: live, staged).proof()
    assert (proof.equal, proof.changed, proof.new, proof.gone, proof.moving) == (1, 1, 1, 1, 0)
    assert proof.columns == {"n": 1} and not proof.ok and proof.live == 3 and proof.staged == 3
    assert [d.key for d in proof.differences] == ['"b"', '"c"', '"d"']
    text = proof_text(proof)
    assert (
        "1 changed, 1 only staged, 1 only live" in text
        and "live:   no row" in text
        and "columns that differ: n in 1" in text
    )

    wider = rows(row("a", n=1, total=1), row("b", n=2, total=7))
    proof = TableProof(Pair("m", OLD, NEW)).after(rows(row("a", n=1), row("b", n=3)), lambda: {}, wider).proof()
    assert proof.moving == 2, "the live rows went away while they were compared"
    live = rows(row("a", n=1), row("b", n=3))
    proof = TableProof(Pair("m", OLD, NEW)).after(live, lambda: live, wider).proof()
    assert proof.columns == {"n": 1, "total": 2}


def test_a_row_that_changes_while_it_is_compared() -> None:
    """It is no difference: it is looked at again, and is equal, differs, or is reported as not compared."""
    pair = Pair("m", OLD, OLD)
    first = TableProof(pair).after(
        rows(row("a", n=1), row("b", n=1)),
        lambda: rows(row("a", n=2), row("b", n=2)),
        rows(row("a", n=2), row("b", n=9)),
    )
    assert not first.proof().differing and first.moving == frozenset({'"b"'}) and not first.is_settled
    still = rows(row("a", n=2), row("b", n=2))
    settled = first.after(still, lambda: still, rows(row("a", n=2), row("b", n=9)))
    assert settled.is_settled and settled.differing == ('"b"',)
    equal = first.after(still, lambda: still, still)
    assert equal.is_settled and equal.proof().ok and equal.proof().equal == 2
    moving = first.after(still, lambda: rows(row("a", n=2), row("b", n=3)), rows(row("a", n=2), row("b", n=9)))
    assert moving.proof().moving == 1 and "1 row changed all the time and was not compared" in proof_text(
        moving.proof()
    )


def test_records_of_streams_are_compared_in_pairs() -> None:
    """Of one key and time; what is only live counts where the staged program has read its input."""

    def at(time: int, key: str, **value: int) -> Record:
        return replace(row(key, **value), timestamp=time)

    live = [at(1, "a", n=1), at(1, "a", n=2), at(2, "b", n=3), at(9, "c", n=4)]
    staged = [at(1, "a", n=2), at(1, "a", n=1), at(2, "b", n=5), at(3, "b", n=3)]
    proof = compared(Pair("m", OLD, OLD, "STREAM"), live, (), staged, exact=True)
    assert (proof.equal, proof.changed, proof.new, proof.gone, proof.moving) == (2, 1, 1, 1, 0)
    assert [(d.key, d.live, d.staged) for d in proof.differences] == [
        ('"b"', '{"n":3}', '{"n":5}'), ('"b"', None, '{"n":3}'), ('"c"', '{"n":4}', None)
    ]  # fmt: skip
    assert "4 live records, 4 staged, 2 equal" in proof_text(proof) and proof.columns == {"n": 1}
    proof = compared(Pair("m", OLD, NEW, "STREAM"), live, (), [at(1, "a", n=1, total=1)])
    assert (proof.changed, proof.gone, proof.moving) == (1, 0, 3) and proof.columns == {"total": 1}
    assert "3 records came while the staged model was read, and were not compared" in proof_text(proof)


def test_records_of_a_stream_that_come_while_it_is_proved() -> None:
    """They are not missing in the staged one, but are live; those that were there before count."""
    before, later = [row("a", n=1), row("b", n=2)], [row("a", n=3), row("c", n=4), row("c", n=5)]
    staged = [row("a", n=1), row("c", n=5), row("c", n=6), row("d", n=7)]
    proof = compared(Pair("m", OLD, OLD, "STREAM"), before, later, staged, exact=True)
    assert (proof.live, proof.staged, proof.equal) == (5, 4, 2)
    assert (proof.changed, proof.new, proof.gone, proof.moving) == (1, 1, 1, 1)
    assert [(d.key, d.live, d.staged) for d in proof.differences] == [
        ('"c"', '{"n":4}', '{"n":6}'), ('"d"', None, '{"n":7}'), ('"b"', '{"n":2}', None)
    ]  # fmt: skip


def test_a_stream_is_told_in_one_round_while_the_live_one_runs_on(tmp_path: Path) -> None:
    """And again where the staged model has perhaps not read what the live records were made of."""
    live, aside, pair = FileLog(tmp_path / "live"), FileLog(tmp_path / "aside"), Pair("m", OLD, OLD, "STREAM")
    live.append(OLD, [row("a", n=1), row("b", n=2)])
    rounds: list[str] = []

    def bring(_: object) -> tuple[str, ...]:
        rounds.append("read")
        live.append(OLD, [row("c", n=len(rounds))])
        aside.append(OLD, [row("a", n=1)] if len(rounds) == 1 else [row("b", n=2)])
        return ("m",) if len(rounds) == 1 else ()

    (proof,) = proofs([pair], live, aside, bring)
    assert (len(rounds), proof.equal, proof.gone, proof.moving) == (2, 2, 1, 1) and not proof.ok
    (proof,) = proofs([pair], live, aside, lambda _: ())
    assert (proof.equal, proof.gone, proof.moving) == (2, 2, 0)


@pytest.mark.parametrize("semantics", ["TABLE", "STREAM"])
def test_rows_that_change_all_the_time_are_compared_at_equal_input(semantics: Semantics, tmp_path: Path) -> None:
    """A staged row is compared with the live one that was made of the same input, whatever has come since."""
    live, aside = FileLog(tmp_path / "live"), FileLog(tmp_path / "aside")
    pair = Pair("m", OLD, OLD, semantics)
    live.append(OLD, [row("a", n=1), row("b", n=1)])
    asked: list[Collection[str]] = []

    def cuts(models: Collection[str]) -> dict[str, tuple[Cut, ...]]:
        asked.append(models)
        found = Cut(Position(outputs=frozenset((OLD.name,))), {OLD.name: live.contents(OLD.name)})
        live.append(OLD, [row("a", n=2), row("b", n=2)])
        return {"m": (found,)}

    def bring(_: object) -> tuple[str, ...]:
        aside.append(OLD, [row("a", n=1), row("b", n=9)])
        live.append(OLD, [row("a", n=3), row("b", n=3)])
        return ()

    (proof,) = proofs([pair], live, aside, bring, cuts)
    assert asked == [{"m"}]
    assert (proof.equal, proof.changed, proof.moving, proof.share, proof.ok) == (1, 1, 0, 1.0, False)
    assert [(d.live, d.staged) for d in proof.differences] == [('{"n":1}', '{"n":9}')]


def test_a_proof_that_has_compared_too_little_fails(tmp_path: Path) -> None:
    """Without a moment between two batches rows that change all the time are not compared, and that is said."""
    live, aside = FileLog(tmp_path / "live"), FileLog(tmp_path / "aside")
    aside.append(OLD, [row("a", n=9), row("b", n=0)])
    live.append(OLD, [row("b", n=0)])
    count = itertools.count()

    def bring(_: object) -> tuple[str, ...]:
        live.append(OLD, [row("a", n=next(count))])
        return ()

    (proof,) = proofs([Pair("m", OLD, OLD)], live, aside, bring)
    assert (proof.equal, proof.moving, proof.uncompared, proof.share) == (1, 1, 1, 0.5) and not proof.ok
    assert "50.0% of the rows were compared, and 100.0% must be" in proof_text(proof)
    assert replace(proof, required=0.5).ok and not replace(proof, required=0.51).ok
    assert (proof.to_json()["share"], proof.to_json()["ok"]) == (0.5, False)


def test_chains_of_queries() -> None:
    """Queries that pass records on, or write one topic, form a chain, and each chain has a position of its own."""
    passed_on = "_lsqlc.m.1"
    queries = {
        "m.stage1": replace(PARTS, sources=("t",), topic=passed_on),
        "m": replace(PARTS, sources=(f"u, {passed_on}",), topic="sums"),
        "m.bad": replace(PARTS, sources=("t",), topic="letters"),
    }
    assert [list(chain) for chain in positions._chains(queries)] == [["m.stage1", "m"], ["m.bad"]]
    shared = {**queries, "m.more": replace(PARTS, sources=("v",), topic="sums")}
    assert [list(chain) for chain in positions._chains(shared)] == [["m.stage1", "m", "m.more"], ["m.bad"]]
    one = Position({"t": OffsetsRead({0: 5})}, outputs=frozenset(("sums",)))
    other = Position({"t": OffsetsRead({0: 3})}, outputs=frozenset(("letters",)))
    assert positions.merged([one]) is one
    both = positions.merged([one, other])
    assert (both.reached, both.is_exact, both.outputs) == (
        {"t": OffsetsRead({0: 3})}, False, one.outputs | other.outputs
    )  # fmt: skip
    assert one.reaches(other) and not other.reaches(one)
    assert Position({"t": FilesRead({"a": 1, "b": 2})}).reaches(Position({"t": FilesRead({"a": 1})}))
    assert not Position({"t": FilesRead({"a": 1})}).reaches(Position({"t": FilesRead({"b": 2})}))


def test_a_query_of_two_chains_reads_no_further_than_both(tmp_path: Path) -> None:
    """Chains at different positions are refused: what the one behind has not read would be written again."""
    place = Mock(log=FileLog(tmp_path), read_log=FileLog(tmp_path))
    place.spark_connector.progress = FilesProgress()
    chains = [
        Position({"t": OffsetsRead({0: n})}, outputs=frozenset((topic,))) for n, topic in ((5, "sums"), (3, "letters"))
    ]
    stage = Mock(steps=(), settings=())
    limit = UpToLive({"m": chains}, place, place, {"m": frozenset(("sums", "letters")), "one": frozenset(("sums",))})
    assert limit._position(Node("one", "m", stage, ())) is chains[0]
    with pytest.raises(LsqlcError, match="LSQ793"):
        limit._position(Node("m", "m", stage, ()))


@pytest.mark.parametrize("model", ["m", "other", None])
def test_dead_letters_of_other_models_are_not_compared(model: str | None) -> None:
    """One that names no model can be of each."""
    letter = Record("letters", None, {"reason": "no JSON", "model": model}, 1)
    pair = Pair("m", OLD, OLD, "STREAM", is_letters=True)
    assert pair.is_own(letter) == (model != "other") and replace(pair, is_letters=False).is_own(letter)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RuntimeError("Python worker failed to connect back."), PassingError),
        (TimeoutError("within 120 s"), PassingError),
        (RuntimeError("[SOMETHING] is wrong"), LsqlcError),
    ],
)
def test_a_server_that_does_not_note_the_end_of_a_batch(
    error: Exception, kind: type[LsqlcError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no query that has read too far, and may do well when it is asked again."""
    store = Mock()
    store.batches.return_value = BatchLog({})
    store.end_batch.side_effect = error
    monkeypatch.setattr(handover, "store_of", lambda *_: store)
    place = Mock(log=FileLog(tmp_path), read_log=FileLog(tmp_path))
    place.spark_connector.progress = FilesProgress()
    place.streams().last_batch.return_value = -1
    stage = Mock(steps=(Source("v", ("t",)),), settings=())
    checkpoint, session = Mock(), Mock()
    checkpoint.form.named = False
    checkpoint.of.return_value = stage
    session.sql().collect.return_value = [(1,)]
    limit = UpToLive({"m": [Position({"t": FilesRead({"file:///a": 1})})]}, place, place, {"m": frozenset()})
    with pytest.raises(LsqlcError) as raised:
        limit.prepare(Node("m", "m", stage, ()), checkpoint, session)
    assert type(raised.value) is kind and [d.code for d in raised.value.diagnostics] == ["LSQ661"]


def test_the_note_of_the_lines() -> None:
    """It is read as it was written; that of another release is an error."""
    kept = Deployment("b", {"m": ("m",)}, {"sums": "sums.kept-b"}, {}, 1.5, "me@host", "kept", {"m": {"generation": 1}})
    lines = Deployments(
        {"_lsqlc.m.1": "_lsqlc.m.1.a"}, Deployment("a", {"m": ("m", "m.stage1")}, {}, {}, 3700.0, "me"), kept
    )
    assert (
        parse_deployments(deployments_text(lines)) == lines
        and parse_deployments(deployments_text(Deployments())) == Deployments()
    )
    for other in ("", "{}", '{"format": 2}', deployments_text(lines).replace('"kept",', '"gone",')):
        with pytest.raises(LsqlcError, match="LSQ775"):
            parse_deployments(other)
    text = shown_lines(lines.staged, lines.kept, 3762.0)
    assert text.startswith("staged: m in the line a, 1 min ago by me") and "kept: m as before" in text
    assert shown_lines(None, None, 0.0) == "nothing is staged, and nothing is kept"


def test_a_checkpoint_in_another_folder(tmp_path: Path) -> None:
    """A query continues from it, also after another start; a refresh begins in its own folder again."""
    store, transport = FolderStore(tmp_path / "ck"), FileTransport(tmp_path / "topics")

    def opened(store: FolderStore) -> Checkpoint:
        found = open_checkpoint(store, transport, CheckpointRequest("q", "sums", PARTS))
        (found.folder / "offsets").mkdir(parents=True, exist_ok=True)
        (found.folder / "offsets" / "0").touch()
        return found

    live, staged = opened(store), opened(store.below("aside-1"))
    before, known = described(store, "q"), described(store.below("aside-1"), "q")
    assert before is not None and known is not None and live.location != staged.location
    describe_elsewhere(store, "q", known, "aside-1")
    for _ in range(2):
        assert opened(store).location == staged.location and opened(store).resumed
        take_up(store, "q", PARTS)
    assert json.loads((tmp_path / "ck" / "q" / "stage.json").read_text())["home"] == "aside-1"
    # What was live is staged in turn, from where it is.
    describe_elsewhere(store.below("aside-2"), "q", before, "..")
    assert opened(store.below("aside-2")).location == live.location
    clear_described(store, "q", before)
    assert not Path(live.location).exists() and opened(store).location == staged.location
    refresh(store, [("q", "sums", PARTS)], transport)
    finish_refreshes(store, transport)
    assert not Path(staged.location).exists() and opened(store).location.startswith(str(tmp_path / "ck" / "q"))
    forget(store, "q")
    assert described(store, "q") is None and Path(opened(store).location).exists()


def test_records_that_follow_at_once(tmp_path: Path) -> None:
    """They are appended only if no other record has come; a topic may lie under another name."""
    log = FileLog(tmp_path)
    log.append(OLD, [row("a", n=1)])
    first = log.arrivals()
    assert log.append_unless_arrived([(OLD, [row("b", n=2), row("c", n=3)]), (OLD, []), (OLD, [row("a")])], first)
    assert [r.ordinal for r in log.read(OLD)] == [(0,), (1,), (2,), (3,)]
    assert not log.append_unless_arrived([(OLD, [row("d", n=4)])], first) and log.count("sums") == 4
    aside = FileLog(tmp_path, renamed={"sums": "sums.aside-1"})
    aside.append(OLD, [row("z", n=9)])
    assert [r.key for r in aside.read(OLD)] == ["z"] and log.count("sums") == 4
    assert aside.names() == ("sums", "sums.aside-1")


def test_a_writer_that_is_fenced(tmp_path: Path) -> None:
    """What it makes aside has no folder any more; one that is started again has."""
    transport = FileTransport(tmp_path)
    transport.write("sums", "g_000001")
    made = tmp_path / "sums" / "tmp" / "g_000001"
    assert made.is_dir()
    transport.fence("sums", "g_000001")
    transport.fence("sums", "g_000002")
    assert not made.exists()
    transport.write("sums", "g_000001")
    assert made.is_dir()
    renamed = FileTransport(tmp_path, aside={"sums": "sums.aside-1"})
    renamed.write("sums", "g_000003")
    assert (tmp_path / "sums_x2easide_x2d1" / "tmp" / "g_000003").is_dir()


def test_streams_whose_end_cannot_be_set(bikes: Path) -> None:
    """Those of files."""
    assert _unstageable_stream(Project.load(bikes).plan("arrivals"), "arrivals") is None
    (bikes / "models" / "topics.yml").write_text(
        "topics: [{name: rides, key: bike, connector: files, files: {path: data, format: csv},"
        " value: 'bike STRING, station STRING, minutes INT, cancelled BOOLEAN'}]"
    )
    reason = _unstageable_stream(Project.load(bikes).plan("arrivals"), "arrivals")
    assert reason == "'arrivals' is a STREAM, and 'rides' consists of files"


def test_what_cannot_be_staged(cli: Cli, bikes: Path) -> None:
    """Another key, a TABLE that becomes a STREAM; and there is nothing to be compared or promoted."""
    ran(bikes)
    for verb in ("prove", "promote", "rollback", "abort"):
        refused = cli("deploy", verb)
        assert refused.code == 1 and "error[LSQ771]" in refused.err
    assert cli("deploy", "status").out.strip() == "nothing is staged, and nothing is kept"
    assert "nothing is kept" in cli("deploy", "forget").err
    assert "no model has to be staged" in cli("deploy", "stage").err
    before = (bikes / "models" / "bikes_at_station.sql").read_text()
    (bikes / "models" / "bikes_at_station.sql").write_text("SELECT STREAM station FROM {{ ref('arrivals') }};")
    stream = cli("deploy", "stage", "--select", "bikes_at_station")
    assert stream.code == 1 and "error[LSQ770]" in stream.err
    assert "'bikes_at_station' changes from a TABLE to a STREAM" in stream.err
    (bikes / "models" / "bikes_at_station.sql").write_text(before)
    edit(bikes, "bikes_at_station", "GROUP BY station", "GROUP BY minutes")
    edit(bikes, "bikes_at_station", "    station\n  , ", "    ")
    (bikes / "models" / "busy.sql").write_text("SELECT TABLE * FROM bikes_at_station WHERE bikes > 2;")
    new = cli("deploy", "stage", "--select", "busy")
    assert new.code == 1 and "it has not run on this target" in new.err
    (bikes / "models" / "busy.sql").unlink()
    key = cli("deploy", "stage")
    assert key.code == 1 and "the key of 'bikes_at_station' changes from STRING to INT" in key.err
    assert not (bikes / ".lsqlc" / "lines.json").exists()


def test_a_promotion_that_has_begun(cli: Cli, bikes: Path) -> None:
    """No run comes in between, and it cannot be given up."""
    line = Deployment("a1", {"bikes_at_station": ("bikes_at_station",)}, {}, {}, 0.0, "me@host", "snapshotted")
    (bikes / ".lsqlc").mkdir(exist_ok=True)
    (bikes / ".lsqlc" / "lines.json").write_text(deployments_text(Deployments(staged=line)))
    for words in (("run",), ("deploy", "abort"), ("deploy", "stage"), ("deploy", "prove")):
        refused = cli(*words)
        assert refused.code == 1 and "error[LSQ773]" in refused.err and "lsqlc deploy promote" in refused.err
    (bikes / ".lsqlc" / "lines.json").write_text('{"format": 99}')
    assert "error[LSQ775]" in cli("run").err


def test_two_who_deploy(cli: Cli, bikes: Path) -> None:
    """One of them is told who does it."""
    with run_lock(bikes / ".lsqlc" / "deploy", "deployed"):
        for verb in ("abort", "forget"):
            refused = cli("deploy", verb)
            assert refused.code == 2 and f"already being deployed by process {os.getpid()}" in refused.err


def test_a_run_that_is_stopped(bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing goes on with what has been read in part."""
    place = open_target(bikes, Target("local"))
    console = Console(print, print, Mock(), print, lambda: True, lambda seconds: True, Mock())
    deployer = Deployer(place, Mock(plans={}), Mock(), RunRequest(1), console)
    monkeypatch.setattr("lsqlc.tasks.deploy.staging.run_models", Mock())
    with pytest.raises(KeyboardInterrupt):
        run_to_end(deployer, place, deployer.compilation)


def test_the_server_of_what_is_staged(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It suits what a model has to read again, as that of `lsqlc run` does."""
    assert cli("seed").code == 0
    loaded = load_project(bikes).project
    assert loaded is not None
    compilation = compile_project(loaded).only(["arrivals"])
    line = Deployment("a1", {"arrivals": ("arrivals",)}, {"arrivals": "aside"}, {}, 0.0, "me@host")
    place = open_target(bikes, Target("embedded"), compilation.plans.values(), (), compilation.project)
    place = aside_place(place, Deployments(staged=line), line)
    fits: list[Fit] = []

    def opened(files: object, fit: Callable[[], Fit]) -> Any:
        fits.append(fit())
        raise LsqlcError([Diagnostic("LSQ650", "no Java here")])

    watch = Mock(return_value=Mock(batches=0))
    console = Console(print, print, opened, print, lambda: False, lambda seconds: True, watch)
    for least in (10, 10**6):
        monkeypatch.setattr(backlog, "WIDE", least)
        with pytest.raises(LsqlcError, match="LSQ650"):
            run_to_end(Deployer(place, compilation, Mock(), RunRequest(1, restarts=0), console), place, compilation)
    assert [each.wide for each in fits] == [True, False]


def test_a_full_refresh_of_what_is_kept(cli: Cli, bikes: Path) -> None:
    """It is refused: what is kept would not go with it. Other models can be refreshed."""
    line = Deployment("a1", {"bikes_at_station": ("bikes_at_station",)}, {}, {}, 0.0, "me@host", "kept")
    (bikes / ".lsqlc").mkdir(exist_ok=True)
    (bikes / ".lsqlc" / "lines.json").write_text(deployments_text(Deployments(kept=line)))
    for words in (("run", "--full-refresh"), ("seed", "--full-refresh")):
        refused = cli(*words)
        assert refused.code == 1 and "error[LSQ776]" in refused.err and "lsqlc deploy forget" in refused.err


def test_a_promotion_tells_written_rows_from_deleted_ones() -> None:
    """A topic has fewer rows than it was given records where rows are deleted."""
    assert promoted_line("per", 11, 10, 11) == "per: 11 rows written, 10 deleted; it has 11 rows now"
    assert promoted_line("per", 0, 10, 0) == "per: 0 rows written, 10 deleted; it has 0 rows now"
    assert promoted_line("per", 1, 0, 5) == "per: 1 row written; it has 5 rows now"
    assert promoted_line("all", 0, 0, None) == "all: the new program continues after the records that are there"
