"""Selection of models for a command: dbt's `--select` and `--exclude`.

A selector is a name or glob (`orders`, `ord*`), `tag:nightly`, `path:models/staging`, `state:modified` (see states.py),
or `selector:ci` for a name in the project file. A prefix `+` or `2+` adds the models that it depends on; a suffix `+`
or `+2` adds the models that depend on it. `@` adds both, and the dependencies of the latter. A space is a union, a
comma an intersection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from lsqlc.diagnostics import Diagnostic, did_you_mean, listing
from lsqlc.project.selection.graph import Graph
from lsqlc.types.digits import integer

_SELECTOR = re.compile(
    r"(?P<at>@)?(?:(?P<above>\d*)(?P<up>\+))?(?:(?P<method>[a-z]+):)?(?P<value>[^+@:]+)(?:(?P<down>\+)(?P<below>\d*))?"
)
METHODS = ("path", "selector", "state", "tag")


@dataclass(frozen=True, slots=True)
class Selectable:
    """The properties of a model that selectors use."""

    name: str
    path: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """The words of `--select` and `--exclude`. Without `--select`, every model is selected."""

    select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def select_models(
    selection: Selection,
    models: Sequence[Selectable],
    graph: Graph,
    states: Mapping[str, frozenset[str]] | None = None,
    selectors: Mapping[str, Selection] | None = None,
) -> tuple[frozenset[str], tuple[Diagnostic, ...]]:
    """Return the names of the selected models.

    `states`: names by state, for `state:`; None: there is no other version to compare with. `selectors`: the named
    selections, without cycles. A selector without matches is an error, and so is an empty selection. A selection by
    `state:` may be empty, because nothing may have changed.
    """
    chooser = _Chooser(models, graph, states, selectors or {})
    matches = chooser.matching(selection)
    remaining = matches - chooser.union(selection.exclude)
    words_of_selection = selection.select or selection.exclude
    if words_of_selection and not remaining and not chooser.diagnostics and not chooser.by_state:
        text = " ".join(selection.select)
        message = f"'{text}' matches no model" if text else "every model is excluded"
        notes = ("what it matches is excluded",) if matches else ("no model matches all of its parts",)
        help = "list the models with `lsqlc ls`"
        chooser.diagnostics.append(Diagnostic("LSQ040", message, notes=notes, help=help))
    return remaining, tuple(chooser.diagnostics)


def words(text: Iterable[str]) -> tuple[str, ...]:
    """Return the selectors of arguments, without the commas and spaces between them."""
    return tuple(part for argument in text for word in argument.split() for part in word.split(",") if part)


def misread(word: str) -> str | None:
    """Return why a text is not a selector of any project; None if it is one."""
    match = _match(word)
    if match is None:
        return f"'{word}' is not a selector"
    if match["method"] not in (None, *METHODS):
        return f"the selector '{word}' has an unknown method"
    return None


def reference(word: str) -> str | None:
    """Return the name in a selector of the method `selector:`, else None."""
    match = _match(word)
    return match["value"] if match is not None and match["method"] == "selector" else None


def _match(text: str) -> re.Match[str] | None:
    match = _SELECTOR.fullmatch(text)
    return None if match is None or (match["at"] and (match["up"] or match["down"])) else match


class _Chooser:
    def __init__(
        self,
        models: Sequence[Selectable],
        graph: Graph,
        states: Mapping[str, frozenset[str]] | None,
        selectors: Mapping[str, Selection],
    ) -> None:
        self.diagnostics: list[Diagnostic] = []
        # Whether an existing state was requested.
        self.by_state = False
        self._models, self._graph, self._states, self._selectors = models, graph, states, selectors

    def matching(self, selection: Selection) -> frozenset[str]:
        """Return the models of a selection, before any is excluded."""
        every = frozenset(model.name for model in self._models)
        return self.union(selection.select) if selection.select else every

    def union(self, words: Iterable[str]) -> frozenset[str]:
        matches: set[str] = set()
        for word in (word for argument in words for word in argument.split()):
            parts = [self._one(part) for part in word.split(",") if part]
            if not parts:
                self._bad(word)
            matches |= frozenset.intersection(*parts) if parts else frozenset()
        return frozenset(matches)

    def _one(self, text: str) -> frozenset[str]:
        match = _match(text)
        if match is None:
            return self._bad(text)
        core = self._core(text, match["method"], match["value"])
        if match["at"]:
            return self._graph.above(self._graph.below(core))
        matches = set(core)
        if match["up"]:
            matches |= self._graph.above(core, integer(match["above"]) if match["above"] else None)
        if match["down"]:
            matches |= self._graph.below(core, integer(match["below"]) if match["below"] else None)
        return frozenset(matches)

    def _core(self, text: str, method: str | None, value: str) -> frozenset[str]:
        if method == "state":
            return self._state(text, value)
        if method == "selector":
            return self._selector(text, value)
        if method == "tag":
            candidates = {tag for model in self._models for tag in model.tags}
            matches = {model.name for model in self._models if any(fnmatchcase(tag, value) for tag in model.tags)}
        elif method == "path":
            path = value.removeprefix("./").rstrip("/")
            candidates = {model.path for model in self._models} | {_folder(model.path) for model in self._models}
            matches = {model.name for model in self._models if _lies_in(model.path, path)}
        elif method is None:
            candidates = {model.name for model in self._models}
            matches = {model.name for model in self._models if fnmatchcase(model.name, value)}
        else:
            help = did_you_mean(method, METHODS) or f"known methods are {listing(METHODS)}"
            self.diagnostics.append(Diagnostic("LSQ041", f"the selector '{text}' has an unknown method", help=help))
            return frozenset()
        if not matches:
            self._nothing(text, value, method, candidates)
        return frozenset(matches)

    def _state(self, text: str, value: str) -> frozenset[str]:
        if self._states is None:
            message = f"the selector '{text}' has nothing to compare with"
            help = "give the other version: `--state main`, or `--state FOLDER/target/manifest.json`"
            self.diagnostics.append(Diagnostic("LSQ041", message, help=help))
            return frozenset()
        if value not in self._states:
            help = did_you_mean(value, self._states) or f"known states are {listing(self._states)}"
            self.diagnostics.append(Diagnostic("LSQ041", f"unknown state '{value}'", help=help))
            return frozenset()
        self.by_state = True
        return self._states[value]

    def _selector(self, text: str, value: str) -> frozenset[str]:
        if value not in self._selectors:
            candidates = (
                f"the selectors are {listing(self._selectors)}"
                if self._selectors
                else "'selectors' in lsqlc.yml declares names"
            )
            help = did_you_mean(value, self._selectors) or candidates
            self.diagnostics.append(Diagnostic("LSQ041", f"'{text}': unknown selector '{value}'", help=help))
            return frozenset()
        return self.matching(self._selectors[value]) - self.union(self._selectors[value].exclude)

    def _nothing(self, text: str, value: str, method: str | None, candidates: set[str]) -> None:
        what = {"tag": "tags", "path": "paths", None: "models"}[method]
        help = did_you_mean(value, candidates) or (
            f"the {what} are {listing(candidates)}" if candidates else "there are no models"
        )
        self.diagnostics.append(Diagnostic("LSQ040", f"'{text}' matches no model", help=help))

    def _bad(self, text: str) -> frozenset[str]:
        help = "write a name or glob, `tag:x`, `path:models/x`, with `+` before or after it, such as `2+orders+`"
        self.diagnostics.append(Diagnostic("LSQ041", f"'{text}' is not a selector", help=help))
        return frozenset()


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/") or fnmatchcase(path, folder)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
