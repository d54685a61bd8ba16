"""Functions of plans that lsqlc itself makes: JSON text of records, offsets in Kafka, casts and patterns of Spark SQL,
and rows of partitions.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.json_values import duckdb_json_of, json_of
from lsqlc.functions.inner import window_rows
from lsqlc.functions.inner.bits import BITS
from lsqlc.functions.inner.casts import CASTS
from lsqlc.functions.inner.day_times import DAY_TIMES
from lsqlc.functions.inner.group_values import GROUP_VALUES
from lsqlc.functions.inner.intervals import INTERVALS
from lsqlc.functions.inner.moments import MOMENTS
from lsqlc.functions.inner.overloads import FUNCTIONS as OVERLOADS
from lsqlc.functions.inner.patterns import PATTERNS
from lsqlc.functions.results import always
from lsqlc.functions.signature import Aggregate, Function, Nulls, Parameter
from lsqlc.types.data import BIGINT, INT, STRING, DataType

JSON, PARTITION, OFFSET = "inner.JSON", "inner.PARTITION", "inner.OFFSET"

# The ordinal of a Kafka record: time, offset and partition ID (see `plan.kafka_order`). In a topic in folders it is a
# number.
_ORDINAL = "'^.[0-9]+, ([0-9]+), ([0-9]+).$'"
_PARTITION = (1 << 32) - 1


def _number(group: int) -> str:
    return f"try_cast(regexp_extract({{0}}, {_ORDINAL}, {group}) AS BIGINT)"


def _spark_json(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return f"coalesce({json_of(texts[0], types[0])}, 'null')"


def _duckdb_json(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return f"coalesce({duckdb_json_of(texts[0], types[0])}, 'null')"


_RECORDS = (
    Function("JSON", (Parameter("value", "any"),), always(STRING), _duckdb_json, _spark_json,
             "a value as the JSON text that the language writes; null is `null`", nulls=Nulls.NEVER),
    Function("PARTITION", (), always(INT), f"CAST({_number(2)} & {_PARTITION} AS INTEGER)",
             f"CAST({_number(2)} & {_PARTITION}L AS INT)",
             "its partition in Kafka; null elsewhere", nulls=Nulls.MAY, of_record=True),
    Function("OFFSET", (), always(BIGINT), _number(1), _number(1),
             "its offset in Kafka; null elsewhere", nulls=Nulls.MAY, of_record=True),
)  # fmt: skip
FAMILIES = {
    "records": _RECORDS, "casts": CASTS, "bits": BITS, "moments": MOMENTS, "intervals": INTERVALS,
    "times of day": DAY_TIMES, "values of groups": GROUP_VALUES,
    "patterns": PATTERNS, "of bytes and arrays": OVERLOADS, "window rows": window_rows.FUNCTIONS,
}  # fmt: skip
AGGREGATES: tuple[Aggregate, ...] = ()
REFUSED: dict[str, str] = {}
