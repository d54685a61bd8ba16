"""Storage formats: which one a result has, what STORE makes of it, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

import lsqlc
from lsqlc.formats.catalogue import named, storable
from tests.each import each

# What each format of a key can be stored as, itself aside; whatever is not here cannot be.
TABLE = {
    "int": {"long", "string", "avro", "json_sr", "protobuf"},
    "long": {"string", "avro", "json_sr", "protobuf"},
    "string": {"avro", "json_sr", "protobuf"},
    "json": {"avro", "json_sr", "protobuf"},
    "avro": {"json", "json_sr", "protobuf"},
    "json_sr": {"json", "avro", "protobuf"},
    "protobuf": {"json", "avro", "json_sr"},
}
TYPES = dict.fromkeys(("json", "avro", "json_sr", "protobuf"), "a INT, b STRING")


def key_of(format: str) -> dict[str, str]:
    """A declaration of a key in a format, which may be a windowed one."""
    inner = format[3:-1] if format[:3] in ("tw[", "sw[") else format
    return {"format": format, **({"schema": TYPES[inner]} if inner in TYPES else {})}


def compiled(text: str, key: Any = "INT", value: Any = "n INT, name STRING, at STRUCT<x: INT>") -> lsqlc.Plan:
    return lsqlc.compile(text, topics=[lsqlc.Topic("t", key, value)])


def formats_of(text: str, key: Any = "INT", value: Any = "n INT, name STRING, at STRUCT<x: INT>") -> tuple[str, str]:
    """The formats of key and value that a program writes."""
    topic = compiled(text, key, value).outputs[0]
    return topic.key.format, topic.value.format


def pairs() -> list[tuple[str, str, bool]]:
    """Every pair of formats, plain and in windows, and whether the one can be stored as the other."""
    plain = [(a, b, a == b or b in TABLE.get(a, ())) for a in storable() for b in storable()]
    alike = [(f"{w}[{a}]", f"{w}[{b}]", ok) for w in ("tw", "sw") for a, b, ok in plain]
    across = [(f"{v}[{f}]", f"{w}[{f}]", False) for v, w in (("tw", "sw"), ("sw", "tw")) for f in storable()]
    out = [(f"{w}[{f}]", f, False) for w in ("tw", "sw") for f in storable()]
    return [*plain, *alike, *across, *out, *((b, a, False) for a, b, _ in out)]


@each(("before", "after", "allowed"), pairs())
def test_every_pair_of_formats(before: str, after: str, allowed: bool) -> None:
    """The table is the whole of it: a pair converts or is refused as LSQ326, in a window by the format inside."""
    text = f"INSERT INTO o STORE KEY AS {after.upper()} SELECT STREAM * FROM t"
    if allowed:
        assert formats_of(text, key_of(before)) == (after, "json")
        return
    with pytest.raises(lsqlc.CompileError) as caught:
        compiled(text, key_of(before))
    assert [(d.code, d.column) for d in caught.value.diagnostics] == [("LSQ326", 28)]


@pytest.mark.parametrize(
    ("before", "after", "given", "stored"),
    [
        ("int", "long", 7, 7),
        ("int", "string", -7, "-7"),
        ("int", "avro", 7, 7),
        ("long", "string", 2**40, str(2**40)),
        ("string", "avro", "x", "x"),
        ("json", "avro", {"a": 1, "b": None}, {"a": 1, "b": None}),
        ("avro", "json", {"a": 1, "b": "x"}, {"a": 1, "b": "x"}),
        ("json_sr", "avro", {"a": 1, "b": "x"}, {"a": 1, "b": "x"}),
        ("int", "json_sr", 7, 7),
    ],
)
def test_what_is_stored(before: str, after: str, given: Any, stored: Any) -> None:
    """The key of each record, converted; a windowed one inside of its window, whose bounds stay."""
    for kind in ("", "tw", "sw"):
        key = {"key": given, "start": 0, "end": 10} if kind else given
        names = (f"{kind}[{before}]", f"{kind}[{after}]") if kind else (before, after)
        plan = compiled(f"INSERT INTO o STORE KEY AS {names[1]} SELECT TABLE n FROM t", key_of(names[0]))
        out = lsqlc.evaluate(plan, [lsqlc.Record("t", key, {"n": 1})])
        assert [r.key for r in out["o"]] == [{"key": stored, "start": 0, "end": 10} if kind else stored]


def test_a_stream_without_key_stays_without() -> None:
    """A record that lacks a windowed key is stored without one."""
    plan = compiled("INSERT INTO o STORE KEY AS TW[STRING] SELECT STREAM n FROM t", key_of("tw[int]"))
    records = [lsqlc.Record("t", key, {"n": 1}) for key in (None, {"key": None, "start": 0, "end": 1})]
    assert [r.key for r in lsqlc.evaluate(plan, records)["o"]] == [None, {"key": None, "start": 0, "end": 1}]


def test_both_facets_are_converted_and_both_refusals_shown() -> None:
    """KEY AS and VALUE AS, in either order."""
    assert formats_of("INSERT INTO o STORE VALUE AS AVRO KEY AS STRING SELECT STREAM n, name FROM t") == (
        "string",
        "avro",
    )
    with pytest.raises(lsqlc.CompileError) as caught:
        compiled("INSERT INTO o STORE KEY AS JSON VALUE AS INT SELECT STREAM n, name FROM t")
    assert [d.code for d in caught.value.diagnostics] == ["LSQ326", "LSQ326"]


@pytest.mark.parametrize("word", ["BIGINT", "Long", "long", "INTEGER", "tw[BigInt]", "SW[ varchar ]"])
def test_names_of_formats_have_the_synonyms_of_types(word: str) -> None:
    """In any case, as types have them."""
    assert named(word) in ("long", "int", "tw[long]", "sw[string]")


AVRO = {"format": "avro", "schema": "n INT, name STRING, at STRUCT<x: INT>, xs ARRAY<STRUCT<y: INT>>"}


@pytest.mark.parametrize(
    ("query", "formats"),
    [
        ("SELECT STREAM * FROM t", ("int", "avro")),
        ("SELECT STREAM n FROM t", ("int", "avro")),
        ("SELECT STREAM name AS _key FROM t", ("string", "avro")),
        ("SELECT STREAM n AS _value FROM t", ("int", "int")),
        ("SELECT STREAM at AS _value FROM t", ("int", "avro")),
        ("SELECT STREAM at AS _key FROM t", ("avro", "avro")),
        ("SELECT STREAM n AS _key.a FROM t", ("avro", "avro")),
        ("SELECT STREAM _value AS _key, n AS _value FROM t", ("avro", "int")),
        ("SELECT STREAM _key AS _value FROM t", ("int", "int")),
        ("SELECT STREAM x AS _value FROM t LATERAL xs AS x", ("int", "avro")),
        ("SELECT STREAM COUNT(*) AS c FROM t GROUP BY name", ("string", "avro")),
        ("SELECT STREAM COUNT(*) AS c FROM t GROUP BY name AS k", ("avro", "avro")),
        ("SELECT STREAM COUNT(*) AS c FROM t GROUP BY at", ("avro", "avro")),
        ("SELECT STREAM COUNT(*) AS _value FROM t GROUP BY name", ("string", "long")),
        ("SELECT STREAM COUNT(*) AS c FROM t WINDOW BY TUMBLE 1m GROUP BY name", ("tw[string]", "avro")),
        ("SELECT STREAM COUNT(*) AS c FROM t WINDOW BY HOP 2m, 1m GROUP BY name AS k", ("tw[avro]", "avro")),
        ("SELECT STREAM COUNT(*) AS c FROM t WINDOW BY SESSION 1m GROUP BY at", ("sw[avro]", "avro")),
    ],
)
def test_the_format_follows_the_source(query: str, formats: tuple[str, str]) -> None:
    """AVRO in, AVRO out; a computed primitive is its own format; the key that nobody projects keeps its own."""
    assert formats_of(query, "INT", AVRO) == formats


@pytest.mark.parametrize(
    ("query", "formats"),
    [
        ("SELECT STREAM * FROM t", ("tw[avro]", "int")),
        ("SELECT STREAM _key AS _value FROM t", ("tw[avro]", "avro")),
        ("SELECT STREAM _key.key AS _key FROM t", ("avro", "int")),
        ("SELECT STREAM _key.key.a AS _key FROM t", ("int", "int")),
        ("SELECT STREAM _key.start AS at FROM t", ("tw[avro]", "json")),
        ("SELECT STREAM COUNT(*) AS n FROM t GROUP BY t._key", ("tw[avro]", "json")),
        ("SELECT STREAM COUNT(*) AS n FROM t WINDOW BY TUMBLE 1m GROUP BY t._key", ("tw[avro]", "json")),
    ],
)
def test_windowed_keys_stay_and_open(query: str, formats: tuple[str, str]) -> None:
    """A windowed key passes as it is; outside of the key it is a struct like any other."""
    assert formats_of(query, {"format": "tw[avro]", "schema": "a INT"}, "INT") == formats


def test_a_primitive_in_avro_that_passes_whole_stays_avro() -> None:
    """`*` over one source is its value as it is."""
    key, value = {"format": "avro", "schema": "INT"}, {"format": "avro", "schema": "STRING"}
    assert formats_of("SELECT STREAM * FROM t", key, value) == ("avro", "avro")
    assert formats_of("SELECT STREAM _value AS _value FROM t", key, value) == ("avro", "avro")
    assert formats_of("SELECT STREAM UPPER(_value) AS _value FROM t", key, value) == ("avro", "string")
