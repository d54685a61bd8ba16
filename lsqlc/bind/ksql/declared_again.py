"""The CREATE that declares a stream or table in another program: its columns over its topic, as it was bound."""

from __future__ import annotations

from lsqlc.bind.ksql.create_source import WINDOWS, Source
from lsqlc.bind.ksql.formats import ksql_format
from lsqlc.formats.delimited.format import DEFAULT_DELIMITER, DELIMITER_WORDS
from lsqlc.syntax.ksql.text import name_text, text_of, type_text
from lsqlc.syntax.tree import Literal

# Which windows have which word.
_WORDS = {window: word for word, window in WINDOWS.items()}


def declaration(source: Source) -> str:
    """A statement of one column a line, with its semicolon.

    `CREATE TABLE N (ITEM STRING PRIMARY KEY, ...) WITH (KAFKA_TOPIC = 'N', ...);`
    """
    role = "KEY" if source.kind == "STREAM" else "PRIMARY KEY"
    columns = [f"{name_text(c.name)} {type_text(c.type)} {role}" for c in source.keys]
    columns += [f"{name_text(c.name)} {type_text(c.type)}" for c in source.values]
    for header in source.headers:
        kept = "HEADERS" if header.key is None else f"HEADER({_quoted(header.key)})"
        columns.append(f"{name_text(header.name)} {type_text(header.type)} {kept}")
    given = [("KAFKA_TOPIC", _quoted(source.topic))]
    if source.keys:
        given += _stored("KEY", source.key_format, source.delimiters[0])
    given += _stored("VALUE", source.value_format, source.delimiters[1])
    if source.partitions is not None:
        given.append(("PARTITIONS", str(source.partitions)))
    if source.window is not None:
        given.append(("WINDOW_TYPE", _quoted(_WORDS[source.window])))
    if source.window_size is not None:
        given.append(("WINDOW_SIZE", _quoted(f"{source.window_size} MILLISECONDS")))
    listed = ",\n    ".join(columns)
    properties = ", ".join(f"{name} = {value}" for name, value in given)
    return f"CREATE {source.kind} {name_text(source.name)} (\n    {listed}\n) WITH ({properties});"


def _stored(facet: str, format: str, delimiter: str) -> list[tuple[str, str]]:
    """The properties of a facet's format."""
    stored = [(f"{facet}_FORMAT", _quoted(format))]
    if ksql_format(format).has_delimiter and delimiter != DEFAULT_DELIMITER:
        words = {character: word.upper() for word, character in DELIMITER_WORDS.items()}
        stored.append((f"{facet}_DELIMITER", _quoted(words.get(delimiter, delimiter))))
    return stored


def _quoted(text: str) -> str:
    return text_of(Literal(text, (0, 0)))
