"""The JSON of ksqlDB in the language's own form."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from lsqlc.types.any_case import spelling
from lsqlc.types.data import DataType
from lsqlc.types.json_numbers import of_ksqldb, rewriter


@lru_cache(maxsize=512)
def from_ksqldb(type: DataType) -> Callable[[bytes], bytes]:
    """From a JSON text in UTF-8 that ksqlDB would read as the type to a text that the codec reads as the same value:
    with the names of fields, and with numbers in the form of their types. What ksqlDB would not read stays unreadable.
    """
    names, numbers = spelling(type), rewriter(of_ksqldb(type))
    return lambda text: names(numbers(text))
