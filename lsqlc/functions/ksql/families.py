"""The functions of ksqlDB in families, in the order of the documentation, and the names it refuses."""

from __future__ import annotations

from lsqlc.functions.ksql.aggregates import AGGREGATES as AGGREGATES
from lsqlc.functions.ksql.bytes import BYTE_FUNCTIONS
from lsqlc.functions.ksql.collections import COLLECTION_FUNCTIONS
from lsqlc.functions.ksql.json import JSON_FUNCTIONS
from lsqlc.functions.ksql.maps import LAMBDA_FUNCTIONS, MAP_FUNCTIONS
from lsqlc.functions.ksql.masks import MASK_FUNCTIONS
from lsqlc.functions.ksql.numbers import NUMBER_FUNCTIONS
from lsqlc.functions.ksql.scalars import NULL_FUNCTIONS, STRING_FUNCTIONS
from lsqlc.functions.ksql.times import DATE_FUNCTIONS
from lsqlc.functions.ksql.urls import URL_FUNCTIONS
from lsqlc.functions.lenses.identifiers import IDENTIFIERS
from lsqlc.functions.signature import Function

FAMILIES: dict[str, tuple[Function, ...]] = {
    "Strings": (*STRING_FUNCTIONS, *MASK_FUNCTIONS, *IDENTIFIERS),
    "Texts and bytes": BYTE_FUNCTIONS,
    "Numbers": NUMBER_FUNCTIONS,
    "Nulls and keys": NULL_FUNCTIONS,
    "Arrays": COLLECTION_FUNCTIONS,
    "Maps": MAP_FUNCTIONS,
    "Lambdas": LAMBDA_FUNCTIONS,
    "JSON": JSON_FUNCTIONS,
    "URLs": URL_FUNCTIONS,
    "Dates and times": DATE_FUNCTIONS,
}

REFUSED = {
    "RANDOM": "a replay would write other records; UUID() is different for each record and the same in every run",
    **dict.fromkeys(("JSON_CONCAT", "DOUBLE_FROM_BYTES", "COLLECT_MAP", "ATTR"), "it has no form on both engines"),
}
