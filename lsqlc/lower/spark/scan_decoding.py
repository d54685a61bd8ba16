"""SQL that decodes the records of a scan: from lines of JSON, or from the columns of Spark's Kafka source.

A record is decoded by two nested queries. The inner one parses it into a struct, the column `_r0`. The outer one takes
the columns of the scan from that struct, and has the condition that fails for invalid records.

Spark's optimizer must not merge the two queries. Otherwise it would push the query's filters down to the source. Each
filter would then parse the record again, and a record that a filter removes would not be checked. Two means prevent
that:

- For lines, the inner query explodes an array with one element. Spark pushes no filter below a generator. But Spark
  interprets generators, and calls some functions by reflection for each row.
- For Kafka's columns, the inner query has the column `spark_partition_id()`. The condition of the outer query begins
  with a test of it that always holds. Spark pushes no filter below a nondeterministic column. This is compiled
  code, where common subexpressions are computed once. `rand()` would have the same effect, but Spark puts its seed into
  the generated code. Each batch has another seed, so that Spark would compile the code in each batch.

If all rows are records of one scan in Kafka, the parts of a record are columns such as `_r0_key`, not fields of a
struct. Spark omits columns that no query uses, but computes all fields of a struct.

A record that cannot be decoded fails the query, unless the program skips bad records; these are then removed earlier.
An invalid line fails in the inner query, by `from_json` in mode FAILFAST. An invalid record from Kafka fails in the
outer query. `from_json` accepts a timestamp out of range, and null in a field that is NOT NULL. This module has
conditions for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lsqlc.connectors.bad_records import NO_JSON
from lsqlc.connectors.lines import line_type, time_path
from lsqlc.formats.json.spark import rewritten
from lsqlc.formats.json.spark_numbers import for_spark
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.lower.spark.validity import reason_of
from lsqlc.lower.spark.wire import json_forms
from lsqlc.lower.spark.wire.records import UNREADABLE, TopicWire, ordinal
from lsqlc.lower.spark.wire.typed import FacetDecoding, facet_decoding
from lsqlc.plan import nodes
from lsqlc.sql.spark import struct, text, ticked
from lsqlc.sql.writer import listed
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.headers import HeaderColumn
from lsqlc.types.record import LATEST, NO_TIME

# The column with `spark_partition_id()`, which is at least 0.
_TASK = "_task"
# The problem of a record with null in a field that is NOT NULL.
NULL_VALUE = "it has null in a field that is NOT NULL"
_DATE_TYPES = (data.TIMESTAMP, data.DATE)


@dataclass(frozen=True, slots=True)
class ScanDecoding:
    """The SQL that decodes the records of a scan into the columns `k<n>` and `v<n>`, where `n` is `number`.

    `wire`: the encodings of records in Kafka; None: records are lines. `fails`: an invalid record fails the query; else
    invalid records have been removed. `as_columns`: the parts of a parsed record are columns, not the fields of one
    column. That requires `wire`, and that all rows are records of the scan.
    """

    scan: nodes.Scan
    wire: TopicWire | None = None
    number: int = 0
    fails: bool = True
    as_columns: bool = False

    @property
    def record(self) -> str:
        """The column of the parsed record."""
        return f"_r{self.number}"

    @property
    def ordinal(self) -> str:
        """The SQL of the record's ordinal."""
        return self._part("ordinal")

    def parsed(self, row_condition: str = "") -> str:
        """Return the SQL of the parsed record, from the columns of a source.

        With `as_columns`, return the list of the parts with their column names. `row_condition`: the SQL condition of
        the rows that are records of this scan; empty: all rows are.
        """
        if self.wire is None:
            return self._parsed_line(row_condition)
        parts = [("ordinal", ordinal(self.wire, self.scan.topic.name)), ("timestamp", "_timestamp")]
        for name, facet in self._facet_decodings:
            parts.append((name, facet.parsed))
            parts += [] if facet.bytes_problem is None else [(f"{name}_fault", facet.bytes_problem)]
        if self.as_columns:
            return listed(f"{sql} AS {self._part(name)}" for name, sql in parts)
        return f"if({row_condition}, {struct(parts)}, NULL)" if row_condition else struct(parts)

    def _part(self, name: str) -> str:
        return f"{self.record}_{name}" if self.as_columns else f"{self.record}.{name}"

    @property
    def columns(self) -> str:
        """The SQL of the columns `k<n>` and `v<n>`, from the parsed record."""
        key, value = self._value_of("key"), self._value_of("value")
        if self.scan.places or self.scan.headers:
            value = f"if({self.members('value')} IS NULL, NULL, {self._value_with_metadata()})"
        return f"{key} AS k{self.number}, {value} AS v{self.number}"

    @property
    def time(self) -> str:
        """The SQL of the event time in milliseconds: the field that the topic declares, or else the timestamp."""
        return self._time(self._part("timestamp"), self.members("value"))

    @property
    def condition(self) -> str:
        """The SQL condition that is true for a valid record, and fails the query for an invalid one.

        Empty for lines, which fail where they are parsed.
        """
        if self.wire is None:
            return ""
        checks = []
        problems = [(name, self._problem(name, facet)) for name, facet in self._facet_decodings]
        if problems:
            clauses = ", ".join(f"concat('{name}: ', {problem})" for name, problem in problems)
            message = self._message(self.ordinal, f"concat_ws('; ', {clauses})")
            checks.append((" AND ".join(f"{problem} IS NULL" for _, problem in problems), message))
        time_message = self._message(self.ordinal, self._time_problem(self.members("value")))
        checks.append((f"{self.time} BETWEEN 0L AND {LATEST}L", time_message))
        has_null = self._null_condition(self.members)
        if has_null:
            checks.append((f"NOT coalesce({has_null}, FALSE)", self._message(self.ordinal, text(NULL_VALUE))))
        *first, (_, last) = checks
        whens = "".join(f"WHEN NOT coalesce({condition}, FALSE) THEN {message} " for condition, message in first)
        message = f"CASE {whens}ELSE {last} END" if first else last
        is_valid = " AND ".join(condition for condition, _ in checks)
        is_other_row = "" if self.as_columns else f"{self.record} IS NULL OR "
        return f"if({is_other_row}({is_valid}), TRUE, raise_error({message}))"

    def members(self, name: str) -> str:
        """Return the SQL of the struct with the fields of the facet `key` or `value`.

        Their types are those of `json_forms.form`. The struct is null if the facet is null.
        """
        parsed = self._part(name)
        return parsed if self.wire is None else dict(self._facet_decodings)[name].members(parsed)

    @property
    def _facet_decodings(self) -> tuple[tuple[str, FacetDecoding], ...]:
        """The decodings of the facets that the topic has in Kafka, by name."""
        if self.wire is None:
            return ()
        facets = (("key", self.wire.key, self.scan.key), ("value", self.wire.value, self.scan.value))
        return tuple(
            (name, facet_decoding(encoding, f"_{name}", None if facet.is_absent else facet.type))
            for name, encoding, facet in facets
            if encoding is not None
        )

    def _value_of(self, name: str) -> str:
        """Return the SQL of the value of the facet `key` or `value`."""
        facet = self.scan.key if name == "key" else self.scan.value
        parsed = self._part(name)
        if facet.is_absent:
            return "CAST(NULL AS INT)"
        if self.wire is None:
            return json_forms.value(parsed, facet.type)
        return dict(self._facet_decodings)[name].value(parsed)

    def _value_with_metadata(self) -> str:
        """Return the SQL of the value with the fields for position and headers that the scan asks for."""
        type, members = self.scan.value.type, self.members("value")
        assert isinstance(type, Struct)
        fields = ((f.name, json_forms.value(f"{members}.{ticked(f.name)}", f.type)) for f in type.fields)
        names = (f.name for f in nodes.PLACES) if self.scan.places else ()
        position = zip(names, ("_partition", "_offset"), strict=False)
        return struct((*fields, *position, *((header.name, _header(header)) for header in self.scan.headers)))

    def _parsed_line(self, row_condition: str) -> str:
        """Return the SQL of the parsed line, which fails for an invalid line. `row_condition`: see `parsed`."""

        def of_scan(line: str) -> str:
            return f"if({row_condition}, {line}, NULL)" if row_condition else line

        line = of_scan("_line")
        topic = replace(self.scan.topic, key=self.scan.key, value=self.scan.value)
        type = line_type(topic)
        fields = (f"{f.name} {type_text('spark', f.type)}" for f in json_forms.form(type).fields if f.type != data.NULL)
        is_internal = topic.name.startswith(INTERNAL)
        json = line if is_internal else of_scan(rewritten("_line", for_spark(type)))
        parsed = f"from_json({json}, {text(', '.join(fields))}, map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))"
        if not self.fails or is_internal:
            return parsed
        conditions = (json_forms.unfit_condition("r", type), json_forms.suspect_condition(line, type))
        suspect = " OR ".join(condition for condition in conditions if condition is not None)
        record = "r"
        if suspect:
            problem = reason_of(json_forms.checked_fields(type), line)
            exact = f"transform(array({problem}), w -> if(w IS NULL, r, {self._error('r.ordinal', 'w')}))"
            record = f"if(coalesce({suspect}, FALSE), get({exact}, 0), r)"
        if broken := json_forms.broken_condition(line, type):
            record = f"if({broken}, {self._error('r.ordinal', text(NO_JSON))}, {record})"
        has_null = self._null_condition(lambda name: f"r.{name}")
        record = f"if({has_null}, {self._error('r.ordinal', text(NULL_VALUE))}, {record})" if has_null else record
        time = self._time("r.timestamp", "r.value")
        time_error = self._error("r.ordinal", self._time_problem("r.value"))
        record = f"if({time} BETWEEN 0L AND {LATEST}L, {record}, {time_error})"
        return f"get(transform(array({parsed}), r -> if(r IS NULL, r, {record})), 0)"

    def _time(self, timestamp: str, value: str) -> str:
        field, millis = self._declared_time(value)
        return f"coalesce({millis}, {timestamp})" if field else timestamp

    def _declared_time(self, value: str) -> tuple[str, str]:
        """Return the SQL of the field that the topic declares as event time, and of its milliseconds.

        Both are empty if the topic declares none. `value`: SQL of the struct with the fields.
        """
        topic = self.scan.topic
        if topic.event_time is None:
            return "", ""
        names = topic.event_time.split(".")
        field = ".".join([value, *map(ticked, names)])
        type = topic.value.type
        for name in names:
            member = type.field(name) if isinstance(type, Struct) else None
            type = member.type if member else data.NULL
        if type not in _DATE_TYPES:
            return field, field
        return field, f"unix_millis(CAST({json_forms.value(field, type)} AS TIMESTAMP))"

    def _time_problem(self, value: str) -> str:
        """Return the SQL of the problem of a record whose time is null or out of range."""
        field, _ = self._declared_time(value)
        problem = text(f"timestamp: {NO_TIME}")
        if not field:
            return problem
        return f"if({field} IS NULL, {problem}, {text(f'{time_path(self.scan.topic)}: {NO_TIME}')})"

    def _null_condition(self, members: Callable[[str], str]) -> str:
        """Return the SQL condition that a record has null in a field that is NOT NULL; empty if no field is.

        `members`: from the name of a facet to the SQL of the struct with its fields.
        """
        return " OR ".join(
            f"({members(name)} IS NOT NULL AND ({' OR '.join(parts)}))"
            for name, facet in (("key", self.scan.key), ("value", self.scan.value))
            if not facet.is_absent and (parts := _null_conditions(members(name), facet.type))
        )

    def _message(self, ordinal: str, problem: str) -> str:
        """Return the SQL of the error message about a record. `problem`: the SQL of its problem.

        For a record in Kafka the message contains its position (see `UNREADABLE`).
        """
        if self.wire is not None:
            position = f"{ordinal}[2] % 4294967296, ':', {ordinal}[1], ': '"
            return f"concat({text(f'{UNREADABLE}:{self.scan.topic.name}:')}, {position}, {problem})"
        topic = text(f" of '{self.scan.topic.name}' cannot be read: ")
        return f"concat('the record ', CAST({ordinal} AS STRING), {topic}, {problem})"

    def _error(self, ordinal: str, problem: str) -> str:
        return f"raise_error({self._message(ordinal, problem)})"

    def _problem(self, name: str, facet: FacetDecoding) -> str:
        """Return the SQL of the problem of a facet, or null."""
        problems = [self._part(f"{name}_fault")] if facet.bytes_problem is not None else []
        problems += [] if facet.parsed_problem is None else [facet.parsed_problem(self._part(name))]
        return problems[0] if len(problems) == 1 else f"coalesce({', '.join(problems)})"


def parsed_columns(*decodings: tuple[ScanDecoding, str]) -> str:
    """Return the SQL of the columns of the inner query: the parsed records `_r0`, `_r1`, ... or their parts.

    `decodings`: each with the SQL condition of its rows; empty: all rows. The parsed record is null in other rows. For
    Kafka, the list ends with the column that prevents filters from being pushed down.
    """
    records = [
        decoding.parsed(condition) + ("" if decoding.as_columns else f" AS {decoding.record}")
        for decoding, condition in decodings
    ]
    if any(decoding.wire is not None for decoding, _ in decodings):
        return listed((*records, f"spark_partition_id() AS {_TASK}"))
    if len(decodings) == 1:
        ((decoding, condition),) = decodings
        return f"explode(array({decoding.parsed(condition)})) AS {decoding.record}"
    return f"inline(array(struct({listed(records)})))"


def validity_clause(*decodings: ScanDecoding) -> str:
    """Return the WHERE clause of the outer query, which fails the query for an invalid record.

    It has the `ScanDecoding.condition` of each decoding, and is empty if all of them are.
    """
    conditions = [condition for decoding in decodings if (condition := decoding.condition)]
    if any(decoding.wire is not None for decoding in decodings):
        conditions = [f"{_TASK} >= 0", *conditions]
    return f"\nWHERE {' AND '.join(conditions)}" if conditions else ""


def metadata_columns(scans: Sequence[nodes.Scan], *, position: bool = False, headers: bool = True) -> str:
    """Return the list of the columns of the source that precede the parsed records, with a comma at its end.

    They are the partition and the offset, if `position` or a scan asks for them, and the headers, if a scan asks for
    them. `headers` is false if the query has the headers already.
    """
    columns = "_partition, _offset, " if position or any(scan.places for scan in scans) else ""
    return columns + ("_headers, " if headers and any(scan.headers for scan in scans) else "")


def _header(column: HeaderColumn) -> str:
    """Return the SQL of a column of headers, from `_headers`: all headers, or the last value of a key."""
    if column.key is None:
        headers = "transform(_headers, h -> named_struct('KEY', h.key, 'VALUE', h.value))"
        return f"coalesce({headers}, CAST(array() AS {type_text('spark', column.type)}))"
    return f"try_element_at(filter(_headers, h -> h.key = {text(column.key)}), -1).value"


def _null_conditions(sql: str, type: DataType, depth: int = 0) -> list[str]:
    """Return the SQL conditions that a part of a value is null, for the parts that are NOT NULL.

    The value itself must not be null. `depth` distinguishes the variables of nested lambdas.
    """
    conditions = []
    n = f"n{depth}"
    match type:
        case Struct(fields):
            for field in fields:
                part = f"{sql}.{ticked(field.name)}"
                inner = _null_conditions(part, field.type, depth)
                conditions += [] if field.nullable else [f"{part} IS NULL"]
                conditions += [f"({part} IS NOT NULL AND ({' OR '.join(inner)}))"] if inner else []
        case Array(element):
            inner = _null_conditions(n, element, depth + 1)
            conditions += [f"exists({sql}, {n} -> {n} IS NOT NULL AND ({' OR '.join(inner)}))"] if inner else []
        case Map(_, value):
            inner = _null_conditions(n, value, depth + 1)
            predicate = f"{n} -> {n} IS NOT NULL AND ({' OR '.join(inner)})"
            conditions += [f"exists(map_values({sql}), {predicate})"] if inner else []
    return conditions
