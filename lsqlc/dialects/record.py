"""What a dialect is: everything that differs between the languages of models, in one record.

Behind the binder all dialects are plans, and nothing asks for a dialect any more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lsqlc.bind.columns import Column
from lsqlc.bind.condition import BoundCondition
from lsqlc.bind.limits import DEFAULT_LIMITS, Limits
from lsqlc.bind.materialized import Materialized
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.trace import Trace
from lsqlc.diagnostics import Diagnostic
from lsqlc.formats.subjects import Subject
from lsqlc.plan.plan import Compiled
from lsqlc.syntax.ad_hoc import AdHocQuery
from lsqlc.syntax.keywords import Keywords
from lsqlc.syntax.outline import Outline
from lsqlc.syntax.program import Parsed, Program
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.record import Topic

if TYPE_CHECKING:
    # Only where a project has functions of its own are they read.
    from lsqlc.bind.own_functions import BindBody
    from lsqlc.syntax.own_functions import ParsedFunctions


class Bind(Protocol):
    """Binds a program against the topics that it can name.

    `name`: the plan's, and the target of a SELECT without one. `nullability`: `lenient`, or `strict` for the documented
    check that refuses operands which may be null. `subjects`: those of a schema registry that are known, by name, from
    which a program that declares its topics may take their columns. `materialized`: what the configuration of the model
    says of its result, for a dialect that `materializes`. `trace` is filled with what the program's words
    mean. `functions`: the project's own, which the program may call. `errors`: the policy for records that cannot be
    read, where the program sets none.
    """

    def __call__(
        self,
        program: Program,
        topics: Mapping[str, Topic],
        *,
        name: str,
        nullability: str = "lenient",
        limits: Limits = DEFAULT_LIMITS,
        subjects: Mapping[str, Subject] | None = None,
        materialized: Materialized | None = None,
        trace: Trace | None = None,
        functions: OwnFunctions | None = None,
        errors: ErrorPolicy = UNSET,
    ) -> Compiled: ...


@dataclass(frozen=True, slots=True)
class Formatting:
    """How `lsqlc fmt` writes programs.

    `text(program, restore)`: the program formatted, with its comments; `restore`, of a template, gives back the tags
    that names stand for. `is_same(program, text)`: whether a text is the same program with the same comments.
    `of_templates`: whether a template can be formatted around its tags.
    """

    text: Callable[[Program, Callable[[str], str] | None], str]
    is_same: Callable[[Program, str], bool]
    of_templates: bool


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of SET: their names, the values of one where they can be listed, and what it takes in a sentence."""

    names: Callable[[], tuple[str, ...]]
    values_of: Callable[[str], tuple[str, ...]]
    takes: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class OwnFunctionRules:
    """How a project's own functions are written: `parse(text, path)` reads a file of them, and `bind_body` binds the
    body of one. `is_built_in(name)`: whether the dialect has a function of that name, in upper case, itself.
    """

    parse: Callable[[str, str], ParsedFunctions]
    bind_body: BindBody
    is_built_in: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Dialect:
    """A language of models, under the `name` that projects give it; its functions are catalogued by that name.

    `parse(text, path)`: the program, or what is wrong; `readable(text, path)`: the statements that can be read,
    whatever is wrong with the others. `written_topics(name, text)`: the topics that a model of that name seems to
    write, read off a text that may not parse; an empty name stands for one that a template makes. `lint(program,
    topics)`: findings about what could be better although it compiles. `fold`: a bare name as it is read.
    `properties`: the names that WITH of a declaration takes. `settings`: those that the editor completes;
    `own_functions`: None where no function can be declared.

    `condition(text, topic, path, columns)`: a condition over the records of a topic, for people who look at them;
    `columns`: those that a program that declares its topics has of this one, none where they are not known.

    `declares_sources`: a program declares its topics itself, and names columns instead of facets. `may_insert(text)`:
    whether a program gives records to topics itself. `subjects(program)`: the subjects of a schema registry that it
    takes columns from. `materializes`: its models take `materialized` and `key` of their configuration. `ksql_json`:
    the JSON of topics that its programs read and write is ksqlDB's (see `types.record.Topic`). `ad_hoc(program,
    declarations)`: a program of one query that is answered once, or what is wrong with it; `declarations`: by name, the
    statements that declare the streams and tables of the project, which only a dialect that `declares_sources` takes.
    """

    name: str
    parse: Callable[[str, str], Parsed[Program]]
    readable: Callable[[str, str], Program]
    bind: Bind
    written_topics: Callable[[str, str], tuple[str, ...]]
    formatting: Formatting
    lint: Callable[[Program, Mapping[str, Topic]], tuple[Diagnostic, ...]]
    outline: Callable[[], Outline]
    keywords: Callable[[], Keywords]
    condition: Callable[[str, Topic, str, Sequence[Column]], BoundCondition]
    fold: Callable[[str], str] = str
    properties: Callable[[], tuple[str, ...]] = tuple
    settings: Settings | None = None
    own_functions: Callable[[], OwnFunctionRules] | None = None
    declares_sources: bool = False
    may_insert: Callable[[str], bool] = lambda text: False
    subjects: Callable[[Program], tuple[str, ...]] = lambda program: ()
    materializes: bool = False
    ksql_json: bool = False
    ad_hoc: Callable[[Program, Mapping[str, str]], AdHocQuery | Diagnostic] = lambda program, _: AdHocQuery(program)
