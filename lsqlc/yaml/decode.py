"""YAML data to typed settings, with every mistake at its place.

msgspec decides what fits a type; it stops at the first mistake, so a struct is taken apart here and each of its members
is converted for itself. A member that does not fit is reported and its default stands in, so that later stages can
continue and find more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from lsqlc.diagnostics import Diagnostic, Span, did_you_mean, listing
from lsqlc.yaml.nodes import Place, YamlDocument, path_text

T = TypeVar("T", bound=msgspec.Struct)

_PLACE = re.compile(r" - at `\$(.*)`$")
_STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\[(\d+)\]")
_WORDS = {"str": "text", "int": "a whole number", "object": "a mapping", "array": "a list", "bool": "true or false",
          "float": "a number", "null": "nothing"}  # fmt: skip
_EXPECTED = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")


class Decoder:
    """Decodes one document and collects what is wrong with it. `secret`: values may not appear in messages."""

    def __init__(self, document: YamlDocument, *, secret: bool = False) -> None:
        self.document = document
        self._secret = secret
        self.diagnostics: list[Diagnostic] = list(document.diagnostics)

    def struct(self, place: Place, type: type[T], data: Any) -> T | None:
        """The data as a struct, or None if it is not a mapping or lacks a member without a default."""
        if not isinstance(data, dict):
            self.wrong(place, f"expected a mapping, got {kind(data)}")
            return None
        fields = _fields(type)
        self.unknown(place, data, fields)
        values: dict[str, Any] = {}
        complete = True
        for key, field in fields.items():
            if key in data:
                fits, value = self._member((*place, key), _bare(field.type), data[key])
                if fits:
                    values[field.name] = value
                    continue
                complete = complete and not field.required
            elif field.required:
                complete = False
                self.missing(place, key)
        return type(**values) if complete else None

    def structs(self, place: Place, type: type[T], data: Any) -> list[tuple[Place, T]]:
        """The items of a list that are such structs, with their places. Nothing at all is an empty list."""
        if data is None:
            return []
        if not isinstance(data, list):
            self.wrong(place, f"expected a list, got {kind(data)}")
            return []
        items = (((*place, i), self.struct((*place, i), type, item)) for i, item in enumerate(data))
        return [(where, item) for where, item in items if item is not None]

    def unknown(self, place: Place, data: dict[str, Any], known: Iterable[str]) -> None:
        """Report the unknown keys of a mapping."""
        names = list(known)
        for key in data:
            if key not in names:
                help = did_you_mean(key, names) or f"known keys are {listing(names, 20)}"
                where = f" @ {path_text(place)}" if place else ""
                self.report("LSQ006", f"unknown key '{key}'{where}", self.document.key_span((*place, key)), help=help)

    def missing(self, place: Place, key: str) -> None:
        """Report a key that must be there."""
        span = self.document.span(place)
        self.report("LSQ017", f"the key '{key}' is missing @ {path_text(place)}", span, help=f"add `{key}: ...`")

    def wrong(self, place: Place, message: str, *, help: str | None = None, span: Span | None = None) -> None:
        """Report a value that does not fit its place."""
        self.report("LSQ007", f"{message} @ {path_text(place)}", span or self.document.span(place), help=help)

    def report(
        self, code: str, message: str, span: Span | None, *, notes: tuple[str, ...] = (), help: str | None = None
    ) -> None:
        self.diagnostics.append(Diagnostic(code, message, span, notes, help))

    def _member(self, place: Place, type: Any, data: Any) -> tuple[bool, Any]:
        inner = [t for t in get_args(type) if _is_struct(t)] if get_origin(type) is not Literal else []
        if _is_struct(type) or (inner and get_origin(type) is not list and isinstance(data, dict)):
            value = self.struct(place, type if _is_struct(type) else inner[0], data)
            return value is not None, value
        if inner and get_origin(type) is list:
            return True, [item for _, item in self.structs(place, inner[0], data)]
        try:
            return True, msgspec.convert(data, type, strict=True)
        except msgspec.ValidationError as error:
            self._mistake(place, type, data, str(error))
            return False, None

    def _mistake(self, place: Place, type: Any, data: Any, text: str) -> None:
        found = _PLACE.search(text)
        message = text[: found.start()] if found else text
        for step in _STEP.finditer(found.group(1) if found else ""):
            place = (*place, step[1] if step[1] is not None else int(step[2]))
        choices = _choices(type)
        if choices and isinstance(data, str):
            help = did_you_mean(data, choices) or f"choose one of {listing(choices)}"
            shown = "this" if self._secret else f"'{data}'"
            self.wrong(place, f"{shown} is not one of {listing(choices)}", help=None if self._secret else help)
            return
        expected = _EXPECTED.search(message)
        if expected:
            wanted = " or ".join(_WORDS.get(word.strip(), word) for word in expected[1].split(" | "))
            message = f"expected {wanted}, got {_WORDS.get(expected[2], expected[2])}"
        self.wrong(place, message[:1].lower() + message[1:])


def kind(data: Any) -> str:
    """What a value is, in the words of a message."""
    names = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a whole number",
             float: "a number"}  # fmt: skip
    return names.get(type(data), "nothing")


@cache
def _fields(type: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """The members of a struct by the key that they have in YAML."""
    return {field.encode_name: field for field in msgspec.structs.fields(type)}


def _bare(type: Any) -> Any:
    """A type without its description."""
    return get_args(type)[0] if get_origin(type) is Annotated else type


def _is_struct(candidate: Any) -> bool:
    return isinstance(candidate, type) and issubclass(candidate, msgspec.Struct)


def _choices(hint: Any) -> list[str]:
    if get_origin(hint) is Literal:
        return [choice for choice in get_args(hint) if isinstance(choice, str)]
    is_union = get_origin(hint) is Union or type(hint).__name__ == "UnionType"
    return [choice for part in get_args(hint) for choice in _choices(part)] if is_union else []
