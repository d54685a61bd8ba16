"""SQL text of the call of a scalar function, and the Python functions that DuckDB needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from lsqlc.functions.forms import cast_forms, operators, totals
from lsqlc.functions.forms.casts import widen
from lsqlc.functions.forms.sizes import MOST
from lsqlc.functions.kinds import KINDS
from lsqlc.functions.signature import Function, Nulls, PythonForm, ValueForm
from lsqlc.sql import engines
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, INT, STRING, DataType


def call(
    engine: Engine,
    function: Function,
    arguments: Sequence[str],
    types: Sequence[DataType],
    now: str = "",
    record: str = "",
    *,
    values: Sequence[object] = (),
) -> str:
    """Return the SQL text of a call whose arguments are legal by the function's signature and kinds.

    `arguments`, `types`: the SQL text and the type of each argument. `values`: the Python value of each literal
    argument, None for any other argument; empty: no argument is a literal. `now`: the SQL text of the time of
    evaluation, a TIMESTAMP; only a function with `clock` needs it. `record`: the SQL text of the record's ordinal, a
    STRING; only a function with `of_record` needs it.
    """
    pairs = enumerate(zip(arguments, types, strict=True))
    texts = [_argument(engine, function, i, sql, type) for i, (sql, type) in pairs]
    values = values or (None,) * len(arguments)
    form = function.duckdb if engine == "duckdb" else function.spark
    if isinstance(form, ValueForm):
        parameters = (function.parameter(i) for i in range(len(values)))
        missing = [p.name for p, v in zip(parameters, values, strict=True) if p.literal and not p.null and v is None]
        assert not missing, f"{function.name} lacks the value of {missing}"
    defaults = [p.default for p in function.parameters[len(texts) :] if p.default is not None]
    texts += [engines.text(engine, d) if isinstance(d, str) else str(d) for d in defaults]
    if function.of_record:
        texts, types, values = [record, *texts], (STRING, *types), (None, *values)
    match form:
        case PythonForm():
            return form.call(texts)
        case ValueForm(render=render):
            return render(texts, types, (*values, *defaults))
        case str():
            return form.format(*texts, now=now)
        case _:
            return form(texts, types)


def _argument(engine: Engine, function: Function, index: int, sql: str, type: DataType) -> str:
    target = KINDS[function.parameter(index).accepts].target
    return sql if target is None else widen(engine, sql, type, target)


def nullable(
    function: Function, types: Sequence[DataType], arguments: Sequence[bool], literals: Sequence[object] = ()
) -> bool:
    """Return whether a call may be null.

    `arguments`: whether each argument may be null. `literals`: the value of each literal argument.
    """
    if function.nulls is Nulls.NEVER:
        return False
    if function.nulls is Nulls.MAY:
        return True
    if function.nulls is Nulls.ALL:
        return all(arguments)
    if function.nulls is Nulls.SIZED:
        sizes = [value for type, value in zip(types, literals, strict=False) if type in (INT, BIGINT)]
        if not sizes or any(not isinstance(size, int) or size > MOST for size in sizes):
            return True
    # Narrowing an argument to the parameter's type may fail, for example from BIGINT to INT.
    narrowed = any(
        KINDS[function.parameter(i).accepts].target == INT and type == BIGINT for i, type in enumerate(types)
    )
    return narrowed or any(arguments)


def python_forms(functions: Iterable[Function]) -> tuple[PythonForm, ...]:
    """Return the Python forms that DuckDB needs for these functions and for any cast, operator and aggregate, each
    once.
    """
    by_name = {form.name: form for form in (*cast_forms.FORMS, *operators.FORMS, *totals.FORMS)}
    for function in functions:
        own = (function.duckdb,) if isinstance(function.duckdb, PythonForm) else ()
        by_name.update((form.name, form) for form in (*own, *function.uses))
    return tuple(by_name.values())


def null_safe(form: PythonForm) -> Callable[..., Any]:
    """Return the function to register with `null_handling="special"` and `side_effects=False`: null in, null out.

    With DuckDB's default handling of nulls, a function must not return null.
    """
    function = form.function

    # DuckDB counts the parameters by the signature, which `wraps` copies.
    @wraps(function)
    def call_or_null(*arguments: Any) -> Any:
        return None if None in arguments else function(*arguments)

    return call_or_null


def register(connection: Any, forms: Iterable[PythonForm]) -> None:
    """Register Python forms in a DuckDB connection (`connection.create_function`), which needs no external access.

    Close such a connection: one that is open when Python exits makes DuckDB print leaks to stderr.
    """
    for form in forms:
        connection.create_function(
            form.name, null_safe(form), list(form.parameters), form.returns, null_handling="special", side_effects=False
        )
