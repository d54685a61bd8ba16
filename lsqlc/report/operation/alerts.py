"""The alerts of a project, derived from the plans of its models: a PromQL query and a description each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from lsqlc.lower.spark import lower, unsupported
from lsqlc.lower.spark.state_bounds import StateBound, has_state, state_bound
from lsqlc.project.declared.alerting import AlertSettings, Severity, changed

if TYPE_CHECKING:
    from lsqlc.lower.spark.steps import Stage
    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Model

# The tolerance of state bounds: a bound is an average, and a run that catches up reads more records per time.
_FACTOR = 2
# An unbounded state is reported if it doubles within a day, unless it has fewer rows than this.
_SMALL = 10_000
_SECOND, _MINUTE, _HOUR, _DAY = 1, 60, 3600, 86_400


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert of the run (`model` empty), of one model, or of one of its queries.

    `expression`: PromQL with a series for each reported query. `wait`: seconds that it must hold. `summary` and
    `description`: templates of Prometheus. `meaning` and `steps`: the cause and the actions, as sentences for the
    runbook.
    """

    name: str
    model: str
    query: str
    expression: str
    wait: int
    severity: Severity
    summary: str
    description: str
    meaning: str
    steps: tuple[str, ...]


# Arguments: kind, query, seconds, effect, value, meaning, steps.
_Make = Callable[..., Alert]


def alert_settings(compilation: Compilation, model: Model) -> AlertSettings:
    """Return the thresholds of a model's alerts. Settings of the model override those of the project."""
    return changed(compilation.project.config.alerts, model.alerts)


def run_alerts(compilation: Compilation, target: str | None = None) -> tuple[Alert, ...]:
    """Return the alerts of the run as a whole. `target`: None for any."""
    config = compilation.project.config
    labels = selector({"project": config.name, **({"target": target} if target else {})})
    wait = config.alerts.progress
    if wait is None:
        return ()
    return (
        Alert(
            "LsqlcRunAbsent",
            "",
            "",
            f"absent(lsqlc_run_up{labels} == 1)",
            wait,
            config.alerts.severity,
            f"no run of the project {config.name}",
            f"Prometheus has seen no run of the project {config.name} for {duration_text(wait)}.",
            "No process serves the metrics of a run: it has ended, it was killed, or Prometheus cannot reach it.",
            ("`lsqlc status` says how the last run ended", "`lsqlc run --continuous` continues from the checkpoints"),
        ),
    )


def model_alerts(compilation: Compilation, model: Model, target: str | None = None) -> tuple[Alert, ...]:
    """Return the alerts of a model; none if it has errors or Spark cannot run it."""
    plan = compilation.plans.get(model.name)
    return tuple(_of_model(compilation, model, plan, target)) if plan and not unsupported(plan) else ()


def runbook_address(settings: AlertSettings, model: str) -> str | None:
    """Return the address of a model's runbook on the docs site; None if the site's address is not configured."""
    if settings.runbooks is None:
        return None
    site = settings.runbooks.removesuffix("index.html")
    return f"{site}{'' if site.endswith('/') else '/'}index.html#/model/{quote(model, safe='')}/runbook"


def selector(labels: Mapping[str, str]) -> str:
    """Return labels as a PromQL selector: `{model="a"}`."""
    texts = (f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{','.join(texts)}}}"


def duration_text(seconds: int) -> str:
    """Return a duration as Prometheus writes it, in the largest exact unit.

    >>> duration_text(300), duration_text(90), duration_text(86400), duration_text(0)
    ('5m', '90s', '1d', '0s')
    """
    units = ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m"), (_SECOND, "s"))
    return next(f"{seconds // size}{unit}" for size, unit in units if seconds % size == 0 and (seconds or size == 1))


def _of_model(compilation: Compilation, model: Model, plan: Plan, target: str | None) -> Iterator[Alert]:
    settings = alert_settings(compilation, model)
    name, severity = model.name, settings.severity
    project = compilation.project.config.name
    labels = selector({"project": project, **({"target": target} if target else {}), "model": name})

    def alert(
        kind: str, expression: str, wait: int, effect: str, value: str, meaning: str, *steps: str, query: str = ""
    ) -> Alert:
        description = f"The query {{{{ $labels.query }}}} of the model {name} {effect}: {value}."
        summary = f"{name} {effect}"
        return Alert(f"Lsqlc{kind}", name, query, expression, wait, severity, summary, description, meaning, steps)

    yield alert(
        "QueryFailed", f"lsqlc_query_failed{labels} == 1", 2 * _MINUTE, "has failed",
        "it waits to be restarted or is lost",
        "A query has failed and has not been running since. While a run holds it, it is restarted from its checkpoint; "
        "nothing is lost or duplicated.",
        "`lsqlc status` shows the failure with its code, and `lsqlc explain CODE` says more",
        "a failure that no restart mends ends the run: mend what the code names, then `lsqlc run --continuous`",
    )  # fmt: skip
    if settings.progress is not None:
        limit = settings.progress
        yield alert(
            "NoProgress",
            f"time() - lsqlc_query_last_progress_timestamp_seconds{labels} > {limit}"
            f" and lsqlc_query_running{labels} == 1",
            _MINUTE, f"has made no progress for {duration_text(limit)}",
            "the last sign of it is {{ $value | humanizeDuration }} old",
            "The query runs, and has neither ended a batch nor found that there is nothing to read. A batch is too "
            "large, or the server has no room for it.",
            "look at the query in the web page of the Spark server: a batch that is under way has jobs there",
            "`lsqlc stop` and `lsqlc run --continuous` start the batch again",
        )  # fmt: skip
    if settings.lag is not None:
        limit = settings.lag
        yield alert(
            "Lag", f"lsqlc_query_lag_seconds{labels} > {limit}", 5 * _MINUTE,
            f"is more than {duration_text(limit)} behind its topics", "{{ $value | humanizeDuration }}",
            "More records come than the query reads, or it was stopped and catches up. Topics in folders have no lag.",
            "`lsqlc status` shows the rows per second and the records that are left",
            "more processors or partitions, or a larger `offsets_per_batch` of the target, let it read faster",
        )  # fmt: skip
    if settings.letters is not None:
        yield from _bad_records(plan, settings.letters, labels, alert)
    if settings.restarts is not None:
        yield alert(
            "Restarts", f"increase(lsqlc_query_restarts_total{labels}[1h]) > {settings.restarts}", 0,
            "is restarted again and again", "{{ $value | printf \"%.0f\" }} restarts within an hour",
            "The query loses its worker or its executor again and again, and continues from its checkpoint each time.",
            "`lsqlc status` shows the last failure; a machine without memory or processors is the usual reason",
        )  # fmt: skip
    if settings.state is not None:
        for stage in lower(plan).stages:
            if has_state(stage):
                of_query = labels[:-1] + "," + selector({"query": stage.name})[1:]
                yield _state(stage, settings.state, of_query, partial(alert, query=stage.name))


def _bad_records(plan: Plan, limit: int, labels: str, alert: _Make) -> Iterator[Alert]:
    """Yield the alerts about records that cannot be read, depending on the error policy.

    With `fail` the query fails.
    """
    if plan.dead_letters is not None:
        topic = plan.dead_letters.name
        yield alert(
            "Letters", f"increase(lsqlc_query_letters_total{labels}[15m]) > {limit}", 0,
            f"writes records that it cannot read to {topic}", "{{ $value | printf \"%.0f\" }} within 15 minutes",
            f"Records could not be read, and were written to the dead-letter topic '{topic}' with the reason.",
            f"`lsqlc letters list {topic}` counts them by reason, `lsqlc letters show {topic}` has the records",
            f"mend the producer or the schema; then `lsqlc letters replay {topic} --all` writes the records again",
        )  # fmt: skip
    elif plan.policy == "continue":
        reason = selector({"reason": "bad record"})[1:]
        yield alert(
            "BadRecords",
            f"increase(lsqlc_query_rows_dropped_total{labels[:-1]},{reason}[15m]) > {limit}",
            0, "drops records that it cannot read", "{{ $value | printf \"%.0f\" }} within 15 minutes",
            "Records could not be read, and were passed over and counted, as the error policy of the model says.",
            "the error policy 'dlq' keeps such records with the reason, in a topic of dead letters",
        )  # fmt: skip


def _state(stage: Stage, limit: int | str, labels: str, alert: _Make) -> Alert:
    contents = "; ".join(stage.state)
    bound = state_bound(stage)
    rows = f"lsqlc_query_state_rows{labels}"
    value = "{{ $value | humanize }} rows"
    refresh = "`lsqlc plan` names what a rebuild costs, before a changed model drops its state"
    if isinstance(limit, int):
        effect = f"keeps more than {limit:,} rows of state"
        meaning = f"The state is above the limit that the project sets. It keeps {contents}. {_growth(bound)}"
        return alert("StateRows", f"{rows} > {limit}", 5 * _MINUTE, effect, value, meaning, refresh)
    if bound is None:
        expression = f"{rows} > 2 * ({rows} offset 1d) and {rows} > {_SMALL}"
        effect = "keeps twice the state of a day ago"
        meaning = f"It keeps {contents}. {_growth(bound)} It has doubled within a day."
        return alert(
            "StateGrowth", expression, _HOUR, effect, f"{value}; the plan does not bound them", meaning, refresh,
            "set `alerts: {state: ROWS}` of the model where a limit is known",
        )  # fmt: skip
    horizon = duration_text(max(1, -(-bound.horizon // 1000)))
    read = f"lsqlc_query_rows_read_total{labels}"
    times = _FACTOR * bound.rows_per_record
    expression = (
        f"{rows} > {times} * increase({read}[{horizon}]) and increase({read}[15m]) > 0 and {rows} offset {horizon} >= 0"
    )
    effect = "keeps more state than its plan allows"
    meaning = f"It keeps {contents}. {_growth(bound)} There are more than {_FACTOR} times as many."
    return alert(
        "StateAboveBound", expression, 15 * _MINUTE, effect, value, meaning,
        "a source without new records holds the watermark back: compare the newest times of the topics that are read",
        "records with times in the future or far in the past keep windows open; `lsqlc show TOPIC --tail` shows them",
    )  # fmt: skip


def _growth(bound: StateBound | None) -> str:
    if bound is None:
        return "The plan does not bound it: it grows with the keys."
    time = duration_text(max(1, -(-bound.horizon // 1000)))
    each = "a row" if bound.rows_per_record == 1 else f"{bound.rows_per_record} rows"
    return f"By the plan it has at most {each} for each record of the last {time}."


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
