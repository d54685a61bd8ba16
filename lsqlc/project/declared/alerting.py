"""`alerts:` of a project and of its models: when a running model is reported, and how urgently."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import COUNT_OR_OFF, DURATION_OR_OFF, described
from lsqlc.yaml.nodes import Place

Severity = Literal["critical", "warning", "info"]
Duration = Callable[[str], int | None]
# Prometheus keeps the label of a severity as it is; these are the usual ones.
_DURATION_HELP = "write a number and a unit: ms, s, m, h or d, such as `10m`; `false` turns the alert off"
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """When the alerts of a model fire; None: never. `lag`: seconds that it may be behind its topics; `progress`:
    seconds without a batch and without a report that there is nothing to read; `letters`: bad records within 15
    minutes; `restarts`: within an hour; `state`: rows, of which `plan` says that the bound is the plan's. `runbooks`:
    the address of the docs site, which alerts lead to.
    """

    severity: Severity = "warning"
    lag: int | None = 300
    progress: int | None = 600
    letters: int | None = 0
    restarts: int | None = 3
    state: int | Literal["plan"] | None = "plan"
    runbooks: str | None = None


class AlertsFile(msgspec.Struct, frozen=True, kw_only=True):
    """`alerts:` of a model, as it is written."""

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
    """`alerts:` of a project."""

    runbooks: Annotated[
        str | None, described("The address of the docs site, which alerts lead to.", {"pattern": "^https?://"})
    ] = None


# What `alerts:` of a model says: names and values of `AlertSettings`.
AlertChanges = tuple[tuple[str, Any], ...]


def read_alerts(decoder: Decoder, place: Place, file: AlertsFile, duration: Duration) -> AlertChanges:
    """Return the settings that are given, in order.

    `duration`: milliseconds of a text such as `24h`, or None. What is wrong is reported and left out.
    """
    given: list[tuple[str, Any]] = []
    if file.severity is not None:
        given.append(("severity", file.severity))
    for name in ("lag", "progress"):
        text = getattr(file, name)
        if text is None:
            continue
        if text is False:
            given.append((name, None))
            continue
        found = duration(text) if isinstance(text, str) else None
        # Prometheus looks a few times a minute.
        if found is None or found < 1000:
            said = f"'{text}' is not a duration" if found is None else f"'{text}' is shorter than a second"
            decoder.wrong((*place, name), said, help=_DURATION_HELP)
        else:
            given.append((name, found // 1000))
    for name in ("letters", "restarts", "state"):
        number = getattr(file, name)
        if number is None:
            continue
        if number is False:
            given.append((name, None))
        elif number is True or number < 0:
            help = "give 0 or more; `false` turns the alert off"
            decoder.wrong((*place, name), f"{str(number).lower()} is not a valid limit", help=help)
        else:
            given.append((name, number))
    if isinstance(file, ProjectAlertsFile) and file.runbooks is not None:
        if _is_address(file.runbooks):
            given.append(("runbooks", file.runbooks))
        else:
            help = "give the address at which the docs site is served, such as `https://docs.example.com/shop/`"
            decoder.wrong((*place, "runbooks"), "'runbooks' must be an address of http or https", help=help)
    return tuple(given)


def changed(settings: AlertSettings, changes: AlertChanges) -> AlertSettings:
    """Return the settings with what a model says of itself."""
    return replace(settings, **dict(changes))


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and not _SPACE.search(text) and not parts.fragment
