"""The position at which reading of a topic begins: `start:` in YAML, and `lsqlc run --from`.

In each partition, it is the position of the first record whose time is at or after a time. All records behind that
position are read, whatever their times are. A start is looked up once: it is not a filter.

A start with a history is also a filter. Records before its time are read from another topic, a topic of files. From
the position on, only records at or after the time are read. So each record is read from one topic only.
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
from lsqlc.yaml.nodes import KeyPath

FORMS = "write a time such as `2024-01-01` or `2024-01-01T06:00:00Z`, a duration before the first run such as `30d`, "
FORMS += "`earliest` or `latest`"
_UNTIL = "write a time such as `2024-01-01` or `2024-01-01T06:00:00Z`, or a duration before the first run such as `30d`"
_TIME = re.compile(r"\d{4}-")


class HistoryFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a start with a history."""

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
    """A start position, as a declaration or an option gives it.

    `text`: the source text. `at`: a time, in epoch milliseconds. `ago`: milliseconds before the query begins for the
    first time. Without both, the text is `earliest`, the first existing record, or `latest`, the end. `history`: the
    topic of files that has the records before the time; empty: they are not read.
    """

    text: str
    at: int | None = None
    ago: int | None = None
    history: str = ""

    @property
    def is_earliest(self) -> bool:
        """Whether all records are read, which is the default."""
        return self.text == "earliest"

    def time(self, now: int) -> int | None:
        """Return the time of the start, in epoch milliseconds; None for `latest`. `now`: the current time."""
        return max(0, now - self.ago) if self.ago is not None else self.at


@dataclass(frozen=True, slots=True)
class Begun:
    """The position at which a query has begun to read a topic.

    `places`: the offset of each partition, which `text` denoted when the query began for the first time. `time`: that
    time, in epoch milliseconds; None for `latest`. `history`: as in `Start`. `is_read`: all of the history has been
    read.
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
        """The start for messages, with its time if the text does not contain it."""
        return _shown(self.text, self.time, self.history)


def shown(start: Start | Begun, now: int) -> str:
    """Return a start for messages, with the time that it denotes now."""
    return start.shown if isinstance(start, Begun) else _shown(start.text, start.time(now), start.history)


def parse_start(text: str) -> Start | None:
    """Parse a start. Return None if the text is not one."""
    if text in ("earliest", "latest"):
        return Start(text)
    ago = duration(text)
    if ago is not None:
        return Start(text, ago=ago)
    moment = parse_written_timestamp(text) if _TIME.match(text) else None
    at = None if moment is None else millis_of_timestamp(moment)
    return Start(text, at=at) if at is not None and 0 <= at <= LATEST else None


def read_start(decoder: Decoder, key_path: KeyPath, text: str | HistoryFile | None) -> Start | None:
    """Return the start at a position of a document. Errors are reported to the decoder."""
    if text is None:
        return None
    if isinstance(text, HistoryFile):
        until = parse_start(text.until)
        if until is None or (until.at is None and until.ago is None):
            decoder.wrong((*key_path, "until"), f"'{text.until}' is not the time at which a history ends", help=_UNTIL)
            return None
        return replace(until, text=f"the history '{text.history}' until {text.until}", history=text.history)
    start = parse_start(text)
    if start is None:
        decoder.wrong(key_path, f"'{text}' is not a start", help=FORMS)
    return start


def _shown(text: str, time: int | None, history: str) -> str:
    if time is None:
        return text
    time_text = timestamp_text(datetime.fromtimestamp(time / 1000, UTC))
    if history:
        return f"the history '{history}' until {time_text}"
    return time_text if time_text == text else f"{time_text} ({text})"
