"""The plan graph: nodes, binding, the language's rules, rewrites, fingerprints. Knows no engine."""

from lsqlc.bind.lenses.joins import Limits
from lsqlc.bind.lenses.program import DEFAULT_LIMITS, compile_program
from lsqlc.plan.plan import Compiled, Plan

__all__ = ["DEFAULT_LIMITS", "Compiled", "Limits", "Plan", "compile_program"]
