"""KEY_DELIMITER and VALUE_DELIMITER of ksqlDB: which statements have them, what they become in a plan, and in bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

import lsqlc
from lsqlc import Project, Record
from lsqlc.bind.ksql.program import compile_ksql
from lsqlc.bind.trace import Trace
from lsqlc.connectors.kafka.codec import Codecs, record_decoder, record_encoder
from lsqlc.formats.delimited import format as formats
from lsqlc.formats.windows import inside
from lsqlc.plan.topic_changes import topic_changes
from lsqlc.syntax.ksql.parser import parse
from lsqlc.types.record import Topic
from tests.ksql.programs import codes

_ROW = "(k STRING KEY, i INT, s STRING)"
_SAME = ", KEY_DELIMITER = ';', VALUE_DELIMITER = '|'"
_PIPE = f"CREATE STREAM a {_ROW} WITH (KAFKA_TOPIC = 'a', FORMAT = 'DELIMITED'{_SAME});"
_COMMA = f"CREATE STREAM a {_ROW} WITH (KAFKA_TOPIC = 'a', FORMAT = 'DELIMITED');"


def _topics(program: str) -> tuple[Topic, Topic]:
    """The topic that a program reads, and the one that it writes."""
    plan = lsqlc.compile(program, dialect="ksql")
    return plan.inputs[0], plan.outputs[0]


@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t", " ", "]", "[", "\\", "^", "-", "x", "§"])
def test_a_format_has_its_delimiter(delimiter: str) -> None:
    """Inside of a window too; a comma is not mentioned."""
    format = formats.delimited(delimiter)
    assert formats.delimiter(format) == delimiter
    assert inside(f"tw[{format}]") == format
    assert formats.delimiter("json") is None and formats.delimiter("delimited[;;]") is None


@pytest.mark.parametrize(
    ("text", "format"),
    [(";", "delimited[;]"), ("TAB", "delimited[tab]"), ("space", "delimited[space]"), (",", "delimited")],
)
def test_a_declared_stream_has_the_delimiters_of_its_statement(text: str, format: str) -> None:
    """And what a query makes of it, as ksqlDB passes them on."""
    properties = f"FORMAT = 'DELIMITED', KEY_DELIMITER = '{text}', VALUE_DELIMITER = '{text}'"
    program = f"CREATE STREAM a {_ROW} WITH (KAFKA_TOPIC = 'a', {properties}); CREATE STREAM o AS SELECT * FROM a;"
    for topic in _topics(program):
        assert (topic.key.format, topic.value.format) == (format, format)


@pytest.mark.parametrize(
    ("with_", "key", "value"),
    [
        ("", "delimited[;]", "delimited[|]"),
        ("WITH (VALUE_DELIMITER = '$')", "delimited[;]", "delimited[$]"),
        ("WITH (KEY_DELIMITER = ',')", "delimited", "delimited[|]"),
        ("WITH (VALUE_FORMAT = 'DELIMITED')", "delimited[;]", "delimited[|]"),
        ("WITH (FORMAT = 'JSON')", "json", "json"),
    ],
)
def test_a_query_has_those_of_its_source_or_its_own(with_: str, key: str, value: str) -> None:
    """Only where the format is the source's."""
    written = _topics(f"{_PIPE} CREATE STREAM o {with_} AS SELECT * FROM a;")[1]
    assert (written.key.format, written.value.format) == (key, value)


def test_a_source_in_another_format_has_no_delimiter_to_pass_on() -> None:
    """Then it is the comma; a windowed key has its delimiter inside."""
    source = "CREATE STREAM j (k STRING KEY, i INT) WITH (KAFKA_TOPIC = 'j', VALUE_FORMAT = 'JSON');"
    written = _topics(f"{source} CREATE STREAM o WITH (VALUE_FORMAT = 'DELIMITED') AS SELECT * FROM j;")[1]
    assert written.value.format == "delimited"
    grouped = f"{_PIPE} CREATE TABLE o AS SELECT k, COUNT(*) AS n FROM a WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY k;"
    assert _topics(grouped)[1].key.format == "tw[delimited[;]]"


@pytest.mark.parametrize("text", ["", " ", "\t", "\x01", "<~>", "TABS", '"', "\U0001f600"])
@pytest.mark.parametrize("facet", ["KEY", "VALUE"])
def test_what_is_not_a_delimiter_is_refused(facet: str, text: str) -> None:
    """Blank for Java, several characters, several UTF-16 code units, or the quote of cells."""
    with_ = f"FORMAT = 'DELIMITED', {facet}_DELIMITER = '{text}'"
    declared = f"CREATE STREAM s {_ROW} WITH (KAFKA_TOPIC = 's', {with_}); CREATE STREAM o AS SELECT * FROM s;"
    derived = f"{_COMMA} CREATE STREAM o WITH ({with_}) AS SELECT * FROM a;"
    assert codes(declared) == codes(derived) == ["LSQ374"]


def test_bytes_have_the_delimiter() -> None:
    """Those that are read, and those that are written."""
    source, target = _topics(f"{_PIPE} CREATE STREAM o WITH (VALUE_DELIMITER = '-') AS SELECT * FROM a;")
    record = record_decoder(source, Codecs())(b"k", b'7|"a|b"', 5, (0,))
    assert record.value == {"I": 7, "S": "a|b"}
    key, value = record_encoder(target, Codecs())(Record("O", "k;l", {"I": -7, "S": "a-b"}, 5))
    assert (key, value) == (b'"k;l"', b'"-7"-"a-b"')


def test_another_delimiter_is_another_format_of_the_topic() -> None:
    """Its readers can no longer read it; the query itself goes on."""
    query = "CREATE STREAM o {} AS SELECT * FROM a;"
    before = lsqlc.compile(_COMMA + query.format(""), dialect="ksql")
    after = lsqlc.compile(_COMMA + query.format("WITH (VALUE_DELIMITER = ';')"), dialect="ksql")
    (change,) = topic_changes(before.outputs[0], "STREAM", after.outputs[0], "STREAM")
    assert (change.rule, change.text) == ("value format", "value format delimited is now delimited[;]")
    assert before.fingerprint != after.fingerprint


def test_the_declaration_of_a_stream_in_another_model_has_them() -> None:
    """As an editor offers it."""
    trace = Trace()
    read = parse(f"{_PIPE} CREATE STREAM o WITH (KEY_DELIMITER = 'TAB') AS SELECT * FROM a;", "o.sql")
    assert read.program is not None
    compile_ksql(read.program, {}, name="o", trace=trace)
    assert "KEY_DELIMITER = 'TAB'" in trace.declarations["O"] and "VALUE_DELIMITER = '|'" in trace.declarations["O"]


_SECOND = (
    f"CREATE STREAM b {_ROW} WITH (KAFKA_TOPIC = '%s', FORMAT = 'DELIMITED'%s); CREATE STREAM p AS SELECT * FROM b;"
)


@pytest.mark.parametrize(
    ("topic", "first", "code"), [("a", "", "LSQ378"), ("O", "CREATE STREAM o AS SELECT * FROM a;", "LSQ328")]
)
def test_streams_over_one_topic_have_one_delimiter(topic: str, first: str, code: str) -> None:
    """Where each is declared, and where a query of the program writes the topic."""
    assert codes(_PIPE + first + _SECOND % (topic, _SAME)) == []
    assert code in codes(_PIPE + first + _SECOND % (topic, ""))


def test_a_topic_of_another_model_is_read_with_its_delimiter(tmp_path: Path) -> None:
    """A declaration with another one does not match the topic."""
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: shop\ndialect: ksql\n")
    (tmp_path / "models/o.sql").write_text(f"{_PIPE} CREATE STREAM o AS SELECT * FROM a;")
    (tmp_path / "models/p.sql").write_text(_SECOND % ("O", _SAME))
    assert Project.load(tmp_path).plan("p").inputs[0].value.format == "delimited[|]"
    (tmp_path / "models/p.sql").write_text(_SECOND % ("O", ""))
    with pytest.raises(lsqlc.CompileError) as refused:
        Project.load(tmp_path)
    assert [d.code for d in refused.value.diagnostics] == ["LSQ328"]
