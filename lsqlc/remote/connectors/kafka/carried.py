"""Send kafka-python with a query to a server that does not have it.

The files are in an archive in the server's temporary folder, one for each user and version. All Python processes share
it, because Spark ends these processes without a chance to remove files.
"""

from __future__ import annotations

import io
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lsqlc.diagnostics.extras import require
from lsqlc.remote.connectors.publish import placeless


def packed() -> bytes:
    """Return the files of the installed kafka-python as a zip archive from which Python can import."""
    # The package is not imported, because this process does not use it.
    require("kafka")
    spec = find_spec("kafka")
    assert spec is not None and spec.submodule_search_locations, "`require` has checked this"
    folder = Path(spec.submodule_search_locations[0])
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        for file in sorted(folder.rglob("*")):
            if file.suffix in (".py", ".json"):
                files.write(file, Path("kafka") / file.relative_to(folder))
    return archive.getvalue()


def unpacker(archive: bytes) -> Any:
    """Return a function that adds the archive to the import path of its process."""

    def unpack() -> None:
        import hashlib
        import os
        import stat
        import sys
        import tempfile
        from pathlib import Path

        user, digest = os.getuid(), hashlib.sha256(archive).hexdigest()[:16]
        place = Path(tempfile.gettempdir()) / f"lsqlc-kafka-{user}-{digest}.zip"

        def is_ours() -> bool:
            # Other users may write into the folder too. The file must not be writable for them.
            try:
                status = place.lstat()
                owned = stat.S_ISREG(status.st_mode) and status.st_uid == user and not status.st_mode & 0o022
                return owned and place.read_bytes() == archive
            except OSError:
                return False

        if not is_ours():
            handle, temporary = tempfile.mkstemp(prefix="lsqlc-kafka-", suffix=".zip")
            with os.fdopen(handle, "wb") as file:
                file.write(archive)
            try:
                Path(temporary).replace(place)
            except OSError:
                # A file of another user has that name.
                place = Path(temporary)
        sys.path.append(str(place))

    return placeless(unpack)
