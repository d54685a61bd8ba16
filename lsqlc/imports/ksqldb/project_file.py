"""The project file of an imported project.

Its error policy is the one that SET configures, or ksqlDB's default, which skips bad records.
"""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.bind.ksql.settings import FAIL_ON_BAD_RECORD, POLICIES
from lsqlc.imports.ksqldb.statements import Statement, defined
from lsqlc.syntax.ksql.parser import parse
from lsqlc.types.error_policy import Policy

OF_KSQLDB: Policy = "continue"


def sets_policy(statement: Statement) -> bool:
    """Return whether a SET or UNSET statement is about the error policy."""
    return f"'{FAIL_ON_BAD_RECORD}'" in statement.text


def policy_of(settings: Iterable[Statement]) -> Policy:
    """Return the error policy of a project. `settings`: the SET and UNSET statements of its scripts, in order."""
    text = "\n".join(defined(each.variables) + each.text for each in settings if sets_policy(each))
    program = parse(text, "settings").program
    if program is None or not program.settings:
        return OF_KSQLDB
    return POLICIES.get(program.settings[-1].value.text.strip().lower(), OF_KSQLDB)


def ksql_config(name: str, policy: Policy) -> str:
    """Return the text of the project file of an imported project."""
    schema = "# yaml-language-server: $schema=.schemas/project.json"
    return f"name: {name}\n{schema}\ndialect: ksql\ndefaults:\n  error_policy: {policy}\n"
