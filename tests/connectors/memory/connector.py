"""The record of the connector."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lsqlc.connectors.record import Capabilities, Connector, Opening, Setting
from lsqlc.connectors.transport import Transport
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import described
from lsqlc.yaml.nodes import KeyPath
from tests.connectors.memory.log import MemoryLog, MemorySettings


class MemoryFile(msgspec.Struct, frozen=True, kw_only=True):
    store: Annotated[str, described("The name of the store.")]
    partitions: Annotated[int, described("Partitions of a topic that declares none.")] = 1
    is_source: Annotated[bool, described("Whether topics can only be read, as they are now.")] = False


def _settings(decoder: Decoder, place: KeyPath, file: MemoryFile, written: Any) -> MemorySettings:
    if file.partitions < 1:
        decoder.wrong((*place, "partitions"), f"{file.partitions} is not a number of partitions")
    return MemorySettings(file.store, file.partitions, file.is_source)


def _open(opening: Opening) -> Transport:
    return MemoryLog(opening.settings)


def _capabilities(settings: MemorySettings) -> Capabilities:
    return Capabilities(
        can_write=not settings.is_source,
        can_follow=not settings.is_source,
        has_partitions=True,
    )


def _summary(settings: MemorySettings, folder: str) -> str:
    return f"memory: {settings.store}"


CONNECTOR = Connector(
    key="memory",
    where="in memory",
    open=_open,
    capabilities=_capabilities,
    setting=Setting("A store in the memory of the process.", MemoryFile, _settings),
    summary=_summary,
)
