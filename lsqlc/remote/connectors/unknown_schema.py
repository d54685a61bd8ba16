"""The error of a record whose schema a query was not given."""

from __future__ import annotations

from lsqlc.diagnostics import Diagnostic, LsqlcError


class UnknownSchemaError(LsqlcError):
    """LSQ757: a record has an unknown schema id. The run may request the schema from the registry, and continue.

    `schema`: the topic, the facet and the id.
    """

    def __init__(self, topic: str, facet: str, id: int) -> None:
        message = f"the {facet} of a record of '{topic}' has the unknown schema id {id}"
        super().__init__([Diagnostic("LSQ757", message, help="it is requested from the registry of the target")])
        self.schema = topic, facet, id
