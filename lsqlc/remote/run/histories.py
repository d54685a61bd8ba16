"""What keeps a query from reading the history of a topic before the topic itself (see `lower.spark.history`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.graph import Node


def check_histories(ordered: tuple[Node, ...], opened: Mapping[str, Checkpoint]) -> None:
    """Refuse (LSQ873) queries that have a history to read and cannot."""
    found = [
        Diagnostic(
            "LSQ873",
            f"the query '{node.query}' cannot read the history of '{topic}'",
            notes=(why,),
            help=help,
        )
        for node in ordered
        for topic, begun in opened[node.query].begun.items()
        if begun.awaits_history
        for why, help in _problems(node, opened[node.query])
    ]
    if found:
        raise LsqlcError(found)


def _problems(node: Node, checkpoint: Checkpoint) -> Iterator[tuple[str, str]]:
    if not checkpoint.form.named:
        yield (
            "the history is a source of its own, which has to go by a name: Spark 4.2 or newer, checkpoints in a "
            "folder, and a model without topics of files are required",
            "let another model read the topics of files, or begin without the history: `lsqlc run --from earliest`",
        )
    if node.stage.real_time:
        yield (
            "a query in real time has no end of a history",
            "`lsqlc run` without `--continuous` reads the history, and `lsqlc run --continuous` goes on in real time",
        )
