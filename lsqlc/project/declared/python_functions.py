"""Declarations of Python functions in `functions/*.py`. The files are parsed, never executed.

    def slug(title: Annotated[pa.Array, "STRING"]) -> Annotated[pa.Array, "STRING"]:
        \"\"\"Lower case, with a hyphen for each space.\"\"\"
        return pc.replace_substring(pc.utf8_lower(title), " ", "-")

Every function of the file is one of the project, unless its name begins with `_`. The code runs when models that call
it are evaluated, and only if the lock file has the hash of the file.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from lsqlc.bind.own_function import OwnFunction
from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.functions.forms.arrow_types import has_arrow_type
from lsqlc.plan.expression import Expression, Field, PythonCall
from lsqlc.plan.python_calls import code_hash
from lsqlc.types import data
from lsqlc.types.data import DataType
from lsqlc.types.ddl import DdlError, parse_type

_FORM = 'def name(value: Annotated[pa.Array, "STRING"]) -> Annotated[pa.Array, "STRING"]'
# An environment variable. With the value `off` no code of the project runs, regardless of the lock file.
SWITCH = "LSQLC_PYTHON_FUNCTIONS"
_LOCK = "review the file, then run `lsqlc functions lock` and commit lsqlc.lock.yml"


@dataclass(frozen=True, slots=True)
class PythonFile:
    """The functions of a file with the positions of their names. After an error none of them can be called."""

    functions: tuple[tuple[OwnFunction, Span], ...]
    diagnostics: tuple[Diagnostic, ...]


def read_python(text: str, path: str, locked: Mapping[str, str] | None) -> PythonFile:
    """Parse the functions that a file declares.

    `locked`: the hashes of the lock file by path; None if no code may run.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        column = getattr(error, "offset", None) or 1
        what = getattr(error, "msg", None) or "it is nested too deeply"
        at = Span(path, line, column, line, column + 1)
        return PythonFile((), (Diagnostic("LSQ491", f"this file is not Python: {what}", at),))
    reader = _Reader(text, path)
    definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    functions = [
        (function, reader.span(node)) for node in definitions if (function := reader.function(node)) is not None
    ]
    if not definitions:
        at = Span(path, 1, 1, 1, 1)
        reader.found.append(Diagnostic("LSQ491", "this file declares no function", at, help=f"write {_FORM}: ..."))
    if definitions and (locked is None or locked.get(path) != code_hash(text)):
        is_locked = path in (locked or {})
        why = "its code has changed since it was locked" if is_locked else "its code is not in the lock file"
        help = _LOCK
        if locked is None:
            why, help = f"{SWITCH} is off in the environment", f"unset {SWITCH} where the code is trusted"
        message = f"the code of '{path}' may not run"
        reader.found.append(Diagnostic("LSQ490", message, reader.span(definitions[0]), (why,), help))
    if reader.found:
        return PythonFile(tuple((_broken(function), at) for function, at in functions), tuple(reader.found))
    return PythonFile(tuple(functions), ())


class _Reader:
    """Reads declarations, and collects errors."""

    def __init__(self, text: str, path: str) -> None:
        self._text, self._path = text, path
        self._lines = text.split("\n")
        self.found: list[Diagnostic] = []

    def span(self, node: ast.AST) -> Span:
        """Return the span of a node; of a function the span of its name."""
        line, column = getattr(node, "lineno", 1), self._column(node)
        if isinstance(node, ast.FunctionDef):
            line, start = node.lineno, self._lines[node.lineno - 1].find(node.name) + 1
            return Span(self._path, line, start, line, start + len(node.name))
        return Span(self._path, line, column, line, column + 1)

    def _column(self, node: ast.AST) -> int:
        line = self._lines[getattr(node, "lineno", 1) - 1]
        # ast counts bytes.
        return len(line.encode()[: getattr(node, "col_offset", 0)].decode("utf-8", "replace")) + 1

    def function(self, node: ast.FunctionDef) -> OwnFunction | None:
        """Return the function of a definition; None after an error."""
        signature = node.args
        if signature.vararg or signature.kwarg or signature.kwonlyargs or signature.defaults or node.decorator_list:
            self._wrong("a function has neither defaults, decorators, `*` nor `**`", node)
            return None
        parameters = [*signature.posonlyargs, *signature.args]
        if not parameters:
            self._wrong("a function in Python must have a parameter, whose length is that of the result", node)
            return None
        names = [p.arg.casefold() for p in parameters]
        if len(set(names)) < len(names):
            self._wrong("two parameters differ only in letter case", node)
            return None
        types = [self._type(p.annotation, p) for p in parameters]
        returns = self._type(node.returns, node)
        fields = tuple(data.Field(p.arg, t) for p, t in zip(parameters, types, strict=True) if t is not None)
        if returns is None or len(fields) < len(parameters):
            return None
        return _function(node, fields, returns, self._text, self._path)

    def _type(self, annotation: ast.expr | None, at: ast.AST) -> DataType | None:
        """Return the type of `Annotated[..., "TYPE"]`."""
        match annotation:
            case ast.Subscript(slice=ast.Tuple(elts=[_, ast.Constant(value=str(text)) as where])):
                pass
            case _:
                self._wrong("each parameter and the result must have a type", annotation or at)
                return None
        try:
            type = parse_type(text)
        except DdlError as error:
            self._wrong(f"the type '{text}' cannot be read: {error}", where)
            return None
        if not has_arrow_type(type):
            self._wrong(f"a function in Python cannot have the type {type}", where)
            return None
        return type

    def _wrong(self, message: str, node: ast.AST) -> None:
        self.found.append(Diagnostic("LSQ491", message, self.span(node), help=f"its form is {_FORM}"))


def _function(
    node: ast.FunctionDef, parameters: tuple[data.Field, ...], returns: DataType, text: str, path: str
) -> OwnFunction:
    arguments = tuple(Field(0, "value", (p.name,), p.type, True) for p in parameters)
    call: Expression = PythonCall(node.name, text, arguments, returns)
    docstring = ast.get_docstring(node)
    return OwnFunction(
        node.name,
        parameters,
        returns,
        path,
        lambda nullable: call,
        lambda: True,
        code_hash(text),
        "python",
        comment=docstring.split("\n\n")[0].replace("\n", " ") if docstring else None,
    )


def _broken(function: OwnFunction) -> OwnFunction:
    """Return a function that no model can call, because it has errors or its code may not run."""
    return OwnFunction(
        function.name,
        function.parameters,
        function.returns,
        function.path,
        lambda nullable: None,
        lambda: True,
        function.identity,
        "python",
        comment=function.comment,
    )
