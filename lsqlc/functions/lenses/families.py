"""The functions of the Lenses language in families, in the order of the documentation, and the names it refuses."""

from __future__ import annotations

from lsqlc.functions.lenses.aggregates import AGGREGATES as AGGREGATES
from lsqlc.functions.lenses.arrays import ARRAYS
from lsqlc.functions.lenses.dates import DATES
from lsqlc.functions.lenses.identifiers import IDENTIFIERS
from lsqlc.functions.lenses.json_paths import JSON
from lsqlc.functions.lenses.masking import MASKING
from lsqlc.functions.lenses.nulls import NULLS
from lsqlc.functions.lenses.numbers import NUMBERS
from lsqlc.functions.lenses.strings import STRINGS
from lsqlc.functions.signature import Function

FAMILIES: dict[str, tuple[Function, ...]] = {
    "Strings": (*STRINGS, *IDENTIFIERS),
    "Obfuscation": MASKING,
    "Numbers": NUMBERS,
    "Nulls": NULLS,
    "Arrays": ARRAYS,
    "Dates and times": DATES,
    "JSON": JSON,
}

_STUDIO = "it belongs to SQL Studio and has no meaning in a streaming program"
_HEADERS = "a query cannot read headers; its records keep those of the record that they are made of"
REFUSED = {
    "TYPEOF": _STUDIO,
    "TOPK": f"{_STUDIO}; MAXK gives the largest values",
    "BOTTOMK": f"{_STUDIO}; MINK gives the smallest values",
    "DUMP": "it shows how Lenses stores a value, which lsqlc does not share",
    "EXISTS": "the schema says which fields there are; test a value with IS NOT NULL",
    **dict.fromkeys(
        ("HEADERASSTRING", "HEADERASINT", "HEADERASLONG", "HEADERASFLOAT", "HEADERASDOUBLE", "HEADERKEYS"), _HEADERS
    ),
    "RANDINT": "a replay would write other records; UUID() is different for each record and the same in every run",
    "CURRENT_TIMESTAMP": "the language has NOW() for it",
}
