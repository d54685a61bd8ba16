"""A test over many small cases that is one item for pytest: it runs all of them and lists those that fail."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

_SHOWN = 20


def each(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize` without ids and marks. For cases that take no time, share nothing, and change no
    fixture: hundreds of items would cost more than what they test.
    """
    parameters = (names,) if isinstance(names, str) else names
    all_cases = [(case,) if isinstance(names, str) else tuple(case) for case in cases]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            assert all_cases, "there are no cases"
            failures = []
            for case in all_cases:
                try:
                    test(**dict(zip(parameters, case, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    failures.append(f"{', '.join(map(repr, case))}: {type(error).__name__}: {error}")
            if failures:
                shown = "\n\n".join(failures[:_SHOWN])
                pytest.fail(f"{len(failures)} of {len(all_cases)} cases fail\n\n{shown}", pytrace=False)

        signature = inspect.signature(test)
        fixtures = [p for name, p in signature.parameters.items() if name not in parameters]
        run.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return run

    return decorate
