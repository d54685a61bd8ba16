"""Records that no query reads: how they are named, noted and looked for, and what a query becomes without them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

import lsqlc
from lsqlc.cli.arguments import parsed_records
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.connectors.skips import Skip, skip_of, skips_of, skips_text
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.skips import with_skips
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.declared.target import Target
from lsqlc.project.discovery import load_project
from lsqlc.remote.run.checkpoints import describe
from lsqlc.remote.run.query_status import RunStatus, status_data, status_of
from lsqlc.remote.session.failures import query_failed
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.tasks.skipped_records import NOTE, change_skips, check_skips, read_skips
from lsqlc.types.record import Record
from tests.cli.conftest import Cli, bikes, cli

__all__ = ["bikes", "cli"]

ONE, TWO = Skip("orders", 0, 17), Skip("orders", 1, 3)


def project(root: Path) -> Compilation:
    texts = {
        "lsqlc.yml": "name: shop\n",
        "models/topics.yml": "topics:\n  - {name: orders, key: INT, value: 'n INT'}\n"
        "  - {name: lake, connector: files, value: 'n INT', files: {path: lake, format: csv}}\n",
        "models/m.sql": "SELECT STREAM n FROM orders",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    loaded = load_project(root)
    assert loaded.project is not None, loaded.diagnostics
    return compile_project(loaded.project)


def place(root: Path) -> RunTarget:
    return open_target(root, Target("dev", "embedded"))


@pytest.mark.parametrize(
    "text", ["orders", "orders:1", ":0:1", "orders:0:-1", "orders:0:x", "orders:0:1²", "orders::1"]
)
def test_what_is_no_place_in_kafka(text: str) -> None:
    assert skip_of(text, with_partitions=True) is None


@pytest.mark.parametrize("skip", [ONE, Skip("a.b", None, 5), Skip("a:b", None, 0)])
def test_a_place_is_read_as_it_is_written(skip: Skip) -> None:
    """As an option, and in the note."""
    assert skip_of(skip.text, with_partitions=skip.partition is not None) == skip
    assert skips_of(skips_text([skip, ONE, skip])) == tuple(sorted({skip, ONE}, key=lambda each: each.topic))
    assert parsed_records([skip.text], "--skip-record", with_partitions=skip.partition is not None) == (skip,)


def test_a_note_is_kept(tmp_path: Path) -> None:
    """Records come to it and leave it; that of another release is refused."""
    at = place(tmp_path)
    assert read_skips(at, "shop") == ()
    change_skips(at, "shop", skipped=[ONE])
    change_skips(at, "shop", skipped=[TWO, ONE])
    assert read_skips(at, "shop") == (ONE, TWO)
    change_skips(at, "shop", skipped=(), read=[ONE])
    assert read_skips(at, "shop") == (TWO,)
    change_skips(at, "shop", skipped=(), read=[TWO])
    assert not (at.state / f"{NOTE}.json").exists()
    for text in ('{"format": 2, "skips": []}', "[]", "{"):
        (at.state / f"{NOTE}.json").write_text(text)
        with pytest.raises(LsqlcError, match="LSQ642"):
            read_skips(at, "shop")


def test_a_record_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """One that comes there later would be skipped. A line that is no JSON behind its ordinal is a record."""
    compilation, at = project(tmp_path), place(tmp_path)
    at.log.append(compilation.topics["orders"], [Record("orders", 1, {"n": n}) for n in range(3)])
    (segment,) = at.log.segments_for(compilation.topics["orders"], tmp_path)
    sum_path(segment).unlink()
    with segment.open("a") as lines:
        lines.write('{"ordinal":3,"timestamp":0,"key":1,"value":{"n":\n')
    check_skips(at, compilation, [Skip("orders", None, n) for n in range(4)])
    for skip, note in {
        Skip("orders", None, 4): "no line of the topic has that ordinal",
        Skip("order", None, 0): "the project has no topic 'order'",
        Skip("lake", None, 0): "a topic of files has no such places",
    }.items():
        with pytest.raises(LsqlcError) as raised:
            check_skips(at, compilation, [skip])
        (found,) = raised.value.diagnostics
        assert (found.code, found.notes) == ("LSQ641", (note,))
        assert found.help is not None or skip.topic == "lake"


def test_a_record_of_a_join_is_refused(tmp_path: Path) -> None:
    """Several may have the first number of their ordinals in common."""
    topic = replace(project(tmp_path).topics["orders"], ordinal_width=2)
    with pytest.raises(LsqlcError) as raised:
        check_skips(place(tmp_path), Mock(topics={"orders": topic}), [Skip("orders", None, 0)])
    (found,) = raised.value.diagnostics
    assert (found.code, found.notes) == ("LSQ641", ("its records are of joins, whose ordinals have several numbers",))


def test_a_query_is_the_same_without_a_record() -> None:
    """But for its source: what identifies it and its state are equal, so its checkpoint fits. One source counts."""
    topics = [lsqlc.Topic(name, key="INT", value="n INT") for name in ("orders", "others")]
    text = "SELECT STREAM o.n FROM orders AS o INNER JOIN others AS p ON o._key = p._key WITHIN 1m"
    (*_, stage) = lower(lsqlc.compile(text, topics=topics, name="out")).stages
    assert with_skips(stage, ()) is stage and with_skips(stage, [Skip("else", None, 1)]).sources == stage.sources
    without = with_skips(stage, [ONE, TWO])
    assert without != stage and without.version == stage.version
    assert describe(without, partitions=4, server=(4, 2), model="out") == describe(
        stage, partitions=4, server=(4, 2), model="out"
    )
    assert [step for step in without.steps if step not in without.sources] == [
        step for step in stage.steps if step not in stage.sources
    ]
    reading = [source for source in without.sources if source.skipped]
    assert all(source.skipped == (ONE, TWO) for source in reading)
    assert [source.counts_skipped for source in reading] == [{"orders"}, *[frozenset()] * (len(reading) - 1)]
    twice = replace(stage, steps=(*stage.sources, *stage.sources))
    assert sum("orders" in source.counts_skipped for source in with_skips(twice, [ONE]).sources) == 1


def test_the_error_of_a_record_has_the_command_that_skips_it() -> None:
    """Where its ordinal and its topic are clear."""
    said = "[USER_RAISED_EXCEPTION] the record {} of 'orders' cannot be read: why SQLSTATE: P0001"
    for ordinal, command in {"17": "orders:17", "[5, 0]": "orders:5"}.items():
        help = query_failed("m", "m", said.format(ordinal), ["orders", "others"]).help
        assert help is not None and f"`lsqlc run --skip-record {command}` skips it; or fix" in help
    assert "--skip-record" not in (query_failed("m", "m", said.format("[5, 7]"), ["orders"]).help or "")
    malformed = "[MALFORMED_RECORD_IN_PARSING] Malformed records are detected in record parsing: [{},1]"
    for ordinal, topics in (("null", ["orders"]), ("7", ["orders", "others"])):
        assert "--skip-record" not in (query_failed("m", "m", malformed.format(ordinal), topics).help or "")
    assert "--skip-record orders:7`" in (query_failed("m", "m", malformed.format(7), ["orders"]).help or "")


def test_the_status_names_them() -> None:
    status = RunStatus(1, 0, 0, "ended", skips=("orders:0:17",))
    assert status_of({**status_data(status), "skips": ["orders:0:17"]}) == status


def test_the_command_refuses_a_text_that_is_no_place(cli: Cli, bikes: Path) -> None:
    """Before a server is started."""
    refused = cli("run", "--skip-record", "rides:0:17x")
    assert refused.code == 2 and "'rides:0:17x' is not the place of a record: TOPIC:ORDINAL" in refused.err
    missing = cli("run", "--skip-record", "rides:17")
    assert missing.code == 1 and "LSQ641" in missing.err
