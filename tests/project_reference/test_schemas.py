"""The printed schemas of every topic, and the records of every golden case against them."""

from __future__ import annotations

from lsqlc.bind.topic_schemas import topic_schemas
from lsqlc.connectors.fields_read import topics_as_read
from lsqlc.golden.cases import LoadedCases
from lsqlc.lower.duckdb import evaluate
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.facets import facet_of
from tests.formats.validate import check_records


def test_records_of_every_case_fit_the_printed_schemas(compiled: Compilation, cases: LoadedCases) -> None:
    """What goes in and what comes out: valid by the Avro schema for fastavro, by the JSON Schema for jsonschema."""
    assert len(cases.cases) > 20
    for model, plan in compiled.plans.items():
        of_model = [c for c in cases.cases if c.model == model]
        settings = dict(plan.settings)
        outcomes = evaluate(plan, [c.case for c in of_model])
        checked = 0
        # A case may leave out what its model does not read.
        for topic in topics_as_read(plan).values():
            records = [r for c in of_model for r in c.case.records if r.topic == topic.name]
            checked += check_records(topic, records, {})
        for topic in plan.outputs:
            checked += check_records(topic, [r for o in outcomes for r in o.topics[topic.name]], settings)
        assert checked or not of_model, model


def test_every_topic_is_declared_again_by_its_ddl(compiled: Compilation) -> None:
    """The printed format and DDL are a declaration of the same facet."""
    for topic in compiled.topics.values():
        schemas, problems = topic_schemas(topic, "ddl", {})
        assert schemas and not problems
        for schema in schemas:
            facet = topic.key if schema.facet == "key" else topic.value
            assert facet_of({"format": schema.format, "schema": schema.text}) == facet
