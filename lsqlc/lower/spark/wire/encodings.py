"""The encoding of a facet in Kafka: that of its format, and the window around a key.

An encoding is given by whoever knows where a topic lies: the plan speaks of types and formats only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from lsqlc.formats.catalogue import find_format
from lsqlc.formats.encoding import Decoding, Encoding, PythonFunction, outcome
from lsqlc.formats.record import StoredFacet
from lsqlc.formats.windows import may_be_empty, windowed
from lsqlc.sql.spark import text
from lsqlc.types import data
from lsqlc.types.codec_text import BIGINT_RANGE
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Facet

# A facet without schemas in a registry.
_NOWHERE = StoredFacet("", "value", data.NULL, "null")


@dataclass(frozen=True, slots=True)
class Windowed(Encoding):
    """The key of a group in a window, as Kafka Streams writes it: the key inside, then the start of its time window in
    8 bytes, or the end and the start of its session in 8 bytes each. `size`: of a time window, in milliseconds; None:
    of a session.
    """

    type: DataType
    inner: Encoding
    size: int | None

    @property
    def functions(self) -> tuple[PythonFunction, ...]:
        """As `Encoding.functions`."""
        return self.inner.functions

    def as_ksqldb(self) -> Self:
        """As `Encoding.as_ksqldb`."""
        return replace(self, inner=self.inner.as_ksqldb())

    @property
    def _length(self) -> int:
        return 16 if self.size is None else 8

    def _bound(self, column: str, place: int) -> str:
        """The bound that begins so many bytes before the end."""
        return f"CAST(conv(hex(substring({column}, octet_length({column}) - {place - 1}, 8)), 16, -10) AS BIGINT)"

    def read(self, column: str) -> str:
        start = self._bound(column, 8)
        end = self._bound(column, 16) if self.size is None else f"({start} + {self.size}L)"
        json = f"concat('{{\"key\":', _w.json, ',\"start\":', {start}, ',\"end\":', {end}, '}}')"
        inside = self.inner.read(f"substring({column}, 1, octet_length({column}) - {self._length})")
        if isinstance(self.type, Struct) and not may_be_empty(self.type.fields[0].type):
            # A key that is null has no bytes in its window.
            null = outcome("'null'", "CAST(NULL AS STRING)")
            inside = f"if(octet_length({column}) = {self._length}, {null}, {inside})"
        around = f"get(transform(array({inside}), _w -> {outcome(json, '_w.wrong')}), 0)"
        short = outcome("CAST(NULL AS STRING)", text(f"expected {self.type}"))
        cases = [f"WHEN octet_length({column}) < {self._length} THEN {short}"]
        if self.size is not None:
            # The end of such a window is not a BIGINT.
            cases.append(f"WHEN {start} > {BIGINT_RANGE[1] - self.size}L THEN {short}")
        return f"CASE {' '.join(cases)} ELSE {around} END"

    def bytes(self, value: str) -> str:
        inside = f"if({value}.key IS NULL, X'', {self.inner.bytes(f'{value}.key')})"
        start, end = (f"unhex(lpad(hex({value}.{bound}), 16, '0'))" for bound in ("start", "end"))
        return f"concat({inside}, {start})" if self.size is not None else f"concat({inside}, {end}, {start})"


def encoding(facet: Facet, window_size: int | None = None, stored: StoredFacet = _NOWHERE) -> Decoding | None:
    """The encoding of a facet that is not absent, or its decoding alone where models do not write the format; None for
    a format that has none here. `window_size`: of the time windows in a key, in milliseconds; `stored`: where the facet
    is stored, and its schemas in a registry, without which a format that needs them has none. Its own type and format
    are not looked at. Raises LsqlcError as the format.
    """
    window = windowed(facet.format)
    if window is not None and isinstance(facet.type, Struct):
        inner = encoding(Facet(facet.type.fields[0].type, window[1]), stored=stored)
        size = window_size if window[0] == "tw" else None
        if not isinstance(inner, Encoding) or (window[0] == "tw" and size is None):
            return None
        return Windowed(facet.type, inner, size)
    format = find_format(facet.format)
    if format is None or format.encoding is None or not format.fits(facet.type):
        return None
    if format.has_schema_id and stored.schemas is None:
        return None
    return format.encoding(replace(stored, type=facet.type, format=facet.format))
