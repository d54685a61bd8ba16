"""Numbers in JSON texts, where they stand for a STRING: Spark's reader loses the text of a number with a fraction or an
exponent, and the sign of `-0`.

They get quotes before the text is parsed, by patterns over the names of fields (see `formats.json.numbers`): fields of
the type STRING, elements of an ARRAY of STRING, and values of a MAP of STRING. Repetitions are possessive, since Java
keeps a frame on its stack for each repetition of another kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from lsqlc.formats.json.numbers import END, SPACE, WHOLE, Rewriting, member, names_of, types_by_name
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct, parts

_NUMBER = rf"(-?{WHOLE}(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)"
_GAP = f"{SPACE}+"
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_CONTENT = rf'[^{{}}\[\]"]*+(?:{_STRING}[^{{}}\[\]"]*+)*+'
# An object without objects or arrays in it.
_FLAT = rf"\{{{_CONTENT}\}}"
# A value for a STRING in an array or an object that keeps its text, with the comma after it.
_OTHER = rf"(?:{_STRING}|true|false|null|0|-?[1-9][0-9]*+|{_FLAT}|\[{_CONTENT}\]){_GAP},{_GAP}"
_KEY = f"{_STRING}{_GAP}:{_GAP}"
# The position after the last match, in the same array or object.
_AFTER_MATCH = rf"(?!^)\G{_GAP},{_GAP}"
# Types beside DECIMAL that such a number, or its text in quotes, may be a value of.
_TAKE_IT = (data.FLOAT, data.DOUBLE, data.BYTES)


def for_spark(type: DataType, *, any_case: bool = False) -> tuple[Rewriting, ...]:
    """Return the rewritings for a type. `any_case`: names may differ in case. There is none for fields whose name may
    be a key of a MAP whose values take the number.
    """
    types = types_by_name(type)
    of_maps = {part.value for part in parts(type) if isinstance(part, Map)}
    skipped = names_of(types, _is_other_map, any_case=any_case)
    rewritings = list[Rewriting]()
    names = names_of(types, lambda t: t == data.STRING, any_case=any_case)
    if names and _stand_in_fields(type, types):
        rewritings.append(_of_fields(names, skipped))
    arrays = names_of(types, lambda t: t == Array(data.STRING), any_case=any_case)
    if any(isinstance(value, Array) and _takes_it(value.element) for value in of_maps):
        arrays = []
    values = names_of(types, lambda t: isinstance(t, Map) and t.value == data.STRING, any_case=any_case)
    if any(map(_is_other_map, of_maps)) or any(map(_has_number, of_maps)):
        values = []
    if arrays or values:
        rewritings.append(_of_elements(arrays, values))
    return tuple(rewritings)


def _of_elements(arrays: Sequence[str], maps: Sequence[str]) -> Rewriting:
    """Return the rewriting of elements of arrays and values of maps with these names."""
    openings, starts = list[str](), list[str]()
    if arrays:
        openings.append(rf"{member(arrays)}\[")
        starts.append(rf"(?:{openings[-1]}{_GAP}|{_AFTER_MATCH})(?:{_OTHER})*+")
    if maps:
        openings.append(rf"{member(maps)}\{{")
        starts.append(rf"(?:{openings[-1]}{_GAP}|{_AFTER_MATCH})(?:{_KEY}{_OTHER})*+{_KEY}")
    pattern = rf"({'|'.join(starts)}){_NUMBER}(?={SPACE}[,\]}}])"
    # From the start of the text, and without a way back to it: one pass, whatever the text is.
    occurs = rf"\A(?>[\s\S]*?(?:{'|'.join(openings)}))[\s\S]*?(?:[0-9][.eE]|-0)"
    return Rewriting(pattern, '$1"$2"', occurs)


def _of_fields(names: Sequence[str], skipped: Sequence[str]) -> Rewriting:
    """Return the rewriting of fields, which skips each MAP that takes the number. `skipped`: the names of these."""
    if not skipped:
        return Rewriting(f"({member(names)}){_NUMBER}{END}", '$1"$2"')
    # The skipped text has no other group, so that only a number gets the quotes of its name.
    field = f'((")(?:{"|".join(names)})"{SPACE}:{SPACE}){_NUMBER}{END}'
    return Rewriting(f"({member(skipped)}{_FLAT})|{field}", "$1$2$3$4$3", field)


def _stand_in_fields(type: DataType, types: Mapping[str, Set[DataType]]) -> bool:
    """Return whether every MAP that takes the number is the type of a field, and of all fields of that name."""
    inner = [part.element for part in parts(type) if isinstance(part, Array)]
    inner += [part.value for part in parts(type) if isinstance(part, Map)]
    alike = (len(set(map(_is_other_map, kinds))) == 1 for kinds in types.values())
    return all(alike) and not any(map(_is_other_map, inner))


def _is_other_map(type: DataType) -> bool:
    """Return whether a type is a MAP in which the number keeps its form."""
    return isinstance(type, Map) and _takes_it(type.value)


def _has_number(type: DataType) -> bool:
    """Return whether a type is a STRUCT with a field in which the number keeps its form."""
    return isinstance(type, Struct) and any(_takes_it(field.type) for field in type.fields)


def _takes_it(type: DataType) -> bool:
    return type in _TAKE_IT or isinstance(type, Decimal)
