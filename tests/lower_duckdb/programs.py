"""The programs of `programs.sql` by name, and the topics that they read."""

from __future__ import annotations

from pathlib import Path

from lsqlc.types import data
from lsqlc.types.data import Array, Field, Map, Struct
from lsqlc.types.record import Facet, Topic


def _struct(**fields: data.DataType) -> Facet:
    return Facet(Struct(tuple(Field(name, type) for name, type in fields.items())), "json")


_KEY = Facet(data.STRING, "string")

TOPICS = {
    topic.name: topic
    for topic in (
        Topic("a", _KEY, _struct(id=data.INT, n=data.INT, name=data.STRING)),
        Topic("b", _KEY, _struct(id=data.INT, m=data.INT, ref=data.STRING)),
        Topic("c", _KEY, _struct(id=data.INT, z=data.BIGINT)),
        Topic("lists", _KEY, _struct(id=data.INT, xs=Array(data.INT))),
        Topic("nested", _KEY, _struct(id=data.INT, xss=Array(Array(data.INT)))),
        Topic("pairs", _struct(id=data.INT, side=data.STRING), _struct(n=data.INT)),
        Topic("d", Facet(data.INT, "int"), _struct(id=data.INT, z=data.INT)),
        Topic("tagged", _KEY, _struct(id=data.INT, tags=Map(data.STRING, data.INT))),
        Topic("points", _KEY, Facet(data.INT, "int")),
    )
}

_TEXT = (Path(__file__).parent / "programs.sql").read_text("utf-8")
# Each entry is `# name` and the program below it.
PROGRAMS = {
    name: program.rstrip("\n") for name, _, program in (entry.partition("\n") for entry in _TEXT.split("\n\n# ")[1:])
}
