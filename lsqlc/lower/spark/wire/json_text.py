"""Parts of JSON texts in Spark's SQL, and whether a text is JSON."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.formats.json.numbers import Rewriting
from lsqlc.sql.spark import struct, text


def base64_of(sql: str) -> str:
    """SQL for the base64 of BYTES in one line: Spark breaks it into lines of 76 characters."""
    return f"replace(base64({sql}), '\\r\\n', '')"


def json_outcome(json: str, wrong: str) -> str:
    """SQL of what reading bytes gives: their JSON text, and why they have none."""
    return struct((("json", json), ("wrong", wrong)))


def rewritten(json: str, rewritings: Sequence[Rewriting]) -> str:
    """SQL of a JSON text after all rewritings; most texts are given back as they are."""
    if not rewritings:
        return json
    if not json.isidentifier():
        # It is evaluated once.
        return f"get(transform(array({json}), _j -> {rewritten('_j', rewritings)}), 0)"
    result = json
    for rewriting in rewritings:
        result = f"regexp_replace({result}, {text(rewriting.pattern)}, {text(rewriting.replacement)})"
    return f"if({json} RLIKE {text('|'.join(r.pattern for r in rewritings))}, {result}, {json})"


def is_one_value(json: str) -> str:
    """SQL of whether a text is strictly one JSON value, blanks around it aside: false of NULL.

    Spark's parser stops where a value ends, whatever follows, so the elements of a list are counted. One value is one
    element, if it does not end the list by a bracket of its own. A text that ends it behind some elements has as many
    with another element behind the text, and one more with another before it. Two counts cost half of what it costs to
    compare the names of an object with one that the text cannot know.
    """
    before = f"json_array_length(concat('[', {json}, ',0]')) <=> 2"
    behind = f"json_array_length(concat('[0,', {json}, ']')) <=> 2"
    return f"{before} AND (instr({json}, ']') = 0 OR {behind})"
