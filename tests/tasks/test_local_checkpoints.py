"""Which checkpoints this machine sees."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.run.address_folder import AddressFolder
from lsqlc.remote.run.stores import FolderStore
from lsqlc.tasks.local_checkpoints import store_of_folders


def test_folders_of_this_machine(tmp_path: Path) -> None:
    """Also by an address, of one that is still to be made."""
    assert store_of_folders(Mock(checkpoints=tmp_path)) == FolderStore(tmp_path)
    assert store_of_folders(Mock(checkpoints=f"file:{tmp_path}")) == AddressFolder(tmp_path)
    assert store_of_folders(Mock(checkpoints=f"file://{tmp_path}/new")) == AddressFolder(tmp_path / "new")


@pytest.mark.parametrize("address", ["s3a://bucket/checkpoints", "file:/of/another/machine"])
def test_what_only_the_server_sees(address: str) -> None:
    """It is refused with the address."""
    with pytest.raises(LsqlcError) as raised:
        store_of_folders(Mock(checkpoints=address))
    (found,) = raised.value.diagnostics
    assert found.code == "LSQ679" and found.notes[0] == f"they are at '{address}'"
