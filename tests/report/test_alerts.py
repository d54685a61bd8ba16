"""Alert rules and the dashboard of a project: what follows from the plans, and what Prometheus makes of it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from lsqlc.lower.spark import lower
from lsqlc.lower.spark.state_bounds import StateBound, state_bound
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.discovery import load_project
from lsqlc.report.metrics import metric_heads
from lsqlc.report.operation.alerts import alert_settings, model_alerts, runbook_address
from lsqlc.report.operation.dashboard import dashboard_text
from lsqlc.report.operation.rules import rules_text
from tests.prometheus import program

MODELS = {
    "plain": "SELECT STREAM a FROM t;",
    "hourly": "SELECT STREAM a, COUNT(*) AS n FROM t WINDOW BY TUMBLE 1h GROUP BY a;",
    "hopping": "SELECT STREAM a, COUNT(*) AS n FROM t WINDOW BY HOP 1h, 20m GROUP BY a;",
    "session": "SELECT STREAM a, COUNT(*) AS n FROM t WINDOW BY SESSION 30m GROUP BY a;",
    "within": "SELECT STREAM x.a FROM t AS x INNER JOIN u AS y ON x._key = y._key WITHIN 2h;",
    "total": "SELECT STREAM a, COUNT(*) AS n FROM t GROUP BY a;",
    "letters": "SET error.policy = 'dlq';\nSET dead.letter.queue = 'bad';\nSELECT STREAM a FROM t;",
    "passing": "SET error.policy = 'continue';\nSELECT STREAM a FROM t;",
}
YAML = """topics:
  - {name: t, key: STRING, value: "a INT, l STRING"}
  - {name: u, key: STRING, value: "b INT"}
"""


def project(folder: Path, *, settings: str = "", models: str = "") -> Compilation:
    """A project of these models, with more settings of its own and of its models."""
    (folder / "models").mkdir(parents=True)
    (folder / "lsqlc.yml").write_text(f"name: shop\ndefaults: {{grace: 1h}}\n{settings}")
    (folder / "models" / "topics.yml").write_text(f"{YAML}models:\n  - name: plain\n{models}")
    for name, text in MODELS.items():
        (folder / "models" / f"{name}.sql").write_text(text)
    loaded = load_project(folder).project
    assert loaded is not None
    return compile_project(loaded)


def names(compilation: Compilation, model: str) -> set[str]:
    found = compilation.project.model(model)
    assert found is not None
    return {alert.name for alert in model_alerts(compilation, found)}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Compilation:
    return project(tmp_path_factory.mktemp("shop") / "shop")


H = 3_600_000


@pytest.mark.parametrize(
    ("model", "bound"),
    [
        ("plain", None),
        ("hourly", StateBound(2 * H, 1)),
        ("hopping", StateBound(2 * H, 3)),
        ("session", StateBound(H, 1)),
        ("within", StateBound(3 * H, 1)),
        ("total", None),
    ],
)
def test_the_plan_bounds_what_time_ends(shop: Compilation, model: str, bound: StateBound | None) -> None:
    """Windows and joins within a time, by their size and grace; a group without a window stays for ever."""
    assert [state_bound(stage) for stage in lower(shop.plans[model]).stages] == [bound]


def test_alerts_follow_from_the_plan(shop: Compilation) -> None:
    """Of letters only where a model writes them, of state only where one keeps it, by its bound if it has one."""
    common = {"LsqlcQueryFailed", "LsqlcNoProgress", "LsqlcLag", "LsqlcRestarts"}
    assert names(shop, "plain") == common
    assert names(shop, "hourly") == common | {"LsqlcStateAboveBound"}
    assert names(shop, "total") == common | {"LsqlcStateGrowth"}
    assert names(shop, "letters") == common | {"LsqlcLetters"}
    assert names(shop, "passing") == common | {"LsqlcBadRecords"}


def test_settings_of_the_project_and_of_a_model(tmp_path: Path) -> None:
    """A model changes what it names and keeps the rest; `false` turns an alert off."""
    settings = "alerts: {lag: 90s, restarts: false, severity: info, runbooks: 'https://docs.example.com/shop'}\n"
    models = "    owner: '{{ sales }}'\n    alerts: {lag: 2m, letters: 5}\n" \
             "  - name: total\n    alerts: {state: 500, progress: false, severity: critical}\n"  # fmt: skip
    compilation = project(tmp_path / "shop", settings=settings, models=models)
    assert not compilation.project.diagnostics
    rules = {
        (rule["labels"].get("model"), rule["alert"]): rule
        for group in yaml.safe_load(rules_text(compilation))["groups"]
        for rule in group["rules"]
    }
    assert rules["plain", "LsqlcLag"]["expr"] == 'lsqlc_query_lag_seconds{project="shop",model="plain"} > 120'
    assert rules["hourly", "LsqlcLag"]["expr"].endswith("> 90")
    assert rules["plain", "LsqlcLag"]["labels"]["owner"] == '{{ "{{" }} sales }}'
    assert rules["total", "LsqlcLag"]["labels"]["severity"] == "critical"
    assert rules["plain", "LsqlcLag"]["labels"]["severity"] == "info"
    assert rules["total", "LsqlcStateRows"]["expr"].endswith('query="total"} > 500')
    assert ("total", "LsqlcNoProgress") not in rules and ("plain", "LsqlcNoProgress") in rules
    assert not any(name == "LsqlcRestarts" for _, name in rules)
    assert rules["plain", "LsqlcLag"]["annotations"]["runbook_url"] == (
        "https://docs.example.com/shop/index.html#/model/plain/runbook"
    )


def test_a_runbook_is_on_the_site(shop: Compilation) -> None:
    """Whatever the address ends with."""
    model = shop.project.model("plain")
    assert model is not None
    settings = alert_settings(shop, model)
    assert runbook_address(settings, "plain") is None
    for address in ("https://x.example", "https://x.example/", "https://x.example/index.html"):
        settings = type(settings)(runbooks=address)
        assert runbook_address(settings, "a.b") == "https://x.example/index.html#/model/a.b/runbook"


@pytest.mark.parametrize(
    ("alerts", "said"),
    [
        ("{lag: 5}", "text or nothing, got a whole number"),
        ("{lag: soon}", "'soon' is not a duration"),
        ("{lag: true}", "is not a duration"),
        ("{progress: 10ms}", "shorter than a second"),
        ("{letters: -1}", "-1 is not a valid limit"),
        ("{state: true}", "true is not a valid limit"),
        ("{state: many}", "a whole number or nothing, got text"),
        ("{severity: high}", "'high' is not one of"),
        ("{lags: 5m}", "unknown key 'lags'"),
        ("{runbooks: docs/site}", "must be an address"),
        ("{runbooks: 'https://x.example/#a'}", "must be an address"),
        ("[]", "expected a mapping"),
    ],
)
def test_wrong_settings_are_reported(tmp_path: Path, alerts: str, said: str) -> None:
    """At their place, in the project's file; those of a model are read alike."""
    compilation = project(tmp_path / "shop", settings=f"alerts: {alerts}\n")
    assert said in " ".join(d.message for d in compilation.project.diagnostics)
    assert all(d.span is not None and d.span.path == "lsqlc.yml" for d in compilation.project.diagnostics)


def test_a_model_has_no_runbooks_of_its_own(tmp_path: Path) -> None:
    """The site is the project's."""
    compilation = project(tmp_path / "shop", models="    alerts: {runbooks: 'https://x.example'}\n")
    assert [d.code for d in compilation.project.diagnostics] == ["LSQ006"]


def test_rules_and_dashboard_only_name_metrics_that_there_are(shop: Compilation) -> None:
    """And the same project gives the same text."""
    known = {metric.name for metric in metric_heads()}
    for text in (rules_text(shop), dashboard_text(shop)):
        assert set(re.findall(r"\blsqlc_\w+", text)) <= known
    assert (rules_text(shop), dashboard_text(shop)) == (rules_text(shop), dashboard_text(shop))


TESTED = """  - name: fresh
    key: STRING
    value: 'id STRING'
    tests: [not_null: id, {condition: id > 'a', severity: warn}, freshness: 10m]
"""


def data_test_rules(folder: Path, target: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """The rules of the data tests of a project, by the name of the alert."""
    project(folder)
    topics = folder / "models/topics.yml"
    topics.write_text(topics.read_text().replace("topics:\n", f"topics:\n{TESTED}", 1))
    loaded = load_project(folder).project
    assert loaded is not None
    groups = yaml.safe_load(rules_text(compile_project(loaded), target=target))["groups"]
    found: dict[str, list[dict[str, Any]]] = {}
    for rule in next(group["rules"] for group in groups if group["name"] == "lsqlc shop: data tests"):
        found.setdefault(rule["alert"], []).append(rule)
    return found


def test_data_tests_have_alerts(shop: Compilation, tmp_path: Path) -> None:
    """By their severities, of the target that is asked for; a project without tests has none."""
    rules = data_test_rules(tmp_path / "shop", "prod")
    assert {name: [r["labels"]["severity"] for r in of] for name, of in rules.items()} == {
        "LsqlcDataTest": ["warning", "info"], "LsqlcDataCheck": ["warning", "info"], "LsqlcFreshness": ["warning"],
    }  # fmt: skip
    known = {metric.name for metric in metric_heads()} | {"lsqlc_check_failed"}
    for rule in (rule for of in rules.values() for rule in of):
        assert set(re.findall(r"\blsqlc_\w+", rule["expr"])) <= known
        assert rule["expr"].count('project="shop",target="prod"') == len(re.findall(r"\blsqlc_", rule["expr"]))
    assert "LsqlcDataTest" not in rules_text(shop)
    every = {"groups": [{"name": "tests", "rules": [rule for of in rules.values() for rule in of]}]}
    (tmp_path / "rules.yml").write_text(json.dumps(every))
    ran = promtool("check", "rules", "--lint-fatal", str(tmp_path / "rules.yml"))
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("alert", "series", "at", "fires"),
    [
        ("LsqlcDataTest", {'test_failures_total{S,topic="fresh",severity="error"}': "0x10 2x10"}, "12m", True),
        ("LsqlcDataTest", {'test_failures_total{S,topic="fresh",severity="error"}': "2x60"}, "5m", True),
        ("LsqlcDataTest", {'test_failures_total{S,topic="fresh",severity="error"}': "2x60"}, "40m", False),
        ("LsqlcDataTest", {'test_failures_total{S,topic="fresh",severity="error"}': "0x60"}, "5m", False),
        ("LsqlcDataCheck", {'check_failed{S,topic="fresh",severity="error"}': "0x5 1x10"}, "8m", True),
        ("LsqlcDataCheck", {'check_failed{S,topic="fresh",severity="error"}': "0x20"}, "8m", False),
        ("LsqlcFreshness", {'topic_newest_record_timestamp_seconds{S,topic="fresh"}': "60x60",
                            "run_start_timestamp_seconds{S}": "0x60",
                            'query_running{S,query="tests:fresh"}': "1x60"}, "20m", True),
        ("LsqlcFreshness", {'topic_newest_record_timestamp_seconds{S,topic="fresh"}': "60x60",
                            "run_start_timestamp_seconds{S}": "900x60",
                            'query_running{S,query="tests:fresh"}': "1x60"}, "20m", False),
        ("LsqlcFreshness", {"run_start_timestamp_seconds{S}": "0x60",
                            'query_running{S,query="tests:fresh"}': "1x60"}, "20m", True),
        ("LsqlcFreshness", {"run_start_timestamp_seconds{S}": "0x60"}, "20m", False),
        ("LsqlcFreshness", {'topic_newest_record_timestamp_seconds{S,topic="fresh"}': "0+60x60",
                            "run_start_timestamp_seconds{S}": "0x60",
                            'query_running{S,query="tests:fresh"}': "1x60"}, "20m", False),
    ],
)  # fmt: skip
def test_promtool_sees_when_data_tests_fail(
    tmp_path: Path, alert: str, series: dict[str, str], at: str, fires: bool
) -> None:
    """Counters that begin with failures too; a run that has just started has not read what is there."""
    of = data_test_rules(tmp_path / "shop")
    rules = {"groups": [{"name": "tests", "rules": [rule for each in of.values() for rule in each]}]}
    (tmp_path / "rules.yml").write_text(json.dumps(rules))
    run = 'project="shop",target="prod"'
    given = [{"series": f"lsqlc_{name.replace('S', run, 1)}", "values": values} for name, values in series.items()]
    query = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})'
    expected = [{"labels": "{}", "value": 1}] if fires else []
    test = {"interval": "1m", "input_series": given,
            "promql_expr_test": [{"expr": query, "eval_time": at, "exp_samples": expected}]}  # fmt: skip
    document = {"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": [test]}
    (tmp_path / "test.yml").write_text(json.dumps(document))
    ran = promtool("test", "rules", str(tmp_path / "test.yml"))
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_only_one_target_is_watched_on_request(shop: Compilation) -> None:
    """Every series of every expression has the label then."""
    for group in yaml.safe_load(rules_text(shop, target="prod"))["groups"]:
        for rule in group["rules"]:
            assert rule["expr"].count('{project="shop",target="prod"') == len(re.findall("lsqlc_", rule["expr"]))


def test_the_dashboard_is_of_the_project(shop: Compilation) -> None:
    """Panels stand apart, in two columns, and have numbers of their own."""
    dashboard = json.loads(dashboard_text(shop))
    places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in dashboard["panels"]]
    assert len(set(places)) == len(places) == len({p["id"] for p in dashboard["panels"]}) > 10
    assert {v["name"] for v in dashboard["templating"]["list"]} == {"source", "target", "model"}


def promtool(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program("promtool"), *words], text=True, capture_output=True, check=False)


def test_promtool_accepts_rules_and_queries(shop: Compilation, tmp_path: Path) -> None:
    """Those of the dashboard too, as recording rules."""
    rules = tmp_path / "rules.yml"
    rules.write_text(rules_text(shop))
    queries = [target["expr"] for panel in json.loads(dashboard_text(shop))["panels"] for target in panel["targets"]]
    recorded = [{"record": f"q{i}", "expr": q.replace("$__rate_interval", "1m")} for i, q in enumerate(queries)]
    (tmp_path / "queries.yml").write_text(json.dumps({"groups": [{"name": "q", "rules": recorded}]}))
    for file in (rules, tmp_path / "queries.yml"):
        checked = promtool("check", "rules", "--lint-fatal", str(file))
        assert checked.returncode == 0, checked.stdout + checked.stderr


def _series(metric: str, values: str, model: str, **labels: str) -> dict[str, str]:
    named = {"project": "shop", "target": "prod", "query": model, "model": model, "topic": model, **labels}
    texts = ",".join(f'{name}="{value}"' for name, value in named.items())
    return {"series": f"lsqlc_{metric}{{{texts}}}", "values": values}


@pytest.mark.parametrize(
    ("alert", "model", "series", "at", "fires"),
    [
        ("LsqlcQueryFailed", "plain", [("query_failed", "0x5 1x10", {})], "8m", True),
        ("LsqlcQueryFailed", "plain", [("query_failed", "0x5 1x1 0x10", {})], "8m", False),
        ("LsqlcNoProgress", "plain", [("query_last_progress_timestamp_seconds", "0x30", {}),
                                      ("query_running", "1x30", {})], "12m", True),
        ("LsqlcNoProgress", "plain", [("query_last_progress_timestamp_seconds", "0+60x30", {}),
                                      ("query_running", "1x30", {})], "12m", False),
        ("LsqlcNoProgress", "plain", [("query_last_progress_timestamp_seconds", "0x30", {}),
                                      ("query_running", "0x30", {})], "12m", False),
        ("LsqlcLag", "plain", [("query_lag_seconds", "0+60x30", {})], "12m", True),
        ("LsqlcLag", "plain", [("query_lag_seconds", "299x30", {})], "12m", False),
        ("LsqlcLetters", "letters", [("query_letters_total", "0x5 3x20", {})], "10m", True),
        ("LsqlcLetters", "letters", [("query_letters_total", "3x30", {})], "20m", False),
        ("LsqlcBadRecords", "passing", [("query_rows_dropped_total", "0x5 3x20", {"reason": "bad record"})], "10m",
         True),
        ("LsqlcBadRecords", "passing", [("query_rows_dropped_total", "0x5 3x20", {"reason": "null key"})], "10m",
         False),
        ("LsqlcRestarts", "plain", [("query_restarts_total", "0+1x30", {})], "20m", True),
        ("LsqlcRestarts", "plain", [("query_restarts_total", "0x5 2x60", {})], "30m", False),
        # 100 records a minute: in two hours 12,000.
        ("LsqlcStateAboveBound", "hourly", [("query_rows_read_total", "0+100x400", {}),
                                            ("query_state_rows", "0+100x400", {})], "390m", True),
        ("LsqlcStateAboveBound", "hourly", [("query_rows_read_total", "0+100x400", {}),
                                            ("query_state_rows", "12000x400", {})], "390m", False),
        # A topic without new records leaves its windows open: this is no reason to wake anybody.
        ("LsqlcStateAboveBound", "hourly", [("query_rows_read_total", "0+100x100 10000x300", {}),
                                            ("query_state_rows", "10000x400", {})], "390m", False),
        # Nothing is known of what was read before Prometheus looked.
        ("LsqlcStateAboveBound", "hourly", [("query_rows_read_total", "5000+1x100", {}),
                                            ("query_state_rows", "5000x100", {})], "90m", False),
        ("LsqlcStateGrowth", "total", [("query_state_rows", "10000+20x1600", {})], "1540m", True),
        ("LsqlcStateGrowth", "total", [("query_state_rows", "10000+1x1600", {})], "1540m", False),
    ],
)  # fmt: skip
def test_promtool_sees_when_alerts_fire(
    shop: Compilation, tmp_path: Path, alert: str, model: str, series: list[Any], at: str, fires: bool
) -> None:
    """A sample a minute; and that none fires before its reason holds for long enough."""
    (tmp_path / "rules.yml").write_text(rules_text(shop))
    found = shop.project.model(model)
    assert found is not None
    (rule,) = (a for a in model_alerts(shop, found) if a.name == alert)
    input = [_series(metric, values, model, **labels) for metric, values, labels in series]
    labels = {"severity": "warning", "project": "shop", "model": model, "target": "prod", "query": model,
              "topic": model, **series[0][2]}  # fmt: skip
    # What is compared are the alerts that fire; their annotations have the value.
    expression = f'ALERTS{{alertname="{alert}",alertstate="firing",model="{model}"}}'
    named = ",".join(f'{n}="{v}"' for n, v in sorted({**labels, "alertname": alert, "alertstate": "firing"}.items()))
    expected = [{"labels": f"ALERTS{{{named}}}", "value": 1}] if fires else []
    test = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": input,
                "promql_expr_test": [{"expr": expression, "eval_time": at, "exp_samples": expected}],
            }
        ],
    }
    assert rule.query in ("", model)
    (tmp_path / "test.yml").write_text(json.dumps(test))
    checked = promtool("test", "rules", str(tmp_path / "test.yml"))
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_promtool_sees_that_a_run_is_absent(shop: Compilation, tmp_path: Path) -> None:
    """Where the series ends, and where a textfile says that none holds the project."""
    (tmp_path / "rules.yml").write_text(rules_text(shop))
    labels = {"severity": "warning", "project": "shop"}
    said = {"summary": "no run of the project shop",
            "description": "Prometheus has seen no run of the project shop for 10m."}  # fmt: skip
    alerts = [{"exp_labels": labels, "exp_annotations": said}]
    tests = [
        {
            "interval": "1m",
            "input_series": [{"series": 'lsqlc_run_up{project="shop",target="prod"}', "values": values}],
            "alert_rule_test": [{"eval_time": at, "alertname": "LsqlcRunAbsent", "exp_alerts": found}],
        }
        for values, at, found in (
            ("1x60", "40m", []), ("1x10 _x60", "40m", alerts), ("1x10 0x60", "40m", alerts), ("1x10 0x60", "15m", []),
        )
    ]  # fmt: skip
    test = {"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": tests}
    (tmp_path / "test.yml").write_text(json.dumps(test))
    checked = promtool("test", "rules", str(tmp_path / "test.yml"))
    assert checked.returncode == 0, checked.stdout + checked.stderr
