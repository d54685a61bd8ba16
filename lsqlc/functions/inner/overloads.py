"""Functions of Spark that differ for bytes or arrays and for texts. The forms for bytes and arrays have their own
names.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.forms.sizes import MOST
from lsqlc.functions.results import always, common
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, BOOLEAN, BYTES, INT, STRING, Array, DataType

_BYTES = Parameter("bytes", "bytes")
_PLACE, _SIZE = Parameter("place", "index"), Parameter("size", "index")
_SHA = {0: "sha256", 224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}


def cut(value: bytes, place: int, size: int) -> bytes:
    """Return a part of bytes from a position that counts from 1, or from the end if negative.

    The position may be before the first byte.
    """
    start = place - 1 if place > 0 else len(value) + place if place < 0 else 0
    return value[max(start, 0) : max(start + max(size, 0), 0)]


def padded(value: bytes, size: int, fill: bytes, *, left: bool) -> bytes | None:
    if size > MOST:
        return None
    missing = max(0, size - len(value)) if fill else 0
    filling = (fill * missing)[:missing]
    return (filling + value if left else value + filling)[: max(0, size)]


def _form(name: str, function: object, *more: str, returns: str = "BLOB") -> PythonForm:
    assert callable(function)
    return PythonForm(f"lsqlc_bytes_{name}", function, ("BLOB", *more), returns)


def _sha2(value: bytes, bits: int) -> str | None:
    return hashlib.new(_SHA[bits], value).hexdigest() if bits in _SHA else None


def _joined(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        common_type = common(types, ())
        assert common_type is not None
        wide = [widen(engine, text, type, common_type) for text, type in zip(texts, types, strict=True)]
        return f"({' || '.join(wide)})" if engine == "duckdb" else f"concat({', '.join(wide)})"

    return render


def _arrays(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    common_type = common(types, ())
    return common_type if isinstance(common_type, Array) else None


_FILL = Parameter("fill", "bytes", optional=True)


def _pad(name: str) -> Function:
    function = partial(padded, left=name == "LPAD")
    form = _form(name.lower(), lambda value, size, fill: function(value, size, fill), "INTEGER", "BLOB")

    def duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
        return form.call([*texts, "'\\x00'::blob"][:3])

    def spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
        value, size, fill = [*texts, "X'00'"][:3]
        return f"case when {size} <= {MOST} then {name.lower()}({value}, {size}, {fill}) end"

    return Function(f"{name}_BYTES", (_BYTES, _SIZE, _FILL), always(BYTES), duckdb, spark,
                    "bytes, filled on one side or cut to a size", nulls=Nulls.MAY, uses=(form,))  # fmt: skip


def laid_over(value: bytes, other: bytes, place: int, size: int) -> bytes:
    """Replace `size` bytes by others, from a position that counts from 1. A size of -1 is the size of the other
    bytes.
    """
    size = len(other) if size < 0 else size
    rest = place + size
    start = rest - 1 if rest > 0 else max(0, len(value) + rest) if rest < 0 else 0
    return value[: max(0, place - 1)] + other + value[start:]


def _tested(name: str, test: Callable[[bytes, bytes], bool], doc: str) -> Function:
    word = name.lower()
    return Function(f"{name}_BYTES", (_BYTES, Parameter("other", "bytes")), always(BOOLEAN),
                    _form(word, test, "BLOB", returns="BOOLEAN"), f"{word}({{0}}, {{1}})", doc)  # fmt: skip


FUNCTIONS: tuple[Function, ...] = (
    Function("CONCAT_ARRAYS", (Parameter("array", "array"),), _arrays, _joined("duckdb"), _joined("spark"),
             "the elements of all arrays", variadic=True),
    Function("REVERSE_ARRAY", (Parameter("array", "array"),), lambda types, literals: types[0],
             "list_reverse({0})", "reverse({0})", "the elements from the last to the first"),
    Function("CONCAT_BYTES", (_BYTES,), always(BYTES), _joined("duckdb"), _joined("spark"), "all bytes", variadic=True),
    Function("REVERSE_BYTES", (_BYTES,), always(BYTES), _form("reverse", lambda value: value[::-1]),
             "reverse({0})", "the bytes from the last to the first"),
    Function("HEX_BYTES", (_BYTES,), always(STRING), "hex({0})", "hex({0})", "the bytes in hexadecimal"),
    Function("BASE64_BYTES", (_BYTES,), always(STRING), "to_base64({0})",
             "replace(base64({0}), concat(chr(13), chr(10)), '')", "the bytes in base64"),
    Function("CRC32_BYTES", (_BYTES,), always(BIGINT),
             _form("crc32", lambda value: zlib.crc32(value), returns="BIGINT"), "crc32({0})",
             "the CRC-32 of the bytes"),
    Function("MD5_BYTES", (_BYTES,), always(STRING), "md5({0})", "md5({0})", "the MD5 of the bytes"),
    Function("SHA1_BYTES", (_BYTES,), always(STRING), "sha1({0})", "sha1({0})", "the SHA-1 of the bytes"),
    Function("SHA2_BYTES", (_BYTES, Parameter("bits", "index")), always(STRING),
             _form("sha2", _sha2, "INTEGER", returns="VARCHAR"), "sha2({0}, {1})", "the SHA-2 of the bytes",
             nulls=Nulls.MAY),
    Function("LENGTH_BYTES", (_BYTES,), always(INT), "cast(octet_length({0}) as integer)", "octet_length({0})",
             "how many bytes there are"),
    Function("BIT_LENGTH_BYTES", (_BYTES,), always(INT), "cast(8 * octet_length({0}) as integer)", "bit_length({0})",
             "how many bits there are"),
    Function("SUBSTRING_BYTES", (_BYTES, _PLACE, Parameter("size", "index", optional=True, default=2_147_483_647)),
             always(BYTES), _form("substring", cut, "INTEGER", "INTEGER"), "substring({0}, {1}, {2})",
             "the bytes from a place"),
    Function("LEFT_BYTES", (_BYTES, _SIZE), always(BYTES),
             _form("left", lambda value, size: value[: max(size, 0)], "INTEGER"), "left({0}, {1})", "the first bytes"),
    _tested("CONTAINS", lambda value, other: other in value, "whether bytes are in others"),
    _tested("STARTSWITH", lambda value, other: value.startswith(other), "whether bytes begin with others"),
    _tested("ENDSWITH", lambda value, other: value.endswith(other), "whether bytes end with others"),
    Function("OVERLAY_BYTES", (_BYTES, Parameter("other", "bytes"), _PLACE,
                               Parameter("size", "index", optional=True, default=-1)),
             always(BYTES), _form("overlay", laid_over, "BLOB", "INTEGER", "INTEGER"), "overlay({0}, {1}, {2}, {3})",
             "the bytes with others from a place"),
    _pad("LPAD"),
    _pad("RPAD"),
)  # fmt: skip
_OF_BYTES = {f.name.removesuffix("_BYTES"): f for f in FUNCTIONS if f.name.endswith("_BYTES")}
# The functions for bytes and for arrays, by the name of Spark's function.
OF_BYTES: Mapping[str, Function] = {**_OF_BYTES, "OCTET_LENGTH": _OF_BYTES["LENGTH"]}
OF_ARRAYS: Mapping[str, Function] = {f.name.rsplit("_", 1)[0]: f for f in FUNCTIONS if "ARRAY" in f.name}


def of_types(function: Function, types: Sequence[DataType]) -> Function | None:
    """Return the form of a function of Spark for arguments of these types; None if it is the function itself.

    The first argument decides. Bytes together with any other type are a text.
    """
    if isinstance(types[0], Array):
        return OF_ARRAYS.get(function.name)
    function_of_bytes = OF_BYTES.get(function.name) if types[0] == BYTES else None
    if function_of_bytes is None or (len(types) > len(function_of_bytes.parameters) and not function_of_bytes.variadic):
        return function_of_bytes
    all_bytes = all(type == BYTES or function_of_bytes.parameter(i).accepts != "bytes" for i, type in enumerate(types))
    return function_of_bytes if all_bytes else None
