"""Read the state of a query's operators by Spark's data sources `state-metadata` and `statestore`.

Both read the state after a completed batch, so the query may run. Both run on the server, which must see the
checkpoint; the client need not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.lower.spark.evolution import STATE_FORMAT
from lsqlc.remote.connectors.file_stream import escaped
from lsqlc.remote.run.queries import session_settings
from lsqlc.remote.session.failures import cause, is_lost
from lsqlc.remote.state.columns import named_once, shown_key, shown_value
from lsqlc.types.record import KeptRows

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.types import StructType

# The operator of Spark's stream-stream join. It has stores for the rows of each side, and an index for them.
_JOIN = "symmetricHashJoin"
_SIDES = ("left", "right")
# The maximum of rows in the snapshot of a case.
_SHOWN = 5
_OF_OPERATOR = re.compile(r"/state/(\d+)/\d+/")


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator with state.

    `number`, `name`: those of Spark, which counts from the last operator of a query; `partitions`: of each store;
    `first`, `last`: the batches whose state can be read; `rows`: after the last batch; `bytes`: the size of its files,
    which include earlier batches.
    """

    number: int
    name: str
    partitions: int
    first: int
    last: int
    rows: int
    bytes: int

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides of a join that has a store for each side; empty for other operators."""
        return _SIDES if self.name == _JOIN else ()


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection of an operator's rows.

    `key`: as text or JSON; `where`: a condition in Spark SQL over `key` and `value`; `limit`: the maximum of rows, 0
    for all; `batch`: the state after this batch, None for the last one.
    """

    key: str | None = None
    where: str | None = None
    limit: int = 20
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a state. `key`, `value`: as parsed JSON; `partition`: its number; `side`: of a join, else empty."""

    key: Any
    value: Any
    partition: int
    side: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON-ready data."""
        data = {"key": self.key, "value": self.value, "partition": self.partition}
        return {**data, "side": self.side} if self.side else data


def operators(spark: SparkSession, location: str, version: int) -> tuple[Operator, ...]:
    """Return the operators of a checkpoint with the sizes of their states. All rows are counted.

    `version`: of Spark's format of state files. Raises LsqlcError LSQ676 for state that Spark cannot read.
    """
    try:
        # Spark does not read the version from the checkpoint.
        with session_settings(spark, ((STATE_FORMAT, str(version)),)):
            return tuple(_operators(spark, location))
    except Exception as error:
        raise _refused(error, location) from None


def _operators(spark: SparkSession, location: str) -> Iterator[Operator]:
    metadata = spark.read.format("state-metadata").load(location).collect()
    sizes = _sizes(spark, location)
    by_number = {row["operatorId"]: row for row in metadata}
    for number, row in sorted(by_number.items()):
        name = row["operatorName"]
        counts = [_stored(spark, location, number, side, None).count() for side in _sides(name)]
        size = sizes.get(number, 0)
        yield Operator(number, name, row["numPartitions"], row["minBatchId"], row["maxBatchId"], sum(counts), size)


def rows(spark: SparkSession, location: str, version: int, operator: Operator, selection: Selection) -> tuple[Row, ...]:
    """Return rows of an operator, sorted by their keys. With a limit, they are any rows, and not those of the first
    keys.

    `version`: of Spark's format of state files. Raises LsqlcError: LSQ674 for an invalid key or condition, LSQ675 for a
    batch whose state is not kept, LSQ676 for state that Spark cannot read.
    """
    if selection.batch is not None and not operator.first <= selection.batch <= operator.last:
        raise LsqlcError([_no_batch(operator, selection.batch)])
    result: list[Row] = []
    with session_settings(spark, ((STATE_FORMAT, str(version)),)):
        for side in _sides(operator.name):
            rest = replace(selection, limit=selection.limit - len(result) if selection.limit else 0)
            result += _rows(spark, location, operator, rest, side)
            if selection.limit and len(result) >= selection.limit:
                break
    return tuple(result)


def kept_rows(spark: SparkSession, location: str, query: str, batch: int) -> tuple[KeptRows, ...]:
    """Return the state of each operator of a case's query after a batch. Raises LsqlcError as `operators` does."""
    states = []
    for operator in operators(spark, location, 1):
        all_rows = rows(spark, location, 1, operator, Selection(limit=0, batch=batch))
        texts = tuple(json.dumps(_of_case(row), ensure_ascii=False) for row in all_rows[:_SHOWN])
        states.append(KeptRows(query, operator.number, len(all_rows), texts))
    return tuple(states)


def _of_case(row: Row) -> dict[str, Any]:
    """Return a row without the name of its case, which is in the key, and in the records of a join."""
    key, value = row.key, row.value
    if isinstance(key, dict):
        key = shown_key({name: part for name, part in key.items() if name != ("field0" if row.side else "_case")})
    if isinstance(value, dict):
        value = {name: part for name, part in value.items() if name != "_case"}
    return {"key": key, "value": value}


def _rows(
    spark: SparkSession, location: str, operator: Operator, selection: Selection, side: str
) -> Sequence[Row]:  # fmt: skip
    from pyspark.sql.connect import functions as f

    try:
        stored = _stored(spark, location, operator.number, side, selection.batch)
        schema = stored.schema
        types = {name: named_once(cast("StructType", schema[name].dataType)) for name in ("key", "value")}
        renamed = stored.select(*(_renamed(name, types[name], side).alias(name) for name in types), "partition_id")
        # Spark analyzes columns when they are used, so errors of the key occur here.
        matches = renamed if selection.key is None else renamed.where(_is_key(selection.key, types["key"]))
    except Exception as error:
        raise _refused(error, location) from None
    if selection.where is not None:
        try:
            matches = matches.where(selection.where)
            _ = matches.schema
        except Exception as error:
            raise _unfit(error, selection.where, types) from None
    texts = matches.select(f.to_json(f.struct("key", "value"), {"ignoreNullFields": "false"}), "partition_id")
    try:
        collected = (texts.limit(selection.limit) if selection.limit else texts).collect()
    except Exception as error:
        where = selection.where
        raise (_refused(error, location) if where is None else _unfit(error, where, types)) from None
    parsed = [(json.loads(text), partition) for text, partition in collected]
    parsed.sort(key=lambda each: json.dumps(each[0]["key"], ensure_ascii=False))
    return [Row(shown_key(data["key"]), shown_value(data["value"]), partition, side) for data, partition in parsed]


def _renamed(column: str, type: StructType, side: str) -> Column:
    """Return a column of a state with the field names of that type."""
    from pyspark.sql.connect import functions as f

    if side and column == "value":
        # A record of a join has one field more than its schema, for which a cast and `to_json` fail.
        return f.struct(*(f.col(column)[name].alias(name) for name in type.fieldNames()))
    return f.col(column).cast(type)


def _sides(name: str) -> tuple[str, ...]:
    return _SIDES if name == _JOIN else ("",)


def _stored(spark: SparkSession, location: str, operator: int, side: str, batch: int | None) -> DataFrame:
    options = {"operatorId": str(operator), **({"joinSide": side} if side else {})}
    options |= {} if batch is None else {"batchId": str(batch)}
    return spark.read.format("statestore").options(**options).load(location)


def _sizes(spark: SparkSession, location: str) -> Mapping[int, int]:
    """Return the bytes of the files of each operator's state."""
    # Spark reads no file, because only paths and lengths are selected.
    reader = spark.read.option("recursiveFileLookup", "true").option("ignoreMissingFiles", "true")
    try:
        files = reader.format("binaryFile").load(f"{escaped(location)}/state").select("path", "length").collect()
    except Exception as error:
        if cause(str(error))[0] == "PATH_NOT_FOUND":
            return {}
        raise
    sizes: dict[int, int] = {}
    for path, length in files:
        if match := _OF_OPERATOR.search(path):
            sizes[int(match[1])] = sizes.get(int(match[1]), 0) + length
    return sizes


def _is_key(text: str, schema: StructType) -> Column:
    """Return the condition that a key matches the user's text. Raises LsqlcError LSQ674."""
    from pyspark.sql.connect import functions as f
    from pyspark.sql.types import StringType, StructField, StructType

    names = schema.fieldNames()
    try:
        key: Any = json.loads(text)
    except ValueError:
        key = text
    if not isinstance(key, dict):
        if len(names) > 1:
            message = f"the key {json.dumps(key, ensure_ascii=False)} does not say which of its fields it is"
            example = json.dumps({names[-1]: key}, ensure_ascii=False)
            help = f"the key has {listing(names)}: write an object of some of them, such as '{example}'"
            raise LsqlcError([Diagnostic("LSQ674", message, help=help)])
        # For a key of the type STRING, a number is text.
        of_text = isinstance(schema[0].dataType, StringType) and not isinstance(key, str)
        key = {names[0]: text if of_text else key}
    conditions = []
    for name, value in key.items():
        if name not in names:
            message = f"the key of the state has no field '{name}'"
            help = did_you_mean(name, names) or f"it has {listing(names)}"
            raise LsqlcError([Diagnostic("LSQ674", message, help=help)])
        one = StructType([StructField("given", schema[name].dataType)])
        content = f.lit(json.dumps({"given": value}, ensure_ascii=False))
        # A value of another type is parsed as null. It must match a null key only if the user has written `null`.
        read = f.from_json(content, one, {"mode": "PERMISSIVE"})["given"]
        conditions.append(f.col("key")[name].eqNullSafe(read) & (read.isNotNull() | f.lit(value is None)))
    joined = conditions[0] if conditions else f.lit(True)
    for condition in conditions[1:]:
        joined = joined & condition
    return joined


def _refused(error: Exception, location: str) -> Exception:
    if is_lost(error) or isinstance(error, LsqlcError):
        return error
    name, message = cause(str(error))
    return LsqlcError(
        [
            Diagnostic(
                "LSQ676",
                "Spark cannot read the state of the query",
                notes=(f"Spark says: {message or name}", f"its checkpoint is '{location}'"),
                help="run the command again if the query has just ended a batch; reading state takes Spark 4.0 or "
                "newer, and a server that sees the checkpoint",
            )
        ]
    )


def _unfit(error: Exception, where: str, types: Mapping[str, StructType]) -> Exception:
    if is_lost(error):
        return error
    fields = [f"{name}.{field}" for name, of in types.items() for field in of.fieldNames()]
    message = f"the condition '{where}' cannot be used on this state"
    notes = (f"Spark says: {cause(str(error))[1]}",)
    return LsqlcError([Diagnostic("LSQ674", message, notes=notes, help=f"its columns are {listing(fields)}")])


def _no_batch(operator: Operator, batch: int) -> Diagnostic:
    batches = f"batch {operator.last}" if operator.first == operator.last else f"{operator.first} to {operator.last}"
    return Diagnostic(
        "LSQ675", f"the state after batch {batch} is not kept", help=f"the batches whose state is kept: {batches}"
    )
