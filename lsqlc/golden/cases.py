"""Case files: records for a model's input topics, and optionally what is expected of its outputs.

A case has `name`, `model`, and its records in one of three ways: `inputs` (topics in the order written, the records of
each in order), `arrivals` (one list, where the order between topics matters), or `batches` as a list of such lists.
Beside the first two, `batches` may be a list of sizes that add up to the number of records. `now` is the time that
clock functions give. A record is `key`, `value`, `timestamp`: without a value it is a tombstone, without a timestamp it
has 0; fields that are left out are null, and one that the topic does not declare is an error. `expect` names the topics
to look at; a record in it without `timestamp` leaves that open.

A record that a reader may refuse has `raw`, the text of its value as it stands in the line, for `value`, and `raw_key`
for `key`: what becomes of it is what the error policy of the model says. Anything else that does not fit is an error of
the case.

A file below the case paths without a top-level `cases` is none of ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from lsqlc.diagnostics import Diagnostic, Span, did_you_mean, listing, order
from lsqlc.diagnostics.suggest import nearest
from lsqlc.golden.case_reader import CaseFile, CaseReader, Expected, split
from lsqlc.plan import Plan
from lsqlc.project.decode import Decoder
from lsqlc.project.yaml_nodes import Place, read_yaml
from lsqlc.types.record import Case

_TOP_KEY = re.compile(r"""^(?:\{\s*)?["']?([A-Za-z_-]+)["']?[ \t]*:""", re.MULTILINE)
# A file name on every system; a case whose name has spaces is filed with `_` for them.
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_. -]{0,98}[A-Za-z0-9_-])?")


@dataclass(frozen=True, slots=True)
class LoadedCase:
    """A case that can be evaluated. `span`: its name in the case file. `batched`: the file says how it is cut."""

    model: str
    case: Case
    span: Span
    expect: Mapping[str, tuple[Expected, ...]] = field(default_factory=dict)
    batched: bool = False

    @property
    def name(self) -> str:
        return self.case.name


@dataclass(frozen=True, slots=True)
class SkippedCase:
    """A case of a model that is there but has no plan: not selected, or with errors of its own."""

    model: str
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class LoadedCases:
    """What the case files of a project say, in order of files and places. `diagnostics`: all that was found wrong."""

    cases: tuple[LoadedCase, ...]
    skipped: tuple[SkippedCase, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def places(self) -> tuple[tuple[Span, str, str], ...]:
        """Place, model and name of each case that has a name, in order of place."""
        found = [(c.span, c.model, c.name) for c in self.cases] + [(c.span, c.model, c.name) for c in self.skipped]
        return tuple(sorted(found, key=lambda case: (case[0].path, case[0].line, case[0].column)))

    @property
    def complete(self) -> bool:
        """Whether every case could be read: only then can it be told which golden files have none."""
        return not any(d.is_error for d in self.diagnostics)


def file_stem(name: str) -> str:
    """The name of a case's golden file, without `.jsonl`."""
    return name.replace(" ", "_")


def is_case_file(text: str) -> bool:
    """Whether a YAML text has a top-level `cases`, as far as its words say; cheap."""
    return any(found[1] == "cases" for found in _TOP_KEY.finditer(text))


def load_cases(
    texts: Mapping[str, str], plans: Mapping[str, Plan], *, models: Collection[str] | None = None
) -> LoadedCases:
    """The cases in YAML texts, by path. `plans`: the compiled models by name; `models`: all names that a case may give.
    Never raises for bad input.
    """
    loader = _Loader(plans, frozenset(plans) | frozenset(models or ()))
    for path in sorted(texts):
        loader.file(path, texts[path])
    return LoadedCases(tuple(loader.cases), tuple(loader.skipped), order(loader.diagnostics))


def cut(case: Case, count: int) -> Case:
    """The same records in at most `count` batches, as even as can be, the longer ones first."""
    records = case.records
    count = max(1, min(count, len(records)))
    size, more = divmod(len(records), count)
    return replace(case, batches=split(records, [size + (i < more) for i in range(count)]))


class _Loader:
    """Reads one file after the other; names are unique over all of them."""

    def __init__(self, plans: Mapping[str, Plan], models: frozenset[str]) -> None:
        self._plans, self._models = plans, models
        self._first: dict[tuple[str, str], Span] = {}
        self.cases: list[LoadedCase] = []
        self.skipped: list[SkippedCase] = []
        self.diagnostics: list[Diagnostic] = []

    def file(self, path: str, text: str) -> None:
        if not is_case_file(text):
            self._mistyped(path, text)
            return
        document = read_yaml(text, path)
        decoder = Decoder(document)
        if not document.diagnostics and isinstance(document.data, dict) and "cases" in document.data:
            decoder.unknown((), document.data, ("cases",))
            for place, case in decoder.structs(("cases",), CaseFile, document.data["cases"]):
                self._case(CaseReader(document, decoder), place, case)
        self.diagnostics += decoder.diagnostics

    def _mistyped(self, path: str, text: str) -> None:
        for found in _TOP_KEY.finditer(text):
            if nearest(found[1], ["cases"]):
                line = text.count("\n", 0, found.start(1)) + 1
                column = found.start(1) - text.rfind("\n", 0, found.start(1))
                span = Span(path, line, column, line, column + len(found[1]))
                message = f"'{found[1]}' is not read, so this file holds no cases"
                self.diagnostics.append(Diagnostic("LSQ500", message, span, help="did you mean 'cases'?"))

    def _case(self, reader: CaseReader, place: Place, case: CaseFile) -> None:
        span = reader.document.span((*place, "name"))
        if not self._is_named(reader, case, span):
            return
        if case.model not in self._models:
            known = f"the models are {listing(self._models)}" if self._models else "the project has no models"
            help = did_you_mean(case.model, self._models) or known
            where = reader.document.span((*place, "model"))
            reader.report("LSQ501", f"there is no model '{case.model}'", where, help=help)
            return
        plan = self._plans.get(case.model)
        if plan is None:
            self.skipped.append(SkippedCase(case.model, case.name, span))
            return
        before = len(reader.decoder.diagnostics)
        batches = reader.batches(place, case, plan)
        now = reader.instant((*place, "now"), case.now)
        expect = reader.expected((*place, "expect"), case.expect or {}, plan)
        if len(reader.decoder.diagnostics) == before:
            loaded = Case(case.name, batches, now)
            self.cases.append(LoadedCase(case.model, loaded, span, expect, case.batches is not None))

    def _is_named(self, reader: CaseReader, case: CaseFile, span: Span) -> bool:
        if not _NAME.fullmatch(case.name):
            why = "the golden file is called after the case, on every system"
            help = "letters of A to Z, digits, '_', '-', '.' and spaces make a name, of at most 100 characters"
            reader.report("LSQ502", f"'{case.name}' is no name of a case", span, notes=(why,), help=help)
            return False
        first = self._first.setdefault((case.model, file_stem(case.name).casefold()), span)
        if first is not span:
            notes = (
                f"the other one is at {first.path}:{first.line}:{first.column}",
                "letter case aside, and a space is as good as '_': the golden file is called after the case",
            )
            message = f"the model '{case.model}' has two cases '{case.name}'"
            reader.report("LSQ503", message, span, notes=notes, help="rename one of them")
            return False
        return True
