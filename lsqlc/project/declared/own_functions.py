"""The project's own functions, from the files of its folder `functions/`.

`functions/*.py` are Python functions (see `python_functions`), `functions/*.yml` declare functions of a server (see
`server_functions`), `functions/*.sql` are expressions in the dialect of the project. Files in `functions/lenses/`,
`functions/ksql/` and `functions/sql/` are in the dialect of the folder. A model can call functions of any dialect.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lsqlc import dialects
from lsqlc.bind.own_function import OwnFunction
from lsqlc.bind.own_functions import Declared, Written, declare_functions
from lsqlc.diagnostics import Diagnostic, Span, order
from lsqlc.dialects import dialect
from lsqlc.dialects.record import OwnFunctionRules
from lsqlc.project.declared.python_functions import read_python
from lsqlc.project.declared.server_functions import read_server_functions


def read_own_functions(
    texts: Mapping[str, str], default: str, used: Collection[str], locked: Mapping[str, str] | None = None
) -> Declared:
    """Parse the functions in texts, by path.

    `default`: the dialect of the project. `used`: the dialects of its models. `locked`: the hashes of Python files that
    may run, by path; None if none may.
    """
    functions: list[Written] = []
    others: list[tuple[OwnFunction, Span]] = []
    diagnostics: list[Diagnostic] = []
    for path in sorted(texts):
        if path.endswith(".py"):
            python = read_python(texts[path], path, locked)
            diagnostics += python.diagnostics
            others += python.functions
            continue
        if path.endswith((".yml", ".yaml")):
            of_server, problems = read_server_functions(texts[path], path)
            diagnostics += problems
            others += of_server
            continue
        name = dialect_of(path, default)
        rules = rules_of(name)
        if rules is None:
            continue
        parsed = rules.parse(texts[path], path)
        diagnostics += parsed.diagnostics
        functions += [Written(text, name, rules.bind_body) for text in parsed.functions]
    names = sorted({*used, *(each.dialect for each in functions)}, key=dialects.NAMES.index)
    built_in = {name: rules.is_built_in for name in names if (rules := rules_of(name)) is not None}
    declared = declare_functions(functions, built_in, others)
    return Declared(declared.functions, order((*diagnostics, *declared.diagnostics)))


def rules_of(name: str) -> OwnFunctionRules | None:
    """Return the rules of a dialect for own functions; None if it does not support them."""
    rules = dialect(name).own_functions
    return rules() if rules is not None else None


def dialect_of(path: str, default: str) -> str:
    """Return the dialect of a file of functions."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[1] in dialects.NAMES else default
