"""Functions of ksqlDB between texts and bytes: encodings, characters, and numbers in bytes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence

from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render, Result, ValueForm
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, BYTES, INT, STRING, DataType

_TEXT = Parameter("text", "string")
_ENCODING = Parameter("encoding", "encoding", literal=True)
_MARKED = re.compile(r"0x(.*)|[xX]'(.*)'", re.DOTALL)


def to_bytes(text: str, encoding: str) -> bytes | None:
    """Return the bytes of a text in an encoding; None if the text is not valid in it."""
    try:
        match encoding.lower():
            case "hex":
                return bytes.fromhex(text) if text.isalnum() or not text else None
            case "base64":
                return base64.b64decode(text, validate=True)
            case "ascii":
                return text.encode("ascii", "replace")
            case _:
                return text.encode()
    except (ValueError, binascii.Error):
        return None


def from_bytes(value: bytes, encoding: str) -> str:
    match encoding.lower():
        case "hex":
            return value.hex().upper()
        case "base64":
            return base64.b64encode(value).decode()
        case "ascii":
            return value.decode("ascii", "replace")
        case _:
            return value.decode("utf-8", "replace")


def encode(text: str, before: str, after: str) -> str | None:
    """Convert a text from one encoding to another. Hexadecimal digits may follow `0x` or be in `X'...'`."""
    match = _MARKED.fullmatch(text) if before.lower() == "hex" else None
    value = to_bytes(match[match.lastindex or 1] if match else text, before)
    if value is None:
        return None
    return value.hex() if after.lower() == "hex" else from_bytes(value, after)


def code_point(text: str) -> str | None:
    """Return the character for a text of `\\u` and four hexadecimal digits."""
    match = re.fullmatch(r"\\u([0-9a-fA-F]{4})", text)
    code = int(match[1], 16) if match else 0xD800
    return None if 0xD800 <= code < 0xE000 else chr(code)


_TO_BYTES = PythonForm("lsqlc_ksql_to_bytes", to_bytes, ("VARCHAR", "VARCHAR"), "BLOB")
_FROM_BYTES = PythonForm("lsqlc_ksql_from_bytes", from_bytes, ("BLOB", "VARCHAR"), "VARCHAR")
_ENCODE = PythonForm("lsqlc_ksql_encode", encode, ("VARCHAR", "VARCHAR", "VARCHAR"), "VARCHAR")
_CODE_POINT = PythonForm("lsqlc_ksql_code_point", code_point, ("VARCHAR",), "VARCHAR")


def _spark_bytes(text: str, encoding: str) -> str:
    match encoding.lower():
        case "hex":
            return f"case when {text} rlike '^([0-9A-Fa-f][0-9A-Fa-f])*$' then unhex({text}) end"
        case "base64":
            return f"try_to_binary({text}, 'base64')"
        case "ascii":
            return rf"cast(regexp_replace({text}, '[^\\x00-\\x7F]', '?') as binary)"
        case _:
            return f"cast({text} as binary)"


def _spark_text(value: str, encoding: str, hex: str = "hex({})") -> str:
    match encoding.lower():
        case "hex":
            return hex.format(value)
        case "base64":
            return f"replace(base64({value}), concat(chr(13), chr(10)), '')"
        case "ascii":
            code = "cast(conv(h, 16, 10) as int)"
            letters = f"regexp_extract_all(hex({value}), '..', 0), h -> if({code} < 128, chr({code}), '\ufffd')"
            return f"array_join(transform({letters}), '')"
        case _:
            return f"make_valid_utf8(cast({value} as string))"


def _spark_encode(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    text, before, after = texts[0], str(values[1]), str(values[2])
    if before.lower() == "hex":
        quoted = f"{text} rlike '^[xX]\\'.*\\'$'"
        text = (
            f"case when {text} like '0x%' then substring({text}, 3)"
            f" when {quoted} then substring({text}, 3, length({text}) - 3) else {text} end"
        )
    return _spark_text(f"({_spark_bytes(f'({text})', before)})", after, "lower(hex({}))")


def _of_bytes(text: str, value: str) -> Render:
    """Return a form that depends on whether the argument is a text or bytes."""
    return lambda texts, types: (value if types[0] == BYTES else text).format(*texts)


def _same(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of the arguments, which are all texts or all bytes."""
    if BYTES not in types:
        return STRING
    return None if STRING in types else BYTES


def _concat(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        if BYTES not in types:
            return f"concat({', '.join(texts)})" if engine == "duckdb" else f"concat_ws('', {', '.join(texts)})"
        none = "''::blob" if engine == "duckdb" else "X''"
        return f"({' || '.join(f'coalesce({text}, {none})' for text in texts)})"

    return render


def _chr(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        code = texts[0]
        if types[0] == STRING:
            if engine == "duckdb":
                return _CODE_POINT.call([code])
            code = rf"cast(conv(nullif(regexp_extract({code}, '^\\\\u([0-9a-fA-F]{{4}})$', 1), ''), 16, 10) as int)"
        valid = f"{code} between 0 and 1114111 and not {code} between 55296 and 57343"
        if engine == "duckdb":
            return f"case when {valid} then chr(cast({code} as integer)) end"
        return f"case when {valid} then decode(unhex(lpad(hex({code}), 8, '0')), 'UTF-32') end"

    return render


def _integer(engine: Engine, size: int) -> ValueForm:
    """Return the form of the integer in this number of bytes, in big-endian order by default."""
    bits = size * 8

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        little = len(values) > 1 and str(values[1]).upper() == "LITTLE_ENDIAN"
        if engine == "duckdb":
            pairs = f"list_transform(range(1, {size * 2}, 2), lambda i: substring(hex({texts[0]}), i, 2))"
            digits = f"array_to_string({f'list_reverse({pairs})' if little else pairs}, '')"
            value, name = f"cast(cast('0x' || {digits} as ubigint) as hugeint)", "integer" if size == 4 else "bigint"
        else:
            pairs = f"regexp_extract_all(hex({texts[0]}), '..', 0)"
            digits = f"array_join({f'reverse({pairs})' if little else pairs}, '')"
            value, name = f"cast(conv({digits}, 16, 10) as decimal(20,0))", "int" if size == 4 else "bigint"
        signed = f"{value} - case when {value} >= {2 ** (bits - 1)} then {2**bits} else 0 end"
        return f"case when octet_length({texts[0]}) = {size} then cast({signed} as {name}) end"

    return ValueForm(render)


def _in_order(type: DataType) -> Result:
    def result(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
        order = literals[1] if len(literals) > 1 else "BIG_ENDIAN"
        return type if isinstance(order, str) and order.upper() in ("BIG_ENDIAN", "LITTLE_ENDIAN") else None

    return result


def _integer_of(name: str, size: int, type: DataType) -> Function:
    return Function(
        name, (Parameter("bytes", "bytes"), Parameter("order", "string", literal=True, optional=True)),
        _in_order(type), _integer("duckdb", size), _integer("spark", size),
        f"the {type} of {size} bytes, in the order 'BIG_ENDIAN' or 'LITTLE_ENDIAN'", nulls=Nulls.MAY,
    )  # fmt: skip


_ANY = Parameter("text", "text or bytes")
BYTE_FUNCTIONS: tuple[Function, ...] = (
    Function("CONCAT", (_ANY,), _same, _concat("duckdb"), _concat("spark"),
             "the texts or bytes one after the other; nulls are skipped", nulls=Nulls.NEVER, variadic=True),
    Function("LEN", (_ANY,), always(INT),
             _of_bytes("cast(length({0}) as integer)", "cast(octet_length({0}) as integer)"),
             _of_bytes("length({0})", "octet_length({0})"), "the number of code points, or of bytes"),
    Function("CHR", (Parameter("code", "code point"),), always(STRING), _chr("duckdb"), _chr("spark"),
             "the character of a code point, or of a text such as '\\u004b'; null if there is none", nulls=Nulls.MAY,
             uses=(_CODE_POINT,)),
    Function("ENCODE", (_TEXT, Parameter("from", "encoding", literal=True), Parameter("to", "encoding", literal=True)),
             always(STRING), _ENCODE, ValueForm(_spark_encode),
             "a text of one encoding (hex, utf8, ascii, base64) in another", nulls=Nulls.MAY),
    Function("TO_BYTES", (_TEXT, _ENCODING), always(BYTES), _TO_BYTES,
             ValueForm(lambda texts, types, values: _spark_bytes(texts[0], str(values[1]))),
             "the bytes that a text says in hex, utf8, ascii or base64", nulls=Nulls.MAY),
    Function("FROM_BYTES", (Parameter("bytes", "bytes"), _ENCODING), always(STRING), _FROM_BYTES,
             ValueForm(lambda texts, types, values: _spark_text(texts[0], str(values[1]))),
             "bytes as a text in hex, utf8, ascii or base64", nulls=Nulls.MAY),
    _integer_of("INT_FROM_BYTES", 4, INT),
    _integer_of("BIGINT_FROM_BYTES", 8, BIGINT),
)  # fmt: skip
