"""YAML to plain data with places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsqlc.yaml.nodes import read_yaml


def test_scalars_mean_what_yaml_1_2_says() -> None:
    """Words of YAML 1.1 such as `yes` and dates stay text; numbers, truth values and null are read."""
    document = read_yaml(
        "[1, -2, 0x1f, 0o17, 1.5, 1e3, .5, -.inf, true, False, ~, yes, 2013-01-01, '1', 1_0, +]", "x.yml"
    )
    assert document.data == [
        1, -2, 31, 15, 1.5, 1000.0, 0.5, float("-inf"), True, False, None, "yes", "2013-01-01", "1", "1_0", "+",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("a: 1\n\tb: 2", "LSQ003", 2, 1),
        ("a: b: c", "LSQ003", 1, 5),
        ("é: \x01", "LSQ003", 1, 4),
        ("a: [1,\nb: 2", "LSQ003", 3, 1),
        ("a: @x", "LSQ003", 1, 4),
        ("\ud800", "LSQ003", 1, 1),
        ("a: 1\nb: 2\na: 3", "LSQ004", 3, 1),
        ("a: &x 1\nb: *x", "LSQ005", 1, 4),
        ("b: *x", "LSQ005", 1, 4),
        ("a: !!python/object/apply:os.system [ls]", "LSQ005", 1, 4),
        ("a: 1\n---\nb: 2", "LSQ005", 2, 1),
        ("? [a]\n: 1", "LSQ005", 1, 3),
        ("[" * 900, "LSQ005", 1, 65),
        ("- " * 900, "LSQ005", 1, 129),
        ("{a: " * 900, "LSQ005", 1, 257),
    ],
)
def test_bad_yaml_is_refused_at_its_place(text: str, code: str, line: int, column: int) -> None:
    """Each kind of bad document gives one diagnostic where it goes wrong, and no data."""
    document = read_yaml(text, "x.yml")
    assert [(d.code, d.line, d.column) for d in document.diagnostics] == [(code, line, column)]
    assert document.data is None


@pytest.mark.parametrize("part", ["[", "- ", "{a: "])
def test_a_hostile_depth_is_refused_by_the_same_code(part: str) -> None:
    """libyaml 0.2.6 and newer have a limit of their own, which they meet before the events of the first levels."""
    document = read_yaml(part * 100_000, "x.yml")
    (diagnostic,) = document.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("LSQ005", "nested deeper than 64")
    assert (diagnostic.column or 0) > 64
    assert document.data is None


def test_all_duplicate_keys_are_told() -> None:
    """Reading goes on behind a duplicate key."""
    document = read_yaml("a: 1\na: 2\nb: {c: 1, c: 2}\n", "x.yml")
    assert [(d.code, d.line, d.column) for d in document.diagnostics] == [("LSQ004", 2, 1), ("LSQ004", 3, 11)]


@pytest.mark.parametrize(
    ("text", "word", "line", "column"),
    [
        ("k: id INT, bad X\n", "bad", 1, 12),
        ("k: 'id INT, bad X'\n", "bad", 1, 13),
        ('k: "id INT, bad X"\n', "bad", 1, 13),
        ("k: |\n  id INT,\n  bad X\n", "bad", 3, 3),
        ("k: >-  # note\n    id INT,\n    bad X\n", "bad", 3, 5),
        ("k: id INT,\n   bad X\n", "bad", 2, 4),
        ("é: ü INT, bad X\n", "bad", 1, 11),
    ],
)
def test_a_word_in_a_scalar_is_found_in_the_file(text: str, word: str, line: int, column: int) -> None:
    """An offset in a value leads to the line and column in the file, in every style of scalar."""
    document = read_yaml(text, "x.yml")
    (key,) = document.data
    span = document.locate((key,), document.data[key].index(word), len(word))
    assert (span.line, span.column, span.end_column) == (line, column, column + len(word))


def test_escapes_hide_the_word_but_not_the_scalar() -> None:
    """Where escapes make columns uncertain the whole scalar is shown."""
    document = read_yaml('k: "a\\tb X"\n', "x.yml")
    span = document.locate(("k",), 4)
    assert (span.line, span.column, span.end_column) == (1, 4, 12)


def test_places_of_keys_and_values() -> None:
    """A value, a key and an item have their own places; a place that is not there gives what is around it."""
    document = read_yaml("a:\n  - b: 1\n    c: [x, yy]\n", "x.yml")
    assert (document.span(("a", 0, "c", 1)).line, document.span(("a", 0, "c", 1)).column) == (3, 12)
    assert (document.key_span(("a", 0, "c")).line, document.key_span(("a", 0, "c")).column) == (3, 5)
    assert document.span(("a", 0, "nope")).line == 2
    assert document.raw(("a", 0, "b")) == "1"


@given(st.text())
def test_any_text_ends_in_data_or_diagnostics(text: str) -> None:
    """No text at all raises."""
    document = read_yaml(text, "x.yml")
    assert all(d.code in ("LSQ003", "LSQ004", "LSQ005") for d in document.diagnostics)


@given(st.text(alphabet="ab:-[]{},'\"&*!|>#? \n\t1"))
def test_any_text_of_yaml_marks_ends_in_data_or_diagnostics(text: str) -> None:
    """Text that is dense with YAML's own marks does not raise either, and every place lies in the text."""
    document = read_yaml(text, "x.yml")
    rows = text.count("\n") + 2
    assert all(d.line is not None and 1 <= d.line <= rows for d in document.diagnostics)
