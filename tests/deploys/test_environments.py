"""Environments over topics in folders and in Kafka: changed models run beside another target, and read its topics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from lsqlc.project.declared.profiles import read_target
from tests.cli.conftest import Cli, bikes, cli, everything
from tests.deploys.test_deploy import edit, project, ride_again, rows, verified
from tests.kafka.settings import settings_of

__all__ = ["bikes", "cli", "project"]
pytest.importorskip("pyspark", reason="pyspark is not installed")
pytestmark = [pytest.mark.kafka, pytest.mark.spark]


@pytest.fixture
def preview(project: Path, topic_prefix: str, tmp_path: Path) -> Path:
    """The project, which has run, with a target that defers to the one where it has."""
    path = project / "profiles.yml"
    text = path.read_text()
    live = text[text.index("    type:") :]
    own = live.replace(f"prefix: '{topic_prefix}'", f"prefix: '{topic_prefix}pr.'")
    own = own.replace(f"{tmp_path / 'checkpoints'}", f"{tmp_path / 'own'}")
    more = "    confirm: true\n    owner: the riders\n"
    path.write_text(f"{text.rstrip()}\n{more}  preview:\n    defer: standing\n{own}")
    return project


def shown(cli: Cli, topic: str, target: str) -> list[Any]:
    """The rows of a TABLE on a target."""
    found = cli("show", topic, "--target", target, "--limit", "1000", "--output", "json")
    assert found.code == 0, found.err
    return sorted((line["value"] for line in found.lines), key=repr)


def compared(cli: Cli) -> tuple[dict[str, Any], Any]:
    """What `env diff` says of each topic, and at the end."""
    found = cli("env", "diff", "--target", "preview", "--output", "json")
    assert found.code == 0, found.err
    proofs = {line["topic"]: line for line in found.lines if line.get("event") == "proof"}
    return proofs, found.lines[-1]


def kafka_topics(project: Path) -> set[str]:
    target, _ = read_target((project / "profiles.yml").read_text(), "profiles.yml", "preview", {})
    assert target is not None
    if target.connection is None:
        return set()
    settings = settings_of(target)
    names = AdminClient({"bootstrap.servers": settings.bootstrap, "log_level": 0}).list_topics(timeout=30).topics
    return {name for name in names if name.startswith(settings.prefix)}


def test_a_changed_model_beside_the_live_one(cli: Cli, preview: Path) -> None:
    """It and its readers run over the live topics, the live rows stay, and the rows are compared; nothing is left of
    it at the end.
    """
    before = {topic: rows(cli, topic) for topic in ("bikes_at_station", "busy", "spread")}
    same = cli("env", "diff", "--target", "preview")
    assert same.code == 0 and "no model differs from those of the target 'standing'" in same.err
    edit(preview, "bikes_at_station", "COUNT(*) AS bikes", "COUNT(*) + 1 AS bikes")
    planned = cli("plan", "--target", "preview", "--output", "json").data
    assert [(step["model"], step["action"]) for step in planned["models"]] == [
        ("bikes_at_station", "start"), ("busy", "start"),
    ]  # fmt: skip
    proofs, end = compared(cli)
    assert set(proofs) == {"bikes_at_station", "busy"} and not end["ok"] and not end["new"]
    found = proofs["bikes_at_station"]
    assert found["changed"] == found["live"] == found["staged"] > 2 and found["columns"] == {"bikes": found["changed"]}
    assert {topic: rows(cli, topic) for topic in before} == before
    assert [row["bikes"] for row in shown(cli, "bikes_at_station", "preview")] == [
        row["bikes"] + 1 for row in before["bikes_at_station"]
    ]
    assert shown(cli, "spread", "preview") == before["spread"]

    # Both go on, each from its own checkpoints.
    ride_again(preview)
    edit(preview, "bikes_at_station", "COUNT(*) + 1 AS bikes", "COUNT(*) AS bikes")
    verified(cli)
    edit(preview, "bikes_at_station", "COUNT(*) AS bikes", "COUNT(*) + 1 AS bikes")
    proofs, _ = compared(cli)
    found = proofs["bikes_at_station"]
    assert found["changed"] == found["live"] == found["staged"] and found["moving"] == 0
    verified_there = cli("run", "--target", "preview", "--verify", "--quiet")
    assert verified_there.code == 0, verified_there.err

    there = everything(preview / ".lsqlc" / "topics")
    dropped = cli("env", "drop", "--target", "preview")
    assert dropped.code == 0 and "bikes_at_station, busy" in dropped.err
    assert not kafka_topics(preview) and not (preview / ".lsqlc" / "targets" / "preview").exists()
    assert everything(preview / ".lsqlc" / "topics") == there


def test_an_input_that_moves(cli: Cli, preview: Path) -> None:
    """A model does not go on over another topic than it has read. It is recomputed, and the live ones stay."""
    before = rows(cli, "bikes_at_station")
    edit(preview, "bikes_at_station", "COUNT(*) AS bikes", "COUNT(*) + 1 AS bikes")
    assert cli("run", "--target", "preview", "--quiet").code == 0
    edit(preview, "arrivals", "WHERE NOT cancelled", "WHERE NOT cancelled AND minutes > 10")
    refused = cli("run", "--target", "preview")
    assert refused.code == 1 and "error[LSQ788]" in refused.err and "'arrivals'" in refused.err
    assert "`lsqlc run --target preview --full-refresh`" in refused.err
    # Its own checkpoints: nobody has to confirm that.
    refreshed = cli("run", "--target", "preview", "--full-refresh", "--verify", "--quiet")
    assert refreshed.code == 0, refreshed.err
    assert len(shown(cli, "arrivals", "preview")) < len(shown(cli, "arrivals", "standing"))
    assert rows(cli, "bikes_at_station") == before


def test_what_an_environment_does_not_do(cli: Cli, preview: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes no topic of the other target, which is not removed either, and changes nothing there unconfirmed."""
    (preview / "line.json").write_text('{"key": "b1", "value": null}\n')
    refused = cli("produce", "rides", "--file", "line.json", "--target", "preview")
    assert refused.code == 1 and "error[LSQ799]" in refused.err and "--target standing" in refused.err
    for words in (("run", "--full-refresh"), ("seed", "--full-refresh"), ("deploy", "rollback"), ("deploy", "forget")):
        refused = cli(*words)
        assert refused.code == 1 and "error[LSQ749]" in refused.err and "the riders answers" in refused.err
    refused = cli("run", "--full-refresh", "--confirm", "preview")
    assert refused.code == 1 and "'preview' is confirmed, and the target is 'standing'" in refused.err
    for verb in ("drop", "diff"):
        refused = cli("env", verb)
        assert refused.code == 2 and "error[LSQ752]" in refused.err
    listed = cli("env", "list", "--output", "json").data["targets"]
    assert [(row["name"], row["defer"], row["owner"], row["confirm"]) for row in listed] == [
        ("standing", None, "the riders", True), ("preview", "standing", None, False),
    ]  # fmt: skip
