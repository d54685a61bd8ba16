"""Write the Delta tables of the example: with an argument, one more version of each."""

import sys
from datetime import UTC, datetime

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

READINGS = pa.schema([("meter", pa.string()), ("at", pa.timestamp("us", "UTC")), ("level", pa.float64())])
METERS = pa.schema([("meter", pa.string()), ("district", pa.string()), ("warns_above", pa.float64())])


def readings(*rows: tuple[str, int, float]) -> pa.Table:
    """Return rows of a meter, an hour and a level."""
    return pa.Table.from_pylist(
        [{"meter": m, "at": datetime(2024, 3, 1, hour, tzinfo=UTC), "level": v} for m, hour, v in rows], READINGS
    )


if len(sys.argv) == 1:
    rows = [("m1", "north", 5.0), ("m2", "north", 8.0), ("m3", "south", 8.0)]
    meters = pa.Table.from_pylist([dict(zip(METERS.names, row, strict=True)) for row in rows], METERS)
    write_deltalake("tables/meters", meters)
    write_deltalake("tables/readings", readings(("m1", 6, 4.0), ("m1", 7, 6.5), ("m2", 7, 6.5), ("m3", 7, 9.0)))
else:
    DeltaTable("tables/meters").update(updates={"district": "'south'"}, predicate="meter = 'm2'")
    DeltaTable("tables/meters").update(updates={"warns_above": "6.0"}, predicate="meter = 'm2'")
    write_deltalake("tables/readings", readings(("m2", 8, 7.0)), mode="append")
