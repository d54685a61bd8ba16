"""The records of a scan, read by Spark's own functions: from lines of JSON, or on Kafka from the columns of a record.

A record is read in two pieces. The first one parses it into a struct, `_r0`; the second one takes the columns from
there. Between them Spark must not move anything: it would parse each record again in the filters above, which it moves
down to where the record is, and one that they leave out would not be looked at. What keeps it from that:

- A line stands in an array of one that is exploded. Spark moves nothing over that, but it interprets the generator,
  with a look-up by reflection in each row for some functions.
- A record that is read from columns has the number of its task beside it, by which the condition of the second piece
  begins, and which always satisfies it: Spark moves no filter below a column that is not deterministic. This is
  compiled code, in which a part that occurs several times is computed once. A random number would do as well, but Spark
  gives it another seed in each batch, which stands in the generated code: it would be compiled again in each batch. The
  parts of a record are columns of their own, `_r0_key` and so on, where it is the only one: Spark computes each field
  of a struct, and leaves out columns that nothing reads.

A record that cannot be read fails the query, unless the policy passes over it: then it does not come here. A line fails
it in the first piece, by `from_json` in mode FAILFAST; what is read from columns fails it in the second one. Neither
finds by the type a time that no record can have, nor a null where the topic has none.
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

# The number of the task, from 0 on, see above.
_TASK = "_task"
# What is wrong with a record that has null in a field that is NOT NULL.
LACKING = "it has null in a field that is NOT NULL"
_DAYS = (data.TIMESTAMP, data.DATE)


@dataclass(frozen=True, slots=True)
class Reading:
    """How the records of a scan become the columns `k<n>` and `v<n>`, where `n` is `number`.

    `wire`: how they lie in Kafka, where they are read from Kafka's columns; None: they are lines. `fails`: a record
    that cannot be read fails the query; else none comes here. `apart`: the parts of a record that is read from Kafka's
    columns are columns, not fields of one; all rows are records of the topic then.
    """

    scan: nodes.Scan
    wire: TopicWire | None = None
    number: int = 0
    fails: bool = True
    apart: bool = False

    @property
    def record(self) -> str:
        """The column of the parsed record."""
        return f"_r{self.number}"

    @property
    def ordinal(self) -> str:
        """SQL of the record's ordinal."""
        return self._part("ordinal")

    def parsed(self, own: str = "") -> str:
        """SQL of the parsed record, from the columns of a source, or where its parts are `apart` of these, with their
        names. `own`: the condition of the rows that are records of the topic, where there are others.
        """
        if self.wire is None:
            return self._of_line(own)
        parts = [("ordinal", ordinal(self.wire, self.scan.topic.name)), ("timestamp", "_timestamp")]
        for name, facet in self._typed:
            parts.append((name, facet.parsed))
            parts += [] if facet.bytes_problem is None else [(f"{name}_fault", facet.bytes_problem)]
        if self.apart:
            return listed(f"{sql} AS {self._part(name)}" for name, sql in parts)
        return f"if({own}, {struct(parts)}, NULL)" if own else struct(parts)

    def _part(self, name: str) -> str:
        return f"{self.record}_{name}" if self.apart else f"{self.record}.{name}"

    @property
    def columns(self) -> str:
        """The facets of the parsed record as columns."""
        key, value = self._facet("key"), self._facet("value")
        if self.scan.places or self.scan.headers:
            value = f"if({self.members('value')} IS NULL, NULL, {self._placed()})"
        return f"{key} AS k{self.number}, {value} AS v{self.number}"

    @property
    def time(self) -> str:
        """The record's time in milliseconds: its timestamp, or the field that the topic declares."""
        return self._time(self._part("timestamp"), self.members("value"))

    @property
    def condition(self) -> str:
        """SQL that holds for each record that can be read, and fails the query for any other one; empty of lines, which
        fail it where they are parsed.
        """
        if self.wire is None:
            return ""
        checks = []
        wrongs = [(name, self._wrong(name, facet)) for name, facet in self._typed]
        if wrongs:
            reasons = ", ".join(f"concat('{name}: ', {wrong})" for name, wrong in wrongs)
            said = self._refusal(self.ordinal, f"concat_ws('; ', {reasons})")
            checks.append((" AND ".join(f"{wrong} IS NULL" for _, wrong in wrongs), said))
        untimely = self._refusal(self.ordinal, self._untimely(self.members("value")))
        checks.append((f"{self.time} BETWEEN 0L AND {LATEST}L", untimely))
        lacking = self._lacking(self.members)
        if lacking:
            checks.append((f"NOT coalesce({lacking}, FALSE)", self._refusal(self.ordinal, text(LACKING))))
        *first, (_, last) = checks
        whens = "".join(f"WHEN NOT coalesce({good}, FALSE) THEN {why} " for good, why in first)
        why = f"CASE {whens}ELSE {last} END" if first else last
        readable = " AND ".join(good for good, _ in checks)
        none = "" if self.apart else f"{self.record} IS NULL OR "
        return f"if({none}({readable}), TRUE, raise_error({why}))"

    def members(self, name: str) -> str:
        """What the fields of the facet `key` or `value`, in the form of their types, are members of; null if the facet
        is.
        """
        parsed = self._part(name)
        return parsed if self.wire is None else dict(self._typed)[name].members(parsed)

    @property
    def _typed(self) -> tuple[tuple[str, FacetDecoding], ...]:
        """By name the facets that the topic has on Kafka."""
        if self.wire is None:
            return ()
        facets = (("key", self.wire.key, self.scan.key), ("value", self.wire.value, self.scan.value))
        return tuple(
            (name, facet_decoding(encoding, f"_{name}", None if facet.is_absent else facet.type))
            for name, encoding, facet in facets
            if encoding is not None
        )

    def _facet(self, name: str) -> str:
        facet = self.scan.key if name == "key" else self.scan.value
        parsed = self._part(name)
        if facet.is_absent:
            return "CAST(NULL AS INT)"
        return json_forms.value(parsed, facet.type) if self.wire is None else dict(self._typed)[name].value(parsed)

    def _placed(self) -> str:
        assert isinstance(self.scan.value.type, Struct)
        members = self.members("value")
        own = ((f.name, json_forms.value(f"{members}.{ticked(f.name)}", f.type)) for f in self.scan.value.type.fields)
        names = (f.name for f in nodes.PLACES) if self.scan.places else ()
        places = zip(names, ("_partition", "_offset"), strict=False)
        return struct((*own, *places, *((header.name, _header(header)) for header in self.scan.headers)))

    def _of_line(self, own: str) -> str:
        """SQL of the parsed line. `own`: as that of `parsed`."""

        def only(line: str) -> str:
            return f"if({own}, {line}, NULL)" if own else line

        line = only("_line")
        topic = replace(self.scan.topic, key=self.scan.key, value=self.scan.value)
        type = line_type(topic)
        fields = (f"{f.name} {type_text('spark', f.type)}" for f in json_forms.form(type).fields if f.type != data.NULL)
        is_internal = topic.name.startswith(INTERNAL)
        json = line if is_internal else only(rewritten("_line", for_spark(type)))
        parsed = f"from_json({json}, {text(', '.join(fields))}, map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))"
        if not self.fails or is_internal:
            return parsed
        doubts = (json_forms.unfit_condition("r", type), json_forms.suspect_condition(line, type))
        doubt = " OR ".join(doubt for doubt in doubts if doubt is not None)
        whole = "r"
        if doubt:
            why = reason_of(json_forms.checked_fields(type), line)
            exact = f"transform(array({why}), w -> if(w IS NULL, r, {self._refused('r.ordinal', 'w')}))"
            whole = f"if(coalesce({doubt}, FALSE), get({exact}, 0), r)"
        if half := json_forms.broken_condition(line, type):
            whole = f"if({half}, {self._refused('r.ordinal', text(NO_JSON))}, {whole})"
        lacking = self._lacking(lambda name: f"r.{name}")
        whole = f"if({lacking}, {self._refused('r.ordinal', text(LACKING))}, {whole})" if lacking else whole
        time = self._time("r.timestamp", "r.value")
        timely = (
            f"if({time} BETWEEN 0L AND {LATEST}L, {whole}, {self._refused('r.ordinal', self._untimely('r.value'))})"
        )
        return f"get(transform(array({parsed}), r -> if(r IS NULL, r, {timely})), 0)"

    def _time(self, timestamp: str, value: str) -> str:
        field, millis = self._declared_time(value)
        return f"coalesce({millis}, {timestamp})" if field else timestamp

    def _declared_time(self, value: str) -> tuple[str, str]:
        """The field of a value that the topic declares as its records' time, and its milliseconds; empty where it
        declares none.
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
        return field, f"unix_millis(CAST({json_forms.value(field, type)} AS TIMESTAMP))" if type in _DAYS else field

    def _untimely(self, value: str) -> str:
        """SQL of what is wrong with a record without a time that a record can have."""
        field, _ = self._declared_time(value)
        why = text(f"timestamp: {NO_TIME}")
        return f"if({field} IS NULL, {why}, {text(f'{time_path(self.scan.topic)}: {NO_TIME}')})" if field else why

    def _lacking(self, members: Callable[[str], str]) -> str:
        """A condition that holds for a record with a null where its topic has none; empty where nulls may be anywhere.
        `members`: what the fields of a facet are members of.
        """
        return " OR ".join(
            f"({members(name)} IS NOT NULL AND ({' OR '.join(parts)}))"
            for name, facet in (("key", self.scan.key), ("value", self.scan.value))
            if not facet.is_absent and (parts := _lacking(members(name), facet.type))
        )

    def _refusal(self, ordinal: str, why: str) -> str:
        """SQL of the error about a record. `why`: SQL of what is wrong with it. In Kafka it says the place of the
        record (see `UNREADABLE`).
        """
        if self.wire is not None:
            place = f"{ordinal}[2] % 4294967296, ':', {ordinal}[1], ': '"
            return f"concat({text(f'{UNREADABLE}:{self.scan.topic.name}:')}, {place}, {why})"
        topic = text(f" of '{self.scan.topic.name}' cannot be read: ")
        return f"concat('the record ', CAST({ordinal} AS STRING), {topic}, {why})"

    def _refused(self, ordinal: str, why: str) -> str:
        return f"raise_error({self._refusal(ordinal, why)})"

    def _wrong(self, name: str, facet: FacetDecoding) -> str:
        """SQL of what is wrong with a facet, or null."""
        found = [self._part(f"{name}_fault")] if facet.bytes_problem is not None else []
        found += [] if facet.parsed_problem is None else [facet.parsed_problem(self._part(name))]
        return found[0] if len(found) == 1 else f"coalesce({', '.join(found)})"


def parsed_columns(*readings: tuple[Reading, str]) -> str:
    """The columns of the parsed records, `_r0`, `_r1`, ... or their parts, and of what keeps filters above them, each
    reading with the SQL condition of the rows that are its own; empty: all are. In the other rows they are null.
    """
    records = [reading.parsed(own) + ("" if reading.apart else f" AS {reading.record}") for reading, own in readings]
    if any(reading.wire is not None for reading, _ in readings):
        return listed((*records, f"spark_partition_id() AS {_TASK}"))
    if len(readings) == 1:
        ((reading, own),) = readings
        return f"explode(array({reading.parsed(own)})) AS {reading.record}"
    return f"inline(array(struct({listed(records)})))"


def failing(*readings: Reading) -> str:
    """The clause that fails the query for what it cannot read, as `Reading.condition` says; empty where none does."""
    conditions = [condition for reading in readings if (condition := reading.condition)]
    if any(reading.wire is not None for reading in readings):
        conditions = [f"{_TASK} >= 0", *conditions]
    return f"\nWHERE {' AND '.join(conditions)}" if conditions else ""


def place_columns(scans: Sequence[nodes.Scan], *, also: bool = False, headers: bool = True) -> str:
    """What stands before the columns of parsed records, where a scan asks for their places, or the lowering `also`; and
    where one asks for their headers, unless these stand there already.
    """
    places = "_partition, _offset, " if also or any(scan.places for scan in scans) else ""
    return places + ("_headers, " if headers and any(scan.headers for scan in scans) else "")


def _header(column: HeaderColumn) -> str:
    """What a column of headers has of `_headers`."""
    if column.key is None:
        given = "transform(_headers, h -> named_struct('KEY', h.key, 'VALUE', h.value))"
        return f"coalesce({given}, CAST(array() AS {type_text('spark', column.type)}))"
    return f"try_element_at(filter(_headers, h -> h.key = {text(column.key)}), -1).value"


def _lacking(sql: str, type: DataType, depth: int = 0) -> list[str]:
    """Conditions that hold for a value, not null itself, with a null where its type has none."""
    found = []
    match type:
        case Struct(fields):
            for field in fields:
                part = f"{sql}.{ticked(field.name)}"
                inner = _lacking(part, field.type, depth)
                found += [] if field.nullable else [f"{part} IS NULL"]
                found += [f"({part} IS NOT NULL AND ({' OR '.join(inner)}))"] if inner else []
        case Array(element):
            inner = _lacking(f"n{depth}", element, depth + 1)
            found += [f"exists({sql}, n{depth} -> n{depth} IS NOT NULL AND ({' OR '.join(inner)}))"] if inner else []
        case Map(_, value):
            inner = _lacking(f"n{depth}", value, depth + 1)
            condition = f"n{depth} -> n{depth} IS NOT NULL AND ({' OR '.join(inner)})"
            found += [f"exists(map_values({sql}), {condition})"] if inner else []
    return found
