"""Parsed templates, before they are compiled: the allowed nodes, and the counting that is added to them.

Counting is added to the tree, where a template cannot name it. Loops, macros and comparisons pay here. Filters, tests,
calls, operators and output pay when the sandbox executes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import TYPE_CHECKING, cast

from jinja2 import TemplateSyntaxError, nodes
from jinja2.visitor import NodeTransformer

from lsqlc.diagnostics.source import SourceText
from lsqlc.project.templates.meter import LimitError, Meter

if TYPE_CHECKING:
    from lsqlc.project.templates.sandbox import Sandbox

PLAIN: frozenset[type[nodes.Node]] = frozenset((
    nodes.And, nodes.Assign, nodes.CondExpr, nodes.ExprStmt, nodes.If, nodes.Keyword, nodes.List, nodes.NSRef,
    nodes.Name, nodes.Not, nodes.Operand, nodes.Or, nodes.Slice, nodes.Template, nodes.TemplateData, nodes.Tuple,
    nodes.With,
))  # fmt: skip
"""Nodes whose work does not depend on values: the template, or the enclosing block, has paid for them."""

WOVEN: frozenset[type[nodes.Node]] = frozenset((
    nodes.CallBlock, nodes.Compare, nodes.Concat, nodes.Const, nodes.Dict, nodes.For, nodes.Getitem, nodes.Macro,
    nodes.Pair,
))  # fmt: skip
"""Nodes that pay through the calls that are added here."""

INTERCEPTED: frozenset[type[nodes.Node]] = frozenset((
    nodes.Add, nodes.AssignBlock, nodes.Call, nodes.Div, nodes.Filter, nodes.FilterBlock, nodes.FloorDiv, nodes.Getattr,
    nodes.Mod, nodes.Mul, nodes.Neg, nodes.Output, nodes.Pos, nodes.Pow, nodes.Sub, nodes.Test,
))  # fmt: skip
"""Nodes that the sandbox executes and counts."""

REFUSED: frozenset[type[nodes.Node]] = frozenset((
    nodes.Block, nodes.Break, nodes.Continue, nodes.EvalContextModifier, nodes.Extends, nodes.FromImport, nodes.Import,
    nodes.Include, nodes.OverlayScope, nodes.Scope, nodes.ScopedEvalContextModifier,
))  # fmt: skip
"""Statements that models do not need."""

_MAX_DEPTH = 200
"""The maximal depth of nested nodes: compilers recurse into each of them."""
_COMPILATION = 20
"""The steps for the compilation of a node."""
_PASS = 5
"""The steps of an iteration of a loop, or of a call of a macro, besides those of its body."""

_Loop = nodes.For | nodes.Macro | nodes.CallBlock


class NotAvailable(TemplateSyntaxError):
    """A part of Jinja that templates of models do not have."""


def prepare(sandbox: Sandbox, tree: nodes.Template, source: str) -> None:
    """Check a parsed template, and add counting and the positions of its output to it.

    Raises LimitError for a template that is too large to compile, and NotAvailable for a node that is not allowed.
    """
    _check(tree, sandbox.meter)
    _mark(tree.body, _places(sandbox, tree, source))
    _Weaver().visit(tree)
    tree.set_environment(sandbox)


def _check(tree: nodes.Template, meter: Meter) -> None:
    """Pay for the compilation of a template, which reads each name again in each block."""
    level: list[nodes.Node] = [tree]
    blocks = 0
    names: set[str] = set()
    for _ in range(_MAX_DEPTH):
        if not level:
            meter.spend(blocks * len(names) // 10)
            return
        meter.spend(_COMPILATION * len(level) + sum(map(_size, level)))
        for node in level:
            kind = type(node)
            if kind not in PLAIN and kind not in WOVEN and kind not in INTERCEPTED:
                # Jinja puts `autoescape` into a scope, which has no line.
                word = "autoescape" if kind is nodes.Scope else kind.__name__.lower()
                raise NotAvailable(f"'{word}' is not available in the template of a model", node.lineno or 1)
            if isinstance(node, nodes.Const) and isinstance(node.value, int):
                meter.check_bits(node.value.bit_length())
            if isinstance(node, nodes.Const) and node.value == inf:
                # Jinja would compile it to a name.
                raise LimitError("a number in the template is too large")
            blocks += isinstance(node, (nodes.If, nodes.With, nodes.AssignBlock, nodes.FilterBlock, _Loop))
            if isinstance(node, (nodes.Name, nodes.Macro)):
                names.add(node.name)
        level = [child for node in level for child in node.iter_child_nodes()]
    raise LimitError("the template is nested too deeply")


class _Weaver(NodeTransformer):
    """Adds counting to nodes that Jinja executes itself. Each method gets a node with finished children."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.iter = _call("lsqlc_copied", node.iter)
        if node.test is not None:
            node.test = nodes.And(_step(_PASS + _cost([node.test]), node.lineno), node.test, lineno=node.lineno)
        return self._counted(node, node.body)

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:
        self.generic_visit(node)
        return self._counted(node, [*node.body, *node.defaults])

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.Node:
        self.generic_visit(node)
        return self._counted(node, [*node.body, *node.defaults])

    def _counted(self, node: _Loop, parts: Iterable[nodes.Node]) -> nodes.Node:
        step = nodes.ExprStmt(_step(_PASS + _cost(parts), node.lineno), lineno=node.lineno)
        node.body.insert(0, step)
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        self.generic_visit(node)
        node.expr = _weighed(node.expr)
        for operand in node.ops:
            operand.expr = _weighed(operand.expr)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _call("lsqlc_join", *node.nodes)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        self.generic_visit(node)
        if isinstance(node.arg, nodes.Slice):
            # The sandbox executes all other items.
            node.node = _call("lsqlc_copied", node.node)
        return node

    def visit_Pair(self, node: nodes.Pair) -> nodes.Node:
        self.generic_visit(node)
        node.key = _call("lsqlc_key", node.key)
        return node


def _weighed(node: nodes.Expr) -> nodes.Expr:
    is_small = isinstance(node, nodes.Const) and not isinstance(node.value, str)
    return node if is_small else _call("lsqlc_weigh", node)


def _step(steps: int, line: int) -> nodes.Call:
    return _call("lsqlc_step", nodes.Const(steps, lineno=line))


def _call(name: str, *arguments: nodes.Node) -> nodes.Call:
    line = arguments[0].lineno
    function = nodes.EnvironmentAttribute(name, lineno=line)
    return nodes.Call(function, [cast(nodes.Expr, a) for a in arguments], [], None, None, lineno=line)


def _cost(parts: Iterable[nodes.Node]) -> int:
    """Return the steps of one execution of some nodes. The body of a loop in them pays for itself."""
    steps = 0
    stack = list(parts)
    while stack:
        node = stack.pop()
        steps += _size(node)
        stack.extend(node.iter_child_nodes(exclude=("body",) if isinstance(node, _Loop) else None))
    return steps


def _size(node: nodes.Node) -> int:
    """Return the steps of a node without its children. Only the copy of a text takes varying work."""
    if isinstance(node, nodes.TemplateData):
        return 1 + len(node.data) // 10
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        return 1 + len(node.value) // 10
    return 1


def _places(sandbox: Sandbox, tree: nodes.Template, source: str) -> dict[int, tuple[int, int | None]]:
    """Return the offsets of each piece of output, by the identity of its node."""
    copied: list[tuple[int, None]] = []
    computed: list[tuple[int, int]] = []
    at = opened = 0
    for _, kind, value in sandbox.lex(source):
        if not source.startswith(value, at):
            # White space that `-` removes is not among the tokens.
            at = max(source.find(value, at), at)
        if kind == "data":
            copied.append((at, None))
        elif kind == "variable_begin":
            opened = at
        elif kind == "variable_end":
            computed.append((opened, at + len(value.rstrip())))
        at += len(value)
    positions: dict[int, tuple[int, int | None]] = {}
    outputs = [node for output in tree.find_all(nodes.Output) for node in output.nodes]
    data = [node for node in outputs if isinstance(node, nodes.TemplateData)]
    rest = [node for node in outputs if not isinstance(node, nodes.TemplateData)]
    lines = SourceText("", source)
    for kinds, places in ((data, copied), (rest, computed)):
        # Where the two lists differ ({% print %}), only the line of each node is known.
        exact = len(kinds) == len(places)
        for i, node in enumerate(kinds):
            start = lines.offset(node.lineno, 1)
            positions[id(node)] = places[i] if exact else (start, start + 1)
    return positions


def _mark(body: list[nodes.Node], places: dict[int, tuple[int, int | None]]) -> None:
    """Put a mark before each piece of output that is written directly to the result."""
    for node in body:
        if isinstance(node, nodes.Output):
            marked: list[nodes.Expr] = []
            for part in node.nodes:
                start, end = places[id(part)]
                arguments = [nodes.Const(value, lineno=part.lineno) for value in (start, end)]
                marked += [_call("lsqlc_mark", *arguments), part]
            node.nodes = marked
        elif isinstance(node, nodes.If):
            for inner in (node.body, *(branch.body for branch in node.elif_), node.else_):
                _mark(inner, places)
        elif isinstance(node, nodes.For) and not node.recursive:
            _mark(node.body, places)
            _mark(node.else_, places)
        elif isinstance(node, nodes.With):
            _mark(node.body, places)
