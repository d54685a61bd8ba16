"""What the rules say of models of a project, at places of their files."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.diagnostics import Diagnostic
from lsqlc.dialects import dialect
from lsqlc.lint import ignore
from lsqlc.project.build.compile import Compilation
from lsqlc.project.model import Model


def lint_models(compilation: Compilation, models: Iterable[Model]) -> tuple[Diagnostic, ...]:
    """Return the findings of the rules that no comment ignores, and those about comments that ignore nothing.

    `models`: some of those that were compiled. Diagnostics of the compiler are not repeated.
    """
    chosen = tuple(models)
    linted: list[Diagnostic] = []
    for model in chosen:
        language = dialect(model.dialect)
        program = language.parse(model.text, model.path).program if model.text else None
        if program is not None:
            linted += [model.at_home(d) for d in language.lint(program, compilation.topics)]
    # Where a name has an error, nothing else is to be said about it.
    errors = {d.span for d in compilation.diagnostics if d.is_error}
    linted = [d for d in linted if d.span not in errors]
    shown = ignore((*linted, *compilation.ignored), {m.path: m.raw for m in chosen})
    # What a model that is not compiled would be told, and its comments ignore, nobody knows.
    compiled = {m.path for m in chosen if compilation.models[m.name].summary is not None}
    return (*shown.remaining, *(d for d in shown.idle if d.span and d.span.path in compiled))
