"""The record of topics in folders, for streaming queries."""

from __future__ import annotations

from lsqlc.connectors.folders.log import OtherFolder
from lsqlc.remote.connectors.folders.progress import FilesProgress
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.connectors.record import SparkConnector, StreamOpening
from lsqlc.remote.connectors.transport import Transport


def _streams(opening: StreamOpening) -> Transport:
    other = opening.other
    elsewhere = None if other is None else OtherFolder(other.name, other.folder, other.shown, other.own)
    return FileTransport(opening.folder, opening.root, opening.renamed, opening.aside, elsewhere)


CONNECTOR = SparkConnector("folders", _streams, FilesProgress())
