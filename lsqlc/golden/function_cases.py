"""Cases of the project's own functions: calls with arguments and the expected result.

    cases:
      - name: the tax is taken off
        function: net
        calls:
          - {arguments: [119, 0.19], result: 100}
          - {arguments: {price: null, rate: 0.19}, result: null}

They have no golden file: each call contains its result. A call becomes a record of a program that calls the function
(see `bind.own_plan`), so that both engines run it like a model.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lsqlc.bind.own_function import OwnFunction
from lsqlc.bind.own_plan import CALLS, RESULTS
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.golden.case_records import Expected
from lsqlc.golden.record_reader import RecordReader
from lsqlc.types.data import DataType
from lsqlc.types.record import Case, Record
from lsqlc.yaml.described import CASE_NAME, described
from lsqlc.yaml.nodes import KeyPath


class CallFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a call."""

    arguments: Annotated[
        list[Any] | dict[str, Any], described("The arguments in the order of the parameters, or by their names.")
    ]
    result: Annotated[Any, described("What the function gives for them.")]


class FunctionCaseFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a case of a function."""

    name: Annotated[str, described("The case's name.", CASE_NAME)]
    function: Annotated[str, described("The project's own function that it tests.")]
    description: Annotated[str | None, described("What it shows.")] = None
    calls: Annotated[list[CallFile], described("Calls with their results.", {"minItems": 1})]


def is_function_case(item: Any) -> bool:
    """Return whether an item of `cases` tests a function."""
    return isinstance(item, dict) and "function" in item and "model" not in item


class FunctionCaseReader:
    """Reads the cases of functions in one document."""

    def __init__(self, records: RecordReader) -> None:
        self._records, self._decoder = records, records.decoder

    def read(
        self, key_path: KeyPath, case: FunctionCaseFile, function: OwnFunction
    ) -> tuple[Case, dict[str, tuple[Expected, ...]]]:
        """Return the calls as records, with the expected results. Problems are reported."""
        if not case.calls:
            message = f"the case '{case.name}' has no calls"
            self._records.report(
                "LSQ489", message, (*key_path, "calls"), help="add one: {arguments: [...], result: ...}"
            )
        records: list[Record] = []
        expected: list[Expected] = []
        for number, call in enumerate(case.calls, 1):
            where = (*key_path, "calls", number - 1)
            arguments = self._arguments((*where, "arguments"), call.arguments, function)
            result = self._value((*where, "result"), call.result, function.returns, "result", function)
            records.append(Record(CALLS, number, arguments))
            expected.append(Expected(number, {"arguments": arguments, "result": result}, None))
        return Case(case.name, (tuple(records),) if records else ()), {RESULTS: tuple(expected)}

    def _arguments(
        self, key_path: KeyPath, arguments: list[Any] | dict[str, Any], function: OwnFunction
    ) -> dict[str, Any]:
        names = [p.name for p in function.parameters]
        if isinstance(arguments, list):
            if len(arguments) != len(names):
                plural = "" if len(names) == 1 else "s"
                message = f"{function.name} takes {len(names)} argument{plural}, not {len(arguments)}"
                self._records.report("LSQ489", message, key_path, help=f"it is declared as {function.signature}")
                return {}
            by_parameter = {
                name: ((*key_path, i), value) for i, (name, value) in enumerate(zip(names, arguments, strict=True))
            }
        else:
            by_parameter = {}
            by_name = {name.casefold(): name for name in names}
            for name, value in arguments.items():
                parameter = by_name.get(name.casefold())
                if parameter is None:
                    help = did_you_mean(name, names) or f"its parameters are {listing(names)}"
                    message = f"{function.name} has no parameter '{name}'"
                    self._records.report("LSQ489", message, (*key_path, name), key=True, help=help)
                    continue
                by_parameter[parameter] = ((*key_path, name), value)
            missing = [name for name in names if name not in by_parameter]
            if missing:
                message = f"the argument '{missing[0]}' of {function.name} is missing"
                self._records.report("LSQ489", message, key_path, help=f"it is declared as {function.signature}")
        types = {p.name: p.type for p in function.parameters}
        return {
            name: self._value(where, value, types[name], name, function)
            for name, (where, value) in by_parameter.items()
        } or {"none": None}

    def _value(self, key_path: KeyPath, data: Any, type: DataType, what: str, function: OwnFunction) -> Any:
        value, problems = self._records.value(type, key_path, data, what)
        for problem, span in problems:
            message = f"a call does not match {function.name}: {problem}"
            help = f"it is declared as {function.signature}"
            self._decoder.report("LSQ489", message, span, help=help)
        return value
