"""Bad input of every kind: one clear error with its place and a way out, nothing half-written, no traceback."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from .conftest import Cli, everything


@dataclass(frozen=True)
class Bad:
    """Files to write (None: a folder is replaced by a file), a command, and what must come out."""

    words: tuple[str, ...]
    code: str
    place: str = ""
    exit: int = 1
    files: dict[str, str | bytes] = field(default_factory=dict)


CASES = {
    "topic": Bad(("compile",), "LSQ200", "models/x.sql:1:25", files={"models/x.sql": "SELECT STREAM bike FROM ridez"}),
    "column": Bad(("build",), "LSQ201", "models/x.sql:1:15", files={"models/x.sql": "SELECT STREAM bikes FROM rides"}),
    "function": Bad(
        ("compile",), "LSQ206", "models/x.sql:1:15", files={"models/x.sql": "SELECT STREAM UPER(bike) AS b FROM rides"}
    ),
    "model": Bad(
        ("compile",),
        "LSQ022",
        "models/x.sql:1:33",
        files={"models/x.sql": "SELECT STREAM bike FROM {{ ref('arivals') }}"},
    ),
    "types": Bad(
        ("compile",), "LSQ212", "models/x.sql:1:15", files={"models/x.sql": "SELECT STREAM bike + 1 AS b FROM rides"}
    ),
    "cycle": Bad(
        ("build",),
        "LSQ030",
        "models/a.sql:1:22",
        files={"models/a.sql": "SELECT STREAM x FROM b", "models/b.sql": "SELECT STREAM x FROM a"},
    ),
    "two writers": Bad(
        ("compile",),
        "LSQ031",
        "models/x.sql:1:13",
        files={"models/x.sql": "INSERT INTO arrivals SELECT STREAM bike FROM rides"},
    ),
    "yaml typo": Bad(
        ("build",), "LSQ006", "models/x.yml:1:20", files={"models/x.yml": "topics: [{name: t, valu: INT}]\n"}
    ),
    "yaml syntax": Bad(("ls",), "LSQ003", "lsqlc.yml:2:1", files={"lsqlc.yml": "name: [x\n"}),
    "jinja": Bad(("compile",), "LSQ020", "models/x.sql:1:", files={"models/x.sql": "SELECT {{ reff('x') }"}),
    "utf-8": Bad(("compile",), "LSQ002", "models/x.sql:1:8", files={"models/x.sql": b"SELECT \xff"}),
    "profile": Bad(("run", "--target", "prod"), "LSQ050", exit=2),
    "target": Bad(
        ("show", "rides", "--target", "prd"),
        "LSQ051",
        "profiles.yml:",
        exit=2,
        files={"profiles.yml": "targets: {prod: {type: embedded}}\n"},
    ),
    "golden": Bad(
        ("test",),
        "LSQ510",
        "golden/bikes_at_station/a_bike_moves.jsonl:1:1",
        files={"golden/bikes_at_station/a_bike_moves.jsonl": "not json\n"},
    ),
    "case": Bad(
        ("test",), "LSQ501", "tests/bikes.yml:1:", files={"tests/bikes.yml": "cases: [{name: x, model: bikez}]\n"}
    ),
    "select": Bad(("compile", "--select", "nope"), "LSQ040", exit=2),
    "select tag": Bad(("build", "-s", "tag:nope"), "LSQ040", exit=2),
    "exclude all": Bad(("test", "--exclude", "*"), "LSQ040", exit=2),
    "selector": Bad(("ls", "-s", "a++b"), "LSQ041", exit=2),
    "show": Bad(("show", "ridez"), "LSQ063", exit=2),
    "seed": Bad(("seed", "ridez"), "LSQ063", exit=2),
    "no seed": Bad(
        ("seed", "t"),
        "LSQ064",
        "models/x.yml:1:17",
        exit=2,
        files={"models/x.yml": "topics: [{name: t, value: INT}]\n"},
    ),
    "seed file": Bad(
        ("seed", "t"),
        "LSQ410",
        "models/x.yml:1:",
        files={"models/x.yml": "topics: [{name: t, value: INT, seed: {path: seeds/none.csv}}]\n"},
    ),
    "seed keys": Bad(
        ("seed", "t"),
        "LSQ062",
        "models/x.yml:1:",
        files={
            "models/x.yml": "topics: [{name: t, key: INT, value: INT, seed: {path: seeds/rides.csv, key: [a, b]}}]\n"
        },
    ),
    "seed cell": Bad(
        ("seed",),
        "LSQ411",
        "seeds/rides.csv:2:",
        files={"seeds/rides.csv": "ended_at,bike,station,minutes,cancelled\n,b,s,x,true\n"},
    ),
    "vars": Bad(("compile", "--vars", "[1"), "LSQ061", "<--vars>:", exit=2),
    "vars list": Bad(("build", "--vars", "[1]"), "LSQ061", "<--vars>:1:1", exit=2),
    "run": Bad(("run",), "LSQ201", "models/x.sql:1:15", files={"models/x.sql": "SELECT STREAM bikes FROM rides"}),
    "not on spark": Bad(
        ("run",),
        "LSQ600",
        files={
            "models/parts.yml": "topics: [{name: repairs, key: INT, value: 'station STRING, parts MAP<STRING, INT>'}]",
            "models/x.sql": "SELECT TABLE COUNT(parts) AS n FROM repairs GROUP BY station",
        },
    ),
    "outside": Bad(("build", "--project-dir", "models"), "LSQ008", exit=2),
}


@pytest.mark.parametrize("bad", CASES.values(), ids=list(CASES))
def test_bad_input(cli: Cli, bikes: Path, bad: Bad) -> None:
    """The finding has its code and place, the exit code says whose mistake it is, and JSON says the same."""
    for path, content in bad.files.items():
        (bikes / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    before = everything(bikes)
    ran = cli(*bad.words)
    assert ran.code == bad.exit, ran.err
    assert f"error[{bad.code}]" in ran.err
    assert bad.place in ran.err
    assert ran.out == "", "findings are no results"
    after = {path: content for path, content in everything(bikes).items() if not path.startswith("target/")}
    assert after == before
    told = cli(*bad.words, "--output", "json")
    assert told.code == bad.exit
    answer = told.lines[-1] if bad.words[0] in ("run", "show") else told.data
    assert not answer.get("ok", False) or bad.words[0] == "ls"
    results = [d for r in answer.get("results", []) for d in r["diagnostics"]]
    assert bad.code in [d["code"] for d in (*answer["diagnostics"], *results)]


@pytest.mark.parametrize("words", [("compile",), ("build",), ("compile", "--write"), ("run",)])
def test_a_target_that_cannot_be_written(cli: Cli, bikes: Path, words: tuple[str, ...]) -> None:
    """A file where the folder must be is told, and left as it is."""
    (bikes / "target").write_text("mine")
    ran = cli(*words)
    assert ran.code == 1 and "error[LSQ034]: cannot write 'target/" in ran.err and "help: " in ran.err
    assert (bikes / "target").read_text() == "mine"


def test_all_errors_at_once(cli: Cli, bikes: Path) -> None:
    """Findings of several files come in one run."""
    (bikes / "models/x.sql").write_text("SELECT STREAM bikes FROM rides")
    (bikes / "models/y.sql").write_text("SELECT STREAM bike FROM ridez")
    (bikes / "models/z.yml").write_text("topicz: []\n")
    err = cli("build").err
    assert all(f"error[{code}]" in err for code in ("LSQ201", "LSQ200", "LSQ006"))


def test_a_broken_segment(cli: Cli, bikes: Path) -> None:
    """`show` prints a cut line and lines of another schema with their places, and what can be read around them. The
    segments have no sums, as those of other tools.
    """
    assert cli("seed").code == 0
    shutil.rmtree(bikes / ".lsqlc/topics/rides/sums")
    first, second, *_ = sorted((bikes / ".lsqlc/topics/rides/data").iterdir())
    whole = first.read_text()
    first.write_text(whole[:-20])
    ran = cli("show", "rides")
    assert ran.code == 0 and ran.err == "'rides': 1 record cannot be read\n"
    rows = ran.out.splitlines()
    assert rows[16].startswith(f"! cannot be read: file .lsqlc/topics/rides/data/{first.name}, line 15, 2024-")
    assert rows[17].startswith('  {"ordinal":14,') and len(rows[17]) <= 120
    assert len(rows) == 25 and rows[-1] == "and 39 more"
    first.write_text(whole)
    second.write_text(second.read_text().replace('"minutes":', '"minutes":"x","m":'))
    ran = cli("show", "rides", "--limit", "16", "--output", "json")
    bad = [line["bad"] for line in ran.lines if "bad" in line]
    assert ran.code == 0 and [number for number, line in enumerate(ran.lines) if "bad" in line] == list(range(15, 30))
    assert (bad[0]["line"], bad[0]["reason"]) == (1, "value.minutes: expected INT, found the string 'x'")
    assert len(ran.lines) == 31 and bad[0]["text"] == second.read_text().splitlines()[0]
    # A condition is asked of what can be read; CSV only has that.
    some = cli("show", "rides", "--where", "minutes > 40", "--limit", "0", "--output", "json").lines
    assert len([line for line in some if "bad" in line]) == 15 and len(some) < 45
    csv = cli("show", "rides", "--limit", "0", "--output", "csv")
    assert len(csv.out.splitlines()) == 46 and "15 records cannot be read" in csv.err


def test_topics_that_are_not_embedded(cli: Cli, bikes: Path) -> None:
    """A model over Kafka builds, and `run` refuses it on a target without Kafka; an unknown connector is a mistake."""
    path = next(p for p in (bikes / "models").rglob("*.yml") if "topics:" in p.read_text())
    text = path.read_text()
    path.write_text(text.replace("topics:\n  - name:", "topics:\n  - connector: kafka\n    name:", 1))
    assert path.read_text() != text
    built = cli("build")
    assert built.code == 0 and "warning" not in built.err
    ran = cli("run")
    assert ran.code == 1 and "error[LSQ601]" in ran.err and "starting the embedded" not in ran.err
    path.write_text(path.read_text().replace("connector: kafka", "connector: kafak"))
    wrong = cli("build")
    assert wrong.code == 1 and "'kafak' is not one of 'delta', 'embedded', 'files', 'kafka'" in wrong.err
