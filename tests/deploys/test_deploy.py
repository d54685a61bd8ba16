"""`lsqlc deploy` over topics in folders and in Kafka: changed models are staged, compared, promoted and rolled back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lsqlc.api import Project
from lsqlc.connectors.transport import Transport
from lsqlc.lower.spark import stateful
from lsqlc.project.declared.profiles import load_target
from lsqlc.tasks.deploy import promotion, staging
from lsqlc.tasks.run_target import open_target
from lsqlc.types.record import Record
from tests.cli.conftest import Cli, bikes, cli
from tests.shared import SharedBroker, SharedServer

__all__ = ["bikes", "cli"]
pytest.importorskip("pyspark", reason="pyspark is not installed")
pytestmark = [pytest.mark.kafka, pytest.mark.spark]

KAFKA = "\n    kafka: {{bootstrap: '{bootstrap}', prefix: '{prefix}', partitions: 3}}\n    checkpoints: 'file:{folder}'"
BUSY = "SELECT TABLE station, bikes FROM bikes_at_station WHERE bikes > 2;"
# One query passes rows on to another.
SPREAD = """\
WITH per AS (SELECT TABLE station AS at, COUNT(*) AS bikes FROM {{ ref('arrivals') }} GROUP BY station);
SELECT TABLE COUNT(*) AS stations FROM per GROUP BY bikes;
"""


@pytest.fixture(params=["folders", "kafka"])
def project(
    request: pytest.FixtureRequest,
    bikes: Path,
    cli: Cli,
    broker: SharedBroker,
    topic_prefix: str,
    kafka_spark_server: SharedServer,
    tmp_path: Path,
) -> Path:
    """A project that has run, with a reader of the TABLE that changes."""
    own = ""
    if request.param == "kafka":
        own = KAFKA.format(bootstrap=broker.bootstrap, prefix=topic_prefix, folder=tmp_path / "checkpoints")
    target = f"type: connect\n    address: {kafka_spark_server.address}{own}"
    (bikes / "profiles.yml").write_text(f"default: standing\ntargets:\n  standing:\n    {target}\n")
    (bikes / "models" / "busy.sql").write_text(BUSY)
    (bikes / "models" / "spread.sql").write_text(SPREAD)
    assert cli("seed", "--quiet").code == 0
    verified(cli)
    return bikes


def log_of(project: Path) -> Transport:
    target, problems = load_target(project, None, {})
    assert target is not None and not problems
    loaded = Project.load(project)
    return open_target(project, target, loaded.plans.values()).log


def rows(cli: Cli, topic: str) -> list[Any]:
    shown = cli("show", topic, "--output", "json")
    assert shown.code == 0, shown.err
    return sorted((line["value"] for line in shown.lines), key=repr)


def ride_again(project: Path, count: int = 7) -> None:
    """More records of the same kind, as late arrivals."""
    topic, log = Project.load(project).plan("arrivals").inputs[0], log_of(project)
    some = list(log.read(topic))[:count]
    log.append(topic, [Record(topic.name, r.key, r.value, r.timestamp + 1) for r in reversed(some)])


def edit(project: Path, model: str, old: str, new: str) -> None:
    path = project / "models" / f"{model}.sql"
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new))


def verified(cli: Cli) -> None:
    """A run continues, and its results are those of DuckDB over the whole log."""
    ran = cli("run", "--verify", "--quiet")
    assert ran.code == 0, ran.err


def test_a_whole_deployment(cli: Cli, project: Path) -> None:
    """The live rows do not change before the promotion; then readers continue, and what is rolled back comes back."""
    before = rows(cli, "bikes_at_station")
    edit(project, "bikes_at_station", "COUNT(*) AS bikes", "COUNT(*) AS bikes, SUM(minutes) AS minutes")
    edit(project, "spread", "station AS at, COUNT(*)", "station AS at, COUNT(minutes)")
    edit(project, "spread", "FROM per GROUP", "FROM per WHERE bikes <> 3 GROUP")
    refused = cli("run")
    assert refused.code == 1 and "LSQ660" in refused.err
    staged = cli("deploy", "stage", "--output", "json")
    assert staged.code == 0, staged.err
    assert staged.lines[-1]["models"] == ["bikes_at_station", "spread"]
    assert cli("deploy", "status", "--output", "json").data["staged"]["phase"] == "staged"

    ride_again(project)
    proved = cli("deploy", "prove", "--output", "json")
    assert proved.code == 1
    by_topic = {line["topic"]: line for line in proved.lines if line.get("event") == "proof"}
    found = by_topic["bikes_at_station"]
    assert found["columns"] == {"minutes": found["changed"]} and found["changed"] > 2 and not found["gone"]
    assert "minutes" in found["differences"][0]["columns"]
    assert "only live" in cli("deploy", "prove").out
    meant = dict.fromkeys(by_topic, "{columns: any, new: true, gone: true}")
    meant["bikes_at_station"] = "{columns: [minutes]}"
    (project / "meant.yml").write_text("expect:\n" + "".join(f"  {topic}: {each}\n" for topic, each in meant.items()))
    expected = cli("deploy", "prove", "--expect", "meant.yml")
    assert expected.code == 0 and f"{found['changed']} as expected, 0 not" in expected.out
    (project / "meant.yml").write_text("expect: {bikes_at_station: {columns: [bikes], gone: true}}\n")
    unexpected = cli("deploy", "prove", "--expect", "meant.yml")
    assert unexpected.code == 1 and f"0 as expected, {found['changed']} not" in unexpected.out

    promoted = cli("deploy", "promote", "--output", "json")
    assert promoted.code == 0, promoted.err
    after = rows(cli, "bikes_at_station")
    assert len(after) == len(before) and all(row["minutes"] is not None for row in after)
    assert {step["action"] for step in cli("plan", "--output", "json").data["models"]} == {"continue"}
    verified(cli)
    ride_again(project, 5)
    verified(cli)

    edit(project, "bikes_at_station", "COUNT(*) AS bikes, SUM(minutes) AS minutes", "COUNT(*) AS bikes")
    edit(project, "spread", "station AS at, COUNT(minutes)", "station AS at, COUNT(*)")
    edit(project, "spread", "FROM per WHERE bikes <> 3 GROUP", "FROM per GROUP")
    rolled_back = cli("deploy", "rollback", "--output", "json")
    assert rolled_back.code == 0, rolled_back.err
    verified(cli)
    ride_again(project, 3)
    verified(cli)
    assert cli("deploy", "forget").code == 0
    assert not [name for name in log_of(project).names() if ".kept-" in name or ".aside-" in name]
    verified(cli)


def test_a_wrong_lowering_is_seen(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The staged query is made wrongly from a model that nobody has edited: it takes nothing back. The keys and the
    values that differ are named.
    """
    with wrong_counts(monkeypatch):
        staged = cli("deploy", "stage", "--select", "bikes_at_station")
        assert staged.code == 0, staged.err
    # These move bikes from stations where they were before.
    ride_again(project)
    verified(cli)
    right = {row["station"]: row for row in rows(cli, "bikes_at_station")}
    with wrong_counts(monkeypatch):
        proved = cli("deploy", "prove", "--output", "json")
    assert proved.code == 1
    (proof,) = (line for line in proved.lines if line.get("event") == "proof")
    assert proof["changed"] and list(proof["columns"]) == ["bikes"] and not proof["new"] and not proof["gone"]
    for difference in proof["differences"]:
        live, wrong = json.loads(difference["live"]), json.loads(difference["staged"])
        assert live == right[json.loads(difference["key"])] and wrong["bikes"] > live["bikes"], difference
    assert cli("deploy", "abort").code == 0
    verified(cli)


def test_what_is_staged_is_given_up(cli: Cli, project: Path) -> None:
    """Nothing is left of it, and what is live is as it was."""
    before, topics = rows(cli, "bikes_at_station"), log_of(project).names()
    edit(project, "bikes_at_station", "GROUP BY", "WHERE minutes > 5 GROUP BY")
    assert cli("deploy", "stage").code == 0
    assert cli("deploy", "stage", "--select", "spread").code == 1
    assert set(log_of(project).names()) > set(topics)
    again = cli("deploy", "stage")
    assert again.code == 0, again.err
    edit(project, "bikes_at_station", "minutes > 5", "minutes > 6")
    other = cli("deploy", "stage")
    assert other.code == 1 and "error[LSQ772]" in other.err
    assert cli("deploy", "abort").code == 0
    assert log_of(project).names() == topics and rows(cli, "bikes_at_station") == before
    for verb in ("prove", "promote", "rollback", "abort"):
        refused = cli("deploy", verb)
        assert refused.code == 1 and "error[LSQ771]" in refused.err
    edit(project, "bikes_at_station", "WHERE minutes > 6 GROUP BY", "GROUP BY")
    verified(cli)


def test_a_promotion_that_is_killed_is_finished(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each of its steps, whatever is lost: no run comes in between, and the same command finishes it."""
    edit(project, "bikes_at_station", "COUNT(*) AS bikes", "COUNT(*) + SUM(minutes) AS bikes")
    assert cli("deploy", "stage").code == 0
    points = ("write_lines", "_prepared", "_take_over", "_switch", "describe_elsewhere")
    ended = 0
    for before in (True, False):
        for name in points:
            module = staging if name == "write_lines" else promotion
            with monkeypatch.context() as patch:
                patch.setattr(module, name, killed_at(getattr(module, name), before=before))
                # An internal error is the code 2.
                ended += cli("deploy", "promote").code == 2
            staged = cli("deploy", "status", "--output", "json").data["staged"]
            if staged is None:
                break
            if staged["phase"] != "staged":
                assert "error[LSQ773]" in cli("run").err and "error[LSQ773]" in cli("deploy", "abort").err
            ride_again(project, 2)
    assert ended >= 4
    if cli("deploy", "status", "--output", "json").data["staged"] is not None:
        assert cli("deploy", "promote").code == 0
    verified(cli)


@contextmanager
def wrong_counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Queries that are made meanwhile count rows that came, and not those that went."""
    with monkeypatch.context() as patch:
        patch.setattr(stateful, "over_changes", lambda *_: "sum(if(weight > 0, weight, 0L))")
        yield


class Killed(Exception):
    """The process ends here."""


def killed_at(function: Callable[..., Any], *, before: bool) -> Callable[..., Any]:
    """The function, which is the last one that is called, or is not even called."""

    def last(*arguments: Any, **named: Any) -> Any:
        if not before:
            function(*arguments, **named)
        raise Killed

    return last
