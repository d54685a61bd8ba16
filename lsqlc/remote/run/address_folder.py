"""Checkpoints at a `file:` address that is a folder of this machine too.

They have the layout of `ServerStore`, and are read and written without a server. A description is a JSON object in a
file `<name>/stage-<number>/<file>`. The complete one with the highest number is valid. Spark's part of a checkpoint has
the same layout as in any folder.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from lsqlc.connectors.shared import give_permissions, make_folder
from lsqlc.remote.run.stores import Described, FolderStore, newest


@dataclass(frozen=True, slots=True)
class AddressFolder(FolderStore):
    """The store of `ServerStore`, accessed by its files."""

    @property
    def label(self) -> str:
        return "stage-*"

    def described(self) -> tuple[str, ...]:
        names = (path.parent.name for path in self.root.glob("[!.]*/stage-[0-9]*"))
        return tuple(name for name in sorted(set(names)) if self.read(name) is not None)

    def has(self, name: str) -> bool:
        description, generations = self._newest(name), FolderStore.generations(self, name)
        if description is None:
            return bool(generations)
        return description.text is not None or max(generations, default=0) > description.last

    def read(self, name: str) -> str | None:
        description = self._newest(name)
        return description.text if description else None

    def write(self, name: str, text: str) -> None:
        self._write(name, text)

    def generations(self, name: str) -> Mapping[int, bool]:
        description = self._newest(name)
        # The number of a generation that was removed is not used again.
        emptied = {description.last: False} if description and description.last else {}
        return emptied | dict(FolderStore.generations(self, name))

    def remove(self, name: str) -> None:
        if self.has(name):
            self._write(name, None)
            self.clear(name)

    def forget(self, name: str) -> None:
        if self.read(name) is not None:
            self._write(name, None)

    def below(self, folder: str) -> AddressFolder:
        return AddressFolder(Path(os.path.normpath(self.root / folder)))

    def _newest(self, name: str) -> Described | None:
        files = (self.root / name).glob("stage-[0-9]*/[!._]*")
        return newest([(path.as_posix(), path.read_text("utf-8")) for path in files]).get(name)

    def _write(self, name: str, text: str | None) -> None:
        home, before = self.root / name, self._newest(name)
        numbers = (int(path.name[6:]) for path in home.glob("stage-[0-9]*"))
        last = max((*FolderStore.generations(self, name), before.last if before else 0))
        document = json.dumps({"name": name, "last": last, "text": text, "end": True}, ensure_ascii=False)
        temporary = home / f".stage-{uuid.uuid4().hex}"
        make_folder(temporary)
        with (temporary / "part-00000.txt").open("w", encoding="utf-8") as file:
            file.write(f"{document}\n")
            file.flush()
            os.fsync(file.fileno())
        give_permissions(temporary / "part-00000.txt", temporary)
        temporary.rename(home / f"stage-{max(numbers, default=0) + 1:06d}")


def folder_of(address: str) -> Path | None:
    """Return the folder of a `file:` address; None for any other address.

    >>> folder_of("file:/data/a%20b"), folder_of("file:///data"), folder_of("s3a://bucket/x")
    (PosixPath('/data/a b'), PosixPath('/data'), None)
    """
    if not address.startswith("file:/"):
        return None
    return Path("/" + unquote(address.removeprefix("file:")).lstrip("/"))
