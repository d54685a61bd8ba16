"""Stage models: they run beside those that are live, over the same topics, and write aside."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.lower.spark import internal_topics, lower
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.plan.plan import Plan
from lsqlc.project.build.compile import Compilation
from lsqlc.remote.run.checkpoints import describe_elsewhere, foreseen, live_queries
from lsqlc.remote.run.deployments import Deployment, Deployments
from lsqlc.remote.run.runner import Limit
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.remote.run.target_steps import Step
from lsqlc.tasks.deploy.handover import UpToLive, has_streams, outputs_of
from lsqlc.tasks.deploy.note import aside_place, check_no_promotion, live_place, read_lines, write_lines
from lsqlc.tasks.deploy.positions import Position, check_exact, live_positions
from lsqlc.tasks.deployment import queries_of
from lsqlc.tasks.run import run_models
from lsqlc.tasks.run_context import Console, RunRequest, run_context
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.starts import begun_live
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class Deployer:
    """Who deploys, where, and how: what all steps of a deployment need. `place`: as the target describes it;
    `compilation`: of the whole project; `stores`: opens the checkpoints of the target; `request` and `console`: of the
    runs that bring staged models up to date.
    """

    place: RunTarget
    compilation: Compilation
    stores: Callable[[], AbstractContextManager[CheckpointStore]]
    request: RunRequest
    console: Console

    @property
    def project(self) -> str:
        """The name of the project."""
        return self.compilation.project.config.name

    def lines(self) -> Deployments:
        """What is deployed now."""
        return read_lines(self.place, self.project)

    def note(self, lines: Deployments) -> None:
        """Note what is deployed now."""
        write_lines(self.place, self.project, lines)

    def compiled(self, models: Collection[str]) -> Compilation:
        """The compilation of some models only."""
        return self.compilation.only(models)


def worth_staging(steps: Iterable[Step], compilation: Compilation) -> tuple[str, ...]:
    """The models that a run would rebuild, or would continue with old rows that the new program would not give, in
    order of dependency. Readers of what is rebuilt are not among them: a promotion writes what differs, which they take
    as any other change.
    """

    def is_worth(step: Step) -> bool:
        plan = compilation.plans.get(step.model)
        if plan is None:
            return False
        return step.own == "rebuild" or (step.own == "change" and _is_table(plan))

    return tuple(step.model for step in steps if is_worth(step))


def stageable(steps: Iterable[Step], compilation: Compilation) -> tuple[str, ...]:
    """Those of `worth_staging` that can be staged, as far as the project says."""
    plans = compilation.plans
    return tuple(
        name
        for name in worth_staging(steps, compilation)
        if not any(_unstageable_stream(plans[name], topic.name) for topic in plans[name].outputs)
    )


def check_stageable(models: Iterable[str], compilation: Compilation, live: Mapping[str, Sequence[Parts]]) -> None:
    """Refuse (LSQ770) models that cannot run beside those that are live. `live`: the queries that each model has."""
    found = [why for name in models for why in _lacking(compilation.plans[name], live[name])]
    if found:
        raise LsqlcError(found)


def stage(deployer: Deployer, models: tuple[str, ...], *, id: str, by: str, at: float) -> Deployment:
    """Run models aside until all input is read; those that are staged already continue. `id`: of a new line; `by`: who
    stages it; `at`: seconds since 1970.

    Raises LsqlcError: LSQ770 for models that cannot be staged, LSQ772 if others are staged, LSQ773, and as a run does.
    """
    lines = deployer.lines()
    check_no_promotion(lines)
    line = lines.staged
    if line is None:
        with deployer.stores() as store:
            live = {name: tuple(live_queries(store, [name]).values()) for name in models}
        check_stageable(models, deployer.compilation, live)
        line = _new_line(deployer.compilation, models, id, by, at)
        lines = replace(lines, staged=line)
        deployer.note(lines)
    elif set(line.models) != set(models):
        raise LsqlcError([others_staged(line)])
    catch_up(deployer, lines, line)
    return line


def catch_up(
    deployer: Deployer,
    lines: Deployments,
    line: Deployment,
    *,
    exact: bool = False,
    up_to: Mapping[str, Sequence[Position]] | None = None,
) -> Mapping[str, Sequence[Position]]:
    """Run a staged line until all input is read, of models with STREAMs until that is read which the live ones have
    read; gives how far these have read, by model. `exact`: the live models do not run, and their results must be those
    of what they have read; `up_to`: positions of live models up to which their staged ones read, TABLEs too.

    Raises LsqlcError as a run does; LSQ772 where the project has changed what is staged, LSQ793 where STREAMs cannot be
    handed over, LSQ794 for one that has read more than the live one.
    """
    place, live = aside_place(deployer.place, lines, line), live_place(deployer.place, lines)
    compilation = deployer.compiled(line.models)
    known = up_to or {}
    with deployer.stores() as store:
        _check_unchanged(compilation, place, store, line)
        streams = [name for name in line.models if name not in known and has_streams(compilation.plans[name])]
        positions = {**known, **{name: live_positions(live, store, name) for name in streams}}
        starts = begun_live(store, line.models)
    if exact:
        for name, found in positions.items():
            check_exact(name, found)
    outputs = {
        query: of for name in positions for query, of in outputs_of(lower(compilation.plans[name]).stages).items()
    }
    limit = UpToLive(positions, place, live, outputs) if positions else None
    # What a start such as `30d` means has changed since the live ones began.
    run_to_end(replace(deployer, request=replace(deployer.request, starts=starts)), place, compilation, limit)
    return positions


def run_to_end(deployer: Deployer, place: RunTarget, compilation: Compilation, limit: Limit | None = None) -> None:
    """Run models until all input is read, or what `limit` says. Raises LsqlcError as a run does, KeyboardInterrupt
    where it was stopped before: what has not been read is missing in all that follows.
    """
    run_models(run_context(place, compilation, replace(deployer.request, limit=limit)), deployer.console)
    if deployer.console.stop():
        raise KeyboardInterrupt


def _check_unchanged(compilation: Compilation, place: RunTarget, store: CheckpointStore, line: Deployment) -> None:
    """Raise LsqlcError LSQ772 if the project has changed since models were staged: a staged model has rows of one
    program only, so it does not continue as a live one does.
    """
    queries = queries_of(compilation, place)
    names = {model: set(of) for model, of in queries.items()} == {model: set(of) for model, of in line.models.items()}
    every = {query: parts for of in queries.values() for query, parts in of.items()}
    findings = foreseen(store.below(line.folder), every)
    if not names or any(findings.values()):
        raise LsqlcError([_changed(line, [each.text for of in findings.values() for each in of])])


def live_topics(store: CheckpointStore, models: Collection[str]) -> dict[str, Topic]:
    """The topics as the live programs of models write them."""
    written = (parts.written for parts in live_queries(store, models).values())
    return {topic.name: topic for topic in written if topic is not None}


def seed_checkpoints(store: CheckpointStore, line: Deployment) -> None:
    """Have a line that was kept continue from its checkpoints, as a staged one. `store`: that of the target."""
    aside = store.below(line.folder)
    for query, known in line.queries.items():
        home = known.get("home", "")
        describe_elsewhere(aside, query, known, f"../{home}" if home else "..")


def others_staged(line: Deployment) -> Diagnostic:
    """LSQ772: another line is staged."""
    names = listing(sorted(line.models))
    return Diagnostic(
        "LSQ772",
        f"the staged models are {names}" if len(line.models) > 1 else f"the staged model is {names}",
        notes=(f"they were staged by {line.by}",),
        help="promote them with `lsqlc deploy promote`, or remove them with `lsqlc deploy abort`",
    )


def _changed(line: Deployment, changes: list[str]) -> Diagnostic:
    return Diagnostic(
        "LSQ772",
        f"the staged models are not those of the project: the line '{line.id}' was staged by {line.by}",
        notes=tuple(changes[:3]) or ("the program of a model has changed since",),
        help="check out the version that was staged, or remove the line with `lsqlc deploy abort` and stage again",
    )


def _new_line(compilation: Compilation, models: tuple[str, ...], id: str, by: str, at: float) -> Deployment:
    queries: dict[str, tuple[str, ...]] = {}
    topics: dict[str, str] = {}
    internal: dict[str, str] = {}
    for name in models:
        plan = compilation.plans[name]
        stages, passed_on = lower(plan).stages, internal_topics(plan)
        queries[name] = tuple(stage.name for stage in stages)
        written = dict.fromkeys(stage.write.topic for stage in stages)
        topics |= {topic: f"{topic}.aside-{id}" for topic in written if topic not in passed_on}
        internal |= {topic: f"{topic}.{id}" for topic in passed_on}
    return Deployment(id, queries, topics, internal, at, by)


def _is_table(plan: Plan) -> bool:
    return all(semantics == "TABLE" for semantics in plan.semantics.values())


def _lacking(plan: Plan, queries: Sequence[Parts]) -> Iterable[Diagnostic]:
    """LSQ770 for all that keeps a model from being staged."""
    live = {parts.written.name: parts for parts in queries if parts.written is not None}
    reasons = [_unstageable(plan, topic, live[topic.name]) for topic in plan.outputs if topic.name in live]
    reasons += [_unstageable_stream(plan, topic.name) for topic in plan.outputs]
    rebuild = f"`lsqlc run --select {plan.name}+ --full-refresh` rebuilds it in place, with its readers"
    found = [(why, rebuild) for why in reasons if why is not None]
    if not live:
        found = [("it has not run on this target", "`lsqlc run` starts it: nothing is live beside it")]
    for why, help in found:
        yield Diagnostic("LSQ770", f"the model '{plan.name}' cannot be staged", notes=(why,), help=help)


def _unstageable(plan: Plan, topic: Topic, parts: Parts) -> str | None:
    """Why the records of a live topic cannot be followed by those of a new program; None if they can. `parts`: of the
    query that writes it now.
    """
    live, semantics = parts.written, plan.semantics[topic.name]
    assert live is not None, "what is compared is known"
    if parts.semantics != semantics:
        return f"'{topic.name}' changes from a {parts.semantics} to a {semantics}"
    if live.key.type != topic.key.type:
        return f"the key of '{topic.name}' changes from {live.key.type} to {topic.key.type}"
    if live.key.format != topic.key.format:
        return f"the key of '{topic.name}' changes from {live.key.format} to {topic.key.format}"
    if live.value.format != topic.value.format:
        return f"the value of '{topic.name}' changes from {live.value.format} to {topic.value.format}"
    return None


def _unstageable_stream(plan: Plan, topic: str) -> str | None:
    """Why a STREAM cannot read exactly as far as the live one; None if it can, and for a TABLE."""
    if plan.semantics[topic] != "STREAM":
        return None
    files = sorted(each.name for each in plan.inputs if each.files is not None)
    if files:
        return f"'{topic}' is a STREAM, and '{files[0]}' consists of files"
    return None
