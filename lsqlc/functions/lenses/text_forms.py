"""Python forms of string functions that DuckDB does not do as the language defines; Python's strings are code points
too.

DuckDB reverses and pads by grapheme cluster, and its case mappings are one character to one.
"""

from __future__ import annotations

import base64
import re

from lsqlc.functions.forms.regexes import matches
from lsqlc.functions.forms.sizes import MOST
from lsqlc.functions.signature import PythonForm

# `Character.isWhitespace` of Java beyond ASCII: the separators without the three that forbid a line break.
JAVA_WHITESPACE = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000"
_WORD = re.compile(f"[^{JAVA_WHITESPACE}]+")
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?", re.ASCII)


def substring(text: str, start: int, end: int) -> str:
    """Return StringUtils.substring: from `start` to before `end`, both from 0; a negative one counts from the end."""
    size = len(text)
    first, last = (max(place + size, 0) if place < 0 else place for place in (start, end))
    return text[first:last]


def substring_from(text: str, start: int) -> str:
    return substring(text, start, len(text))


def left_pad(text: str, size: int, pad: str) -> str | None:
    """Return StringUtils.leftPad: an empty `pad` is a space; a long text stays as it is. None for a size beyond the
    limit.
    """
    return None if size > MOST else _padding(size - len(text), pad) + text


def right_pad(text: str, size: int, pad: str) -> str | None:
    return None if size > MOST else text + _padding(size - len(text), pad)


def center(text: str, size: int, pad: str) -> str | None:
    """Return StringUtils.center: the smaller half of the padding is on the left."""
    if size > MOST:
        return None
    missing = max(size - len(text), 0)
    return _padding(missing // 2, pad) + text + _padding(missing - missing // 2, pad)


def _padding(size: int, pad: str) -> str:
    pad = pad or " "
    return (pad * (size // len(pad) + 1))[:size] if size > 0 else ""


def take_left(text: str, size: int) -> str:
    return text[: max(size, 0)]


def take_right(text: str, size: int) -> str:
    return text[max(len(text) - size, 0) :] if size > 0 else ""


def drop_left(text: str, size: int) -> str:
    return text[max(size, 0) :]


def drop_right(text: str, size: int) -> str:
    return text[: max(len(text) - max(size, 0), 0)]


def truncate(text: str, size: int) -> str | None:
    return text[:size] if size >= 0 else None


def chop(text: str) -> str:
    return text[:-2] if text.endswith("\r\n") else text[:-1]


def abbreviate(text: str, size: int) -> str | None:
    """Return StringUtils.abbreviate: None for a width below 4."""
    if not text:
        return ""
    if size < 4:
        return None
    return text if len(text) <= size else f"{text[: size - 3]}..."


def capitalize(text: str) -> str:
    """Return a text with its first code point in title case, if that is one code point."""
    title = text[:1].title()
    return title + text[1:] if len(title) == 1 else text


def uncapitalize(text: str) -> str:
    return _lower_one(text[:1]) + text[1:]


def swap_case(text: str) -> str:
    return "".join(map(_swap_one, text))


def _swap_one(character: str) -> str:
    if character.lower() != character:
        return _lower_one(character)
    return character.upper() if len(character.upper()) == 1 else character


def _lower_one(character: str) -> str:
    return "i" if character == "\u0130" else character.lower()


def decode_base64(text: str) -> str | None:
    """Return the UTF-8 text in base64, with optional white space and padding; None for anything else."""
    text = "".join(text.split())
    if not _BASE64.fullmatch(text):
        return None
    bare = text.rstrip("=")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("utf-8")
    except ValueError:
        return None


def match_arrays(text: str, pattern: str) -> list[list[str]]:
    """Return each match in an array of its own."""
    return [[text_of_match] for text_of_match in matches(text, pattern)]


def json_text(text: str) -> str:
    """Return a text as JSON, escaped as Jackson does it."""
    return '"' + _ESCAPED.sub(lambda match: _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}", text) + '"'


def initials(text: str) -> str:
    return "".join(word[0] for word in _WORD.findall(text))


def mask_email(text: str) -> str:
    """Mask the part before the domain except for its first character; without `@` the whole text is that part."""
    name, at, domain = text.partition("@")
    return name[:1] + "*" * (len(name) - 1) + at + domain


def mask_first(text: str, size: int) -> str:
    return text[:size] + "*" * (len(text) - size)


def mask_last(text: str, size: int) -> str:
    size_of_mask = max(len(text) - size, 0)
    return "*" * size_of_mask + text[size_of_mask:]


def _text(name: str, function: object, *more: str, returns: str = "VARCHAR") -> PythonForm:
    assert callable(function)
    return PythonForm(f"lsqlc_{name}", function, ("VARCHAR", *more), returns)


UPPER = _text("upper", str.upper)
LOWER = _text("lower", str.lower)
REVERSE = _text("reverse", lambda text: text[::-1])
SUBSTRING = _text("substring", substring, "INTEGER", "INTEGER")
SUBSTRING_FROM = _text("substring_from", substring_from, "INTEGER")
LEFT_PAD = _text("left_pad", left_pad, "INTEGER", "VARCHAR")
RIGHT_PAD = _text("right_pad", right_pad, "INTEGER", "VARCHAR")
CENTER = _text("center", center, "INTEGER", "VARCHAR")
TAKE_LEFT = _text("take_left", take_left, "INTEGER")
TAKE_RIGHT = _text("take_right", take_right, "INTEGER")
DROP_LEFT = _text("drop_left", drop_left, "INTEGER")
DROP_RIGHT = _text("drop_right", drop_right, "INTEGER")
TRUNCATE = _text("truncate", truncate, "INTEGER")
CHOP = _text("chop", chop)
ABBREVIATE = _text("abbreviate", abbreviate, "INTEGER")
CAPITALIZE = _text("capitalize", capitalize)
UNCAPITALIZE = _text("uncapitalize", uncapitalize)
SWAP_CASE = _text("swap_case", swap_case)
DECODE_BASE64 = _text("decode_base64", decode_base64)
MATCHES = _text("matches", matches, "VARCHAR", returns="VARCHAR[]")
MATCH_ARRAYS = _text("match_arrays", match_arrays, "VARCHAR", returns="VARCHAR[][]")
JSON_TEXT = _text("json_text", json_text)
INITIALS = _text("initials", initials)
MASK_EMAIL = _text("mask_email", mask_email)
MASK_FIRST = _text("mask_first", mask_first, "INTEGER")
MASK_LAST = _text("mask_last", mask_last, "INTEGER")
