"""The output of `lsqlc deploy`: staged and kept models, and the comparison of staged rows with live ones."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.golden.show import plural
from lsqlc.remote.run.deployments import Deployment
from lsqlc.remote.run.proofs import Difference, Proof

# Changes of a program that are printed with its rows.
_REASONS = 3
# The names of the two compared sides.
Sides = tuple[str, str]

_SPANS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def lines_text(staged_line: Deployment | None, kept_line: Deployment | None, now: float) -> str:
    """Return one line of text per deployment. `now`: seconds since 1970."""
    if staged_line is None and kept_line is None:
        return "nothing is staged, and nothing is kept"
    return "\n".join(_line_text(line, now) for line in (staged_line, kept_line) if line is not None)


def proof_text(proof: Proof, sides: Sides = ("live", "staged")) -> str:
    """Return the comparison of a topic's rows: the number of equal ones, and the first differences."""
    return "\n".join(_proof_lines(proof, sides))


def promoted_line(topic: str, upserts: int, deleted: int, rows: int | None) -> str:
    """Return the effect of a promotion on a live topic. `rows`: the number of its rows now; None for a STREAM."""
    if rows is None:
        return f"{topic}: the new program continues after the records that are there"
    deletions = f", {deleted:,} deleted" if deleted else ""
    return f"{topic}: {plural(upserts, 'row')} written{deletions}; it has {plural(rows, 'row')} now"


def _line_text(line: Deployment, now: float) -> str:
    models = ", ".join(sorted(line.models))
    ago = f"{_span(max(0.0, now - line.since))} ago by {line.by}"
    if line.phase == "kept":
        return f"kept: {models} as before the promotion of the line {line.id}, which was staged {ago}"
    promotion = "" if line.phase == "staged" else "; its promotion has begun, and `lsqlc deploy promote` finishes it"
    return f"staged: {models} in the line {line.id}, {ago}{promotion}"


def _span(seconds: float) -> str:
    size, unit = next(((size, unit) for size, unit in _SPANS if seconds >= size), _SPANS[-1])
    return f"{int(seconds // size)} {unit}"


def _proof_lines(proof: Proof, sides: Sides) -> Iterator[str]:
    live, staged_name = sides
    row = "row" if proof.semantics == "TABLE" else "record"
    counts = f"{plural(proof.live, f'{live} {row}')}, {proof.staged:,} {staged_name}, {proof.equal:,} equal"
    yield f"{proof.model}: '{proof.topic}' {counts}"
    parts = ((proof.changed, "changed"), (proof.new, f"only {staged_name}"), (proof.gone, f"only {live}"))
    parts_text = [f"{count:,} {what}" for count, what in parts if count]
    if parts_text:
        yield f"  {', '.join(parts_text)}"
    if proof.columns:
        yield "  columns that differ: " + ", ".join(f"{name} in {count:,}" for name, count in proof.columns.items())
    if proof.differing and proof.changes:
        yield f"  changed in the program: {'; '.join(proof.changes[:_REASONS])}"
    if proof.moving:
        were = "was" if proof.moving == 1 else "were"
        why = "changed all the time and" if row == "row" else f"came while the {staged_name} model was read, and"
        yield f"  {plural(proof.moving, row)} {why} {were} not compared"
    if proof.share < proof.required:
        yield f"  {proof.share:.1%} of the {row}s were compared, and {proof.required:.1%} must be"
    if proof.unexpected is not None and proof.differing:
        yield f"  {proof.differing - proof.unexpected:,} as expected, {proof.unexpected:,} not"
    for difference in proof.differences:
        yield from _difference_lines(difference, sides)
    more = (proof.differing if proof.unexpected is None else proof.unexpected) - len(proof.differences)
    if more > 0:
        yield f"  and {more:,} more"


def _difference_lines(difference: Difference, sides: Sides) -> Iterator[str]:
    width = max(map(len, sides)) + 1
    differ = f" ({', '.join(difference.columns)})" if difference.columns else ""
    yield f"  key {difference.key}{differ}"
    for side, row in zip(sides, (difference.live, difference.staged), strict=True):
        yield f"    {f'{side}:':<{width}} {row or 'no row'}"
