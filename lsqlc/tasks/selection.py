"""The models of an opened project that a command selects, compiled."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.project.build.compile import Compilation
from lsqlc.project.build.parallel_compile import processors
from lsqlc.project.selection.selectors import Selection
from lsqlc.project.workspace import Workspace, sound


def compile_selection(
    workspace: Workspace,
    select: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    *,
    plans: bool = True,
    state: str | None = None,
) -> Compilation:
    """Compile the selected models, which may have errors.

    `plans` False: schemas are sufficient, and the results of earlier builds are reused. `state`: the revision or the
    manifest that `state:` in a selection compares with. Raises LsqlcError for one that does not exist or compile.
    """
    selection = Selection(tuple(select or ()), tuple(exclude or ()))
    if state is None:
        return workspace.compile(selection, plans=plans, processes=1 if plans else processors())
    from lsqlc.tasks.versions import states

    whole = workspace.compile(plans=False)
    by_state = states(workspace.root, state, workspace.vars, workspace.environment, whole, workspace.release or "")
    return workspace.compile(selection, plans=plans, states=by_state, entries=whole.entries)


def sound_selection(
    workspace: Workspace,
    select: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    *,
    state: str | None = None,
) -> Compilation:
    """Compile the selected models, none of which may have errors. Raises ProjectError for errors, and LsqlcError as
    `compile_selection`.
    """
    return sound(compile_selection(workspace, select, exclude, state=state))
