"""Documentation of functions and settings as Markdown: signature, parameters, description."""

from __future__ import annotations

from lsqlc.bind.own_function import OwnFunction
from lsqlc.dialects.record import Settings
from lsqlc.functions import catalogue, kinds
from lsqlc.functions.signature import Aggregate, Function, Nulls, Parameter

_NULLS = {
    Nulls.PROPAGATE: "is null where an argument is",
    Nulls.SIZED: "is null where an argument is, and where it would be longer than 1,000,000",
    Nulls.ALL: "is null where every argument is",
    Nulls.MAY: "may be null",
    Nulls.NEVER: "is never null",
}


def function_named(name: str, dialect: str) -> Function | Aggregate | None:
    """Return the aggregate or scalar function of a name, ignoring case."""
    return catalogue.aggregate(name, dialect) or catalogue.scalar(name, dialect)


def parameter_names(function: Function | Aggregate) -> tuple[str, ...]:
    """Return the parameters for a signature. Optional ones are in brackets."""
    if function.name == "COUNT" and isinstance(function, Aggregate):
        return ("* | value",)
    names = [f"[{p.name}]" if p.optional else p.name for p in function.parameters]
    variadic = isinstance(function, Function) and function.variadic
    return (*names, "...") if variadic else tuple(names)


def signature(function: Function | Aggregate) -> str:
    """Return a signature such as `SUBSTRING(text, start, [end])`."""
    return f"{function.name}({', '.join(parameter_names(function))})"


def function_text(function: Function | Aggregate) -> str:
    """Return the documentation of a function: signature, description and parameters."""
    lines = ["```sql", signature(function), "```", function.doc, ""]
    lines += [f"- `{p.name}`: {_accepted(p)}" for p in function.parameters]
    lines += ["", f"The result {_NULLS[function.nulls]}."]
    if isinstance(function, Aggregate) and not function.on_table:
        lines.append(f"Not supported on a TABLE: {function.why_not}.")
    return "\n".join(lines)


def own_function_text(function: OwnFunction) -> str:
    """Return the documentation of one of the project's own functions."""
    comment = [function.comment, ""] if function.comment else []
    return "\n".join(["```sql", function.signature, "```", *comment, f"Declared in `{function.path}`."])


def own_call_snippet(function: OwnFunction) -> str:
    """Return the call as a snippet of the protocol, with a placeholder for each argument."""
    places = ", ".join(f"${{{number}:{p.name}}}" for number, p in enumerate(function.parameters, 1))
    return f"{function.name}({places})"


def call_snippet(function: Function | Aggregate, name: str) -> str:
    """Return the call as a snippet of the protocol, with a placeholder for each required argument."""
    required = [p for p in function.parameters if not p.optional]
    places = ", ".join(f"${{{number}:{p.name}}}" for number, p in enumerate(required, 1))
    return f"{name}({places or ('$1' if function.parameters else '')})"


def _accepted(parameter: Parameter) -> str:
    words = kinds.KINDS[parameter.accepts].words
    return f"{words}, optional" if parameter.optional else words


def setting_text(name: str, settings: Settings) -> str:
    """Return the documentation of a setting."""
    return f"```sql\nSET {name} = ...;\n```\n{settings.takes(name)}"
