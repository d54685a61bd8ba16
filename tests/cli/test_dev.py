"""`lsqlc dev`: a project that is edited while it is watched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lsqlc.cli.dev import Watch, watch
from lsqlc.cli.shell import Shell
from lsqlc.tasks.selection import ALL_MODELS

Step = Callable[[], object]

# Seconds for a machine that is busy; a test waits no longer than it must.
_DEADLINE = 120


class _Done(Exception):
    """All steps have been taken."""


class _Steps:
    """Saves, one whenever the command waits for one; what is in between is time for a save to end."""

    def __init__(self, *steps: Step) -> None:
        self._steps: Iterator[Step | None] = iter([each for step in steps for each in (step, None)])

    def __call__(self, seconds: float) -> None:
        try:
            step = next(self._steps)
        except StopIteration:
            raise _Done from None
        if step is not None:
            step()


def edit(path: str, old: str, new: str) -> Step:
    """A save, as an editor does it that writes another file and renames it."""

    def step() -> None:
        file = Path(path)
        text = file.read_text()
        assert old in text
        scratch = file.with_name(f".{file.name}")
        scratch.write_text(text.replace(old, new))
        scratch.rename(file)

    return step


def watched(shell: Shell, root: Path, *steps: Step, vars: Mapping[str, Any] | None = None, rows: int = 10) -> None:
    with pytest.raises(_Done):
        watch(shell, Watch(root, vars or {}, ALL_MODELS, 1000, rows, clear=True), _Steps(*steps))


def pages(text: str) -> list[str]:
    """What was shown at the start and after each save."""
    return [page.strip() for page in text.split("\n\n\n")][:-1]


def test_what_a_save_shows(bikes: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The models that it affects with the rows that it changes, and one summary."""
    capfd.readouterr()
    model = "models/arrivals.sql"
    watched(Shell("dev"), bikes, edit(model, "NOT cancelled", "NOT cancelled AND minutes > 20"), rows=2)
    first, second = pages(capfd.readouterr().out)
    assert first.startswith("lsqlc dev: bikes, 3 models\n\narrivals  55 records\n")
    assert "✓ 1 case: 1 passed; took " in first
    lines = second.splitlines()
    assert lines[:3] == ["models/arrivals.sql saved", "", "arrivals  changed"]
    assert lines[5].startswith("2024-05-01T06:20:00Z  b9") and "and 34 more" in lines
    assert "arrivals (STREAM): 19 rows gone, of 36" in lines and "  and 17 more rows" in lines
    assert "bikes_at_station  downstream" in lines and "bikes_at_station (TABLE): 4 rows changed, of 4" in lines
    assert lines[-2].startswith("✓ 3 of 3 models affected; 1 case: 1 passed; took ")
    assert lines[-1] == "watching; Ctrl-C ends"


def test_broken_saves(bikes: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each is told with its place, none ends the command, and a save that mends it clears what is wrong."""
    capfd.readouterr()
    watched(
        Shell("dev"), bikes,
        edit("models/arrivals.sql", "NOT cancelled", "NOT canceled"),
        edit("models/arrivals.sql", "NOT canceled", "NOT cancelled"),
        edit("lsqlc.yml", "name: bikes", "name: ["),
        edit("lsqlc.yml", "name: [", "name: bikes"),
        edit("tests/bikes.yml", "station: park", "station: parc"),
        edit("seeds/rides.csv", "harbour", "dock"),
    )  # fmt: skip
    _, wrong, mended, broken, whole, failing, still = pages(capfd.readouterr().out)
    assert "error[LSQ201]: unknown column 'canceled'\n --> models/arrivals.sql:7:11\n" in wrong
    assert "arrivals  changed  failed\n\nbikes_at_station  downstream  skipped" in wrong
    assert "✗ 3 of 3 models affected; 1 error; took " in wrong
    assert "arrivals  changed\n" in mended and "(STREAM)" not in mended and "the same 4 rows" in mended
    assert broken.startswith("lsqlc.yml saved\n\nerror[LSQ0") and "✗ the project cannot be read" in broken
    assert whole.startswith("lsqlc.yml saved\n\n✓ 0 of 3 models affected; 1 case: 1 passed; took ")
    assert "error[LSQ514]" in failing and '- missing: key "park"' in failing and "patch" not in failing
    assert "✗ 1 of 3 models affected; 1 case: 1 failed; took " in failing
    assert "error[LSQ514]" in still and "✗ 3 of 3 models affected" in still


def test_a_save_that_affects_nothing(bikes: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One line says so, which leaves what is shown."""
    capfd.readouterr()
    watched(Shell("dev"), bikes, edit("README.md", "#", "##"), edit("models/arrivals.sql", "STREAM:", "A stream:"))
    out = capfd.readouterr().out
    assert "README.md" not in out or "README.md saved: no model is affected" in out
    assert "models/arrivals.sql saved\n\narrivals  changed\n" in out


def test_a_case_that_is_new(bikes: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its golden file is not written: what it gives now may not be what is meant."""
    golden = bikes / "golden/bikes_at_station/a_bike_moves.jsonl"
    golden.unlink()
    capfd.readouterr()
    watched(Shell("dev"), bikes)
    (page,) = pages(capfd.readouterr().out)
    assert "case 'a bike moves' of 'bikes_at_station' has no golden file yet: `lsqlc test` writes it" in page
    assert "✗ 1 case: 1 new; took " in page and not golden.exists()


def test_only_what_is_wrong(bikes: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With --quiet saves after which all is well are not shown, but the one that mends it."""
    capfd.readouterr()
    wrong = edit("models/arrivals.sql", "NOT cancelled", "NOT canceled")
    right = edit("models/arrivals.sql", "NOT canceled", "NOT cancelled")
    again = edit("models/arrivals.sql", "NOT cancelled", "cancelled")
    watched(Shell("dev", quiet=True), bikes, wrong, right, again)
    out = pages(capfd.readouterr().out)
    assert [page.splitlines()[-2][0] for page in out] == ["✗", "✓"]


def test_the_process(bikes: Path) -> None:
    """One object for each save, of models, cases and rows; a project that is broken at the start; Ctrl-C is the end."""
    config = (bikes / "lsqlc.yml").read_text()
    (bikes / "lsqlc.yml").write_text("name: [\n")
    words = [sys.executable, "-m", "lsqlc", "dev", "--output", "json", "--select", "arrivals+"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        killer = _after(_DEADLINE, process.kill)
        try:
            assert process.stdout is not None
            broken = json.loads(process.stdout.readline())
            assert (broken["event"], broken["ok"], broken["models"]) == ("start", False, [])
            (bikes / "lsqlc.yml").write_text(config)
            whole = json.loads(process.stdout.readline())
            while not whole["ok"]:
                # A look can come between the two halves of a write.
                whole = json.loads(process.stdout.readline())
            assert [model["name"] for model in whole["models"]] == ["arrivals", "bikes_at_station", "rides_by_station"]
            edit("models/arrivals.sql", "NOT cancelled", "NOT cancelled AND minutes > 20")()
            saved = json.loads(process.stdout.readline())
            assert (saved["event"], saved["files"], saved["ok"]) == ("save", ["models/arrivals.sql"], True)
            model = saved["models"][0]
            assert (model["name"], model["cause"], model["status"]) == ("arrivals", "changed", "compiled")
            (rows,) = model["rows"]
            assert rows["records"] == {"arrivals": 36} and len(rows["differences"][0]["rows"]) == 19
            assert [case["status"] for case in saved["models"][1]["cases"]] == ["passed"]
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=_DEADLINE)
            assert (process.returncode, out.strip(), err) == (0, "", "")
        finally:
            killer.cancel()
            process.kill()


def _after(seconds: float, do: Callable[[], None]) -> Any:
    from threading import Timer

    timer = Timer(seconds, do)
    timer.daemon = True
    timer.start()
    return timer
