"""A build as JUnit XML, in the dialect of CI servers.

Each model is a test suite, with a test case for its compilation and for each golden file. Diagnostics without a model
are in one test case of the suite `project`. A model that does not compile is an error, and so is a case that cannot be
evaluated. A difference from a golden file is a failure. A model is skipped if a model that it depends on has errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from lsqlc.diagnostics import Diagnostic, errors, order
from lsqlc.diagnostics.render import render_all
from lsqlc.golden.show import escaped, plural
from lsqlc.report.command_result import CommandResult
from lsqlc.report.text import failure_text

if TYPE_CHECKING:
    from lsqlc.golden.run import Result
    from lsqlc.project.build.compile import ModelBuild

# Characters that XML 1.0 cannot contain, not even as references (section 2.2).
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(command_result: CommandResult, sources: Mapping[str, str], *, command: str) -> str:
    """Return the document. `sources`: texts by path, for diagnostics."""
    compilation, run = command_result.compilation, command_result.run
    root = Element("testsuites", name=f"lsqlc {command}")
    builds = dict(compilation.models) if compilation else {}
    own = {d for build in builds.values() for d in build.diagnostics}
    all_diagnostics = order((*(compilation.diagnostics if compilation else ()), *command_result.diagnostics))
    _project(root, [d for d in all_diagnostics if d not in own], sources)
    results: dict[str, list[Result]] = {}
    for result in run.results if run else ():
        results.setdefault(result.model, []).append(result)
    paths = {m.name: m.path for m in compilation.project.models} if compilation else {}
    for name, build in builds.items():
        # Models upstream of the selection are compiled as well, and reported only if they fail.
        if (compilation and name in compilation.selected) or build.status in ("failed", "skipped"):
            suite = _suite(root, name)
            _compilation(suite, build, paths[name], sources)
            _results(suite, name, results.pop(name, ()), sources)
    for name, rest in results.items():
        _results(_suite(root, name or "golden"), name or "golden", rest, sources)
    for suite in root:
        _count(suite, suite.findall("testcase"))
        if command_result.started:
            suite.set("timestamp", command_result.started)
    _count(root, root.findall("*/testcase"))
    if command_result.seconds is not None:
        root.set("time", f"{command_result.seconds:.3f}")
    indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _project(root: Element, diagnostics: Sequence[Diagnostic], sources: Mapping[str, str]) -> None:
    case = _case(_suite(root, "project"), "project", "project files", None)
    _findings(case, diagnostics, sources)


def _compilation(suite: Element, build: ModelBuild, path: str, sources: Mapping[str, str]) -> None:
    case = _case(suite, build.name, "compilation", path)
    if build.status == "skipped":
        reason = "; ".join(d.message for d in build.diagnostics) or "a model that it needs has errors"
        SubElement(case, "skipped", message=_fit(reason))
    else:
        _findings(case, build.diagnostics, sources)


def _findings(case: Element, diagnostics: Sequence[Diagnostic], sources: Mapping[str, str]) -> None:
    wrong = errors(diagnostics)
    if wrong:
        more = f", and {plural(len(wrong) - 1, 'more error')}" if len(wrong) > 1 else ""
        error = SubElement(case, "error", type=wrong[0].code, message=_fit(wrong[0].message + more))
        error.text = _fit(render_all(diagnostics, sources))
    elif diagnostics:
        SubElement(case, "system-out").text = _fit(render_all(diagnostics, sources))


def _results(suite: Element, model: str, results: Iterable[Result], sources: Mapping[str, str]) -> None:
    for result in results:
        name = {"case": result.name, "plan": "plan", "orphan": f"orphaned golden file {result.name}"}[result.kind]
        case = _case(suite, model, name, result.span.path if result.span else result.path)
        if result.span:
            case.set("line", str(result.span.line))
        if not result.ok:
            first = result.diagnostics[0] if result.diagnostics else None
            kind = "error" if result.status == "error" else "failure"
            failure = SubElement(case, kind, type=first.code if first else result.status)
            failure.set("message", _fit(first.message if first else result.status))
            failure.text = _fit(failure_text(result, sources))


def _suite(root: Element, name: str) -> Element:
    return SubElement(root, "testsuite", name=_fit(name))


def _case(suite: Element, model: str, name: str, path: str | None) -> Element:
    case = SubElement(suite, "testcase", classname=_fit(f"lsqlc.{model}"), name=_fit(name))
    if path is not None:
        case.set("file", _fit(path))
    return case


def _count(element: Element, cases: Sequence[Element]) -> None:
    element.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))


def _fit(text: str) -> str:
    return _FORBIDDEN.sub(lambda match: escaped(match[0]), text)
