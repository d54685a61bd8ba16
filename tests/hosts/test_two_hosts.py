"""Client and Spark server on two hosts, as two users, which share nothing but the brokers; the checkpoints are in a
storage that only the server reaches.

Three hosts: `client` has the project, `kafka` the brokers and the storage, `spark` the server, whose Python has neither
lsqlc nor a client of Kafka. The brokers have an address for each of the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace

import pytest

from lsqlc.remote.server.broker import Broker, BrokerOptions
from tests.hosts import networks, storage
from tests.hosts.networks import Network
from tests.hosts.shop import MODELS, Shop, environment, orders, totals
from tests.hosts.spark_host import PORT, SparkHost
from tests.kafka.fixture import fetched

pytestmark = [pytest.mark.spark, pytest.mark.kafka]
PLAIN, CLIENTS, SERVERS, CONTROLLER = 9092, 9093, 9094, 9095


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts, the address of the storage, and the client's project."""

    client: Network
    kafka: Network
    server: SparkHost
    storage: str
    shop: Shop

    def checkpoints(self) -> set[str]:
        """The folders of the storage in which there is something of a checkpoint."""
        with self.kafka.entered():
            return {"/".join(key.split("/")[:3]) for key in storage.keys(self.storage)}


def _listeners(client: str, server: str) -> dict[str, str]:
    """Settings of a broker with an address for each host that reaches it; its own loopback has the rest."""
    seen = f"PLAINTEXT://127.0.0.1:{PLAIN},CLIENT://{client}:{CLIENTS},SERVER://{server}:{SERVERS}"
    return {
        "listeners": f"{seen},CONTROLLER://127.0.0.1:{CONTROLLER}",
        "advertised.listeners": seen,
        "controller.quorum.voters": f"1@127.0.0.1:{CONTROLLER}",
        "listener.security.protocol.map": ",".join(
            f"{name}:PLAINTEXT" for name in ("PLAINTEXT", "CLIENT", "SERVER", "CONTROLLER")
        ),
    }


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """The hosts, their servers, and the project with its first records."""
    if reason := networks.missing():
        pytest.skip(reason)
    fetched("kafka-broker")
    jars = (*fetched("spark-kafka"), *storage.s3a_jars())
    root = tmp_path_factory.mktemp("hosts")
    with ExitStack() as running:
        client, kafka, spark = (running.enter_context(closing(Network(name))) for name in ("client", "kafka", "spark"))
        for_client, _ = kafka.link(client, 61)
        for_server, _ = kafka.link(spark, 62)
        connect, _ = spark.link(client, 63)
        with kafka.entered():
            settings = _listeners(for_client, for_server)
            running.enter_context(Broker(root / "broker", os.environ, BrokerOptions(port=PLAIN, settings=settings)))
            running.enter_context(storage.stand_in(for_server, root / "storage.log"))
        with spark.entered():
            # Each partition of the state has files of its own in the storage; Spark's default is 200.
            settings = {
                "spark.ui.enabled": "false",
                "spark.sql.shuffle.partitions": "1",
                **storage.settings(f"http://{for_server}:{storage.PORT}"),
            }
            server = running.enter_context(SparkHost(root / "server", connect, jars, settings))
        profile = {
            "address": f"sc://{connect}:{PORT}",
            "checkpoints": f"s3a://{storage.BUCKET}/checkpoints",
            "bootstrap": f"{for_client}:{CLIENTS}",
            "server_bootstrap": f"{for_server}:{SERVERS}",
            "prefix": "shop.",
        }
        shop = Shop(root / "client", profile, environment(root / "home"), client.entered)
        yield Hosts(client, kafka, server, for_server, shop)


def test_a_project_over_two_hosts(hosts: Hosts) -> None:
    """From the seed on; a second run goes on with what has come, and the results are those of DuckDB and of Python.
    Two of the models are run again, to be quick; `test_a_refresh_over_two_hosts` runs all.
    """
    shop, given = hosts.shop, orders(0, 60)
    shop.write(given)
    shop.lsqlc("seed")
    first = shop.run()
    assert first.keys() == MODELS.keys() and not any(query["resumed"] for query in first.values())
    assert shop.rows("totals") == totals(given) and len(shop.read("priced")) == 60
    more = orders(60, 40)
    shop.order(more)
    second = shop.run("--select", "totals+")
    assert len(second) == 2 and all(query["resumed"] for query in second.values())
    assert shop.rows("totals") == totals(given + more)
    places = hosts.checkpoints()
    assert {f"checkpoints/{query}/spark-000001" for query in first} <= places
    assert {f"checkpoints/{query}/stage-000001" for query in first} <= places
    check_that_nothing_is_shared(hosts)


def check_that_nothing_is_shared(hosts: Hosts) -> None:
    """The server's user sees no file of the client's and has no package of lsqlc; the client has no checkpoint."""
    project = hosts.shop.folder
    assert (project / "lsqlc.yml").is_file()
    assert hosts.server.shell(f"id -u; ls -d {project} 2>/dev/null || echo none").split() == ["65534", "none"]
    found = "import importlib.util as u; print(*(u.find_spec(n) for n in ('lsqlc', 'confluent_kafka', 'kafka')))"
    assert hosts.server.python(found).split() == ["None"] * 3
    # The client of Kafka that travelled there with each query.
    assert len(hosts.server.shell("ls -d /tmp/lsqlc-kafka-*").split()) == 1
    # Six digits: a folder of Spark's own, as `spark-06899c14-9fbb`, is no checkpoint.
    checkpoints = "-regextype posix-extended -regex '.*/((spark|stage)-[0-9]{6}|offsets)'"
    assert not hosts.server.shell(f"find /home /tmp {checkpoints}")
    owners = {path.stat().st_uid for path in project.rglob("*")}
    assert owners == {os.getuid()} and not (project / ".lsqlc" / "checkpoints").exists()


def test_a_refresh_over_two_hosts(hosts: Hosts) -> None:
    """With tasks that write; what is asked of the checkpoints is answered by the server."""
    profile = {**hosts.shop.profile, "prefix": "again.", "checkpoints": f"s3a://{storage.BUCKET}/again"}
    shop, given = replace(hosts.shop, folder=hosts.shop.folder.with_name("again"), profile=profile), orders(0, 80)
    shop.write(given, writers=2)
    (debug,) = shop.lsqlc("debug")
    assert all(check["ok"] for check in debug["checks"]), debug
    shop.lsqlc("seed")
    queries = shop.run()
    (status,) = shop.lsqlc("status", "--checkpoints")
    verdicts = {checkpoint["query"]: checkpoint["verdict"] for checkpoint in status["checkpoints"]}
    assert verdicts.keys() == queries.keys() and len(set(verdicts.values())) == 1
    assert any(message.key().endswith(b"/tasks") for message in shop.read("_lsqlc.commits"))
    refreshed = shop.run("--full-refresh")
    assert not any(query["resumed"] for query in refreshed.values())
    assert shop.rows("totals") == totals(given) and len(shop.read("priced")) == 80
    with hosts.kafka.entered():
        kept = storage.keys(hosts.storage)
    # The state of before is gone.
    assert not [key for key in kept if key.startswith("again/") and "/spark-000001/offsets/" in key]
    assert [key for key in kept if key.startswith("again/") and "/spark-000002/offsets/" in key]
    more = orders(80, 30)
    shop.order(more)
    assert all(query["resumed"] for query in shop.run().values())
    assert shop.rows("totals") == totals(given + more)
    check_that_nothing_is_shared(replace(hosts, shop=shop))
