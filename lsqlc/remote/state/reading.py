"""What the operators of a query keep, as Spark's own sources `state-metadata` and `statestore` read it.

Both read what a batch that is done has left, so that a query may run meanwhile, and both run on the server: it has to
see the checkpoint, and the client need not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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

# What Spark's own join of streams calls its operator: a store for the rows of each side, and one to find them by.
_JOIN = "symmetricHashJoin"
_SIDES = ("left", "right")
# Rows that a case shows.
_SHOWN = 5
_OF_OPERATOR = re.compile(r"/state/(\d+)/\d+/")


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator with state. `number`: Spark's, from the last one of the query on; `name`: Spark's; `partitions`: how
    many it has of each store; `first` and `last`: batches whose state can be read; `rows`: after the last one; `bytes`:
    of its files, which hold earlier batches too.
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
        """Those of a join that keeps the records of each side for themselves."""
        return _SIDES if self.name == _JOIN else ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows of an operator: those of a `key`, as text or JSON; those for which `where` holds, a condition in Spark
    SQL over `key` and `value`; `limit`: at most so many, 0 for all; `batch`: as they were after it, None for the last.
    """

    key: str | None = None
    where: str | None = None
    limit: int = 20
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What is kept of one key. `key`, `value`: as JSON has them; `partition`: where it lies; `side`: of a join."""

    key: Any
    value: Any
    partition: int
    side: str = ""

    def to_json(self) -> dict[str, Any]:
        """The row as JSON-ready data."""
        data = {"key": self.key, "value": self.value, "partition": self.partition}
        return {**data, "side": self.side} if self.side else data


def operators(spark: SparkSession, location: str, version: int) -> tuple[Operator, ...]:
    """The operators of a checkpoint with how much they keep; none of a query without state. All rows are counted.
    `version`: of the format of the state's files.

    Raises LsqlcError LSQ676 for state that Spark does not read.
    """
    try:
        # Spark does not take it from the checkpoint.
        with session_settings(spark, ((STATE_FORMAT, str(version)),)):
            return tuple(_operators(spark, location))
    except Exception as error:
        raise _refused(error, location) from None


def _operators(spark: SparkSession, location: str) -> Iterator[Operator]:
    found = spark.read.format("state-metadata").load(location).collect()
    sizes = _sizes(spark, location)
    known = {row["operatorId"]: row for row in found}
    for number, row in sorted(known.items()):
        name = row["operatorName"]
        counts = [_stored(spark, location, number, side, None).count() for side in _sides(name)]
        size = sizes.get(number, 0)
        yield Operator(number, name, row["numPartitions"], row["minBatchId"], row["maxBatchId"], sum(counts), size)


def rows(spark: SparkSession, location: str, version: int, operator: Operator, wanted: Wanted) -> tuple[Row, ...]:
    """Rows of an operator, in order of their keys as far as a limit lets all be seen. `version`: as of `operators`.

    Raises LsqlcError: LSQ674 for a key or a condition that does not fit, LSQ675 for a batch that is not kept, LSQ676
    for state that Spark does not read.
    """
    if wanted.batch is not None and not operator.first <= wanted.batch <= operator.last:
        raise LsqlcError([_no_batch(operator, wanted.batch)])
    found: list[Row] = []
    with session_settings(spark, ((STATE_FORMAT, str(version)),)):
        for side in _sides(operator.name):
            found += _rows(spark, location, operator, wanted, side, wanted.limit - len(found) if wanted.limit else 0)
            if wanted.limit and len(found) >= wanted.limit:
                break
    return tuple(found)


def kept_rows(spark: SparkSession, location: str, query: str, batch: int) -> tuple[KeptRows, ...]:
    """What each operator of a query of cases keeps after a batch. Raises LsqlcError as `operators`."""
    found = []
    for operator in operators(spark, location, 1):
        there = rows(spark, location, 1, operator, Wanted(limit=0, batch=batch))
        shown = tuple(json.dumps(_of_case(row), ensure_ascii=False) for row in there[:_SHOWN])
        found.append(KeptRows(query, operator.number, len(there), shown))
    return tuple(found)


def _of_case(row: Row) -> dict[str, Any]:
    """A row without the name of its case, which leads each key, and stands in the records of a join."""
    key, value = row.key, row.value
    if isinstance(key, dict):
        key = shown_key({name: part for name, part in key.items() if name != ("field0" if row.side else "_case")})
    if isinstance(value, dict):
        value = {name: part for name, part in value.items() if name != "_case"}
    return {"key": key, "value": value}


def _rows(
    spark: SparkSession, location: str, operator: Operator, wanted: Wanted, side: str, limit: int
) -> Sequence[Row]:  # fmt: skip
    from pyspark.sql.connect import functions as f

    try:
        stored = _stored(spark, location, operator.number, side, wanted.batch)
        schema = stored.schema
        types = {name: named_once(cast("StructType", schema[name].dataType)) for name in ("key", "value")}
        named = stored.select(*(_named(name, types[name], side).alias(name) for name in types), "partition_id")
        # Columns are planned when they are used: what does not fit is said here.
        chosen = named if wanted.key is None else named.where(_is_key(wanted.key, types["key"]))
    except Exception as error:
        raise _refused(error, location) from None
    if wanted.where is not None:
        try:
            chosen = chosen.where(wanted.where)
            _ = chosen.schema
        except Exception as error:
            raise _unfit(error, wanted.where, types) from None
    ordered = chosen.select(f.to_json(f.struct("key", "value"), {"ignoreNullFields": "false"}), "partition_id")
    try:
        taken = (ordered.limit(limit) if limit else ordered).collect()
    except Exception as error:
        raise (_refused(error, location) if wanted.where is None else _unfit(error, wanted.where, types)) from None
    told = [(json.loads(text), partition) for text, partition in taken]
    told.sort(key=lambda each: json.dumps(each[0]["key"], ensure_ascii=False))
    return [Row(shown_key(data["key"]), shown_value(data["value"]), partition, side) for data, partition in told]


def _named(column: str, type: StructType, side: str) -> Column:
    """A column of a state with the names of that type."""
    from pyspark.sql.connect import functions as f

    if side and column == "value":
        # A record of a join has a field more than its schema, which a cast and `to_json` stumble over.
        return f.struct(*(f.col(column)[name].alias(name) for name in type.fieldNames()))
    return f.col(column).cast(type)


def _sides(name: str) -> tuple[str, ...]:
    return _SIDES if name == _JOIN else ("",)


def _stored(spark: SparkSession, location: str, operator: int, side: str, batch: int | None) -> DataFrame:
    options = {"operatorId": str(operator), **({"joinSide": side} if side else {})}
    options |= {} if batch is None else {"batchId": str(batch)}
    return spark.read.format("statestore").options(**options).load(location)


def _sizes(spark: SparkSession, location: str) -> Mapping[int, int]:
    """Bytes of the files that hold each operator's rows."""
    # Only names and lengths are selected, so that no file is read.
    listed = spark.read.option("recursiveFileLookup", "true").option("ignoreMissingFiles", "true")
    try:
        files = listed.format("binaryFile").load(f"{escaped(location)}/state").select("path", "length").collect()
    except Exception as error:
        if cause(str(error))[0] == "PATH_NOT_FOUND":
            return {}
        raise
    found: dict[int, int] = {}
    for path, length in files:
        if place := _OF_OPERATOR.search(path):
            found[int(place[1])] = found.get(int(place[1]), 0) + length
    return found


def _is_key(text: str, schema: StructType) -> Column:
    """The condition that the key is the one that a user gives. Raises LsqlcError LSQ674."""
    from pyspark.sql.connect import functions as f
    from pyspark.sql.types import StringType, StructField, StructType

    names = schema.fieldNames()
    try:
        given: Any = json.loads(text)
    except ValueError:
        given = text
    if not isinstance(given, dict):
        if len(names) > 1:
            message = f"the key {json.dumps(given, ensure_ascii=False)} does not say which of its fields it is"
            example = json.dumps({names[-1]: given}, ensure_ascii=False)
            help = f"the key has {listing(names)}: write an object of some of them, such as '{example}'"
            raise LsqlcError([Diagnostic("LSQ674", message, help=help)])
        # A number in a key that is a text is that text.
        of_text = isinstance(schema[0].dataType, StringType) and not isinstance(given, str)
        given = {names[0]: text if of_text else given}
    conditions = []
    for name, value in given.items():
        if name not in names:
            message = f"the key of the state has no field '{name}'"
            help = did_you_mean(name, names) or f"it has {listing(names)}"
            raise LsqlcError([Diagnostic("LSQ674", message, help=help)])
        one = StructType([StructField("given", schema[name].dataType)])
        content = f.lit(json.dumps({"given": value}, ensure_ascii=False))
        # What cannot be read as the type of the field is null, which no key is meant by unless `null` is written.
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
    kept = f"batch {operator.last}" if operator.first == operator.last else f"{operator.first} to {operator.last}"
    return Diagnostic(
        "LSQ675", f"the state after batch {batch} is not kept", help=f"the batches whose state is there: {kept}"
    )
