"""Case files: records for a model's input topics, and optionally what is expected of its outputs.

A case has `name`, `model`, and its records in one of three ways: `inputs` (topics in the order written, the records of
each in order), `arrivals` (one list, where the order between topics matters), or `batches` as a list of such lists.
Beside the first two, `batches` may be a list of sizes that add up to the number of records. Before them come, where the
case asks for it, the records that the model itself inserts (`inserts: true`; INSERT INTO ... VALUES of ksqlDB), then
those of `fixtures`, which any file of cases may declare. `now` is the time that clock functions give.

A record is `key`, `value`, `timestamp`: without a value it is a tombstone, without a timestamp it has 0; fields that
are left out are what `defaults` say, else null, and one that the topic does not declare is an error. See
`record_reader`. A record that a reader may refuse has `raw`, the text of its value as it stands in the line, for
`value`, and `raw_key` for `key`: what becomes of it is what the error policy of the model says. Anything else that does
not fit is an error of the case.

`expect` names the topics to look at, with their rows (one without `timestamp` leaves that open) or with what is
asserted of them, see `assertions`. With `golden: false` there is no golden file beside that.

A case with `function` instead of `model` is about one of the project's own functions (see `function_cases`).

A file below the case paths without a top-level `cases` or `fixtures` is none of ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.own_plan import plan_name, plan_of
from lsqlc.diagnostics import Diagnostic, Severity, Span, did_you_mean, listing, order
from lsqlc.diagnostics.suggest import nearest
from lsqlc.golden.assertions import Assertion
from lsqlc.golden.case_reader import CaseFile, CaseReader, split
from lsqlc.golden.function_cases import FunctionCaseFile, FunctionCaseReader, is_function_case
from lsqlc.golden.record_reader import Fixture, RecordReader
from lsqlc.golden.states import StateAssertion, read_states
from lsqlc.golden.written import Expected
from lsqlc.plan import Plan
from lsqlc.types.record import Case
from lsqlc.yaml.decode import Decoder, kind
from lsqlc.yaml.nodes import Place, read_yaml

_YAML = (".yml", ".yaml")
# What makes a YAML file one of cases.
_TOP_KEYS = ("cases", "fixtures")
_TOP_KEY = re.compile(r"""^(?:\{\s*)?["']?([A-Za-z_-]+)["']?[ \t]*:""", re.MULTILINE)
# A file name on every system; a case whose name has spaces is filed with `_` for them.
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_. -]{0,98}[A-Za-z0-9_-])?")


@dataclass(frozen=True, slots=True)
class LoadedCase:
    """A case that can be evaluated. `span`: its name in the case file. `batched`: the file says how it is cut.
    `golden` False: it has no golden file, only what it expects and asserts. `of_function`: it is about a function, and
    `model` is the name of the program that calls it. `places`: where each of its records is written; None, or missing:
    in no file of cases.
    """

    model: str
    case: Case
    span: Span
    expect: Mapping[str, tuple[Expected, ...]] = field(default_factory=dict)
    batched: bool = False
    assertions: tuple[Assertion, ...] = ()
    states: tuple[StateAssertion, ...] = ()
    golden: bool = True
    of_function: bool = False
    places: tuple[Span | None, ...] = ()

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
    """What the case files of a project say, in order of files and places. `diagnostics`: all that was found wrong;
    `functions`: the programs that cases of functions are run with, by the name that their cases have as `model`.
    """

    cases: tuple[LoadedCase, ...]
    skipped: tuple[SkippedCase, ...]
    diagnostics: tuple[Diagnostic, ...]
    functions: Mapping[str, Plan] = field(default_factory=dict)

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
    """Return the name of a case's golden file, without `.jsonl`."""
    return name.replace(" ", "_")


def is_case_file(text: str) -> bool:
    """Return whether a YAML text has a top-level `cases` or `fixtures`, as far as its words say; cheap."""
    return any(found[1] in _TOP_KEYS for found in _TOP_KEY.finditer(text))


def load_cases(
    texts: Mapping[str, str],
    plans: Mapping[str, Plan],
    *,
    models: Collection[str] | None = None,
    functions: OwnFunctions | None = None,
) -> LoadedCases:
    """Return the cases in YAML texts, by path; other texts are the files of records that they may name.

    `plans`: the compiled models by name; `models`: all names that a case may give; `functions`: the project's own, None
    where their cases do not matter. Never raises for bad input.
    """
    loader = _Loader(plans, frozenset(plans) | frozenset(models or ()), texts, functions)
    files = [loader.file(path, texts[path]) for path in sorted(texts) if path.endswith(_YAML)]
    for file in files:
        if file is not None:
            loader.cases_of(file)
    loader.idle_fixtures()
    return LoadedCases(tuple(loader.cases), tuple(loader.skipped), loader.findings(), loader.plans)


def cut(case: Case, count: int) -> Case:
    """Return the same records in at most `count` batches, as even as can be, the longer ones first."""
    records = case.records
    count = max(1, min(count, len(records)))
    size, more = divmod(len(records), count)
    return replace(case, batches=split(records, [size + (i < more) for i in range(count)]))


class _Loader:
    """Reads one file after the other; names are unique over all of them."""

    def __init__(
        self,
        plans: Mapping[str, Plan],
        models: frozenset[str],
        texts: Mapping[str, str],
        functions: OwnFunctions | None,
    ) -> None:
        self._functions = functions
        self.plans: dict[str, Plan] = {}
        self._plans, self._models, self._texts = plans, models, texts
        self._fixtures: dict[str, Fixture] = {}
        self._named: set[str] = set()
        self._decoders: list[Decoder] = []
        self._first: dict[tuple[str, str], Span] = {}
        self.cases: list[LoadedCase] = []
        self.skipped: list[SkippedCase] = []
        self.diagnostics: list[Diagnostic] = []

    def file(self, path: str, text: str) -> RecordReader | None:
        """Return the reader of a case file, whose fixtures are known then; None for what is no case file."""
        if not is_case_file(text):
            self._mistyped(path, text)
            return None
        document = read_yaml(text, path)
        decoder = Decoder(document)
        self._decoders.append(decoder)
        if document.diagnostics or not isinstance(document.data, dict) or document.data.keys().isdisjoint(_TOP_KEYS):
            return None
        decoder.unknown((), document.data, ("cases", "fixtures", "defaults"))
        reader = RecordReader(document, decoder, self._texts)
        reader.use_defaults((("defaults",), document.data.get("defaults")))
        self._add_fixtures(reader, document.data.get("fixtures"))
        return reader

    def _add_fixtures(self, reader: RecordReader, fixtures: object) -> None:
        if fixtures is not None and not isinstance(fixtures, dict):
            reader.decoder.wrong(("fixtures",), f"expected fixtures by name, got {kind(fixtures)}")
            return
        for name, topics in (fixtures or {}).items():
            place = ("fixtures", name)
            if not isinstance(topics, dict):
                reader.decoder.wrong(place, f"expected records by topic, got {kind(topics)}")
                continue
            span = reader.document.key_span(place)
            first = self._fixtures.get(name)
            if first is not None:
                other = first.reader.document.key_span(first.place)
                notes = (f"the other one is at {other.path}:{other.line}:{other.column}",)
                message, help = f"duplicate fixture '{name}'", "rename one of them"
                reader.decoder.report("LSQ522", message, span, notes=notes, help=help)
                continue
            self._fixtures[name] = Fixture(reader, place, topics)
            self._check_topics(reader, place, topics)

    def _check_topics(self, reader: RecordReader, place: Place, topics: Mapping[str, object]) -> None:
        """A fixture serves many models, each of which takes what it reads: a topic that none reads is a mistake."""
        if self._models - self._plans.keys():
            return
        known = {topic.name for plan in self._plans.values() for topic in plan.inputs}
        for name in topics:
            if name not in known:
                help = did_you_mean(name, known) or f"models read {listing(known)}"
                reader.report("LSQ506", f"no model reads '{name}'", (*place, name), key=True, help=help)

    def cases_of(self, records: RecordReader) -> None:
        """Read the cases of a file, all fixtures being known."""
        decoder, given = records.decoder, records.document.data
        # Of every case, also of one that has mistakes or whose model is not selected.
        for item in given["cases"] if isinstance(given.get("cases"), list) else ():
            named = item.get("fixtures") if isinstance(item, dict) else None
            self._named.update(n for n in (named if isinstance(named, list) else [named]) if isinstance(n, str))
        items = given.get("cases")
        if not isinstance(items, list):
            decoder.structs(("cases",), CaseFile, items)
            return
        for i, item in enumerate(items):
            place = ("cases", i)
            if is_function_case(item):
                of_function = decoder.struct(place, FunctionCaseFile, item)
                if of_function is not None:
                    self._function_case(FunctionCaseReader(records), place, of_function, records)
            elif (case := decoder.struct(place, CaseFile, item)) is not None:
                self._case(CaseReader(records, self._fixtures, given.get("defaults")), place, case)

    def idle_fixtures(self) -> None:
        """Tell the fixtures that no case names, once all else is right: a case may have another name for one."""
        if any(d.is_error for d in self.findings()):
            return
        for name, fixture in self._fixtures.items():
            if name not in self._named:
                self.diagnostics.append(
                    Diagnostic(
                        "LSQ861",
                        f"no case uses the fixture '{name}'",
                        fixture.reader.document.key_span(fixture.place),
                        help=f"name it in a case: `fixtures: {name}`, or remove it",
                        severity=Severity.WARNING,
                    )
                )

    def findings(self) -> tuple[Diagnostic, ...]:
        """Return all that was found wrong."""
        return order((*self.diagnostics, *(d for decoder in self._decoders for d in decoder.diagnostics)))

    def _mistyped(self, path: str, text: str) -> None:
        for found in _TOP_KEY.finditer(text):
            if nearest(found[1], ["cases"]):
                line = text.count("\n", 0, found.start(1)) + 1
                column = found.start(1) - text.rfind("\n", 0, found.start(1))
                span = Span(path, line, column, line, column + len(found[1]))
                message = f"'{found[1]}' is an unknown key, so this file has no cases"
                self.diagnostics.append(Diagnostic("LSQ500", message, span, help="did you mean 'cases'?"))

    def _case(self, reader: CaseReader, place: Place, case: CaseFile) -> None:
        span = reader.document.span((*place, "name"))
        if not self._is_named(reader.decoder, case.name, case.model, span):
            return
        if case.model not in self._models:
            known = f"the models are {listing(self._models)}" if self._models else "the project has no models"
            help = did_you_mean(case.model, self._models) or known
            where = reader.document.span((*place, "model"))
            reader.report("LSQ501", f"unknown model '{case.model}'", where, help=help)
            return
        plan = self._plans.get(case.model)
        if plan is None:
            self.skipped.append(SkippedCase(case.model, case.name, span))
            return
        # A fixture's mistakes are told in its own file.
        named = (case.fixtures,) if isinstance(case.fixtures, str) else case.fixtures
        decoders = [reader.decoder, *(self._fixtures[n].reader.decoder for n in named if n in self._fixtures)]
        before = [len(decoder.diagnostics) for decoder in decoders]
        arrivals = reader.batches(place, case, plan)
        now = reader.records.instant((*place, "now"), case.now)
        expect, assertions = reader.expected((*place, "expect"), case.expect or {}, plan)
        states = () if case.state is None else read_states(reader.decoder, (*place, "state"), case.state)
        if not case.golden and not case.expect and case.state is None:
            where = reader.document.key_span((*place, "golden"))
            message = f"the case '{case.name}' has neither a golden file nor an expectation"
            reader.report("LSQ527", message, where, help="add `expect:`, or remove `golden: false`")
        if before == [len(decoder.diagnostics) for decoder in decoders]:
            loaded = Case(case.name, arrivals.batches, now, arrivals.advances, bool(states))
            batched = case.batches is not None
            self.cases.append(
                LoadedCase(
                    case.model, loaded, span, expect, batched, assertions, states, case.golden, places=arrivals.places
                )
            )

    def _function_case(
        self, reader: FunctionCaseReader, place: Place, case: FunctionCaseFile, records: RecordReader
    ) -> None:
        span = records.document.span((*place, "name"))
        if not self._is_named(records.decoder, case.name, plan_name(case.function.upper()), span):
            return
        if self._functions is None:
            return
        function = self._functions.get(case.function.upper())
        if function is None:
            names = [f.name for f in self._functions.values()]
            known = f"the functions are {listing(names)}" if names else "the project has no functions of its own"
            help = did_you_mean(case.function, names) or known
            records.report("LSQ489", f"unknown function '{case.function}'", (*place, "function"), help=help)
            return
        name = plan_name(function.name)
        plan = self.plans.get(name) or plan_of(function)
        if plan is None:
            self.skipped.append(SkippedCase(name, case.name, span))
            return
        self.plans[name] = plan
        before = len(records.decoder.diagnostics)
        loaded, expect = reader.read(place, case, function)
        if before == len(records.decoder.diagnostics):
            self.cases.append(LoadedCase(name, loaded, span, expect, golden=False, of_function=True))

    def _is_named(self, decoder: Decoder, name: str, model: str, span: Span) -> bool:
        if not _NAME.fullmatch(name):
            why = "the golden file is named after the case"
            help = "a name consists of letters A to Z, digits, '_', '-', '.' and spaces, with at most 100 characters"
            decoder.report("LSQ502", f"'{name}' is not a valid name of a case", span, notes=(why,), help=help)
            return False
        first = self._first.setdefault((model, file_stem(name).casefold()), span)
        if first is not span:
            notes = (
                f"the other one is at {first.path}:{first.line}:{first.column}",
                "the golden file is named after the case: letter case is ignored, and a space is replaced by '_'",
            )
            what = f"the function {model}" if model.endswith("()") else f"the model '{model}'"
            message = f"{what} has two cases '{name}'"
            decoder.report("LSQ503", message, span, notes=notes, help="rename one of them")
            return False
        return True
