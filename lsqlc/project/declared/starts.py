"""Where the reading of a topic begins: `start:` in YAML, and `lsqlc run --from`.

It is the place of the first record, in each partition, whose time is at or after a time; all records behind that place
are read, whatever their times. So a start finds a place once, and is no filter.

A start with a history is both: what is before its time is read from another topic, one of files, and of the records
behind the place only those whose time is not before it. So each record is read from one of the two, by its time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated

import msgspec

from lsqlc.project.declared.config import duration
from lsqlc.types.codec_text import millis_of_timestamp, parse_written_timestamp, timestamp_text
from lsqlc.types.record import LATEST
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import described
from lsqlc.yaml.nodes import Place

FORMS = "write a time such as `2024-01-01` or `2024-01-01T06:00:00Z`, a duration before the first run such as `30d`, "
FORMS += "`earliest` or `latest`"
_UNTIL = "write a time such as `2024-01-01` or `2024-01-01T06:00:00Z`, or a duration before the first run such as `30d`"
_TIME = re.compile(r"\d{4}-")


class HistoryFile(msgspec.Struct, frozen=True, kw_only=True):
    """A start with a history, as it is written."""

    history: Annotated[str, described("The topic of files (`connector: files`) that has the records before that time.")]
    until: Annotated[
        str,
        described(
            "The time, or `30d` before the first run: older records are read from the history, the others from "
            "the topic."
        ),
    ]


@dataclass(frozen=True, slots=True)
class Start:
    """`text`: as it is written. `at`: a time, in epoch milliseconds; `ago`: so many milliseconds before the query
    begins for the first time. Without both the text is `earliest`, the first record that there is, or `latest`, behind
    the last one. `history`: the topic of files that has the records before the time; empty: they are not read.
    """

    text: str
    at: int | None = None
    ago: int | None = None
    history: str = ""

    @property
    def is_earliest(self) -> bool:
        """Whether all records are read, as without a start."""
        return self.text == "earliest"

    def time(self, now: int) -> int | None:
        """Return the time that it means, in epoch milliseconds; None for `latest`. `now`: the current time."""
        return max(0, now - self.ago) if self.ago is not None else self.at


@dataclass(frozen=True, slots=True)
class Begun:
    """Where a query has begun to read a topic: at the offsets `places` of partitions, which `text` meant when it began
    for the first time. `time`: the time that this was, in epoch milliseconds; None for `latest`. `history`: as in
    `Start`; `is_read`: all of it has been read.
    """

    text: str
    time: int | None
    places: tuple[tuple[int, int], ...]
    history: str = ""
    is_read: bool = False

    @property
    def awaits_history(self) -> bool:
        """Whether there is a history that has not been read to its end."""
        return self.history != "" and not self.is_read

    @property
    def shown(self) -> str:
        """The start for people, with the time that it was if the text does not say so."""
        return _shown(self.text, self.time, self.history)


def shown(start: Start | Begun, now: int) -> str:
    """Return a start for people, with the time that it means now."""
    return start.shown if isinstance(start, Begun) else _shown(start.text, start.time(now), start.history)


def parse_start(text: str) -> Start | None:
    """Return the start that a text means; None if it means none."""
    if text in ("earliest", "latest"):
        return Start(text)
    ago = duration(text)
    if ago is not None:
        return Start(text, ago=ago)
    found = parse_written_timestamp(text) if _TIME.match(text) else None
    at = None if found is None else millis_of_timestamp(found)
    return Start(text, at=at) if at is not None and 0 <= at <= LATEST else None


def read_start(decoder: Decoder, place: Place, text: str | HistoryFile | None) -> Start | None:
    """Return the start at a place of a document; what is wrong is reported there."""
    if text is None:
        return None
    if isinstance(text, HistoryFile):
        until = parse_start(text.until)
        if until is None or (until.at is None and until.ago is None):
            decoder.wrong((*place, "until"), f"'{text.until}' is not the time at which a history ends", help=_UNTIL)
            return None
        return replace(until, text=f"the history '{text.history}' until {text.until}", history=text.history)
    found = parse_start(text)
    if found is None:
        decoder.wrong(place, f"'{text}' is not a start", help=FORMS)
    return found


def _shown(text: str, time: int | None, history: str) -> str:
    if time is None:
        return text
    said = timestamp_text(datetime.fromtimestamp(time / 1000, UTC))
    if history:
        return f"the history '{history}' until {said}"
    return said if said == text else f"{said} ({text})"
