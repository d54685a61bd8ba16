"""Options in records: a parameter of a verb whose type is a frozen dataclass is one option for each field."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def with_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function for typer, whose parameters are the fields of the verb's records in their order.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Common:
    ...     quiet: bool = False
    >>> def verb(name: str, *, common: Common) -> str:
    ...     return f"{name} {common.quiet}"
    >>> inspect.signature(with_options(verb))
    <Signature (*, name: str, quiet: bool = False)>
    >>> with_options(verb)(name="a", quiet=True)
    'a True'
    """
    hints = get_type_hints(verb, include_extras=True)
    signature = inspect.signature(verb)
    records = {name: hints[name] for name in signature.parameters if is_dataclass(hints.get(name))}
    if not records:
        return verb

    def call(**values: Any) -> Any:
        arguments = {}
        for name in signature.parameters:
            record = records.get(name)
            if record is None:
                arguments[name] = values[name]
            else:
                arguments[name] = record(**{field.name: values[field.name] for field in fields(record)})
        return verb(**arguments)

    parameters = [p for each in signature.parameters.values() for p in _options(each, hints[each.name])]
    call.__name__, call.__doc__, call.__module__ = verb.__name__, verb.__doc__, verb.__module__
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=inspect.Signature.empty
    )
    return call


def _options(parameter: inspect.Parameter, type: Any) -> Iterator[inspect.Parameter]:
    """Return the options of a parameter: those of its record, or itself."""
    if not is_dataclass(type):
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=type)
        return
    hints = get_type_hints(type, include_extras=True)
    for field in fields(type):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name]
        )
