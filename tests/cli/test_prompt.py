"""`lsqlc shell`: the statements of a pipe, and the prompt of a terminal."""

from __future__ import annotations

import io
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from select import select

import pytest

from lsqlc.cli.answers import AnswerOutput
from lsqlc.cli.prompt_completion import Completions
from lsqlc.cli.prompt_input import is_complete, open_input
from lsqlc.cli.prompt_statements import Prompt
from lsqlc.cli.shell import Shell
from lsqlc.tasks.statements import Statement, statements
from tests.cli.conftest import Cli, Ran, in_ksql, in_sql

Piped = Callable[..., Ran]


@pytest.fixture
def piped(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Piped:
    """Runs the statements of a text, without a terminal."""

    def run(text: str, *options: str) -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        return cli("shell", *options)

    return run


def test_statements_are_split_at_semicolons() -> None:
    """Not in strings, names, comments and tags. The last one may be open."""
    text = "-- a; b\nSELECT ';' || \";\" FROM `a;b` /* ; */ ;; {{ f(';') }} {% if ';' %};\n SELECT 1"
    assert [(s.text, s.is_closed) for s in statements(text, backslashes=True)] == [
        ("SELECT ';' || \";\" FROM `a;b` /* ; */", True),
        ("{{ f(';') }} {% if ';' %}", True),
        ("SELECT 1", False),
    ]
    assert all(text[s.start :].startswith(s.text) for s in statements(text, backslashes=True))
    escaped = r"SELECT 'it\'s; x'; SELECT 2"
    assert len(list(statements(escaped, backslashes=True))) == 2
    doubled = r"SELECT 'a''b;\'; SELECT 2;"
    assert [s.text for s in statements(doubled, backslashes=False)] == [r"SELECT 'a''b;\'", "SELECT 2"]
    assert list(statements(" ; -- nothing\n", backslashes=True)) == []
    assert Statement("PRINT 'a b' FROM `x`").words == ("PRINT", "'a b'", "FROM", "`x`")


# What a user of ksqlDB types first, with a part of the answer.
FIRST = {
    "SHOW STREAMS;": "RIDES     BIKE STRING KEY, STATION STRING, MINUTES INT, CANCELLED BOOLEAN",
    "SHOW TABLES;": "BIKES_AT_STATION  STATION STRING KEY, BIKES BIGINT",
    "LIST TOPICS;": "rides             string      json          60       null",
    "show all topics extended;": "rides             string",
    "DESCRIBE rides;": "MINUTES    INT",
    "DESCRIBE rides EXTENDED;": "KAFKA_TOPIC = 'rides'",
    "SET 'auto.offset.reset'='earliest';": "",
    "SELECT * FROM rides EMIT CHANGES LIMIT 3;": "b9    harbour       26  false",
    "SELECT * FROM rides EMIT CHANGES LIMIT 99;": "(60 rows)",
    "SELECT COUNT(*) AS n FROM rides GROUP BY station LIMIT 1;": "16",
    "PRINT 'rides' FROM BEGINNING LIMIT 3;": "2024-05-01T06:29:00Z  b4    harbour        8  false",
    "PRINT rides;": "b3",
    "SHOW QUERIES;": "rides_by_station  rides_by_station  compiles",
    "EXPLAIN SELECT * FROM rides EMIT CHANGES;": "Scan [STREAM] rides as RIDES",
    "EXPLAIN rides_by_station;": "Aggregate [TABLE] by STATION",
    "SHOW FUNCTIONS;": "UCASE",
    "DESCRIBE FUNCTION ucase;": "the text in upper case",
    "\\d": "rides             string",
    "\\d rides": "MINUTES    INT",
    "\\?": "PRINT TOPIC [FROM BEGINNING] [LIMIT N]",
    "HELP;": "PRINT TOPIC [FROM BEGINNING] [LIMIT N]",
}


@in_ksql
def test_the_first_statements_of_a_user_of_ksqldb(project: Path, piped: Piped) -> None:
    for text, part in FIRST.items():
        ran = piped(text)
        assert ran.code == 0 and part in ran.out, (text, ran)


REFUSED = {
    "CREATE STREAM a AS SELECT * FROM rides;": ("LSQ625", "save it as a model"),
    "INSERT INTO rides VALUES ('a', 'b', 1, true);": ("LSQ625", "`lsqlc produce TOPIC`"),
    "DROP STREAM rides DELETE TOPIC;": ("LSQ625", "remove the model's file"),
    "TERMINATE ALL;": ("LSQ625", "`lsqlc stop`"),
    "RUN SCRIPT 'a.sql';": ("LSQ625", "`lsqlc shell < FILE`"),
    "SHOW PROPERTIES;": ("LSQ625", "`lsqlc debug`"),
    "SHOW COLUMNS;": ("LSQ626", "lists the statements"),
    "SELEKT 1;": ("LSQ626", "did you mean 'SELECT'?"),
    "\\x": ("LSQ626", "lists the commands"),
    "PRINT;": ("LSQ626", "PRINT takes the name of a topic"),
    "PRINT rides LIMIT many;": ("LSQ626", "LIMIT with a number"),
    "DESCRIBE FUNCTION ucas;": ("LSQ626", "did you mean 'UCASE'?"),
    "DESCRIBE ride;": ("LSQ063", "did you mean"),
    "EXPLAIN rides;": ("LSQ623", "`DESCRIBE rides;`"),
    "EXPLAIN;": ("LSQ626", "EXPLAIN takes"),
    "SET 'auto.offset.reset' = 'latest';": ("LSQ627", "write PRINT TOPIC;"),
    "SELECT x FROM rides;": ("LSQ201", " --> <query>:1:8\n"),
    "SELECT * FROM nothing;": ("LSQ200", "known are"),
}


@in_ksql
def test_what_is_refused_says_what_to_do(project: Path, piped: Piped) -> None:
    for text, (code, part) in REFUSED.items():
        ran = piped(text)
        assert ran.code == 1 and f"error[{code}]" in ran.err and part in ran.err, (text, ran)


@in_sql
def test_a_file_of_statements(project: Path, piped: Piped) -> None:
    """All of them are run, the exit code is 1 if one fails, and \\q ends."""
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    ran = piped("SELECT max(minutes) AS m FROM rides;\nSELECT x\nFROM rides;\nSELECT 'a;b' AS t FROM rides LIMIT 1\n")
    assert (ran.code, ran.out.split()[:6]) == (1, ["m", "──", "44", "(1", "row)", "t"])
    assert "error[LSQ201]: unknown column 'x'\n --> <query>:2:8\n" in ran.err
    ran = piped("-- one\n\\d\n\n  SELECT x FROM rides;\n\\df\n")
    assert ran.code == 1 and " --> <query>:4:10\n" in ran.err and "write SHOW FUNCTIONS;" in ran.err
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before
    ran = piped("SELECT max(minutes) AS m FROM rides;\n\\q\nnonsense;\n", "--output", "csv")
    assert (ran.code, ran.out, ran.err) == (0, "m\n44\n", "")
    ran = piped("EXIT; nonsense;")
    assert (ran.code, ran.out) == (0, "")
    ran = piped("SELECT bike FROM rides;", "--output", "json", "--limit", "1")
    assert ran.lines == [{"bike": "b1"}] or len(ran.lines) == 1
    ran = piped("nonsense;", "--output", "json")
    assert [(line["event"], line["diagnostics"][0]["code"]) for line in ran.lines] == [("error", "LSQ626")]
    assert piped("").code == 0


@in_sql
def test_bytes_that_are_no_text(project: Path) -> None:
    command = [sys.executable, "-m", "lsqlc", "shell", "--output", "csv"]
    ran = subprocess.run(
        command, input=b"SELECT '\xff' AS x FROM rides; SELECT 1 AS x FROM rides LIMIT 1;", capture_output=True
    )
    assert ran.returncode == 1 and b"error[LSQ002]" in ran.stderr and ran.stdout.split() == [b"x", b"1"], ran.stderr


@in_sql
def test_print_in_other_formats(project: Path, piped: Piped) -> None:
    ran = piped("PRINT rides LIMIT 1;", "--output", "csv")
    assert ran.out.splitlines() == [
        "_timestamp,_key,bike,station,minutes,cancelled", "2024-05-01T06:06:00Z,b3,b3,market,44,true",
    ]  # fmt: skip
    (line,) = piped("PRINT rides LIMIT 1;", "--output", "json").lines
    assert (line["topic"], line["key"]) == ("rides", "b3")


@in_sql
def test_another_dialect(project: Path, piped: Piped) -> None:
    ran = piped("SELECT STREAM minutes FROM rides LIMIT 1;", "--dialect", "lenses")
    assert ran.code == 1
    assert piped("SELECT TABLE minutes FROM rides;", "--dialect", "lenses").code == 0


def inserted(root: Path, dialect: str, text: str) -> list[str]:
    """Return what completes a text with `|` at the cursor, as it reads then."""
    offset = text.index("|")
    whole = text.replace("|", "")
    found = Completions(root, {}, dialect).at(whole, offset)
    return [whole[: offset - each.replaced] + each.text for each in found]


@in_sql
def test_completion(project: Path) -> None:
    """Statements of the prompt, topics and models, columns, functions and keywords."""
    assert inserted(project, "sql", "sh|") == ["SHOW"]
    assert inserted(project, "sql", "SELECT 1; SHOW T|") == ["SELECT 1; SHOW TOPICS", "SELECT 1; SHOW TABLES"]
    assert inserted(project, "sql", "DESCRIBE rides_|") == ["DESCRIBE rides_by_station"]
    assert inserted(project, "sql", "PRINT 'arr|") == ["PRINT arrivals"]
    assert inserted(project, "sql", "PRINT rides |")[0] == "PRINT rides FROM BEGINNING"
    assert inserted(project, "sql", "SELECT * FROM arr|") == ["SELECT * FROM arrivals"]
    assert inserted(project, "sql", "EXPLAIN SELECT * FROM arr|") == ["EXPLAIN SELECT * FROM arrivals"]
    assert inserted(project, "sql", "SELECT minu| FROM rides;")[0] == "SELECT minutes"
    assert "SELECT r.station" in inserted(project, "sql", "SELECT r.| FROM rides AS r")
    assert "SELECT UPPER(" in inserted(project, "sql", "SELECT upp| FROM rides")
    assert "SELECT bike FROM rides WHERE " in inserted(project, "sql", "SELECT bike FROM rides wh|")
    assert inserted(project, "sql", "SELECT 'rid|") == []


@in_ksql
def test_completion_in_ksql(project: Path) -> None:
    """Streams and tables of all programs, with their columns."""
    assert "SELECT * FROM RIDES_BY_STATION" in inserted(project, "ksql", "SELECT * FROM rides|")
    assert "SELECT MINUTES" in inserted(project, "ksql", "SELECT minu| FROM rides EMIT CHANGES;")
    assert "DESCRIBE RIDES" in inserted(project, "ksql", "DESCRIBE rid|")


@in_sql
def test_completion_of_new_files(project: Path) -> None:
    """The project is read again for each statement."""
    completions = Completions(project, {}, "sql")
    assert not list(completions.at("SELECT * FROM new", 17))
    (project / "models" / "newest.sql").write_text("SELECT bike, minutes AS length FROM rides")
    completions.refresh()
    assert [each.text for each in completions.at("SELECT * FROM new", 17)] == ["newest"]
    assert next(iter(completions.at("SELECT len FROM newest", 10))).text == "length"


def test_enter_runs_what_is_complete() -> None:
    complete = ["", "SELECT 1;", "SELECT 1; -- x", "\\d rides", "exit", "SELECT 'a\\';';"]
    assert all(is_complete(text, backslashes=True) for text in complete)
    assert not any(is_complete(text, backslashes=True) for text in ["SELECT 1", "SELECT 1; SELECT", "SELECT ';"])


@in_sql
def test_the_line_editor(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines up to a semicolon are one statement, Ctrl-C clears it, Ctrl-D ends; the history is the user's alone."""
    application = pytest.importorskip("prompt_toolkit.application")
    inputs = pytest.importorskip("prompt_toolkit.input")
    outputs = pytest.importorskip("prompt_toolkit.output")
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    prompt = Prompt(Shell("shell"), project, {}, "sql", None, AnswerOutput(), True)
    with inputs.create_pipe_input() as keys, application.create_app_session(input=keys, output=outputs.DummyOutput()):
        read = open_input(prompt, "bikes")
        keys.send_text("SELECT 1\rFROM rides;\r")
        assert read() == "SELECT 1\nFROM rides;"
        keys.send_text("SELECT \x03")
        with pytest.raises(KeyboardInterrupt):
            read()
        keys.send_text("\\d\r")
        assert read() == "\\d"
        keys.send_text("\x04")
        assert read() is None
    history = project / "state" / "lsqlc" / "shell-history"
    assert "+FROM rides;" in history.read_text()
    assert stat.S_IMODE(history.stat().st_mode) == 0o600 and stat.S_IMODE(history.parent.stat().st_mode) == 0o700


@in_sql
def test_a_terminal(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query, a query that is followed until Ctrl-C, an error, and the end, as at a terminal."""
    import pty

    pytest.importorskip("prompt_toolkit")
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    monkeypatch.setenv("PROMPT_TOOLKIT_NO_CPR", "1")
    main, side = pty.openpty()
    with subprocess.Popen([sys.executable, "-m", "lsqlc", "shell"], stdin=side, stdout=side, stderr=side) as process:
        seen = ""

        def until(text: str) -> None:
            nonlocal seen
            while text not in seen:
                assert select([main], [], [], 60)[0], seen
                seen += os.read(main, 4096).decode("utf-8", "replace")
            seen = seen[seen.index(text) + len(text) :]

        def enter(text: str) -> None:
            until("bikes>")
            os.write(main, text.encode() + b"\r")
            # The last time that the line is drawn.
            until("\x1b[?2004l")

        enter("SELECT max(minutes) AS m FROM rides;")
        until("(1 row)")
        enter("PRINT rides FROM BEGINNING;")
        until("harbour")
        # As the terminal does for Ctrl-C.
        process.send_signal(signal.SIGINT)
        enter("SELECT x FROM rides;")
        until("unknown column 'x'")
        enter("exit")
        assert process.wait(60) == 0
    with subprocess.Popen([sys.executable, "-m", "lsqlc", "shell"], stdin=side, stdout=side, stderr=side) as process:
        os.close(side)
        until("bikes>")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
    os.close(main)
