"""The key of a row as clients write it in an address."""

from __future__ import annotations

from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.types import codec, data
from lsqlc.types.codec import MalformedJson, ValueProblems
from lsqlc.types.record import Topic

# Types whose JSON is a text: the quotes may be left out.
_TEXTS = (data.STRING, data.BYTES, data.DATE, data.TIMESTAMP)


def key_of(topic: Topic, text: str) -> Any:
    """Return a key: a text as it is, anything else as JSON. A key of several columns is an object.

    Raises LsqlcError LSQ842 for a text that is no key of the topic.
    """
    type = topic.key.type
    try:
        whole = codec.encode_text(data.STRING, text) if type in _TEXTS else text
        key = codec.decoder(type, strict=True)(whole.encode("utf-8", "surrogatepass"))
    except (MalformedJson, ValueProblems) as error:
        problems = error.problems if isinstance(error, ValueProblems) else ()
        notes = tuple(str(problem) for problem in problems)
        message = f"'{text[:100]}' is not a key of '{topic.name}'"
        raise LsqlcError([Diagnostic("LSQ842", message, notes=notes, help=f"a key is {type} in JSON")]) from None
    if key is None:
        message = f"null is not a key of '{topic.name}'"
        raise LsqlcError([Diagnostic("LSQ842", message, help=f"a key is {type} in JSON")])
    return key
