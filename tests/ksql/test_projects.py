"""`dialect: ksql` in a project: for all models, or for one."""

from __future__ import annotations

from pathlib import Path

import pytest

import lsqlc
from lsqlc import CompileError, Project, Record
from lsqlc.project.build.compile import compile_project
from lsqlc.project.discovery import load_project

KSQL = """CREATE STREAM orders (ID INT KEY, ITEM STRING) WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON');
CREATE TABLE counts WITH (KAFKA_TOPIC = 'counts') AS SELECT item, COUNT(*) AS n FROM orders GROUP BY item;
"""


def _project(root: Path, files: dict[str, str]) -> Project:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Project.load(root)


def test_a_project_may_be_of_one_dialect(tmp_path: Path) -> None:
    """`dialect: ksql` in lsqlc.yml."""
    project = _project(tmp_path, {"lsqlc.yml": "name: shop\ndialect: ksql\n", "models/counts.sql": KSQL})
    plan = project.plan("counts")
    assert [t.name for t in plan.outputs] == ["counts"]
    out = lsqlc.evaluate(plan, [Record("orders", 1, {"ITEM": "pen"})])
    assert [(r.key, r.value) for r in out["counts"]] == [("pen", {"N": 1})]


def test_a_model_may_be_of_another_dialect_than_its_project(tmp_path: Path) -> None:
    """A model in Lenses' language reads what one in ksqlDB's writes, and is built behind it."""
    files = {
        "lsqlc.yml": "name: shop\n",
        "models/counts.sql": '{{ config(dialect="ksql") }}\n' + KSQL,
        "models/often.sql": "SELECT TABLE N AS n FROM counts WHERE N > 1",
    }
    project = _project(tmp_path, files)
    assert list(project.plans) == ["counts", "often"]
    assert [t.name for t in project.plan("often").inputs] == ["counts"]


def test_a_model_of_ksqldb_reads_what_another_model_writes(tmp_path: Path) -> None:
    """It declares the topic, and its columns must be those of the topic."""
    read = """CREATE STREAM big (ITEM STRING KEY, N BIGINT) WITH (KAFKA_TOPIC = 'counts', VALUE_FORMAT = 'JSON');
    CREATE STREAM bigger AS SELECT item, n FROM big WHERE n > 1;"""
    files = {"lsqlc.yml": "name: shop\ndialect: ksql\n", "models/counts.sql": KSQL, "models/big.sql": read}
    assert list(_project(tmp_path, files).plans) == ["counts", "big"]
    (tmp_path / "models/big.sql").write_text(read.replace("N BIGINT", "N INT"), "utf-8")
    try:
        Project.load(tmp_path)
    except CompileError as refused:
        assert [d.code for d in refused.diagnostics] == ["LSQ328"]
    else:
        raise AssertionError("columns that differ from the topic's compiled")


def test_a_program_may_declare_what_it_writes(tmp_path: Path) -> None:
    """Then it reads its own query, and no circle of models comes of it."""
    again = KSQL + (
        "CREATE STREAM changes (ITEM STRING KEY, N BIGINT) WITH (KAFKA_TOPIC = 'counts', VALUE_FORMAT = 'JSON');\n"
        "CREATE STREAM often AS SELECT item, n FROM changes WHERE n > 1;\n"
    )
    project = _project(tmp_path, {"lsqlc.yml": "name: shop\ndialect: ksql\n", "models/counts.sql": again})
    plan = project.plan("counts")
    assert [t.name for t in plan.inputs] == ["orders"]
    out = lsqlc.evaluate(plan, [Record("orders", n, {"ITEM": "pen"}) for n in (1, 2)])
    assert [(r.key, r.value) for r in out["OFTEN"]] == [("pen", {"N": 2})]


def test_an_unknown_dialect_is_told() -> None:
    """By name, with those that exist."""
    try:
        lsqlc.compile("", dialect="mysql")  # type: ignore[arg-type]
    except ValueError as error:
        assert str(error) == "unknown dialect 'mysql'; known are 'lenses', 'ksql', 'sql'"
    else:
        raise AssertionError("an unknown dialect was taken")


def test_a_declared_topic_is_read_in_any_case_where_a_ksqldb_program_reads_it(tmp_path: Path) -> None:
    """So is it shown, and so is what a ksqlDB program writes."""
    files = {
        "lsqlc.yml": "name: shop\n",
        "models/counts.sql": '{{ config(dialect="ksql") }}\n' + KSQL,
        "models/items.sql": "SELECT STREAM * FROM others",
        "models/topics.yml": (
            "topics:\n  - {name: orders, key: INT, value: ITEM STRING}\n  - {name: others, value: ITEM STRING}\n"
        ),
    }
    _project(tmp_path, files)
    project = load_project(tmp_path).project
    assert project is not None
    compilation = compile_project(project)
    assert compilation.ok, compilation.diagnostics
    assert {name for name, topic in compilation.topics.items() if topic.ksql_json} == {"orders", "counts"}
    assert [t.ksql_json for plan in compilation.plans.values() for t in plan.inputs] == [True, False]


@pytest.mark.parametrize("dialect", ["sql", "lenses"])
def test_a_topic_of_a_ksqldb_program_has_its_json_in_every_dialect(tmp_path: Path, dialect: str) -> None:
    """What it declares and what it writes: from the cache of a build too."""
    select = {"sql": "SELECT {} FROM {}", "lenses": "SELECT STREAM {} FROM {}"}[dialect]
    files = {
        "lsqlc.yml": "name: shop\n",
        "models/counts.sql": '{{ config(dialect="ksql") }}\n' + KSQL,
        "models/before.sql": f'{{{{ config(dialect="{dialect}") }}}}\n' + select.format("ITEM", "orders"),
        "models/behind.sql": f'{{{{ config(dialect="{dialect}") }}}}\n' + select.format("N", "counts"),
        "models/topics.yml": "topics:\n  - {name: orders, key: INT, value: ITEM STRING}\n",
    }
    _project(tmp_path, files)
    project = load_project(tmp_path).project
    assert project is not None
    first = compile_project(project)
    readers = {name: plan for name, plan in first.plans.items() if name in ("before", "behind")}
    assert readers.keys() == {"before", "behind"}, first.diagnostics
    assert all(topic.ksql_json for plan in readers.values() for topic in plan.inputs)
    again = compile_project(project, cache=first.entries, plans=False)
    assert {name for name, topic in again.topics.items() if topic.ksql_json} >= {"counts"}


def test_a_topic_is_read_in_the_format_that_its_writer_gives_it(tmp_path: Path) -> None:
    """Of another model, and of the same program."""
    read = """CREATE STREAM big (ITEM STRING KEY, N BIGINT) WITH (KAFKA_TOPIC = 'counts', VALUE_FORMAT = 'AVRO');
    CREATE STREAM bigger AS SELECT item, n FROM big WHERE n > 1;"""
    files = {"lsqlc.yml": "name: shop\ndialect: ksql\n", "models/counts.sql": KSQL, "models/big.sql": read}
    with pytest.raises(CompileError) as refused:
        _project(tmp_path, files)
    found = [(d.code, d.message) for d in refused.value.diagnostics if d.is_error]
    assert found == [("LSQ354", "the topic 'counts' is read as AVRO, and a model writes it as JSON")]
    with pytest.raises(CompileError) as refused:
        lsqlc.compile(KSQL + read, dialect="ksql")
    assert [d.code for d in refused.value.diagnostics if d.is_error] == ["LSQ354"]
