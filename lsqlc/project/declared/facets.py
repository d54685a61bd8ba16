"""Facets in YAML and in the public API: a type, a DDL column list, a schema file, or a mapping with format and
schema.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lsqlc.diagnostics import Diagnostic, did_you_mean, listing
from lsqlc.formats.catalogue import (
    FOREIGN,
    declared,
    find_format,
    format_of_file,
    is_json,
    is_only_read,
    is_registered,
    named,
    primitives,
    with_subject,
)
from lsqlc.formats.record import Format, SettingError
from lsqlc.formats.windows import key_in_window, window_key, windowed
from lsqlc.project.declared.registered import Registration, Unregistered
from lsqlc.project.declared.schema_files import (
    NO_FILES,
    ReadableFiles,
    ending_of,
    is_schema_file,
    listed_endings,
    read_schema_files,
)
from lsqlc.types import data
from lsqlc.types.data import DataType, Primitive, Struct
from lsqlc.types.ddl import DdlError, interval_of, parse_columns, parse_stored, parse_type
from lsqlc.types.record import ABSENT, Facet, natural_format

# A type, columns or the path of a file; or the paths of several files.
_Schema = str | tuple[str, ...]
_KEYS = ("format", "schema", "subject", "message")
_WINDOW = re.compile(r"\s*(?:TW|SW)\s*\[(.*)\]\s*", re.IGNORECASE | re.DOTALL)


class FacetError(ValueError):
    """An invalid facet. The message is one clause.

    `member`: the key of the mapping, or the keys that lead to a part of it; None for the whole. `offset`: in its text,
    in code points, None for the whole text. If a schema file has errors, `diagnostics` has all of them, with positions
    in that file.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "LSQ010",
        member: str | tuple[str, ...] | None = None,
        offset: int | None = None,
        length: int = 1,
        help: str | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
    ) -> None:
        super().__init__(message)
        self.code, self.member, self.offset, self.length, self.help = code, member, offset, length, help
        self.diagnostics = diagnostics


def facet_of(value: Any, files: ReadableFiles = NO_FILES, registered: Registration | None = None) -> Facet:
    """Return the facet of a declaration; an absent facet for None. Raises FacetError.

    Forms: `"INT"`, `"id INT, name STRING"`, `"TW[STRING]"`, `"schemas/order.avsc"`, or a mapping such as `{"format":
    "avro", "schema": "id INT"}`. Its schema may also be a file, or a list of Avro files, the last of which has the
    schema. Without a schema it comes from the schema registry. `files`: the schema files. `registered`: the subjects.
    """
    if value is None:
        return ABSENT
    if isinstance(value, str):
        return _from_text(value, files)
    if isinstance(value, Mapping):
        return _from_mapping(value, files, registered)
    help = "write `INT` or `id INT, ...`"
    raise FacetError(f"'{value}' is not a type, a column list or a mapping", help=help)


def _from_text(text: str, files: ReadableFiles) -> Facet:
    window = windowed(text)
    if window:
        match = _WINDOW.fullmatch(text)
        try:
            return _windowed(window[0], _from_text(window[1], files), in_file=is_schema_file(window[1]))
        except FacetError as error:
            error.offset = (match.start(1) if match else 0) + (error.offset or 0)
            raise
    if is_schema_file(text):
        format = format_of_file(ending_of(text)).name
        return _checked(Facet(_in_file(text, None, files, format), format))
    type = _ddl(text, None)
    return Facet(type, natural_format(type))


def _from_mapping(mapping: Mapping[str, Any], files: ReadableFiles, registered: Registration | None) -> Facet:
    schema, name = mapping.get("schema"), mapping.get("format")
    format = find_format(named(name) or "") if isinstance(name, str) else None
    _check_keys(mapping, format)
    if name is None:
        help = f"known formats are {listing(declared(), 20)}"
        raise FacetError("the key 'format' is missing", code="LSQ017", help=help)
    if not isinstance(name, str):
        raise FacetError("a format must be a word", code="LSQ018", member="format")
    schema = _schema(schema)
    window = windowed(name)
    subject, message = _subject(mapping, name, registered), _message(mapping, name, registered)
    if is_only_read(name) and (window or (registered is not None and registered.facet == "key")):
        help = "declare the key by its columns, or by its type"
        raise FacetError(f"'{name}' is a format of values, not of keys", code="LSQ018", member="format", help=help)
    if window:
        in_file = isinstance(schema, tuple) or (schema is not None and is_schema_file(schema))
        return _windowed(window[0], _from_format(window[1].strip(), schema, files), in_file=in_file)
    if registered is None or named(name) not in with_subject():
        facet = _from_format(name, schema, files)
    else:
        facet = _from_registry(name, schema, (subject, message), files, registered)
    return _configured(facet, format, mapping)


def _check_keys(mapping: Mapping[str, Any], format: Format | None) -> None:
    keys = (*_KEYS, *(format.settings if format is not None else ()))
    for key in mapping:
        if key not in keys:
            help = did_you_mean(str(key), keys) or f"known keys are {listing(keys)}"
            raise FacetError(f"unknown key '{key}'", code="LSQ006", member=str(key), help=help)


def _schema(value: Any) -> _Schema | None:
    """Return the schema of a mapping; None without one."""
    if isinstance(value, list):
        return _listed(value)
    if value is None or isinstance(value, str):
        return value
    raise FacetError("a schema must be a text: a type, a column list or the path of a file", member="schema")


def _subject(mapping: Mapping[str, Any], format: str, registered: Registration | None) -> str | None:
    """Return the subject that a mapping names; None without one."""
    subject = mapping.get("subject")
    if subject is None:
        return None
    if not isinstance(subject, str) or not subject:
        raise FacetError("a subject must be the name of a subject in the schema registry", member="subject")
    if windowed(format) or registered is None or named(format) not in with_subject():
        help = f"remove it; only these formats have subjects: {listing(with_subject())}"
        raise FacetError("'subject' is not for this facet", member="subject", help=help)
    return subject


def _message(mapping: Mapping[str, Any], format: str, registered: Registration | None) -> str | None:
    """Return the message of Protobuf that a mapping names; None without one."""
    message = mapping.get("message")
    if message is None or (isinstance(message, str) and registered is not None and _has_messages(format)):
        return message
    help = "write `format: protobuf`, and the full name of a message: `message: com.example.Order`"
    raise FacetError("'message' is not for this facet", member="message", help=help)


def _configured(facet: Facet, format: Format | None, mapping: Mapping[str, Any]) -> Facet:
    """Return the facet in its format with the settings of the declaration."""
    if format is None or format.configured is None:
        return facet
    try:
        inside = format.configured({key: mapping[key] for key in format.settings if key in mapping}, facet.type)
    except SettingError as error:
        member = error.way or ("schema",)
        raise FacetError(str(error), code=error.code, member=member, help=error.help) from None
    return Facet(facet.type, f"{facet.format}[{inside}]" if inside else facet.format)


def _has_messages(format: str) -> bool:
    """Return whether the schema of a format that users may name has several messages."""
    record = find_format(named(format) or "")
    return record is not None and record.schema is not None and record.schema.has_messages and windowed(format) is None


def _may_be_listed(path: str) -> bool:
    return ending_of(path) in listed_endings()


def _listed(paths: list[Any]) -> tuple[str, ...]:
    """Return the files of Avro that a list names."""
    if not paths or not all(isinstance(path, str) and _may_be_listed(path) for path in paths):
        help = "write `schema: [types.avsc, value.avsc]`, the file with the schema of the records last"
        raise FacetError("a list of schemas must consist of paths of .avsc files", member="schema", help=help)
    return tuple(path.strip() for path in paths)


def _from_registry(
    name: str,
    schema: _Schema | None,
    subject_and_message: tuple[str | None, str | None],
    files: ReadableFiles,
    registered: Registration,
) -> Facet:
    """Return a facet of a format that schema registries support. Plain JSON only uses a subject that is declared.

    `subject_and_message`: the declared subject and message.
    """
    (subject, message), format = subject_and_message, named(name) or name
    try:
        if schema is None and (is_registered(format) or subject is not None):
            return _checked(Facet(registered.type(subject, format, message), format))
        facet = _from_format(name, schema, files)
        if is_registered(format) or subject is not None:
            registered.compare(facet.type, subject, format, message)
    except Unregistered as error:
        raise FacetError(str(error), code=error.code, help=error.help) from None
    return facet


def _from_format(name: str, schema: _Schema | None, files: ReadableFiles) -> Facet:
    format = named(name)
    if format is None:
        help = did_you_mean(name.lower(), declared()) or f"known formats are {listing(declared(), 20)}"
        if name.lower() in FOREIGN:
            help = "convert the topic to JSON or AVRO before it is read here"
        raise FacetError(f"unknown format '{name}'", code="LSQ018", member="format", help=help)
    primitive = primitives().get(format)
    if schema is None:
        if primitive is None:
            raise FacetError(
                f"the format '{format}' requires a schema", code="LSQ017", help="add `schema: id INT, ...`"
            )
        return Facet(primitive, format)
    if isinstance(schema, tuple) or is_schema_file(schema):
        type = _in_file(schema, "schema", files, format)
    else:
        type = _ddl(schema, "schema")
    record = find_format(format)
    if record is not None and record.of_declared is not None and (isinstance(type, Struct) or type == data.STRING):
        # MongoDB writes its documents as text.
        type = record.of_declared(type)
    if is_only_read(format) and not isinstance(type, Struct):
        message = f"the format '{format}' holds columns, not {_short(type)}"
        raise FacetError(message, code="LSQ018", member="schema", help="write `schema: id INT, ...`")
    if primitive is not None and type != primitive:
        message = f"the format '{format}' holds {primitive}, not {_short(type)}"
        raise FacetError(message, code="LSQ018", member="format", help=f"use '{natural_format(type)}'")
    return _checked(Facet(type, format))


def _windowed(kind: str, inner: Facet, *, in_file: bool) -> Facet:
    """Return a windowed key (docs/reference/lenses.md, "Windows"): `{"key": k, "start": ms, "end": ms}`.

    A schema file may describe only the inner key, or the whole, like files that a build writes.
    """
    whole = inner.type if in_file and key_in_window(inner.type) else window_key(inner.type)
    return Facet(whole, f"{kind}[{inner.format}]")


def _in_file(schema: _Schema, member: str | None, files: ReadableFiles, format: str) -> DataType:
    paths = schema if isinstance(schema, tuple) else (schema.strip(),)
    in_files = read_schema_files(paths, files, in_json=is_json(format))
    if in_files.type is not None:
        return in_files.type
    if in_files.unread is None:
        raise FacetError(f"the schema '{paths[-1]}' has errors", member=member, diagnostics=in_files.diagnostics)
    raise FacetError(in_files.unread.message, code=in_files.unread.code, member=member, help=in_files.unread.help)


def intervals_of(value: Any) -> tuple[tuple[str, str], ...]:
    """Return the columns of a declaration that are intervals, with their types; none of an invalid one."""
    text = value.get("schema") if isinstance(value, Mapping) else value
    if not isinstance(text, str) or "interval" not in text.lower() or is_schema_file(text):
        return ()
    try:
        return parse_stored(text)[1]
    except DdlError:
        return ()


def key_of(value: Any, files: ReadableFiles = NO_FILES, registered: Registration | None = None) -> Facet:
    """Return the facet of the declaration of a key, as `facet_of`. Raises FacetError, LSQ583 for a part of it that is
    an interval.
    """
    facet = facet_of(value, files, registered)
    member = "schema" if isinstance(value, Mapping) else None
    text = value.get("schema") if isinstance(value, Mapping) else value
    window = _WINDOW.fullmatch(text) if isinstance(text, str) else None
    columns = intervals_of(window[1] if window else value)
    if columns:
        name, type = columns[0]
        raise FacetError(f"the column '{name}' is {type}, which cannot be part of a key", code="LSQ583", member=member,
                         help=f"declare its text, which can be cast: {name} STRING")  # fmt: skip
    return facet


def _ddl(text: str, member: str | None) -> DataType:
    try:
        if (interval := interval_of(text)) is not None:
            raise FacetError(f"{interval} is a type of columns, not of a whole key or value", code="LSQ583",
                             member=member, help="declare its text, which can be cast: STRING")  # fmt: skip
        return parse_stored(text)[0]
    except DdlError as error:
        raise _in_ddl(_nearer(text, error), text, member) from None


def _nearer(text: str, error: DdlError) -> DdlError:
    """Return the parse error with the highest offset. A text may be meant as a type or as a column list."""
    furthest = error
    if len(text.split()) == 1:
        return error
    for read in (parse_type, parse_columns):
        try:
            read(text)
        except DdlError as other:
            furthest = other if other.offset > furthest.offset else furthest
    return furthest


def _in_ddl(error: DdlError, text: str, member: str | None) -> FacetError:
    word = re.match(r"`[^`]*`|\w+", text[error.offset :])
    type_names = (*(f.upper() for f in primitives()), "BIGINT", "DECIMAL", "ARRAY", "MAP", "STRUCT")
    message, _, rest = str(error).partition("; ")
    help = (did_you_mean(word[0], type_names) if word and "unknown type" in message else None) or rest or None
    return FacetError(message, member=member, offset=error.offset, length=len(word[0]) if word else 1, help=help)


def _checked(facet: Facet) -> Facet:
    """Return the facet, if its format can hold its names."""
    format = find_format(facet.format)
    if format is None or format.name_pattern is None or not format.checks_declared_names:
        return facet
    for name in _names(facet.type):
        if not format.name_pattern.fullmatch(name):
            title = format.schema.title if format.schema else format.name
            help = f"a name in {title} consists of letters, digits and '_', and does not begin with a digit"
            message = f"{format.name} does not support the name '{name}'"
            raise FacetError(message, code="LSQ018", member="schema", help=help)
    return facet


def _names(type: DataType) -> list[str]:
    if isinstance(type, Struct):
        return [name for field in type.fields for name in (field.name, *_names(field.type))]
    if isinstance(type, data.Array):
        return _names(type.element)
    return [*_names(type.key), *_names(type.value)] if isinstance(type, data.Map) else []


def _short(type: DataType) -> str:
    return str(type) if isinstance(type, Primitive) else "columns" if isinstance(type, Struct) else str(type)
