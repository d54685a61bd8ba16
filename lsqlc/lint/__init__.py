"""What could be improved in a program that compiles: rules with codes, their fixes, and how to ignore them.

A rule looks at the syntax, and at the fields of topics where it proposes a name; whatever needs the plan is found by
the compiler itself. This room knows no project: what is ignored is passed in as settings and comments of the text.
"""

from lsqlc.lint.fixes import apply_fixes
from lsqlc.lint.ignores import Ignored, ignore
from lsqlc.lint.rules import lint_program
from lsqlc.lint.settings import LintSettings, is_rule, rules

__all__ = ["Ignored", "LintSettings", "apply_fixes", "ignore", "is_rule", "lint_program", "rules"]
