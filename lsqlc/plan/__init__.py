"""The typed plan as data, and what is computed from a plan: passes, lineage, fingerprints, diff, printing.

Knows no syntax and no engine.
"""

from lsqlc.plan.plan import Compiled, Plan

__all__ = ["Compiled", "Plan"]
