"""DELIMITED of ksqlDB: the columns of a facet as one row of CSV, whose delimiter is part of the format's name."""

from __future__ import annotations

import re

from lsqlc.formats.encoding import Encoding
from lsqlc.formats.record import Decode, Encode, Format, KsqlFormat, StoredFacet, any_type

# The words for delimiters that cannot be seen.
DELIMITER_WORDS = {"tab": "\t", "space": " "}
DEFAULT_DELIMITER = ","
_DELIMITED = re.compile(r"delimited(?:\[(.|tab|space)\])?", re.DOTALL)


def delimited(delimiter: str) -> str:
    """Return the format with a delimiter of one character: `delimited` for a comma, else `delimited[;]`."""
    words = {character: word for word, character in DELIMITER_WORDS.items()}
    return "delimited" if delimiter == DEFAULT_DELIMITER else f"delimited[{words.get(delimiter, delimiter)}]"


def delimiter(format: str) -> str | None:
    """Return the delimiter of a format that `delimited` returned; None for any other format."""
    parts = _DELIMITED.fullmatch(format)
    if parts is None:
        return None
    return DEFAULT_DELIMITER if parts[1] is None else DELIMITER_WORDS.get(parts[1], parts[1])


def _encoder(facet: StoredFacet) -> Encode:
    from lsqlc.formats.delimited.codec import encoder

    return encoder(facet.type, delimiter(facet.format) or DEFAULT_DELIMITER)


def _decoder(facet: StoredFacet) -> Decode:
    from lsqlc.formats.delimited.codec import decoder

    return decoder(facet.type, facet.part, delimiter(facet.format) or DEFAULT_DELIMITER)


def _encoding(facet: StoredFacet) -> Encoding:
    from lsqlc.formats.delimited.spark import Delimited

    return Delimited(facet.type, delimiter(facet.format) or DEFAULT_DELIMITER)


DELIMITED = Format(
    name="delimited",
    ksql=KsqlFormat(name="DELIMITED", columns="flat", wraps="never", has_delimiter=True),
    is_declared=False,
    fits=any_type,
    encoder=_encoder,
    decoder=_decoder,
    encoding=_encoding,
    by_position=True,
)
