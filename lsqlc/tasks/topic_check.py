"""Check the files of topics in folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.suggest import did_you_mean
from lsqlc.tasks.run_target import RunTarget


@dataclass(frozen=True, slots=True)
class CheckedTopic:
    """A topic that was looked at. `files`: how many segments it has; `checked`: those of them that have a sum;
    `faults`: one LSQ764 for each segment that is missing or not as it was written.
    """

    name: str
    files: int
    checked: int
    faults: tuple[Diagnostic, ...]


def checked(place: RunTarget, names: Sequence[str]) -> tuple[CheckedTopic, ...]:
    """Check the topics of these names, all of the target without names.

    Raises LsqlcError LSQ765 for a target whose topics are in Kafka, and LSQ063 for a topic that does not exist there.
    Raises it also with the errors of the file system.
    """
    log = place.log
    if not place.capabilities.has_checksums:
        message = f"the topics of the target '{place.target.name}' are not in folders"
        help = "choose another target: --target NAME; Kafka's brokers check the records of theirs"
        raise LsqlcError([Diagnostic("LSQ765", message, help=help)])
    existing_names = log.names()
    unknown = [n for n in names if n not in existing_names and not log.exists(n)]
    if unknown:
        raise LsqlcError(
            Diagnostic("LSQ063", f"unknown topic '{name}'", help=did_you_mean(name, existing_names)) for name in unknown
        )
    return tuple(_checked(log, name) for name in dict.fromkeys(names or existing_names))


def _checked(log: Transport, name: str) -> CheckedTopic:
    contents = log.contents(name)
    files = contents.files if contents else ()
    return CheckedTopic(name, len(files), sum(map(log.has_checksum, files)), tuple(log.faults(name)))
