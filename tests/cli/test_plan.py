"""`lsqlc plan`: what becomes of each model on a target, by the checkpoints that are there. No server is started."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lsqlc.api import Project
from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.naming import batch_segment
from lsqlc.lower.spark import NEWEST, lower
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.connectors.transport import generation_name
from lsqlc.remote.run.checkpoints import CheckpointRequest, describe, open_checkpoint
from lsqlc.remote.run.stores import FolderStore
from lsqlc.remote.run.target_steps import Running, Step, commands
from tests.cli.conftest import Cli, everything

pytest.importorskip("pyspark", reason="pyspark is not installed")


def ran(bikes: Path) -> None:
    """As though each query had run: its description, and a batch of Spark's."""
    store, transport = FolderStore(bikes / ".lsqlc" / "checkpoints"), FileTransport(bikes / ".lsqlc" / "topics")
    project = Project.load(bikes)
    for name in (path.stem for path in (bikes / "models").glob("*.sql")):
        for stage in lower(project.plan(name)).stages:
            parts = describe(stage, partitions=8, server=NEWEST, model=name)
            offsets = (
                open_checkpoint(store, transport, CheckpointRequest(stage.name, stage.write.topic, parts)).folder
                / "offsets"
            )
            offsets.mkdir(parents=True)
            (offsets / "0").touch()


def actions(cli: Cli, *words: str) -> dict[str, str]:
    return {step["model"]: step["action"] for step in cli("plan", *words, "--output", "json").data["models"]}


def test_a_target_that_is_new(cli: Cli, bikes: Path) -> None:
    """Each model starts, and reads what its topics have; nothing is written."""
    assert cli("seed", "--quiet").code == 0
    before = everything(bikes / ".lsqlc")
    planned = cli("plan", "--output", "json")
    assert planned.code == 0 and planned.data["commands"] == ["lsqlc run"]
    steps = {step["model"]: step for step in planned.data["models"]}
    assert {step["action"] for step in steps.values()} == {"start"}
    topic = Project.load(bikes).plan("arrivals").inputs[0]
    lines = sum(f.read_text().count("\n") for f in (bikes / ".lsqlc/topics" / topic.name / "data").iterdir())
    assert steps["arrivals"]["replay"] == lines > 0
    # What `arrivals` will write is not there yet.
    assert steps["rides_by_station"]["replay"] is None
    assert everything(bikes / ".lsqlc") == before


def test_a_state_that_grows_with_updates(cli: Cli, bikes: Path) -> None:
    """It is noted with the records that are there, each of which stays in it; a join on the keys is not."""
    for name, on in (("on_fields", "a.minutes = b.minutes"), ("on_keys", "a._key = b._key")):
        text = f"SELECT TABLE a.minutes FROM arrivals AS a INNER JOIN arrivals AS b ON {on}\n"
        (bikes / "models" / f"{name}.sql").write_text(text)
    assert cli("seed", "--quiet").code == 0
    planned = cli("plan", "--output", "json")
    assert planned.code == 0, planned.data
    (found,) = [d for d in planned.data["diagnostics"] if d["code"] == "LSQ815"]
    assert found["severity"] == "note" and "'on_fields'" in found["message"]
    assert any("by what joins them" in note for note in found["notes"])
    assert "records of 'arrivals' by now" in found["notes"][-1]


def test_what_continues_changes_and_is_rebuilt(cli: Cli, bikes: Path) -> None:
    """By the rules of `lsqlc run`, with the reasons and the readers of what is rebuilt."""
    ran(bikes)
    assert set(actions(cli).values()) == {"continue"} and cli("plan", "--fail-on", "change").code == 0
    edit(bikes, "arrivals", "minutes\n", "minutes + 1 AS minutes\n")
    (bikes / "models" / "long.sql").write_text("SELECT STREAM * FROM rides WHERE minutes > 60;")
    planned = actions(cli)
    assert planned.pop("arrivals") == "change" and planned.pop("long") == "start"
    assert set(planned.values()) == {"continue"}
    refused = cli("plan", "--fail-on", "change")
    assert refused.code == 1 and "arrivals: the projection has changed" in refused.out
    assert cli("plan", "--fail-on", "rebuild").code == 0

    edit(bikes, "rides_by_station", "COUNT(*)", "SUM(minutes)")
    (bikes / "models" / "busy.sql").write_text("SELECT STREAM * FROM rides_by_station;")
    planned = cli("plan", "--output", "json").data
    steps = {step["model"]: step for step in planned["models"]}
    assert steps["rides_by_station"]["action"] == "rebuild" and steps["rides_by_station"]["reasons"]
    # It has not run yet, so that it has read nothing.
    assert steps["busy"]["action"] == "start" and steps["bikes_at_station"]["action"] == "continue"
    refresh = "lsqlc run --select rides_by_station --full-refresh"
    assert planned["commands"] == [refresh, "lsqlc run"] and planned["ok"]
    assert cli("plan", "--fail-on", "rebuild").code == 1


def test_the_readers_of_what_is_rebuilt(cli: Cli, bikes: Path) -> None:
    """They have read what is computed again, also those that are not selected."""
    ran(bikes)
    (bikes / "models" / "arrivals.sql").write_text(
        "SELECT STREAM station, COUNT(*) AS bike, SUM(minutes) AS minutes FROM rides GROUP BY station;"
    )
    planned = cli("plan", "--select", "arrivals", "--output", "json").data
    assert [step["model"] for step in planned["models"]] == ["arrivals", "bikes_at_station", "rides_by_station"]
    assert {step["action"] for step in planned["models"]} == {"rebuild"}
    assert planned["models"][1]["reasons"] == ["it has read 'arrivals', which is rebuilt"]


@pytest.mark.parametrize(
    ("rebuilt", "running", "expected"),
    [
        (False, None, ["run"]),
        (False, "process", ["stop", "run --continuous"]),
        (False, "detached", ["run --detach"]),
        (True, None, ["run --select a --full-refresh", "run"]),
        (True, "process", ["stop", "run --select a --full-refresh", "run --continuous"]),
        (True, "detached", ["stop", "run --select a --full-refresh", "run --detach"]),
    ],
)
def test_the_commands(rebuilt: bool, running: Running | None, expected: list[str]) -> None:
    """A run that is active ends before anything is rebuilt, and goes on afterwards as it did before."""
    steps = [Step("a", "rebuild" if rebuilt else "change"), Step("b", "start")]
    assert commands(steps, None, running) == tuple(f"lsqlc {words}" for words in expected)


def test_a_checkpoint_that_is_lost(cli: Cli, bikes: Path) -> None:
    """Its results are there: a run would refuse to start, and so the model has to be rebuilt."""
    ran(bikes)
    name = batch_segment(generation_name("arrivals", 1), 0)
    (FileLog(bikes / ".lsqlc/topics").data_dir("arrivals") / name).touch()
    shutil.rmtree(bikes / ".lsqlc/checkpoints/arrivals")
    assert actions(cli)["arrivals"] == "rebuild"
    assert "arrivals: 'arrivals' has its records, and its checkpoint is missing" in cli("plan").out


def test_what_the_project_has_no_more(cli: Cli, bikes: Path) -> None:
    """It is left as it is, and named."""
    ran(bikes)
    (bikes / "models" / "rides_by_station.sql").unlink()
    described = bikes / "models" / "topics.yml"
    before, _, after = described.read_text().partition("  - name: rides_by_station\n")
    described.write_text(before + after[after.index("  - name: ") :])
    planned = cli("plan", "--output", "json").data["models"]
    assert planned[-1] == {
        "model": "rides_by_station", "action": "leave", "topics": ["rides_by_station"], "replay": 0,
        "reasons": ["the project has no such model; its state and topics stay"], "queries": ["rides_by_station"],
        "starts": [],
    }  # fmt: skip


def test_models_with_errors(cli: Cli, bikes: Path) -> None:
    """They are reported, as of a run."""
    edit(bikes, "arrivals", "minutes\n", "minuets\n")
    refused = cli("plan")
    assert refused.code == 1 and "error[LSQ2" in refused.err and refused.out == ""


def edit(bikes: Path, model: str, old: str, new: str) -> None:
    path = bikes / "models" / f"{model}.sql"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_where_models_begin(cli: Cli, bikes: Path) -> None:
    """A new model, or one that is rebuilt, says where it begins and counts what is behind that; one that continues says
    what no longer holds for it.
    """
    assert cli("seed", "--quiet").code == 0

    def arrivals(*words: str) -> tuple[object, object]:
        (step,) = cli("plan", "--select", "arrivals", *words, "--output", "json").data["models"]
        return step["replay"], step["starts"]

    whole = arrivals()
    assert whole[1] == []
    log = FileLog(bikes / ".lsqlc" / "topics")
    topic = Project.load(bikes).plan("arrivals").inputs[0]
    times = [record.timestamp for record in log.read(topic)]
    middle = sorted(times)[len(times) // 2]
    place = log.place(topic.name, middle)[0]
    shown = datetime.fromtimestamp(middle / 1000, UTC).isoformat().replace("+00:00", "Z")
    assert arrivals("--from", shown) == (len(times) - place, [f"reads 'rides' from {shown}"])
    assert 0 < place < len(times)
    assert arrivals("--from", "latest") == (0, ["reads 'rides' from latest"])
    assert arrivals("--from", "earliest") == whole
    ran(bikes)
    assert arrivals("--from", shown) == (
        0,
        [f"began to read 'rides' from its first record, and with a new checkpoint would begin from {shown}"],
    )
    told = "arrivals: began to read 'rides' from its first record"
    assert told in cli("plan", "--from", "7d").out and told not in cli("plan").out


def test_a_start_that_is_none(cli: Cli, bikes: Path) -> None:
    """A text that means no time is wrong usage; a time that has not come is refused before anything is looked at."""
    wrong = cli("plan", "--from", "soon")
    assert wrong.code == 2 and "'soon' is not a start" in wrong.err
    assert cli("run", "--from", "soon").code == 2
    for verb in ("plan", "run"):
        refused = cli(verb, "--from", "2999-01-01")
        assert refused.code == 1 and "LSQ750" in refused.err and "'rides'" in refused.err
    assert not (bikes / ".lsqlc" / "checkpoints").exists()
