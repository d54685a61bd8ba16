"""The note of a table about the topic that it follows."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from lsqlc.tables.schema import TableSchema


@dataclass(frozen=True, slots=True)
class Source:
    """`topic`: its name in the system that holds it; `id`: what tells it from a successor of that name, see
    `Transport.topic_id`; `keep` and `key`: which rows the table has, and the columns that identify one.
    """

    topic: str
    id: str
    keep: str
    key: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the source as a table notes it."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    def difference(self, other: Source) -> str | None:
        """Return why a table that notes the source `other` cannot follow this source, in a clause; None if it can."""
        if other.topic != self.topic:
            return f"it follows the topic '{other.topic}'"
        if other.id != self.id:
            return f"the topic '{self.topic}' has been created again since"
        if other.keep != self.keep:
            return f"it has been created with `keep: {other.keep}`"
        if other.key != self.key:
            return f"its key is ({', '.join(other.key)}), not ({', '.join(self.key)})"
        return None


def source_of(schema: TableSchema, topic: str, id: str) -> Source:
    """Return the source of a table with this schema. `topic` and `id`: as of `Source`."""
    return Source(topic, id, schema.keep, tuple(column.name for column in schema.key))


def parse_source(text: str) -> Source | None:
    """Return the source that a table notes; None for a text that is none."""
    try:
        data = json.loads(text)
        return Source(data["topic"], data["id"], data["keep"], tuple(data["key"]))
    except (ValueError, TypeError, KeyError):
        return None
