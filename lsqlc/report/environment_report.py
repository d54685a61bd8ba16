"""The output of `lsqlc env`: the targets of a project, and a comparison of rows with another target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lsqlc.golden.show import plural
from lsqlc.remote.run.proofs import Proof
from lsqlc.report.deploy_report import proof_text
from lsqlc.report.markdown import code, fenced
from lsqlc.report.tables import Column, table_lines


@dataclass(frozen=True, slots=True)
class TargetRow:
    """A target. `topics`: the location of its topics. `problem`: the error in its profile."""

    name: str
    is_default: bool
    server: str = ""
    topics: str = ""
    defers: str | None = None
    owner: str | None = None
    confirm: bool = False
    problem: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the target as JSON-ready data."""
        return {
            "name": self.name, "default": self.is_default, "type": self.server or None, "topics": self.topics or None,
            "defer": self.defers, "owner": self.owner, "confirm": self.confirm, "problem": self.problem,
        }  # fmt: skip


def targets_text(rows: Sequence[TargetRow], width: int) -> str:
    """Return a table of targets. The default one has an asterisk."""
    columns = [
        Column("target", tuple(f"{row.name} *" if row.is_default else row.name for row in rows)),
        Column("server", tuple(row.server for row in rows)),
        Column("topics", tuple(row.problem or row.topics for row in rows)),
        Column("defers to", tuple(row.defers or "" for row in rows)),
        Column("owner", tuple(row.owner or "" for row in rows)),
        Column("confirm", tuple("yes" if row.confirm else "" for row in rows)),
    ]
    return "\n".join(table_lines(columns, width))


def proofs_text(proofs: Sequence[Proof], new: Sequence[str], base: str, name: str) -> str:
    """Return the comparison of each topic's rows on both sides.

    `new`: topics that exist only in the environment `name`, and not in `base`.
    """
    parts = [proof_text(proof, (base, name)) for proof in proofs]
    parts += [f"'{topic}' is new: '{base}' does not have it" for topic in new]
    return "\n".join(parts) or "the environment has no models"


def proofs_markdown(proofs: Sequence[Proof], new: Sequence[str], base: str, name: str) -> str:
    """Return the comparison as a comment on a pull request: a table of topics, then the first differences of each."""
    return "\n".join(_markdown(proofs, new, base, name)) + "\n"


def _markdown(proofs: Sequence[Proof], new: Sequence[str], base: str, name: str) -> Iterator[str]:
    differing = [proof for proof in proofs if not proof.ok]
    here, there = code(name), code(base)
    yield f"### Rows of {here} beside {there}"
    yield ""
    if not proofs and not new:
        yield "No model differs."
        return
    yield f"{plural(len(differing), 'topic')} with rows that differ, of {plural(len(proofs), 'topic')} that both have."
    yield ""
    yield f"| topic | rows in {there} | rows in {here} | equal | changed | only {here} | only {there} |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for proof in proofs:
        counts = (proof.live, proof.staged, proof.equal, proof.changed, proof.new, proof.gone)
        yield f"| {code(proof.topic)} | " + " | ".join(f"{count:,}" for count in counts) + " |"
    for topic in new:
        yield f"| {code(topic)} | new | | | | | |"
    for proof in differing:
        yield ""
        yield f"<details><summary>{code(proof.topic)}</summary>"
        yield ""
        yield fenced(proof_text(proof, (base, name)), "text")
        yield "</details>"
