"""Checkpoints are of the topics that they were made over: another cluster, prefix or kind of topics is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.project.declared.target import Target
from lsqlc.remote.server.broker import Broker
from lsqlc.tasks.checkpoint_place import check_checkpoints
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.types.kafka import KafkaSettings
from tests.shared import SharedBroker


@pytest.fixture
def over(tmp_path: Path) -> Callable[[KafkaSettings | None], RunTarget]:
    """Targets without a folder of checkpoints of their own."""
    return lambda settings: open_target(tmp_path, Target("here", connection=settings))


def folder(place: RunTarget) -> Path:
    assert isinstance(place.checkpoints, Path)
    return place.checkpoints


def refused(place: RunTarget) -> str:
    with pytest.raises(LsqlcError) as raised:
        check_checkpoints(place)
    (found,) = raised.value.diagnostics
    assert found.code == "LSQ790" and found.help is not None and "checkpoints: " in found.help
    return found.message + found.notes[0]


def test_of_one_cluster_and_prefix(broker: SharedBroker, over: Callable[[KafkaSettings | None], RunTarget]) -> None:
    """The first run notes them; later runs are of the same ones."""
    place = over(KafkaSettings(broker.bootstrap, prefix="a."))
    check_checkpoints(place)
    check_checkpoints(place)
    assert "prefix 'a.'" in refused(over(KafkaSettings(broker.bootstrap, prefix="b.")))
    assert "without a prefix" in refused(over(KafkaSettings(broker.bootstrap)))
    assert "topics in folders" in refused(over(None))


def test_of_another_cluster(
    broker: SharedBroker, over: Callable[[KafkaSettings | None], RunTarget], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Under the same names, as after a broker's data was removed."""
    with Broker(tmp_path_factory.mktemp("other"), os.environ) as other:
        check_checkpoints(over(KafkaSettings(other.bootstrap)))
    assert "of the cluster" in refused(over(KafkaSettings(broker.bootstrap)))


def test_of_folders(broker: SharedBroker, over: Callable[[KafkaSettings | None], RunTarget]) -> None:
    """What was there before is not of a cluster; an empty folder is anybody's."""
    folders, kafka = over(None), over(KafkaSettings(broker.bootstrap))
    check_checkpoints(folders)
    (folder(folders) / "model").mkdir(parents=True)
    check_checkpoints(kafka)
    (folder(kafka) / "kafka.json").unlink()
    (folder(folders) / "model" / "stage.json").write_text("{}")
    check_checkpoints(folders)
    assert "topics in folders" in refused(kafka)


def test_a_note_that_cannot_be_read(broker: SharedBroker, over: Callable[[KafkaSettings | None], RunTarget]) -> None:
    """Is of nobody's topics."""
    place = over(KafkaSettings(broker.bootstrap))
    check_checkpoints(place)
    (folder(place) / "kafka.json").write_text("{")
    assert "belong to unknown topics" in refused(place)
