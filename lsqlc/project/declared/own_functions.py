"""The project's own functions, from the files of its folder `functions/`.

`functions/*.py` are functions in Python (see `python_functions`), `functions/*.yml` name those of a server (see
`server_functions`), `functions/*.sql` expressions in the dialect of the
project; those below `functions/lenses/`, `functions/ksql/` and `functions/sql/` are in the dialect of the folder. A
model of any dialect can call a function of any other.
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
    """Return the functions in texts, by their path. `default`: the dialect of the project; `used`: those of its models;
    `locked`: the hashes of files of Python that may run, by path; None: none may.
    """
    written: list[Written] = []
    others: list[tuple[OwnFunction, Span]] = []
    found: list[Diagnostic] = []
    for path in sorted(texts):
        if path.endswith(".py"):
            python = read_python(texts[path], path, locked)
            found += python.diagnostics
            others += python.functions
            continue
        if path.endswith((".yml", ".yaml")):
            of_server, problems = read_server_functions(texts[path], path)
            found += problems
            others += of_server
            continue
        name = dialect_of(path, default)
        rules = rules_of(name)
        if rules is None:
            continue
        parsed = rules.parse(texts[path], path)
        found += parsed.diagnostics
        written += [Written(text, name, rules.bind_body) for text in parsed.functions]
    names = sorted({*used, *(each.dialect for each in written)}, key=dialects.NAMES.index)
    built_in = {name: rules.is_built_in for name in names if (rules := rules_of(name)) is not None}
    declared = declare_functions(written, built_in, others)
    return Declared(declared.functions, order((*found, *declared.diagnostics)))


def rules_of(name: str) -> OwnFunctionRules | None:
    """How a dialect has functions of its own."""
    rules = dialect(name).own_functions
    return rules() if rules is not None else None


def dialect_of(path: str, default: str) -> str:
    """Return the dialect of a file of functions."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[1] in dialects.NAMES else default
