"""JSON of records between bytes and Python values, and the JSON of ksqlDB in the language's own form."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from lsqlc.formats.json.any_case import spelling
from lsqlc.formats.json.numbers import of_ksqldb, rewriter
from lsqlc.types.data import DataType


@lru_cache(maxsize=512)
def from_ksqldb(type: DataType) -> Callable[[bytes], bytes]:
    """Return the function from a JSON text in UTF-8 that ksqlDB reads as the type to a text that the codec reads as the
    same value: with the names of fields, and with numbers in the form of their types. What ksqlDB cannot read stays
    unreadable.
    """
    names, numbers = spelling(type), rewriter(of_ksqldb(type))
    return lambda text: names(numbers(text))
