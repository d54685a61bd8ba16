"""`lsqlc import ksqldb-tests`: functional tests of ksqlDB as models and cases, which run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli

STATEMENTS = """-- Readings of sensors.
CREATE STREAM readings (id BIGINT KEY, place VARCHAR, value BIGINT, price DECIMAL(6, 2), day DATE)
  WITH (kafka_topic = 'readings', value_format = 'DELIMITED');
SHOW STREAMS;
CREATE STREAM large AS SELECT id, place, value, price, day FROM readings WHERE value > 10;
CREATE TABLE most AS SELECT id, MAX(value) AS m FROM readings WINDOW TUMBLING (SIZE 30 SECONDS) GROUP BY id;
"""
INPUTS: list[dict[str, Any]] = [
    {"topic": "readings", "key": 1, "value": "north,5,1.50,10", "timestamp": 0},
    {"topic": "readings", "key": 1, "value": "north,50,2.25,", "timestamp": 1000},
    {"topic": "readings", "key": 1, "value": "south,60,,0", "timestamp": 40000},
    {"topic": "elsewhere", "key": 1, "value": "x"},
]


def _window(start: int) -> dict[str, Any]:
    return {"start": start, "end": start + 30000, "type": "time"}


OUTPUTS: list[dict[str, Any]] = [
    {"topic": "LARGE", "key": 1, "value": "north,50,2.25,", "timestamp": 1000},
    {"topic": "LARGE", "key": 1, "value": "south,60,,0", "timestamp": 40000},
    {"topic": "MOST", "key": 1, "value": "5", "timestamp": 0, "window": _window(0)},
    {"topic": "MOST", "key": 1, "value": "50", "timestamp": 1000, "window": _window(0)},
    {"topic": "MOST", "key": 1, "value": "60", "timestamp": 40000, "window": _window(30000)},
]


def _test(folder: Path, *, statements: str = STATEMENTS, inputs: Any = INPUTS, outputs: Any = OUTPUTS) -> None:
    folder.mkdir(parents=True)
    (folder / "statements.sql").write_text(statements, "utf-8")
    (folder / "input.json").write_text(json.dumps({"inputs": inputs}), "utf-8")
    (folder / "output.json").write_text(json.dumps({"outputs": outputs}), "utf-8")


def test_a_test_becomes_a_model_with_a_case_that_passes(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines of DELIMITED are columns, the changes of a TABLE its final rows; another expectation fails."""
    _test(tmp_path / "given/sensors")
    ran = cli("import", "ksqldb-tests", str(tmp_path / "given/sensors"), str(tmp_path / "p"))
    assert ran.code == 0, ran.err
    assert "imported 1 model, 0 topics and 1 case" in ran.err
    monkeypatch.chdir(tmp_path / "p")
    model = Path("models/sensors.sql").read_text("utf-8")
    assert model.startswith("-- Readings of sensors.\nCREATE STREAM readings")
    assert "SHOW" not in model
    built = cli("build")
    assert built.code == 0, built.err
    case = Path("tests/ksqldb.yml")
    text = case.read_text("utf-8")
    assert '{topic: "readings", key: 1, value: {PLACE: "north", VALUE: 50, PRICE: 2.25}, timestamp: 1000}' in text
    assert 'DAY: "1970-01-11"' in text
    case.write_text(text.replace("value: {M: 50}", "value: {M: 49}"), "utf-8")
    failed = cli("build")
    assert (failed.code, "LSQ514" in failed.err) == (1, True)


def test_a_program_keeps_its_error_policy(cli: Cli, tmp_path: Path) -> None:
    """Others have ksqlDB's own."""
    _test(tmp_path / "given/sensors", statements=f"SET 'ksql.fail.on.deserialization.error' = 'true';\n{STATEMENTS}")
    assert cli("import", "ksqldb-tests", str(tmp_path / "given/sensors"), str(tmp_path / "p")).code == 0
    assert "SET 'ksql.fail" in (tmp_path / "p/models/sensors.sql").read_text("utf-8")
    assert "  error_policy: continue\n" in (tmp_path / "p/lsqlc.yml").read_text("utf-8")
    assert "error.policy = fail" in (tmp_path / "p/golden/sensors/plan.txt").read_text("utf-8")


def test_tests_of_one_program_are_cases_of_one_model(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that write other topics are models beside it."""
    _test(tmp_path / "given/a")
    _test(tmp_path / "given/b", inputs=INPUTS[:1], outputs=OUTPUTS[2:3])
    other = "CREATE STREAM s (v STRING) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');\n"
    other += "CREATE STREAM copies AS SELECT v FROM s;\n"
    records = [{"topic": "s", "value": {"v": 7}}]
    outputs = [{"topic": "COPIES", "key": None, "value": {"V": "7"}}]
    _test(tmp_path / "given/c", statements=other, inputs=records, outputs=outputs)
    ran = cli("import", "ksqldb-tests", str(tmp_path / "given"), str(tmp_path / "p"), "--output", "json")
    (made,) = ran.data["projects"]
    assert ([m["name"] for m in made["models"]], made["cases"]) == (["a", "c"], 3)
    monkeypatch.chdir(tmp_path / "p")
    built = cli("build", "--output", "json")
    assert built.code == 0, built.err


JSON = """CREATE STREAM s
  (k STRING KEY, d DATE, p DECIMAL(6,2), n INT, b BOOLEAN, t STRING, "q" BIGINT, f STRUCT<x DOUBLE>)
  WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');
CREATE STREAM o AS SELECT * FROM s;
"""


def _arrival(cli: Cli, folder: Path, value: str, key: str = '"a"') -> str:
    """The line of the case for one record, whose key and value are given as JSON."""
    _test(folder / "given", statements=JSON, outputs=[])
    inputs = f'{{"inputs": [{{"topic": "s", "key": {key}, "value": {value}, "timestamp": 5}}]}}'
    (folder / "given/input.json").write_text(inputs, "utf-8")
    ran = cli("import", "ksqldb-tests", str(folder / "given"), str(folder / "p"))
    assert ran.code == 0, ran.err
    text = (folder / "p/tests/ksqldb.yml").read_text("utf-8")
    line = text.partition("arrivals:\n")[2].partition("\n")[0].strip()
    start, end = '- {topic: "s", key: "a", ', ", timestamp: 5}"
    assert line.startswith(start) and line.endswith(end), line
    return line.removeprefix(start).removesuffix(end)


@pytest.mark.parametrize(
    ("value", "columns"),
    [
        ('{"n": 7, "B": true, "t": "it\'s", "q": null}', '{"N": 7, B: true, T: "it\'s"}'),
        ('{"p": 1.50, "f": {"X": 2.5}}', "{P: 1.50, F: {X: 2.5}}"),
        ('{"q": 9007199254740993}', "{q: 9007199254740993}"),
        ("{}", "{}"),
    ],
)
def test_json_of_plain_values_becomes_columns(cli: Cli, tmp_path: Path, value: str, columns: str) -> None:
    """Each reading of it gives the same record."""
    assert _arrival(cli, tmp_path, value) == f"value: {columns}"


@pytest.mark.parametrize(
    "value",
    [
        '{"b":"true"}',
        '{"t": 12.50}',
        '{"t":["x",1]}',
        '{"t": {"a": 1}}',
        '{"n":"7"}',
        '{"n": 7.0}',
        '{"n":2147483648}',
        '{"d": 19782}',
        '{"d":"2024-02-29"}',
        '{"p":1.505}',
        '{"p":"1.5"}',
        '{"f":{"x":1e2}}',
        '{"f":[]}',
        '{"n":1,"N":2}',
        '{"Q":1}',
        '{"other":1}',
        '"text"',
        "[1]",
        "7",
    ],
)
def test_other_json_keeps_its_text(cli: Cli, tmp_path: Path, value: str) -> None:
    """Byte for byte: the program reads it."""
    assert _arrival(cli, tmp_path, value) == "raw: " + (f"'{value}'" if '"' in value else json.dumps(value))


def test_json_on_several_lines_becomes_one_line(cli: Cli, tmp_path: Path) -> None:
    """Without spaces between its parts, as ksqlDB's runner writes it; a quote is doubled in YAML."""
    written = '{\n "t": [1.50,\n  "a  b\\n\\" \'c\'"],\r\n "n": 1\n}'
    kept = '{"t":[1.50,"a  b\\n\\" \'\'c\'\'"],"n":1}'
    assert _arrival(cli, tmp_path, written) == f"raw: '{kept}'"


def test_texts_are_read_by_the_program(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names in any case, any JSON of a VARCHAR, a key in JSON, and expected numbers with their digits."""
    statements = JSON.replace("VALUE_FORMAT", "FORMAT")
    inputs = """{"inputs": [
      {"topic": "s", "key": "a", "value": {"n": 7, "t": 12.50, "f": {"x": 1e2}, "more": 1}},
      {"topic": "s", "key": 12.50, "value": {"t": {"a" : 1}, "B": true}}
    ]}"""
    outputs = """{"outputs": [
      {"topic": "O", "key": "a", "value": {"N": 7, "T": "12.50", "F": {"X": 100.0}, "D": null}},
      {"topic": "O", "key": "12.50", "value": {"B": true, "T": "{\\"a\\" : 1}"}}
    ]}"""
    _test(tmp_path / "given", statements=statements)
    (tmp_path / "given/input.json").write_text(inputs, "utf-8")
    (tmp_path / "given/output.json").write_text(outputs, "utf-8")
    assert cli("import", "ksqldb-tests", str(tmp_path / "given"), str(tmp_path / "p")).code == 0
    monkeypatch.chdir(tmp_path / "p")
    text = Path("tests/ksqldb.yml").read_text("utf-8")
    assert '{topic: "s", raw_key: "12.50", raw: \'{"t": {"a" : 1}, "B": true}\'}' in text
    built = cli("build")
    assert built.code == 0, built.err


@pytest.mark.parametrize(
    ("column", "value", "written"),
    [
        ("T", "12.50", '"12.50"'),
        ("T", "true", '"true"'),
        ("P", "1.50", "1.50"),
        ("P", '"1.50"', "1.50"),
        ("N", "7.0", "7"),
        ("N", "7.5", None),
        ("N", '"x"', None),
        ("T", "[1]", None),
        ("B", '"yes"', None),
        ("F", "1", None),
    ],
)
def test_expected_values_stay_what_they_are(
    cli: Cli, tmp_path: Path, column: str, value: str, written: str | None
) -> None:
    """A value that is not of its column's type is LSQ534, and not another value."""
    _test(tmp_path / "given", statements=JSON, inputs=[])
    outputs = f'{{"outputs": [{{"topic": "O", "key": "a", "value": {{"{column}": {value}}}}}]}}'
    (tmp_path / "given/output.json").write_text(outputs, "utf-8")
    ran = cli("import", "ksqldb-tests", str(tmp_path / "given"), str(tmp_path / "p"))
    name = '"N"' if column == "N" else column
    if written is None:
        assert "error[LSQ534]" in ran.err
    else:
        assert f"value: {{{name}: {written}}}" in (tmp_path / "p/tests/ksqldb.yml").read_text("utf-8")


def test_programs_that_write_one_topic_are_projects_of_their_own(cli: Cli, tmp_path: Path) -> None:
    """As those of ksqlDB's own repository do, whose formats are filled in."""
    tests: list[dict[str, Any]] = [
        {
            "name": name,
            "format": ["AVRO", "JSON"],
            "statements": [
                "CREATE STREAM input (id INT KEY, v INT) WITH (kafka_topic='input', value_format='{FORMAT}');",
                f"CREATE STREAM output AS SELECT id, v + {n} AS v FROM input;",
            ],
            "inputs": [{"topic": "input", "key": 1, "value": {"v": 1}}],
            "outputs": [{"topic": "OUTPUT", "key": 1, "value": {"V": 1 + n}}],
        }
        for n, name in enumerate(("one - {FORMAT}", "two"))
    ]
    tests.append({"name": "refused", "statements": ["x"], "expectedException": {"message": "no"}})
    (tmp_path / "plus.json").write_text(json.dumps({"tests": tests}), "utf-8")
    assert cli("import", "ksqldb-tests", str(tmp_path / "plus.json"), str(tmp_path / "p")).code == 0
    assert sorted(p.name for p in (tmp_path / "p").iterdir()) == ["plus_one_format", "plus_two"]
    for project in (tmp_path / "p").iterdir():
        assert cli("build", "--project-dir", str(project)).code == 0


def test_a_program_that_does_not_compile_and_a_test_that_is_no_case_are_told(cli: Cli, tmp_path: Path) -> None:
    """The first by the compiler's code, the second by LSQ534; the rest is imported."""
    _test(tmp_path / "given/bad", statements=STATEMENTS.replace("MAX(", "MOST_OF("))
    _test(tmp_path / "given/good", inputs=[{"topic": "readings", "key": 1, "value": "north,5"}])
    ran = cli("import", "ksqldb-tests", str(tmp_path / "given"), str(tmp_path / "p"))
    assert ran.code == 1
    assert "error[LSQ206]: unknown function 'MOST_OF'" in ran.err
    assert "error[LSQ534]: the test 'good' cannot be a case: the line 'north,5' has 2 values" in ran.err


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("input.json", "[]", "LSQ533"),
        ("input.json", '{"inputs": [{"key": 1}]}', "LSQ533"),
        ("output.json", '{"outputs": [{"topic": "t", "timestamp": "now"}]}', "LSQ533"),
        ("output.json", "{", "LSQ533"),
        ("output.json", None, "LSQ001"),
        ("other.json", "{}", "LSQ533"),
        ("other.json", '{"tests": [{"statements": [1]}]}', "LSQ533"),
    ],
)
def test_bad_files_end_in_one_error(cli: Cli, tmp_path: Path, name: str, content: str | None, code: str) -> None:
    """Nothing is written."""
    _test(tmp_path / "given/a")
    path = tmp_path / "given/a" / name
    path.write_text(content, "utf-8") if content is not None else path.unlink()
    ran = cli("import", "ksqldb-tests", str(tmp_path / "given"), str(tmp_path / "p"))
    assert (ran.code != 0, ran.err.count("error["), f"error[{code}]" in ran.err) == (True, 1, True)
    assert not (tmp_path / "p").exists()


def test_a_folder_without_tests_is_told(cli: Cli, tmp_path: Path) -> None:
    """LSQ533, with what a test consists of."""
    assert "the folder has no test" in cli("import", "ksqldb-tests", str(tmp_path), str(tmp_path / "p")).err
