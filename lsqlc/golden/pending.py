"""A golden file that waits for a review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lsqlc.golden.patch import patch

if TYPE_CHECKING:
    from lsqlc.golden.compare import TopicDifference
    from lsqlc.golden.run import Kind

# `new`: there is no such file, or a run has written it and nobody has reviewed it; `orphaned`: it has no case.
Change = Literal["new", "changed", "orphaned"]
Decision = Literal["accepted", "rejected", "skipped"]


@dataclass(frozen=True, slots=True)
class Pending:
    """A golden file to review. `before` None: there is none, or it was written without a review; `after` None: it is to
    be removed; `written`: `after` is in the file already; `differences`: the rows of a case that differ.
    """

    kind: Kind
    change: Change
    model: str
    name: str
    path: str
    before: str | None
    after: str | None
    written: bool = False
    differences: tuple[TopicDifference, ...] = ()

    @property
    def patch(self) -> str:
        """What `git apply` takes to accept the file."""
        return patch(self.path, self.before, self.after)
