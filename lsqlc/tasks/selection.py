"""The models of an opened project that a command selects, compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsqlc.project.build.compile import Compilation
from lsqlc.project.build.parallel_compile import processors
from lsqlc.project.selection.selectors import Selection
from lsqlc.project.workspace import Workspace, sound


@dataclass(frozen=True, slots=True)
class ModelSelection:
    """The selectors of a command; without any, every model is selected.

    `state`: the revision or the manifest that `state:` in a selector compares with.
    """

    select: Sequence[str] = ()
    exclude: Sequence[str] = ()
    state: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every model is selected."""
        return not (self.select or self.exclude)


ALL_MODELS = ModelSelection()


def compile_selection(
    workspace: Workspace, selection: ModelSelection = ALL_MODELS, *, plans: bool = True
) -> Compilation:
    """Compile the selected models, which may have errors.

    `plans` False: schemas are sufficient, and the results of earlier builds are reused. Raises LsqlcError for a state
    that does not exist or compile.
    """
    selectors = Selection(tuple(selection.select), tuple(selection.exclude))
    if selection.state is None:
        return workspace.compile(selectors, plans=plans, processes=1 if plans else processors())
    from lsqlc.tasks.versions import states

    whole = workspace.compile(plans=False)
    by_state = states(workspace, selection.state, whole)
    return workspace.compile(selectors, plans=plans, states=by_state, entries=whole.entries)


def sound_selection(workspace: Workspace, selection: ModelSelection = ALL_MODELS, *, plans: bool = True) -> Compilation:
    """Compile the selected models, none of which may have errors. `plans`: as of `compile_selection`. Raises
    ProjectError for errors, and LsqlcError as `compile_selection`.
    """
    return sound(compile_selection(workspace, selection, plans=plans))
