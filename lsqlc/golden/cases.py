"""Case files: input records of a model, and optionally the expected output.

A case has `name`, `model`, and records in one of three forms:

- `inputs`: topics in order, with the records of each.
- `arrivals`: one list, if the order between topics matters.
- `batches`: a list of such lists. With `inputs` or `arrivals`, a list of sizes that add up to the number of records.

Two kinds of records precede them. With `inserts: true`, those of INSERT INTO ... VALUES in a ksqlDB program. Then those
of `fixtures`, which any case file may declare. `now` is the result of clock functions.

A record is `key`, `value`, `timestamp`. A record without a value is a tombstone; the default timestamp is 0. A field
that is left out has its value from `defaults`, else null; a field that the topic does not declare is an error. See
`record_reader`. The error policy of the model handles a record with `raw`, the unparsed text of the value, or
`raw_key`.

`expect` maps topics to their rows, or to assertions about them, see `assertions`. A row without `timestamp` matches any
timestamp. With `golden: false` there is no golden file.

A case with `function` instead of `model` tests one of the project's own functions (see `function_cases`). Files without
a top-level `cases` or `fixtures` are ignored.
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
from lsqlc.golden.case_records import Expected
from lsqlc.golden.function_cases import FunctionCaseFile, FunctionCaseReader, is_function_case
from lsqlc.golden.record_reader import Fixture, RecordReader
from lsqlc.golden.states import StateAssertion, read_states
from lsqlc.plan import Plan
from lsqlc.types.record import Case
from lsqlc.yaml.decode import Decoder, kind
from lsqlc.yaml.nodes import KeyPath, read_yaml

_YAML = (".yml", ".yaml")
# The top-level keys of a case file.
_TOP_KEYS = ("cases", "fixtures")
_TOP_KEY = re.compile(r"""^(?:\{\s*)?["']?([A-Za-z_-]+)["']?[ \t]*:""", re.MULTILINE)
# Valid file names on every system. The golden file has `_` for each space in the name of the case.
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_. -]{0,98}[A-Za-z0-9_-])?")


@dataclass(frozen=True, slots=True)
class LoadedCase:
    """A case that can be evaluated.

    `span`: its name in the case file. `batched`: the file has `batches`. `golden` False: it has no golden file, only
    expectations. `of_function`: it tests a function, and `model` is the name of the program that calls it. `places`:
    the position of each record; None or missing for records outside of case files.
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
    """A case of a model without a plan: the model was not selected, or has errors."""

    model: str
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class LoadedCases:
    """The cases of a project, in order of files and positions.

    `functions`: the programs that call the functions under test, by the `model` of their cases.
    """

    cases: tuple[LoadedCase, ...]
    skipped: tuple[SkippedCase, ...]
    diagnostics: tuple[Diagnostic, ...]
    functions: Mapping[str, Plan] = field(default_factory=dict)

    @property
    def places(self) -> tuple[tuple[Span, str, str], ...]:
        """Position, model and name of each case that has a name, in order."""
        cases = [(c.span, c.model, c.name) for c in self.cases] + [(c.span, c.model, c.name) for c in self.skipped]
        return tuple(sorted(cases, key=lambda case: (case[0].path, case[0].line, case[0].column)))

    @property
    def complete(self) -> bool:
        """Whether every case was read. Otherwise orphaned golden files cannot be detected."""
        return not any(d.is_error for d in self.diagnostics)


def file_stem(name: str) -> str:
    """Return the name of a case's golden file without `.jsonl`."""
    return name.replace(" ", "_")


def is_case_file(text: str) -> bool:
    """Return whether a YAML text has a top-level `cases` or `fixtures`. Fast: it does not parse YAML."""
    return any(match[1] in _TOP_KEYS for match in _TOP_KEY.finditer(text))


def load_cases(
    texts: Mapping[str, str],
    plans: Mapping[str, Plan],
    *,
    models: Collection[str] | None = None,
    functions: OwnFunctions | None = None,
) -> LoadedCases:
    """Read the cases in YAML texts, by path. Other texts are data files that cases may name.

    `plans`: the compiled models by name. `models`: the names of all models. `functions`: the project's own functions;
    None to ignore their cases. Never raises for bad input.
    """
    loader = _Loader(plans, frozenset(plans) | frozenset(models or ()), texts, functions)
    files = [loader.file(path, texts[path]) for path in sorted(texts) if path.endswith(_YAML)]
    for file in files:
        if file is not None:
            loader.cases_of(file)
    loader.idle_fixtures()
    return LoadedCases(tuple(loader.cases), tuple(loader.skipped), loader.findings(), loader.plans)


def cut(case: Case, count: int) -> Case:
    """Return the case with its records in at most `count` batches of nearly equal size, larger ones first."""
    records = case.records
    count = max(1, min(count, len(records)))
    size, more = divmod(len(records), count)
    return replace(case, batches=split(records, [size + (i < more) for i in range(count)]))


class _Loader:
    """Reads file after file, because names of cases are unique in the project."""

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
        """Return the reader of a case file after adding its fixtures; None for other files."""
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
            key_path = ("fixtures", name)
            if not isinstance(topics, dict):
                reader.decoder.wrong(key_path, f"expected records by topic, got {kind(topics)}")
                continue
            span = reader.document.key_span(key_path)
            first = self._fixtures.get(name)
            if first is not None:
                other = first.reader.document.key_span(first.key_path)
                notes = (f"the other one is at {other.path}:{other.line}:{other.column}",)
                message, help = f"duplicate fixture '{name}'", "rename one of them"
                reader.decoder.report("LSQ522", message, span, notes=notes, help=help)
                continue
            self._fixtures[name] = Fixture(reader, key_path, topics)
            self._check_topics(reader, key_path, topics)

    def _check_topics(self, reader: RecordReader, key_path: KeyPath, topics: Mapping[str, object]) -> None:
        """Report topics that no model reads. A model takes only the topics of a fixture that it reads."""
        if self._models - self._plans.keys():
            return
        inputs = {topic.name for plan in self._plans.values() for topic in plan.inputs}
        for name in topics:
            if name not in inputs:
                help = did_you_mean(name, inputs) or f"models read {listing(inputs)}"
                reader.report("LSQ506", f"no model reads '{name}'", (*key_path, name), key=True, help=help)

    def cases_of(self, records: RecordReader) -> None:
        """Read the cases of a file. The fixtures of all files must have been added."""
        decoder, document = records.decoder, records.document.data
        # Also fixtures of cases that have errors or whose model is not selected are in use.
        for item in document["cases"] if isinstance(document.get("cases"), list) else ():
            fixtures = item.get("fixtures") if isinstance(item, dict) else None
            self._named.update(
                n for n in (fixtures if isinstance(fixtures, list) else [fixtures]) if isinstance(n, str)
            )
        items = document.get("cases")
        if not isinstance(items, list):
            decoder.structs(("cases",), CaseFile, items)
            return
        for i, item in enumerate(items):
            key_path = ("cases", i)
            if is_function_case(item):
                of_function = decoder.struct(key_path, FunctionCaseFile, item)
                if of_function is not None:
                    self._function_case(FunctionCaseReader(records), key_path, of_function, records)
            elif (case := decoder.struct(key_path, CaseFile, item)) is not None:
                self._case(CaseReader(records, self._fixtures, document.get("defaults")), key_path, case)

    def idle_fixtures(self) -> None:
        """Report fixtures that no case uses, unless there are errors: a case with an error may use one."""
        if any(d.is_error for d in self.findings()):
            return
        for name, fixture in self._fixtures.items():
            if name not in self._named:
                self.diagnostics.append(
                    Diagnostic(
                        "LSQ861",
                        f"no case uses the fixture '{name}'",
                        fixture.reader.document.key_span(fixture.key_path),
                        help=f"name it in a case: `fixtures: {name}`, or remove it",
                        severity=Severity.WARNING,
                    )
                )

    def findings(self) -> tuple[Diagnostic, ...]:
        """Return all diagnostics."""
        return order((*self.diagnostics, *(d for decoder in self._decoders for d in decoder.diagnostics)))

    def _mistyped(self, path: str, text: str) -> None:
        for match in _TOP_KEY.finditer(text):
            if nearest(match[1], ["cases"]):
                line = text.count("\n", 0, match.start(1)) + 1
                column = match.start(1) - text.rfind("\n", 0, match.start(1))
                span = Span(path, line, column, line, column + len(match[1]))
                message = f"'{match[1]}' is an unknown key, so this file has no cases"
                self.diagnostics.append(Diagnostic("LSQ500", message, span, help="did you mean 'cases'?"))

    def _case(self, reader: CaseReader, key_path: KeyPath, case: CaseFile) -> None:
        span = reader.document.span((*key_path, "name"))
        if not self._is_named(reader.decoder, case.name, case.model, span):
            return
        if case.model not in self._models:
            available = f"the models are {listing(self._models)}" if self._models else "the project has no models"
            help = did_you_mean(case.model, self._models) or available
            where = reader.document.span((*key_path, "model"))
            reader.report("LSQ501", f"unknown model '{case.model}'", where, help=help)
            return
        plan = self._plans.get(case.model)
        if plan is None:
            self.skipped.append(SkippedCase(case.model, case.name, span))
            return
        # Errors of a fixture are reported in its own file.
        fixtures = (case.fixtures,) if isinstance(case.fixtures, str) else case.fixtures
        decoders = [reader.decoder, *(self._fixtures[n].reader.decoder for n in fixtures if n in self._fixtures)]
        before = [len(decoder.diagnostics) for decoder in decoders]
        arrivals = reader.batches(key_path, case, plan)
        now = reader.records.instant((*key_path, "now"), case.now)
        expect, assertions = reader.expected((*key_path, "expect"), case.expect or {}, plan)
        states = () if case.state is None else read_states(reader.decoder, (*key_path, "state"), case.state)
        if not case.golden and not case.expect and case.state is None:
            where = reader.document.key_span((*key_path, "golden"))
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
        self, reader: FunctionCaseReader, key_path: KeyPath, case: FunctionCaseFile, records: RecordReader
    ) -> None:
        span = records.document.span((*key_path, "name"))
        if not self._is_named(records.decoder, case.name, plan_name(case.function.upper()), span):
            return
        if self._functions is None:
            return
        function = self._functions.get(case.function.upper())
        if function is None:
            names = [f.name for f in self._functions.values()]
            available = f"the functions are {listing(names)}" if names else "the project has no functions of its own"
            help = did_you_mean(case.function, names) or available
            records.report("LSQ489", f"unknown function '{case.function}'", (*key_path, "function"), help=help)
            return
        name = plan_name(function.name)
        plan = self.plans.get(name) or plan_of(function)
        if plan is None:
            self.skipped.append(SkippedCase(name, case.name, span))
            return
        self.plans[name] = plan
        before = len(records.decoder.diagnostics)
        loaded, expect = reader.read(key_path, case, function)
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
