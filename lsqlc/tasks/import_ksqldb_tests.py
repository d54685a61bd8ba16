"""A project of ksqlDB's functional tests: each program is a model, each test a case.

A program stays whole, since a test gives records to its sources and looks at what any of its queries write. Tests of
one program are cases of one model. Where two programs write the same topic, each is a project of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lsqlc.diagnostics import Diagnostic
from lsqlc.golden.case_writer import WrittenCase, cases_yaml
from lsqlc.golden.snapshot import plan_path
from lsqlc.imports.imported import REPORT, Imported, ImportedModel, Omitted
from lsqlc.imports.ksqldb.functional_tests import KsqlTest
from lsqlc.imports.ksqldb.project_file import OF_KSQLDB, ksql_config, sets_policy
from lsqlc.imports.ksqldb.records import expected_record, final_rows, input_record
from lsqlc.imports.ksqldb.statements import Script, Statement, cut, defined
from lsqlc.plan.plan import Plan
from lsqlc.report.import_report import import_markdown
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.tasks.import_models import compiled_models
from lsqlc.tasks.new_files import check_free, project_name, write_project
from lsqlc.tasks.scaffold import shared_files

_CASES = "tests/ksqldb.yml"


def import_tests(source: str, tests: Sequence[KsqlTest], folder: str) -> tuple[tuple[str, Imported], ...]:
    """Write the project into a folder, or one project for each program into folders of it; each with its folder.

    Raises LsqlcError LSQ060 if a file would be overwritten: then none is written.
    """
    programs: dict[str, list[KsqlTest]] = {}
    for test in tests:
        programs.setdefault(test.statements, []).append(test)
    groups = list(programs.values())
    names = _names([group[0].name for group in groups])
    if _written_twice(groups):
        parts = [(f"{folder}/{name}", {name: group}) for name, group in zip(names, groups, strict=True)]
    else:
        parts = [(folder, dict(zip(names, groups, strict=True)))]
    for place, _ in parts:
        check_free(place, _base(place))
    made = [(place, *_project(source, place, group)) for place, group in parts]
    for place, _, files in made:
        check_free(place, files)
    for place, _, files in made:
        write_project(place, files)
    return tuple((place, done) for place, done, _ in made)


def _project(source: str, folder: str, programs: Mapping[str, Sequence[KsqlTest]]) -> tuple[Imported, dict[str, str]]:
    files = _base(folder)
    drafted, omitted = [], []
    for name, tests in programs.items():
        model, left_out = _model(name, tests[0])
        drafted.append(model)
        omitted += left_out
    models, compilation = compiled_models(drafted, files)
    cases: list[WrittenCase] = []
    found: list[Diagnostic] = []
    for model in models:
        plan = compilation.plans.get(model.name) if compilation is not None and model.is_supported else None
        for test in programs[model.name]:
            if plan is not None:
                case, said = _case(test, model, plan)
                cases += [case] if case is not None else []
                found += said
    done = Imported("ksqlDB's tests", source, models, (), tuple(omitted), tuple(found), cases=len(cases))
    files |= {m.path: m.text for m in models}
    if cases and compilation is not None:
        names = _case_names([case.name for case in cases])
        files[_CASES] = cases_yaml(replace(c, name=name) for c, name in zip(cases, names, strict=True))
        # A plan that nobody has seen would fail the first build.
        covered = {case.model for case in cases}
        files |= {plan_path("golden", n): plan.tree() for n, plan in compilation.plans.items() if n in covered}
    return done, {**files, REPORT: import_markdown(done)}


def _base(folder: str) -> dict[str, str]:
    name = project_name(folder)
    return {**shared_files(name), "lsqlc.yml": ksql_config(name, OF_KSQLDB)}


def _model(name: str, test: KsqlTest) -> tuple[ImportedModel, list[Omitted]]:
    """The program of a test, without requests to a server and settings of one, but with its error policy."""
    read = cut([Script(test.path, test.statements)], {})
    settings = [s for s in read.settings if not sets_policy(s)]
    requests = [*(s for s in read.statements if s.request), *settings]
    policies = [s for s in read.settings if sets_policy(s)]
    kept = [*policies, *(s for s in read.statements if s.request is None)]
    # What cannot be cut into statements is shown as it is.
    text = "\n\n".join(map(_written, kept)) + "\n" if not read.diagnostics else test.statements
    omitted = [Omitted(s.origin, s.shown, s.request or "it configures a server (LSQ803)") for s in requests]
    return ImportedModel(name, f"models/{name}.sql", text, tuple(s.origin for s in kept), ()), omitted


def _written(statement: Statement) -> str:
    parts = (statement.comment, defined(statement.variables).rstrip("\n"), statement.text)
    return "\n".join(part for part in parts if part)


def _case(test: KsqlTest, model: ImportedModel, plan: Plan) -> tuple[WrittenCase | None, list[Diagnostic]]:
    """The case of a test; None if its records are not those of the model's topics."""
    inputs = {t.name: t for t in plan.inputs}
    outputs = {t.name: t for t in plan.outputs}
    try:
        written = {r.topic for r in test.inputs} & outputs.keys() - inputs.keys()
        if written:
            raise ValueError(f"it gives records to '{min(written)}', which a query writes")
        read = [r for r in test.inputs if r.topic in inputs]
        arrivals = [{"topic": r.topic, **input_record(r, inputs[r.topic])} for r in read]
        expect = {}
        for name, topic in outputs.items():
            records = [expected_record(r, topic) for r in test.outputs if r.topic == name]
            is_table = plan.semantics[name] == "TABLE"
            expect[name] = final_rows(records) if is_table else records
    except ValueError as error:
        help = "write a case for it: see docs/how-to/cases.md"
        return None, [Diagnostic("LSQ534", f"the test '{test.name}' cannot be a case: {error}", help=help)]
    return WrittenCase(test.name, model.name, arrivals, expect, bool(plan.inserts)), []


def _case_names(given: Sequence[str]) -> list[str]:
    """Names that cases can have, each once: golden files are called after them."""
    found: list[str] = []
    for name in given:
        plain = " ".join(re.sub(r"[^A-Za-z0-9_ -]+", " ", name).split()).strip("- ")[:90].strip("- ") or "case"
        number, unique = 1, plain
        while unique.lower() in map(str.lower, found):
            number += 1
            unique = f"{plain} {number}"
        found.append(unique)
    return found


def _written_twice(groups: Sequence[Sequence[KsqlTest]]) -> bool:
    """Whether two programs write the same topic."""
    counts: Counter[str] = Counter()
    for group in groups:
        read = cut([Script(group[0].path, group[0].statements)], {})
        parsed = [s.parsed for s in read.statements]
        made = {ksql.topic_of(p) for p in parsed if isinstance(p, ksql.CreateAs)}
        counts.update(made | {p.target.text for p in parsed if isinstance(p, ksql.InsertSelect)})
    return any(count > 1 for count in counts.values())


def _names(given: Sequence[str]) -> list[str]:
    """A name for the model of each program, each once."""
    found: list[str] = []
    for name in given:
        stem = re.sub(r"\W+", "_", name).strip("_").lower() or "test"
        number, unique = 1, stem
        while unique in found:
            number += 1
            unique = f"{stem}_{number}"
        found.append(unique)
    return found
