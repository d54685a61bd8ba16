# Pathway has no part in the venv that is checked here.
# mypy: disable-error-code="import-not-found,misc"
"""The queries in Pathway's words: it reads what the topics hold, and ends. It runs in a venv of Pathway's own, which
has nothing of lsqlc.

Arguments: bootstrap servers, query, output topic. It prints when it began to read, in seconds since 1970.
"""

import sys
import time
from typing import Any

import pathway as pw

BOOTSTRAP, QUERY, OUTPUT = sys.argv[1:]
SETTINGS = {"bootstrap.servers": BOOTSTRAP, "group.id": f"pathway-{QUERY}", "auto.offset.reset": "earliest"}
TEN = 10_000


class Person(pw.Schema):
    number: int = pw.column_definition(primary_key=True)
    name: str
    city: str
    state: str
    dateTime: str


class Auction(pw.Schema):
    number: int = pw.column_definition(primary_key=True)
    itemName: str
    description: str
    initialBid: int
    reserve: int
    dateTime: str
    expires: str
    seller: int
    category: int


class Bid(pw.Schema):
    auction: int
    bidder: int
    price: int
    channel: str
    url: str
    dateTime: str
    extra: str


class Update(pw.Schema):
    number: int
    grp: str
    amount: int


def read(topic: str, schema: Any, **more: Any) -> Any:
    """The records of a topic. `id` is Pathway's own name of a row, so that the field has another one."""
    paths = {"number": "/id"} if "number" in schema.column_names() else None
    return pw.io.kafka.read(
        SETTINGS, topic, schema=schema, format="json", mode="static", json_field_paths=paths, **more
    )


def bids() -> Any:
    return read("bid", Bid)


def millis(column: Any) -> Any:
    """The time of a text, in milliseconds since 1970."""
    at = column.dt.strptime("%Y-%m-%dT%H:%M:%S%.fZ", contains_timezone=False).dt.timestamp(unit="ms")
    # A float, which may lie just below the whole number.
    return pw.cast(int, at + 0.5)


def text(column: Any) -> Any:
    """The text of a time."""
    return pw.apply_with_type(_text, str, column)


def _text(at: int) -> str:
    seconds, rest = divmod(at, 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:03}Z"


def q00() -> Any:
    return bids().select(pw.this.auction, pw.this.bidder, pw.this.price, pw.this.dateTime, pw.this.extra)


def q01() -> Any:
    # It has no decimals: to the digits that the result has.
    price = (0.908 * pw.this.price).num.round(3)
    return bids().select(pw.this.auction, pw.this.bidder, pw.this.dateTime, pw.this.extra, price=price)


def q02() -> Any:
    return bids().filter(pw.this.auction % 123 == 0).select(pw.this.auction, pw.this.price)


def q03() -> Any:
    state = pw.this.state
    sellers = read("person", Person).filter((state == "OR") | (state == "ID") | (state == "CA"))
    auctions = read("auction", Auction).filter(pw.this.category == 10)
    return auctions.join(sellers, pw.left.seller == pw.right.number).select(
        pw.right.name, pw.right.city, pw.right.state, id_=pw.left.number
    )


def q04() -> Any:
    auctions = read("auction", Auction).select(
        pw.this.number, pw.this.category, begins=millis(pw.this.dateTime), ends=millis(pw.this.expires)
    )
    offered = bids().select(pw.this.auction, pw.this.price, at=millis(pw.this.dateTime))
    met = offered.join(auctions, pw.left.auction == pw.right.number).select(
        pw.right.number, pw.right.category, pw.left.price, pw.left.at, pw.right.begins, pw.right.ends
    )
    highest = (
        met.filter((pw.this.at >= pw.this.begins) & (pw.this.at <= pw.this.ends))
        .groupby(pw.this.number, pw.this.category)
        .reduce(pw.this.category, final=pw.reducers.max(pw.this.price))
    )
    return highest.groupby(pw.this.category).reduce(pw.this.category, average=pw.reducers.avg(pw.this.final))


def q05() -> Any:
    timed = bids().select(pw.this.auction, at=millis(pw.this.dateTime))
    counted = timed.windowby(
        pw.this.at, window=pw.temporal.sliding(hop=2_000, duration=TEN), instance=pw.this.auction
    ).reduce(auction=pw.this._pw_instance, start=pw.this._pw_window_start, num=pw.reducers.count())
    largest = counted.groupby(pw.this.start).reduce(pw.this.start, maxn=pw.reducers.max(pw.this.num))
    hot = counted.join(largest, pw.left.start == pw.right.start, pw.left.num == pw.right.maxn)
    return hot.select(pw.left.auction, pw.left.num, starttime=text(pw.left.start))


def q07() -> Any:
    timed = bids().with_columns(start=window(millis(pw.this.dateTime)))
    highest = timed.groupby(pw.this.start).reduce(pw.this.start, maxprice=pw.reducers.max(pw.this.price))
    met = timed.join(highest, pw.left.start == pw.right.start, pw.left.price == pw.right.maxprice)
    return met.select(pw.left.auction, pw.left.price, pw.left.bidder, pw.left.dateTime, pw.left.extra)


def q08() -> Any:
    came = read("person", Person).select(pw.this.number, pw.this.name, start=window(millis(pw.this.dateTime)))
    came = came.groupby(pw.this.number, pw.this.name, pw.this.start).reduce(pw.this.number, pw.this.name, pw.this.start)
    sold = read("auction", Auction).select(pw.this.seller, start=window(millis(pw.this.dateTime)))
    sold = sold.groupby(pw.this.seller, pw.this.start).reduce(pw.this.seller, pw.this.start)
    met = came.join(sold, pw.left.number == pw.right.seller, pw.left.start == pw.right.start)
    return met.select(pw.left.name, id_=pw.left.number, starttime=text(pw.left.start))


def q11() -> Any:
    timed = bids().select(pw.this.bidder, at=millis(pw.this.dateTime))
    sessions = timed.windowby(
        pw.this.at, window=pw.temporal.session(predicate=lambda one, other: other - one < TEN), instance=pw.this.bidder
    ).reduce(
        bidder=pw.this._pw_instance, bid_count=pw.reducers.count(),
        start=pw.reducers.min(pw.this.at), last=pw.reducers.max(pw.this.at),
    )  # fmt: skip
    return sessions.select(
        pw.this.bidder, pw.this.bid_count, starttime=text(pw.this.start), endtime=text(pw.this.last + TEN)
    )


def q12() -> Any:
    taken = read("bid", Bid, with_metadata=True).select(
        pw.this.bidder, start=window(pw.this._metadata["timestamp_millis"].as_int(unwrap=True))
    )
    counted = taken.groupby(pw.this.bidder, pw.this.start).reduce(
        pw.this.bidder, pw.this.start, bid_count=pw.reducers.count()
    )
    return counted.select(
        pw.this.bidder, pw.this.bid_count, starttime=text(pw.this.start), endtime=text(pw.this.start + TEN)
    )


def q17() -> Any:
    price = pw.this.price
    ranked = bids().select(
        pw.this.auction, price, day=pw.this.dateTime.str.slice(0, 10),
        rank1=pw.cast(int, price < 10_000), rank2=pw.cast(int, (price >= 10_000) & (price < 1_000_000)),
        rank3=pw.cast(int, price >= 1_000_000),
    )  # fmt: skip
    return ranked.groupby(pw.this.auction, pw.this.day).reduce(
        pw.this.auction, pw.this.day, total_bids=pw.reducers.count(),
        rank1_bids=pw.reducers.sum(pw.this.rank1), rank2_bids=pw.reducers.sum(pw.this.rank2),
        rank3_bids=pw.reducers.sum(pw.this.rank3), min_price=pw.reducers.min(price), max_price=pw.reducers.max(price),
        avg_price=pw.reducers.avg(price), sum_price=pw.reducers.sum(price),
    )  # fmt: skip


def q20() -> Any:
    auctions = read("auction", Auction).filter(pw.this.category == 10)
    return bids().join(auctions, pw.left.auction == pw.right.number).select(
        pw.left.auction, pw.left.bidder, pw.left.price, pw.left.channel, pw.left.url, pw.left.dateTime, pw.left.extra,
        pw.right.itemName, pw.right.description, pw.right.initialBid, pw.right.reserve, pw.right.expires,
        pw.right.seller, pw.right.category, auctionTime=pw.right.dateTime,
    )  # fmt: skip


def table_by_group() -> Any:
    # It reads each record of the topic as a row: the newest of an id is the one with the highest number.
    updates = read("updates", Update)
    newest = updates.groupby(pw.this.number).reduce(last=pw.reducers.argmax(pw.this.amount))
    rows = newest.select(grp=updates.ix(newest.last).grp)
    return rows.groupby(pw.this.grp).reduce(pw.this.grp, n=pw.reducers.count())


def window(at: Any) -> Any:
    """The start of the ten seconds that a time is in."""
    return at - at % TEN


pw.io.kafka.write(globals()[QUERY](), SETTINGS, OUTPUT, format="json")
print(time.time(), flush=True)
pw.run(monitoring_level=pw.MonitoringLevel.NONE)
