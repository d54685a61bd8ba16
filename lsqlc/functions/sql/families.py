"""The functions of standard SQL in families, in the order of the documentation, and the names it refuses."""

from __future__ import annotations

from lsqlc.functions.signature import Function
from lsqlc.functions.sql.aggregates import SUMS_AND_COUNTS
from lsqlc.functions.sql.arrays import MORE_COLLECTIONS
from lsqlc.functions.sql.binaries import BINARIES
from lsqlc.functions.sql.calendar import CALENDAR
from lsqlc.functions.sql.choices import CHOICES
from lsqlc.functions.sql.formats import FORMATS
from lsqlc.functions.sql.hashes import HASHES
from lsqlc.functions.sql.json import JSON
from lsqlc.functions.sql.lambdas import LAMBDAS
from lsqlc.functions.sql.maps import MAPS
from lsqlc.functions.sql.numbers import MORE_NUMBERS
from lsqlc.functions.sql.scalars import COLLECTIONS, NUMBERS, OF_NULLS, STRINGS
from lsqlc.functions.sql.texts import TEXTS
from lsqlc.functions.sql.times import TIMES
from lsqlc.functions.sql.value_aggregates import VALUE_AGGREGATES

FAMILIES: dict[str, tuple[Function, ...]] = {
    "Strings": (*STRINGS, *TEXTS, *FORMATS),
    "Bytes": (*BINARIES, *HASHES),
    "Numbers": (*NUMBERS, *MORE_NUMBERS),
    "Nulls": (*OF_NULLS, *CHOICES),
    "Arrays, maps and structs": (*COLLECTIONS, *MORE_COLLECTIONS, *MAPS),
    "Lambdas": LAMBDAS,
    "JSON": JSON,
    "Dates and times": (*TIMES, *CALENDAR),
}

AGGREGATES = (*SUMS_AND_COUNTS, *VALUE_AGGREGATES)

_SESSION = "it depends on the session of a query, and a model has none"
_REPLAY = "a replay would write other records"
REFUSED = {
    **dict.fromkeys(("RAND", "RANDOM", "RANDN", "UUID", "MONOTONICALLY_INCREASING_ID", "SHUFFLE"), _REPLAY),
    **dict.fromkeys(("RANDSTR", "UNIFORM", "SPARK_PARTITION_ID", "INPUT_FILE_NAME"), _REPLAY),
    **dict.fromkeys(
        (
            "CURRENT_USER",
            "SESSION_USER",
            "USER",
            "CURRENT_CATALOG",
            "CURRENT_DATABASE",
            "CURRENT_SCHEMA",
            "CURRENT_TIMEZONE",
            "VERSION",
        ),
        _SESSION,
    ),
    **dict.fromkeys(("JAVA_METHOD", "REFLECT", "TRY_REFLECT"), "a method of Java may give anything"),
    **dict.fromkeys(("RAISE_ERROR", "ASSERT_TRUE"), "a record must not stop a model: filter it in WHERE"),
    **dict.fromkeys(
        ("NOW", "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURDATE", "LOCALTIMESTAMP"),
        "the rows of a view would change without a record",
    ),
}
