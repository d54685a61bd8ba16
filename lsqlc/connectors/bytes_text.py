"""Bytes of records as text, where they are text."""

from __future__ import annotations

# No text has these. For Python and Java alike.
CONTROLS = r"[\x00-\x08\x0B\x0C\x0E-\x1F]"


def text_of(raw: bytes) -> str | None:
    """Bytes as text; None if they are not UTF-8, or have control characters that no text has."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if any(c < " " and c not in "\t\r\n" for c in text) else text
