"""What expressions of ksqlDB are made of, and the columns that a query can name."""

from __future__ import annotations

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from tests.fuzz.expressions import Forms
from tests.fuzz.ksql_sources import KsqlKnown
from tests.fuzz.syntax import Term

_FORMS: dict[DataType, tuple[tuple[str, tuple[DataType, ...]], ...]] = {
    data.INT: (
        ("({} + {})", (data.INT, data.INT)),
        ("({} - {})", (data.INT, data.INT)),
        ("({} * {})", (data.INT, data.INT)),
        ("({} / {})", (data.INT, data.INT)),
        ("({} % {})", (data.INT, data.INT)),
        ("-{}", (data.INT,)),
        ("COALESCE({}, {})", (data.INT, data.INT)),
        ("IFNULL({}, {})", (data.INT, data.INT)),
        ("NULLIF({}, {})", (data.INT, data.INT)),
        ("CASE WHEN {} THEN {} WHEN {} THEN {} ELSE 0 END", (data.BOOLEAN, data.INT, data.BOOLEAN, data.INT)),
        ("CASE {} WHEN 1 THEN {} END", (data.INT, data.INT)),
        ("CAST({} AS INT)", (data.STRING,)),
        ("CAST({} AS INT)", (data.DOUBLE,)),
        ("LEN({})", (data.STRING,)),
        ("ABS({})", (data.INT,)),
        ("SIGN({})", (data.INT,)),
        ("GREATEST({}, {})", (data.INT, data.INT)),
        ("LEAST({}, {})", (data.INT, data.INT)),
        ("ARRAY_LENGTH(ARRAY[{}, {}])", (data.INT, data.INT)),
        ("ARRAY[{}, {}][{}]", (data.INT, data.INT, data.INT)),
        ("MAP('p' := {}, 'q' := {})['p']", (data.INT, data.INT)),
        ("STRUCT(A := {}, B := {})->B", (data.STRING, data.INT)),
        ("REDUCE(ARRAY[{}, {}], {}, (ACC, V) => ACC + V)", (data.INT, data.INT, data.INT)),
        ("TRANSFORM(ARRAY[{}, {}], V => V * {})[1]", (data.INT, data.INT, data.INT)),
        ("ARRAY_LENGTH(FILTER(ARRAY[{}, {}], V => V > {}))", (data.INT, data.INT, data.INT)),
        ("INSTR({}, {})", (data.STRING, data.STRING)),
        ("AS_VALUE({})", (data.INT,)),
    ),
    data.BIGINT: (
        ("CAST({} AS BIGINT)", (data.INT,)),
        ("({} + {})", (data.BIGINT, data.INT)),
        ("({} * {})", (data.BIGINT, data.BIGINT)),
        ("COALESCE({}, {})", (data.BIGINT, data.INT)),
        ("CASE WHEN {} THEN {} END", (data.BOOLEAN, data.BIGINT)),
        ("ROUND({})", (data.DOUBLE,)),
    ),
    data.DOUBLE: (
        ("({} + {})", (data.DOUBLE, data.INT)),
        ("({} / {})", (data.DOUBLE, data.DOUBLE)),
        ("CAST({} AS DOUBLE)", (data.INT,)),
        ("CEIL({})", (data.DOUBLE,)),
        ("FLOOR({})", (data.DOUBLE,)),
        ("COALESCE({}, {})", (data.DOUBLE, data.DOUBLE)),
        ("CASE WHEN {} THEN {} ELSE {} END", (data.BOOLEAN, data.DOUBLE, data.DOUBLE)),
    ),
    data.STRING: (
        ("UCASE({})", (data.STRING,)),
        ("LCASE({})", (data.STRING,)),
        ("TRIM({})", (data.STRING,)),
        ("CONCAT({}, {})", (data.STRING, data.STRING)),
        ("({} + {})", (data.STRING, data.STRING)),
        ("({} || {})", (data.STRING, data.STRING)),
        ("SUBSTRING({}, {})", (data.STRING, data.INT)),
        ("SUBSTRING({}, 1, {})", (data.STRING, data.INT)),
        ("COALESCE({}, {})", (data.STRING, data.STRING)),
        ("CAST({} AS STRING)", (data.INT,)),
        ("CAST({} AS VARCHAR)", (data.BOOLEAN,)),
        ("CASE WHEN {} THEN {} ELSE {} END", (data.BOOLEAN, data.STRING, data.STRING)),
        ("REPLACE({}, 'p', {})", (data.STRING, data.STRING)),
        ("LPAD({}, 3, '?')", (data.STRING,)),
        ("INITCAP({})", (data.STRING,)),
        ("SPLIT({}, 'p')[1]", (data.STRING,)),
    ),
    data.BOOLEAN: (
        ("{} = {}", (data.INT, data.INT)),
        ("{} != {}", (data.INT, data.INT)),
        ("{} < {}", (data.INT, data.INT)),
        ("{} >= {}", (data.INT, data.BIGINT)),
        ("{} > {}", (data.DOUBLE, data.DOUBLE)),
        ("{} = {}", (data.STRING, data.STRING)),
        ("{} <= {}", (data.STRING, data.STRING)),
        ("{} IS NULL", (data.INT,)),
        ("{} IS NOT NULL", (data.STRING,)),
        ("{} IS DISTINCT FROM {}", (data.INT, data.INT)),
        ("{} IN (0, {})", (data.INT, data.INT)),
        ("{} NOT IN ('p', {})", (data.STRING, data.STRING)),
        ("{} LIKE '%p%'", (data.STRING,)),
        ("{} LIKE '!%p' ESCAPE '!'", (data.STRING,)),
        ("{} BETWEEN {} AND {}", (data.INT, data.INT, data.INT)),
        ("({} AND {})", (data.BOOLEAN, data.BOOLEAN)),
        ("({} OR {})", (data.BOOLEAN, data.BOOLEAN)),
        ("NOT ({})", (data.BOOLEAN,)),
        ("ARRAY_CONTAINS(ARRAY[{}, 1], {})", (data.INT, data.INT)),
    ),
}  # fmt: skip
_LITERALS: dict[DataType, tuple[str, ...]] = {
    data.INT: ("0", "1", "2", "3"),
    data.BIGINT: ("3000000000", "CAST(1 AS BIGINT)"),
    data.DOUBLE: ("5E-1", "1E0", "2.25E0"),
    data.STRING: ("'p'", "'q'", "''", "'?'"),
    data.BOOLEAN: ("TRUE", "FALSE"),
}
_TESTS: dict[DataType, tuple[str, ...]] = {
    data.INT: ("{} > 0", "{} <> 1", "{} IS NOT NULL", "{} IS NULL", "COALESCE({}, 1) > 0",
               "NOT ({} = 2)", "{} IN (0, 1)"),
    data.BIGINT: ("{} >= 1", "{} IS NOT NULL", "{} < 3000000000"),
    data.DOUBLE: ("{} < 1E0", "{} IS NOT NULL"),
    data.STRING: ("{} <> 'p'", "{} = 'p'", "{} >= 'p'", "{} IS NOT NULL", "{} IN ('p', 'q')", "{} NOT LIKE 'q%'"),
    data.BOOLEAN: ("{}", "NOT {}", "{} IS NOT NULL"),
}  # fmt: skip
KSQL = Forms(_FORMS, _LITERALS, _TESTS)


def terms(known: KsqlKnown, label: str | None, *, system: bool) -> list[Term]:
    """What a query can name of a source, after its label where there is one: columns, and what stands inside them;
    with `system` also what every record has.
    """
    before = f"{label}." if label else ""
    found = []
    for column in known.columns:
        whole = Term(f"{before}{column.name}", (), column.type)
        found += [whole, *_inside(whole)]
    names = ["ROWTIME"] if known.timed else []
    names += ["WINDOWSTART", "WINDOWEND"] if known.window else ["ROWOFFSET"] if known.declared else []
    if system:
        found += [Term(f"{before}{name}", (), data.BIGINT) for name in names]
        if known.declared and not known.window:
            found.append(Term(f"{before}ROWPARTITION", (), data.INT))
    return found


def _inside(whole: Term) -> list[Term]:
    match whole.type:
        case Struct(fields=fields):
            return [Term(f"{{}}->{f.name}", (whole,), f.type) for f in fields]
        case Array(element=element):
            return [Term(f"{{}}[{place}]", (whole,), element) for place in (1, -1)]
        case Map(value=value):
            return [Term("{}['p']", (whole,), value)]
    return []
