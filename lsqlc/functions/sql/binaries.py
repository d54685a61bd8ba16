"""Functions by Spark's names between texts and bytes. Bytes that are invalid in a character set are null."""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Sequence

from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BOOLEAN, BYTES, INT, STRING, DataType

_V = "VARCHAR"
_TEXT, _BYTES = Parameter("text", "string"), Parameter("bytes", "text or bytes")
_SETS = {
    "UTF-8": "utf-8",
    "US-ASCII": "ascii",
    "ISO-8859-1": "latin-1",
    "UTF-16BE": "utf-16-be",
    "UTF-16LE": "utf-16-le",
}
_FORMS = ("HEX", "UTF-8", "UTF8", "BASE64")


def encoded(text: str, characters: str) -> bytes | None:
    try:
        return text.encode(_SETS[characters.upper()])
    except UnicodeError:
        return None


def decoded(value: bytes, characters: str) -> str | None:
    try:
        return value.decode(_SETS[characters.upper()])
    except UnicodeError:
        return None


def from_hex(text: str) -> bytes | None:
    if not re.fullmatch("[0-9A-Fa-f]*", text):
        return None
    return bytes.fromhex(text if len(text) % 2 == 0 else f"0{text}")


def to_bytes(text: str, form: str) -> bytes | None:
    """Return the bytes of a text in a format; None if the text is not valid in it."""
    match form.upper():
        case "HEX":
            return from_hex(text)
        case "BASE64":
            plain = re.sub(r"[\r\n\t ]", "", text)
            if len(plain.rstrip("=")) % 4 == 1 or not re.fullmatch("[A-Za-z0-9+/]*={0,2}", plain) or len(plain) % 4:
                return None
            return base64.b64decode(plain)
        case _:
            return text.encode()


def _in_set(types: Sequence[DataType], literals: Sequence[object], type: DataType) -> DataType | None:
    return type if str(literals[1]).upper() in _SETS else None


def _encode_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return _in_set(types, literals, BYTES)


def _form_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return BYTES if len(literals) < 2 or str(literals[1]).upper() in _FORMS else None


_ENCODE = PythonForm("lsqlc_sql_encode", encoded, (_V, _V), "BLOB")
_UNHEX = PythonForm("lsqlc_sql_unhex", from_hex, (_V,), "BLOB")
_TO_BINARY = PythonForm("lsqlc_sql_to_binary", to_bytes, (_V, _V), "BLOB")
DECODE = PythonForm("lsqlc_sql_decode", decoded, ("BLOB", _V), _V)
# Characters of US-ASCII and ISO-8859-1, because Spark stops a query at any other.
_WITHIN = (
    r"case when upper({1}) not in ('US-ASCII', 'ISO-8859-1') or {0} rlike"
    r" concat('\\A[\\x00-\\x', if(upper({1}) = 'US-ASCII', '7F', 'FF'), ']*\\z') then encode({0}, {1}) end"
)


def decode_spark(value: str, characters: str) -> str:
    """Return Spark's SQL for the text of bytes; null for invalid bytes."""
    is_valid = {
        "UTF-8": f"is_valid_utf8(cast({value} as string))",
        "US-ASCII": f"not hex({value}) rlike '^(..)*[89A-F]'",
        "ISO-8859-1": "true",
    }.get(characters.upper())
    return f"case when {is_valid} then decode({value}, '{characters}') end"


def utf8_valid(value: bytes) -> bool:
    return decoded(value, "UTF-8") is not None


_VALID = PythonForm("lsqlc_sql_is_valid_utf8", utf8_valid, ("BLOB",), "BOOLEAN")


def _as_bytes(engine: Engine, text: str, type: DataType) -> str:
    if type == BYTES:
        return text
    return f"encode({text})" if engine == "duckdb" else f"cast({text} as binary)"


def _valid(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return _VALID.call([_as_bytes("duckdb", texts[0], types[0])])


def _bit(engine: Engine) -> Render:
    """Return the form of the bit at a position from 0; null outside of the number."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        bits = 32 if types[0] == INT else 64
        bit = f"(cast({texts[0]} as bigint) >> cast({texts[1]} as integer)) & 1"
        bit_text = f"cast({bit} as integer)" if engine == "duckdb" else f"cast(bit_get({texts[0]}, {texts[1]}) as int)"
        return f"case when {texts[1]} between 0 and {bits - 1} then {bit_text} end"

    return render


def hmac_of(key: bytes, message: bytes, algorithm: str) -> bytes | None:
    """Return the authentication code of a message; None for an empty key."""
    return hmac.new(key, message, _ALGORITHMS[algorithm.upper().replace("-", "")]).digest() if key else None


def _hmac_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return BYTES if len(literals) < 3 or str(literals[2]).upper().replace("-", "") in _ALGORITHMS else None


def _hmac_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return _HMAC.call([*(_as_bytes("duckdb", t, k) for t, k in zip(texts[:2], types, strict=False)), texts[2]])


def _hmac_spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return f"case when octet_length({texts[0]}) > 0 then hmac({', '.join(texts)}) end"


_ALGORITHMS = {name: name.lower() for name in ("MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512")}
_HMAC = PythonForm("lsqlc_sql_hmac", hmac_of, ("BLOB", "BLOB", _V), "BLOB")
_BASE32 = PythonForm("lsqlc_sql_base32", lambda value: base64.b32encode(value).decode(), ("BLOB",), _V)
_MADE_VALID = PythonForm("lsqlc_sql_valid_utf8", lambda value: value.decode("utf-8", "replace"), ("BLOB",), _V)


def _of_bytes(form: PythonForm) -> Render:
    return lambda texts, types: form.call([_as_bytes("duckdb", texts[0], types[0])])


BINARIES: tuple[Function, ...] = (
    Function("ENCODE", (_TEXT, Parameter("characters", "string", literal=True)), _encode_type, _ENCODE, _WITHIN,
             f"the bytes of a text in a character set: {', '.join(_SETS)}", nulls=Nulls.MAY),
    Function("UNHEX", (_TEXT,), always(BYTES), _UNHEX, "unhex({0})",
             "the bytes that hexadecimal digits say; null for anything else", nulls=Nulls.MAY),
    Function("UNBASE64", (_TEXT,), always(BYTES),
             PythonForm("lsqlc_sql_unbase64", lambda text: to_bytes(text, "BASE64"), (_V,), "BLOB"),
             "try_to_binary({0}, 'base64')", "the bytes that BASE64 encoded; null for anything else", nulls=Nulls.MAY),
    Function("TO_BINARY", (_TEXT, Parameter("form", "string", literal=True, optional=True, default="hex")), _form_type,
             _TO_BINARY, "try_to_binary({0}, {1})",
             "the bytes that a text says: `hex` unless said, `utf-8` or `base64`; null for anything else",
             aliases=("TRY_TO_BINARY",), nulls=Nulls.MAY),
    Function("IS_VALID_UTF8", (_BYTES,), always(BOOLEAN), _valid,
             lambda texts, types: f"is_valid_utf8({texts[0]})", "whether bytes are a text in UTF-8", uses=(_VALID,)),
    Function("MAKE_VALID_UTF8", (_BYTES,), always(STRING), _of_bytes(_MADE_VALID), "make_valid_utf8({0})",
             "the text of bytes in UTF-8, U+FFFD for what is none", uses=(_MADE_VALID,)),
    Function("TO_BASE32", (_BYTES,), always(STRING), _of_bytes(_BASE32), "to_base32({0})",
             "the bytes in BASE32", uses=(_BASE32,)),
    Function("HMAC", (Parameter("key", "text or bytes"), Parameter("message", "text or bytes"),
                      Parameter("algorithm", "string", literal=True, optional=True, default="SHA-256")),
             _hmac_type, _hmac_duckdb, _hmac_spark,
             "the HMAC of a message, with SHA-256 or MD5, SHA-1, SHA-224, SHA-384, SHA-512; null for an empty key",
             nulls=Nulls.MAY, uses=(_HMAC,)),
    Function("BIT_GET", (Parameter("number", "integer"), Parameter("place", "index")), always(INT), _bit("duckdb"),
             _bit("spark"), "the bit of an integer at a place from 0; null where there is none", aliases=("GETBIT",),
             nulls=Nulls.MAY),
)  # fmt: skip
