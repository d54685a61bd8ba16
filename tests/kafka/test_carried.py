"""The client of Kafka that travels with a query to a server without one."""

from __future__ import annotations

import sys
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from lsqlc.remote.connectors.kafka.carried import packed, unpacker


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder, which is empty."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def test_all_that_it_imports_is_there() -> None:
    names = zipfile.ZipFile(BytesIO(packed())).namelist()
    assert {"kafka/__init__.py", "kafka/producer/kafka.py"} <= set(names)
    assert any(name.endswith(".json") for name in names)


def test_one_file_for_all_processes(folder: Path) -> None:
    """Another version has another one."""
    unpacker(b"one")()
    unpacker(b"one")()
    (only,) = folder.iterdir()
    assert only.read_bytes() == b"one" and only.stat().st_mode & 0o077 == 0 and sys.path[-1] == str(only)
    unpacker(b"two")()
    assert len(list(folder.iterdir())) == 2


def test_a_file_that_is_not_ours(folder: Path) -> None:
    """Is not imported: one that others can change is replaced, and beside one that cannot be there is another."""
    unpacker(b"one")()
    (only,) = folder.iterdir()
    only.chmod(0o666)
    only.write_bytes(b"other")
    unpacker(b"one")()
    assert only.read_bytes() == b"one" and only.stat().st_mode & 0o077 == 0
    only.unlink()
    only.mkdir()
    unpacker(b"one")()
    assert Path(sys.path[-1]) != only and Path(sys.path[-1]).read_bytes() == b"one"
