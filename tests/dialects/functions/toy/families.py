"""The functions of the toy language."""

from __future__ import annotations

from lsqlc.functions.results import always
from lsqlc.functions.signature import Aggregate, Function, Parameter
from lsqlc.types.data import STRING

_SHOUT = Function(
    "SHOUT", (Parameter("text", "string"),), always(STRING), "(upper({0}) || '!')", "concat(upper({0}), '!')",
    "the text in upper case, with an exclamation mark",
)  # fmt: skip
FAMILIES: dict[str, tuple[Function, ...]] = {"Strings": (_SHOUT,)}
AGGREGATES: tuple[Aggregate, ...] = ()
REFUSED = {"WHISPER": "nobody would hear it"}
