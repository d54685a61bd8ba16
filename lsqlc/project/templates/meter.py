"""The steps of templates: what operations cost, and how much a template, and all of a project, may take.

A step is about the time of one node of a template. Each operation pays for what it looks at and for what it makes
before it does so: an item of a list is a step, and so are ten characters of a text. What is paid for is never given
back, so that the limit of steps is a limit of memory too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, ValuesView
from collections.abc import Set as AbstractSet
from typing import Any

from jinja2 import TemplateError, Undefined
from jinja2.utils import Namespace

from lsqlc.project.templates.limits import MAX_TEXT

MAX_STEPS = 1_000_000
"""Of one template."""
MAX_PROJECT_STEPS = 20_000_000
"""Of all templates of a project, besides `STEPS_OF_EACH` for each."""
STEPS_OF_EACH = 5_000
MAX_RANGE = 10_000
MAX_BITS = 4_096
"""The bits of a number."""
MAX_DEPTH = 100
"""The levels of lists and mappings in each other."""
_CHARACTERS = 10
"""The characters of a text that are one step."""
# Whole numbers below have hashes of their own, so that a mapping of them takes one look for each.
_KEY_BITS = 60


class LimitError(TemplateError):
    """A template that asks for more than it may have."""


class Meter:
    """Counts the steps of one project's templates. `begin` starts the count for one of them."""

    def __init__(self) -> None:
        self.used = 0
        self._left = MAX_PROJECT_STEPS

    def begin(self) -> None:
        self._left += STEPS_OF_EACH - self.used
        self.used = 0

    def spend(self, steps: int) -> None:
        """Count one step and these. Raises LimitError beyond the last."""
        self.used += 1 + steps
        if self.used > MAX_STEPS:
            # What is refused is not done.
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
        """Count values with all that is in them, as often as it is in them; the steps. Raises LimitError."""
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
        """What there is to iterate over, counted."""
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
        """Return the value, which can be a key of a mapping. Raises TypeError for others.

        Texts have hashes that nobody can predict, and small numbers have different ones. A list of tuples can be made
        whose hashes are the same, and a mapping of these takes the square of their number.
        """
        if isinstance(value, str):
            self.spend(len(value) // _CHARACTERS)
        elif isinstance(value, int) and value.bit_length() > _KEY_BITS:
            raise LimitError("a number that is the key of a mapping in the template is too large")
        elif isinstance(value, Undefined):
            # Raises the error that names it.
            hash(value)
        elif value is not None and not isinstance(value, (int, float)):
            raise TypeError(f"the key of a mapping must be a text or a number, not a {type(value).__name__}")
        return value

    def mapping(self, *given: Any, **named: Any) -> dict[Any, Any]:
        """`dict()` of a mapping or of pairs, and of names."""
        if len(given) > 1:
            raise TypeError("dict() takes one mapping, or one list of pairs")
        pairs: Iterable[Any] = ()
        if given:
            pairs = given[0].items() if isinstance(given[0], dict) else given[0]
            pairs = attributes(given[0]).items() if isinstance(given[0], Namespace) else pairs
        made: dict[Any, Any] = {}
        for key, value in self.items(pairs):
            made[self.key(key)] = value
        self.spend_items(len(named))
        return {**made, **named}


def attributes(namespace: Namespace) -> dict[str, Any]:
    """What a `namespace()` holds."""
    return object.__getattribute__(namespace, "_Namespace__attrs")  # type: ignore[no-any-return]
