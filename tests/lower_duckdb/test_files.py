"""Folders of files on DuckDB: columns by name in every file, what stands in the path, what is read, what is bad."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import Session
from lsqlc.lower.duckdb.files import load
from lsqlc.plan import Plan, compile_program
from lsqlc.project.config import Defaults
from lsqlc.project.declarations import read_declarations
from lsqlc.syntax.lenses import parse
from lsqlc.types.record import Outcome, Record


def plan_of(program: str, declared: str) -> Plan:
    """The plan of a program over one topic `t`; `declared`: the rest of its declaration."""
    found = read_declarations(f"topics:\n  - name: t\n    connector: files\n{declared}", "t.yml", Defaults())
    assert not found.diagnostics, found.diagnostics
    parsed = parse(program, "<text>")
    assert parsed.program is not None, parsed.diagnostics
    compiled = compile_program(parsed.program, {d.topic.name: d.topic for d in found.topics}, name="out")
    assert compiled.plan is not None, compiled.diagnostics
    return compiled.plan


def write(root: Path, files: dict[str, str], *, first: int = 1_000_000) -> None:
    """Files in order of their modification times, a second apart."""
    for number, (name, content) in enumerate(files.items()):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
        os.utime(path, (first + number, first + number))


def evaluate(plan: Plan, root: Path) -> Outcome:
    return Session().evaluate_logs(plan, {}, root=root)


def values(plan: Plan, root: Path) -> list[object]:
    return [r.value for r in evaluate(plan, root).topics["out"]]


CSV = "    files: {path: data, format: csv}\n    value: a INT, b STRING\n"
STRICT = "    files: {path: data, format: csv, strict: true}\n    value: a INT, b STRING\n"


def test_cells_are_those_of_rfc_4180(tmp_path: Path) -> None:
    """A doubled quote is a quote, a line break may be quoted, an empty cell is null and a quoted one is a text."""
    write(tmp_path, {"data/x.csv": 'a,b\n1,"x ""y"", z"\n2,"two\nlines"\n,""\n3,\n'})
    assert values(plan_of("SELECT STREAM * FROM t", CSV), tmp_path) == [
        {"a": 1, "b": 'x "y", z'},
        {"a": 2, "b": "two\nlines"},
        {"a": None, "b": ""},
        {"a": 3, "b": None},
    ]


def test_columns_are_found_by_name_in_every_file(tmp_path: Path) -> None:
    """Files with columns in another order, another case, one more and one less give the same columns."""
    write(tmp_path, {"data/1.csv": "a,b\n1,x\n", "data/2.csv": "c,B,A\n9,y,2\n", "data/3.csv": "b\nz\n"})
    found = values(plan_of("SELECT STREAM * FROM t", STRICT), tmp_path)
    assert found == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": None, "b": "z"}]


def test_a_name_is_spelled_as_the_query_does(tmp_path: Path) -> None:
    """Names match letter case aside, and the result has the spelling of the SELECT."""
    write(tmp_path, {"data/1.csv": "a,b\n1,x\n"})
    assert values(plan_of("SELECT STREAM A, t.B FROM t", CSV), tmp_path) == [{"A": 1, "B": "x"}]


def test_the_path_gives_columns_that_no_wildcard_has(tmp_path: Path) -> None:
    """fqn, filepath, filename, suffix and dirN are told from the source's root; a level that a file lacks is null."""
    write(tmp_path, {"data/2013/05/x.csv": "a,b\n1,x\n"})
    program = "SELECT STREAM fqn, filepath, filename, suffix, dir0, DIR1, dir7 FROM t"
    assert values(plan_of(program, CSV), tmp_path) == [
        {
            "fqn": "2013/05/x.csv",
            "filepath": "2013/05",
            "filename": "x.csv",
            "suffix": "csv",
            "dir0": "2013",
            "DIR1": "05",
            "dir7": None,
        }
    ]


def test_partitions_stand_at_the_end_of_a_wildcard_where_asked(tmp_path: Path) -> None:
    """`partitions_in_wildcard: 1` adds dir0 behind the columns of the files."""
    write(tmp_path, {"data/2013/x.csv": "a,b\n1,x\n"})
    plan = plan_of("SELECT STREAM * FROM t", CSV.replace("csv}", "csv, partitions_in_wildcard: 1}"))
    assert values(plan, tmp_path) == [{"a": 1, "b": "x", "dir0": "2013"}]


def test_a_filter_on_the_path_leaves_files_unread(tmp_path: Path) -> None:
    """A file that the filter leaves out may as well be broken."""
    write(tmp_path, {"data/2012/x.csv": "a,b\nno,x\n", "data/2013/x.csv": "a,b\n1,x\n"})
    plan = plan_of("SELECT STREAM a FROM t WHERE dir0 = '2013' AND a > 0", CSV)
    assert values(plan, tmp_path) == [{"a": 1}]
    assert 'reads files with dir0 = "2013" alone' in plan.tree()


def test_only_what_is_read_is_checked(tmp_path: Path) -> None:
    """A cell that is no value of its column is no matter to a query that does not ask for it."""
    write(tmp_path, {"data/x.csv": "a,b\nno,x\n"})
    assert values(plan_of("SELECT STREAM b FROM t", CSV), tmp_path) == [{"b": "x"}]
    with pytest.raises(LsqlcError) as refused:
        evaluate(plan_of("SELECT STREAM a FROM t", CSV), tmp_path)
    (found,) = refused.value.diagnostics
    assert (found.code, found.span and (found.span.path, found.span.line)) == ("LSQ440", ("data/x.csv", 2))
    assert "a: expected INT" in found.message


def test_a_bad_row_is_named_with_its_line(tmp_path: Path) -> None:
    """Rows of the wrong width and cells of the wrong type, behind one that takes two lines; all are told."""
    write(tmp_path, {"data/x.csv": 'a,b\n1,"x\ny"\nno,z\n2,z,3\n3,z\n'})
    with pytest.raises(LsqlcError) as refused:
        evaluate(plan_of("SELECT STREAM * FROM t", STRICT), tmp_path)
    assert {d.line for d in refused.value.diagnostics} == {4, 5}


def test_bad_rows_are_passed_over_and_counted(tmp_path: Path) -> None:
    """With `continue` what is good goes on; with `dlq` a letter names the file, the reason and the row."""
    write(tmp_path, {"data/x.csv": "a,b\n1,x\nno,y\n2,z,3\n"})
    outcome = evaluate(plan_of("SET error.policy = 'continue'; SELECT STREAM a FROM t", STRICT), tmp_path)
    assert [r.value for r in outcome.topics["out"]] == [{"a": 1}]
    assert outcome.counts["bad record"] == 2
    kept = "SET error.policy = 'dlq'; SET dead.letter.queue = 'bad'; SELECT STREAM a FROM t"
    letters: tuple[Record, ...] = evaluate(plan_of(kept, STRICT), tmp_path).topics["bad"]
    assert {(r.value["reason"], r.value["record"]) for r in letters} == {
        ("data/x.csv: a: expected INT", '["no"]'),
        ("data/x.csv: the row has another number of cells than the header", "2,z,3"),
    }


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    """A Parquet file that is cut off fails the query by its name, or is passed over and counted."""
    write(tmp_path, {"data/1.parquet": "", "data/2.parquet": ""})
    duckdb.sql(f"COPY (SELECT 1 AS a) TO '{tmp_path}/data/1.parquet'")
    (tmp_path / "data/2.parquet").write_bytes((tmp_path / "data/1.parquet").read_bytes()[:-20])
    declared = "    files: {path: data, format: parquet}\n    value: a INT\n"
    with pytest.raises(LsqlcError) as refused:
        evaluate(plan_of("SELECT STREAM a FROM t", declared), tmp_path)
    assert [(d.code, d.span and d.span.path) for d in refused.value.diagnostics] == [("LSQ441", "data/2.parquet")]
    outcome = evaluate(plan_of("SET error.policy = 'continue'; SELECT STREAM a FROM t", declared), tmp_path)
    assert ([r.value for r in outcome.topics["out"]], outcome.counts["bad record"]) == ([{"a": 1}], 1)


def test_a_column_of_another_type_makes_a_parquet_file_bad(tmp_path: Path) -> None:
    """The message has both types."""
    write(tmp_path, {"data/1.parquet": ""})
    duckdb.sql(f"COPY (SELECT 'x' AS a) TO '{tmp_path}/data/1.parquet'")
    with pytest.raises(LsqlcError, match="'a' is declared INT, and is STRING in the file"):
        evaluate(
            plan_of("SELECT STREAM a FROM t", "    files: {path: data, format: parquet}\n    value: a INT\n"), tmp_path
        )


def test_members_of_a_parquet_struct_are_found_by_name(tmp_path: Path) -> None:
    """A nested column may have its members in another order, or lack one."""
    write(tmp_path, {"data/1.parquet": "", "data/2.parquet": ""})
    duckdb.sql(f"COPY (SELECT {{'p': 1, 'q': 'x'}} AS s) TO '{tmp_path}/data/1.parquet'")
    duckdb.sql(f"COPY (SELECT {{'q': 'y'}} AS S) TO '{tmp_path}/data/2.parquet'")
    declared = "    files: {path: data, format: parquet}\n    value: 's STRUCT<p: INT, q: STRING>'\n"
    found = values(plan_of("SELECT STREAM s FROM t", declared), tmp_path)
    assert sorted(map(str, found)) == ["{'s': {'p': 1, 'q': 'x'}}", "{'s': {'p': None, 'q': 'y'}}"]


def test_a_missing_column_has_its_default(tmp_path: Path) -> None:
    """A default stands for a column that a file lacks and for an empty cell, and makes the column NOT NULL."""
    declared = "    files: {path: data, format: csv, defaults: {a: 7}}\n    value: a INT, b STRING\n"
    write(tmp_path, {"data/1.csv": "b\nx\n", "data/2.csv": "a,b\n,y\n2,z\n"})
    plan = plan_of("SELECT STREAM * FROM t", declared)
    assert values(plan, tmp_path) == [{"a": 7, "b": "x"}, {"a": 7, "b": "y"}, {"a": 2, "b": "z"}]
    assert "a: INT NOT NULL" in str(plan.outputs[0].value.type)


def test_lines_of_json_are_read_like_records(tmp_path: Path) -> None:
    """Names match letter case aside, what is missing is null, and a line that is no JSON is bad."""
    write(tmp_path, {"data/1.json": '{"a":1,"b":"x"}\n{"A":2,"c":3}\n\nnope\n{"a":"x"}\n'})
    declared = "    files: {path: data, format: json}\n    value: a INT, b STRING\n"
    outcome = evaluate(plan_of("SET error.policy = 'continue'; SELECT STREAM * FROM t", declared), tmp_path)
    assert [r.value for r in outcome.topics["out"]] == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    assert outcome.counts["bad record"] == 2


def test_lines_without_a_header_are_arrays_of_cells(tmp_path: Path) -> None:
    """`columns` is whole or by index; an empty cell is null, a quoted one a text, a stray quote a bad line."""
    write(tmp_path, {"data/1.txt": '1,"a ""b""",\n"",x\n'})
    declared = "    files: {path: data, format: csv, header: false}\n"
    assert values(plan_of("SELECT STREAM * FROM t", declared), tmp_path) == [
        {"columns": ["1", 'a "b"', None]},
        {"columns": ["", "x"]},
    ]
    assert values(plan_of("SELECT STREAM columns[1] AS c FROM t", declared), tmp_path) == [{"c": 'a "b"'}, {"c": "x"}]
    (tmp_path / "data/1.txt").write_text('"a"b,c\n')
    with pytest.raises(LsqlcError, match="a quote is not closed"):
        evaluate(plan_of("SELECT STREAM columns FROM t", declared), tmp_path)


def test_a_table_has_the_last_of_the_newest_file(tmp_path: Path) -> None:
    """A newer file goes before a higher `order_by`, and in one file that decides, wherever the row stands."""
    declared = "    key: k\n    files: {path: data, format: csv, order_by: at}\n    value: k STRING, at INT, v INT\n"
    write(tmp_path, {"data/1.csv": "k,at,v\nx,9,1\ny,1,1\n", "data/2.csv": "k,at,v\nx,5,3\nx,2,2\n"})
    rows = evaluate(plan_of("SELECT TABLE v FROM t", declared), tmp_path).topics["out"]
    assert [(r.key, r.value) for r in rows] == [("x", {"v": 3}), ("y", {"v": 1})]


def test_a_count_reads_no_column(tmp_path: Path) -> None:
    """The plan says so, and DuckDB's own plan of the read has none."""
    write(tmp_path, {"data/1.parquet": ""})
    duckdb.sql(f"COPY (SELECT i AS a, 'x' AS b FROM range(5) t(i)) TO '{tmp_path}/data/1.parquet'")
    declared = "    files: {path: data, format: parquet}\n    value: a LONG, b STRING\n"
    plan = plan_of("SELECT STREAM COUNT(*) AS n FROM t GROUP BY suffix", declared)
    assert "reads no column of parquet 'data', with suffix" in plan.tree()
    assert values(plan, tmp_path) == [{"n": 5}]


@pytest.mark.parametrize(("format", "reader"), [("parquet", "PARQUET"), ("csv", "CSV")])
def test_duckdb_reads_the_columns_that_are_asked_for(tmp_path: Path, format: str, reader: str) -> None:
    """Its profile names one column of the three that the file has."""
    (tmp_path / "data").mkdir()
    duckdb.sql(f"COPY (SELECT 1 AS a, 2 AS b, 3 AS c) TO '{tmp_path}/data/1.{format}'")
    declared = f"    files: {{path: data, format: {format}}}\n    value: a INT, b INT, c INT\n"
    connection = Recording(duckdb.connect())
    load(connection, plan_of("SELECT STREAM b FROM t", declared), tmp_path)  # type: ignore[arg-type]
    (made,) = (text for text in connection.said if text.startswith("CREATE OR REPLACE TEMP TABLE"))
    select = made.partition(" AS\n")[2]
    profile = connection.inner.execute(f"EXPLAIN {select}").fetchall()[0][1]
    scanned = profile[profile.index(f"READ_{reader}") :]
    wanted = "x1" if format == "csv" else " b "
    others = ("x0", "x2") if format == "csv" else (" a ", " c ")
    assert wanted in scanned and not any(other in scanned for other in others)


class Recording:
    """A connection that keeps what it was asked."""

    def __init__(self, inner: duckdb.DuckDBPyConnection) -> None:
        self.inner, self.said = inner, list[str]()

    def execute(self, text: str) -> duckdb.DuckDBPyConnection:
        self.said.append(text)
        return self.inner.execute(text)
