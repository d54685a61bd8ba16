"""Time zones by the texts that `java.time.ZoneId` accepts: offsets, also after UTC, GMT or UT, and names of regions."""

from __future__ import annotations

import datetime
import re
from functools import lru_cache
from zoneinfo import ZoneInfo

# `+h`, `+hh`, `+hh:mm`, `+hhmm`, `+hh:mm:ss` and `+hhmmss`.
_OFFSET = re.compile(r"([+-])(?:([0-9])|([0-9]{2})(?:(?P<mark>:?)([0-5][0-9])(?:(?P=mark)([0-5][0-9]))?)?)", re.ASCII)
_PREFIX = re.compile(r"(?:UTC|GMT|UT)(?=[+-])")
_FARTHEST = datetime.timedelta(hours=18)

# Old names of zones in a TIMESTAMP, which `java.time.ZoneId.SHORT_IDS` has.
SHORT_ZONES = {
    "ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo", "AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "IET": "America/Indiana/Indianapolis", "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo", "MIT": "Pacific/Apia", "NET": "Asia/Yerevan", "NST": "Pacific/Auckland", "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico", "PST": "America/Los_Angeles", "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh", "EST": "-05:00", "MST": "-07:00", "HST": "-10:00",
}  # fmt: skip


# The texts may come from records, so the cache has a limit.
@lru_cache(maxsize=4096)
def time_zone(text: str) -> datetime.tzinfo | None:
    """Return the time zone with a name, None if there is none. An offset is at most 18 hours."""
    if text in ("Z", "UT"):
        return datetime.UTC
    offset = _OFFSET.fullmatch(_PREFIX.sub("", text, count=1))
    if offset is not None:
        sign, hour, hours, _, minutes, seconds = offset.groups()
        size = datetime.timedelta(hours=int(hour or hours), minutes=int(minutes or 0), seconds=int(seconds or 0))
        return datetime.timezone(-size if sign == "-" else size) if size <= _FARTHEST else None
    try:
        return ZoneInfo(text)
    except (KeyError, ValueError, OSError):
        return None
