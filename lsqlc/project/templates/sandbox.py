"""Jinja with limits: a template of a pull request can neither reach Python nor run or grow without end.

This adds to Jinja's own sandbox. Filters, tests, methods and attributes are those of the tables in `costs`. Each of
them and each operator pays for its work (see `meter`). The nodes of a template are checked and instrumented before it
is compiled (see `weaving`). No part of a template is evaluated during compilation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from types import FunctionType, MethodType
from typing import Any

from jinja2 import StrictUndefined, Undefined, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import Namespace

from lsqlc.project.templates.costs import FILTERS, TESTS, Cost, constant, is_field, method_cost
from lsqlc.project.templates.meter import MAX_RANGE, LimitError, Meter

_OF_BLOCKS = ("_block_vars", "_loop_vars")


class Mark(str):
    """An empty text with the origin of the output after it: template offsets, `end` None for copied text."""

    start: int
    end: int | None

    def __str__(self) -> str:
        return self


class Sandbox(SandboxedEnvironment):
    """The environment of one project. `meter.begin` starts the count for one template."""

    intercepted_binops = frozenset(SandboxedEnvironment.default_binop_table)
    intercepted_unops = frozenset(SandboxedEnvironment.default_unop_table)

    def __init__(self) -> None:
        super().__init__(
            undefined=StrictUndefined,
            finalize=_finalize,
            keep_trailing_newline=True,
            extensions=["jinja2.ext.do"],
            cache_size=0,
            optimized=False,
        )
        self.meter = Meter()
        self.filters = {name: self._metered(cost, own or self.filters[name]) for name, (cost, own) in FILTERS.items()}
        self.tests = {name: self._metered(cost, self.tests[name]) for name, cost in TESTS.items()}
        self.globals = {}
        self._costs: dict[Callable[..., Any], Cost] = {}
        for name, function in (("dict", self.meter.mapping), ("namespace", self._namespace), ("range", self._range)):
            self.provide(name, function, constant)

    def provide(self, name: str, function: Callable[..., Any], cost: Cost) -> None:
        """Let all templates call a function. `cost` is called with its arguments."""
        self.globals[name] = function
        self._costs[function] = cost

    def lsqlc_step(self, steps: int) -> bool:
        self.meter.spend(steps)
        return True

    def lsqlc_mark(self, start: int, end: int | None) -> Mark:
        mark = Mark()
        mark.start, mark.end = start, end
        return mark

    def lsqlc_join(self, *parts: Any) -> str:
        texts = [self.meter.text(part) for part in parts]
        self.meter.spend_text(sum(map(len, texts)))
        return "".join(texts)

    def lsqlc_weigh(self, value: Any) -> Any:
        self.meter.weigh(value)
        return value

    def lsqlc_copied(self, value: Any) -> Any:
        """Return a value, and pay for the copy of a part of it."""
        if isinstance(value, str):
            self.meter.spend_text(len(value))
        elif isinstance(value, (list, tuple, dict, range)):
            self.meter.spend(len(value) // 10)
        return value

    def lsqlc_key(self, value: Any) -> Any:
        return self.meter.key(value)

    def getattr(self, obj: Any, attribute: str) -> Any:
        self.meter.spend(0)
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        self.meter.weigh(argument)
        return super().getitem(obj, argument)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if isinstance(obj, Namespace):
            return not attr.startswith("_")
        return method_cost(obj, attr) is not None or is_field(obj, attr)

    def wrap_str_format(self, value: Any) -> None:
        """Refuse `format`: a width in it gives a large result. Jinja does not call `is_safe_attribute` for it."""
        return None

    def call(self, context: Context, obj: Any, *args: Any, **kwargs: Any) -> Any:
        owner = getattr(obj, "__self__", None)
        name = getattr(obj, "__name__", "")
        if owner is self and name.startswith("lsqlc_"):
            return super().call(context, obj, *args, **kwargs)
        # Jinja passes the variables of the surrounding block.
        arguments = (*args, *(value for key, value in kwargs.items() if key not in _OF_BLOCKS))
        if isinstance(obj, Undefined) or not callable(obj):
            return super().call(context, obj, *args, **kwargs)
        if isinstance(obj, (Macro, LoopContext)):
            self.meter.spend(len(arguments))
        elif isinstance(obj, (FunctionType, MethodType)) and obj in self._costs:
            self._costs[obj](self.meter, arguments)
        elif cost := method_cost(owner, name):
            cost(self.meter, (owner, *arguments))
        else:
            raise SecurityError(f"'{name or type(obj).__name__}' cannot be called in a template")
        return self._checked(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        return self.binary(operator, left, right)

    def call_unop(self, context: Context, operator: str, arg: Any) -> Any:
        self.meter.weigh(arg)
        return self.unop_table[operator](arg)

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        """Return the result of an operator. Raises LimitError, and TypeError for operands of the wrong type."""
        if not isinstance(left, Undefined) and not isinstance(right, Undefined):
            self._pay(operator, left, right)
        return self.binop_table[operator](left, right)

    def _pay(self, operator: str, left: Any, right: Any) -> None:
        meter = self.meter
        meter.spend(0)
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            if isinstance(left, int) and isinstance(right, int):
                bits = left.bit_length(), right.bit_length()
                meter.check_bits(max(bits))
                meter.check_bits({"*": sum(bits), "**": bits[0] * abs(right)}.get(operator, 0))
        elif operator == "+" and any(isinstance(left, type) and isinstance(right, type) for type in (list, tuple)):
            meter.spend_items(len(left) + len(right))
        elif operator == "+" and isinstance(left, str) and isinstance(right, str):
            meter.spend_text(len(left) + len(right))
        elif operator == "*" and isinstance(left, (str, list, tuple)) and isinstance(right, int):
            size = len(left) * max(right, 0)
            meter.spend_text(size) if isinstance(left, str) else meter.spend_items(size)
        elif operator == "*" and isinstance(left, int) and isinstance(right, (str, list, tuple)):
            self._pay(operator, right, left)
        elif operator == "%" and isinstance(left, str):
            raise LimitError("'%' does not format text in a template; concatenate texts with '~'")
        else:
            kinds = f"'{type(left).__name__}' and '{type(right).__name__}'"
            raise TypeError(f"unsupported operand types for {operator}: {kinds}")

    def _metered(self, cost: Cost, function: Any) -> Callable[..., Any]:
        first_argument = 1 if hasattr(function, "jinja_pass_arg") else 0

        @wraps(function)
        def metered(*args: Any, **kwargs: Any) -> Any:
            # A lazy value is read here, so that its items are counted.
            values = [self.meter.items(a) if isinstance(a, Iterator) else a for a in args[first_argument:]]
            cost(self.meter, (*values, *kwargs.values()))
            return self._checked(function(*args[:first_argument], *values, **kwargs))

        return metered

    def _checked(self, result: Any) -> Any:
        """Return a result that is within the limits; a lazy one is read."""
        if isinstance(result, Iterator) and not isinstance(result, LoopContext):
            return self.meter.items(result)
        if isinstance(result, (str, list, tuple, dict)):
            self.meter.check_size(len(result))
        elif isinstance(result, int):
            self.meter.check_bits(result.bit_length())
        return result

    def _range(self, *bounds: int) -> range:
        numbers = range(*bounds)
        if len(numbers) > MAX_RANGE:
            raise LimitError(f"range() gives more than {MAX_RANGE:,} numbers")
        return numbers

    def _namespace(self, *args: Any, **kwargs: Any) -> Namespace:
        return Namespace(self.meter.mapping(*args, **kwargs))


@pass_context
def _finalize(context: Context, value: Any) -> str:
    """Return the text of an expression. Raises TypeError for a function whose parentheses are missing."""
    if type(value) is Mark:
        return value
    if callable(value) and not isinstance(value, Undefined):
        raise TypeError(f"'{getattr(value, 'name', None) or value.__name__}' is a function; call it with ()")
    sandbox = context.environment
    assert isinstance(sandbox, Sandbox)
    return sandbox.meter.text(value)
