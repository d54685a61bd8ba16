"""Cases from the records that topics have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.golden.cases import load_cases
from lsqlc.golden.recording import first_matching, recording
from lsqlc.lower.duckdb import evaluate
from lsqlc.types.record import StoredRecord

from .project import FLIGHTS, PLANES, plan

ONE = plan("INSERT INTO o SELECT STREAM id FROM flights;", name="one")
BOTH = plan(
    "INSERT INTO p SELECT STREAM id FROM flights; INSERT INTO q SELECT STREAM model FROM planes;", name="a-model"
)
TOPICS = {"flights": FLIGHTS, "planes": PLANES}


def _flight(ordinal: int, key: str | None, id: int | None) -> StoredRecord:
    value = None if id is None else {"id": id, "delay": 1.5, "dest": "BOS", "price": None, "tags": ["é"]}
    return StoredRecord("flights", key, value, ordinal * 1000, (ordinal,))


FLOWN = [_flight(0, "a", 1), _flight(2, None, 5), _flight(4, "a", None), _flight(6, "b", 9)]
PLANE = StoredRecord("planes", 7, {"model": "A320"}, 5, (1,))


def test_a_recording_gives_its_records_back() -> None:
    """Each model that reads the topic gets a case, with the very records, and the time of the last one as its clock."""
    made = recording({"flights": FLOWN}, TOPICS, {"one": ONE, "a-model": BOTH}, "tests", ())
    assert (made.models, made.lacking) == (("one", "a-model"), ("planes",))
    assert list(made.files) == ["tests/recorded/flights.jsonl", "tests/recorded/flights.yml"]
    loaded = load_cases(made.files, {"one": ONE, "a-model": BOTH})
    assert loaded.diagnostics == ()
    for case in loaded.cases:
        assert [(r.key, r.value, r.timestamp) for r in case.case.records] == [
            (r.key, r.value, r.timestamp) for r in FLOWN
        ]
        assert case.case.now == 6000 and case.name == "recorded flights"


def test_headers_are_recorded() -> None:
    """And are those of the case's records."""
    headers = (("trace", b"\xff"), ("trace", None))
    given = [FLOWN[0], replace(FLOWN[1], headers=headers)]
    made = recording({"flights": given}, TOPICS, {"one": ONE}, "tests", ())
    (case,) = load_cases(made.files, {"one": ONE}).cases
    assert [r.headers for r in case.case.records] == [None, headers]


def test_several_topics_stand_in_order_of_arrival() -> None:
    """A model that reads one of them gets that one's records alone."""
    made = recording({"flights": FLOWN, "planes": [PLANE]}, TOPICS, {"one": ONE, "a-model": BOTH}, "t", ())
    loaded = load_cases(made.files, {"one": ONE, "a-model": BOTH})
    assert loaded.diagnostics == () and made.lacking == ()
    one, both = loaded.cases
    assert [r.topic for r in one.case.records] == ["flights"] * 4
    assert [r.topic for r in both.case.records] == ["flights", "planes", "flights", "flights", "flights"]


@pytest.mark.parametrize(
    ("limit", "where", "keys"),
    [
        (2, None, ["a", None]),
        (9, "id > 1", [None, "b"]),
        (1, "id > 1", [None]),
        (9, "_key = 'a'", ["a"]),
        (9, "id > 9", []),
    ],
)
def test_which_records(limit: int, where: str | None, keys: list[str | None]) -> None:
    """The first ones for which the condition holds; one without a value satisfies none."""
    assert [r.key for r in first_matching(FLOWN, FLIGHTS, limit=limit, where=where, judge=evaluate)] == keys


def test_a_wrong_condition() -> None:
    """It says where, though it has no file."""
    with pytest.raises(LsqlcError) as raised:
        first_matching(FLOWN, FLIGHTS, limit=1, where="dely > 1", judge=evaluate)
    (found,) = raised.value.diagnostics
    assert (found.code, found.message, found.notes) == ("LSQ201", "--where: unknown column 'dely'", ("at 'dely'",))


@pytest.mark.parametrize(
    ("records", "model", "taken"),
    [
        ([], ONE, ()),
        (FLOWN, plan("SELECT STREAM model FROM planes", name="p"), ()),
        (FLOWN, ONE, ["T/RECORDED/flights.yml"]),
    ],
)
def test_what_cannot_be_recorded(records, model, taken) -> None:  # type: ignore[no-untyped-def]
    """No records, no model that reads them, or a file in the way."""
    with pytest.raises(LsqlcError) as raised:
        recording({"flights": records}, TOPICS, {model.name: model}, "t", taken)
    assert [d.code for d in raised.value.diagnostics] == ["LSQ528"]
