"""Functions that exist on a server, such as those of a jar, declared in `functions/*.yml`.

    functions:
      - name: geohash
        class: com.example.udf.GeoHash          # documentation: where the code is
        parameters: lat DOUBLE, lon DOUBLE
        returns: STRING
        registered: geohash_udf                 # the name on the server; default: `name`
        examples:
          - {arguments: [52.5, 13.4], result: u33d}

lsqlc does not have their code. On DuckDB they return the results of the examples, and fail for other arguments.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from lsqlc.bind.own_function import OwnFunction
from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.plan.expression import Expression, Field, ServerCall
from lsqlc.syntax.own_functions import NAME
from lsqlc.types import codec, data
from lsqlc.types.data import DataType, parts
from lsqlc.types.ddl import DdlError, parse_columns, parse_type
from lsqlc.yaml.decode import Decoder, kind
from lsqlc.yaml.nodes import KeyPath, read_yaml

# A name in Spark's catalog.
_REGISTERED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,2}")


class ExampleFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of an example."""

    arguments: list[Any]
    result: Any


class FunctionFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a server function."""

    name: str
    class_: str | None = msgspec.field(default=None, name="class")
    description: str | None = None
    parameters: str = ""
    returns: str
    registered: str | None = None
    examples: list[ExampleFile] = []


def read_server_functions(text: str, path: str) -> tuple[tuple[tuple[OwnFunction, Span], ...], tuple[Diagnostic, ...]]:
    """Return the functions that a file declares, with the positions of their names, and the errors of the file."""
    document = read_yaml(text, path)
    decoder = Decoder(document)
    if document.diagnostics:
        return (), document.diagnostics
    if not isinstance(document.data, dict):
        decoder.wrong((), f"expected a mapping with 'functions', got {kind(document.data)}")
        return (), tuple(decoder.diagnostics)
    decoder.unknown((), document.data, ("functions",))
    reader = _Reader(decoder)
    functions = []
    for key_path, file in decoder.structs(("functions",), FunctionFile, document.data.get("functions")):
        function = reader.function(key_path, file, path)
        if function is not None:
            functions.append((function, document.span((*key_path, "name"))))
    return tuple(functions), tuple(decoder.diagnostics)


class _Reader:
    """Reads declarations, and reports their errors."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder

    def function(self, key_path: KeyPath, file: FunctionFile, path: str) -> OwnFunction | None:
        """Return the function of a declaration; None after an error."""
        before = len(self._decoder.diagnostics)
        if not NAME.fullmatch(file.name):
            help = "a name consists of letters A to Z, digits and '_', and does not begin with a digit"
            self._wrong((*key_path, "name"), f"'{file.name}' is not a valid name of a function", help)
        if file.registered is not None and not _REGISTERED.fullmatch(file.registered):
            self._wrong((*key_path, "registered"), f"'{file.registered}' is not the name of a function of Spark")
        fields: tuple[data.Field, ...] = ()
        returns: DataType = data.STRING
        try:
            fields = parse_columns(file.parameters).fields if file.parameters.strip() else ()
        except DdlError as error:
            self._wrong(
                (*key_path, "parameters"), f"the parameters cannot be read: {error}", "write `lat DOUBLE, lon DOUBLE`"
            )
        try:
            returns = parse_type(file.returns)
        except DdlError as error:
            self._wrong((*key_path, "returns"), f"the type cannot be read: {error}")
        if len(self._decoder.diagnostics) > before:
            return None
        fields = tuple(data.Field(f.name, f.type) for f in fields)
        examples = self._examples(key_path, file, fields, returns)
        if len(self._decoder.diagnostics) > before:
            return None
        arguments = tuple(Field(0, "value", (f.name,), f.type, True) for f in fields)
        registered = file.registered or file.name
        call: Expression = ServerCall(file.name, registered, arguments, returns, examples)
        identity = repr((registered, file.class_, [str(f.type) for f in fields], str(returns)))
        comment = file.description or (f"The function of {file.class_}." if file.class_ else None)
        return OwnFunction(
            file.name, fields, returns, path, lambda nullable: call, lambda: True, identity, "jvm", comment=comment
        )

    def _examples(
        self, key_path: KeyPath, file: FunctionFile, fields: tuple[data.Field, ...], returns: DataType
    ) -> tuple[tuple[tuple[str, ...], str], ...]:
        examples = []
        for number, example in enumerate(file.examples):
            where = (*key_path, "examples", number)
            if any(part in (data.BYTES, data.TIME) for t in (returns, *(f.type for f in fields)) for part in parts(t)):
                self._wrong(where, "a function with BYTES or TIME cannot have examples")
                return ()
            if len(example.arguments) != len(fields):
                message = f"{file.name} takes {len(fields)} arguments, not {len(example.arguments)}"
                self._wrong((*where, "arguments"), message)
                continue
            arguments = tuple(
                self._json((*where, "arguments", i), field.name, field.type, value)
                for i, (field, value) in enumerate(zip(fields, example.arguments, strict=True))
            )
            examples.append((arguments, self._json((*where, "result"), "result", returns, example.result)))
        return tuple(examples)

    def _json(self, key_path: KeyPath, what: str, type: DataType, value: Any) -> str:
        decoded, problems = codec.decode(type, value, strict=True, path=what)
        if problems:
            self._wrong(key_path, f"an example does not match the declaration: {problems[0]}")
            return "null"
        return codec.encode_text(type, decoded)

    def _wrong(self, key_path: KeyPath, message: str, help: str | None = None) -> None:
        self._decoder.report("LSQ496", message, self._decoder.document.span(key_path), help=help)
