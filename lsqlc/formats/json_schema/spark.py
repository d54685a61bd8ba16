"""JSON in the wire format of schema registries: the schema's id, and a body that is JSON text.

It is read as JSON, which may follow an id: the text contains the names of fields, so no schema is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.formats.encoding import head
from lsqlc.formats.json.spark import Json


@dataclass(frozen=True, slots=True)
class JsonSchema(Json):
    """JSON behind the id of a JSON Schema in a registry. `id`: of the schema of new records; None: none are written."""

    id: int | None = None

    @property
    def has_numbers_of_ksqldb(self) -> bool:
        """As `Json.has_numbers_of_ksqldb`: the schema says how they are written."""
        return False

    def bytes(self, value: str) -> str:
        """Return the SQL of `Encoding.bytes`."""
        assert self.id is not None, "whoever writes has the schema registered"
        # Not super(): a dataclass with slots is a new class, which super() does not know.
        return f"concat({head(self.id)}, {Json.bytes(self, value)})"
