"""What a server of another version is asked before a run starts anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsqlc.lower.spark.steps import Source, Stage, View, Write
from lsqlc.remote.connectors.kafka.transport import KafkaTransport
from lsqlc.remote.run import runner
from lsqlc.remote.run.graph import Node
from lsqlc.types.kafka import KafkaSettings


class Reached(Exception):
    """The preflight check has started."""


def test_functions_of_formats_are_known_to_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The SQL of a model over PROTOBUF calls functions in Python, which each session must be given before it looks at
    the SQL: else every server but the newest one refuses the model.
    """
    order: list[str] = []

    class Spark:
        version = "4.1.4"

    def register(spark: object, functions: object) -> None:
        order.append("functions")

    def check_supported(*of: Any) -> None:
        order.append("preflight")
        raise Reached

    monkeypatch.setattr("lsqlc.remote.connectors.kafka.functions.register", register)
    monkeypatch.setattr(runner, "check_supported", check_supported)
    transport = KafkaTransport(KafkaSettings("localhost:1"), {}, tmp_path)
    options = runner.RunOptions(refresh=("m",))
    resources = runner.RunResources(Spark(), None, transport, tmp_path)  # type: ignore[arg-type]
    made = runner._Run(resources, options, lambda event: None)
    stage = Stage(
        "q",
        (Source("lines", ("t",)), View("v", "SELECT f(_value) AS line FROM lines", "rows")),
        Write("v", "t", "append"),
    )
    with pytest.raises(Reached):
        made._until_ended((Node("q", "m", stage, ()),), lambda: False)
    assert order == ["functions", "preflight"]
