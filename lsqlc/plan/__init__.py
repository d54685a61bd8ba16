"""The typed plan as data, and functions over plans: passes, lineage, fingerprints, diff, printing.

Independent of syntax and engines.
"""

from lsqlc.plan.plan import Compiled, Plan

__all__ = ["Compiled", "Plan"]
