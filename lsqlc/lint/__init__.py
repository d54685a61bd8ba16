"""Lint rules for programs that compile: codes, fixes, and comments that ignore them.

A rule looks at the syntax, and at the fields of topics to propose a name. Checks that need the plan belong to the
compiler. This room knows no project: settings and texts are arguments.
"""

from lsqlc.lint.fixes import apply_fixes
from lsqlc.lint.ignores import Ignored, ignore
from lsqlc.lint.rules import lint_program
from lsqlc.lint.settings import LintSettings, is_rule, rules

__all__ = ["Ignored", "LintSettings", "apply_fixes", "ignore", "is_rule", "lint_program", "rules"]
