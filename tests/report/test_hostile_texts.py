"""Hostile texts in every output: an independent reader of the format gets the text back, or finds it harmless."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from lsqlc.cli.otlp import observations
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.diagnostics.render import render
from lsqlc.golden.coverage import CoveredPoint, ModelCoverage
from lsqlc.lower.spark.evolution import Verdict
from lsqlc.plan.topic_changes import Change
from lsqlc.project.versions.comparison import ModelChange
from lsqlc.remote.run.events import Failed, Started
from lsqlc.report.command_result import CommandResult
from lsqlc.report.coverage_report import coverage_lcov
from lsqlc.report.csv_rows import csv_header, csv_lines
from lsqlc.report.diff_markdown import diff_markdown
from lsqlc.report.diff_report import Difference
from lsqlc.report.github import annotation_lines
from lsqlc.report.junit import junit_xml
from lsqlc.report.markdown import build_markdown
from lsqlc.report.metrics import Metric, exposition
from lsqlc.report.notebook import preformatted
from lsqlc.report.sarif import sarif_log
from lsqlc.report.site import _script
from lsqlc.report.tables import records_text
from lsqlc.types.data import STRING
from lsqlc.types.record import Facet, Record, Topic
from tests.each import each

TEXTS = (
    "a\x1b[2J\x1b]0;title\x07b", "a\rb", "a\nb", "a\x00b", "a\x9b31mb", "a\x7fb", "a\tb", "a\u2028b", "a\u202eb\u2066c",
    "a\u200fb", "::error file=x::gone", "x\n::set-output name=a::b", "x\n  ::add-mask::b", "##[error]x", "%0A::x",
    "# heading", "- item", "[a](http://x)", "![a](http://x)", "`code`", "```\n# x\n```", "~~~", "|a|b|", "<b>&amp;</b>",
    "@somebody", "<script>alert(1)</script>", "</script><script>x()", "<!-- -->", "--> x", "]]>", "<![CDATA[x]]>",
    "&lt;", '"quoted"', "it's", "=cmd()", "+1", "-1", "@x", "\t=1", "a,b;c", 'a","b', "\\", "\\n", 'a"} 1', "{}", "",
    " a ", "null",
)  # fmt: skip
# C0 and C1 controls but newline and tab, and what sets the direction of text.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_COMMAND = re.compile(r"^\s*(::|##\[)", re.MULTILINE)
TOPIC = Topic("t", Facet(STRING, "string"), Facet(STRING, "string"))


def _finding(text: str) -> Diagnostic:
    return Diagnostic(
        "LSQ201", f"unknown column '{text}'", Span(f"m/{text}.sql", 1, 1, 1, 2), (f"n {text}",), f"h {text}"
    )


def _terminal(text: str) -> None:
    shown = render(_finding(text), {f"m/{text}.sql": f"SELECT {text}"})
    assert not _CONTROLS.search(shown) and not _COMMAND.search(shown), shown


def _table(text: str) -> None:
    shown = records_text(TOPIC, [Record("t", text, text)], width=200)
    assert not _CONTROLS.search(shown) and len(shown.split("\n")) == 3, shown


def _annotation(text: str) -> None:
    (line,) = annotation_lines([_finding(text)])
    assert not re.search("[\r\n]", line) and line.count("::") >= 2
    properties, message = line.removeprefix("::error ").split("::", 1)
    assert all(re.fullmatch(r"\w+=[^:,\n]*", part) for part in properties.split(",")), properties
    assert not _CONTROLS.search(message)
    shown = re.sub("%0A", "\n", message).replace("%25", "%")
    assert not text.isprintable() or f"unknown column '{text}'" in shown


def _markdown(text: str) -> None:
    shown = build_markdown(CommandResult(None, diagnostics=[_finding(text)]), {}, command="build", ok=False)
    assert not _CONTROLS.search(shown)
    tokens = MarkdownIt("commonmark").parse(shown)
    assert [t.type for t in tokens if t.type in ("heading_open", "html_block", "fence", "code_block")] == [
        "html_block", "heading_open", "fence"]  # fmt: skip
    inline = [child for t in tokens for child in t.children or ()]
    assert {child.type for child in inline} <= {"text", "softbreak"}
    assert not any("unknown column" in child.content for child in inline)


def _junit(text: str) -> None:
    shown = junit_xml(CommandResult(None, diagnostics=[_finding(text)]), {}, command="build")
    root = ElementTree.fromstring(shown.encode())
    (error,) = root.iter("error")
    assert [e.tag for e in root.iter()] == ["testsuites", "testsuite", "testcase", "error"]
    assert not text.isprintable() or error.get("message") == f"unknown column '{text}'"


def _sarif(text: str) -> None:
    log = json.loads(json.dumps(sarif_log([_finding(text)], lsqlc="1")))
    (result,) = log["runs"][0]["results"]
    assert result["message"]["text"].startswith(f"unknown column '{text}'")


def _csv(text: str) -> None:
    rows = [csv_header(TOPIC, times=False), *csv_lines(TOPIC, [Record("t", text, text)], times=False)]
    shown = io.StringIO("\n".join(rows), newline="")
    assert list(csv.reader(shown)) == [["_key", "_value"], [text, text]]


def _json(text: str) -> None:
    for narrow in (True, False):
        assert json.loads(json.dumps({text: text}, ensure_ascii=narrow)) == {text: text}


def _metrics(text: str) -> None:
    shown = exposition([Metric("m", "gauge", "Help.", (((("topic", text),), 1.0),))])
    sample = r'm\{topic="((?:[^"\\\n]|\\["\\n])*)"\} 1\n'
    match = re.fullmatch(r"# HELP m Help\.\n# TYPE m gauge\n" + sample, shown)
    assert match is not None, shown
    assert re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], match[1]) == text


class _Elements(html.parser.HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def _notebook(text: str) -> None:
    page = _Elements()
    page.feed(preformatted(text))
    page.close()
    assert (page.elements, page.text) == (["pre"], text)


def _site(text: str) -> None:
    script = _script("site", {"text": text}).decode()
    page = _Elements()
    page.feed(f"<script>{script}</script><i>")
    assert page.elements == ["script", "i"] and page.text == script and not _CONTROLS.search(script)
    inner = script.removeprefix('lsqlc.take("site",JSON.parse(').removesuffix("));\n")
    assert json.loads(json.loads(inner)) == {"text": text}


def _comparison(text: str) -> None:
    """Its table has a row for the model, and nothing stands outside of code."""
    change = ModelChange(text, "modified", (Change("plan", text, text),), None, (text,))
    verdict = Verdict("continues", (text,))
    difference = Difference(change, verdict, schemas=(text,), functions=((text, "modified", "python"),))
    shown = diff_markdown([difference], against=text, ok=False)
    assert not _CONTROLS.search(shown)
    tokens = MarkdownIt("commonmark").enable("table").parse(shown)
    kinds = [t.type for t in tokens if t.type in ("heading_open", "html_block", "fence", "code_block", "tr_open")]
    assert kinds == ["html_block", "heading_open", "tr_open", "tr_open", "html_block", "fence", "html_block"], kinds
    assert len([t for t in tokens if t.type == "td_open"]) == 5
    inline = [child for t in tokens for child in t.children or ()]
    assert {child.type for child in inline} <= {"text", "softbreak", "html_inline"}
    html = [child.content for child in inline if child.type == "html_inline"]
    assert set(html) <= {"<code>", "</code>"}, html
    page = _Elements()
    page.feed("".join(t.content for t in tokens if t.type == "html_block"))
    assert page.elements == ["details", "summary", "code"]


def _openlineage(text: str) -> None:
    """An event of a query that failed, whose topics, columns, owner and errors are called so."""
    pytest.importorskip("openlineage.client", reason="openlineage-python is not installed")
    from openlineage.client.event_v2 import InputDataset, Job
    from openlineage.client.facet_v2 import schema_dataset, sql_job
    from openlineage.client.serde import Serde

    from lsqlc.report.openlineage import Flow, LineageEvents

    fields = [schema_dataset.SchemaDatasetFacetFields(text, text)]
    read = InputDataset("kafka://b:1", text, facets={"schema": schema_dataset.SchemaDatasetFacet(fields)})
    flow = Flow(Job("shop", text, {"sql": sql_job.SQLJobFacet(text)}), (read,), ())
    events = LineageEvents({text: flow}, lambda: uuid.UUID(int=1))
    events.of(Started(text, text, text, resumed=False), 0.0)
    (event,) = events.of(Failed(text, text, text, 1.0, (_finding(text),)), 1.0)
    line = Serde.to_json(event)
    assert len(line.splitlines()) == 1 and line.isascii()
    data = json.loads(line)
    assert (data["job"]["name"], data["job"]["facets"]["sql"]["query"], data["inputs"][0]["name"]) == (text,) * 3
    assert data["run"]["facets"]["errorMessage"]["message"] == f"unknown column '{text}'"


def _otlp(text: str) -> None:
    """A label of a metric, as the bytes that are sent."""
    pytest.importorskip("opentelemetry.sdk.metrics", reason="the OpenTelemetry SDK is not installed")
    encoder = pytest.importorskip("opentelemetry.exporter.otlp.proto.common.metrics_encoder")
    from opentelemetry.metrics import CallbackOptions, Observation
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    def observe(options: CallbackOptions) -> Iterator[Observation]:
        yield from observations(Metric("m", "gauge", "Help.", (((("topic", text),), 1.0),)))

    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    provider.get_meter("lsqlc").create_observable_gauge("m", [observe])
    sent = encoder.encode_metrics(reader.get_metrics_data()).SerializeToString()
    provider.shutdown()
    (resource,) = ExportMetricsServiceRequest.FromString(sent).resource_metrics
    (point,) = resource.scope_metrics[0].metrics[0].gauge.data_points
    assert [(a.key, a.value.string_value) for a in point.attributes] == [("topic", text)]


@dataclass(frozen=True, slots=True)
class Output:
    """A kind of output: its row of docs/reference/outputs.md, and the test of its rule for one text."""

    row: str
    holds: Callable[[str], None]


def _lcov(text: str) -> None:
    points = (
        CoveredPoint("condition", Span(f"m/{text}.sql", 3, 1, 3, 2), text, ("true", "false"), frozenset({"true"})),
    )
    shown = coverage_lcov([ModelCoverage(text, f"m/{text}.sql", 1, points)])
    assert not _CONTROLS.search(shown) and shown.count("\n") == 10 and shown.endswith("\nend_of_record\n"), shown


OUTPUTS = (
    Output("Findings in a terminal or a log", _terminal),
    Output("Tables of records", _table),
    Output("Annotations of GitHub", _annotation),
    Output("Markdown", _markdown),
    Output("Markdown of `lsqlc diff`", _comparison),
    Output("JUnit XML", _junit),
    Output("SARIF", _sarif),
    Output("lcov", _lcov),
    Output("CSV", _csv),
    Output("JSON", _json),
    Output("Metrics of Prometheus", _metrics),
    Output("Metrics as OTLP", _otlp),
    Output("Events of OpenLineage", _openlineage),
    Output("HTML of notebooks", _notebook),
    Output("The docs site and its lineage", _site),
)


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.row)
def test_no_text_breaks_an_output(output: Output) -> None:
    """Its reader finds what was written, and nothing else."""
    each("text", TEXTS)(output.holds)()


def test_what_is_said_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """The words of any command."""
    for text in TEXTS:
        Shell("show").say(f"'{text}' has no records")
        assert not _CONTROLS.search(capsys.readouterr().err)


def test_every_output_is_documented() -> None:
    """The page has a row for each, in the same order."""
    page = (Path(__file__).parents[2] / "docs/reference/outputs.md").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+?) \|", page, re.MULTILINE)
    assert rows[2:] == [output.row for output in OUTPUTS]
