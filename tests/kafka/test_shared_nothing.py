"""Runs whose client and server share nothing but Kafka: the checkpoints lie at an address of the server's."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.events import QuerySummary
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.run.stores import ServerStore
from lsqlc.remote.session.session import parse_address, server_version
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record
from tests.cli.conftest import Cli, bikes, cli
from tests.kafka import client
from tests.kafka.fixture import create_topics
from tests.kafka.settings import settings_of
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

__all__ = ["bikes", "cli"]
TOPIC = lsqlc.Topic("orders", key="INT", value="item STRING, n INT")
GROUPS = "SELECT TABLE item, COUNT(*) AS c, SUM(n) AS s FROM orders GROUP BY item"
OTHERS = "SELECT TABLE item, COUNT(*) AS c, SUM(n) AS s FROM orders WHERE n > 1 GROUP BY item"


class Shop:
    """A model over a topic, and what its runs leave: in Kafka, and in a folder that only the server is told of."""

    def __init__(self, settings: KafkaSettings, folder: Path, root: Path, spark: SparkSession, address: str) -> None:
        self.folder, self.root, self.spark, self.address = folder, root, spark, parse_address(address)
        self.target = Target("prod", "connect", address, f"file:{folder}", connection=settings)
        self.settings = settings

    def append(self, first: int) -> None:
        plan = lsqlc.compile(GROUPS, topics=[TOPIC], name="out")
        records = [Record("orders", n, {"item": "abc"[n % 3], "n": n % 4}, n) for n in range(first, first + 12)]
        open_target(self.root, self.target, [plan]).log.append(plan.inputs[0], records)

    def run(
        self, program: str = GROUPS, options: RunOptions | None = None, stop: Callable[[], bool] = lambda: False
    ) -> QuerySummary:
        plan = lsqlc.compile(program, topics=[TOPIC], name="out")
        place = open_target(self.root, self.target, [plan])
        assert place.checkpoints == f"file:{self.folder}" and not place.shared
        create_topics(plan, settings_of(place.target))
        lowered = lower(plan, server=server_version(self.spark.version), wires=place.wires)
        jobs = [Job("out", lowered)]
        (summary,) = run(
            RunResources(self.spark, self.address, place.streams(), place.checkpoints), jobs, options=options, stop=stop
        )
        return summary

    def codes(self, program: str = GROUPS) -> list[str]:
        with pytest.raises(LsqlcError) as raised:
            self.run(program)
        return [found.code for found in raised.value.diagnostics]

    def rows(self) -> dict[bytes | None, bytes | None]:
        """The newest value of each key."""
        read = client.read(self.settings.bootstrap, f"{self.settings.prefix}out")
        return {message.key(): message.value() for message in read}


@pytest.fixture
def shop(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> Shop:
    (tmp_path / "client").mkdir()
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix)
    return Shop(settings, tmp_path / "server" / "ck", tmp_path / "client", kafka_spark, kafka_spark_server.address)


def test_a_model_from_its_first_run_on(shop: Shop) -> None:
    """It resumes; changed, it is refused until it is refreshed; without its checkpoint too. The client has no file."""
    shop.append(0)
    first = shop.run()
    assert first.finished and not first.resumed and len(shop.rows()) == 3
    before = shop.rows()
    shop.append(12)
    again = shop.run()
    assert again.resumed and again.rows == 12 and shop.rows().keys() == before.keys() and shop.rows() != before
    assert shop.codes(OTHERS) == ["LSQ660"]
    refreshed = shop.run(OTHERS, RunOptions(refresh={"out"}))
    assert not refreshed.resumed and refreshed.rows == 24
    assert shop.run(OTHERS).resumed
    # The state of the old generation is gone.
    assert not list(shop.folder.glob("*/spark-000001/offsets/*")) and list(shop.folder.glob("*/spark-000002/offsets/*"))
    shutil.rmtree(shop.folder)
    assert shop.codes(OTHERS) == ["LSQ666"]
    assert shop.run(OTHERS, RunOptions(refresh={"out"})).rows == 24
    assert not list(shop.root.rglob("*"))


def test_a_lost_lease_stops_the_queries(shop: Shop) -> None:
    """What the lease raises ends the run, which leaves no query on the server; the next one goes on."""
    shop.append(0)
    lost = LsqlcError([Diagnostic("LSQ783", "lost")])

    def held() -> bool:
        if shop.spark.streams.active:
            raise lost
        return False

    with pytest.raises(LsqlcError) as raised:
        shop.run(options=RunOptions(QueryOptions(until_read=False)), stop=held)
    assert raised.value is lost and not shop.spark.streams.active
    assert shop.run().finished and len(shop.rows()) == 3


@pytest.mark.parametrize("writes", range(5))
def test_a_client_that_is_killed_in_a_refresh(shop: Shop, writes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before each step that changes the storage: two notes, the removal between them, and the server that made it.
    The next run goes on or finishes the refresh, and the result is right.
    """
    shop.append(0)
    shop.run()
    right = shop.rows()
    left = writes

    class Killed(BaseException):
        pass

    def broken(name: str) -> None:
        kept = getattr(ServerStore, name)

        def step(*arguments: object) -> object:
            nonlocal left
            if left == 0:
                raise Killed
            left -= 1
            return kept(*arguments)

        monkeypatch.setattr(ServerStore, name, step)

    for name in ("_save", "_empty"):
        broken(name)
    try:
        shop.run(options=RunOptions(refresh={"out"}))
        died = False
    except Killed:
        died = True
    assert died == (writes < 4)
    monkeypatch.undo()
    shop.append(12)
    summary = shop.run()
    # Before the note is written nothing is refreshed.
    assert summary.resumed == (writes in (0, 4)) and summary.rows == (12 if writes in (0, 4) else 24)
    rows = shop.rows()
    assert rows.keys() == right.keys() and b'"c":8' in b"".join(filter(None, rows.values())).replace(b" ", b"")


PROFILE = """\
targets:
  prod:
    type: connect
    address: {address}
    checkpoints: "{checkpoints}"
    kafka:
      bootstrap: "{bootstrap}"
      security: {{protocol: PLAINTEXT}}
      properties: {{java.ssl.key.password: "{{{{ env_var('SECRET') }}}}"}}
"""


def test_debug(shop: Shop, cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for each thing that a run needs, with what is wrong in its own; no secret is shown."""
    monkeypatch.setenv("SECRET", "s3cret")
    given = {"address": shop.target.address, "bootstrap": shop.settings.bootstrap}
    (bikes / "profiles.yml").write_text(PROFILE.format(**given, checkpoints=f"file:{shop.folder}"))
    ran = cli("debug", "--target", "prod", "--output", "json")
    checks = {check["name"]: (check["ok"], check["found"]) for check in ran.data["checks"]}
    names = ("spark server", "kafka connector", "kafka from the server", "checkpoints", "kafka from here")
    assert ran.code == 0 and all(checks[name][0] for name in names) and "checkpoints folder" not in checks, checks
    (bikes / "profiles.yml").write_text(
        PROFILE.format(**given | {"bootstrap": "localhost:1"}, checkpoints="nosuch://bucket/x")
    )
    ran = cli("debug", "--target", "prod", "--output", "json")
    checks = {check["name"]: (check["ok"], check["found"]) for check in ran.data["checks"]}
    assert ran.code == 1 and checks["kafka connector"][0]
    for name, code in (("kafka from the server", "LSQ732"), ("checkpoints", "LSQ784"), ("kafka from here", "LSQ732")):
        ok, found = checks[name]
        assert not ok and found.startswith(code), checks
    assert "s3cret" not in ran.out + ran.err
