"""kafka-python on a server that does not have it: its files travel with the query.

They lie in a file of the server's temporary folder, one for each user and version however many processes of Python
there are: Spark starts one for each query, and ends it without a chance to remove anything.
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
    """The files of the installed kafka-python as a zip archive that Python can import from."""
    # It is not imported here, where nothing uses it.
    require("kafka")
    found = find_spec("kafka")
    assert found is not None and found.submodule_search_locations, "it was looked for"
    folder = Path(found.submodule_search_locations[0])
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        for file in sorted(folder.rglob("*")):
            if file.suffix in (".py", ".json"):
                files.write(file, Path("kafka") / file.relative_to(folder))
    return archive.getvalue()


def unpacker(archive: bytes) -> Any:
    """A function that lets its process import what is in the archive."""

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
            # Others may write into the folder too: only what nobody else can change is imported.
            try:
                found = place.lstat()
                owned = stat.S_ISREG(found.st_mode) and found.st_uid == user and not found.st_mode & 0o022
                return owned and place.read_bytes() == archive
            except OSError:
                return False

        if not is_ours():
            handle, made = tempfile.mkstemp(prefix="lsqlc-kafka-", suffix=".zip")
            with os.fdopen(handle, "wb") as file:
                file.write(archive)
            try:
                Path(made).replace(place)
            except OSError:
                # Somebody else's file has that name.
                place = Path(made)
        sys.path.append(str(place))

    return placeless(unpack)
