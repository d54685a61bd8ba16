# ruff: noqa: E501  a table of values reads better in long rows
"""More calls, as in `calls`, with the type and the value that Spark gives."""

from __future__ import annotations

import datetime
from typing import Any

ANSI = "stops a query of Spark in ANSI mode"


def utc(*parts: int) -> datetime.datetime:
    return datetime.datetime(*parts, tzinfo=datetime.UTC)  # type: ignore[arg-type,misc]


MORE_CALLS: tuple[tuple[str, str, Any, str], ...] = (
    # Lambdas
    ("transform(a, x -> x + 1)", "ARRAY<INT>", [2, 3, None], ""),
    ("transform(a, (x, i) -> x + i + l)", "ARRAY<BIGINT>", [5000000001, 5000000003, None], ""),
    ("transform(array(array(1, 2), array(3)), x -> transform(x, (y, k) -> y * k + size(x)))", "ARRAY<ARRAY<INT>>", [[2, 4], [1]], ""),
    ("filter(a, x -> x > 1)", "ARRAY<INT>", [2], ""),
    ("filter(a, (x, i) -> i > 0)", "ARRAY<INT>", [2, None], ""),
    ("exists(a, x -> x > 1)", "BOOLEAN", True, ""),
    ("exists(a, x -> x > 5)", "BOOLEAN", None, ""),
    ("exists(array(1), X -> x > 5)", "BOOLEAN", False, ""),
    ("forall(a, x -> x > 0)", "BOOLEAN", None, ""),
    ("forall(array(1), x -> x > 0)", "BOOLEAN", True, ""),
    ("aggregate(a, 0, (s, x) -> s + coalesce(x, 0))", "INT", 3, ""),
    ("aggregate(a, 0L, (s, x) -> s + coalesce(x, 0), s -> s * 10)", "BIGINT", 30, ""),
    ("aggregate(array(1, 2, 3), struct(0 as n, 0 as t), (st, x) -> struct(st.n + 1 as n, st.t + x as t), st -> st.t / st.n)", "DOUBLE", 2.0, ""),
    ("reduce(array(1, 2), 'x', (p, x) -> concat(p, cast(x as string)), p -> upper(p))", "STRING", "X12", ""),
    ("reduce(cast(null as array<int>), 0, (s, x) -> s + x)", "INT", None, ""),
    ("zip_with(a, array(1, 2), (x, y) -> x + y)", "ARRAY<INT>", [2, 4, None], ""),
    ("zip_with(array('a'), array(i, 7), (x, y) -> struct(x, y).y)", "ARRAY<INT>", [7, 7], ""),
    ("array_sort(array(3, 1, 2), (p, q) -> q - p)", "ARRAY<INT>", [3, 2, 1], ""),
    ("array_sort(array('bb', 'a', 'ccc', 'd'), (p, q) -> length(p) - length(q))", "ARRAY<STRING>", ["a", "d", "bb", "ccc"], ""),
    # Maps and structs
    ("map(1, 'a', 2, 'b')", "MAP<INT,STRING>", {1: "a", 2: "b"}, ""),
    ("map(1, 'a', 1, 'b')", "MAP<INT,STRING>", None, ANSI),
    ("map(n, 'a')", "MAP<INT,STRING>", None, ANSI),
    ("map('a', n)", "MAP<STRING,INT>", {"a": None}, ""),
    ("map('a', 1)['a']", "INT", 1, ""),
    ("map('a', 1)['b']", "INT", None, ""),
    ("map_from_arrays(array(1, 2), array('x', s))", "MAP<INT,STRING>", {1: "x", 2: "Héllo😀"}, ""),
    ("map_from_arrays(array(1, 2), array('x'))", "MAP<INT,STRING>", None, ANSI),
    ("map_from_entries(array(struct(1, 'a'), struct(2, 'b')))", "MAP<INT,STRING>", {1: "a", 2: "b"}, ""),
    ("map_from_entries(array(struct(1, 'a'), struct(1, 'b')))", "MAP<INT,STRING>", None, ANSI),
    ("map_concat(map(1, 'a'), map(2, 'b'))", "MAP<INT,STRING>", {1: "a", 2: "b"}, ""),
    ("map_concat(map(1, 'a'), map(1, 'b'))", "MAP<INT,STRING>", None, ANSI),
    ("str_to_map('a:1,b:2')", "MAP<STRING,STRING>", {"a": "1", "b": "2"}, ""),
    ("str_to_map('a=1;b', ';', '=')", "MAP<STRING,STRING>", {"a": "1", "b": None}, ""),
    ("str_to_map('a:1,a:2')", "MAP<STRING,STRING>", None, ANSI),
    ("map_filter(mp, (k, v) -> v is null)", "MAP<STRING,INT>", {"y": None}, ""),
    ("map_filter(map('a', 1, 'b', 2), (k, v) -> v > 1 and k <> s)", "MAP<STRING,INT>", {"b": 2}, ""),
    ("transform_keys(map('a', 1, 'b', 2), (k, v) -> upper(k))", "MAP<STRING,INT>", {"A": 1, "B": 2}, ""),
    ("transform_keys(map('a', 1, 'b', 2), (k, v) -> 'x')", "MAP<STRING,INT>", None, ANSI),
    ("transform_values(map('a', 1, 'b', 2), (k, v) -> v + i)", "MAP<STRING,INT>", {"a": 8, "b": 9}, ""),
    ("map_zip_with(map('a', 1, 'b', 2), map('b', 3), (k, v, w) -> coalesce(v, 0) + coalesce(w, 0))", "MAP<STRING,INT>", {"a": 1, "b": 5}, ""),
    ("struct(i, f + 1, s as t).col2", "DOUBLE", 3.5, ""),
    ("(i, s).s", "STRING", "Héllo😀", ""),
    # Conversions by name
    ("date(ts)", "DATE", datetime.date(2023, 11, 14), ""),
    ("timestamp(dt)", "TIMESTAMP", utc(2023, 11, 14), ""),
    ("string(i)", "STRING", "7", ""),
    ("int('12')", "INT", 12, ""),
    ("double(i)", "DOUBLE", 7.0, ""),
    ("boolean('true')", "BOOLEAN", True, ""),
)  # fmt: skip
