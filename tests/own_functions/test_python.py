"""Functions in Python: read without being executed, run if locked, on both engines, and their faults named."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.lower.spark.support import unsupported
from lsqlc.project.build.compile import compile_project
from lsqlc.project.declared.python_functions import read_python
from lsqlc.project.discovery import load_project

from ..cli.conftest import Cli, bikes, cli  # noqa: F401 (fixtures)

HEAD = "from typing import Annotated\nimport pyarrow as pa\nimport pyarrow.compute as pc\n"
SLUG = """
def slug(title: Annotated[pa.Array, "STRING"]) -> Annotated[pa.Array, "STRING"]:
    \"\"\"Lower case, with a hyphen for a space.\"\"\"
    return pc.replace_substring(pc.utf8_lower(title), " ", "-")


def parts(at: Annotated[pa.Array, "TIMESTAMP"], xs: Annotated[pa.Array, "ARRAY<INT>"]) -> Annotated[
    pa.Array, "STRUCT<at: TIMESTAMP, n: INT, d: DECIMAL(5,2)>"
]:
    n = pc.list_value_length(xs)
    d = n.cast(pa.decimal128(12, 2)).cast(pa.decimal128(5, 2))
    return pa.StructArray.from_arrays([at, n, d], names=["at", "n", "d"])


def bad(n: Annotated[pa.Array, "INT"]) -> Annotated[pa.Array, "INT"]:
    ways = [lambda: 1, lambda: pa.array([1] * 5, pa.int32()), lambda: n.cast(pa.int64())]
    return ways[n[0].as_py()]()
"""
CASES = """cases:
  - name: words
    function: slug
    calls: [{arguments: [A Title], result: a-title}, {arguments: [null], result: null}]
  - name: all types
    function: parts
    calls:
      - {arguments: ["2024-01-01T00:00:00Z", [1, 2]], result: {at: "2024-01-01T00:00:00Z", n: 2, d: 2.00}}
      - {arguments: [null, null], result: {at: null, n: null, d: null}}
  - name: groups
    model: slugs
    inputs: {rides: [{key: A b, value: {bike: A b}}, {key: A b, value: {bike: A b}}, {key: c, value: {bike: c}}]}
    expect: {slugs: [{key: a-b, value: {slug: a-b, n: 2}}, {key: c, value: {slug: c, n: 1}}]}
    golden: false
"""
MODEL = "INSERT INTO slugs SELECT STREAM slug(bike) AS slug, COUNT(*) AS n FROM rides GROUP BY slug(bike)\n"


@pytest.fixture
def shop(bikes: Path) -> Path:  # noqa: F811 (a fixture)
    """The template with functions in Python, a model and cases. Nothing is locked."""
    (bikes / "functions").mkdir()
    (bikes / "functions/texts.py").write_text(HEAD + SLUG)
    (bikes / "models/slugs.sql").write_text(MODEL)
    (bikes / "tests/functions.yml").write_text(CASES)
    return bikes


def test_code_runs_only_if_it_is_locked(cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """A file that leaves a mark where it is executed leaves none before, after an edit, and where it is forbidden."""
    mark = shop / "mark"
    file = shop / "functions/texts.py"
    file.write_text(f"open({str(mark)!r}, 'w').close()\n{HEAD}{SLUG}")
    ran = cli("build")
    assert ran.code == 1 and ran.err.count("error[LSQ490]") == 1 and "1 skipped" in ran.err
    for words in (["compile"], ["functions", "list"], ["functions", "lock"], ["compile"], ["ls"], ["lint"]):
        assert cli(*words).code in (0, 1) and not mark.exists()
    monkeypatch.setenv("LSQLC_PYTHON_FUNCTIONS", "off")
    assert "LSQLC_PYTHON_FUNCTIONS is off" in cli("build").err and not mark.exists()
    monkeypatch.delenv("LSQLC_PYTHON_FUNCTIONS")
    ran = cli("build", "--update", "new")
    assert ran.code == 0 and mark.exists(), ran.err
    mark.unlink()
    file.write_text(file.read_text() + "# edited\n")
    ran = cli("build")
    assert ran.code == 1 and "has changed since it was locked" in ran.err and not mark.exists()


def test_the_lock_keeps_what_else_it_has(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """Columns of files; a function that is gone goes."""
    lock = shop / "lsqlc.lock.yml"
    lock.write_text("files:\n  trips: id INT\n")
    assert "added: functions/texts.py" in cli("functions", "lock").err
    first = lock.read_text()
    assert "trips" in first and '"functions/texts.py": ' in first
    assert "up to date" in cli("functions", "lock").err and lock.read_text() == first
    (shop / "functions/texts.py").unlink()
    assert cli("functions", "lock", "--output", "json").data["removed"] == ["functions/texts.py"]
    assert "functions" not in lock.read_text() and "trips" in lock.read_text()
    lock.write_text("functions: [a]\n")
    assert "LSQ094" in cli("functions", "lock").err


def test_plans_mark_calls_and_diff_names_them(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """Another code is another plan."""
    cli("functions", "lock")
    assert "Aggregate [TABLE] by PYTHON slug(bike)" in cli("compile", "--select", "slugs").out
    cli("compile")
    (shop / "before.json").write_text((shop / "target/manifest.json").read_text())
    file = shop / "functions/texts.py"
    file.write_text(file.read_text().replace('"-"', '"_"'))
    cli("functions", "lock")
    ran = cli("diff", "--against", "before.json")
    assert "~ slugs" in ran.out and "function in Python slug: modified" in ran.out


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("0", "must give a pyarrow.Array, not int"),
        ("1", "must give 1 values, as many as it gets, not 5"),
        ("2", "must give int32, not int64"),
        ("3", "failed: IndexError: list index out of range"),
    ],
)
def test_a_fault_has_the_name_of_the_function(cli: Cli, shop: Path, call: str, said: str) -> None:  # noqa: F811
    """Exceptions, and results of another kind, length or type."""
    (shop / "tests/functions.yml").write_text(
        f"cases: [{{name: a, function: bad, calls: [{{arguments: [{call}], result: 1}}]}}]\n"
    )
    cli("functions", "lock")
    ran = cli("test")
    assert ran.code == 1 and "error[LSQ493]: the function 'bad' " in ran.err and said in ran.err


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("def f(:", "LSQ491", 1),
        ("x = 1", "LSQ491", 1),
        ("def f(a): return a", "LSQ491", 1),
        ('def f(a: Annotated[X, "INT"]): return a', "LSQ491", 1),
        ('\ndef f(a: Annotated[X, "INTT"]) -> Annotated[X, "INT"]: return a', "LSQ491", 2),
        ('def f(a: Annotated[X, "TIME"]) -> Annotated[X, "INT"]: return a', "LSQ491", 1),
        ('def f() -> Annotated[X, "INT"]: return 1', "LSQ491", 1),
        ('def f(a: Annotated[X, "INT"], A: Annotated[X, "INT"]) -> Annotated[X, "INT"]: return 1', "LSQ491", 1),
        ('def f(*a: Annotated[X, "INT"]) -> Annotated[X, "INT"]: return 1', "LSQ491", 1),
        ("\0", "LSQ491", 1),
        ("(" * 100_000, "LSQ491", 1),
    ],
)
def test_errors_of_a_declaration(text: str, code: str, line: int) -> None:
    """At their places, whatever the file holds."""
    found = read_python(text, "functions/f.py", {}).diagnostics
    assert (found[0].code, found[0].line) == (code, line)


def test_a_call_in_a_lambda_is_refused(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """Engines compute those element by element."""
    (shop / "models/slugs.sql").write_text(
        "{{ config(dialect='ksql') }}CREATE STREAM r (bike VARCHAR, tags ARRAY<VARCHAR>) WITH (KAFKA_TOPIC='tagged',"
        " VALUE_FORMAT='JSON'); CREATE STREAM s AS SELECT TRANSFORM(tags, t => slug(t)) AS x FROM r;\n"
    )
    cli("functions", "lock")
    assert "LSQ494" in cli("compile").err


@pytest.mark.spark
def test_spark_runs_the_same_source(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """In streaming queries, with the types of Arrow that DuckDB gives; a fault is named there too."""
    cli("functions", "lock")
    bad = "  - {name: fault, function: bad, calls: [{arguments: [3], result: 1}]}\n"
    (shop / "tests/functions.yml").write_text(CASES + bad)
    ran = cli("test", "--engine", "spark")
    assert "error[LSQ493]: the function 'bad' failed: IndexError" in ran.err
    assert "4 passed, 1 in error" in ran.err, ran.err


def test_on_spark_a_call_in_on_is_refused(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """The model compiles, and is proved on DuckDB."""
    (shop / "models/slugs.sql").write_text(
        "WITH t AS (SELECT TABLE * FROM rides);\nINSERT INTO joined SELECT STREAM rides.bike AS bike\n"
        "FROM rides INNER JOIN t ON slug(rides._key) = t._key\n"
    )
    cli("functions", "lock")
    project = load_project(shop).project
    assert project is not None
    plan = compile_project(project).plans["slugs"]
    assert [d.code for d in unsupported(plan)] == ["LSQ600"]
