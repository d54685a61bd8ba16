"""The CREATE that declares a bound stream or table in another program: its columns over its topic."""

from __future__ import annotations

from lsqlc.bind.ksql.create_source import WINDOWS, Source
from lsqlc.bind.ksql.formats import ksql_format
from lsqlc.formats.delimited.format import DEFAULT_DELIMITER, DELIMITER_WORDS
from lsqlc.syntax.ksql.text import name_text, text_of, type_text
from lsqlc.syntax.tree import Literal

# The word of each kind of window.
_WORDS = {window: word for word, window in WINDOWS.items()}


def declaration(source: Source) -> str:
    """Return a statement with one column a line, and a semicolon.

    `CREATE TABLE N (ITEM STRING PRIMARY KEY, ...) WITH (KAFKA_TOPIC = 'N', ...);`
    """
    role = "KEY" if source.kind == "STREAM" else "PRIMARY KEY"
    columns = [f"{name_text(c.name)} {type_text(c.type)} {role}" for c in source.keys]
    columns += [f"{name_text(c.name)} {type_text(c.type)}" for c in source.values]
    for header in source.headers:
        header_role = "HEADERS" if header.key is None else f"HEADER({_quoted(header.key)})"
        columns.append(f"{name_text(header.name)} {type_text(header.type)} {header_role}")
    with_properties = [("KAFKA_TOPIC", _quoted(source.topic))]
    if source.keys:
        with_properties += _stored("KEY", source.key_format, source.delimiters[0])
    with_properties += _stored("VALUE", source.value_format, source.delimiters[1])
    if source.partitions is not None:
        with_properties.append(("PARTITIONS", str(source.partitions)))
    if source.window is not None:
        with_properties.append(("WINDOW_TYPE", _quoted(_WORDS[source.window])))
    if source.window_size is not None:
        with_properties.append(("WINDOW_SIZE", _quoted(f"{source.window_size} MILLISECONDS")))
    column_list = ",\n    ".join(columns)
    properties = ", ".join(f"{name} = {value}" for name, value in with_properties)
    return f"CREATE {source.kind} {name_text(source.name)} (\n    {column_list}\n) WITH ({properties});"


def _stored(facet: str, format: str, delimiter: str) -> list[tuple[str, str]]:
    """Return the properties of a facet's format."""
    stored = [(f"{facet}_FORMAT", _quoted(format))]
    if ksql_format(format).has_delimiter and delimiter != DEFAULT_DELIMITER:
        words = {character: word.upper() for word, character in DELIMITER_WORDS.items()}
        stored.append((f"{facet}_DELIMITER", _quoted(words.get(delimiter, delimiter))))
    return stored


def _quoted(text: str) -> str:
    return text_of(Literal(text, (0, 0)))
