"""Lint of a project's models, with positions in their files."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.diagnostics import Diagnostic
from lsqlc.dialects import dialect
from lsqlc.lint import ignore
from lsqlc.project.build.compile import Compilation
from lsqlc.project.model import Model


def lint_models(compilation: Compilation, models: Iterable[Model]) -> tuple[Diagnostic, ...]:
    """Return the findings of lint rules without ignored ones, and findings about comments that ignore nothing.

    `models`: some of the compiled models. Diagnostics of the compiler are not repeated.
    """
    linted_models = tuple(models)
    linted: list[Diagnostic] = []
    for model in linted_models:
        language = dialect(model.dialect)
        program = language.parse(model.text, model.path).program if model.text else None
        if program is not None:
            linted += [model.at_home(d) for d in language.lint(program, compilation.topics)]
    # A name with an error has no further findings.
    errors = {d.span for d in compilation.diagnostics if d.is_error}
    linted = [d for d in linted if d.span not in errors]
    after_ignores = ignore((*linted, *compilation.ignored), {m.path: m.raw for m in linted_models})
    # Whether comments of a model with errors ignore something is unknown.
    compiled = {m.path for m in linted_models if compilation.models[m.name].summary is not None}
    return (*after_ignores.remaining, *(d for d in after_ignores.idle if d.span and d.span.path in compiled))
