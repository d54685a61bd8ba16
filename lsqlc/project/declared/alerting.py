"""`alerts:` of a project and of its models: the thresholds and the severity of alerts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import COUNT_OR_OFF, DURATION_OR_OFF, described
from lsqlc.yaml.nodes import KeyPath

Severity = Literal["critical", "warning", "info"]
Duration = Callable[[str], int | None]
# Prometheus allows any label for a severity; these are the usual ones.
_DURATION_HELP = "write a number and a unit: ms, s, m, h or d, such as `10m`; `false` turns the alert off"
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """The thresholds of a model's alerts; None: no alert.

    `lag`: seconds behind its topics. `progress`: seconds without a batch and without a report of an empty source.
    `letters`: bad records within 15 minutes. `restarts`: within an hour. `state`: rows; `plan` means the bound of the
    plan. `runbooks`: the address of the docs site, to which alerts link.
    """

    severity: Severity = "warning"
    lag: int | None = 300
    progress: int | None = 600
    letters: int | None = 0
    restarts: int | None = 3
    state: int | Literal["plan"] | None = "plan"
    runbooks: str | None = None


class AlertsFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of `alerts:` in a model."""

    severity: Annotated[Severity | None, described("The label `severity` of the alerts.")] = None
    lag: Annotated[
        str | bool | None,
        described("How long a query may be behind its topics in Kafka; false: no alert.", DURATION_OR_OFF),
    ] = None
    progress: Annotated[
        str | bool | None,
        described(
            "How long a query may go without a batch and without a report that there is nothing to read.",
            DURATION_OR_OFF,
        ),
    ] = None
    letters: Annotated[
        int | bool | None, described("Bad records within 15 minutes that are not reported.", COUNT_OR_OFF)
    ] = None
    restarts: Annotated[
        int | bool | None, described("Restarts within an hour that are not reported.", COUNT_OR_OFF)
    ] = None
    state: Annotated[
        int | bool | None,
        described("Rows that the state of a query may have; without it, what the plan says.", COUNT_OR_OFF),
    ] = None


class ProjectAlertsFile(AlertsFile, frozen=True, kw_only=True):
    """The keys of `alerts:` in a project."""

    runbooks: Annotated[
        str | None, described("The address of the docs site, which alerts lead to.", {"pattern": "^https?://"})
    ] = None


# The settings of a model: names and values of `AlertSettings`.
AlertChanges = tuple[tuple[str, Any], ...]


def read_alerts(decoder: Decoder, key_path: KeyPath, file: AlertsFile, duration: Duration) -> AlertChanges:
    """Return the settings in the file, in order. Invalid ones are reported and left out.

    `duration`: returns the milliseconds of a text such as `24h`, or None.
    """
    values: list[tuple[str, Any]] = []
    if file.severity is not None:
        values.append(("severity", file.severity))
    values += _durations(decoder, key_path, file, duration)
    values += _limits(decoder, key_path, file)
    if isinstance(file, ProjectAlertsFile) and file.runbooks is not None:
        if _is_address(file.runbooks):
            values.append(("runbooks", file.runbooks))
        else:
            help = "give the address at which the docs site is served, such as `https://docs.example.com/shop/`"
            decoder.wrong((*key_path, "runbooks"), "'runbooks' must be an address of http or https", help=help)
    return tuple(values)


def _durations(decoder: Decoder, key_path: KeyPath, file: AlertsFile, duration: Duration) -> Iterator[tuple[str, Any]]:
    """Yield the limits that are durations, in seconds; None for an alert that is turned off."""
    for name in ("lag", "progress"):
        text = getattr(file, name)
        if text is None:
            continue
        if text is False:
            yield name, None
            continue
        milliseconds = duration(text) if isinstance(text, str) else None
        # Prometheus evaluates rules a few times per minute.
        if milliseconds is None or milliseconds < 1000:
            message = f"'{text}' is not a duration" if milliseconds is None else f"'{text}' is shorter than a second"
            decoder.wrong((*key_path, name), message, help=_DURATION_HELP)
        else:
            yield name, milliseconds // 1000


def _limits(decoder: Decoder, key_path: KeyPath, file: AlertsFile) -> Iterator[tuple[str, Any]]:
    """Yield the limits that are numbers; None for an alert that is turned off."""
    for name in ("letters", "restarts", "state"):
        number = getattr(file, name)
        if number is None:
            continue
        if number is False:
            yield name, None
        elif number is True or number < 0:
            help = "give 0 or more; `false` turns the alert off"
            decoder.wrong((*key_path, name), f"{str(number).lower()} is not a valid limit", help=help)
        else:
            yield name, number


def changed(settings: AlertSettings, changes: AlertChanges) -> AlertSettings:
    """Return the settings with those of a model."""
    return replace(settings, **dict(changes))


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and not _SPACE.search(text) and not parts.fragment
