"""The toy format by Spark's own functions."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.formats.encoding import Encoding, head, head_faults
from lsqlc.formats.json.spark import is_one_value
from lsqlc.formats.registered import HEAD
from lsqlc.functions.forms.json_values import json_of
from lsqlc.types.data import DataType


@dataclass(frozen=True, slots=True)
class Toy(Encoding):
    """`ids`: of the schemas that records have; `id`: of the schema that is written; None: nothing is."""

    type: DataType
    ids: tuple[int, ...]
    id: int | None

    def parts(self, column: str) -> tuple[str, str]:
        """As `Encoding.parts`."""
        json = f"CAST(substring({column}, {HEAD + 2}, octet_length({column})) AS STRING)"
        faults = [
            *head_faults(column, self.ids),
            (f"substring({column}, {HEAD + 1}, 1) != X'54'", "'expected a T'"),
            (f"NOT ({is_one_value(json)})", "'expected JSON'"),
        ]
        return json, f"CASE {' '.join(f'WHEN {condition} THEN {why}' for condition, why in faults)} END"

    def bytes(self, value: str) -> str:
        """As `Encoding.bytes`."""
        assert self.id is not None, "a model writes it"
        return f"concat({head(self.id)}, X'54', CAST({json_of(value, self.type)} AS BINARY))"
