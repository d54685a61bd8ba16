"""HASH and XXHASH64 of Spark: Murmur3 of 32 bits and xxHash of 64 bits.

The seed of each value is the hash of the values before it, and 42 at first. A null keeps the hash.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from decimal import Decimal as Number

from lsqlc.functions.forms.casts import cast
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render
from lsqlc.sql import duckdb as duckdb_text
from lsqlc.types import data
from lsqlc.types.data import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    DataType,
    Decimal,
)

_SEED = 42
_32, _64 = (1 << 32) - 1, (1 << 64) - 1
# The representation that is hashed: an int, a long, a float, a double, bytes, or a decimal by its scale.
_TAGS: dict[DataType, str] = {
    BOOLEAN: "i", INT: "i", DATE: "i", BIGINT: "l", TIMESTAMP: "l", FLOAT: "f", DOUBLE: "d", STRING: "s", BYTES: "b",
    NULL: "i",
}  # fmt: skip
_LONG_DIGITS = 18


def _rotated(value: int, by: int, bits: int) -> int:
    return (value << by | value >> (bits - by)) & ((1 << bits) - 1)


def _mixed(hash: int, word: int) -> int:
    word = _rotated(word * 0xCC9E2D51 & _32, 15, 32) * 0x1B873593 & _32
    return (_rotated(hash ^ word, 13, 32) * 5 + 0xE6546B64) & _32


def murmur(words: Sequence[int], size: int, seed: int) -> int:
    """Return the hash of words of 32 bits with a total of `size` bytes."""
    hash = seed & _32
    for word in words:
        hash = _mixed(hash, word & _32)
    hash ^= size
    hash = (hash ^ hash >> 16) * 0x85EBCA6B & _32
    hash = (hash ^ hash >> 13) * 0xC2B2AE35 & _32
    return hash ^ hash >> 16


def _murmur_bytes(value: bytes, seed: int) -> int:
    """Return the hash of bytes. Each byte after the last whole word is a word, with its sign."""
    whole = len(value) // 4 * 4
    words = [*struct.unpack(f"<{whole // 4}I", value[:whole]), *struct.unpack(f"{len(value) - whole}b", value[whole:])]
    return murmur(words, len(value), seed)


_P1, _P2, _P3, _P4, _P5 = (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5,
)  # fmt: skip


def _final(hash: int) -> int:
    hash = (hash ^ hash >> 33) * _P2 & _64
    hash = (hash ^ hash >> 29) * _P3 & _64
    return hash ^ hash >> 32


def _round(lane: int, word: int) -> int:
    return _rotated((lane + word * _P2) & _64, 31, 64) * _P1 & _64


def _xx_bytes(value: bytes, seed: int) -> int:
    place, seed = 0, seed & _64
    if len(value) >= 32:
        lanes = [(seed + _P1 + _P2) & _64, (seed + _P2) & _64, seed, (seed - _P1) & _64]
        while place + 32 <= len(value):
            words = struct.unpack("<4Q", value[place : place + 32])
            lanes = [_round(lane, word) for lane, word in zip(lanes, words, strict=True)]
            place += 32
        hash = sum(_rotated(lane, by, 64) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True)) & _64
        for lane in lanes:
            hash = ((hash ^ _round(0, lane)) * _P1 + _P4) & _64
    else:
        hash = (seed + _P5) & _64
    hash = (hash + len(value)) & _64
    while place + 8 <= len(value):
        (word,) = struct.unpack("<Q", value[place : place + 8])
        hash = (_rotated(hash ^ _round(0, word), 27, 64) * _P1 + _P4) & _64
        place += 8
    if place + 4 <= len(value):
        (word,) = struct.unpack("<I", value[place : place + 4])
        hash = (_rotated(hash ^ word * _P1 & _64, 23, 64) * _P2 + _P3) & _64
        place += 4
    for byte in value[place:]:
        hash = _rotated(hash ^ byte * _P5 & _64, 11, 64) * _P1 & _64
    return _final(hash)


def _murmur_int(value: int, seed: int) -> int:
    return murmur([value], 4, seed)


def _murmur_long(value: int, seed: int) -> int:
    return murmur([value & _32, value >> 32 & _32], 8, seed)


def _xx_int(value: int, seed: int) -> int:
    return _xx_bytes(struct.pack("<I", value & _32), seed)


def _xx_long(value: int, seed: int) -> int:
    return _xx_bytes(struct.pack("<Q", value & _64), seed)


def _parts(value: str, tag: str) -> tuple[str, int | bytes]:
    """Return the kind of a value's representation, and the representation."""
    match tag[0]:
        case "i" | "l":
            return tag, int(value)
        case "f":
            return "i", struct.unpack("<I", struct.pack("<f", float(value) + 0.0))[0]
        case "d":
            return "l", struct.unpack("<Q", struct.pack("<d", float(value) + 0.0))[0]
        case "s":
            return "b", value.encode()
        case "b":
            return "b", bytes.fromhex(value)
    precision, scale = map(int, tag[1:].split("."))
    unscaled = int(Number(value).scaleb(scale))
    if precision <= _LONG_DIGITS:
        return "l", unscaled
    size = (unscaled + (unscaled < 0)).bit_length() // 8 + 1
    return "b", unscaled.to_bytes(size, "big", signed=True)


def _hashed(bits: int, kinds: dict[str, Callable[..., int]]) -> Callable[[list[str | None], str], int]:
    def hashed(values: list[str | None], tags: str) -> int:
        hash = _SEED
        for value, tag in zip(values, tags.split(","), strict=True):
            if value is not None:
                kind, part = _parts(value, tag)
                hash = kinds[kind](part, hash)
        return hash - (1 << bits) if hash >> (bits - 1) else hash

    return hashed


_HASH = PythonForm("lsqlc_sql_hash", _hashed(32, {"i": _murmur_int, "l": _murmur_long, "b": _murmur_bytes}),
                   ("VARCHAR[]", "VARCHAR"), "INTEGER")  # fmt: skip
_XXHASH = PythonForm("lsqlc_sql_xxhash64", _hashed(64, {"i": _xx_int, "l": _xx_long, "b": _xx_bytes}),
                     ("VARCHAR[]", "VARCHAR"), "BIGINT")  # fmt: skip


def _tag(type: DataType) -> str | None:
    return f"n{type.precision}.{type.scale}" if isinstance(type, Decimal) else _TAGS.get(type)


def _type(result: DataType) -> Callable[[Sequence[DataType], Sequence[object]], DataType | None]:
    return lambda types, literals: result if all(_tag(type) is not None for type in types) else None


def _as_text(text: str, type: DataType) -> str:
    if type == BOOLEAN:
        return f"cast(cast({text} as integer) as varchar)"
    if type == DATE:
        return f"cast({text} - date '1970-01-01' as varchar)"
    if type == TIMESTAMP:
        return f"cast(epoch_us({text}) as varchar)"
    if type == BYTES:
        return f"hex({text})"
    return cast("duckdb", text, type, data.STRING)


def _duckdb(form: PythonForm) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        items = ", ".join(_as_text(text, type) for text, type in zip(texts, types, strict=True))
        tags = ",".join(_tag(type) or "" for type in types)
        return form.call([f"cast([{items}] as varchar[])", duckdb_text.text(tags)])

    return render


HASHES: tuple[Function, ...] = tuple(
    Function(name, (Parameter("value", "any"),), _type(result), _duckdb(form),
             lambda texts, types, name=name: f"{name.lower()}({', '.join(texts)})",  # type: ignore[misc]
             f"{what} of all values, as Spark has it", nulls=Nulls.NEVER, variadic=True, uses=(form,), takes_null=True)
    for name, result, form, what in (("HASH", INT, _HASH, "the Murmur3 of 32 bits"),
                                     ("XXHASH64", BIGINT, _XXHASH, "the xxHash of 64 bits"))
)  # fmt: skip
