"""Golden files on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lsqlc.golden.files import read_case_files, read_golden_files, write_golden_files


def test_writes_and_removals(tmp_path: Path) -> None:
    """Texts land byte for byte; a removed file takes its empty folder along; no scratch file stays."""
    assert write_golden_files(tmp_path, {"golden/m/a.jsonl": "é\u2028\n", "golden/n/b.jsonl": ""}) == ()
    assert (tmp_path / "golden/m/a.jsonl").read_bytes() == "é\u2028\n".encode()
    assert write_golden_files(tmp_path, {"golden/n/b.jsonl": None, "golden/gone/c.jsonl": "x"}) == ()
    assert sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()) == [
        "golden/gone/c.jsonl",
        "golden/m/a.jsonl",
    ]
    assert not (tmp_path / "golden/n").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """It is told, and the other files are written."""
    (tmp_path / "golden").mkdir()
    (tmp_path / "golden/m").mkdir(mode=0o500)
    (found,) = write_golden_files(tmp_path, {"golden/m/a.jsonl": "", "golden/n/b.jsonl": ""})
    assert found.code == "LSQ516" and (tmp_path / "golden/n/b.jsonl").exists()


def test_a_file_in_the_way_and_a_link_that_leads_out(tmp_path: Path) -> None:
    """Neither is a traceback; what leads out of the project is not written."""
    root = tmp_path / "project"
    (root / "golden").mkdir(parents=True)
    (root / "golden/m").write_text("")
    (tmp_path / "outside").mkdir()
    (root / "golden/n").symlink_to(tmp_path / "outside")
    found = write_golden_files(root, {"golden/m/a.jsonl": "", "golden/n/b.jsonl": ""})
    assert [d.code for d in found] == ["LSQ516", "LSQ516"]
    assert list((tmp_path / "outside").iterdir()) == []


def test_reading(tmp_path: Path) -> None:
    """Golden files and plans are read, other texts passed over; one that is not UTF-8 is broken, not missing."""
    write_golden_files(
        tmp_path, {"golden/m/a.jsonl": "", "golden/m/plan.txt": "p", "golden/m/myplan.txt": "", "t/c.yml": "x"}
    )
    (tmp_path / "golden/m/b.jsonl").write_bytes(b"\xff")
    found = read_golden_files(tmp_path, "golden")
    assert dict(found.texts) == {"golden/m/a.jsonl": "", "golden/m/plan.txt": "p"}
    assert found.broken == {"golden/m/b.jsonl"} and [d.code for d in found.diagnostics] == ["LSQ002"]
    assert dict(read_case_files(tmp_path, ["t", "absent"]).texts) == {"t/c.yml": "x"}
