"""Folders of files on DuckDB: columns by name in every file, what stands in the path, what is read, what is bad."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lsqlc.bind.ksql.program import compile_ksql
from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import Session
from lsqlc.lower.duckdb.files import load
from lsqlc.plan import Plan
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.ksql.parser import parse as parse_ksql
from lsqlc.syntax.lenses.parser import parse
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


PARTED = CSV.replace("csv}", "csv, partitions_in_wildcard: 2}")


@pytest.mark.parametrize(
    ("select", "names"),
    [
        ("*, dir0", ["a", "b", "dir1", "dir0"]),
        ("DIR1, *", ["DIR1", "a", "b", "dir0"]),
        ("t.*, t.dir1, suffix", ["a", "b", "dir0", "dir1", "suffix"]),
        ("_value.dir0, *", ["dir0", "a", "b", "dir1"]),
        ("dir0 AS dir0, *", ["dir0", "a", "b", "dir1"]),
        ("dir0 AS year, *", ["year", "a", "b", "dir0", "dir1"]),
        ("dir0 AS _key, *", ["a", "b", "dir0", "dir1"]),
        ("filename, *, dir7", ["filename", "a", "b", "dir0", "dir1", "dir7"]),
    ],
)
def test_a_folder_that_is_named_is_not_in_the_wildcard(tmp_path: Path, select: str, names: list[str]) -> None:
    """It stands where the query names it, and under another name it stands twice; the wildcard keeps its place."""
    write(tmp_path, {"data/2013/05/x.csv": "a,b\n1,x\n"})
    (found,) = values(plan_of(f"SELECT STREAM {select} FROM t", PARTED), tmp_path)
    assert isinstance(found, dict) and list(found) == names
    told = {"dir0": "2013", "DIR1": "05", "dir1": "05", "year": "2013", "dir7": None}
    assert {name: found[name] for name in told if name in found} == {n: v for n, v in told.items() if n in found}


def test_folders_come_by_their_level(tmp_path: Path) -> None:
    """`dir10` comes after `dir9` in a wildcard, in a whole value and in the plan, and a file that lies less deep has
    null from its first missing folder on.
    """
    deep = "/".join(f"f{level}" for level in range(12))
    write(tmp_path, {f"data/{deep}/x.csv": "a,b\n1,x\n", "data/g/y.csv": "a,b\n2,y\n"})
    declared = CSV.replace("csv}", "csv, partitions_in_wildcard: 12}")
    levels = [f"dir{level}" for level in range(12)]
    first, second = values(plan_of("SELECT STREAM * FROM t", declared), tmp_path)
    assert first == {"a": 1, "b": "x", **{name: f"f{level}" for level, name in enumerate(levels)}}
    assert second == {"a": 2, "b": "y", **dict.fromkeys(levels), "dir0": "g"}
    plan = plan_of("SELECT STREAM _value FROM t", declared)
    assert f"with {', '.join(levels)}\n" in plan.tree() + "\n"
    assert values(plan, tmp_path) == [{"_value": first}, {"_value": second}]


def test_a_whole_value_is_what_the_wildcard_is(tmp_path: Path) -> None:
    """It has no column of the path besides, whatever the query names, and `_value` is the name of no column."""
    write(tmp_path, {"data/2013/x.csv": "a,b\n1,x\n"})
    plan = plan_of("SELECT STREAM _value AS v, dir0, filename AS f FROM t", CSV)
    assert values(plan, tmp_path) == [{"v": {"a": 1, "b": "x"}, "dir0": "2013", "f": "x.csv"}]
    assert "reads a INT, b STRING of csv" in plan.tree()


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("SELECT STREAM * FROM t", {"a": 1, "filename": "x", "b": 3, "dir0": "f", "dir1": None}),
        ("SELECT STREAM b, dir0 FROM t", {"b": 3, "dir0": "f"}),
        ("SELECT STREAM a, filename, b FROM t", {"a": 1, "filename": "1.csv", "b": 3}),
    ],
)
def test_cells_without_a_header_are_the_declared_columns(tmp_path: Path, program: str, expected: object) -> None:
    """In their places, whatever of the path a query names, and whatever the wildcard has of it."""
    write(tmp_path, {"data/f/1.csv": "1,x,3\n"})
    options = "path: data, format: csv, header: false, partitions_in_wildcard: 2"
    declared = f"    files: {{{options}}}\n    value: a INT, filename STRING, b INT\n"
    assert values(plan_of(program, declared), tmp_path) == [expected]


def test_a_file_may_have_all_the_names_of_the_path(tmp_path: Path) -> None:
    """A count has some other one to read."""
    write(tmp_path, {"data/1.csv": "fqn,filepath,filename,suffix,dir0\n1,2,3,4,5\n"})
    names = "fqn STRING, filepath STRING, filename STRING, suffix STRING, dir0 STRING"
    declared = f"    files: {{path: data, format: csv}}\n    value: {names}\n"
    (found,) = values(plan_of("SELECT STREAM * FROM t", declared), tmp_path)
    assert found == {"fqn": "1", "filepath": "2", "filename": "3", "suffix": "4", "dir0": "5"}


OF_PATH = (
    "    files: {path: data, format: %s, partitions_in_wildcard: 2, path_columns: {year: DIR0, file: filename}}\n"
    "    value: year STRING, a INT, file STRING NOT NULL\n"
)
FORMATS = {"csv": "a,year\n1,no\n", "json": '{"a":1,"year":7}\n'}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("SELECT STREAM * FROM t", {"year": "2013", "a": 1, "file": "x", "dir1": None}),
        ("SELECT STREAM *, dir0 FROM t", {"year": "2013", "a": 1, "file": "x", "dir1": None, "dir0": "2013"}),
        ("SELECT STREAM Year, filename AS f FROM t WHERE file = 'x'", {"Year": "2013", "f": "x"}),
        ("SELECT STREAM _value FROM t", {"_value": {"year": "2013", "a": 1, "file": "x", "dir1": None}}),
        ("SELECT STREAM COUNT(*) AS n FROM t GROUP BY year", {"n": 1}),
    ],
)
def test_declared_columns_hold_what_the_path_says(tmp_path: Path, format: str, program: str, expected: object) -> None:
    """In their places among the declared ones, and what a file has of their names is not read."""
    write(tmp_path, {"data/2013/x": FORMATS[format]})
    plan = plan_of(program, OF_PATH % format)
    assert values(plan, tmp_path) == [expected]
    assert ("reads no column" if "Year" in program or "COUNT" in program else "reads a INT of") in plan.tree()


def test_a_declared_column_of_the_path_is_of_parquet_too(tmp_path: Path) -> None:
    """Whatever type the file has under its name."""
    (tmp_path / "data/2013").mkdir(parents=True)
    duckdb.sql(f"COPY (SELECT 1::INT AS a, 5 AS YEAR) TO '{tmp_path}/data/2013/x' (FORMAT parquet)")
    found = values(plan_of("SELECT STREAM * FROM t", OF_PATH % "parquet"), tmp_path)
    assert found == [{"year": "2013", "a": 1, "file": "x", "dir1": None}]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("CREATE STREAM m AS SELECT * FROM s EMIT CHANGES;", {"a": 1, "b": "2013"}),
        ("CREATE STREAM m AS SELECT `a` FROM s EMIT CHANGES;", {"a": 1}),
        ("CREATE TABLE m AS SELECT 1 AS k, COUNT(*) AS n FROM s GROUP BY 1 EMIT CHANGES;", {"N": 1}),
    ],
)
@pytest.mark.parametrize(("header", "line"), [("true", "a\n1\n"), ("false", "1\n")])
def test_ksqldb_reads_files(tmp_path: Path, query: str, expected: object, header: str, line: str) -> None:
    """Through a CREATE with the columns of the declaration: cells, what the path says, and a count."""
    write(tmp_path, {"data/2013/x.csv": line})
    options = f"path: data, format: csv, header: {header}, partitions_in_wildcard: 1, path_columns: {{b: dir0}}"
    declared = f"    files: {{{options}}}\n    value: a INT, b STRING\n"
    found = read_declarations(f"topics:\n  - name: t\n    connector: files\n{declared}", "t.yml", Defaults())
    source = "CREATE STREAM s (`a` INT, `b` VARCHAR) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');"
    program = parse_ksql(f"{source} {query}", "<text>").program
    assert program is not None
    compiled = compile_ksql(program, {d.topic.name: d.topic for d in found.topics}, name="out")
    assert compiled.plan is not None, compiled.diagnostics
    assert [r.value for r in evaluate(compiled.plan, tmp_path).topics["M"]] == [expected]


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


def test_numbers_in_lines_of_json_keep_their_digits(tmp_path: Path) -> None:
    """Also where a name has another case; and a number that no DOUBLE has is JSON."""
    rows = '{"A":12345678901234567890.1234567891,"B":1.50}\n{"b":1e400,"c":1e400}\n'
    write(tmp_path, {"data/1.json": f'{rows}{{"A":1,"c":1,"c":2}}\n{{"c":{"[" * 5000}{"]" * 5000}}}\n'})
    declared = "    files: {path: data, format: json}\n    value: 'a DECIMAL(30,10), b STRING'\n"
    outcome = evaluate(plan_of("SET error.policy = 'continue'; SELECT STREAM * FROM t", declared), tmp_path)
    assert [r.value for r in outcome.topics["out"]] == [
        {"a": Decimal("12345678901234567890.1234567891"), "b": "1.50"},
        {"a": None, "b": "1e400"},
    ]
    # A name twice, and too many levels.
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


def test_files_join_whatever_their_keys_are_stored_as(tmp_path: Path) -> None:
    """A key that is made of columns has no format: two of them meet two fields of a topic with a key of text."""
    found = read_declarations(
        "topics:\n"
        "  - {name: t, connector: files, key: [k, at], files: {path: data, format: csv, order_by: v},"
        " value: 'k STRING, at INT, v INT'}\n"
        "  - {name: o, key: STRING, value: 'k STRING, at INT'}\n",
        "t.yml",
        Defaults(),
    )
    text = "WITH w AS (SELECT TABLE v FROM t); INSERT INTO out SELECT STREAM o.k AS k, w.v AS v FROM o"
    parsed = parse(f"{text} INNER JOIN w ON o.k = w._key.k AND o.at = w._key.at", "<text>")
    assert parsed.program is not None
    plan = compile_program(parsed.program, {d.topic.name: d.topic for d in found.topics}, name="out").plan
    assert plan is not None
    write(tmp_path, {"data/1.csv": "k,at,v\nx,1,5\nx,2,6\nx,2,7\n"})
    log = tmp_path / "o.jsonl"
    line = '{"ordinal":0,"timestamp":0,"key":"a","value":{"k":"x","at":2}}\n'
    log.write_text(line + line.replace('"ordinal":0', '"ordinal":1').replace('"at":2', '"at":3'))
    rows = Session().evaluate_logs(plan, {"o": [log]}, root=tmp_path).topics["out"]
    assert [r.value for r in rows] == [{"k": "x", "v": 7}]


def test_a_count_reads_no_column(tmp_path: Path) -> None:
    """The plan says so, and DuckDB's own plan of the read has none."""
    write(tmp_path, {"data/1.parquet": ""})
    duckdb.sql(f"COPY (SELECT i AS a, 'x' AS b FROM range(5) t(i)) TO '{tmp_path}/data/1.parquet'")
    declared = "    files: {path: data, format: parquet}\n    value: a LONG, b STRING\n"
    plan = plan_of("SELECT STREAM COUNT(*) AS n FROM t GROUP BY suffix", declared)
    assert "reads no column of parquet 'data', with suffix" in plan.tree()
    assert values(plan, tmp_path) == [{"n": 5}]


NESTED = "a INT, s STRUCT<p: INT, q: STRING, n: STRUCT<u: INT, v: INT>>, c INT"


def scanned(root: Path, program: str, format: str, value: str) -> list[str]:
    """What DuckDB's own plan says that it reads of the files of `data`."""
    connection = Recording(duckdb.connect())
    plan = plan_of(program, f"    files: {{path: data, format: {format}}}\n    value: '{value}'\n")
    load(connection, plan, root)  # type: ignore[arg-type]
    (made,) = (text for text in connection.said if text.startswith("CREATE OR REPLACE TEMP TABLE"))
    told = connection.inner.execute(f"EXPLAIN (FORMAT json) {made.partition(' AS' + chr(10))[2]}").fetchall()[0][1]
    (read,) = (node for node in _nodes(json.loads(told)) if node["name"].strip() in ("READ_PARQUET", "READ_CSV"))
    projections = read["extra_info"]["Projections"]
    return projections if isinstance(projections, list) else [projections]


def _nodes(given: Any) -> Iterator[Any]:
    for node in given:
        yield node
        yield from _nodes(node["children"])


@pytest.mark.parametrize(
    ("program", "read"),
    [
        ("SELECT STREAM c FROM t", ["c"]),
        ("SELECT STREAM a FROM t WHERE c > 2", ["a", "c"]),
        ("SELECT STREAM s.q AS q FROM t", ["s.q"]),
        ("SELECT STREAM s.n.v AS v, s.p AS p FROM t", ["s.n.v", "s.p"]),
        ("SELECT STREAM s.q AS q FROM t WHERE s IS NOT NULL", ["s"]),
        ("SELECT STREAM COUNT(*) AS n FROM t GROUP BY suffix", []),
    ],
)
def test_duckdb_reads_of_parquet_what_is_asked_for(tmp_path: Path, program: str, read: list[str]) -> None:
    """Its plan names these columns and members of the file, besides its path and the number of the row, and what the
    query gives is what it gives where all is read.
    """
    (tmp_path / "data").mkdir()
    rows = "SELECT 1 AS a, {'p': 2, 'q': 'x', 'n': {'u': 3, 'v': 4}} AS s, 5 AS c UNION ALL SELECT 1, NULL, 5"
    duckdb.sql(f"COPY ({rows}) TO '{tmp_path}/data/1.parquet'")
    found = set(scanned(tmp_path, program, "parquet", NESTED))
    assert found - {"filename", "file_row_number"} == set(read)


@pytest.mark.parametrize(
    ("program", "read"),
    [
        ("SELECT STREAM b FROM t", {"x1"}),
        ("SELECT STREAM c FROM t WHERE a > 0", {"x0", "x2"}),
        ("SELECT STREAM COUNT(*) AS n FROM t GROUP BY suffix", set[str]()),
    ],
)
def test_duckdb_reads_of_csv_what_is_asked_for(tmp_path: Path, program: str, read: set[str]) -> None:
    """Its plan names the columns by their place in the file, besides its path."""
    (tmp_path / "data").mkdir()
    duckdb.sql(f"COPY (SELECT 1 AS a, 2 AS b, 3 AS c) TO '{tmp_path}/data/1.csv'")
    assert set(scanned(tmp_path, program, "csv", "a INT, b INT, c INT")) - {"filename"} == read


def test_members_alone_are_the_same_as_of_the_whole(tmp_path: Path) -> None:
    """Whether or not a struct is null, and whether or not it is asked for as well."""
    (tmp_path / "data").mkdir()
    rows = "SELECT {'p': 2, 'q': 'x', 'n': {'u': 3, 'v': 4}} AS s UNION ALL SELECT NULL"
    duckdb.sql(f"COPY ({rows} UNION ALL SELECT {{'p': 1, 'q': NULL, 'n': NULL}}) TO '{tmp_path}/data/1.parquet'")
    declared = f"    files: {{path: data, format: parquet}}\n    value: '{NESTED}'\n"
    members = values(plan_of("SELECT STREAM s.q AS q, s.n.v AS v FROM t", declared), tmp_path)
    whole = values(plan_of("SELECT STREAM s.q AS q, s.n.v AS v, s FROM t", declared), tmp_path)
    assert members == [{"q": "x", "v": 4}, {"q": None, "v": None}, {"q": None, "v": None}]
    assert [{k: v for k, v in row.items() if k != "s"} for row in whole] == members  # type: ignore[attr-defined]


def test_json_has_the_members_that_are_asked_for(tmp_path: Path) -> None:
    """Lines are parsed whole; what is not asked for is neither looked at nor kept."""
    write(tmp_path, {"data/1.json": '{"a":"no INT","s":{"p":"none","q":"x","n":5},"c":5}\n'})
    declared = f"    files: {{path: data, format: json}}\n    value: '{NESTED}'\n"
    plan = plan_of("SELECT STREAM s.q AS q FROM t", declared)
    assert values(plan, tmp_path) == [{"q": "x"}]
    loaded = load(duckdb.connect(), plan, tmp_path)
    assert '"value":{"s":{"q":"x"}}' in loaded.texts["t"]


class Recording:
    """A connection that keeps what it was asked."""

    def __init__(self, inner: duckdb.DuckDBPyConnection) -> None:
        self.inner, self.said = inner, list[str]()

    def execute(self, text: str) -> duckdb.DuckDBPyConnection:
        self.said.append(text)
        return self.inner.execute(text)
