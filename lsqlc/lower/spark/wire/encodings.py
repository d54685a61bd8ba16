"""The encoding of a facet in Kafka: that of its format, and the window of a key.

The plan has only types and formats. The caller knows where a topic is stored, and selects the encoding.
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
    """The key of a group in a window, in the format of Kafka Streams.

    The bytes of the inner key are followed by the start of the time window in 8 bytes. For a session, they are followed
    by its end and its start, in 8 bytes each. `size`: of a time window, in milliseconds; None: a session.
    """

    type: DataType
    inner: Encoding
    size: int | None

    @property
    def functions(self) -> tuple[PythonFunction, ...]:
        """The functions of `Encoding.functions`."""
        return self.inner.functions

    def as_ksqldb(self) -> Self:
        """Implement `Encoding.as_ksqldb`."""
        return replace(self, inner=self.inner.as_ksqldb())

    @property
    def _length(self) -> int:
        return 16 if self.size is None else 8

    def _bound(self, column: str, place: int) -> str:
        """Return SQL of the bound that begins that many bytes before the end."""
        return f"CAST(conv(hex(substring({column}, octet_length({column}) - {place - 1}, 8)), 16, -10) AS BIGINT)"

    def read(self, column: str) -> str:
        start = self._bound(column, 8)
        end = self._bound(column, 16) if self.size is None else f"({start} + {self.size}L)"
        json = f"concat('{{\"key\":', _w.json, ',\"start\":', {start}, ',\"end\":', {end}, '}}')"
        inside = self.inner.read(f"substring({column}, 1, octet_length({column}) - {self._length})")
        if isinstance(self.type, Struct) and not may_be_empty(self.type.fields[0].type):
            # A null key has no bytes before its window.
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
    """Return the encoding of a facet, or only its decoding if models cannot write the format.

    Return None for a format without an encoding, or for missing schemas of a format that needs them. `window_size`: of
    the time windows of a key, in milliseconds; `stored`: the topic of the facet, and its schemas in a registry. The
    type and the format of `stored` are ignored. Raises LsqlcError as the format does.
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
