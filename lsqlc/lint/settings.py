"""The selection of lint rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class LintSettings:
    """The codes that `lsqlc lint` reports (`select`, empty for all), and those that no command reports (`ignore`)."""

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()

    def wants(self, code: str) -> bool:
        """Return whether lint reports a code. Codes that are no lint rules, such as errors, are always reported."""
        return not is_rule(code) or (code not in self.ignore and (not self.select or code in self.select))


def is_rule(code: str) -> bool:
    """Return whether a code belongs to a lint rule."""
    return code.startswith("LSQ8")


@cache
def rules() -> dict[str, str]:
    """Return the codes of all lint rules, with their titles."""
    from lsqlc.diagnostics.catalogue import codes

    return {code: title for code, title in codes().items() if is_rule(code)}
