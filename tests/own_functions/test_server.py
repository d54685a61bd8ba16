"""Functions of a server: declared in YAML, called by their names on Spark, known by examples on DuckDB."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.project.declared.server_functions import read_server_functions

from ..cli.conftest import Cli, bikes, cli  # noqa: F401 (fixtures)

SOUND = """functions:
  - name: sound_of
    class: com.example.Sound
    parameters: word STRING
    returns: STRING
    registered: soundex
    examples: [{arguments: [Robert], result: R163}, {arguments: [null], result: null}]
  - name: nested
    parameters: "at TIMESTAMP, x STRUCT<d: DECIMAL(5,2), day: DATE>, xs ARRAY<INT>"
    returns: MAP<STRING, DOUBLE>
    examples:
      - {arguments: ["2024-01-01T00:00:00Z", {d: 1.50, day: 2024-01-02}, [1]], result: {a: 0.5}}
"""
CASES = """cases:
  - name: known
    function: sound_of
    calls: [{arguments: [Robert], result: R163}, {arguments: [null], result: null}]
"""
NESTED = """  - name: of all types
    function: nested
    calls: [{arguments: ["2024-01-01T00:00:00Z", {d: 1.50, day: 2024-01-02}, [1]], result: {a: 0.5}}]
"""


@pytest.fixture
def shop(bikes: Path) -> Path:  # noqa: F811 (a fixture)
    """The template with functions of a server, and cases."""
    (bikes / "functions").mkdir()
    (bikes / "functions/sounds.yml").write_text(SOUND)
    (bikes / "tests/functions.yml").write_text(CASES)
    return bikes


def test_on_duckdb_examples_are_what_it_gives(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """Of all types that values in JSON have; other arguments are an error that says so."""
    (shop / "tests/functions.yml").write_text(CASES + NESTED)
    ran = cli("test")
    assert ran.code == 0, ran.err
    (shop / "tests/functions.yml").write_text(CASES.replace("[Robert], result: R163", "[Rupert], result: R163"))
    ran = cli("test")
    assert ran.code == 1 and "error[LSQ495]: the function 'sound_of' runs on a server" in ran.err
    assert 'has no example for ["Rupert"]' in ran.err


def test_spark_calls_it_by_its_registered_name(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """The plan shows it; another example is the same plan."""
    (shop / "models/sounds.sql").write_text("INSERT INTO s SELECT STREAM sound_of(station) AS sound FROM rides\n")
    ran = cli("compile", "--select", "sounds")
    assert "SERVER soundex(station)" in ran.out and "`soundex`(v0.`station`)" in ran.out
    cli("compile")
    (shop / "before.json").write_text((shop / "target/manifest.json").read_text())
    file = shop / "functions/sounds.yml"
    file.write_text(SOUND.replace("R163", "X"))
    assert cli("diff", "--against", "before.json", "--output", "json").data["models"] == []
    file.write_text(SOUND.replace("soundex", "metaphone"))
    assert "function of the server sound_of: modified" in cli("diff", "--against", "before.json").out


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("name: sound_of", "name: sound-of", "LSQ496"),
        ("word STRING", "word", "LSQ496"),
        ("returns: STRING", "returns: TEXT", "LSQ496"),
        ("registered: soundex", "registered: 'a b'", "LSQ496"),
        ("arguments: [Robert]", "arguments: [Robert, 1]", "LSQ496"),
        ("[1]]", "[x]]", "LSQ496"),
        ("word STRING", "word BYTES", "LSQ496"),
        ("class:", "clas:", "LSQ006"),
        ("functions:", "function:", "LSQ006"),
        ("returns: STRING\n", "\n", "LSQ017"),
    ],
)
def test_errors_of_a_declaration(old: str, new: str, code: str) -> None:
    """At their places."""
    found = read_server_functions(SOUND.replace(old, new, 1), "functions/f.yml")[1]
    assert [d.code for d in found] == [code] and found[0].span is not None


@pytest.mark.spark
def test_spark_runs_the_function_of_the_server(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """One that every server has stands for one of a jar; one that it lacks is refused with its name."""
    (shop / "tests/functions.yml").write_text(CASES + NESTED)
    ran = cli("test", "--engine", "spark")
    assert "error[LSQ665]: Spark rejects the query of model 'nested()'" in ran.err and "nested" in ran.err
    assert "2 passed, 1 in error" in ran.err, ran.err
