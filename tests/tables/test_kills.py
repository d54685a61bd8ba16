"""Writers of tables that are killed, and two of them at once."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tables.conftest import KINDS, settings_of
from tests.tables.kills import follow_and_kill, lsqlc, make_project, produce, verify


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_a_writer_that_is_killed(kind: str, tmp_path: Path) -> None:
    make_project(tmp_path, {kind: settings_of(kind, tmp_path)})
    draw = random.Random(7)
    produce(tmp_path, draw, 50)
    follow_and_kill(tmp_path, draw, kills=6, batches=6)
    rows = verify(tmp_path)
    assert rows["all_rows"] >= rows["current_rows"] > 0


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_two_writers_at_once(kind: str, tmp_path: Path) -> None:
    """Each batch is written by one of them, and the other goes on behind it."""
    make_project(tmp_path, {kind: settings_of(kind, tmp_path)})
    draw = random.Random(8)
    for _ in range(4):
        produce(tmp_path, draw, 100)
        writers = [
            subprocess.Popen([sys.executable, "-m", "lsqlc", "tables", "sync"], cwd=tmp_path, stderr=subprocess.PIPE)
            for _ in range(2)
        ]
        said = [writer.communicate(timeout=300)[1].decode() for writer in writers]
        assert [writer.returncode for writer in writers] == [0, 0], said
    verify(tmp_path)


@pytest.mark.nightly
def test_a_process_ends_in_order_after_it_has_read(tmp_path: Path) -> None:
    """Threads that still read a Delta table when Python ends abort a third of such processes."""
    make_project(tmp_path, {"delta": settings_of("delta", tmp_path)})
    produce(tmp_path, random.Random(9), 100)
    lsqlc(tmp_path, "tables", "sync")
    [name] = [path.parent.name for path in tmp_path.rglob("_delta_log") if path.parent.name == "all_rows"]
    uri = str(next(tmp_path.rglob(name)))
    program = (
        "from lsqlc.tables.delta.table import DeltaLakeTable\n"
        f"table = DeltaLakeTable({uri!r}, {uri!r})\n"
        "opened = table._table()\n"
        "print(table._scan(opened, [field.name for field in opened.schema().fields]).num_rows)"
    )
    for _ in range(12):
        ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == 0 and int(ran.stdout) > 0, ran.stderr
