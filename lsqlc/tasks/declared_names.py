"""The names that declarations of topics and models refer to: columns and topics of data tests and of descriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.report.site.descriptions import describe
from lsqlc.tasks.bound_tests import bound_tests

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation


def wrong_names(compilation: Compilation) -> tuple[Diagnostic, ...]:
    """LSQ870 for each data test that does not fit its topic, LSQ550 for each description of a column that does not
    exist. No record is read. Nothing is reported for a project with errors, whose schemas are not all known.
    """
    if not compilation.ok:
        return ()
    try:
        bound_tests(compilation, compilation.semantics)
    except LsqlcError as error:
        return (*error.diagnostics, *describe(compilation).diagnostics)
    return describe(compilation).diagnostics
