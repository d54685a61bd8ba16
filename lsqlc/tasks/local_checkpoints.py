"""The checkpoints of a target as folders of this machine, for what Spark Connect has no call for."""

from __future__ import annotations

from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.run.address_folder import AddressFolder, folder_of
from lsqlc.remote.run.stores import FolderStore
from lsqlc.tasks.run_target import RunTarget


def store_of_folders(place: RunTarget) -> FolderStore:
    """Return the checkpoints of a target in a folder that this machine sees, also one at a `file:` address. Raises
    LsqlcError LSQ679 for any other target.
    """
    if isinstance(place.checkpoints, Path):
        return FolderStore(place.checkpoints)
    folder = folder_of(place.checkpoints)
    # One that is rebuilt lies in a folder that is there: of another machine's own, neither is.
    if folder is not None and (folder.is_dir() or folder.parent.is_dir()):
        return AddressFolder(folder)
    raise LsqlcError(
        [
            Diagnostic(
                "LSQ679",
                f"this machine does not see the checkpoints of the target '{place.target.name}'",
                notes=(f"they are at '{place.checkpoints}'", "Spark Connect has no call that changes or copies them"),
                help="run the command where the checkpoints are a folder",
            )
        ]
    )
