"""A Spark plan as commented SQL, for `target/compiled/spark/` and for people."""

from __future__ import annotations

from lsqlc.lower.spark.steps import FileSource, Observe, Source, SparkPlan, Stage, Step, View, Watermark
from lsqlc.sql.writer import remark


def plan_sql(plan: SparkPlan) -> str:
    """Return all stages as text, which is the same on every run and machine."""
    head = [remark(f"strategy: {line}") for line in plan.strategy]
    return "\n".join([*head, *map(_stage, plan.stages)])


def _stage(stage: Stage) -> str:
    lines = [remark(f"query {stage.name}")]
    lines += [remark(f"keeps {line}") for line in stage.state] or ["-- keeps no state"]
    lines += [f"SET {name} = {value};" for name, value in stage.settings]
    lines += [f"-- a batch every {stage.interval} ms"] if stage.interval is not None else []
    lines += [_step(step) for step in stage.steps]
    if stage.first:
        lines += [remark("before the first record:"), *map(_step, stage.first)]
        lines.append(f"{remark(f'written to {stage.write.topic} once')}\nSELECT line FROM {stage.first[-1].name};\n")
    output = remark(f"written to {stage.write.topic} in {stage.write.mode} mode")
    lines.append(f"{output}\nSELECT line FROM {stage.write.view};\n")
    return "\n".join(lines)


def _step(step: Step) -> str:
    match step:
        case Source(view=view, topics=topics, places=places, headers=headers):
            place = (", with the place of each" if places else "") + (", with its headers" if headers else "")
            return remark(f"{view}: the lines of {', '.join(topics)} as one stream, in order of arrival{place}")
        case FileSource(view=view, files=files, columns=columns):
            names = ", ".join(f.name for f in columns) or "no column"
            return remark(f"{view}: {names} of the {files.format} files in {files.path}, as they come")
        case View(name=name, sql=sql):
            return f"CREATE TEMPORARY VIEW {name} AS\n{sql};"
        case Watermark(name=name, view=view, column=column, delay=delay):
            return remark(f"{name}: {view} with a watermark {delay} ms behind {column}")
        case Observe(name=name, view=view, metrics=metrics):
            counts = ", ".join(f"{sql} AS `{metric}`" for metric, sql in metrics)
            return remark(f"{name}: {view}, counting {counts}")
