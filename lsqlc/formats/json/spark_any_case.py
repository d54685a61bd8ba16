"""SQL of JSON text with exact names, from text whose members have the names of fields in any case, by the rules of
`formats.json.any_case`.

One regular expression finds texts with a member, at any level, whose name differs from a field only in case. A text
with exact names is not parsed once more. Any other text is composed again of its members. The text of a member is the
one that Spark reads for a STRING. It converts numbers to DOUBLE, so that a value with a DECIMAL has the text of its
VARIANT, which keeps 38 digits. The variant also tells strings from other values, and rejects duplicate names.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase

from lsqlc.formats.json.any_case import foldable, names_in_any_case
from lsqlc.formats.json.numbers import SPACE, escaped
from lsqlc.sql.spark import struct, text
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct, parts


def spelled(json: str, type: DataType, otherwise: str | None = None) -> str:
    """SQL of a JSON text with the names of the type's fields. `json`: a column, or cheap SQL; `otherwise`: the
    result for a text with names in another case that is not strict JSON, or has a duplicate name; None: the text.
    """
    names = names_in_any_case(type)
    if not names:
        return json
    respelled = f"_t -> coalesce({_whole('_t.s', '_t.v', type, 0)}, {otherwise or '_t.s'})"
    parsed = struct((("s", json), ("v", f"try_parse_json({json})")))
    return f"if({json} RLIKE {text(_other_case(names))}, get(transform(array({parsed}), {respelled}), 0), {json})"


def _other_case(names: Sequence[str]) -> str:
    """Return the pattern of a member with one of these names in another case, or with an escaped letter."""
    alternatives = "|".join(map(escaped, names))
    return f'"(?!(?:{alternatives})")(?i:{alternatives})"{SPACE}:|\\\\u[0-9a-fA-F]{{4}}[^"]*"{SPACE}:'


def _whole(s: str, v: str, type: DataType, depth: int) -> str:
    """SQL of the text of an object or array; null of a text that is not one. `s`: a column with the text; `v`: with its
    VARIANT. `depth` keeps the variables of nested functions apart.
    """
    a, e = f"_a{depth}", f"_e{depth}"
    if isinstance(type, Array):
        items = f"zip_with({a}.s, {a}.v, (s, v) -> {struct((('s', 's'), ('v', 'v')))})"
        inner = f"transform({items}, {e} -> {_part(f'{e}.s', f'{e}.v', type.element, depth + 1)})"
        both = _parsed(s, v, "array<string>", "array<variant>")
        return _of_both(both, a, f"concat('[', array_join({inner}, ','), ']')")
    value = _plain(f"{e}.s", f"{e}.v")
    if isinstance(type, Map):
        value = _part(f"{e}.s", f"{e}.v", type.value, depth + 1)
    elif isinstance(type, Struct):
        members = ((f.name, _part(f"{e}.s", f"{e}.v", f.type, depth + 1)) for f in type.fields)
        whens = "".join(f" WHEN {text(name)} THEN {part}" for name, part in members if part != value)
        value = f"CASE {e}.n{whens} ELSE {value} END" if whens else value
    names = foldable(f.name for f in type.fields) if isinstance(type, Struct) else ()
    member_text = f"concat(trim(BOTH '[]' FROM to_json(array({e}.n))), ':', {value})"
    joined = f"array_join(transform({_members(a, names, depth)}, {e} -> {member_text}), ',')"
    return _of_both(_parsed(s, v, "map<string,string>", "map<string,variant>"), a, f"concat('{{', {joined}, '}}')")


def _members(both: str, names: Sequence[str], depth: int) -> str:
    """SQL of the members of an object, STRUCT<n: the field's name, s, v>. `both`: its texts and variants by name."""
    m, e, i = f"_m{depth}", f"_e{depth}", f"_i{depth}"
    entry = struct((("k", f"{e}.key"), ("u", _upper(f"{e}.key")), ("s", f"{e}.value")))
    name = f"{e}.k"
    if names:
        is_foldable = f"{e}.u <> {e}.k AND array_contains(array({', '.join(map(text, names))}), {e}.u)"
        exact = f"exists({m}, o -> o.k = {e}.u)"
        later = f"exists(slice({m}, {i} + 2, size({m})), o -> o.u = {e}.u)"
        name = f"if({is_foldable} AND NOT {exact} AND NOT {later}, {e}.u, {e}.k)"
    member = struct((("n", name), ("s", f"{e}.s"), ("v", f"try_element_at({both}.v, {e}.k)")))
    members = f"transform(map_entries({both}.s), {e} -> {entry})"
    return f"get(transform(array({members}), {m} -> transform({m}, ({e}, {i}) -> {member})), 0)"


def _part(s: str, v: str, type: DataType, depth: int) -> str:
    """SQL of the text of a member or item. `s`: its text, without the quotes of a string; null for a null."""
    inside = tuple(parts(type))
    if any(isinstance(part, Struct) for part in inside):
        return f"coalesce({_whole(s, v, type, depth)}, {_plain(s, v)})"
    if any(isinstance(part, Decimal) for part in inside):
        return f"coalesce(to_json({v}), {_plain(s, v)})"
    return _plain(s, v)


def _plain(s: str, v: str) -> str:
    return f"if({s} IS NULL, 'null', if(schema_of_variant({v}) = 'STRING', to_json({v}), {s}))"


def _parsed(s: str, v: str, texts: str, variants: str) -> str:
    return struct((("s", f"from_json({s}, '{texts}')"), ("v", f"try_variant_get({v}, '$', '{variants}')")))


def _of_both(both: str, name: str, result: str) -> str:
    """SQL of the result of both readings of a text, null unless it has both."""
    guarded = f"if({name}.s IS NULL OR {name}.v IS NULL, NULL, {result})"
    return f"get(transform(array({both}), {name} -> {guarded}), 0)"


def _upper(name: str) -> str:
    return f"translate({name}, '{ascii_lowercase}', '{ascii_uppercase}')"
