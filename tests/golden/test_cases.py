"""Case files to cases."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsqlc.golden.cases import cut, load_cases
from lsqlc.types.record import Case, Raw, Record

from .project import load, plan

HEAD = "cases:\n  - name: a case\n    model: m\n"


def _case(body: str):  # type: ignore[no-untyped-def]
    loaded = load(HEAD + body)
    assert loaded.diagnostics == (), loaded.diagnostics
    return loaded.cases[0]


def _found(text: str) -> list[tuple[str, int, int]]:
    return [(d.code, d.line or 0, d.column or 0) for d in load(text).diagnostics]


def test_inputs_keep_the_order_of_topics_and_records() -> None:
    """Topics come in the order written; what a record leaves out is null, a tombstone, or timestamp 0."""
    both = plan("INSERT INTO a SELECT STREAM id FROM flights; INSERT INTO b SELECT STREAM model FROM planes;")
    both_text = """cases:
  - name: a case
    model: m
    inputs:
      planes:
        - {key: 7, value: {model: A320}, timestamp: 5}
      flights:
        - {key: N1, value: {id: 7}, timestamp: 1970-01-01T00:00:01Z}
        - {key: N1}
        - {value: null}
"""
    loaded = load(both_text, {"m": both})
    assert loaded.diagnostics == ()
    nulls = {"id": 7, "delay": None, "dest": None, "price": None, "tags": None}
    assert loaded.cases[0].case.batches == (
        (
            Record("planes", 7, {"model": "A320"}, 5),
            Record("flights", "N1", nulls, 1000),
            Record("flights", "N1", None, 0),
            Record("flights", None, None, 0),
        ),
    )


def test_numbers_keep_the_digits_that_were_written() -> None:
    """A DECIMAL loses no digit, and an unquoted number for a STRING is the text as it stands."""
    case = _case("    inputs: {flights: [{key: 1.10, value: {price: 123456789012345678.90, dest: 007}}]}\n")
    record = case.case.records[0]
    assert (record.key, record.value["dest"]) == ("1.10", "007")
    assert record.value["price"] == Decimal("123456789012345678.90")


def test_unusual_integers_are_integers() -> None:
    """YAML's `+5` and `0x1F` are whole numbers for an INT."""
    case = _case("    inputs: {flights: [{value: {id: +5}}, {value: {id: 0x1F}}]}\n")
    assert [r.value["id"] for r in case.case.records] == [5, 31]


def test_arrivals_and_batches() -> None:
    """Arrivals keep their order; sizes cut them; lists of arrivals are batches as they are."""
    records = "[{topic: flights, key: a}, {topic: flights, key: b}, {topic: flights, key: c}]"
    cut_case = _case(f"    arrivals: {records}\n    batches: [1, 2]\n")
    assert [[r.key for r in b] for b in cut_case.case.batches] == [["a"], ["b", "c"]]
    written = _case("    batches: [[{topic: flights, key: a}], [{topic: flights, key: b}, {topic: flights, key: c}]]\n")
    assert written.case == cut_case.case
    assert (cut_case.batched, written.batched) == (True, True)
    assert not _case(f"    arrivals: {records}\n").batched


def test_now_is_an_instant() -> None:
    """`now` is epoch milliseconds or a date and time."""
    assert _case("    now: 5\n    inputs: {}\n").case.now == 5
    assert _case("    now: 1970-01-01T00:00:01+00:00\n    inputs: {}\n").case.now == 1000


def test_a_case_without_records() -> None:
    """`inputs: {}` is a case that gives no records."""
    assert _case("    inputs: {}\n").case.batches == ()


@pytest.mark.parametrize(
    ("body", "code", "line", "column"),
    [
        ("    inputs: {flight: []}\n", "LSQ506", 4, 14),
        ("    arrivals: [{topic: flight}]\n", "LSQ506", 4, 24),
        ("    arrivals: [{topic: [x]}]\n", "LSQ506", 4, 24),
        ("    arrivals: [{key: a}]\n", "LSQ017", 4, 16),
        ("    arrivals: [a]\n", "LSQ007", 4, 16),
        ("    inputs: {flights: [{kye: a}]}\n", "LSQ006", 4, 25),
        ("    inputs: {flights: {key: a}}\n", "LSQ007", 4, 23),
        ("    inputs: {flights: [{value: {id: one}}]}\n", "LSQ508", 4, 37),
        ("    inputs: {flights: [{value: {dely: 1}}]}\n", "LSQ508", 4, 33),
        ("    inputs: {flights: [{value: {tags: [a, {b: c}, [d]]}}]}\n", "", 0, 0),
        ("    inputs: {flights: [{value: {tags: a}}]}\n", "LSQ508", 4, 39),
        ("    inputs: {flights: [{timestamp: soon}]}\n", "LSQ507", 4, 36),
        ("    inputs: {flights: [{timestamp: 1.5}]}\n", "LSQ507", 4, 36),
        ("    now: 2013-01-01\n    inputs: {}\n", "LSQ507", 4, 10),
        ("    inputs: {}\n    arrivals: []\n", "LSQ504", 5, 5),
        ("    inputs: {}\n    batches: [1]\n", "LSQ504", 5, 14),
        ("    inputs: {}\n    batches: [0]\n", "LSQ504", 5, 15),
        ("    inputs: {}\n    batches: [[{topic: flights}]]\n", "LSQ504", 5, 5),
        ("    batches: [2]\n", "LSQ504", 2, 11),
        ("    batches: [[]]\n", "LSQ504", 4, 15),
        ("    expect: {}\n", "LSQ504", 2, 11),
        ("    inputs: {}\n    expect: {lat: []}\n", "LSQ505", 5, 14),
        ("    inputs: {}\n    expect: {counted: [{key: a, timestamp: 1}]}\n", "LSQ505", 5, 33),
        ("    inputs: {}\n    expect: {late: [{value: {id: x}}]}\n", "LSQ508", 5, 34),
        ("    inputs: {}\n    modle: m\n", "LSQ006", 5, 5),
    ],
)
def test_a_mistake_is_told_at_its_place(body: str, code: str, line: int, column: int) -> None:
    """Each mistake is one diagnostic, at the very words."""
    expected = [(code, line, column)] if code else []
    assert _found(HEAD + body) == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("case:\n  - name: a\n", [("LSQ500", 1, 1)]),
        ("Cases: []\n", [("LSQ500", 1, 1)]),
        ("topics: []\nothers: &x 1\n", []),
        ("", []),
        ("cases: []\ncases: []\n", [("LSQ004", 2, 1)]),
        ("cases: {}\n", [("LSQ007", 1, 8)]),
        ("cases:\nextra: 1\n", [("LSQ006", 2, 1)]),
        ("cases:\n  - name: [\n", [("LSQ003", 3, 1)]),
        ("cases:\n  - {name: a, model: mm, inputs: {}}\n", [("LSQ501", 2, 22)]),
        ("cases:\n  - {name: a/b, model: m, inputs: {}}\n", [("LSQ502", 2, 12)]),
        ("cases:\n  - {name: .., model: m, inputs: {}}\n", [("LSQ502", 2, 12)]),
        ("cases:\n  - {name: ä, model: m, inputs: {}}\n", [("LSQ502", 2, 12)]),
        ("cases:\n  - {model: m, inputs: {}}\n", [("LSQ017", 2, 5)]),
        ("cases:\n  - {name: a b, model: m, inputs: {}}\n  - {name: A_b, model: m, inputs: {}}\n", [("LSQ503", 3, 12)]),
    ],
)
def test_a_file_that_is_wrong(text: str, found: list[tuple[str, int, int]]) -> None:
    """What is no case file is passed over, unless it was meant to be one; the rest is told at its place."""
    assert _found(text) == found


def test_all_mistakes_at_once_and_the_good_cases() -> None:
    """One bad case does not hide the next mistake, nor a good case."""
    loaded = load(
        "cases:\n"
        "  - {name: a, model: m, inputs: {flights: [{value: {id: x, delay: y}}, {value: {id: z}}]}}\n"
        "  - {name: b, model: m, inputs: {}}\n"
        "  - {name: c, model: n, inputs: {}}\n"
    )
    assert [d.code for d in loaded.diagnostics] == ["LSQ508"] * 3 + ["LSQ501"]
    assert [c.name for c in loaded.cases] == ["b"]
    assert not loaded.complete


def test_cases_of_a_model_without_plan_are_set_aside() -> None:
    """A model that did not compile, or was not selected, has cases that are neither loaded nor wrong."""
    loaded = load_cases({"t.yml": "cases:\n  - {name: a, model: n, inputs: {x: 1}}\n"}, {}, models=["n"])
    assert loaded.diagnostics == () and loaded.cases == ()
    assert [(s.model, s.name) for s in loaded.skipped] == [("n", "a")]


def test_two_files_are_read_in_order_of_their_paths() -> None:
    """Cases come in order of path, whatever the order of the mapping; a name is unique over files."""
    one = "cases:\n  - {name: a, model: m, inputs: {}}\n"
    loaded = load_cases({"b.yml": one, "a.yml": one.replace("name: a", "name: z")}, {"m": plan()})
    assert [c.name for c in loaded.cases] == ["z", "a"]
    assert [d.code for d in load_cases({"b.yml": one, "a.yml": one}, {"m": plan()}).diagnostics] == ["LSQ503"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["a", "m", "flights", "0", "é", "2013"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["flights", "late", "topic", "key", "value", "timestamp", "id", "tags"]), inner
        )
    ),
    max_leaves=12,
)
KEYS = ("now", "inputs", "arrivals", "batches", "expect", "more")


@settings(deadline=None)
@given(
    st.lists(st.fixed_dictionaries({"name": st.just("a"), "model": st.just("m")}, optional=dict.fromkeys(KEYS, JSON)))
)
def test_no_case_file_ends_in_a_traceback(cases: list[dict[str, object]]) -> None:
    """Whatever a case file holds, each case is loaded or told about with a place."""
    loaded = load(f"cases: {json.dumps(cases)}\n")
    assert len(loaded.cases) == len(cases) or loaded.diagnostics
    assert all(d.span is not None and d.span.path == "tests/c.yml" for d in loaded.diagnostics)


@given(st.integers(0, 30), st.integers(1, 8))
def test_cutting_keeps_every_record_in_order(count: int, batches: int) -> None:
    """`cut` gives as many batches as asked for, or one for each record, of nearly the same size."""
    records = tuple(Record("t", i) for i in range(count))
    found = cut(Case("c", (records,)), batches)
    assert found.records == records
    sizes = [len(b) for b in found.batches]
    assert len(sizes) == min(count, batches)
    assert not sizes or max(sizes) - min(sizes) <= 1


def test_a_record_that_nobody_has_read() -> None:
    """`raw` is the text of the value as it stands in the line, `raw_key` that of the key; what is written is kept."""
    case = _case("""    inputs:
      flights:
        - {raw_key: 'true', raw: '{"id": 1', timestamp: 7}
        - key: N1
          raw: |
            {"id": "x"}
""")
    assert case.case.records == (
        Record("flights", Raw("true"), Raw('{"id": 1'), 7),
        Record("flights", "N1", Raw('{"id": "x"}'), 0),
    )


@pytest.mark.parametrize(
    ("record", "code", "column"),
    [
        ("{key: N1, value: {id: 1}, raw: '1'}", "LSQ504", 37),
        ("{key: N1, raw_key: 'N2', raw: '1'}", "LSQ504", 21),
        ("{key: N1, raw: 1}", "LSQ007", 26),
        ('{key: N1, raw: "1\\n2"}', "LSQ504", 26),
    ],
)
def test_raw_text_that_cannot_be_a_line(record: str, code: str, column: int) -> None:
    """A facet is given once, as text, in one line."""
    found = _found(HEAD + f"    inputs:\n      flights:\n        - {record}\n")
    assert [(c, column) for c, _, column in found] == [(code, column)]
