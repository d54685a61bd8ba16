"""How a connector writes the columns of a row as JSON, as the declaration of a topic says it: the bytes do not.

The settings are in the name of the format as plans spell it: `debezium[times=micros,decimals=base64,.created=millis]`,
where a name with a point is that of a column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.formats.record import SettingError
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal, Struct, parts

TIMES = ("millis", "micros", "nanos", "text")
DECIMALS = ("base64", "text", "number")
UNAVAILABLE = ("fail", "null", "keep")
NAMES = ("times", "decimals", "columns", "unavailable")
_CHOICES: Mapping[str, tuple[str, ...]] = {"times": TIMES, "decimals": DECIMALS, "unavailable": UNAVAILABLE}


@dataclass(frozen=True, slots=True)
class Settings:
    """`times`: the unit of numbers for TIMESTAMP and TIME, or `text`; `decimals`: the form of DECIMAL; empty: nothing
    says it. `columns`: the same for single columns, by name. `unavailable`: what the placeholder of a value becomes
    that the database did not send.
    """

    times: str = ""
    decimals: str = ""
    columns: tuple[tuple[str, str], ...] = ()
    unavailable: str = "fail"

    def form(self, name: str, type: DataType) -> str:
        """Return the form of a column that has several; empty if it has one form, or none is declared."""
        own = dict(self.columns).get(name)
        if type in (data.TIMESTAMP, data.TIME):
            return own or self.times
        return (own or self.decimals) if isinstance(type, Decimal) else ""

    def __str__(self) -> str:
        """Return the settings as in the name of a format; empty if none is declared."""
        pairs = [("times", self.times), ("decimals", self.decimals)]
        pairs += [] if self.unavailable == "fail" else [("unavailable", self.unavailable)]
        pairs += [(f".{quote(name, safe='')}", form) for name, form in self.columns]
        return ",".join(f"{name}={value}" for name, value in pairs if value)


def settings_of(format: str) -> Settings:
    """Return the settings in the name of a format.

    >>> settings_of("debezium[times=micros,.created=millis]")
    Settings(times='micros', decimals='', columns=(('created', 'millis'),), unavailable='fail')
    """
    _, _, inside = format.rstrip("]").partition("[")
    pairs = dict(pair.split("=", 1) for pair in inside.split(",") if pair)
    columns = tuple((unquote(name[1:]), form) for name, form in pairs.items() if name.startswith("."))
    return Settings(**{name: form for name, form in pairs.items() if not name.startswith(".")}, columns=columns)


def declared_settings(declaration: Mapping[str, Any], row: Struct, *, has_forms: bool) -> str:
    """Return the settings of a declaration as in the name of the format. `has_forms`: columns have several forms.

    Raises SettingError: LSQ645 for an invalid setting, LSQ644 for a column without a form.
    """
    if "unavailable" in declaration and declaration["unavailable"] is None:
        # The word null of YAML.
        declaration = {**declaration, "unavailable": "null"}
    for name, choices in _CHOICES.items():
        if name in declaration and declaration[name] not in choices:
            help = f"write {listing(choices)}"
            raise SettingError("LSQ645", f"'{declaration[name]}' is not a form of '{name}'", (name,), help)
    columns = declaration.get("columns", {})
    if not isinstance(columns, Mapping):
        raise SettingError("LSQ645", "expected the forms of columns", ("columns",), "write {created: millis}")
    for name, form in columns.items():
        _check_column(str(name), form, row)
    settings = Settings(
        declaration.get("times", ""),
        declaration.get("decimals", ""),
        tuple((str(name), form) for name, form in columns.items()),
        declaration.get("unavailable", "fail"),
    )
    if has_forms:
        _check_forms(settings, row)
    return str(settings)


def _check_column(name: str, form: Any, row: Struct) -> None:
    where, field = ("columns", name), row.field(name)
    if field is None:
        names = [f.name for f in row.fields]
        help = did_you_mean(name, names) or f"the columns are {listing(names)}"
        raise SettingError("LSQ645", f"'{name}' is not a column", where, help)
    choices = _choices(field.type)
    if not choices:
        message = f"'{name}' is {field.type}, which has one form only"
        raise SettingError("LSQ645", message, where, "leave it out: only TIMESTAMP, TIME and DECIMAL have several")
    if form not in choices:
        raise SettingError("LSQ645", f"'{form}' is not a form of '{name}'", where, f"write {listing(choices)}")


def _choices(type: DataType) -> tuple[str, ...]:
    if type in (data.TIMESTAMP, data.TIME):
        return TIMES
    return DECIMALS if isinstance(type, Decimal) else ()


def _check_forms(settings: Settings, row: Struct) -> None:
    for field in row.fields:
        if choices := _choices(field.type):
            if not settings.form(field.name, field.type):
                key = "decimals" if choices == DECIMALS else "times"
                message = f"'{field.name}' is {field.type}, and nothing says how the connector writes it"
                raise SettingError("LSQ644", message, (), f"add `{key}: {choices[1]}`, or one of {listing(choices)}")
        elif inner := next((part for part in parts(field.type) if _choices(part)), None):
            message = f"'{field.name}' is {field.type}, and {inner} is only converted as a column of the row"
            type = "STRING" if isinstance(inner, Decimal) else "BIGINT"
            raise SettingError("LSQ644", message, (), f"declare {type} in place of {inner}")
