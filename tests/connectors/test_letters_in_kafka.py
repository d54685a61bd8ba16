"""What a letter says of a record in Kafka, from the line that the client makes of it."""

from __future__ import annotations

import pytest

from lsqlc.connectors.bad_records import BadRecord, reader
from lsqlc.connectors.kafka.codec import Codecs
from lsqlc.connectors.kafka.raw_lines import line_writer
from lsqlc.plan.kafka_order import lane
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Topic

NAMED = Topic("t", Facet(data.STRING, "string"), Facet(parse_columns("n INT"), "json"), ordinal_width=3)
NUMBERED = Topic("t", Facet(data.INT, "int"), Facet(parse_columns("n INT"), "json"), ordinal_width=3)
SEVEN = b"\x00\x00\x00\x07"


@pytest.mark.parametrize(
    ("topic", "key", "value", "texts"),
    [
        (NAMED, b'a "b"', b' {"n": "x"} ', ('a "b"', None, '{"n": "x"}', None)),
        (NAMED, None, b'{"n":"x",\n"m":1}', (None, None, '{"n":"x", "m":1}', None)),
        (NAMED, b"a\tb", b'{"n": ', ("a\tb", None, '{"n": ', None)),
        (NAMED, b"\xff", b'{"n":1}', ("/w==", "base64", '{"n":1}', None)),
        (NAMED, b"a", b"\x00\x01", ("a", None, "AAE=", "base64")),
        (NUMBERED, SEVEN, b"[1]", ("7", None, "[1]", None)),
        (NUMBERED, SEVEN, b"", ("7", None, "", None)),
        (NUMBERED, b"7", b"null", ("7", None, None, None)),
    ],
)
def test_texts_of_bytes(topic: Topic, key: bytes | None, value: bytes, texts: tuple[str | None, ...]) -> None:
    """What was read is text: a STRING bare, all else as JSON. What cannot be read are its bytes, in base64 if they are
    no text.
    """
    line = line_writer(topic, Codecs())(key, value, 5, (5, 12, lane("t", 3)))
    found = reader(topic)(line.rstrip(b"\n"))
    assert isinstance(found, BadRecord)
    letter = found.letter("prices")
    assert (found.timestamp, letter["partition"], letter["offset"], letter["model"]) == (5, 3, 12, "prices")
    names = ("key", "key_encoding", "value", "value_encoding")
    assert tuple(letter[name] for name in names) == texts


def test_a_line_of_a_folder_has_no_place_in_kafka() -> None:
    """Also where its ordinal has three numbers, as that of a join."""
    found = reader(NAMED)('{"ordinal":[5,12,3],"timestamp":5,"key":"a","value":{"n":"x"}}')
    assert isinstance(found, BadRecord)
    assert {found.partition, found.offset, found.texts.key, found.texts.value} == {None}
