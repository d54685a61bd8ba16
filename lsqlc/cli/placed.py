"""The models and the target of a verb, with the services of its shell."""

from __future__ import annotations

import getpass
import os
import socket
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.cli import project
from lsqlc.cli.shell import Shell

if TYPE_CHECKING:
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.placement import Placement, PlacementRequest, Services


def placed(sh: Shell, workspace: Workspace, request: PlacementRequest) -> Placement:
    """Return the selected models on a target, see `place_models`."""
    from lsqlc.tasks.placement import place_models

    return place_models(workspace, request, services(sh))


def services(sh: Shell) -> Services:
    """Return the services of a verb for tasks that open checkpoints and print."""
    from lsqlc.cli.spark import opened_store
    from lsqlc.tasks.placement import Services

    return Services(partial(opened_store, sh), sh.say, who(), time.time())


def who() -> str:
    """Return the user and the host of a command, for people."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # A container may have no name for its user.
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


def run_folder(root: Path, target: str | None) -> Path:
    """Return the folder with the status of runs on a target. A target that defers to another one has its own.

    Without a name, and without a default in profiles.yml, it is that of the project.
    """
    from lsqlc.project.declared.profiles import load_target
    from lsqlc.tasks.run_target import state_folder

    run_target, _ = load_target(root, target, dict(os.environ))
    return root / project.STATE_FOLDER if run_target is None else state_folder(root, run_target)
