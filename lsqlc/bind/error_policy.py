"""The error policy of a project or of a model's configuration, for programs that set none."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.policies import dead_letters, read_policy
from lsqlc.types.data import Struct
from lsqlc.types.error_policy import ErrorPolicy
from lsqlc.types.record import Facet, Topic

_POLICY_KEYS = ("error.policy.read", "error.policy")


def sets_policy(settings: Mapping[str, str]) -> bool:
    """Return whether the settings of a program say what happens to records that cannot be read."""
    return any(key in settings for key in _POLICY_KEYS)


def with_default(settings: Mapping[str, str], default: ErrorPolicy) -> dict[str, str]:
    """Return the settings of a plan: those of its program, and the default where they set no policy or no topic."""
    result = dict(settings)
    if not sets_policy(settings) and default.policy not in (None, "fail"):
        result["error.policy"] = default.policy
    if read_policy(result) == "dlq" and default.dead_letters is not None:
        result.setdefault("dead.letter.queue", default.dead_letters)
    return result


def check_default(settings: Mapping[str, str], default: ErrorPolicy, at: Extent, findings: Findings) -> None:
    """Report a default of `dlq` without a topic. `settings`: those of the program; `at`: where its errors are shown."""
    if sets_policy(settings) or default.policy != "dlq" or "dead.letter.queue" in with_default(settings, default):
        return
    findings.error("LSQ346", "'error_policy' is 'dlq', and no topic is set for the bad records", at,
                   notes=("the configuration of the model or of the project sets the policy",),
                   help="add the topic: config(error_policy='dlq', dead_letters='topic')")  # fmt: skip


def check_dead_letters(
    settings: Mapping[str, str],
    reads: Collection[str],
    writes: Collection[str],
    declared: Mapping[str, Topic],
    at: Extent,
    findings: Findings,
) -> None:
    """Report a topic for bad records that is not one of its own: the program neither reads nor writes it otherwise.

    `settings`: those of the plan; `reads`, `writes`: the topics of the program; `declared`: those of the project by
    name; `at`: where the topic for bad records is named.
    """
    letters = dead_letters(settings)
    if letters is None:
        return
    topic = declared.get(letters.name)
    is_read = letters.name in reads
    if not letters.name:
        findings.error("LSQ347", "the topic for bad records has no name", at, help="give it a name")
    elif is_read or letters.name in writes:
        use = "reads" if is_read else "writes"
        message = f"bad records cannot go to '{letters.name}', which the program {use} itself"
        findings.error("LSQ347", message, at, help="choose another topic")
    elif topic is not None and not _has_letters(topic, letters):
        findings.error(
            "LSQ328",
            f"bad records do not match the topic '{letters.name}'",
            at,
            notes=(
                f"declared:    key {topic.key}, value {topic.value}",
                f"bad records: key {letters.key}, value {letters.value}",
            ),
            help="declare it so, or remove the declaration",
        )


def _has_letters(declared: Topic, letters: Topic) -> bool:
    """Return whether a declared topic can have dead letters: it may declare some of their columns, as earlier releases
    wrote.
    """
    types = declared.value.type, letters.value.type
    if not (isinstance(types[0], Struct) and isinstance(types[1], Struct)):
        return False
    some = tuple(field for field in types[1].fields if types[0].field(field.name) is not None)
    value = Facet(Struct(some), letters.value.format)
    return (_bare(declared.key), _bare(declared.value)) == (_bare(letters.key), _bare(value))


def _bare(facet: Facet) -> str:
    return f"{facet.type} {facet.format}".replace(" NOT NULL", "")
