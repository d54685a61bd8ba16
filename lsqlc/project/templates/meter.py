"""The steps of templates: the cost of operations, and the limits for a template and for a project.

A step is about the time of one node of a template. Each operation pays before it runs, for its input and its output: a
step for an item of a list, and a step for ten characters of a text. Payments are not returned, so that the limit of
steps is a limit of memory too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, ValuesView
from collections.abc import Set as AbstractSet
from typing import Any

from jinja2 import TemplateError, Undefined
from jinja2.utils import Namespace

from lsqlc.project.templates.limits import MAX_TEXT

MAX_STEPS = 1_000_000
"""The maximal number of steps of one template."""
MAX_PROJECT_STEPS = 20_000_000
"""The maximal number of steps of all templates of a project, in addition to `STEPS_OF_EACH` for each."""
STEPS_OF_EACH = 5_000
MAX_RANGE = 10_000
MAX_BITS = 4_096
"""The maximal number of bits of an integer."""
MAX_DEPTH = 100
"""The maximal depth of nested lists and mappings."""
_CHARACTERS = 10
"""The number of characters of a text that cost one step."""
# Smaller integers have distinct hashes, so that a mapping of them needs one probe for each.
_KEY_BITS = 60


class LimitError(TemplateError):
    """A template exceeds a limit."""


class Meter:
    """Counts the steps of one project's templates. `begin` starts the count of the next one."""

    def __init__(self) -> None:
        self.used = 0
        self._left = MAX_PROJECT_STEPS

    def begin(self) -> None:
        self._left += STEPS_OF_EACH - self.used
        self.used = 0

    def spend(self, steps: int) -> None:
        """Count these steps and one more. Raises LimitError beyond the limit."""
        self.used += 1 + steps
        if self.used > MAX_STEPS:
            # The refused operation does not run, so it does not count.
            self.used = MAX_STEPS
            raise LimitError(f"the template takes more than {MAX_STEPS:,} steps")
        if self.used > self._left:
            raise LimitError(f"the templates of the project take more than {MAX_PROJECT_STEPS:,} steps")

    def spend_text(self, length: int) -> None:
        """Count a text of that many characters. Raises LimitError if it is too long."""
        self.check_size(length)
        self.spend(length // _CHARACTERS)

    def spend_items(self, number: int) -> None:
        """Count a list of that many items. Raises LimitError if it is too long."""
        self.check_size(number)
        self.spend(number)

    def check_size(self, size: int) -> None:
        if size > MAX_TEXT:
            raise LimitError(f"a text or list in the template is longer than {MAX_TEXT:,}")

    def check_bits(self, bits: int) -> None:
        if bits > MAX_BITS:
            raise LimitError("a number in the template is too large")

    def weigh(self, *values: Any) -> int:
        """Count values with all their parts, repeated ones too, and return the steps. Raises LimitError."""
        before = self.used
        level: list[Any] = list(values)
        for _ in range(MAX_DEPTH):
            if not level:
                return self.used - before
            below: list[Any] = []
            for value in level:
                if isinstance(value, str):
                    self.spend(len(value) // _CHARACTERS)
                elif isinstance(value, int):
                    self.check_bits(value.bit_length())
                    self.spend(0)
                elif isinstance(value, Namespace):
                    self.spend(0)
                    below.append(attributes(value))
                elif isinstance(value, dict):
                    self.spend(2 * len(value))
                    below += [*value.keys(), *value.values()]
                elif isinstance(value, (list, tuple, AbstractSet, ValuesView)):
                    self.spend(len(value))
                    below += [*value]
                else:
                    self.spend(len(value) if isinstance(value, range) else 0)
            level = below
        raise LimitError(f"the lists and mappings of a template are nested more than {MAX_DEPTH} levels deep")

    def text(self, value: Any) -> str:
        """Return a value as text. Raises LimitError if it is too long."""
        if type(value) is not str:
            self.weigh(value)
            value = str(value)
        self.spend_text(len(value))
        return value  # type: ignore[no-any-return]

    def items(self, values: Iterable[Any]) -> list[Any]:
        """Return the items of an iterable, counted."""
        if isinstance(values, Iterator):
            return list(self._counted(values))
        items = values if isinstance(values, (str, list, tuple, dict, range)) else list(self._counted(values))
        self.spend_items(len(items))
        return list(items)

    def _counted(self, values: Iterable[Any]) -> Iterator[Any]:
        for number, value in enumerate(values):
            self.check_size(number)
            self.spend(0)
            yield value

    def key(self, value: Any) -> Any:
        """Return a value that can be a key of a mapping. Raises TypeError for others.

        The hashes of texts are unpredictable, and small integers have distinct hashes. Tuples could be made with equal
        hashes, and a mapping of them would take quadratic time.
        """
        if isinstance(value, str):
            self.spend(len(value) // _CHARACTERS)
        elif isinstance(value, int) and value.bit_length() > _KEY_BITS:
            raise LimitError("a number that is the key of a mapping in the template is too large")
        elif isinstance(value, Undefined):
            # Raises the error that names the undefined variable.
            hash(value)
        elif value is not None and not isinstance(value, (int, float)):
            raise TypeError(f"the key of a mapping must be a text or a number, not a {type(value).__name__}")
        return value

    def mapping(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """Return a mapping of a mapping or of pairs, and of keyword arguments, as `dict()` does."""
        if len(args) > 1:
            raise TypeError("dict() takes one mapping, or one list of pairs")
        pairs: Iterable[Any] = ()
        if args:
            pairs = args[0].items() if isinstance(args[0], dict) else args[0]
            pairs = attributes(args[0]).items() if isinstance(args[0], Namespace) else pairs
        result: dict[Any, Any] = {}
        for key, value in self.items(pairs):
            result[self.key(key)] = value
        self.spend_items(len(kwargs))
        return {**result, **kwargs}


def attributes(namespace: Namespace) -> dict[str, Any]:
    """Return the attributes of a `namespace()`."""
    return object.__getattribute__(namespace, "_Namespace__attrs")  # type: ignore[no-any-return]
