"""Which findings are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class LintSettings:
    """`select`: the codes that `lsqlc lint` reports, all if there are none. `ignore`: those that no command reports."""

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()

    def wants(self, code: str) -> bool:
        """Return whether lint reports a code. What is not a rule, such as an error, is always reported."""
        return not is_rule(code) or (code not in self.ignore and (not self.select or code in self.select))


def is_rule(code: str) -> bool:
    """Return whether a code is one of a finding that stops nothing."""
    return code.startswith("LSQ8")


@cache
def rules() -> dict[str, str]:
    """Return the codes that can be selected and ignored, with their titles."""
    from lsqlc.diagnostics.catalogue import codes

    return {code: title for code, title in codes().items() if is_rule(code)}
