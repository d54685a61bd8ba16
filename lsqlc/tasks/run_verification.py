"""A run's results compared with those of DuckDB, as far as they can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lsqlc.diagnostics import listing
from lsqlc.project.build.compile import Compilation
from lsqlc.remote.run.events import QuerySummary
from lsqlc.tasks.failed_models import not_complete
from lsqlc.tasks.histories import ended
from lsqlc.tasks.run_context import RunContext
from lsqlc.tasks.skipped_records import read_skips
from lsqlc.tasks.starts import common_places
from lsqlc.tasks.verify import Verified, verify


def verify_run(
    context: RunContext, compilation: Compilation, summaries: tuple[QuerySummary, ...], say: Callable[[str], None]
) -> Iterator[Verified]:
    """Compare the records of Spark with those that DuckDB computes, topic by topic. `compilation`: the models alone.

    Models that have failed or wait are left out, and so are those over topics of which a record is skipped; `say`
    reports them. Raises LsqlcError for a topic that cannot be read.
    """
    place, plans = context.place, compilation.plans
    left_out = not_complete(summaries)
    if left_out:
        say(f"not compared, since they failed or wait: {listing(left_out)}")
    topics = {skip.topic for skip in read_skips(place, context.project)}
    readers = {name for name, plan in plans.items() if topics & {topic.name for topic in plan.inputs}} - left_out
    if readers:
        say(f"not compared, since a record of their topics is skipped: {listing(readers)}")
    ordered = {name: place.ordered(plan) for name, plan in plans.items() if name not in left_out | readers}
    yield from verify(
        ordered,
        context.spark_plans,
        place.log,
        compilation.project.root,
        timed=place.capabilities.keeps_times,
        begun=common_places(summaries),
        ended=ended(compilation, summaries),
    )
