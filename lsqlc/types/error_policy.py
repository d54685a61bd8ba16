"""What happens to a record that cannot be read: the error policy of a project, a model or a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Policy = Literal["fail", "continue", "dlq"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


@dataclass(frozen=True, slots=True)
class ErrorPolicy:
    """A policy with its topic. `policy` None: not set. `dead_letters`: the topic of dead letters, for the policy `dlq`;
    None: not set.
    """

    policy: Policy | None = None
    dead_letters: str | None = None

    def over(self, other: ErrorPolicy) -> ErrorPolicy:
        """Return this policy, with what it does not set from another one, which is less near to the program."""
        return ErrorPolicy(self.policy or other.policy, self.dead_letters or other.dead_letters)


# The configuration of a model in any dialect that skips records which cannot be read.
SKIP_IN_CONFIG = "config(error_policy='continue')"
# Nothing is set: a record that cannot be read fails the query.
UNSET = ErrorPolicy()
