"""Golden files that wait for review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lsqlc.golden.patch import patch

if TYPE_CHECKING:
    from lsqlc.golden.compare import TopicDifference
    from lsqlc.golden.run import Kind

# `new`: a file that does not exist, or that nobody has reviewed since a run wrote it. `orphaned`: it has no case.
Change = Literal["new", "changed", "orphaned"]
Decision = Literal["accepted", "rejected", "skipped"]


@dataclass(frozen=True, slots=True)
class Pending:
    """A golden file to review.

    `before` None: it does not exist, or was written without a review. `after` None: it is to be removed. `written`: the
    file already has the text `after`. `differences`: the differing rows of a case.
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
        """The patch that accepts the file."""
        return patch(self.path, self.before, self.after)
