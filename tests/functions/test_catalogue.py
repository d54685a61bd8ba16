# ruff: noqa: E501  tables of values read better in long rows
"""What the declarations say: names, kinds, types of results, refusals, and the matrix for the documentation."""

from __future__ import annotations

import string

import duckdb
import pytest

from lsqlc.functions.calls import call, nullable, python_forms, register
from lsqlc.functions.catalogue import aggregate, aggregates, functions, names, refused, scalar
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.kinds import KINDS, accepts, literal_fault
from lsqlc.functions.matrix import matrix, signature
from lsqlc.functions.signature import Aggregate, Function, Nulls
from lsqlc.types.data import BIGINT, DOUBLE, INT, NULL, STRING, TIMESTAMP, Array, DataType, Decimal
from lsqlc.types.ddl import parse_type


def test_names_and_aliases_are_found_in_any_case() -> None:
    """A function answers to its name and its aliases, however they are written."""
    assert scalar("concatenate") is scalar("CONCAT") is scalar("Concat")
    assert scalar("Len") is scalar("LENGTH")
    assert aggregate("maxk") is aggregate("MAXK")
    assert scalar("NO_SUCH") is None
    assert aggregate("UPPER") is None
    assert scalar("UPPER", "no such dialect") is None


def test_no_name_means_two_things() -> None:
    """Names and aliases are unique over scalar and aggregate functions, and none of them is refused."""
    every = [n for f in functions() for n in (f.name, *f.aliases)] + [a.name for a in aggregates()]
    assert len(every) == len(set(every))
    assert sorted(every) == list(names())
    assert all(refused(name) is None for name in every)


def test_refused_names_say_why() -> None:
    """A function of SQL Studio is refused with the reason, in any case."""
    reason = refused("TypeOf")
    assert reason is not None and "Studio" in reason
    assert "MAXK" in (refused("TOPK") or "")
    assert refused("UPPER") is None


def test_declarations_are_well_formed() -> None:
    """Every parameter's kind is known, optional parameters come last, and every scalar has its forms and a line of text."""
    everything: list[Function | Aggregate] = [*functions(), *aggregates()]
    for declared in everything:
        assert all(p.accepts in KINDS for p in declared.parameters), declared.name
        optional = [p.optional for p in declared.parameters]
        assert optional == sorted(optional), declared.name
        assert declared.doc and not declared.doc.endswith("."), declared.name
        assert declared.most is None or declared.least <= declared.most
    for function in functions():
        for form in (function.duckdb, function.spark):
            if isinstance(form, str):
                fields = {name for _, name, _, _ in string.Formatter().parse(form) if name is not None}
                expected = {str(i) for i in range(len(function.parameters))} | ({"now"} if function.clock else set())
                assert fields == expected, function.name


def test_kinds_judge_types() -> None:
    """A kind admits its types and NULL, and no other."""
    assert accepts("integer", INT) and accepts("integer", BIGINT) and accepts("integer", NULL)
    assert not accepts("integer", DOUBLE)
    assert not accepts("string", INT)
    assert accepts("number", Decimal(5, 2))
    assert accepts("nested array", parse_type("ARRAY<ARRAY<INT>>"))
    assert not accepts("nested array", parse_type("ARRAY<INT>"))


def test_a_broken_pattern_is_told() -> None:
    """A literal that is no regular expression has a fault that an error can show."""
    assert "regular expression" in (literal_fault("regex", "(a") or "")
    assert literal_fault("regex", "(a)") is None
    assert literal_fault("string", "(a") is None


@pytest.mark.parametrize(
    ("name", "types", "literals", "expected"),
    [
        ("COUNT", (), (), "BIGINT"), ("SUM", ("INT",), (), "BIGINT"), ("SUM", ("BIGINT",), (), "BIGINT"), ("SUM", ("FLOAT",), (), "DOUBLE"),
        ("SUM", ("DECIMAL(10,2)",), (), "DECIMAL(20,2)"), ("SUM", ("DECIMAL(35,2)",), (), "DECIMAL(38,2)"), ("AVG", ("DECIMAL(10,2)",), (), "DOUBLE"),
        ("MAXK", ("INT", "INT"), (None, 1), "INT"), ("MAXK", ("INT", "INT"), (None, 2), "ARRAY<INT>"), ("MINK_UNIQUE", ("DOUBLE", "INT"), (None, 3), "ARRAY<DOUBLE>"),
        ("COLLECT", ("STRING", "INT"), (None, 1), "ARRAY<STRING>"), ("LAST", ("STRING",), (None,), "STRING"),
    ],
)  # fmt: skip
def test_types_of_aggregates(name: str, types: tuple[str, ...], literals: tuple[object, ...], expected: str) -> None:
    """The type of an aggregate follows from its argument and, for MAXK and the like, from N."""
    found = aggregate(name)
    assert found is not None
    assert found.result([parse_type(t) for t in types], literals) == parse_type(expected)


@pytest.mark.parametrize("limit", [0, -1, None, "2"])
def test_a_limit_below_one_is_no_limit(limit: object) -> None:
    """N is a whole number from 1; any other literal gives no type, so the call is refused."""
    for name in ("MAXK", "COLLECT"):
        found = aggregate(name)
        assert found is not None and found.result([INT, INT], (None, limit)) is None


def test_only_linear_aggregates_are_allowed_on_a_table() -> None:
    """A TABLE allows COUNT, SUM, AVG and COLLECT; the others say why not and name the STREAM alternative."""
    assert {a.name for a in aggregates() if a.on_table} == {"COUNT", "SUM", "AVG", "COLLECT"}
    for declared in aggregates():
        assert declared.on_table or "SELECT STREAM" in declared.why_not
    count = aggregate("COUNT")
    assert count is not None and count.nulls is Nulls.NEVER and count.least == 0


def test_arguments_that_do_not_agree_have_no_type() -> None:
    """COALESCE and its like refuse arguments without a common type; nothing is converted from or to a string."""
    for name in ("COALESCE", "MAX"):
        found = scalar(name)
        assert found is not None and found.result([INT, STRING], (None, None)) is None
    found = scalar("IN_ARRAY")
    assert found is not None and found.result([STRING, parse_type("ARRAY<INT>")], (None, None)) is None


def test_now_is_what_the_caller_says(connection: duckdb.DuckDBPyConnection) -> None:
    """A clock function is the time that the caller gives, as SQL text."""
    now, yesterday = scalar("now"), scalar("yesterday")
    assert now is not None and yesterday is not None and now.clock and yesterday.clock
    assert call("spark", now, [], [], "current_timestamp()") == "current_timestamp()"
    text = call("duckdb", yesterday, [], [], "timestamp '2013-01-02 05:00:00'")
    found = connection.execute(f"select cast({text} as varchar)").fetchone()
    assert found == ("2013-01-01 05:00:00",)
    assert now.result([], []) == TIMESTAMP


@pytest.mark.parametrize(
    ("name", "types", "arguments", "expected"),
    [
        ("UPPER", [STRING], [False], False), ("UPPER", [STRING], [True], True), ("COALESCE", [INT, INT], [True, False], False), ("COALESCE", [INT, INT], [True, True], True),
        ("ISNULL", [INT], [True], False), ("ABS", [INT], [False], True), ("TAKELEFT", [STRING, INT], [False, False], False), ("TAKELEFT", [STRING, BIGINT], [False, False], True),
        ("NOW", [], [], False),
    ],
)  # fmt: skip
def test_when_a_call_may_be_null(name: str, types: list[DataType], arguments: list[bool], expected: bool) -> None:
    """Nullability follows from the declaration, the arguments, and a conversion that can fail."""
    function = scalar(name)
    assert function is not None and nullable(function, types, arguments) is expected


def test_literal_null_is_an_argument(connection: duckdb.DuckDBPyConnection) -> None:
    """NULL as an argument takes the parameter's type and makes the result null."""
    for name, count in (
        ("UPPER", 1),
        ("SUBSTRING", 3),
        ("SQRT", 1),
        ("YEAR", 1),
        ("ABS", 1),
        ("CEIL", 1),
        ("ROUND", 1),
        ("MOD", 2),
        ("COALESCE", 2),
        ("SIZEOF", 1),
    ):
        function = scalar(name)
        assert function is not None
        text = call("duckdb", function, ["NULL"] * count, [NULL] * count)
        assert connection.execute(f"select {text}").fetchone() == (None,), name


def test_python_forms_are_named_once() -> None:
    """What DuckDB has to register has unique names, and a registration works without external access."""
    forms = python_forms(functions())
    assert len({f.name for f in forms}) == len(forms)
    few = python_forms([f for f in functions() if f.name == "REVERSE"])
    assert "lsqlc_reverse" in {f.name for f in few}
    assert "lsqlc_upper" not in {f.name for f in few}
    with duckdb.connect(":memory:", config={"enable_external_access": False}) as fresh:
        register(fresh, few)
        assert fresh.execute("select lsqlc_reverse('a😀'), lsqlc_reverse(NULL)").fetchone() == ("😀a", None)


def test_types_of_the_engines() -> None:
    """Types are written as each engine names them, names with special characters quoted."""
    nested = parse_type("STRUCT<`a-b`: ARRAY<BIGINT>, m: MAP<STRING, BYTES>>")
    assert type_text("duckdb", nested) == 'STRUCT("a-b" BIGINT[], "m" MAP(VARCHAR, BLOB))'
    assert type_text("spark", nested) == "STRUCT<`a-b`: ARRAY<BIGINT>, `m`: MAP<STRING, BINARY>>"


def test_the_matrix_lists_everything() -> None:
    """The documentation's matrix has a row for every function and aggregate."""
    text = matrix()
    everything: list[Function | Aggregate] = [*functions(), *aggregates()]
    for declared in everything:
        assert f"| `{signature(declared)}` |" in text
    assert "| `SUBSTRING(text, start[, end])` | `SUBSTR` |" in text
    assert "| `COALESCE(value, ...)` |" in text
    assert "| `MAXK(value, n)` | yes | no |" in text


def test_a_form_is_not_written_without_the_value_of_its_literal() -> None:
    """It never reads the value back from the text."""
    function = scalar("zip")
    assert function is not None
    arguments = ["a", "'x'", "b", "'y'"]
    types: list[DataType] = [Array(INT), STRING, Array(INT), STRING]
    text = call("duckdb", function, arguments, types, values=[None, "p", None, "q"])
    assert 'STRUCT("p" INTEGER, "q" INTEGER)[]' in text
    with pytest.raises(AssertionError, match="ZIP lacks the value of"):
        call("duckdb", function, arguments, types)
