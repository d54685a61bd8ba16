"""Streams and tables of a ksqlDB program: the columns and properties of CREATE over a topic."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsqlc.bind.columns import Column
from lsqlc.bind.field_names import Taken
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.formats import DEFAULT_KEY, NamedType, check_format, facets, ksql_format
from lsqlc.bind.ksql.properties import Storage, check_effect, properties
from lsqlc.bind.ksql.registry import completed, left_to_registry
from lsqlc.bind.ksql.scope import SYSTEM
from lsqlc.diagnostics.source import Extent
from lsqlc.formats.delimited.format import DEFAULT_DELIMITER, DELIMITER_WORDS
from lsqlc.formats.subjects import Subject
from lsqlc.plan.expression import Expression, Field
from lsqlc.plan.nodes import Node, Scan, Semantics
from lsqlc.plan.windows import Hop, Session, Tumble, WindowType
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.query import UNITS, unit_size
from lsqlc.syntax.ksql.text import text_of
from lsqlc.syntax.tree import Literal
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct
from lsqlc.types.digits import integer
from lsqlc.types.headers import ALL_HEADERS, HeaderColumn
from lsqlc.types.record import Facet, Topic

_HEADERS_TEXT = "ARRAY<STRUCT<key STRING, value BYTES>>"
WINDOWS: Mapping[str, WindowType] = {"TUMBLING": Tumble, "HOPPING": Hop, "SESSION": Session}


@dataclass(frozen=True, slots=True)
class Named:
    """A column of a stream or table."""

    name: str
    type: DataType


@dataclass(frozen=True, slots=True)
class Source:
    """A stream or table in scope. `node` reads its records, with one relation.

    `window`: the kind of windows in its key; `window_size`: in milliseconds, None for a session. `key_format` and
    `value_format` are in upper case. `delimiters`: those of the key and the value, if these are DELIMITED. `writers`:
    the number of queries that write its topic. `declared`: it comes from a CREATE with columns, not from a query.
    `headers`: its columns of headers, which its scan reads too. `others`: the records that further queries write to a
    stream. `schema_names`: the names of the schemas of its topic, as `check_effect` returns them.
    """

    name: str
    kind: Semantics
    topic: str
    node: Node
    keys: tuple[Named, ...]
    values: tuple[Named, ...]
    window: WindowType | None
    key_format: str
    value_format: str
    partitions: int | None
    window_size: int | None = None
    read_only: bool = False
    declared: bool = False
    writers: int = 0
    headers: tuple[HeaderColumn, ...] = ()
    others: tuple[Node, ...] = ()
    delimiters: tuple[str, str] = (DEFAULT_DELIMITER, DEFAULT_DELIMITER)
    schema_names: tuple[tuple[str, ksql.Property], ...] = ()

    def columns(self, label: str) -> tuple[Column, ...]:
        """Return its columns under a label in a query, over relation 0."""
        key = self.node.relations[0].key.type
        value = self.node.relations[0].value.type
        columns = [Column(label, k.name, key_field(key, k, len(self.keys), self.window), True) for k in self.keys]
        for column in self.values:
            columns.append(Column(label, column.name, Field(0, "value", (column.name,), column.type, True), False))
        if self.window is not None:
            for name, part in (("WINDOWSTART", "start"), ("WINDOWEND", "end")):
                columns.append(Column(label, name, Field(0, "key", (part,), data.BIGINT, False), False, listed=False))
        for header in self.headers:
            field = Field(0, "value", (header.name,), header.type, True)
            columns.append(Column(label, header.name, field, False, is_header=True))
        assert isinstance(value, Struct)
        return tuple(columns)


def key_field(type: DataType, column: Named, count: int, window: WindowType | None) -> Expression:
    """Return a key column: the bare key if it is the only one, else a field of it; inside of the window, if there is
    one.
    """
    path = (column.name,) if count > 1 else ()
    return Field(0, "key", ("key", *path) if window else path, column.type, True)


def declare(
    statement: ksql.CreateSource, topics: Mapping[str, Topic], subjects: Mapping[str, Subject], findings: Findings
) -> tuple[Source, Topic, Mapping[str, ksql.Property]] | None:
    """Return the stream or table that CREATE declares, its topic and its properties; None after an error.

    Columns that it omits are those of the topic in the project, or of a subject.
    """
    before = len(findings.found)
    with_properties = properties(statement.properties, findings, of_query=False)
    project_topic = topics.get(ksql.topic_of(statement))
    inferred = left_to_registry(statement, with_properties) if project_topic is None else []
    name = statement.name
    whole = completed(statement, with_properties, project_topic, subjects, findings)
    if whole is None or whole.columns is None:
        return None
    statement = whole
    assert statement.columns is not None
    _check_columns(statement, statement.columns, findings)
    keys = tuple(Named(c.name.text, c.type) for c in statement.columns if c.role in ("KEY", "PRIMARY KEY"))
    headers = tuple(HeaderColumn(c.name.text, c.header) for c in statement.columns if c.role == "HEADERS")
    values = tuple(Named(c.name.text, c.type) for c in statement.columns if not c.role)
    window = _window(statement, with_properties, bool(keys), findings)
    if "KAFKA_TOPIC" not in with_properties or not with_properties["KAFKA_TOPIC"].value.value:
        findings.error("LSQ374", f"'{name.text}' has no KAFKA_TOPIC", name.at, help="add KAFKA_TOPIC = 'topic'")
    key_format, value_format = formats_of(with_properties, None, None)
    if not keys and "KEY_FORMAT" not in with_properties and "FORMAT" not in with_properties:
        key_format = "NONE"
    at = next((with_properties[p].value.at for p in ("VALUE_FORMAT", "FORMAT") if p in with_properties), name.at)
    if value_format is None:
        findings.error("LSQ374", f"'{name.text}' has no VALUE_FORMAT", name.at,
                       help="add VALUE_FORMAT = 'JSON'")  # fmt: skip
        return None
    check_format(
        key_format or DEFAULT_KEY, keys, "key", _at(with_properties, ("KEY_FORMAT", "FORMAT"), name.at), findings
    )
    check_format(value_format, values, "value", at, findings)
    check_storage(with_properties, values, key_format or DEFAULT_KEY, value_format, findings)
    names = check_effect(
        with_properties, Storage("KEY", key_format or DEFAULT_KEY, bool(keys), "key" in inferred),
        Storage("VALUE", value_format, bool(values), "value" in inferred), findings,
    )  # fmt: skip
    if len(findings.found) > before and findings.has_errors:
        return None
    delimiters = delimiters_of(with_properties, (DEFAULT_DELIMITER, DEFAULT_DELIMITER))
    stored = facets(keys, values, window, key_format or DEFAULT_KEY, value_format, delimiters)
    size = _duration(with_properties["WINDOW_SIZE"].text) if "WINDOW_SIZE" in with_properties else None
    topic = _topic(statement, with_properties, stored, size)
    node = Scan(topic, name.text, statement.kind, topic.key, topic.value, headers=headers)
    source = Source(
        name.text, statement.kind, topic.name, node, keys, values, window, key_format or DEFAULT_KEY, value_format,
        topic.partitions, size, statement.read_only, declared=True, headers=headers, delimiters=delimiters,
        schema_names=names,
    )  # fmt: skip
    return source, topic, with_properties


def formats_of(
    with_properties: Mapping[str, ksql.Property], key: str | None, value: str | None
) -> tuple[str | None, str | None]:
    """Return the key and value format, from WITH or else the defaults."""
    both = with_properties["FORMAT"].text.upper() if "FORMAT" in with_properties else None
    own_key = with_properties["KEY_FORMAT"].text.upper() if "KEY_FORMAT" in with_properties else None
    own_value = with_properties["VALUE_FORMAT"].text.upper() if "VALUE_FORMAT" in with_properties else None
    return own_key or both or key, own_value or both or value


def delimiters_of(with_properties: Mapping[str, ksql.Property], otherwise: tuple[str, str]) -> tuple[str, str]:
    """Return the delimiters of the key and the value: one character each, from WITH or else the defaults."""
    key, value = (
        DELIMITER_WORDS.get(with_properties[name].text.lower(), with_properties[name].text)
        if name in with_properties
        else other
        for name, other in zip(("KEY_DELIMITER", "VALUE_DELIMITER"), otherwise, strict=True)
    )
    return key, value


def check_storage(
    with_properties: Mapping[str, ksql.Property], values: Sequence[NamedType], key_format: str, value_format: str,
    findings: Findings,
) -> None:  # fmt: skip
    """Report properties of storage that do not match the formats, or the columns."""
    for name in ("KEY_FORMAT", "VALUE_FORMAT"):
        if "FORMAT" in with_properties and name in with_properties:
            findings.error("LSQ374", f"FORMAT and {name} cannot be used together", with_properties[name].name.at,
                           notes=("FORMAT is the format of both the key and the value",),
                           help="write KEY_FORMAT and VALUE_FORMAT, or FORMAT only")  # fmt: skip
    for name, format in (("KEY_DELIMITER", key_format), ("VALUE_DELIMITER", value_format)):
        delimiter = with_properties.get(name)
        if delimiter is not None and not ksql_format(format).has_delimiter:
            findings.error("LSQ374", f"{name} is only for the format DELIMITED, not for {format}", delimiter.name.at,
                           help="remove it")  # fmt: skip
        elif delimiter is not None:
            _check_delimiter(name, delimiter, findings)
    wrap = with_properties.get("WRAP_SINGLE_VALUE")
    if wrap is None:
        return
    if len(values) != 1:
        findings.error("LSQ374", f"WRAP_SINGLE_VALUE requires a value of one column, and this one has {len(values)}",
                       wrap.name.at, help="remove it")  # fmt: skip
    never = {"true": "never", "false": "always"}.get(wrap.text.lower())
    if never is None:
        findings.error("LSQ374", f"WRAP_SINGLE_VALUE must be true or false, not '{wrap.text}'", wrap.value.at)
    elif ksql_format(value_format).wraps == never:
        findings.error("LSQ374", f"the format {value_format} cannot have WRAP_SINGLE_VALUE = {wrap.text.lower()}",
                       wrap.value.at, help="remove it")  # fmt: skip


def _check_delimiter(name: str, delimiter: ksql.Property, findings: Findings) -> None:
    """Report a delimiter that is not one UTF-16 code unit, is blank for Java's `trim`, or is the quote of cells."""
    text = delimiter.text
    if text.lower() in DELIMITER_WORDS:
        return
    if all(character <= " " for character in text):
        findings.error("LSQ374", f"{name} must not be white space", delimiter.value.at,
                       help="a tab is 'TAB', and a space 'SPACE'")  # fmt: skip
    elif len(text) != 1 or text > "\uffff":
        findings.error("LSQ374", f"{name} must be one character, not '{text}'", delimiter.value.at,
                       help="a tab is 'TAB', and a space 'SPACE'")  # fmt: skip
    elif text == '"':
        findings.error("LSQ374", f"{name} must not be the quote of cells, '\"'", delimiter.value.at,
                       help="choose another character, such as ';'")  # fmt: skip


def _at(with_properties: Mapping[str, ksql.Property], names: tuple[str, ...], otherwise: Extent) -> Extent:
    return next((with_properties[n].value.at for n in names if n in with_properties), otherwise)


def _role(statement: ksql.CreateSource) -> str:
    return "KEY" if statement.kind == "STREAM" else "PRIMARY KEY"


def _check_columns(statement: ksql.CreateSource, columns: tuple[ksql.Column, ...], findings: Findings) -> None:
    used_names = Taken()
    expected = _role(statement)
    for column in columns:
        name = column.name.text
        if name in SYSTEM:
            findings.error("LSQ353", f"'{name}' is a reserved name", column.name.at,
                           notes=("it is the name of a pseudo column",), help="rename the column")  # fmt: skip
        if message := used_names.add(name, "columns"):
            findings.error("LSQ305", message, column.name.at, help="rename one")
        if column.role == "HEADERS":
            _check_header(column, findings)
        elif column.role and column.role != expected:
            findings.error(
                "LSQ377", f"a {statement.kind} must have {expected} columns, not {column.role}", column.at,
                help=f"write {name} {column.type} {expected}",
            )  # fmt: skip
    if statement.kind == "TABLE" and not any(c.role in ("KEY", "PRIMARY KEY") for c in columns):
        findings.error("LSQ377", f"the TABLE '{statement.name.text}' has no PRIMARY KEY", statement.name.at,
                       notes=("the primary key identifies the rows of a table",),
                       help="declare the column of the record's key: id INT PRIMARY KEY")  # fmt: skip


def _check_header(column: ksql.Column, findings: Findings) -> None:
    """Report a column of headers whose type is not ksqlDB's."""
    expected = ALL_HEADERS if column.header is None else data.BYTES
    if column.type == expected:
        return
    name = column.name.text
    corrected = f"{name} {_HEADERS_TEXT} HEADERS"
    if column.header is not None:
        corrected = f"{name} BYTES HEADER({text_of(Literal(column.header, column.at))})"
    what = "all headers" if column.header is None else "the value of a header"
    findings.error("LSQ387", f"a column of {what} cannot be {column.type}", column.at, help=f"write {corrected}")


def _window(
    statement: ksql.CreateSource, with_properties: Mapping[str, ksql.Property], has_key: bool, findings: Findings
) -> WindowType | None:
    type, size = with_properties.get("WINDOW_TYPE"), with_properties.get("WINDOW_SIZE")
    if type is None:
        if size is not None:
            findings.error("LSQ362", "WINDOW_SIZE needs WINDOW_TYPE", size.name.at)
        return None
    window = WINDOWS.get(type.text.upper())
    if window is None:
        findings.error("LSQ362", f"'{type.text}' is not a window type", type.value.at,
                       help="it must be TUMBLING, HOPPING or SESSION")  # fmt: skip
        return None
    if window is Session and size is not None:
        findings.error("LSQ362", "a SESSION window must not have WINDOW_SIZE", size.name.at)
    if window is not Session and size is None:
        findings.error("LSQ362", f"a {type.text.upper()} window must have WINDOW_SIZE", type.value.at,
                       help="add WINDOW_SIZE = '30 SECONDS'")  # fmt: skip
    if size is not None and _duration(size.text) is None:
        findings.error("LSQ362", f"'{size.text}' is not a duration", size.value.at,
                       help=f"write a number and a unit, one of {UNITS}")  # fmt: skip
    if not has_key:
        findings.error("LSQ362", "a windowed source must have a key column", statement.name.at,
                       notes=("the bounds of the window are stored in the record's key",))  # fmt: skip
    return window


def _duration(text: str) -> int | None:
    """Return the milliseconds of a text such as `30 SECONDS`; None if it is not a duration."""
    match = re.fullmatch(r"\s*([0-9]+)\s+([A-Za-z]+)\s*", text)
    unit = unit_size(match[2]) if match else None
    return integer(match[1]) * unit if match and unit else None


def _topic(
    statement: ksql.CreateSource,
    with_properties: Mapping[str, ksql.Property],
    stored: tuple[Facet, Facet],
    size: int | None,
) -> Topic:
    key, value = stored
    partitions = with_properties.get("PARTITIONS")
    count = integer(partitions.text) if partitions else None
    return Topic(ksql.topic_of(statement), key, value, partitions=count, ksql_json=True, window_size=size)


def facet_of(source: Source) -> tuple[Facet, Facet]:
    """Return the facets of a stream or table as records of its topic."""
    return facets(source.keys, source.values, source.window, source.key_format, source.value_format, source.delimiters)
