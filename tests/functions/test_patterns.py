"""Patterns of dates, regular expressions and JSON paths: what is taken, what is refused and why."""

from __future__ import annotations

import datetime
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsqlc.functions.forms import date_patterns, regexes
from lsqlc.functions.forms.time_zones import time_zone
from lsqlc.functions.lenses import accents, json_paths

_PATTERNS = (
    "yyyy-MM-dd HH:mm:ss.SSSSSS",
    "yyyyMMddHHmmss.SSSSSS",
    "d MMMM y, h:m:s a SSSSSS",
    "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "uuuu-MM-dd'T'HH:mm:ss[.SSSSSS]Z",
)


@given(st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)), st.sampled_from(_PATTERNS))
def test_what_a_pattern_writes_it_reads(time: datetime.datetime, pattern: str) -> None:
    """A pattern with every field gives back the time that it wrote."""
    assert date_patterns.fault(pattern, reads=True) is None
    assert date_patterns.parse(date_patterns.formatted(time, pattern), pattern) == time


@given(st.text(max_size=12), st.booleans())
def test_any_text_is_a_pattern_or_has_a_fault(text: str, reads: bool) -> None:
    """Nothing that is taken fails later: what has no fault reads and writes."""
    if date_patterns.fault(text, reads=reads) is None:
        date_patterns.formatted(datetime.datetime(2013, 7, 5), text)
        if reads:
            date_patterns.parse(text, text)


@given(st.text(alphabet="ab.[]()?*+{}|^$\\dw1,-<>=!i&:", max_size=12), st.text(alphabet="ab1 \n\r\u2028", max_size=6))
def test_any_text_is_a_regular_expression_or_has_a_fault(pattern: str, text: str) -> None:
    """A pattern without fault is one for Python, and finds something or nothing."""
    if regexes.fault(pattern) is None:
        assert all(found in text for found in regexes.matches(text, pattern))


@pytest.mark.parametrize(
    ("pattern", "reads", "part"),
    [
        ("Y", False, "'Y'"), ("w", False, "'w'"), ("z", True, "'z'"), ("VV", True, "'V'"), ("O", False, "'O'"),
        ("e", False, "'e'"), ("yyyy-MM-dd E", True, "'E' of a date pattern can only"), ("yyyy-D", True, "'D'"),
        ("yyyy-Q", True, "'Q'"), ("ZZZZ", True, "'ZZZZ'"), ("yyyy u", True, "'u'"), ("X Z", True, "'Z'"),
        ("yyyy[", True, "closed"), ("yyyy]", True, "closed"), ("yyyy[HH[mm]]", False, "closed"),
        ("HH[XXX]", True, "'XXX' of a date pattern cannot be optional"), ("[HH]", True, "not optional"),
        ("H[mm]", True, "'H' and 'mm'"), ("H[:]mm", True, "'H' and 'mm'"), ("s[.SSS]S", True, "'S'"),
        ("yyyy[HH][mm][ss][.S][ ]", True, "at most 4 optional"),
    ],
)  # fmt: skip
def test_a_letter_that_cannot_be_used_is_named(pattern: str, reads: bool, part: str) -> None:
    """What the engines compute otherwise, what no text can be read by, and sections that say too little."""
    fault = date_patterns.fault(pattern, reads=reads)
    assert fault is not None and part in fault


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("Z", 0), ("UTC", 0), ("UT", 0), ("GMT", 0), ("+2", 120), ("-02", -120), ("+02:30", 150), ("+0230", 150),
        ("UTC+7", 420), ("GMT-07:00", -420), ("UT+18", 1080), ("+18:00:00", 1080), ("Etc/GMT-1", 60),
        ("+18:01", None), ("+02:60", None), ("+2:00", None), ("+02:3000", None), ("UTC+", None), ("PST", None),
        ("utc+7", None), ("UTCUTC+7", None), ("", None), ("../UTC", None),
    ],
)  # fmt: skip
def test_zones_are_those_of_java(text: str, size: int | None) -> None:
    """Offsets in minutes."""
    zone = time_zone(text)
    offset = zone.utcoffset(datetime.datetime(2020, 1, 1)) if zone else None
    assert offset == (None if size is None else datetime.timedelta(minutes=size))


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("(a)++", "possessive"),
        (r"\p{IsGreek}", r"'\p{IsGreek}'"),
        (r"(?i)\p{Lu}", "without regard to case"),
        ("[[:alpha:]]", "inside '[ ]'"),
        ("a{,2}", "starts no count"),
        ("a(?s).", "group '(?s'"),
        ("(?x).", "group '(?x'"),
        ("[]a]", "right after '['"),
        ("[a&&b]", "'&&'"),
        ("[a", "not closed"),
        ("a\\", "backslash at the end"),
        ("(?<=a+)b", "look-behind"),
        (r"\12", r"'\1'"),
        ("a**", "repetition of a repetition"),
    ],
)
def test_what_java_and_python_read_differently_is_named(pattern: str, part: str) -> None:
    """The fault says which construct it is."""
    fault = regexes.fault(pattern)
    assert fault is not None and part in fault


def test_groups_are_refused_where_nothing_says_what_they_give() -> None:
    """Groups that capture, named ones too, but not those that only group."""
    assert regexes.fault("(a)") is None and regexes.fault("(?<n>a)") is None
    assert "groups" in (regexes.fault("(a)", groups=False) or "")
    assert "groups" in (regexes.fault("(?<n>a)", groups=False) or "")
    assert regexes.fault("(?:a)(?=b)", groups=False) is None


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(_VALUES)
def test_the_whole_of_a_text_is_found_as_json(value: object) -> None:
    """`$` finds the value, whatever it is; numbers of more than 38 digits become doubles, which are left out here."""
    text = json.dumps(value)
    if re.search(r"[0-9]{39}", text):
        return
    found = json_paths.extract_first(text, "$")
    assert found is not None and json.loads(found) == value


@given(st.text(max_size=20), st.sampled_from(["$", "$.a", "$[0]", "$[*]"]))
def test_any_text_has_an_answer(text: str, path: str) -> None:
    """Text that is no JSON gives null, not an error."""
    found = json_paths.extract_all(text, path)
    assert found is None or all(json.loads(one) is not ... for one in found)


def test_a_deep_text_is_null() -> None:
    """Nesting deeper than a reader can follow is no JSON."""
    assert json_paths.extract_first("[" * 100_000, "$") is None


def test_accents_are_one_table() -> None:
    """Each letter becomes one letter, which has no mark of its own."""
    letters = accents.plain_letters()
    assert letters["é"] == "e" and letters["Ł"] == "L" and len(letters) == 846
    assert all(len(a) == len(b) == 1 for a, b in letters.items())
    assert not set(letters.values()) & set(letters)
