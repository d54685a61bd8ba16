"""Functions over texts by Spark's names that no other dialect has."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Sequence
from urllib.parse import quote_plus, unquote_plus

from lsqlc.functions.forms import regexes
from lsqlc.functions.forms.sizes import MOST, bounded
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, RenderByValue, ValueForm
from lsqlc.functions.sql.binaries import DECODE, decode_spark
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, BYTES, INT, STRING, Array, DataType

_TEXT, _OTHER = Parameter("text", "string"), Parameter("other", "string")
_DELIMITER, _COUNT = Parameter("delimiter", "string"), Parameter("count", "index")
_PATTERN = Parameter("pattern", "regex", literal=True)
_SHA = {0: "sha256", 224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}
_NOT_ESCAPED = re.compile("%(?![0-9A-Fa-f]{2})")


def translated(text: str, old: str, new: str) -> str:
    """Replace characters. The first of equal characters of `old` is used; one without a counterpart in `new` is
    removed.
    """
    into: dict[int, str] = {}
    for i, letter in enumerate(old):
        into.setdefault(ord(letter), new[i : i + 1])
    return text.translate(into)


def repeated(text: str, count: int) -> str | None:
    return text * count if len(text) * count <= MOST else None


def located(target: str, text: str, place: int) -> int:
    if place < 1 or not target:
        return int(place > 0)
    return text.find(target, place - 1) + 1


def part_until(text: str, delimiter: str, count: int) -> str:
    """Return the part before a delimiter, counted from the start, or after one, counted from the end.

    Delimiters may overlap.
    """
    if not delimiter or not count:
        return ""
    place = -1 if count > 0 else len(text) - len(delimiter) + 1
    for _ in range(min(abs(count), len(text) + 1)):
        if count > 0:
            place = text.find(delimiter, place + 1)
        else:
            place = text.rfind(delimiter, 0, place - 1 + len(delimiter)) if place > 0 else -1
        if place < 0:
            return text
    return text[:place] if count > 0 else text[place + len(delimiter) :]


def part(text: str, delimiter: str, number: int) -> str | None:
    parts = text.split(delimiter) if delimiter else [text]
    if number == 0:
        return None
    place = number - 1 if number > 0 else len(parts) + number
    return parts[place] if 0 <= place < len(parts) else ""


def distance(text: str, other: str) -> int:
    """Return the fewest insertions, deletions and replacements of code points, by the Wagner-Fischer matrix, row by
    row.
    """
    row = list(range(len(other) + 1))
    for i, letter in enumerate(text, 1):
        before, row[0] = row[0], i
        for j, theirs in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (letter != theirs))
    return row[-1]


def near(text: str, other: str, most: int) -> int:
    edits = distance(text, other)
    return edits if edits <= most else -1


def sha2(text: str, bits: int) -> str | None:
    return hashlib.new(_SHA[bits], text.encode()).hexdigest() if bits in _SHA else None


def place_in_set(target: str, items: str) -> int:
    parts = items.split(",")
    return parts.index(target) + 1 if target in parts else 0


def url_encoded(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def url_decoded(text: str) -> str | None:
    """Decode a text. None for an escape without two digits, and for a result with the replacement character U+FFFD."""
    if _NOT_ESCAPED.search(text):
        return None
    decoded = unquote_plus(text, errors="replace")
    return None if "\ufffd" in decoded else decoded


def counted(text: str, pattern: str) -> int | None:
    """Count the matches. None if one is empty and a character is beyond U+FFFF, because Java also matches between its
    surrogates.
    """
    matching_texts = regexes.matches(text, pattern)
    return None if _in_halves(text, matching_texts) else len(matching_texts)


def all_parts(text: str, pattern: str, number: int) -> list[str] | None:
    return None if _in_halves(text, regexes.matches(text, pattern)) else regexes.parts(text, pattern, number)


def _in_halves(text: str, matching_texts: list[str]) -> bool:
    return "" in matching_texts and any(ord(character) > 0xFFFF for character in text)


def place_of_match(text: str, pattern: str) -> int:
    start = regexes.start(text, pattern)
    return 0 if start is None else start + 1


def capitalized(text: str) -> str:
    """Capitalize words, which are separated by spaces. The title case of a letter may be several letters."""
    return " ".join(word[:1].title() + word.lower()[len(word[:1].lower()) :] for word in text.split(" "))


def first_match(text: str, pattern: str) -> str | None:
    matching_texts = regexes.matches(text, pattern)
    return matching_texts[0] or None if matching_texts else None


def _form(name: str, function: object, *parameters: str, returns: str = "VARCHAR") -> PythonForm:
    assert callable(function)
    return PythonForm(f"lsqlc_sql_{name}", function, parameters, returns)


_V, _I = "VARCHAR", "INTEGER"
_LOCATE = _form("locate", located, _V, _V, _I, returns=_I)
_TEXTS = always(STRING)


def _at(name: str, duckdb: PythonForm, spark: str, doc: str) -> Function:
    return Function(name, (_TEXT, _DELIMITER, _COUNT), _TEXTS, duckdb, spark, doc, nulls=Nulls.MAY)


def _groups(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    pattern, group = literals[1], literals[2] if len(literals) > 2 else 1
    is_there = isinstance(pattern, str) and isinstance(group, int) and 0 <= group <= regexes.groups(pattern)
    return Array(STRING) if is_there else None


_DISTANCE = PythonForm("lsqlc_sql_levenshtein", distance, ("VARCHAR", "VARCHAR"), "INTEGER")
_NEAR = PythonForm("lsqlc_sql_levenshtein_near", near, ("VARCHAR", "VARCHAR", "INTEGER"), "INTEGER")


def _near_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return (_DISTANCE if len(texts) == 2 else _NEAR).call(texts)


def _decoded(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return STRING if str(literals[1]).upper() in ("UTF-8", "US-ASCII", "ISO-8859-1") else None


def _decoding(engine: Engine) -> RenderByValue:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        if engine == "duckdb":
            value = texts[0] if types[0] == BYTES else f"encode({texts[0]})"
            return DECODE.call([value, texts[1]])
        value = texts[0] if types[0] == BYTES else f"cast({texts[0]} as binary)"
        return decode_spark(value, str(values[1]))

    return render


_NOT_EMPTY = (
    "case when not {{0}} rlike r'[\\x{{{{10000}}}}-\\x{{{{10FFFF}}}}]'"
    " or not exists(regexp_extract_all({{0}}, {{1}}, 0), m -> m = '') then {} end"
)
TEXTS: tuple[Function, ...] = (
    Function("TRANSLATE", (_TEXT, Parameter("from", "string"), Parameter("to", "string")), _TEXTS,
             _form("translate", translated, _V, _V, _V), "translate({0}, {1}, {2})",
             "the text with each character of `from` replaced by that of `to` at its place, or left out without one"),
    Function("REPEAT", (_TEXT, _COUNT), _TEXTS, _form("repeat", repeated, _V, _I),
             f"case when cast(length({{0}}) as bigint) * {{1}} <= {MOST} then repeat({{0}}, {{1}}) end",
             "the text so many times; null beyond 1,000,000 code points", nulls=Nulls.MAY),
    Function("SPACE", (Parameter("size", "index"),), _TEXTS, bounded("repeat(' ', greatest({0}, 0))", 0),
             bounded("space({0})", 0), "so many spaces; null beyond 1,000,000", nulls=Nulls.SIZED),
    Function("ASCII", (_TEXT,), always(INT), "case when {0} = '' then 0 else unicode({0}) end", "ascii({0})",
             "the code point of the first character, 0 for an empty text"),
    Function("CHR", (Parameter("code", "integer"),), _TEXTS,
             "case when {0} < 0 then '' else chr(cast({0} & 255 as integer)) end", "chr({0})",
             "the character of a code of Latin-1, which is the rest modulo 256; empty for a negative one",
             aliases=("CHAR",)),
    Function("LOCATE", (Parameter("sought", "string"), _TEXT, Parameter("place", "index", optional=True, default=1)),
             always(INT), lambda texts, types: f"case when {texts[2]} is null then 0 else {_LOCATE.call(texts)} end",
             "locate({0}, {1}, {2})",
             "where `sought` first occurs at or behind a place, counted from 1, or 0; 0 for a place that is null",
             aliases=("POSITION",), uses=(_LOCATE,)),
    _at("SUBSTRING_INDEX", _form("substring_index", part_until, _V, _V, _I), "substring_index({0}, {1}, {2})",
        "the text before the delimiter of that number, or behind it, counted from the end, if negative"),
    _at("SPLIT_PART", _form("split_part", part, _V, _V, _I),
        "case when {2} <> 0 then split_part({0}, {1}, {2}) end",
        "the part of that number between the delimiters, from the end if negative; empty for none, null for 0"),
    Function("DECODE", (Parameter("bytes", "text or bytes"), Parameter("characters", "string", literal=True)),
             _decoded, ValueForm(_decoding("duckdb")), ValueForm(_decoding("spark")),
             "the text of bytes in a character set, UTF-8, US-ASCII or ISO-8859-1; null for bytes that are none. With"
             " more arguments it is CASE value WHEN one THEN result ... ELSE other END", nulls=Nulls.MAY,
             uses=(DECODE,)),
    Function("LEVENSHTEIN", (_TEXT, _OTHER, Parameter("most", "index", optional=True)), always(INT),
             _near_duckdb, lambda texts, types: f"levenshtein({', '.join(texts)})",
             "how many characters must be inserted, deleted or replaced; -1 for more than `most`",
             uses=(_DISTANCE, _NEAR)),
    Function("HEX", (Parameter("value", "code point"),), _TEXTS,
             lambda texts, types: f"hex({texts[0]})" if types[0] == STRING else f"hex(cast({texts[0]} as bigint))",
             "hex({0})", "the UTF-8 of a text, or an integer of 64 bits, in hexadecimal"),
    Function("BIN", (Parameter("number", "integer"),), _TEXTS, "bin({0})", "bin({0})",
             "the integer of 64 bits in binary digits"),
    Function("SHA2", (_TEXT, Parameter("bits", "index")), _TEXTS, _form("sha2", sha2, _V, _I), "sha2({0}, {1})",
             "the SHA-2 of the text of 224, 256 (or 0), 384 or 512 bits, in hexadecimal; null for another size",
             nulls=Nulls.MAY),
    Function("CRC32", (_TEXT,), always(BIGINT),
             _form("crc32", lambda text: zlib.crc32(text.encode()), _V, returns="BIGINT"), "crc32({0})",
             "the CRC-32 of the text in UTF-8"),
    Function("FIND_IN_SET", (Parameter("sought", "string"), Parameter("list", "string")), always(INT),
             _form("find_in_set", place_in_set, _V, _V, returns=_I), "find_in_set({0}, {1})",
             "the place of a text in a list with commas, counted from 1, or 0"),
    Function("URL_ENCODE", (_TEXT,), _TEXTS, _form("url_encode", url_encoded, _V), "url_encode({0})",
             "the text as the parameter of a URL"),
    Function("URL_DECODE", (_TEXT,), _TEXTS, _form("url_decode", url_decoded, _V),
             "case when not ({0} rlike '%(?![0-9A-Fa-f]{{2}})') and not contains(try_url_decode({0}), '\ufffd')"
             " then try_url_decode({0}) end",
             "the text that a parameter of a URL says; null if it is none, or no UTF-8", aliases=("TRY_URL_DECODE",),
             nulls=Nulls.MAY),
    Function("REGEXP_COUNT", (_TEXT, _PATTERN), always(INT),
             _form("regexp_count", counted, _V, _V, returns=_I),
             _NOT_EMPTY.format("regexp_count({0}, {1})"),
             "how often the pattern matches; null where a match is empty in a text with characters beyond U+FFFF",
             nulls=Nulls.MAY),
    Function("REGEXP_INSTR", (_TEXT, _PATTERN), always(INT),
             _form("regexp_instr", place_of_match, _V, _V, returns=_I), "regexp_instr({0}, {1})",
             "where the pattern first matches, counted from 1, or 0"),
    Function("INITCAP", (_TEXT,), _TEXTS, _form("initcap", capitalized, _V), "initcap({0})",
             "the text in lower case, with the first letter of each word between spaces in upper case"),
    Function("REGEXP_SUBSTR", (_TEXT, _PATTERN), _TEXTS, _form("regexp_substr", first_match, _V, _V),
             "regexp_substr({0}, {1})", "the first match of the pattern; null for none, or an empty one",
             nulls=Nulls.MAY),
    Function("REGEXP_EXTRACT_ALL", (_TEXT, _PATTERN, Parameter("group", "index", literal=True, optional=True,
                                                               default=1)),
             _groups, _form("regexp_extract_all", all_parts, _V, _V, _I, returns="VARCHAR[]"),
             _NOT_EMPTY.format("regexp_extract_all({0}, {1}, {2})"),
             "a group of every match of the pattern, the first one unless said, 0 for all of it;"
             " null where a match is empty in a text with characters beyond U+FFFF",
        nulls=Nulls.MAY),
)  # fmt: skip
