"""Functions in Python as engines call them: arrays of Arrow in, one array of Arrow out, checked on the way.

This module travels to the workers of a cluster by value, so that it imports nothing of lsqlc, and pyarrow only there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

# What a message of an engine has where a function is at fault.
MARK = "LSQ493"


def runner(name: str, source: str, takes: Sequence[Any], gives: Any, handed: Any) -> Callable[..., Any]:
    """What an engine calls with arrays. `takes`, `gives`: the Arrow types of the declaration; `handed`: that of the
    result for the engine.

    The file is executed at the first call. The function raises RuntimeError with MARK and the name of the function for
    an exception of the function, and for a result of another length or type.
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
        return result.cast(handed) if handed != gives else result

    return run


def _array(value: Any, pa: Any) -> Any:
    """One array, of what may be in several chunks."""
    if not isinstance(value, pa.ChunkedArray):
        return value
    if value.num_chunks == 1:
        return value.chunk(0)
    return pa.concat_arrays(value.chunks) if value.num_chunks else pa.array([], value.type)
