"""DEFINE, UNDEFINE and `${name}` in programs of ksqlDB."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc import CompileError
from lsqlc.diagnostics.source import SourceText
from lsqlc.dialects import dialect
from lsqlc.syntax.ksql import variables
from lsqlc.syntax.ksql.variables import MAX_EXPANDED, expanded, used
from lsqlc.syntax.tokens import tokenize

PROGRAM = """define env = 'prod';
DEFINE least = '3';
DEFINE topic = 'orders_${env}';
CREATE STREAM orders (id INT KEY, item STRING, amount INT)
  WITH (KAFKA_TOPIC = '${topic}', VALUE_FORMAT = 'JSON', PARTITIONS = ${least});
UNDEFINE topic;
CREATE STREAM big_${ENV} AS SELECT id, item, amount, '${env} 1' AS env FROM orders WHERE amount >= ${least};
"""


def test_a_variable_is_read_as_its_value() -> None:
    """As a word, as a part of one, as a number, in a text, and in another variable; in any case of letters."""
    plan = lsqlc.compile(PROGRAM, dialect="ksql")
    assert [(t.name, t.partitions) for t in plan.inputs] == [("orders_prod", 3)]
    records = [lsqlc.Record("orders_prod", 1, {"ITEM": "pen", "AMOUNT": n}) for n in (2, 3)]
    out = lsqlc.evaluate(plan, records)["BIG_PROD"]
    assert [r.value for r in out] == [{"ITEM": "pen", "AMOUNT": 3, "ENV": "prod 1"}]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("CREATE STREAM o AS SELECT * FROM ${nam};", (1, 34)),
        ("DEFINE a = 'x'; UNDEFINE A; CREATE STREAM o AS SELECT '${a}' AS a FROM b;", (1, 55)),
        ("DEFINE a = '${b}';", (1, 12)),
    ],
)
def test_a_variable_without_a_value_is_told_once_at_its_place(text: str, place: tuple[int, int]) -> None:
    """LSQ392, and nothing else about the statement."""
    with pytest.raises(CompileError) as refused:
        lsqlc.compile(text, dialect="ksql")
    assert [(d.code, d.line, d.column) for d in refused.value.diagnostics] == [("LSQ392", *place)]


@pytest.mark.parametrize(
    "text", ["DEFINE a;", "DEFINE = 'x';", "UNDEFINE;", "DEFINE a = 3;", "DEFINE a = 'b' c;", "UNDEFINE a b;"]
)
def test_a_wrong_form_is_told(text: str) -> None:
    """LSQ102, as for any statement."""
    assert [d.code for d in dialect("ksql").parse(text, "m.sql").diagnostics] == ["LSQ102"]


def test_a_value_that_is_no_sql_is_told_where_the_variable_stands() -> None:
    """The value itself is not in the statement."""
    text = "DEFINE a = '''x';\nCREATE STREAM ${a} AS SELECT 1 FROM b;"
    first = dialect("ksql").parse(text, "m.sql").diagnostics[0]
    assert (first.code, first.line, first.column) == ("LSQ101", 2, 15)


def test_a_program_with_variables_is_formatted_with_them() -> None:
    """Not with their values; a definition with another value is another program."""
    format = dialect("ksql").formatting
    program = dialect("ksql").parse(PROGRAM, "m.sql").program
    assert program is not None
    assert isinstance(text := format.text(program, None), str)
    assert "CREATE STREAM big_${ENV} AS" in text
    assert "amount >= ${least};" in text
    assert format.is_same(program, text)
    assert not format.is_same(program, text.replace("DEFINE topic = 'orders_${env}'", "DEFINE topic = 'x'"))


def test_the_variables_of_a_text() -> None:
    """Each once, as it is written first; what only looks like one is none."""
    assert used("${a}, '${B}' $c {d} ${A} ${1}") == ("a", "B")


DOUBLED = "DEFINE a0 = 'x';\n" + "".join(f"DEFINE a{n + 1} = '${{a{n}}}${{a{n}}}';\n" for n in range(32))
REPEATED = f"DEFINE a = '{'x' * 1_000}';\nCREATE STREAM o AS SELECT {', '.join(['${a}'] * 2_000)} FROM b;"


@pytest.mark.parametrize(("text", "line"), [(DOUBLED, 20), (REPEATED, 2)])
def test_values_of_variables_have_a_limit(text: str, line: int) -> None:
    """Neither values that contain each other nor many uses of one take memory: LSQ393, once, at the first beyond."""
    source = SourceText("m.sql", text)
    read = expanded(source, tokenize(source, "ksql")[0])
    assert [(d.code, d.line) for d in read.faults] == [("LSQ393", line)]
    values = sum(len(d.value.text) for d in read.definitions if d.value)
    assert values + sum(len(t.text) for t in read.tokens) < 3 * MAX_EXPANDED


def test_the_limit_of_values_is_inclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program may use all of it."""
    text = "DEFINE a = 'xxxxx';\nCREATE STREAM o AS SELECT '${a}' AS x, '${a}' AS y FROM b;"
    for limit, codes in ((10, []), (9, ["LSQ393"])):
        monkeypatch.setattr(variables, "MAX_EXPANDED", limit)
        assert [d.code for d in dialect("ksql").parse(text, "m.sql").diagnostics] == codes
