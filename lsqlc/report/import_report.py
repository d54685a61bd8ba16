"""The result of an import, as lines for the terminal and as a Markdown file in the project."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

from lsqlc.diagnostics.render import render
from lsqlc.golden.show import plural
from lsqlc.imports.imported import REPORT, UNSUPPORTED, Imported, ImportedModel, merged_origins
from lsqlc.report.markdown import fenced


def import_summary(result: Imported, folder: str) -> str:
    """Return a short summary: imported parts, unsupported parts by reason, and the next steps."""
    return "\n".join(_summary(result, folder))


def _summary(result: Imported, folder: str) -> Iterator[str]:
    parts = [plural(len(result.supported), "model"), plural(len(result.topics), "topic")]
    parts += [plural(result.cases, "case")] if result.cases else []
    yield f"imported {', '.join(parts[:-1])} and {parts[-1]} into '{folder}'"
    unsupported = result.unsupported
    if unsupported:
        verb = "is" if len(unsupported) == 1 else "are"
        yield f"{plural(len(unsupported), 'model')} {verb} not supported: see {UNSUPPORTED}/"
    if result.omitted:
        verb = "has" if len(result.omitted) == 1 else "have"
        yield f"{plural(len(result.omitted), 'statement')} {verb} no place in a project"
    yield f"the report is in {REPORT}; next:"
    yield ""
    if folder != ".":
        yield f"  cd {shlex.quote(str(folder))}"
    yield "  lsqlc build"


def import_markdown(result: Imported) -> str:
    """Return the report: models, unsupported models with diagnostics, topics, and omitted statements."""
    return "\n".join(_markdown(result)) + "\n"


def _markdown(result: Imported) -> Iterator[str]:
    yield f"# Imported from {result.kind}"
    yield ""
    total = len(result.models)
    yield f"Made of {_code(result.source)}: {len(result.supported)} of {plural(total, 'model')} compile."
    for note in result.notes:
        yield ""
        yield note
    if result.supported:
        yield from _heading("Models")
        yield from _table(
            ("model", "writes", "reads", "from"),
            [(_code(m.path), _listed(m.writes), _listed(m.reads), merged_origins(m.origins)) for m in result.supported],
        )
    warned = [m for m in result.supported if m.diagnostics]
    if warned:
        yield from _heading("Findings")
        yield from _findings(result, warned)
    if result.unsupported:
        yield from _heading("Not supported")
        yield f"These files are in {_code(UNSUPPORTED + '/')}, which is not part of the project: correct one, and move"
        yield f"it to {_code('models/')}. {_code('lsqlc explain CODE')} says more about a code."
        yield ""
        counts = Counter(code for m in result.unsupported for code in {d.code for d in m.diagnostics if d.is_error})
        rows = [(code, str(count)) for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
        yield from _table(("code", "models"), rows)
        yield ""
        yield from _findings(result, result.unsupported)
    if result.topics:
        yield from _heading("Topics")
        topics = [
            (_code(t.name), t.formats, _count(t.partitions), _count(t.replicas), _code(t.written_by or ""))
            for t in result.topics
        ]
        yield from _table(("topic", "formats", "partitions", "replicas", "written by"), topics)
        if any(t.replicas for t in result.topics):
            yield ""
            yield f"The number of replicas is {_code('replication')} of a target in profiles.yml."
    if result.omitted:
        yield from _heading("Left out")
        yield from _table(("from", "statement", "why"), [(o.origin, _code(o.text), o.why) for o in result.omitted])
    if result.diagnostics:
        yield from _heading("Not read")
        yield fenced("\n\n".join(render(d, {}) for d in result.diagnostics), "text")


def _findings(result: Imported, models: Sequence[ImportedModel]) -> Iterator[str]:
    for model in models:
        yield f"### {_code(model.path)}"
        yield ""
        yield f"From {merged_origins(model.origins)}."
        yield ""
        yield fenced("\n\n".join(render(d, result.texts) for d in model.diagnostics), "text")
        yield ""


def _heading(text: str) -> Iterator[str]:
    yield ""
    yield f"## {text}"
    yield ""


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield f"|{' --- |' * len(headings)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _code(text: str) -> str:
    if not text:
        return ""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(_code, names))


def _count(count: int | None) -> str:
    return "" if count is None else str(count)
