"""What in a program could be better although it compiles: rules with codes, their fixes, and how to ignore them.

A rule looks at the syntax, and at the fields of topics where it proposes a name; whatever needs the plan is found by
the compiler itself. Knows no project: what is ignored comes in as settings and as comments of the text.
"""

from lsqlc.lint.fixes import apply_fixes
from lsqlc.lint.ignores import Ignored, ignore
from lsqlc.lint.rules import lint_program
from lsqlc.lint.settings import LintSettings, is_rule, rules

__all__ = ["Ignored", "LintSettings", "apply_fixes", "ignore", "is_rule", "lint_program", "rules"]
