"""What ksqlDB's command line prints for LIST STREAMS, TABLES and QUERIES EXTENDED: lines of `Name : value`.

A statement may go on over lines, until the table of columns or the next such line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsqlc.imports.ksqldb.exported import Described, Exported, merged
from lsqlc.syntax.ksql.text import name_text

_PROPERTY = re.compile(
    r"(Name|ID|Type|Key format|Value format|Kafka topic|Statement|SQL|Query Type|Window Type) +: ?(.*)"
)
# A property that is of no use here; it ends the one before.
_OTHER = re.compile(r"(Timestamp field|Host Query Status|Status|Query Status|Window Type) +: ")
_TOPIC = re.compile(r"(\S+)(?: \(partitions: (\d+), replication: (\d+)\))?")
_COLUMN = re.compile(r" (\S+) +\| (.+?)(?: +\((key|primary key)\)| +\(Window type: .*\))? *")
_RULE = re.compile(r"-{5,}")


def looks_printed(text: str) -> bool:
    """Return whether a text has descriptions as they are printed."""
    return re.search(r"(?m)^(Statement|SQL) +: ", text) is not None


def exported(text: str) -> Exported:
    """What is printed in a text."""
    return merged(_of(lines) for lines in _descriptions(text))


def _descriptions(text: str) -> Iterator[list[str]]:
    """Yield the lines of each description, which begins with its name or its id."""
    found: list[str] | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        if re.match(r"(Name|ID) +: ", line):
            if found is not None:
                yield found
            found = []
        if found is not None:
            found.append(line)
    if found is not None:
        yield found


def _of(lines: list[str]) -> Exported:
    given: dict[str, str] = {}
    last, columns, in_table = "", [], 0
    for line in lines:
        property = _PROPERTY.fullmatch(line)
        if property is not None and in_table == 0:
            last = property[1]
            given[last] = property[2]
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
            given[last] += f"\n{line}"
    if "ID" in given:
        is_kept = given.get("Query Type", "PERSISTENT") == "PERSISTENT" and given.get("SQL")
        return Exported((), {given["ID"].strip(): given["SQL"].strip()} if is_kept else {})
    kind = "TABLE" if given.get("Type", "").strip().upper() == "TABLE" else "STREAM"
    topic = _TOPIC.fullmatch(given.get("Kafka topic", "").strip())
    name = given["Name"].strip()
    described = Described(
        name,
        kind,
        topic[1] if topic else name,
        given.get("Statement", "").strip(),
        tuple(_column(*column) for column in columns),
        given.get("Key format", "").strip().upper(),
        given.get("Value format", "").strip().upper(),
        int(topic[2]) if topic and topic[2] else None,
        int(topic[3]) if topic and topic[3] else None,
    )
    return Exported((described,))


def _column(name: str, type: str, role: str) -> str:
    return f"{name_text(name)} {type.strip()} {role.upper()}".rstrip()
