"""Functions about null."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.results import always, common, first
from lsqlc.functions.signature import Function, Nulls, Parameter, Render
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BOOLEAN, DataType

_VALUE = Parameter("value", "any")


def in_common_type(engine: Engine, name: str) -> Render:
    """Return a call of an engine's function with all arguments in their common type."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        common_type = common(types, ())
        assert common_type is not None
        arguments = [widen(engine, text, type, common_type) for text, type in zip(texts, types, strict=True)]
        # Spark's greatest needs two values.
        return f"{name}({', '.join(arguments)})" if len(arguments) > 1 else arguments[0]

    return render


NULLS: tuple[Function, ...] = (
    Function(
        "COALESCE", (_VALUE,), common, in_common_type("duckdb", "coalesce"), in_common_type("spark", "coalesce"),
        "the first value that is not null", nulls=Nulls.ALL, variadic=True, takes_null=True,
    ),
    Function(
        "ISNULL", (_VALUE,), always(BOOLEAN), "(({0}) is null)", "(({0}) is null)", "whether the value is null",
        nulls=Nulls.NEVER, takes_null=True,
    ),
    Function(
        "ISNOTNULL", (_VALUE,), always(BOOLEAN), "(({0}) is not null)", "(({0}) is not null)",
        "whether the value is not null", nulls=Nulls.NEVER, takes_null=True,
    ),
    Function(
        "AS_NULLABLE", (_VALUE,), first, "({0})", "({0})", "the value, declared nullable", nulls=Nulls.MAY,
        takes_null=True,
    ),
    Function(
        "AS_NON_NULLABLE", (_VALUE,), first, "({0})", "({0})", "the value, declared never null, which nobody checks",
        nulls=Nulls.NEVER, takes_null=True,
    ),
)  # fmt: skip
