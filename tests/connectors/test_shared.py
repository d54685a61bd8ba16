"""What is made in a folder that others share may be used by them, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.shared import give_permissions, make_folder
from lsqlc.types import data
from lsqlc.types.record import Facet, Record, Topic

TEXTS = Topic("texts", Facet(data.STRING, "string"), Facet(data.STRING, "string"))


@pytest.fixture(autouse=True)
def strict() -> Iterator[None]:
    """A umask that lets nobody else in."""
    before = os.umask(0o077)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("shared", "file"), [(0o2770, 0o660), (0o700, 0o600), (0o755, 0o644), (0o777, 0o666)])
def test_a_topic_is_as_open_as_the_folder_above(shared: int, file: int, tmp_path: Path) -> None:
    """Folders and segments of a topic, however deep below the shared folder they are made."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(shared)
    log = FileLog(tmp_path / "shared" / "deep" / "topics")
    log.append(TEXTS, [Record("texts", "k", "v")])
    for folder in (log.root.parent, log.root, log.data_dir("texts"), log.data_dir("texts").parent / "tmp"):
        assert mode(folder) == shared
    assert [mode(segment) for segment in log.segments("texts")] == [file]


def test_a_folder_for_everybody_opens_nothing(tmp_path: Path) -> None:
    """In one like /tmp, where people are kept from each other's files, what is made stays its maker's."""
    tmp_path.chmod(0o1777)
    make_folder(tmp_path / "mine")
    made = tmp_path / "file"
    made.touch()
    give_permissions(made, tmp_path)
    assert (mode(tmp_path / "mine"), mode(made)) == (0o700, 0o600)


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    """A folder keeps the permissions that somebody gave it."""
    tmp_path.chmod(0o755)
    (tmp_path / "there").mkdir()
    make_folder(tmp_path / "there")
    assert mode(tmp_path / "there") == 0o700
