"""Parser of the output of ksqlDB's command line for LIST STREAMS, TABLES and QUERIES EXTENDED: lines of `Name : value`.

A statement continues over lines, up to the table of columns or the next property.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsqlc.imports.ksqldb.exported import Described, Exported, merged
from lsqlc.syntax.ksql.text import name_text

_PROPERTY = re.compile(
    r"(Name|ID|Type|Key format|Value format|Kafka topic|Statement|SQL|Query Type|Window Type) +: ?(.*)"
)
# Properties without use here. Each ends the property before it.
_OTHER = re.compile(r"(Timestamp field|Host Query Status|Status|Query Status|Window Type) +: ")
_TOPIC = re.compile(r"(\S+)(?: \(partitions: (\d+), replication: (\d+)\))?")
_COLUMN = re.compile(r" (\S+) +\| (.+?)(?: +\((key|primary key)\)| +\(Window type: .*\))? *")
_RULE = re.compile(r"-{5,}")


def looks_printed(text: str) -> bool:
    """Return whether a text looks like output of the command line."""
    return re.search(r"(?m)^(Statement|SQL) +: ", text) is not None


def exported(text: str) -> Exported:
    """Parse the descriptions in a text."""
    return merged(_of(lines) for lines in _descriptions(text))


def _descriptions(text: str) -> Iterator[list[str]]:
    """Yield the lines of each description, which begins with a name or an id."""
    description: list[str] | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        if re.match(r"(Name|ID) +: ", line):
            if description is not None:
                yield description
            description = []
        if description is not None:
            description.append(line)
    if description is not None:
        yield description


def _of(lines: list[str]) -> Exported:
    properties: dict[str, str] = {}
    last, columns, in_table = "", [], 0
    for line in lines:
        property = _PROPERTY.fullmatch(line)
        if property is not None and in_table == 0:
            last = property[1]
            properties[last] = property[2]
        elif _OTHER.match(line):
            last = ""
        elif re.match(r" Field +\| Type", line) and in_table == 0:
            last, in_table = "", 1
        elif _RULE.match(line):
            in_table += 1 if in_table else 0
            last = ""
        elif in_table == 2 and (column := _COLUMN.fullmatch(line)):
            columns.append((column[1], column[2], column[3] or ""))
        elif last in ("Statement", "SQL"):
            properties[last] += f"\n{line}"
    if "ID" in properties:
        is_kept = properties.get("Query Type", "PERSISTENT") == "PERSISTENT" and properties.get("SQL")
        return Exported((), {properties["ID"].strip(): properties["SQL"].strip()} if is_kept else {})
    kind = "TABLE" if properties.get("Type", "").strip().upper() == "TABLE" else "STREAM"
    topic = _TOPIC.fullmatch(properties.get("Kafka topic", "").strip())
    name = properties["Name"].strip()
    source = Described(
        name,
        kind,
        topic[1] if topic else name,
        properties.get("Statement", "").strip(),
        tuple(_column(*column) for column in columns),
        properties.get("Key format", "").strip().upper(),
        properties.get("Value format", "").strip().upper(),
        int(topic[2]) if topic and topic[2] else None,
        int(topic[3]) if topic and topic[3] else None,
    )
    return Exported((source,))


def _column(name: str, type: str, role: str) -> str:
    return f"{name_text(name)} {type.strip()} {role.upper()}".rstrip()
