"""What a server of ksqlDB says of its streams, tables and queries, in the order in which each can be created."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lsqlc.imports.ksqldb.statements import Script
from lsqlc.syntax.ksql.text import name_text


@dataclass(frozen=True, slots=True)
class Described:
    """A stream or table. `columns`: as CREATE has them, empty where they are not known; `statement`: what created it.

    `partitions` and `replicas` of its topic are None where they are not known.
    """

    name: str
    kind: str
    topic: str
    statement: str
    columns: tuple[str, ...] = ()
    key_format: str = ""
    value_format: str = ""
    partitions: int | None = None
    replicas: int | None = None
    window: str = ""

    @property
    def declaration(self) -> str | None:
        """The statement that declares it in another program; None where its columns are not known."""
        if not self.columns or not self.value_format or self.window:
            return None
        given = {"KAFKA_TOPIC": self.topic, "KEY_FORMAT": self.key_format, "VALUE_FORMAT": self.value_format}
        if self.key_format.upper() in ("", "NONE"):
            del given["KEY_FORMAT"]
        quoted = ["{} = '{}'".format(name, value.replace("'", "''")) for name, value in given.items()]
        quoted += [] if self.partitions is None else [f"PARTITIONS = {self.partitions}"]
        listed = ",\n    ".join(self.columns)
        return f"CREATE {self.kind} {name_text(self.name)} (\n    {listed}\n) WITH ({', '.join(quoted)});"


@dataclass(frozen=True, slots=True)
class Exported:
    """All that was said. `queries`: the texts of running queries by their ids."""

    described: tuple[Described, ...] = ()
    queries: Mapping[str, str] = field(default_factory=dict)

    @property
    def scripts(self) -> tuple[Script, ...]:
        """Each statement once, sources first. What a query writes has that query's text."""
        made = [d for d in self.described if d.statement]
        sources = [Script(d.name, _ended(d.statement)) for d in made if not _is_query(d.statement)]
        results = [Script(d.name, _ended(d.statement)) for d in made if _is_query(d.statement)]
        known = {" ".join(s.text.split()) for s in results}
        inserts = []
        for id, text in self.queries.items():
            words = " ".join(_ended(text).split())
            # CREATE ... AS is told twice, and its query is named after it.
            if words not in known and not (words.upper().startswith("CREATE") and results):
                inserts.append(Script(id, _ended(text)))
                known.add(words)
        return (*sources, *results, *inserts)

    @property
    def declarations(self) -> Mapping[str, str]:
        return {d.name: d.declaration for d in self.described if d.declaration is not None}


def merged(parts: Iterable[Exported]) -> Exported:
    """Return all parts as one; the first that names a stream or a query counts."""
    described: dict[str, Described] = {}
    queries: dict[str, str] = {}
    for part in parts:
        for each in part.described:
            described.setdefault(each.name, each)
        queries = {**part.queries, **queries}
    return Exported(tuple(described.values()), queries)


def _is_query(statement: str) -> bool:
    words = statement.upper().split()
    return "SELECT" in words and words[0] == "CREATE" and "AS" in words


def _ended(text: str) -> str:
    text = text.strip()
    return text if text.endswith(";") else f"{text};"
