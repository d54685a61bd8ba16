"""Conditions with functions of Spark that are null, or fail, for some arguments.

`#i`, `#t`, `#d` and `#b` stand for any integer, text, double and condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_KINDS = {"i": "int", "t": "text", "d": "double", "b": "bool"}

CONDITIONS = (
    "#i / #i > 1", "(#i DIV #i) = 1", "(#i) % (#i) = 0", "#i * 1000000000 > #i", "TRY_DIVIDE(#d, #i) >= 0.5",
    "LOG(#d) > 0", "SQRT(#i) < 2", "FACTORIAL(#i) > 2", "GREATEST(#i, #i) > LEAST(#i, #i)", "#i BETWEEN #i AND #i",
    "NOT (#i NOT IN (#i, #i))", "CONV(#t, 16, 10) > '5'", "CHR(#i + 96) = #t", "ROUND(#d, 1) = #d", "MOD(#i, #i) < 1",
    "CAST(#t AS INT) < #i", "CAST(#t AS DOUBLE) = #i", "TRY_CAST(#t AS DATE) < DATE '2024-01-01'",
    "DATE_ADD(DATE '2024-01-01', #i) > TO_DATE(#t)", "MAKE_DATE(2024, #i, #i) > DATE '2024-02-01'",
    "REGEXP_LIKE(#t, '^[a-c]')", "REGEXP_EXTRACT(#t, '([a-z])_', 1) = #t", "#b AND #t RLIKE 'A'",
    "#t LIKE ANY ('a%', #t)", "#t NOT LIKE ALL ('a%', #t)", "#t ILIKE #t", "CONTAINS(#t, #t)", "STARTSWITH(#t, #t)",
    "SUBSTRING_INDEX(#t, '_', 1) = #t", "LPAD(#t, #i, 'x') > #t", "ASCII(#t) > 97 OR #b", "SUBSTRING(#t, #i, #i) < #t",
    "CONCAT_WS('-', #t, #t) <> #t", "ELEMENT_AT(SPLIT(#t, '_'), 2) = 'c'", "SPLIT(#t, '_')[1] <> #t",
    "ELT(#i, #t, #t) = 'a'", "ARRAY_CONTAINS(ARRAY(#i, #i), #i)", "SIZE(ARRAY_EXCEPT(ARRAY(#i, #i), ARRAY(#i))) = 1",
    "ARRAY_MAX(ARRAY(#i, #i)) = #i",
    "ARRAY(#i) = ARRAY(#i, 1)", "ARRAYS_OVERLAP(ARRAY(#i, #i), ARRAY(#i))", "ARRAY_POSITION(ARRAY(#i, 2), #i) > 0",
    "EXISTS(ARRAY(#i, #i), v -> v > #i)", "FORALL(ARRAY(#i, #i), v -> v > #i)",
    "AGGREGATE(ARRAY(#i, #i), 0, (s, v) -> s + v) > 2", "SIZE(FILTER(ARRAY(#i, #i), v -> v IS NULL)) = 1",
    "MAP('a', #i)[#t] > 1", "NAMED_STRUCT('a', #i) = NAMED_STRUCT('a', #i)",
    "STRUCT(#i AS a, #t AS b) IN (STRUCT(#i AS a, #t AS b))",
    "NULLIF(#b, #b)", "IF(#b, #b, NULL)", "COALESCE(#b, #t = 'a')", "NVL2(#t, #b, #i > 2)",
    "DECODE(#t, 'a', 1, 'b', 2) = #i", "CASE #i WHEN #i THEN #b WHEN 1 THEN NULL END", "#b = #b", "#b <=> (#i > 1)",
    "NOT (#b AND #b)", "(#b OR #b) IS NOT TRUE", "#b IS DISTINCT FROM #b",
)  # fmt: skip


def filled(form: str, draw: Callable[[str], str]) -> str:
    """A form with something drawn for each of its marks. `draw` makes an expression of a kind."""
    return re.sub("#([itdb])", lambda mark: draw(_KINDS[mark[1]]), form)
