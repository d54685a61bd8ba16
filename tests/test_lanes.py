"""Each test belongs to one lane, and servers are shared between processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.lanes import Lane, absent_from_core, core, lane_of, only, sampled
from tests.shared import shared

LISTED = next(line for line in sorted(core()) if "[" in line)


@pytest.mark.parametrize(
    ("test", "markers", "lane"),
    [
        ("tests/x.py::test_y", (), "fast"),
        ("tests/x.py::test_y", ("nightly",), "nightly"),
        ("tests/x.py::test_y", ("spark",), "nightly"),
        ("tests/x.py::test_y", ("kafka", "smoke"), "fast"),
        (LISTED, ("spark",), "core"),
        (LISTED.partition("[")[0] + "[another]", ("spark",), "nightly"),
    ],
)
def test_the_lane_of_a_test(test: str, markers: tuple[str, ...], lane: Lane) -> None:
    assert lane_of(test, markers) == lane


def test_a_line_of_the_core_that_is_no_test() -> None:
    """It is reported where tests of its file are collected, unless these lack their corpus."""
    test = LISTED.partition("[")[0]
    assert LISTED in absent_from_core([(test + "[another]", ())])
    assert LISTED not in absent_from_core([(LISTED, ())])
    assert LISTED not in absent_from_core([(test + "[case0]", ("skip",))])
    assert absent_from_core([("tests/x.py::test_y", ())]) == []


def test_a_sample_leaves_the_others_to_the_night() -> None:
    assert sampled(range(5), 2)[::2] == [0, 2, 4]
    assert [mark.name for case in sampled(range(5), 2)[1::2] for mark in case.marks] == ["nightly"] * 2
    assert only("abc", "b")[1] == "b"


def test_a_server_is_started_once_and_stopped_by_its_owner(tmp_path: Path) -> None:
    """A second process gets the address of the first, and the first waits for the second."""
    events = list[str]()

    @contextmanager
    def start() -> Iterator[str]:
        events.append("start")
        yield "an address"
        events.append("stop")

    # It uses the server until its input ends, and then leaves a file.
    program = """
import sys
from pathlib import Path
from tests.shared import shared
folder = Path(sys.argv[1])
with shared(folder, "x", None) as address:
    print(address, flush=True)
    sys.stdin.read()
    (folder / "left").touch()
"""
    with shared(tmp_path, "x", start) as address:
        command = [sys.executable, "-c", program, str(tmp_path)]
        other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline().strip() == address == "an address"
        other.stdin.close()
    assert (tmp_path / "left").exists()
    assert events == ["start", "stop"]
    assert other.wait() == 0
    other.stdout.close()


def test_a_server_that_does_not_start_is_tried_again(tmp_path: Path) -> None:
    """By whoever needs it next."""

    @contextmanager
    def fails() -> Iterator[str]:
        raise ValueError("no Java")
        yield ""

    @contextmanager
    def serves() -> Iterator[str]:
        yield "an address"

    with pytest.raises(ValueError, match="no Java"), shared(tmp_path, "x", fails):
        pass
    with shared(tmp_path, "x", serves) as address:
        assert address == "an address"
