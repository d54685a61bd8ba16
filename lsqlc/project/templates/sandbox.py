"""Jinja with bounds: a template of a pull request can neither reach Python nor run or grow without end.

Besides Jinja's own sandbox: a fixed list of filters and methods (none of them random, none that makes much of little),
steps are counted in loops, macros, filters and calls, and texts, lists and numbers have a largest size. Counting is
woven into the template's tree, where a template cannot name it.

Every piece of output that goes straight to the result carries its place in the template, so that an error in the
rendered text can be shown there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from functools import wraps
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateError, Undefined, nodes
from jinja2.sandbox import SandboxedEnvironment

MAX_RANGE = 10_000
MAX_STEPS = 100_000
MAX_TEXT = 1_000_000
_MAX_ITEMS = 100_000
_MAX_BITS = 4_096

_FILTERS = (
    "abs", "capitalize", "d", "default", "dictsort", "first", "float", "int", "items", "join", "last", "length",
    "list", "lower", "map", "max", "min", "reject", "rejectattr", "replace", "reverse", "round", "select", "selectattr",
    "sort", "string", "sum", "title", "trim", "unique", "upper", "count",
)  # fmt: skip
_METHODS = {
    str: ("capitalize", "count", "endswith", "find", "isdigit", "join", "lower", "lstrip", "removeprefix",
          "removesuffix", "replace", "rstrip", "split", "startswith", "strip", "title", "upper"),
    list: ("append", "count", "extend", "index", "insert", "pop", "reverse"),
    dict: ("get", "items", "keys", "pop", "update", "values"),
    tuple: ("count", "index"),
}  # fmt: skip
_GLOBALS = ("dict", "namespace")


class LimitError(TemplateError):
    """A template that asks for more than it may have."""


class Mark(str):
    """An empty text that says where the output after it comes from: template offsets, `end` None for copied text."""

    start: int
    end: int | None

    def __str__(self) -> str:
        return self


class Sandbox(SandboxedEnvironment):
    """The environment of one project. `begin` starts the count for one template."""

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def __init__(self) -> None:
        super().__init__(
            undefined=StrictUndefined,
            finalize=_finalize,
            keep_trailing_newline=True,
            extensions=["jinja2.ext.do"],
            cache_size=0,
        )
        self.filters = {name: self._metered(name, self.filters[name]) for name in _FILTERS}
        self.globals = {name: self.globals[name] for name in _GLOBALS} | {"range": self._range}
        self._left = MAX_STEPS

    def begin(self) -> None:
        self._left = MAX_STEPS

    def spend(self, steps: int) -> None:
        """Count steps; raises LimitError beyond the last."""
        self._left -= 1 + abs(steps)
        if self._left < 0:
            raise LimitError(f"the template takes more than {MAX_STEPS:,} steps")

    def lsqlc_step(self, size: int) -> str:
        self.spend(size // 100)
        return ""

    def lsqlc_mark(self, start: int, end: int | None) -> Mark:
        mark = Mark()
        mark.start, mark.end = start, end
        return mark

    def lsqlc_join(self, *parts: Any) -> str:
        texts = [str(part) for part in parts]
        self._check_size(sum(map(len, texts)))
        return "".join(texts)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        for type, allowed in _METHODS.items():
            if isinstance(obj, type):
                return attr in allowed
        return super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> None:
        """Jinja lets `format` through before it asks `is_safe_attribute`; a width in it makes much of little."""
        return None

    def call(self, context: Any, obj: Any, *args: Any, **kwargs: Any) -> Any:
        owner = getattr(obj, "__self__", None)
        if owner is not self:
            self._check_call(getattr(obj, "__name__", ""), (owner, *args, *kwargs.values()))
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if isinstance(left, str) and operator == "%":
            raise LimitError("'%' does not format text in a template; concatenate texts with '~'")
        if isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() * (abs(right) if operator == "**" else 1)
            if bits > _MAX_BITS or right.bit_length() > _MAX_BITS:
                raise LimitError("a number in the template is too large")
        elif operator == "*" and (isinstance(left, Sized) or isinstance(right, Sized)):
            self._check_size(_size(left) * _size(right))
        elif operator == "+":
            self._check_size(_size(left) + _size(right))
        return super().call_binop(context, operator, left, right)

    def _metered(self, name: str, filter: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(filter)
        def metered(*args: Any, **kwargs: Any) -> Any:
            # A lazy filter is read here, where what it yields is counted.
            given = [list(self._counted(a)) if isinstance(a, Iterator) else a for a in args]
            self._check_call(name, [a for a in given if not isinstance(a, Environment)])
            result = filter(*given, **kwargs)
            return list(self._counted(result)) if isinstance(result, Iterator) else result

        return metered

    def _counted(self, items: Iterator[Any]) -> Iterator[Any]:
        for item in items:
            self.spend(0)
            yield item

    def _check_call(self, name: str, values: Any) -> None:
        sizes = [_size(value) for value in values if isinstance(value, (str, list, tuple, dict, range))]
        self.spend(sum(sizes) // 100)
        total = sum(sizes)
        if name == "replace" and len(sizes) >= 3:
            total = (sizes[0] + 1) * (sizes[2] + 1) if sizes[2] > sizes[1] else sizes[0]
        elif name == "join":
            texts = [item for value in values if isinstance(value, (list, tuple)) for item in value]
            glue = max((len(value) for value in values if isinstance(value, str)), default=0)
            total += sum(len(item) if isinstance(item, str) else 20 for item in texts) + glue * len(texts)
        self._check_size(total)

    def _check_size(self, size: int) -> None:
        if size > MAX_TEXT:
            raise LimitError(f"a text or list in the template is longer than {MAX_TEXT:,}")

    def _range(self, *bounds: int) -> range:
        numbers = range(*bounds)
        if len(numbers) > MAX_RANGE:
            raise LimitError(f"range() gives more than {MAX_RANGE:,} numbers")
        return numbers


def prepare(sandbox: Sandbox, tree: nodes.Template, source: str) -> None:
    """Weave counting, and the places of the output, into a parsed template."""
    expressions = _places(sandbox, tree, source)
    for concat in list(tree.find_all(nodes.Concat)):
        _become_call(concat)
    loops: list[nodes.For | nodes.Macro | nodes.CallBlock] = [
        *tree.find_all(nodes.For), *tree.find_all(nodes.Macro), *tree.find_all(nodes.CallBlock),
    ]  # fmt: skip
    for block in loops:
        size = sum(len(data.data) for data in block.find_all(nodes.TemplateData))
        step = nodes.ExprStmt(_call("lsqlc_step", size, block.lineno), lineno=block.lineno)
        block.body.insert(0, step.set_environment(sandbox))
    _mark(tree.body, expressions)
    tree.set_environment(sandbox)


def _places(sandbox: Sandbox, tree: nodes.Template, source: str) -> dict[int, tuple[int, int | None]]:
    """Offsets of each piece of output, by the identity of its node."""
    copied: list[tuple[int, None]] = []
    computed: list[tuple[int, int]] = []
    at = opened = 0
    for _, kind, value in sandbox.lex(source):
        if not source.startswith(value, at):
            # White space that `-` takes away is not among the tokens.
            at = max(source.find(value, at), at)
        if kind == "data":
            copied.append((at, None))
        elif kind == "variable_begin":
            opened = at
        elif kind == "variable_end":
            computed.append((opened, at + len(value.rstrip())))
        at += len(value)
    found: dict[int, tuple[int, int | None]] = {}
    outputs = [node for output in tree.find_all(nodes.Output) for node in output.nodes]
    data = [node for node in outputs if isinstance(node, nodes.TemplateData)]
    rest = [node for node in outputs if not isinstance(node, nodes.TemplateData)]
    for kinds, places in ((data, copied), (rest, computed)):
        # Where the two lists differ ({% print %}), the line of each node is what is known.
        exact = len(kinds) == len(places)
        for i, node in enumerate(kinds):
            start = _line_start(source, node.lineno)
            found[id(node)] = places[i] if exact else (start, start + 1)
    return found


def _mark(body: list[nodes.Node], places: dict[int, tuple[int, int | None]]) -> None:
    """Put a mark before each piece of output, where output goes straight to the result."""
    for node in body:
        if isinstance(node, nodes.Output):
            marked: list[nodes.Expr] = []
            for part in node.nodes:
                start, end = places[id(part)]
                marked += [_call("lsqlc_mark", (start, end), part.lineno), part]
            node.nodes = marked
        elif isinstance(node, nodes.If):
            for inner in (node.body, *(branch.body for branch in node.elif_), node.else_):
                _mark(inner, places)
        elif isinstance(node, nodes.For) and not node.recursive:
            _mark(node.body, places)
            _mark(node.else_, places)
        elif isinstance(node, (nodes.With, nodes.Scope)):
            _mark(node.body, places)


def _call(name: str, arguments: Any, line: int) -> nodes.Call:
    values = arguments if isinstance(arguments, tuple) else (arguments,)
    constants = [nodes.Const(value, lineno=line) for value in values]
    return nodes.Call(nodes.EnvironmentAttribute(name, lineno=line), constants, [], None, None, lineno=line)


def _become_call(concat: nodes.Concat) -> None:
    """`a ~ b` as a call that checks the length; the node itself changes, so that its parents need not be found."""
    parts, line = concat.nodes, concat.lineno
    call = nodes.Call(nodes.EnvironmentAttribute("lsqlc_join", lineno=line), parts, [], None, None, lineno=line)
    concat.nodes = [call]


def _line_start(source: str, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = source.find("\n", at) + 1
    return at


def _finalize(value: Any) -> Any:
    """Refuse to print a function: somebody forgot the parentheses."""
    if callable(value) and not isinstance(value, Undefined):
        raise TypeError(f"'{getattr(value, 'name', None) or value.__name__}' is a function; call it with ()")
    return value


def _size(value: Any) -> int:
    if isinstance(value, (str, list, tuple, dict, range)):
        return len(value)
    return abs(value) if isinstance(value, int) else 1
