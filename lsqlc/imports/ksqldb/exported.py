"""Streams, tables and queries that a ksqlDB server exported, in an order in which they can be created."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lsqlc.imports.ksqldb.statements import Script
from lsqlc.syntax.ksql.text import name_text


@dataclass(frozen=True, slots=True)
class Described:
    """A stream or table. `columns`: in the form of CREATE, empty if unknown. `statement`: the statement that created
    it.

    `partitions` and `replicas` of its topic are None if unknown.
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
        """The statement that declares it in another program; None if its columns are unknown."""
        if not self.columns or not self.value_format or self.window:
            return None
        properties = {"KAFKA_TOPIC": self.topic, "KEY_FORMAT": self.key_format, "VALUE_FORMAT": self.value_format}
        if self.key_format.upper() in ("", "NONE"):
            del properties["KEY_FORMAT"]
        assignments = ["{} = '{}'".format(name, value.replace("'", "''")) for name, value in properties.items()]
        assignments += [] if self.partitions is None else [f"PARTITIONS = {self.partitions}"]
        columns = ",\n    ".join(self.columns)
        return f"CREATE {self.kind} {name_text(self.name)} (\n    {columns}\n) WITH ({', '.join(assignments)});"


@dataclass(frozen=True, slots=True)
class Exported:
    """An export. `queries`: the texts of running queries by id."""

    described: tuple[Described, ...] = ()
    queries: Mapping[str, str] = field(default_factory=dict)

    @property
    def scripts(self) -> tuple[Script, ...]:
        """Each statement once, sources first. A stream that a query writes has the text of that query."""
        statements = [d for d in self.described if d.statement]
        sources = [Script(d.name, _ended(d.statement)) for d in statements if not _is_query(d.statement)]
        results = [Script(d.name, _ended(d.statement)) for d in statements if _is_query(d.statement)]
        texts = {" ".join(s.text.split()) for s in results}
        inserts = []
        for id, text in self.queries.items():
            words = " ".join(_ended(text).split())
            # The server lists CREATE ... AS twice: as a statement and as a query.
            if words not in texts and not (words.upper().startswith("CREATE") and results):
                inserts.append(Script(id, _ended(text)))
                texts.add(words)
        return (*sources, *results, *inserts)

    @property
    def declarations(self) -> Mapping[str, str]:
        return {d.name: d.declaration for d in self.described if d.declaration is not None}


def merged(parts: Iterable[Exported]) -> Exported:
    """Merge exports. The first definition of a stream or query has precedence."""
    sources: dict[str, Described] = {}
    queries: dict[str, str] = {}
    for part in parts:
        for each in part.described:
            sources.setdefault(each.name, each)
        queries = {**part.queries, **queries}
    return Exported(tuple(sources.values()), queries)


def _is_query(statement: str) -> bool:
    words = statement.upper().split()
    return "SELECT" in words and words[0] == "CREATE" and "AS" in words


def _ended(text: str) -> str:
    text = text.strip()
    return text if text.endswith(";") else f"{text};"
