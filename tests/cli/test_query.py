"""`lsqlc query`: the rows of a query over the topics of a target."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli, in_ksql, in_lenses, in_sql


def rows(cli: Cli, text: str, *options: str) -> list[tuple[object, ...]]:
    ran = cli("query", text, "--output", "json", *options)
    assert ran.code == 0, ran.err
    return [tuple(line.values()) for line in ran.lines]


@in_sql
def test_order_and_limit_are_those_of_the_answer(cli: Cli, project: Path) -> None:
    """A model would ignore one of them alone."""
    counted = "SELECT station, count(*) AS n FROM STREAM(rides) WHERE station IS NOT NULL GROUP BY station"
    assert rows(cli, f"{counted} ORDER BY n DESC, station") == [
        ("harbour", 16), ("station", 13), ("museum", 11), ("park", 10), ("market", 7), ("stadium", 3),
    ]  # fmt: skip
    assert rows(cli, f"{counted} ORDER BY count(*), station DESC LIMIT 2") == [("stadium", 3), ("market", 7)]
    assert rows(cli, f"{counted} ORDER BY count(*), station DESC LIMIT 1 OFFSET 1") == [("market", 7)]
    assert rows(cli, f"{counted} ORDER BY max(minutes) DESC LIMIT 1") == [("harbour", 16)]
    assert len(rows(cli, "SELECT bike FROM STREAM(rides) LIMIT 7")) == 7
    assert rows(cli, "SELECT DISTINCT cancelled FROM STREAM(rides) ORDER BY 1 DESC") == [(True,), (False,)]
    either = "SELECT bike FROM rides WHERE bike = 'b1' UNION ALL SELECT bike FROM rides WHERE bike IN ('b2', 'b3')"
    assert rows(cli, f"{either} ORDER BY bike DESC") == [("b3",), ("b2",), ("b1",)]


@in_sql
def test_positions_and_generators(cli: Cli, project: Path) -> None:
    """A position is one of the SELECT list, also below UNION; elements have their names in the result."""
    either = "SELECT bike FROM rides UNION SELECT bike FROM rides"
    assert rows(cli, f"{either} ORDER BY 1 DESC LIMIT 2") == [("b9",), ("b8",)]
    assert rows(cli, "SELECT * FROM (SELECT minutes, bike FROM rides) ORDER BY 1 DESC LIMIT 1") == [(44, "b9")]
    assert rows(cli, "SELECT bike, explode(array(3, 1)) AS x FROM rides ORDER BY x, bike LIMIT 1") == [("b1", 1)]
    assert len(rows(cli, "SELECT bike FROM rides ORDER BY NULL")) == 12
    assert rows(cli, "SELECT * EXCEPT (bike, cancelled) FROM rides ORDER BY 2 DESC, 1 LIMIT 1") == [("station", 44)]
    for text in (
        "SELECT bike FROM rides ORDER BY 2",
        "SELECT * FROM rides ORDER BY 9",
        "SELECT * FROM rides ORDER BY 9 LIMIT 1",
    ):
        assert "error[LSQ462]: the SELECT list has no column" in cli("query", text).err


@in_sql
def test_odd_texts(cli: Cli, project: Path) -> None:
    """A comment behind the semicolon, the name of another model, no text, and bytes that are no text."""
    assert rows(cli, "SELECT max(minutes) FROM rides; -- the end") == [(44,)]
    assert rows(cli, "CREATE MATERIALIZED VIEW arrivals AS SELECT max(minutes) FROM rides ORDER BY 1") == [(44,)]
    assert "error[LSQ882]: the query is empty" in cli("query", "  ").err
    assert "error[LSQ200]" in cli("query", "SELECT * FROM _lsqlc_query").err
    assert "error[LSQ002]" in cli("query", "SELECT \udcff").err


@in_sql
def test_a_policy_for_bad_records(cli: Cli, project: Path) -> None:
    """Bad records go nowhere: the query writes nothing."""
    text = "{{ config(error_policy='dlq', dead_letters='bad') }} SELECT count(*) FROM STREAM(rides)"
    assert rows(cli, text) == [(60,)]


@in_sql
def test_nulls_are_where_the_query_says(cli: Cli, project: Path) -> None:
    when = "CASE WHEN bike <> 'b2' THEN bike END"
    text = f"SELECT {when} AS b FROM rides WHERE bike IN ('b1', 'b2', 'b3') ORDER BY {when}"
    assert rows(cli, text) == [(None,), ("b1",), ("b3",)]
    assert rows(cli, f"{text} DESC") == [("b3",), ("b1",), (None,)]
    assert rows(cli, f"{text} NULLS LAST") == [("b1",), ("b3",), (None,)]
    assert rows(cli, f"{text} DESC NULLS FIRST") == [(None,), ("b3",), ("b1",)]


@in_sql
def test_the_answer_is_what_a_model_computes(cli: Cli, project: Path) -> None:
    """Over a stream every record counts, and over a table only its current rows."""
    assert rows(cli, "SELECT count(*) FROM STREAM(rides)") == [(60,)]
    assert rows(cli, "SELECT count(*) FROM rides") == [(12,)]


@in_sql
def test_templates_and_variables(cli: Cli, project: Path) -> None:
    (project / "macros").mkdir()
    (project / "macros" / "long.sql").write_text("{% macro long() %}minutes > {{ var('least') }}{% endmacro %}")
    assert rows(cli, "SELECT bike FROM {{ source('rides') }} WHERE {{ long() }}", "--vars", "least: 40") == [("b9",)]


@in_sql
def test_formats(cli: Cli, project: Path) -> None:
    text = "SELECT bike, array(minutes, NULL) AS a, '' AS e, CAST(NULL AS STRING) AS z FROM rides WHERE bike = 'b9'"
    assert cli("query", text, "--output", "csv").out == 'bike,a,e,z\nb9,"[44,null]","",\n'
    assert cli("query", text).out.splitlines() == [
        "bike  a          e   z", "────  ─────────  ──  ────", 'b9    [44,null]  ""  null', "(1 row)",
    ]  # fmt: skip
    cut = cli("query", "SELECT bike FROM rides ORDER BY bike", "--limit", "2", "--output", "csv")
    assert (cut.out, cut.err) == ("bike\nb1\nb10\n", "and 10 more rows: see --limit\n")


@in_sql
def test_what_is_wrong_is_shown_in_the_query(cli: Cli, project: Path) -> None:
    ran = cli("query", "SELECT bikes\nFROM rides")
    assert ran.code == 1
    assert "error[LSQ201]: unknown column 'bikes'\n --> <query>:1:8\n" in ran.err
    assert "error[LSQ102]" in cli("query", "SELECT FROM rides").err
    ran = cli("query", "SELECT * FROM {{ ref('nothing') }}")
    assert "error[LSQ022]" in ran.err
    assert ran.err.endswith("help: the models are 'arrivals', 'bikes_at_station', 'rides_by_station'\n")


@in_sql
def test_a_model_with_errors_is_the_reason(cli: Cli, project: Path) -> None:
    """Only where the query reads it."""
    (project / "models" / "broken.sql").write_text("SELECT nothing FROM rides")
    ran = cli("query", "SELECT * FROM broken")
    assert ran.code == 1 and "unknown column 'nothing'" in ran.err and "models/broken.sql" in ran.err
    assert cli("query", "SELECT * FROM rides").code == 0


@in_sql
def test_a_topic_without_records(cli: Cli, project: Path) -> None:
    ran = cli("query", "SELECT * FROM arrivals")
    assert (ran.code, ran.err) == (0, "'arrivals' has no records: `lsqlc run` writes it\n")
    assert ran.out.endswith("(0 rows)\n")


@in_sql
def test_nothing_is_written(cli: Cli, project: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    rows(cli, "SELECT count(*) FROM rides")
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before


@in_ksql
def test_pull_queries_of_ksqldb(cli: Cli, project: Path) -> None:
    """Names are those of streams and tables of all programs. The key need not be in the projection."""
    assert rows(cli, "SELECT minutes FROM rides WHERE bike = 'b9' LIMIT 2;") == [(26,), (39,)]
    assert rows(cli, "SELECT bike FROM rides WHERE minutes > 44;") == [("b11",)]
    assert rows(cli, "SELECT COUNT(*) AS n FROM rides WHERE station = 'park' GROUP BY station;") == [(10,)]
    assert rows(cli, "SELECT * FROM bikes_at_station WHERE station = 'park';") == []


@in_ksql
def test_windows_of_ksqldb(cli: Cli, project: Path) -> None:
    text = "SELECT station, COUNT(*) AS n FROM rides WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY station LIMIT 1;"
    assert cli("query", text, "--output", "csv").out.splitlines() == [
        "STATION,N", "harbour,4",
    ]  # fmt: skip
    text = text.replace("station, COUNT", "WINDOWSTART, WINDOWEND, COUNT")
    assert cli("query", text, "--output", "csv").out.splitlines() == [
        "WINDOWSTART,WINDOWEND,N", "2024-05-01T06:00:00Z,2024-05-01T07:00:00Z,4",
    ]  # fmt: skip


@in_ksql
def test_columns_are_in_the_order_of_the_list(cli: Cli, project: Path) -> None:
    """Keys are not first."""
    text = "SELECT COUNT(*), cancelled AS c, station FROM rides WHERE station = 'park' GROUP BY station, cancelled;"
    assert cli("query", text, "--output", "csv").out.splitlines()[:2] == ["KSQL_COL_0,C,STATION", "10,false,park"]


@in_ksql
def test_a_model_with_errors_is_named(cli: Cli, project: Path) -> None:
    (project / "models" / "broken.sql").write_text("CREATE STREAM broken AS SELECT nothing FROM rides;")
    ran = cli("query", "SELECT * FROM broken;")
    assert "error[LSQ200]: unknown stream or table 'BROKEN'" in ran.err
    assert "note: models with errors: 'broken'" in ran.err


@in_ksql
def test_errors_of_ksqldb(cli: Cli, project: Path) -> None:
    ran = cli("query", "SELECT *\nFROM ride;")
    assert "error[LSQ200]: unknown stream or table 'RIDE'\n --> <query>:2:6\n" in ran.err
    assert "did you mean 'RIDES'?" in ran.err
    assert "error[LSQ201]: unknown column 'X'\n --> <query>:1:8\n" in cli("query", "SELECT x FROM rides;").err
    ran = cli("query", "INSERT INTO rides VALUES ('b1', 'park', 1, false);")
    assert ran.code == 2 and "error[LSQ882]: this is not one query" in ran.err


@in_lenses
def test_the_dialect_of_the_project_or_another_one(cli: Cli, project: Path) -> None:
    assert rows(cli, "SELECT STREAM minutes FROM rides WHERE minutes > 44") == [("b11", 45)]
    assert rows(cli, "SELECT max(minutes) FROM rides", "--dialect", "sql") == [(44,)]
    # A column of the value that is called as one of the key.
    assert cli("query", "SELECT TABLE _key FROM rides", "--output", "csv").out.startswith("_key,_value._key\n")


@in_sql
def test_a_query_from_stdin(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT max(minutes) AS m FROM rides"))
    assert rows(cli, "-") == [(44,)]


EVERY_TYPE = """SELECT bike, minutes, CAST(minutes AS BIGINT) AS l, CAST(minutes AS DOUBLE) / 8 AS d, cancelled,
    CAST(minutes AS DECIMAL(6, 2)) AS m, DATE '2024-05-01' AS day, TIMESTAMP '2024-05-01 06:00:00' AS at,
    array(minutes, NULL) AS a, named_struct('x', bike, 'y', minutes) AS s, map(bike, minutes) AS p,
    encode(bike, 'UTF-8') AS b
    FROM rides ORDER BY bike"""


@in_sql
def test_parquet_and_arrow(cli: Cli, project: Path) -> None:
    """The columns have their types, and the values are those of JSON."""
    import pyarrow
    import pyarrow.parquet

    for output in ("parquet", "arrow"):
        ran = cli("query", EVERY_TYPE, "--output", output, "--out", f"rows.{output}")
        assert (ran.code, ran.out, ran.err) == (0, "", f"12 rows written to 'rows.{output}'\n"), ran.err
    table = pyarrow.parquet.read_table("rows.parquet")
    assert pyarrow.ipc.open_file("rows.arrow").read_all().to_pylist() == table.to_pylist()
    assert [str(field.type) for field in table.schema][:8] == [
        "string", "int32", "int64", "double", "bool", "decimal128(6, 2)", "date32[day]", "timestamp[us, tz=UTC]",
    ]  # fmt: skip
    first = table.to_pylist()[0]
    assert (first["bike"], first["a"][1], first["s"]["x"], first["p"][0][0], first["b"]) == (
        "b1",
        None,
        "b1",
        "b1",
        b"b1",
    )
    assert [(row["minutes"],) for row in table.to_pylist()] == rows(cli, "SELECT minutes FROM rides ORDER BY bike")
    assert [path.name for path in project.glob(".rows*")] == []


@in_sql
def test_bytes_on_stdout(project: Path) -> None:
    """As a stream of Arrow; --limit counts, and without it all rows are there."""
    import subprocess
    import sys

    import pyarrow

    command = (sys.executable, "-m", "lsqlc", "query", "SELECT bike FROM STREAM(rides)", "--output", "arrow")
    assert (
        len(pyarrow.ipc.open_stream(subprocess.run(command, capture_output=True, check=True).stdout).read_all()) == 60
    )
    few = subprocess.run((*command, "-n", "2"), capture_output=True, check=True)
    assert len(pyarrow.ipc.open_stream(few.stdout).read_all()) == 2 and few.stderr == b"and 58 more rows: see --limit\n"


@in_sql
def test_files_of_text(cli: Cli, project: Path) -> None:
    (project / "rows.csv").write_text("before")
    assert cli("query", "SELECT bike FROM STREAM(rides)", "--output", "csv", "--out", "rows.csv", "--quiet").err == ""
    assert len((project / "rows.csv").read_text().splitlines()) == 61
    ran = cli("query", "SELECT bike FROM rides", "--out", "none/rows.txt")
    assert ran.code == 2 and "error[LSQ622]: cannot write 'none/rows.txt': no such file or directory" in ran.err
    ran = cli("query", "SELECT bike FROM rides", "--follow", "--out", "rows.txt")
    assert ran.code == 2 and "add --no-follow" in ran.err


@in_sql
def test_bytes_are_not_for_terminals(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True, raising=False)
    ran = cli("query", "SELECT bike FROM rides", "--output", "parquet")
    assert ran.code == 2 and "error[LSQ621]: parquet is not text" in ran.err
