"""The Python functions that a plan calls, and their names in engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from lsqlc.plan.expression import Aggregation, Expression, PythonCall
from lsqlc.plan.nodes import Node, inputs
from lsqlc.plan.sharing import distinct


def code_hash(source: str) -> str:
    """Return the hash of a Python file as 64 hexadecimal digits.

    Line ends are normalised, because git may change them.
    """
    return sha256(source.replace("\r\n", "\n").encode("utf-8", "surrogatepass")).hexdigest()


def engine_name(call: PythonCall) -> str:
    """Return the name of a function in SQL. It contains the hash, so that one session can have two versions."""
    return f"lsqlc_{call.function.lower()}_{code_hash(call.source)[:12]}"


def python_calls(nodes: Iterable[Node]) -> Mapping[str, PythonCall]:
    """Return the Python calls in nodes and in the nodes below them, by name in SQL."""
    return {engine_name(call): call for node in nodes for call in _of_node(node)}


def calls_python(node: Node) -> bool:
    """Return whether an expression of this node calls a Python function."""
    return any(True for _ in _own(node))


def _of_node(node: Node) -> Iterator[PythonCall]:
    for below in inputs(node):
        yield from _of_node(below)
    yield from _own(node)


def _own(node: Node) -> Iterator[PythonCall]:
    for name in node.__struct_fields__:
        yield from _of_value(getattr(node, name))


def _of_value(value: object) -> Iterator[PythonCall]:
    if isinstance(value, tuple):
        for part in value:
            yield from _of_value(part)
    elif isinstance(value, Aggregation):
        yield from _of_value(value.arguments)
    elif isinstance(value, Expression):
        yield from (part for part in distinct(value) if isinstance(part, PythonCall))
