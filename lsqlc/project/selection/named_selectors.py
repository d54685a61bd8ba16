"""`selectors` of the project file: selections with a name, for `--select selector:ci`.

A selector is a text for `--select`, or a mapping of `select`, `exclude` and `description`. It may name other selectors,
but not itself, directly or indirectly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.project.selection.selectors import METHODS, Selection, misread, reference, words
from lsqlc.yaml.decode import Decoder, kind
from lsqlc.yaml.described import described
from lsqlc.yaml.nodes import KeyPath

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_KEY = "selectors"


class SelectorFile(msgspec.Struct, frozen=True, kw_only=True):
    select: Annotated[str | list[str], described("What `--select` takes.")] = []
    exclude: Annotated[str | list[str], described("What `--exclude` takes.")] = []
    description: Annotated[str | None, described("What it is for, for people.")] = None


def read_selectors(decoder: Decoder, data: Mapping[str, Any]) -> dict[str, Selection]:
    """Return the valid selections by name. Reports LSQ071 for an invalid one, LSQ072 for one that refers to itself."""
    selections: dict[str, Selection] = {}
    for name, value in data.items():
        key_path: KeyPath = (_KEY, name)
        if not _NAME.fullmatch(name):
            help = "a name consists of letters, digits, '_', '-' and '.'"
            decoder.report(
                "LSQ071", f"'{name}' is not a valid name of a selector", decoder.document.key_span(key_path), help=help
            )
            continue
        if not isinstance(value, str | dict):
            decoder.wrong(key_path, f"expected a text or a mapping, got {kind(value)}")
            continue
        file = decoder.struct(key_path, SelectorFile, {"select": value} if isinstance(value, str) else value)
        if file is None:
            continue
        at = key_path if isinstance(value, str) else (*key_path, "select")
        # Check both, so that all errors are reported.
        good = _check(decoder, at, file.select, data), _check(decoder, (*key_path, "exclude"), file.exclude, data)
        if all(good):
            selections[name] = Selection(_texts(file.select), _texts(file.exclude))
    return _without_circles(decoder, selections)


def _texts(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _check(decoder: Decoder, key_path: KeyPath, value: str | list[str], names: Mapping[str, Any]) -> bool:
    """Report each word that is not a selector. This does not depend on the models."""
    good = True
    for number, text in enumerate(_texts(value)):
        span = decoder.document.span(key_path if isinstance(value, str) else (*key_path, number))
        for word in words([text]):
            message, name = misread(word), reference(word)
            if message is not None:
                help = f"write a name or glob, or one of the methods {listing(METHODS)}, such as `tag:nightly+`"
                decoder.report("LSQ071", message, span, help=help)
                good = False
            elif name is not None and name not in names:
                help = did_you_mean(name, names) or f"the selectors are {listing(names)}"
                decoder.report("LSQ071", f"unknown selector '{name}'", span, help=help)
                good = False
    return good


def _without_circles(decoder: Decoder, selections: dict[str, Selection]) -> dict[str, Selection]:
    """Return the selections without cycles. A selection that names a removed one is removed as well."""
    waiting = {
        name: {other for word in words((*each.select, *each.exclude)) if (other := reference(word)) is not None}
        for name, each in selections.items()
    }
    checked: dict[str, Selection] = {}
    while ready := [name for name, others in waiting.items() if others <= checked.keys()]:
        for name in ready:
            checked[name] = selections[name]
            del waiting[name]
    for name in waiting:
        circle = _way_back(name, waiting)
        if circle:
            decoder.report(
                "LSQ072",
                f"the selector '{name}' refers to itself: {' -> '.join(circle)}",
                decoder.document.key_span((_KEY, name)),
                help="name the models in one of them",
            )
    return checked


def _way_back(name: str, uses: Mapping[str, set[str]]) -> list[str]:
    """Return the names on the cycle through a selector; empty if there is none."""
    came = {other: [name, other] for other in sorted(uses[name])}
    queue = list(came)
    for here in queue:
        if here == name:
            return came[here]
        for other in sorted(uses.get(here, ())):
            if other not in came:
                came[other] = [*came[here], other]
                queue.append(other)
    return []
