"""The queries of a run as OpenLineage events: jobs, datasets with schemas, and column lineage from the plans.

A query is a job, and each start of it a run of the job. A topic is a dataset with an OpenLineage name:
`kafka://HOST:PORT` and the topic, or `file` and the path of the folder. Topics between the queries of one model are not
datasets: a query that reads one has the inputs of that topic. So a backend shows the graph of the project. Columns that
determine the records of a topic, such as those of a filter, are in the dataset's facet once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    DatasetFacet,
    JobFacet,
    OutputDatasetFacet,
    RunFacet,
    column_lineage_dataset,
    documentation_job,
    error_message_run,
    job_type_job,
    output_statistics_output_dataset,
    ownership_job,
    schema_dataset,
    sql_job,
)

from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.lower.spark.steps import FileSource
from lsqlc.plan.lineage import Column, TopicLineage, Use, lineage, places
from lsqlc.remote.run.detached_run import DetachedQuery
from lsqlc.remote.run.events import Event, Failed, QuerySummary, RestartingQuery, Started, Waiting
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Topic

if TYPE_CHECKING:
    from lsqlc.lower.spark.steps import SparkPlan
    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Model

PRODUCER = "urn:lsqlc"
# Seconds between two RUNNING events of a query, because backends store each of them.
_INTERVAL = 60.0
# Returns the namespace and the name of a topic's dataset.
Naming = Callable[[str], tuple[str, str]]

# OpenLineage's terms for indirect uses. It has none for keys.
_INDIRECT: Mapping[Use, tuple[str | None, str]] = {
    "filter": ("FILTER", "decides whether a record is there"),
    "key": (None, "decides which records meet or replace each other"),
    "order": ("SORT", "is the time of the records"),
}


@dataclass(frozen=True, slots=True)
class Flow:
    """The constant part of a query's events: its job, and its input and output datasets."""

    job: Job
    inputs: tuple[InputDataset, ...]
    outputs: tuple[OutputDataset, ...]


def flows(
    compilation: Compilation, spark_plans: Mapping[str, SparkPlan], naming: Naming, namespace: str
) -> dict[str, Flow]:
    """Return the flow of each query of the models, by name. `namespace`: of the jobs."""
    by_query: dict[str, Flow] = {}
    for model in compilation.project.models:
        plan = compilation.plans.get(model.name)
        if plan is not None and model.name in spark_plans:
            by_query |= _flows(model, plan, spark_plans[model.name], naming, namespace)
    return by_query


def _flows(model: Model, plan: Plan, spark_plan: SparkPlan, naming: Naming, namespace: str) -> dict[str, Flow]:
    topics = {topic.name: topic for topic in (*plan.inputs, *plan.outputs)}
    lineages = {each.topic: each for each in lineage(plan)}
    sources: dict[str, tuple[str, ...]] = {}
    by_query: dict[str, Flow] = {}
    for stage in spark_plan.stages:
        read = [name for source in stage.sources for name in source.topics]
        read += [step.topic for step in stage.steps if isinstance(step, FileSource)]
        origins = tuple(dict.fromkeys(n for name in read for n in sources.get(name, (name,))))
        output = stage.write.topic
        sources[output] = origins if output.startswith(INTERNAL) else (output,)
        outputs = tuple(_output(topics[name], lineages.get(name), naming) for name in (output,) if name in topics)
        inputs = tuple(_input(topics[name], naming) for name in origins if name in topics)
        by_query[stage.name] = Flow(Job(namespace, stage.name, _job_facets(model)), inputs, outputs)
    return by_query


def _job_facets(model: Model) -> dict[str, JobFacet]:
    facets: dict[str, JobFacet] = {
        "jobType": job_type_job.JobTypeJobFacet("STREAMING", "LSQLC", "QUERY", producer=PRODUCER),
        "sql": sql_job.SQLJobFacet(model.text or model.raw, producer=PRODUCER),
    }
    if model.owner:
        facets["ownership"] = ownership_job.OwnershipJobFacet([ownership_job.Owner(model.owner)], producer=PRODUCER)
    if model.description:
        facets["documentation"] = documentation_job.DocumentationJobFacet(model.description, producer=PRODUCER)
    return facets


def _input(topic: Topic, naming: Naming) -> InputDataset:
    namespace, name = naming(topic.name)
    return InputDataset(namespace, name, facets=_schema(topic))


def _output(topic: Topic, topic_lineage: TopicLineage | None, naming: Naming) -> OutputDataset:
    namespace, name = naming(topic.name)
    facets = _schema(topic)
    if topic_lineage is not None:
        facets["columnLineage"] = _column_lineage(topic_lineage, naming)
    return OutputDataset(namespace, name, facets=facets)


def _schema(topic: Topic) -> dict[str, DatasetFacet]:
    fields = [
        schema_dataset.SchemaDatasetFacetFields(field_name(name), str(_at(topic, facet, path)))
        for name, facet, path in places(topic)
    ]
    return {"schema": schema_dataset.SchemaDatasetFacet(fields, producer=PRODUCER)}


def _at(topic: Topic, facet: Literal["key", "value"], path: tuple[str, ...]) -> DataType:
    type = (topic.key if facet == "key" else topic.value).type
    for step in path:
        assert isinstance(type, Struct), "the path of a column leads through structs"
        inner = type.field(step)
        assert inner is not None, "the path of a column is one of its topic"
        type = inner.type
    return type


def _column_lineage(topic_lineage: TopicLineage, naming: Naming) -> column_lineage_dataset.ColumnLineageDatasetFacet:
    fields = {
        field_name(name): column_lineage_dataset.Fields([_source(c, naming, (_step("DIRECT"),)) for c in from_columns])
        for name, from_columns in topic_lineage.columns.items()
        if from_columns
    }
    decide = [
        _source(each.column, naming, tuple(_step("INDIRECT", *_INDIRECT[use]) for use in each.uses if use in _INDIRECT))
        for each in topic_lineage.records
    ]
    return column_lineage_dataset.ColumnLineageDatasetFacet(fields, decide, producer=PRODUCER)


def _step(
    type: str, subtype: str | None = None, description: str | None = None
) -> column_lineage_dataset.Transformation:
    return column_lineage_dataset.Transformation(type, subtype, description)


def _source(
    column: Column, naming: Naming, steps: Iterable[column_lineage_dataset.Transformation]
) -> column_lineage_dataset.InputField:
    namespace, name = naming(column.topic)
    return column_lineage_dataset.InputField(namespace, name, field_name(column.name), list(steps))


def field_name(column: str) -> str:
    """Return the name of a column as a dataset field. Fields of the value have no prefix.

    >>> field_name("_value.a.b"), field_name("_key.a"), field_name("_value"), field_name("_value._key")
    ('a.b', '_key.a', '_value', '_value._key')
    """
    bare = column.removeprefix("_value.")
    return column if bare.startswith(("_key", "_value")) else bare


@dataclass(slots=True)
class _Open:
    """An open run of a job: its id, the number of records written, and the time of its last event."""

    id: str
    written: int = 0
    reported: float = 0.0


@dataclass(slots=True)
class LineageEvents:
    """Converts events of a run to OpenLineage events. `new_id` returns the id of a new run."""

    flows: Mapping[str, Flow]
    new_id: Callable[[], UUID]
    _open: dict[str, _Open] = field(default_factory=dict)
    _failed: bool = False

    def of(self, event: Event, now: float) -> tuple[RunEvent, ...]:
        """Return the OpenLineage events for an event. `now`: seconds since 1970.

        A start of a query with an open run ends that run first, because its server was lost.
        """
        match event:
            case Started() if event.query in self.flows:
                aborted = self._end(event.query, RunState.ABORT, now)
                self._open[event.query] = _Open(str(self.new_id()), reported=now)
                return (*aborted, self._event(event.query, RunState.START, now))
            case BatchProgress() if (run := self._open.get(event.query)) is not None:
                run.written += event.written or 0
                if now - run.reported < _INTERVAL:
                    return ()
                run.reported = now
                return (self._event(event.query, RunState.RUNNING, now),)
            case RestartingQuery(failures=0):
                # It waits for the server's clock, and has not failed.
                return ()
            case RestartingQuery() | Failed():
                self._failed = self._failed or (isinstance(event, Failed) and event.ends_run)
                why = "; ".join(d.message for d in event.found)
                return self._end(event.query, RunState.FAIL, now, why)
            case Waiting():
                return self._end(event.query, RunState.ABORT, now)
            case QuerySummary():
                # After a permanent failure, the other queries are stopped.
                state = RunState.COMPLETE if event.finished or not self._failed else RunState.ABORT
                return self._end(event.query, state, now)
            case DetachedQuery():
                # The query continues, but nothing reports its end.
                self._open.pop(event.query, None)
        return ()

    def close(self, now: float) -> tuple[RunEvent, ...]:
        """Return the events at the end of the run. Runs that are still open are aborted."""
        return tuple(e for query in list(self._open) for e in self._end(query, RunState.ABORT, now))

    def _end(self, query: str, state: RunState, now: float, why: str = "") -> tuple[RunEvent, ...]:
        if query not in self._open:
            return ()
        event = self._event(query, state, now, why)
        del self._open[query]
        return (event,)

    def _event(self, query: str, state: RunState, now: float, why: str = "") -> RunEvent:
        flow, run = self.flows[query], self._open[query]
        statistics: dict[str, OutputDatasetFacet] = {
            "outputStatistics": output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
                rowCount=run.written, producer=PRODUCER
            )
        }
        facets: dict[str, RunFacet] = (
            {"errorMessage": error_message_run.ErrorMessageRunFacet(why, "SQL", producer=PRODUCER)} if why else {}
        )
        outputs = [
            OutputDataset(
                o.namespace, o.name, facets=o.facets, outputFacets={} if state is RunState.START else statistics
            )
            for o in flow.outputs
        ]
        return RunEvent(
            eventType=state,
            eventTime=datetime.fromtimestamp(now, UTC).isoformat(),
            run=Run(run.id, facets),
            job=flow.job,
            inputs=list(flow.inputs),
            outputs=outputs,
            producer=PRODUCER,
        )
