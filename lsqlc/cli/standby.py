"""`lsqlc run --standby`: wait while another run of the project is active, and take over when it ends or is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import LsqlcError

if TYPE_CHECKING:
    from lsqlc.tasks.places import Place

# A run of this machine, or of another one, is active.
_ACTIVE = frozenset(("LSQ664", "LSQ782"))
_LOOK = 5.0


@contextmanager
def alone(
    sh: Shell, place: Place, project: str, *, standby: bool, sleep: Callable[[float], None] = time.sleep
) -> Iterator[Callable[[], None]]:
    """Hold the lock and the lease of a project inside the `with`; `standby`: wait for them. Gives what raises
    LsqlcError once the lease is lost. Raises LsqlcError as these do.
    """
    from lsqlc.remote.run.locks import run_lock

    waits = False
    while True:
        with ExitStack() as stack:
            try:
                stack.enter_context(run_lock(place.state))
                held = stack.enter_context(place.lease(project))
            except LsqlcError as error:
                if not standby or not any(found.code in _ACTIVE for found in error.diagnostics):
                    raise
                if not waits:
                    sh.say(f"standing by: {error.diagnostics[0].message}")
                    if sh.json:
                        sh.line({"event": "standing-by", "found": error.diagnostics[0].message})
                waits = True
            else:
                if waits:
                    sh.say("the other run has ended: this one takes over")
                yield held
                return
        sleep(_LOOK)


@contextmanager
def alone_with_state(sh: Shell, place: Place, project: str) -> Iterator[Place]:
    """The place as a run would see it, which nobody else uses inside the `with`. Raises LsqlcError where a run is
    active, attached or not.
    """
    from lsqlc.tasks.deploy.note import running_place
    from lsqlc.tasks.detached import check_detached

    with alone(sh, place, project, standby=False):
        live = running_place(place, project)
        check_detached(live, project, takes_over=False)
        yield live
