"""Decoding of YAML data into typed settings. Every error has the position of its value.

msgspec decides whether a value has a type, but it stops at the first error. So a struct is split here, and each of its
members is converted separately. An invalid member is reported and replaced by its default, so that later stages can
continue and find more errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from lsqlc.diagnostics import Diagnostic, Span, did_you_mean, listing
from lsqlc.yaml.nodes import KeyPath, YamlDocument, path_text

T = TypeVar("T", bound=msgspec.Struct)

_PLACE = re.compile(r" - at `\$(.*)`$")
_STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\[(\d+)\]")
_WORDS = {"str": "text", "int": "a whole number", "object": "a mapping", "array": "a list", "bool": "true or false",
          "float": "a number", "null": "nothing"}  # fmt: skip
_EXPECTED = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")


class Decoder:
    """Decodes one document, and collects its errors. `secret`: messages must not contain values."""

    def __init__(self, document: YamlDocument, *, secret: bool = False) -> None:
        self.document = document
        self._secret = secret
        self.diagnostics: list[Diagnostic] = list(document.diagnostics)

    def struct(self, key_path: KeyPath, type: type[T], data: Any) -> T | None:
        """Return the data as a struct, or None if it is not a mapping or lacks a required member."""
        if not isinstance(data, dict):
            self.wrong(key_path, f"expected a mapping, got {kind(data)}")
            return None
        fields = _fields(type)
        self.unknown(key_path, data, fields)
        values: dict[str, Any] = {}
        complete = True
        for key, field in fields.items():
            if key in data:
                fits, value = self._member((*key_path, key), _bare(field.type), data[key])
                if fits:
                    values[field.name] = value
                    continue
                complete = complete and not field.required
            elif field.required:
                complete = False
                self.missing(key_path, key)
        return type(**values) if complete else None

    def structs(self, key_path: KeyPath, type: type[T], data: Any) -> list[tuple[KeyPath, T]]:
        """Return the items of a list that are valid structs, with their key paths. None is an empty list."""
        if data is None:
            return []
        if not isinstance(data, list):
            self.wrong(key_path, f"expected a list, got {kind(data)}")
            return []
        items = (((*key_path, i), self.struct((*key_path, i), type, item)) for i, item in enumerate(data))
        return [(where, item) for where, item in items if item is not None]

    def unknown(self, key_path: KeyPath, data: dict[str, Any], valid_keys: Iterable[str]) -> None:
        """Report the unknown keys of a mapping. `valid_keys`: the valid ones."""
        names = list(valid_keys)
        for key in data:
            if key not in names:
                help = did_you_mean(key, names) or f"known keys are {listing(names, 20)}"
                where = f" @ {path_text(key_path)}" if key_path else ""
                self.report(
                    "LSQ006", f"unknown key '{key}'{where}", self.document.key_span((*key_path, key)), help=help
                )

    def missing(self, key_path: KeyPath, key: str) -> None:
        """Report a missing key."""
        span = self.document.span(key_path)
        self.report("LSQ017", f"the key '{key}' is missing @ {path_text(key_path)}", span, help=f"add `{key}: ...`")

    def wrong(self, key_path: KeyPath, message: str, *, help: str | None = None, span: Span | None = None) -> None:
        """Report an invalid value."""
        self.report("LSQ007", f"{message} @ {path_text(key_path)}", span or self.document.span(key_path), help=help)

    def report(
        self, code: str, message: str, span: Span | None, *, notes: tuple[str, ...] = (), help: str | None = None
    ) -> None:
        self.diagnostics.append(Diagnostic(code, message, span, notes, help))

    def _member(self, key_path: KeyPath, type: Any, data: Any) -> tuple[bool, Any]:
        inner = [t for t in get_args(type) if _is_struct(t)] if get_origin(type) is not Literal else []
        if _is_struct(type) or (inner and get_origin(type) is not list and isinstance(data, dict)):
            value = self.struct(key_path, type if _is_struct(type) else inner[0], data)
            return value is not None, value
        if inner and get_origin(type) is list:
            return True, [item for _, item in self.structs(key_path, inner[0], data)]
        try:
            return True, msgspec.convert(data, type, strict=True)
        except msgspec.ValidationError as error:
            self._mistake(key_path, type, data, str(error))
            return False, None

    def _mistake(self, key_path: KeyPath, type: Any, data: Any, text: str) -> None:
        match = _PLACE.search(text)
        message = text[: match.start()] if match else text
        for step in _STEP.finditer(match.group(1) if match else ""):
            key_path = (*key_path, step[1] if step[1] is not None else int(step[2]))
        choices = _choices(type)
        if choices and isinstance(data, str):
            help = did_you_mean(data, choices) or f"choose one of {listing(choices)}"
            label = "this" if self._secret else f"'{data}'"
            self.wrong(key_path, f"{label} is not one of {listing(choices)}", help=None if self._secret else help)
            return
        expected = _EXPECTED.search(message)
        if expected:
            types = " or ".join(_WORDS.get(word.strip(), word) for word in expected[1].split(" | "))
            message = f"expected {types}, got {_WORDS.get(expected[2], expected[2])}"
        self.wrong(key_path, message[:1].lower() + message[1:])


def kind(data: Any) -> str:
    """Return the kind of a value, for messages."""
    names = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a whole number",
             float: "a number"}  # fmt: skip
    return names.get(type(data), "nothing")


@cache
def _fields(type: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """Return the members of a struct by their keys in YAML."""
    return {field.encode_name: field for field in msgspec.structs.fields(type)}


def _bare(type: Any) -> Any:
    """Return a type without its description."""
    return get_args(type)[0] if get_origin(type) is Annotated else type


def _is_struct(candidate: Any) -> bool:
    return isinstance(candidate, type) and issubclass(candidate, msgspec.Struct)


def _choices(hint: Any) -> list[str]:
    if get_origin(hint) is Literal:
        return [choice for choice in get_args(hint) if isinstance(choice, str)]
    is_union = get_origin(hint) is Union or type(hint).__name__ == "UnionType"
    return [choice for part in get_args(hint) for choice in _choices(part)] if is_union else []
