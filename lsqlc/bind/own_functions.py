"""The project's own functions, from the declarations in their files: names are checked, cycles reported, bodies bound.

A body is bound over its parameters as an expression of a query is bound over the columns of its source. For arguments
of which fewer may be null it is bound again. So the result is as exact as with the body in the query.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from graphlib import CycleError, TopologicalSorter
from hashlib import blake2b

from lsqlc.bind.findings import Findings
from lsqlc.bind.own_calls import fitted
from lsqlc.bind.own_function import OwnFunction, OwnFunctions
from lsqlc.diagnostics import Diagnostic, Span, order
from lsqlc.functions import catalogue
from lsqlc.plan.expression import Call, Expression, RecordTime
from lsqlc.plan.sharing import distinct
from lsqlc.syntax import tree
from lsqlc.syntax.own_functions import FunctionText
from lsqlc.types import data

# Binds a body. The arguments are the expression, the function's name, its parameters, and whether nullable operands are
# refused.
BindBody = Callable[[tree.Expression, str, tuple[data.Field, ...], bool, Findings], Expression | None]
# Returns whether a name is that of a function of a dialect.
IsBuiltIn = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Written:
    """A function in a file, with the dialect of its body and the binder of that."""

    text: FunctionText
    dialect: str
    bind: BindBody


@dataclass(frozen=True, slots=True)
class Declared:
    """The functions by name, including those with errors, and the diagnostics of these."""

    functions: OwnFunctions
    diagnostics: tuple[Diagnostic, ...]


def declare_functions(
    declarations: Sequence[Written],
    built_in: Mapping[str, IsBuiltIn],
    others: Sequence[tuple[OwnFunction, Span]] = (),
) -> Declared:
    """Return the functions that files declare.

    `built_in`: by the name of each dialect that may call them. `others`: functions without a body in SQL, with the
    spans of their names.
    """
    builder = _Builder()
    for function, at in others:
        if not builder.is_taken(function.name, at) and not builder.hides(function.name, at, built_in):
            builder.places[function.name.upper()] = at
            builder.functions[function.name.upper()] = function
    for each in declarations:
        name, at = each.text.name.text, each.text.source.span(each.text.name.at)
        if not builder.is_taken(name, at) and not builder.hides(name, at, built_in):
            builder.places[name.upper()] = at
            builder.written[name.upper()] = each
    builder.break_circles()
    for name in builder.order():
        builder.bind(name)
    return Declared(builder.functions, order(builder.found))


@dataclass(slots=True)
class _Builder:
    """The functions so far. `bodies`: by name, nullability of the arguments, and strictness. `broken`: those with
    errors.
    """

    written: dict[str, Written] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    functions: OwnFunctions = field(default_factory=dict)
    bodies: dict[tuple[str, tuple[bool, ...], bool], Expression | None] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    found: list[Diagnostic] = field(default_factory=list)

    def is_taken(self, name: str, at: Span) -> bool:
        """Report a second function with a name; return whether it is one."""
        first = self.places.get(name.upper())
        if first is None:
            return False
        notes = (f"the other one is at {first.path}:{first.line}:{first.column}", "letter case is ignored")
        self._error("LSQ480", f"the function '{name}' is declared twice", at, notes, "rename one of them")
        return True

    def hides(self, name: str, at: Span, built_in: Mapping[str, IsBuiltIn]) -> bool:
        """Report a name that a dialect has itself; return whether it is one."""
        dialect = next((d for d, has in built_in.items() if has(name.upper())), None)
        if dialect is None:
            return False
        message = f"'{name}' is a built-in function of the dialect {dialect}"
        self._error("LSQ481", message, at, ("its calls would be ambiguous",), "give the function another name")
        return True

    def break_circles(self) -> None:
        """Report the functions that call themselves, directly or indirectly."""
        while True:
            graph = {n: self._called(n) - self.broken for n in self.written if n not in self.broken}
            try:
                TopologicalSorter(graph).prepare()
            except CycleError as error:
                circle: list[str] = error.args[1]
                # It begins with the function that is first in order, for any order of detection.
                ring = circle[-1:0:-1]
                first = min(ring, key=list(self.written).index)
                start = ring.index(first)
                path = [*ring[start:], *ring[:start], first]
                names = [self.written[n].text.name.text for n in path]
                message, path_note = f"the function '{names[0]}' calls itself", " -> ".join(names)
                help = "a function takes the place of its call, so that it must end"
                self._error("LSQ482", message, self.places[first], (path_note,), help)
                self.broken |= set(circle)
                continue
            return

    def order(self) -> list[str]:
        """Return all names, each after those that it calls; those in a cycle come first."""
        graph = {n: self._called(n) if n not in self.broken else set() for n in self.written}
        return list(TopologicalSorter(graph).static_order())

    def bind(self, name: str) -> None:
        """Add a function whose callees are added, and report errors in its body."""
        text = self.written[name].text
        parameters = tuple(data.Field(p.name.text, p.type) for p in text.parameters)
        every = (True,) * len(parameters)
        self.functions[name] = OwnFunction(
            text.name.text,
            parameters,
            text.returns,
            text.source.path,
            partial(self._body, name),
            partial(self._takes_null, name),
            self._identity(name),
            dialect=self.written[name].dialect,
            comment=text.comment,
        )
        if name in self.broken:
            return
        findings = Findings(text.source, functions=self.functions)
        body = self._bound(name, every, False, findings)
        # Errors in a callee are reported there.
        self.found += [d for d in findings.found if d.code != "LSQ487"]
        if body is None or findings.has_errors:
            self.broken.add(name)
            return
        self.bodies[name, every, False] = body

    def _called(self, name: str) -> set[str]:
        return {n for n in self.written[name].text.calls if n in self.written}

    def _identity(self, name: str) -> str:
        """Return a hash of the declaration and of the called functions, which are added already."""
        text = self.written[name].text
        callees = sorted(self.functions[n].identity for n in text.calls if n in self.functions)
        parts = (self.written[name].dialect, text.source.text[slice(*text.at)], *callees)
        return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _body(self, name: str, nullable: tuple[bool, ...]) -> Expression | None:
        return None if name in self.broken else self._known(name, nullable, False)

    def _takes_null(self, name: str) -> bool:
        if name in self.broken:
            return True
        return self._known(name, (True,) * len(self.functions[name].parameters), True) is not None

    def _known(self, name: str, nullable: tuple[bool, ...], strict: bool) -> Expression | None:
        key = name, nullable, strict
        if key not in self.bodies:
            findings = Findings(self.written[name].text.source, functions=self.functions)
            body = self._bound(name, nullable, strict, findings)
            self.bodies[key] = None if findings.has_errors else body
        return self.bodies[key]

    def _bound(self, name: str, nullable: Collection[bool], strict: bool, findings: Findings) -> Expression | None:
        declaration = self.written[name]
        text = declaration.text
        pairs = zip(text.parameters, nullable, strict=True)
        parameters = tuple(data.Field(p.name.text, p.type, null) for p, null in pairs)
        body = declaration.bind(text.body, text.name.text, parameters, strict, findings)
        if body is None:
            return None
        if any(map(_looks_out, distinct(body))):
            findings.error("LSQ312", "the time, and what is known of a record, are not allowed in a function",
                           text.body.at, help="make it a parameter, and pass it in the call")  # fmt: skip
            return None
        result = fitted(body, text.returns)
        if result is None:
            message = f"the body of '{text.name.text}' is {body.type}, not {text.returns}"
            help = f"convert it: RETURN CAST(... AS {text.returns}), or write RETURNS {body.type}"
            findings.error("LSQ483", message, text.body.at, help=help)
        return result

    def _error(self, code: str, message: str, at: Span, notes: tuple[str, ...], help: str) -> None:
        self.found.append(Diagnostic(code, message, at, notes, help))


def _looks_out(part: Expression) -> bool:
    """Return whether a part of a body depends on more than the arguments."""
    if isinstance(part, RecordTime):
        return True
    function = catalogue.planned(part.function) if isinstance(part, Call) else None
    return function is not None and (function.clock or function.of_record)
