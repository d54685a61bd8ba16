"""Functions in Python as engines call them: Arrow arrays in, one Arrow array out, with checks.

This module is sent to the workers of a cluster by value. So it imports nothing of lsqlc, and pyarrow only inside of
functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

# Part of an engine's message if a function is at fault.
MARK = "LSQ493"


def runner(name: str, source: str, takes: Sequence[Any], gives: Any, engine_type: Any) -> Callable[..., Any]:
    """Return the function that an engine calls with arrays.

    `takes`, `gives`: the declared Arrow types of the arguments and the result. `engine_type`: the Arrow type of the
    result for the engine.

    The file is executed at the first call. The function raises RuntimeError with MARK and its name. Reasons are an
    exception of the function, and a result of another length or type.
    """
    functions: list[Callable[..., Any]] = []

    def run(*arguments: Any) -> Any:
        import pyarrow as pa

        try:
            if not functions:
                names: dict[str, Any] = {"__name__": f"lsqlc_function_{name}"}
                exec(compile(source, f"<{name}>", "exec"), names)
                functions.append(names[name])
            arrays = [_array(a, pa).cast(type) for a, type in zip(arguments, takes, strict=True)]
            result = functions[0](*arrays)
        except Exception as error:
            text = " ".join(str(error).split())[:500]
            raise RuntimeError(f"{MARK} the function '{name}' failed: {type(error).__name__}: {text}") from error
        if not isinstance(result, pa.Array | pa.ChunkedArray):
            raise RuntimeError(f"{MARK} the function '{name}' must give a pyarrow.Array, not {type(result).__name__}")
        result = _array(result, pa)
        if len(result) != len(arrays[0]):
            message = f"must give {len(arrays[0])} values, as many as it gets, not {len(result)}"
            raise RuntimeError(f"{MARK} the function '{name}' {message}")
        if result.type != gives:
            raise RuntimeError(f"{MARK} the function '{name}' must give {gives}, not {result.type}: cast the result")
        return result.cast(engine_type) if engine_type != gives else result

    return run


def _array(value: Any, pa: Any) -> Any:
    """Return one array for a value that may consist of several chunks."""
    if not isinstance(value, pa.ChunkedArray):
        return value
    if value.num_chunks == 1:
        return value.chunk(0)
    return pa.concat_arrays(value.chunks) if value.num_chunks else pa.array([], value.type)
