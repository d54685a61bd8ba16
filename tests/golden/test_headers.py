"""Headers in cases and in golden files: how they are written, when they are compared, and what is wrong with them."""

from __future__ import annotations

import pytest

from lsqlc.golden.cases import LoadedCases, load_cases
from lsqlc.golden.compare import compare, expected_rows
from lsqlc.golden.show import difference_lines
from lsqlc.golden.snapshot import golden_text, read_golden
from lsqlc.lower.duckdb import evaluate
from lsqlc.types.headers import Headers

from .project import late, load, outcome, plan

CASE = "cases:\n  - {name: a, model: m, inputs: {flights: [{key: x, value: {id: 1, delay: 5}, headers: %s}]}%s}\n"
TRACE: Headers = (("trace", b"abc"), ("trace", b"\xff"), ("none", None))
WRITTEN = "[{key: trace, text: abc}, {key: trace, value: /w==}, {key: none}]"


def of_expected(headers: str, given: str = WRITTEN) -> list[str]:
    """What differs from an expected record with these headers."""
    row = f"{{key: x, value: {{id: 1, delay: 5}}{headers}}}"
    loaded = load(CASE % (given, f", expect: {{late: [{row}]}}"))
    assert loaded.diagnostics == ()
    (case,) = loaded.cases
    (found,) = evaluate(plan(), [case.case])
    return list(difference_lines(compare(plan(), expected_rows(plan(), case.expect), found, topics=case.expect)))


def test_headers_of_a_case() -> None:
    """By text or by base64; a list without any is as good as none."""
    (case,) = load(CASE % (WRITTEN, "")).cases
    assert [r.headers for r in case.case.records] == [TRACE]
    for none in ("[]", "null"):
        assert load(CASE % (none, "")).cases[0].case.records[0].headers is None


def test_headers_are_compared_where_they_are_stated() -> None:
    """A record of a STREAM that is made of one record keeps its headers."""
    assert of_expected("") == [] == of_expected(f", headers: {WRITTEN}") == of_expected(", headers: []", "[]")
    for other in (
        "[]",
        "[{key: trace, text: abc}]",
        "[{key: none}, {key: trace, text: abc}, {key: trace, value: /w==}]",
    ):
        (_, _, cell) = of_expected(f", headers: {other}")
        assert cell.strip().startswith("headers") and '"value":"/w=="' in cell
    (_, _, cell) = of_expected(", headers: [{key: a}]", "null")
    assert cell.split() == ["headers", "expected", '[{"key":"a","value":null}],', "found", "[]"]


def test_golden_files_have_headers() -> None:
    """Of records that have any; a line without them says nothing of them."""
    (first, second) = late(("x", 1, 5.0, 0), ("y", 2, 6.0, 0))
    found = outcome((type(first)("late", "x", first.value, 0, TRACE), second))
    text = golden_text(plan(), found)
    with_headers, without = text.splitlines()
    shown = '{"key":"trace","value":"YWJj"},{"key":"trace","value":"/w=="},{"key":"none","value":null}'
    assert with_headers.endswith(f',"headers":[{shown}]}}')
    assert "headers" not in without
    golden = read_golden(text, "g", plan())
    assert golden.diagnostics == () and [row.headers for row in golden.rows] == [TRACE, None]
    assert compare(plan(), golden.rows, found) == ()
    bare = read_golden(golden_text(plan(), outcome((first, second))), "g", plan())
    assert compare(plan(), bare.rows, found) == ()
    assert compare(plan(), golden.rows, outcome((first, second))) != ()


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ("[{text: abc}]", "headers[0].key: expected STRING NOT NULL"),
        ("[{key: a, value: abc!}]", "headers[0].value: expected BYTES"),
        ("[{key: a, value: YQ==, text: a}]", "headers[0]: expected either 'value' or 'text', found both"),
        ("[{key: a, valu: YQ==}]", "headers[0].valu: the field is not declared"),
        ("[null]", "headers[0]: expected a header, found null"),
        ("{a: b}", "headers: expected an ARRAY"),
    ],
)
def test_what_is_no_header(headers: str, said: str) -> None:
    """Is LSQ508 at its place, in a list and in a file of lines."""
    (found,) = load(CASE % (headers, "")).diagnostics
    assert (found.code, said in found.message) == ("LSQ508", True), found.message
    assert found.help == "a header has a `key`, and a `value` in base64 or a `text`"


def _of_line(headers: str) -> LoadedCases:
    texts = {
        "tests/c.yml": "cases: [{name: a, model: m, inputs: {flights: f.jsonl}}]",
        "tests/f.jsonl": f'{{"key":"x","value":{{"id":1}},"headers":{headers}}}\n',
    }
    return load_cases(texts, {"m": plan()})


def test_headers_in_files() -> None:
    (case,) = _of_line('[{"key":"trace","text":"abc"},{"key":"trace","value":"/w=="},{"key":"none"}]').cases
    assert case.case.records[0].headers == TRACE
    (found,) = _of_line('[{"value":"/w=="}]').diagnostics
    assert (found.code, found.span and (found.span.path, found.span.line)) == ("LSQ508", ("tests/f.jsonl", 1))
    (both,) = _of_line('[{"key":"a","value":"/w==","text":"b"}]').diagnostics
    assert both.code == "LSQ508"


def test_a_golden_line_with_bad_headers() -> None:
    line = '{"topic":"late","key":"x","value":{"id":1,"delay":5.0},"timestamp":0,"headers":[{"value":"!"}]}\n'
    assert {d.code for d in read_golden(line, "g", plan()).diagnostics} == {"LSQ511"}
    table = '{"topic":"counted","key":"x","value":{"n":1,"mean":5.0},"headers":[]}\n'
    assert [d.code for d in read_golden(table, "g", plan()).diagnostics] == ["LSQ511"]


def test_rows_of_a_table_have_no_headers() -> None:
    rows = "counted: [{key: x, value: {n: 1}, headers: []}]"
    (found,) = load(CASE % ("[]", f", expect: {{{rows}}}")).diagnostics
    assert (found.code, found.help) == ("LSQ505", "remove them")
