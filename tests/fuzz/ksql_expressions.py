"""What expressions of ksqlDB are made of, and the columns that a query can name."""

from __future__ import annotations

from lsqlc.types import data
from lsqlc.types.data import Array, Map, Struct
from tests.fuzz.expressions import Parts, forms_of
from tests.fuzz.ksql_sources import KsqlKnown
from tests.fuzz.syntax import Term

_KSQL: Parts = {
    data.INT: (
        ("IFNULL({}, {})", (data.INT, data.INT)),
        ("NULLIF({}, {})", (data.INT, data.INT)),
        ("LEN({})", (data.STRING,)),
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
        ("ROUND({})", (data.DOUBLE,)),
    ),
    data.DOUBLE: (
        ("CEIL({})", (data.DOUBLE,)),
        ("FLOOR({})", (data.DOUBLE,)),
    ),
    data.STRING: (
        ("UCASE({})", (data.STRING,)),
        ("LCASE({})", (data.STRING,)),
        ("({} + {})", (data.STRING, data.STRING)),
        ("({} || {})", (data.STRING, data.STRING)),
        ("SUBSTRING({}, {})", (data.STRING, data.INT)),
        ("SUBSTRING({}, 1, {})", (data.STRING, data.INT)),
        ("CAST({} AS VARCHAR)", (data.BOOLEAN,)),
        ("LPAD({}, 3, '?')", (data.STRING,)),
        ("INITCAP({})", (data.STRING,)),
        ("SPLIT({}, 'p')[1]", (data.STRING,)),
    ),
    data.BOOLEAN: (
        ("{} != {}", (data.INT, data.INT)),
        ("{} IS DISTINCT FROM {}", (data.INT, data.INT)),
        ("{} IN (0, {})", (data.INT, data.INT)),
        ("{} LIKE '!%p' ESCAPE '!'", (data.STRING,)),
        ("ARRAY_CONTAINS(ARRAY[{}, 1], {})", (data.INT, data.INT)),
    ),
}  # fmt: skip
KSQL = forms_of(_KSQL, ("5E-1", "1E0", "2.25E0"))


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
