"""JSON whose members have the names of fields in any case, as ksqlDB reads it, in structs at every level.

A member belongs to the field of exactly its name. Some fields have a name without a letter from a to z, such as
unquoted columns of ksqlDB. Such a field also matches a member whose name differs only in the case of the letters from a
to z. The last of several such members wins. All of them are ignored next to a member with the exact name, even if that
is null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase

import msgspec

from lsqlc.types.codec_json import MAX_DEPTH, JsonError, Kind, Node, read
from lsqlc.types.data import Array, DataType, Map, Struct, parts

Respell = Callable[[msgspec.Raw], msgspec.Raw]

_UPPER = str.maketrans(ascii_lowercase, ascii_uppercase)
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw]).decode
_write = msgspec.json.Encoder().encode


def foldable(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that match members in another case, in order."""
    return tuple(n for n in names if any(c in ascii_uppercase for c in n) and n == n.translate(_UPPER))


def names_in_any_case(type: DataType) -> tuple[str, ...]:
    """Return the names of fields, at any level of a type, that match members in another case, each once, in order."""
    names = (f.name for part in parts(type) if isinstance(part, Struct) for f in part.fields)
    return tuple(sorted(set(foldable(names))))


@lru_cache(maxsize=512)
def spelling(type: DataType) -> Callable[[bytes], bytes]:
    """Return the function from JSON text in UTF-8 to the same text with the names of the type's fields. A text does not
    change if its names are exact, if it is not JSON, or if an object has a name twice.
    """
    respell = _respeller(type)
    if respell is None:
        return lambda text: text

    def spelled(text: bytes) -> bytes:
        try:
            raw = msgspec.Raw(text)
            result = respell(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return text
        if result is raw:
            return text
        content = bytes(result)
        # A repeated name leaves only one member with its colon; the reader of the text refuses it.
        return content if content.count(b":") == text.count(b":") or _is_strict(text) else text

    return spelled


def with_field_names(type: DataType, node: Node) -> Node:
    """Return a value with the names of its type's fields. A name that occurs twice, in two cases, is kept twice."""
    match type:
        case Struct(fields) if node.kind is Kind.OBJECT:
            types = {field.name: field.type for field in fields}
            names, exact = set(foldable(types)), {name.value for name, _ in node.value}
            members = []
            for name, value in node.value:
                upper = name.value.translate(_UPPER)
                if name.value not in types and upper in names and upper not in exact:
                    name = replace(name, value=upper)
                inner = types.get(name.value)
                members.append((name, value if inner is None else with_field_names(inner, value)))
            return replace(node, value=members)
        case Array(element) if node.kind is Kind.ARRAY:
            return replace(node, value=[with_field_names(element, item) for item in node.value])
        case Map(_, inner) if node.kind is Kind.OBJECT:
            return replace(node, value=[(name, with_field_names(inner, value)) for name, value in node.value])
    return node


def _is_strict(text: bytes) -> bool:
    try:
        read(text.decode("utf-8"), MAX_DEPTH)
    except (JsonError, UnicodeDecodeError):
        return False
    return True


def _respeller(type: DataType) -> Respell | None:
    """Return the function from a value's text to the text with the names of fields. It returns the same object for
    exact names, and for a value of another type. None: the type has no such names. It raises msgspec.DecodeError.
    """
    match type:
        case Struct(fields):
            inner = {f.name: respell for f in fields if (respell := _respeller(f.type)) is not None}
            names = foldable(f.name for f in fields)
            return _of_struct(frozenset(names), inner) if names or inner else None
        case Array(element):
            respell = _respeller(element)
            return None if respell is None else _of_array(respell)
        case Map(_, value):
            respell = _respeller(value)
            return None if respell is None else _of_map(respell)
    return None


def _of_struct(names: frozenset[str], inner: Mapping[str, Respell]) -> Respell:
    def respell(text: msgspec.Raw) -> msgspec.Raw:
        if not _begins(text, b"{"):
            return text
        members = _OBJECT(text)
        other = {
            upper: name
            for name in members
            if name not in names and (upper := name.translate(_UPPER)) in names and upper not in members
        }
        if other:
            exact = {name: upper for upper, name in other.items()}
            members = {exact.get(name, name): value for name, value in members.items()}
        return _changed(text, members, inner, bool(other))

    return respell


def _of_map(inner: Respell) -> Respell:
    def respell(text: msgspec.Raw) -> msgspec.Raw:
        if not _begins(text, b"{"):
            return text
        members = _OBJECT(text)
        return _changed(text, members, dict.fromkeys(members, inner), False)

    return respell


def _of_array(inner: Respell) -> Respell:
    def respell(text: msgspec.Raw) -> msgspec.Raw:
        if not _begins(text, b"["):
            return text
        items = _ARRAY(text)
        results = [inner(item) for item in items]
        changed = any(new is not old for new, old in zip(results, items, strict=True))
        return msgspec.Raw(_write(results)) if changed else text

    return respell


def _changed(
    text: msgspec.Raw, members: dict[str, msgspec.Raw], inner: Mapping[str, Respell], changed: bool
) -> msgspec.Raw:
    for name, respell in inner.items():
        old = members.get(name)
        if old is not None and (new := respell(old)) is not old:
            members[name], changed = new, True
    return msgspec.Raw(_write(members)) if changed else text


def _begins(text: msgspec.Raw, mark: bytes) -> bool:
    return bytes(text).lstrip(b" \t\r\n")[:1] == mark
