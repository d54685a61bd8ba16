"""Cases as a user writes and records them, through `lsqlc test` and through pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Cli

CASES = """fixtures:
  three rides:
    rides: rides.csv
cases:
  - name: from a file
    model: arrivals
    golden: false
    fixtures: three rides
    expect:
      arrivals: {condition: minutes > 10, unique: bike}
"""
RIDES = "_key,bike,station,minutes,cancelled\nb1,b1,park,20,false\nb2,b2,park,30,false\nb3,b3,park,30,true\n"


@pytest.fixture
def with_cases(bikes: Path) -> Path:
    """The project with a case of a file of records; its plan is there."""
    (bikes / "tests/more.yml").write_text(CASES)
    (bikes / "tests/rides.csv").write_text(RIDES)
    return bikes


def test_a_case_of_a_file_with_assertions(cli: Cli, with_cases: Path) -> None:
    """It passes without a golden file; what breaks an assertion is shown at its words, with the row."""
    assert cli("test", "--update", "new").code == 0
    assert not (with_cases / "golden/arrivals/from_a_file.jsonl").exists()
    (with_cases / "tests/rides.csv").write_text(RIDES.replace("b2,park,30", "b2,park,3"))
    ran = cli("test")
    assert ran.code == 1
    assert "tests/more.yml:10:29" in ran.err and '"minutes":3' in ran.err
    assert "condition: minutes > 10" in ran.err


def test_a_mistake_in_a_file_of_records(cli: Cli, with_cases: Path) -> None:
    """It is shown in the file, with its line."""
    (with_cases / "tests/rides.csv").write_text(RIDES.replace("30,false", "soon,false"))
    ran = cli("build")
    assert ran.code == 1 and "tests/rides.csv:3:12" in ran.err and "b2,b2,park,soon,false" in ran.err


def test_a_link_out_of_the_project_is_not_read(cli: Cli, with_cases: Path, tmp_path: Path) -> None:
    """A file of records that leads out is as good as none."""
    (tmp_path / "secret.csv").write_text(RIDES)
    (with_cases / "tests/rides.csv").unlink()
    (with_cases / "tests/rides.csv").symlink_to(tmp_path / "secret.csv")
    ran = cli("test")
    assert ran.code == 1 and "LSQ520" in ran.err


@pytest.mark.parametrize(
    ("count", "code", "text"),
    [
        pytest.param("20", 0, "1 passed", marks=pytest.mark.nightly),
        ("2", 1, "LSQ525"),
        pytest.param("soon", 2, "LSQ411", marks=pytest.mark.nightly),
    ],
)
def test_pytest_runs_them_too(with_cases: Path, count: str, code: int, text: str) -> None:
    """The plugin collects the case, and judges its conditions."""
    (with_cases / "tests/rides.csv").write_text(RIDES.replace("20", count))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/more.yml", "-k", "file"]
    ran = subprocess.run(words, cwd=with_cases, capture_output=True, text=True)
    assert ran.returncode == code and text in ran.stdout, ran.stdout


def test_recording(cli: Cli, bikes: Path) -> None:
    """Records of a topic become a case; the next run writes its golden file, and then it passes."""
    assert cli("seed", "--quiet").code == 0
    ran = cli("test", "--record", "rides", "--limit", "3", "--where", "station = 'park'", "--output", "json")
    assert ran.code == 0
    assert ran.data["records"] == {"rides": 3} and ran.data["models"] == ["arrivals"]
    assert ran.data["files"] == ["tests/recorded/rides.jsonl", "tests/recorded/rides.yml"]
    assert (bikes / "tests/recorded/rides.jsonl").read_text().count('"park"') == 3
    assert cli("test").code == 1
    assert (bikes / "golden/arrivals/recorded_rides.jsonl").exists()
    assert cli("test").code == 0
    again = cli("test", "--record", "rides")
    assert again.code == 1 and "LSQ528" in again.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--record", "rids"), 2, "LSQ063"),
        (("--record", "rides"), 1, "LSQ528"),
        (("--where", "x"), 2, "--record"),
    ],
)
def test_wrong_recordings(cli: Cli, bikes: Path, words: tuple[str, ...], code: int, said: str) -> None:
    """An unknown topic, one without records, a condition without a topic."""
    ran = cli("test", *words)
    assert ran.code == code and said in ran.err
