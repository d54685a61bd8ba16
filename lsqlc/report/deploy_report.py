"""What `lsqlc deploy` says: which models are staged or kept, and how staged rows compare with the live ones."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.golden.show import plural
from lsqlc.remote.run.lines import Line
from lsqlc.remote.run.proofs import Difference, Proof

_SPANS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def lines_text(staged: Line | None, kept: Line | None, now: float) -> str:
    """One line of text for each line of models. `now`: seconds since 1970."""
    if staged is None and kept is None:
        return "nothing is staged, and nothing is kept"
    return "\n".join(_line_text(line, now) for line in (staged, kept) if line is not None)


def proof_text(proof: Proof) -> str:
    """A topic's rows: how many are equal, and the first that differ."""
    return "\n".join(_proof_lines(proof))


def _line_text(line: Line, now: float) -> str:
    models = ", ".join(sorted(line.models))
    ago = f"{_span(max(0.0, now - line.since))} ago by {line.by}"
    if line.phase == "kept":
        return f"kept: {models} as before the promotion of the line {line.id}, which was staged {ago}"
    begun = "" if line.phase == "staged" else "; its promotion has begun, and `lsqlc deploy promote` finishes it"
    return f"staged: {models} in the line {line.id}, {ago}{begun}"


def _span(seconds: float) -> str:
    size, unit = next(((size, unit) for size, unit in _SPANS if seconds >= size), _SPANS[-1])
    return f"{int(seconds // size)} {unit}"


def _proof_lines(proof: Proof) -> Iterator[str]:
    row = "row" if proof.semantics == "TABLE" else "record"
    counts = f"{plural(proof.live, f'live {row}')}, {proof.staged:,} staged, {proof.equal:,} equal"
    yield f"{proof.model}: '{proof.topic}' {counts}"
    parts = ((proof.changed, "changed"), (proof.new, "only staged"), (proof.gone, "only live"))
    said = [f"{count:,} {what}" for count, what in parts if count]
    if said:
        yield f"  {', '.join(said)}"
    if proof.columns:
        yield "  columns that differ: " + ", ".join(f"{name} in {count:,}" for name, count in proof.columns.items())
    if proof.moving:
        were = "was" if proof.moving == 1 else "were"
        why = "changed all the time and" if row == "row" else "came while the staged model was read, and"
        yield f"  {plural(proof.moving, row)} {why} {were} not compared"
    for difference in proof.differences:
        yield from _difference_lines(difference)
    left = proof.changed + proof.new + proof.gone - len(proof.differences)
    if left > 0:
        yield f"  and {left:,} more"


def _difference_lines(found: Difference) -> Iterator[str]:
    differ = f" ({', '.join(found.columns)})" if found.columns else ""
    yield f"  key {found.key}{differ}"
    yield f"    live:   {found.live or 'no row'}"
    yield f"    staged: {found.staged or 'no row'}"
