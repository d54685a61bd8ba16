"""Topics of files at the command line: the lock file, drift, what is shown, golden cases."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import duckdb
import pytest

from .conftest import Cli

TOPICS = """topics:
  - name: readings
    connector: files
    files: {path: data/readings, format: csv, order_by: day}
    key: meter
"""


@pytest.fixture
def meters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that reads two files whose schema nobody declares."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "lsqlc.yml": "name: meters\n",
        "models/topics.yml": TOPICS,
        "models/high.sql": "SELECT STREAM meter AS _key, level, dir0 FROM readings WHERE level > 1",
        "models/levels.sql": "SELECT TABLE level FROM readings",
        "data/readings/2013/a.csv": "meter,day,level\na,2013-01-02,0.5\nb,2013-01-01,2\n",
        "data/readings/2014/a.csv": "level,meter,day\n3,a,2014-01-01\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        if name.startswith("data"):
            year = int(name.split("/")[2])
            os.utime(tmp_path / name, (year, year))
    return tmp_path


def test_compile_writes_the_columns_that_it_finds(cli: Cli, meters: Path) -> None:
    """Once, for review; a build without the lock file says how to get it, and CI writes none."""
    refused = cli("build")
    assert refused.code == 1 and "LSQ090" in refused.err and "lsqlc compile" in refused.err
    done = cli("compile")
    assert done.code == 0 and "lsqlc.lock.yml written" in done.err
    text = (meters / "lsqlc.lock.yml").read_text()
    assert "meter STRING,\n    day DATE,\n    level DOUBLE" in text
    assert cli("compile").code == 0 and (meters / "lsqlc.lock.yml").read_text() == text


def test_ci_writes_no_lock_file(cli: Cli, meters: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The columns that it would find are not reviewed."""
    monkeypatch.setenv("CI", "true")
    assert cli("compile").code == 1
    assert not (meters / "lsqlc.lock.yml").exists()


def test_drift_is_a_finding_with_old_and_new(cli: Cli, meters: Path) -> None:
    """An unchanged build sees new files too; `--lock` takes what is there now."""
    assert cli("compile").code == 0
    (meters / "data/readings/2015.csv").write_text("meter,day,level,unit\nc,2015-01-01,low,mm\n")
    drifted = cli("compile")
    assert drifted.code == 0 and "warning[LSQ091]" in drifted.err
    assert "'level' was DOUBLE, and is STRING" in drifted.err and "'unit' is new, STRING" in drifted.err
    (meters / "models/high.sql").write_text("SELECT STREAM meter AS _key, level, dir0 FROM readings")
    assert cli("compile", "--lock").code == 0
    assert "level STRING,\n    unit STRING" in (meters / "lsqlc.lock.yml").read_text()
    assert "LSQ091" not in cli("compile").err


def test_show_reads_the_files(cli: Cli, meters: Path) -> None:
    """The records of all files, those of the older file first, and in each in its own order."""
    assert cli("compile").code == 0
    shown = cli("show", "readings", "--output", "json")
    assert [line["value"]["level"] for line in shown.lines] == [2.0, 0.5, 3.0]
    assert [line["key"] for line in shown.lines] == ["b", "a", "a"]


def test_a_case_has_records_for_files(cli: Cli, meters: Path) -> None:
    """As for any topic; what it leaves out of the path is empty."""
    assert cli("compile").code == 0
    (meters / "tests").mkdir()
    (meters / "tests/cases.yml").write_text(
        "cases:\n"
        "  - name: high ones\n"
        "    model: high\n"
        "    inputs: {readings: [{value: {meter: a, level: 2, dir0: '2013'}}, {value: {meter: b, level: 1}}]}\n"
        "    expect: {high: [{key: a, value: {level: 2, dir0: '2013'}}]}\n"
        "    golden: false\n"
        "  - name: the last level\n"
        "    model: levels\n"
        "    inputs: {readings: [{key: a, value: {level: 2}}, {key: a, value: {level: 3}}]}\n"
        "    expect: {levels: [{key: a, value: {level: 3}}]}\n"
        "    golden: false\n"
    )
    assert "2 cases: 2 passed" in cli("test").err
    tested = cli("test")
    assert tested.code == 0, tested.err


SEEDED = """topics:
  - name: readings
    connector: files
    files: {path: data/readings, format: csv, 'null': NA}
    value: meter STRING, month INT, level DOUBLE
    seed: {path: seeds/all.csv, file: '{kind}/m{month:02}.csv'}
"""


def test_a_seed_writes_files_that_its_cells_name(cli: Cli, meters: Path) -> None:
    """Once: rows as they stand, under the seed's header, in files that are each newer than the one before."""
    for name, text in {
        "models/topics.yml": SEEDED,
        "models/high.sql": "SELECT STREAM meter, level, dir0 FROM readings WHERE level > 1",
        "models/levels.sql": "SELECT STREAM COUNT(*) AS n FROM readings GROUP BY dir0",
        "seeds/all.csv": 'meter,kind,month,level\n"a ""b""",x,2,NA\nb,x,11,3\nc,y,2,4\nd,x,2,5.50\n',
    }.items():
        (meters / name).parent.mkdir(exist_ok=True)
        (meters / name).write_text(text)
    kept = cli("seed")
    assert kept.code == 0 and "already has files" in kept.err
    shutil.rmtree(meters / "data")
    done = cli("seed")
    assert done.code == 0 and "readings: 4 rows in 3 files in 'data/readings'" in done.err, done.err
    found = {p.relative_to(meters / "data/readings").as_posix(): p for p in (meters / "data").rglob("*.csv")}
    assert set(found) == {"x/m02.csv", "x/m11.csv", "y/m02.csv"}
    assert found["x/m02.csv"].read_text() == 'meter,kind,month,level\n"a ""b""",x,2,NA\nd,x,2,5.50\n'
    times = [found[name].stat().st_mtime for name in ("x/m02.csv", "x/m11.csv", "y/m02.csv")]
    assert times == sorted(set(times))
    shown = cli("show", "readings", "--output", "json")
    assert [line["value"]["level"] for line in shown.lines] == [None, 5.5, 3.0, 4.0]
    assert cli("seed", "--full-refresh", "--limit", "1").code == 0
    assert found["x/m02.csv"].read_text().count("\n") == 2 and found["y/m02.csv"].exists()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("{kind}/m", "{kinds}/m", "LSQ447"),
        ("{kind}/m{month:02}", "{meter}", "LSQ447"),
        ("{kind}/m", "_{kind}/m", "LSQ447"),
        ("{kind}/m", "../{kind}/m", "LSQ447"),
        (", file: '{kind}/m{month:02}.csv'", "", "LSQ017"),
        ("format: csv, 'null': NA", "format: json", "LSQ007"),
        ("seeds/all.csv, ", "seeds/all.csv, key: meter, ", "LSQ007"),
        ("    connector: files\n    files: {path: data/readings, format: csv, 'null': NA}\n", "", "LSQ007"),
    ],
)
def test_a_seed_that_names_no_files(cli: Cli, meters: Path, old: str, new: str, code: str) -> None:
    """A column that it lacks, a cell that is no part of a path, a name that is passed over, and keys of other seeds."""
    shutil.rmtree(meters / "data")
    for path in (meters / "models").iterdir():
        path.unlink()
    (meters / "models/topics.yml").write_text(SEEDED.replace(old, new))
    (meters / "seeds").mkdir()
    (meters / "seeds/all.csv").write_text("meter,kind,month,level\na/b,x,2,NA\n")
    found = cli("seed")
    assert found.code == 1 and f"[{code}]" in found.err, found.err
    assert not (meters / "data").exists()


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ("path: data/readings", "path: ../readings", "LSQ009", "models/topics.yml:4:19"),
        ("path: data/readings", "path: 'data/**/x'", "LSQ007", "models/topics.yml:4:19"),
        ("format: csv", "format: xml", "LSQ007", "models/topics.yml:4:42"),
        ("order_by: day", "order_by: dya", "LSQ016", "models/topics.yml:4:57"),
        ("key: meter", "key: metre", "LSQ016", "models/topics.yml:5:10"),
        ("    files:", "    flies:", "LSQ017", "models/topics.yml:2:5"),
        ("order_by: day", "order_by: day, delimiter: ab", "LSQ007", "models/topics.yml:4:73"),
        ("format: csv", "format: json, header: false", "LSQ007", "models/topics.yml:4:56"),
        ("format: csv", "format: csv, path_columns: {day: dir0}", "LSQ007", "models/topics.yml:4:61"),
    ],
)
def test_a_declaration_that_cannot_be(cli: Cli, meters: Path, old: str, new: str, code: str, place: str) -> None:
    """Each mistake is told at its place."""
    assert cli("compile").code == 0
    path = meters / "models/topics.yml"
    path.write_text(path.read_text().replace(old, new))
    found = cli("compile")
    assert found.code == 1 and f"[{code}]" in found.err and place in found.err, found.err


DECLARED = """topics:
  - name: readings
    connector: files
    files: {path: data/readings, format: csv, order_by: day, path_columns: {year: dir0}}
    key: meter
    value: meter STRING, day DATE, level DOUBLE, year STRING
"""


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("year: dir0", "yaer: dir0", "LSQ016", "path_columns names 'yaer', which is not a column"),
        ("year: dir0", "year: lmt", "LSQ007", "'year' is declared as 'lmt', which is not a column of the path"),
        ("year STRING", "year INT", "LSQ007", "must be nullable STRING, not INT"),
        ("year STRING", "year STRING NOT NULL", "LSQ007", "must be nullable STRING, not STRING NOT NULL"),
        ("year: dir0", "level: fqn", "LSQ007", "'level' contains the fqn of each file, and must be STRING, not DOUBLE"),
        ("key: meter", "key: year", "LSQ007", "'year' holds a part of the path"),
        ("order_by: day", "order_by: day, defaults: {year: x}", "LSQ007", "'year' holds a part of the path"),
    ],
)
def test_a_column_of_the_path_that_cannot_be(cli: Cli, meters: Path, old: str, new: str, code: str, said: str) -> None:
    """It must be a declared STRING that holds what a path has, and a key is read of the files."""
    (meters / "models/topics.yml").write_text(DECLARED)
    assert cli("compile").code == 0
    (meters / "models/topics.yml").write_text(DECLARED.replace(old, new))
    found = cli("compile")
    assert found.code == 1 and f"[{code}]" in found.err and said in found.err, found.err


PARQUET = """topics:
  - name: readings
    connector: files
    files: {path: data/readings, format: parquet}
"""


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that reads Parquet whose schema nobody declares, from the oldest file on."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "lsqlc.yml": "name: meters\n",
        "models/topics.yml": PARQUET,
        "models/out.sql": "SET error.policy = 'continue'; SELECT STREAM *, filename FROM readings",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    parquet(tmp_path, 1, "SELECT 1::INT AS a, {'x': 1::INT} AS s")
    return tmp_path


def parquet(root: Path, number: int, select: str) -> None:
    path = root / f"data/readings/{number}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"COPY ({select}) TO '{path}'")
    os.utime(path, (number, number))


def test_what_a_file_taught_holds_for_the_next(cli: Cli, parts: Path) -> None:
    """Types stay, columns and members that come later follow, and what a file lacks has the type that was learned."""
    parquet(parts, 2, "SELECT 'x' AS b, {'y': 'z'} AS S")
    assert cli("compile").code == 0
    assert "a INT,\n    s STRUCT<x: INT, y: STRING>,\n    b STRING" in (parts / "lsqlc.lock.yml").read_text()
    shown = [line["value"] for line in cli("show", "readings", "--output", "json").lines]
    assert shown == [
        {"a": 1, "s": {"x": 1, "y": None}, "b": None},
        {"a": None, "s": {"x": None, "y": "z"}, "b": "x"},
    ]


def test_files_that_disagree_are_an_error(cli: Cli, parts: Path) -> None:
    """Nothing is written down with which one of them could not be read."""
    parquet(parts, 2, "SELECT 2::BIGINT AS A, {'x': 'no'} AS s")
    refused = cli("compile")
    assert refused.code == 1 and "error[LSQ448]" in refused.err
    assert "data/readings/2.parquet: 'a' is INT in an earlier file, and is BIGINT in the file" in refused.err
    assert "data/readings/2.parquet: 's.x' is INT in an earlier file, and is STRING in the file" in refused.err
    assert not (parts / "lsqlc.lock.yml").exists()


def test_a_file_that_disagrees_with_the_lock_file_is_told(cli: Cli, parts: Path) -> None:
    """What is locked stays, also where the file that taught it is gone; the other is a bad record to who reads it."""
    assert cli("compile").code == 0
    before = (parts / "lsqlc.lock.yml").read_text()
    (parts / "data/readings/1.parquet").unlink()
    parquet(parts, 2, "SELECT 'x' AS a, {'x': 2::INT} AS s")
    parquet(parts, 3, "SELECT 3::INT AS a, {'x': 3::INT} AS s")
    drifted = cli("compile")
    assert drifted.code == 0 and "warning[LSQ091]" in drifted.err
    assert "data/readings/2.parquet: 'a' is INT in an earlier file, and is STRING in the file" in drifted.err
    assert (parts / "lsqlc.lock.yml").read_text() == before
    assert cli("compile", "--lock").code == 1
    assert (parts / "lsqlc.lock.yml").read_text() == before
    shown = cli("show", "readings")
    assert shown.code == 1 and "LSQ441" in shown.err and "'a' is declared INT, and is STRING in the file" in shown.err


def test_what_is_declared_may_be_anything_in_the_files(cli: Cli, parts: Path) -> None:
    """Only the other columns are found, and those have to agree."""
    parquet(parts, 2, "SELECT 'x' AS a, {'x': 2::INT} AS s")
    (parts / "models/topics.yml").write_text(PARQUET + "    value: A INT\n")
    assert cli("compile").code == 0
    assert "\n    s STRUCT<x: INT>\n" in (parts / "lsqlc.lock.yml").read_text()


def test_a_broken_lock_file_is_told(cli: Cli, meters: Path) -> None:
    """At the entry that cannot be read."""
    (meters / "lsqlc.lock.yml").write_text("files:\n  readings: meter TEXTS\n")
    found = cli("compile")
    assert found.code == 1 and "LSQ094" in found.err and "lsqlc.lock.yml:2:" in found.err


def test_a_server_that_shares_no_folder(cli: Cli, meters: Path) -> None:
    """LSQ780 for each model that reads files, and LSQ786 for cases, before the server is looked for; another target
    is as before.
    """
    assert cli("compile").code == 0
    (meters / "profiles.yml").write_text(
        "targets: {t: {type: connect, address: 'sc://h:1', checkpoints: 's3a://b/x', kafka: {bootstrap: 'h:1'}}}\n"
    )
    ran = cli("run", "--target", "t")
    assert ran.code == 1 and ran.err.count("error[LSQ780]") == 2 and "'s3a://b/x'" in ran.err
    ran = cli("test", "--engine", "spark", "--target", "t")
    assert ran.code == 1 and "error[LSQ786]" in ran.err
