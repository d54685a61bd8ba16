"""The record of the connector for topics in folders of JSON lines, which client and server see under the same path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsqlc.connectors.record import Capabilities, Connector, Opening

if TYPE_CHECKING:
    from lsqlc.connectors.transport import Transport

_CAPABILITIES = Capabilities(
    has_arrival_order=True,
    has_files=True,
    has_checksums=True,
    takes_versions=True,
    knows_unread=True,
)


def _open(opening: Opening) -> Transport:
    from lsqlc.connectors.folders.log import FileLog, OtherFolder

    other = opening.other
    elsewhere = None if other is None else OtherFolder(other.name, other.folder, other.shown, other.own)
    return FileLog(opening.folder, opening.shown, elsewhere=elsewhere)


def _capabilities(settings: Any) -> Capabilities:
    return _CAPABILITIES


CONNECTOR = Connector(
    key="folders",
    where="in folders",
    open=_open,
    capabilities=_capabilities,
)
