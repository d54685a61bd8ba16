"""The process: how it starts, what it imports, how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from lsqlc.cli import project
from lsqlc.cli.main import VERBS
from lsqlc.cli.verbs import command_of

from .conftest import Cli

LSQLC = [sys.executable, "-m", "lsqlc"]
HEAVY = ("duckdb", "jinja2", "lsqlc.bind", "mcp", "pydantic", "pyspark", "rich", "sqlglot", "typer", "yaml")
PACKAGE = {"PYTHONPATH": str(Path(__file__).parents[2])}


def imported(*words: str) -> set[str]:
    """Which of the heavy packages a command imports."""
    code = f"""
import sys
from lsqlc.cli.main import main
try:
    main({list(words)!r})
except SystemExit as ended:
    assert not ended.code, ended.code
print(*[m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **PACKAGE}, check=True
    )
    return set(ran.stderr.splitlines()[-1].split())


def test_help_is_light() -> None:
    """A help page imports nothing that takes long, but what writes it."""
    assert imported("--help") == {"typer"}


def test_an_unchanged_compile_is_light(cli: Cli, bikes: Path) -> None:
    """The first compilation imports the compiler, the second one none of it, and both say the same of the models."""
    first = imported("compile")
    assert "lsqlc.bind" in first and first.isdisjoint({"duckdb", "sqlglot"}), first
    assert imported("compile") == set()
    assert cli("compile", "--output", "json").data["models"][0] == {
        "name": "arrivals",
        "status": "cached",
        "selected": True,
    }


def test_an_edit_is_noticed(cli: Cli, bikes: Path) -> None:
    """After an edit the model is compiled again, with new errors."""
    assert cli("compile").code == 0
    (bikes / "models/arrivals.sql").write_text("SELECT STREAM bikes FROM rides")
    ran = cli("compile")
    assert ran.code == 1
    assert "models/arrivals.sql:1:15" in ran.err


def test_every_verb_is_there(cli: Cli) -> None:
    """The help lists each verb; each verb's own help begins with words that fit the list's."""
    listed = cli("--help").out
    for verb, words in VERBS.items():
        assert f"  {verb} " in listed and words in listed
        assert cli(verb, "--help").code == 0
        command = command_of(verb)
        help = command.info.help if isinstance(command, typer.Typer) else command.__doc__
        assert isinstance(help, str)
        assert help.split()[0] == words.split()[0]


@pytest.mark.parametrize(
    "words",
    [("frob",), ("compile", "--frob"), ("ls", "--output", "xml"), ("show",), ("run", "--verify", "--continuous")],
)
def test_wrong_usage(cli: Cli, bikes: Path, words: tuple[str, ...]) -> None:
    """Wrong words end with exit code 2, and say what is wrong."""
    ran = cli(*words)
    assert ran.code == 2
    assert "Error: " in ran.err


def test_an_internal_error_is_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody foresaw ends in one line and exit code 2."""

    def broken(*arguments: object) -> None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(project, "find", broken)
    ran = cli("ls")
    assert ran.code == 2
    assert ran.err.startswith("internal error: RuntimeError: no such luck; please report it")
    assert ran.err.count("\n") == 1


def test_a_traceback_on_request(bikes: Path) -> None:
    """`--debug` before the verb shows where an internal error came from."""
    code = (
        "from lsqlc.cli import project\nproject.find = None\nfrom lsqlc.cli.main import main\nmain(['--debug', 'ls'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **PACKAGE})
    assert ran.returncode == 2
    assert "Traceback" in ran.stderr and "internal error: TypeError" in ran.stderr


def test_an_interrupt_ends_quietly(bikes: Path) -> None:
    """Ctrl-C ends with 130 and one line."""
    code = (
        "import os, signal\nfrom lsqlc.cli import project\n"
        "project.find = lambda *a: os.kill(os.getpid(), signal.SIGINT)\n"
        "from lsqlc.cli.main import main\nmain(['ls'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **PACKAGE})
    assert (ran.returncode, ran.stderr) == (130, "interrupted\n")


def test_a_closed_pipe_is_quiet() -> None:
    """Who reads one line of many gets no complaint."""
    ran = subprocess.run(
        ["/bin/sh", "-c", f"'{sys.executable}' -m lsqlc explain --output json | head -1"],
        capture_output=True,
        text=True,
        env={**os.environ, **PACKAGE},
        check=True,
    )
    assert (ran.stdout, ran.stderr) == ("{\n", "")


def test_an_interrupted_seed_leaves_nothing(bikes: Path) -> None:
    """A seed that is stopped in the middle has loaded all or nothing."""
    rows = ["ended_at,bike,station,minutes,cancelled"]
    rows += [f"2024-05-01T06:00:00Z,b{i},park,1,false" for i in range(400_000)]
    (bikes / "seeds/rides.csv").write_text("\n".join(rows))
    process = subprocess.Popen(
        [*LSQLC, "seed"], cwd=bikes, env={**os.environ, **PACKAGE}, stderr=subprocess.PIPE, text=True
    )
    topic = bikes / ".lsqlc/topics/rides"
    while not topic.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert (process.returncode, said) == (130, "interrupted\n")
    assert list((topic / "data").glob("*")) == []


def test_no_colour_where_nobody_asked(cli: Cli, bikes: Path) -> None:
    """Findings that go into a file have no escapes."""
    (bikes / "models/arrivals.sql").write_text("SELECT STREAM bikes FROM rides")
    assert "\x1b" not in cli("compile").err
