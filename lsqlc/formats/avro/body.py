"""Whether the bytes of a body in Avro are what a schema writes, before fastavro reads them.

fastavro takes a negative number of a branch or of a symbol for one from the end. It takes numbers of any length for an
int or a long, and any byte for a boolean. It reads as many empty items as a block declares.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from lsqlc.formats.avro.tree import Avro

Pass = Callable[[bytes, int], int]
"""From the bytes and the position of a value to the position behind it. Raises BrokenError, and IndexError behind the
last byte.
"""

_INT, _LONG = 32, 64
# Empty items of an array or a map in a record: each takes memory, and no byte.
MOST_EMPTY = 1_000


class BrokenError(ValueError):
    """Bytes that the schema does not write."""


def body_checker(schema: Avro) -> Callable[[bytes, int], bool]:
    """Return the function from bytes, and the position of a body in them, to whether the body has a value. Bytes behind
    the value do not count.
    """
    skip = _skip(schema)

    def check(content: bytes, start: int) -> bool:
        try:
            return skip(content, start) <= len(content)
        except (BrokenError, IndexError):
            return False

    return check


def _skip(schema: Avro) -> Pass:
    match schema.kind:
        case "null":
            return lambda content, at: at
        case "boolean":
            return _boolean
        case "int":
            return _integer(_INT)
        case "long":
            return _integer(_LONG)
        case "float" | "double":
            return _fixed(4 if schema.kind == "float" else 8)
        case "fixed":
            return _fixed(schema.size)
        case "bytes" | "string":
            return _sized
        case "enum":
            return _choice([_fixed(0)] * len(schema.symbols))
        case "union":
            return _choice([_skip(branch) for branch in schema.inner])
        case "record":
            return _record([_skip(member.schema) for member in schema.members])
        case "map":
            value = _skip(schema.inner[0])
            return _blocks(lambda content, at: value(content, _sized(content, at)), may_be_empty=False)
    item = schema.inner[0]
    return _blocks(_skip(item), may_be_empty=_may_be_empty(item))


def _may_be_empty(schema: Avro) -> bool:
    """Return whether values have no bytes."""
    if schema.kind == "record":
        return all(_may_be_empty(member.schema) for member in schema.members)
    return schema.kind == "null" or (schema.kind == "fixed" and schema.size == 0)


def _number(content: bytes, at: int, bits: int) -> tuple[int, int]:
    """Return a number of at most so many bits, and the position behind it."""
    byte = content[at]
    if byte < 128:
        return byte >> 1 ^ -(byte & 1), at + 1
    number, shift = byte & 127, 7
    while byte >= 128:
        at += 1
        byte = content[at]
        number |= (byte & 127) << shift
        shift += 7
        if number >> bits or shift > bits + 7:
            raise BrokenError
    return number >> 1 ^ -(number & 1), at + 1


def _integer(bits: int) -> Pass:
    most = (bits + 6) // 7

    def integer(content: bytes, at: int) -> int:
        start = at
        while content[at] >= 128:
            at += 1
        if at - start >= most - 1:
            _number(content, start, bits)
        return at + 1

    return integer


def _boolean(content: bytes, at: int) -> int:
    if content[at] > 1:
        raise BrokenError
    return at + 1


@cache
def _fixed(size: int) -> Pass:
    return lambda content, at: at + size


def _sized(content: bytes, at: int) -> int:
    byte = content[at]
    if byte < 128 and not byte & 1:
        # Most texts have fewer than 64 bytes.
        return at + 1 + (byte >> 1)
    size, at = _number(content, at, _LONG)
    if not 0 <= size <= len(content) - at:
        raise BrokenError
    return at + size


def _choice(branches: list[Pass]) -> Pass:
    by_byte = {number << 1: branch for number, branch in enumerate(branches[:64])}

    def choice(content: bytes, at: int) -> int:
        branch = by_byte.get(content[at])
        if branch is not None:
            return branch(content, at + 1)
        number, at = _number(content, at, _INT)
        if not 0 <= number < len(branches):
            raise BrokenError
        return branches[number](content, at)

    return choice


def _record(members: list[Pass]) -> Pass:
    def record(content: bytes, at: int) -> int:
        for member in members:
            at = member(content, at)
        return at

    return record


def _blocks(item: Pass, *, may_be_empty: bool) -> Pass:
    def blocks(content: bytes, at: int) -> int:
        empty = 0
        while True:
            count, at = _number(content, at, _LONG)
            if count == 0:
                return at
            end = None
            if count < 0:
                size, at = _number(content, at, _LONG)
                count, end = -count, at + size
            if may_be_empty:
                empty += count
                if empty > MOST_EMPTY:
                    raise BrokenError
            else:
                for _ in range(count):
                    at = item(content, at)
            if end is not None and at != end:
                raise BrokenError

    return blocks
