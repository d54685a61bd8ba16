"""The names of the language's types in the SQL of the engines.

A TIMESTAMP is DuckDB's TIMESTAMP without time zone, in UTC. A TIME is a LONG of microseconds on both engines, and an
INTERVAL is a LONG of microseconds or of months.
"""

from __future__ import annotations

from lsqlc.sql.duckdb import quoted
from lsqlc.sql.engines import Engine
from lsqlc.sql.spark import ticked
from lsqlc.types.data import INTERVALS, Array, DataType, Decimal, Map, Primitive, Struct

_DUCKDB = {
    "NULL": "INTEGER", "BOOLEAN": "BOOLEAN", "INT": "INTEGER", "BIGINT": "BIGINT", "FLOAT": "FLOAT", "DOUBLE": "DOUBLE",
    "STRING": "VARCHAR", "BYTES": "BLOB", "DATE": "DATE", "TIME": "BIGINT", "TIMESTAMP": "TIMESTAMP",
    **dict.fromkeys((i.name for i in INTERVALS), "BIGINT"),
}  # fmt: skip
_SPARK = {
    "NULL": "INT", "BOOLEAN": "BOOLEAN", "INT": "INT", "BIGINT": "BIGINT", "FLOAT": "FLOAT", "DOUBLE": "DOUBLE",
    "STRING": "STRING", "BYTES": "BINARY", "DATE": "DATE", "TIME": "BIGINT", "TIMESTAMP": "TIMESTAMP",
    **dict.fromkeys((i.name for i in INTERVALS), "BIGINT"),
}  # fmt: skip


def type_text(engine: Engine, type: DataType) -> str:
    """Return the name of a type in the engine's SQL."""
    match type:
        case Primitive(name):
            return (_DUCKDB if engine == "duckdb" else _SPARK)[name]
        case Decimal(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case Array(element):
            inner = type_text(engine, element)
            return f"{inner}[]" if engine == "duckdb" else f"ARRAY<{inner}>"
        case Map(key, value):
            inner = f"{type_text(engine, key)}, {type_text(engine, value)}"
            return f"MAP({inner})" if engine == "duckdb" else f"MAP<{inner}>"
        case Struct(fields):
            if engine == "duckdb":
                return f"STRUCT({', '.join(f'{quoted(f.name)} {type_text(engine, f.type)}' for f in fields)})"
            return f"STRUCT<{', '.join(f'{ticked(f.name)}: {type_text(engine, f.type)}' for f in fields)}>"
