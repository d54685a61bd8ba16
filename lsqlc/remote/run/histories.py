"""Check that queries can read the history of a topic before the topic itself (see `lower.spark.history`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.graph import Node


def check_histories(ordered: tuple[Node, ...], opened: Mapping[str, Checkpoint]) -> None:
    """Raise LsqlcError LSQ873 for queries that must read a history and cannot."""
    diagnostics = [
        Diagnostic(
            "LSQ873",
            f"the query '{node.query}' cannot read the history of '{topic}'",
            notes=(reason,),
            help=help,
        )
        for node in ordered
        for topic, offsets in opened[node.query].begun.items()
        if offsets.awaits_history
        for reason, help in _problems(node, opened[node.query])
    ]
    if diagnostics:
        raise LsqlcError(diagnostics)


def _problems(node: Node, checkpoint: Checkpoint) -> Iterator[tuple[str, str]]:
    if not checkpoint.form.named:
        yield (
            "the history is a named source of the query, which requires Spark 4.2 or newer, checkpoints in a folder, "
            "and a model without topics of files",
            "let another model read the topics of files, or begin without the history: `lsqlc run --from earliest`",
        )
    if node.stage.real_time:
        yield (
            "a query in real-time mode cannot detect the end of a history",
            "`lsqlc run` without `--continuous` reads the history, and `lsqlc run --continuous` continues in real time",
        )
