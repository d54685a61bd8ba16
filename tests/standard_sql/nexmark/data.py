"""The events of Nexmark, an auction house: persons, auctions and bids, by the published description of the benchmark.

Of fifty events one is a person, three are auctions and 46 are bids. Half of the bids are on the hottest auction of the
last hundred, and three of four are by one of few hot bidders. All of it follows from the number of an event and a seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from random import Random
from typing import Any

from lsqlc import Record, Topic

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "person": {
        "id": "BIGINT NOT NULL", "name": "STRING NOT NULL", "emailAddress": "STRING", "creditCard": "STRING",
        "city": "STRING NOT NULL", "state": "STRING NOT NULL", "dateTime": "TIMESTAMP NOT NULL", "extra": "STRING",
    },
    "auction": {
        "id": "BIGINT NOT NULL", "itemName": "STRING", "description": "STRING", "initialBid": "BIGINT",
        "reserve": "BIGINT", "dateTime": "TIMESTAMP NOT NULL", "expires": "TIMESTAMP NOT NULL",
        "seller": "BIGINT NOT NULL", "category": "BIGINT NOT NULL", "extra": "STRING",
    },
    "bid": {
        "auction": "BIGINT NOT NULL", "bidder": "BIGINT NOT NULL", "price": "BIGINT NOT NULL",
        "channel": "STRING NOT NULL", "url": "STRING NOT NULL", "dateTime": "TIMESTAMP NOT NULL",
        "extra": "STRING NOT NULL",
    },
    "side_input": {"value": "STRING NOT NULL"},
}  # fmt: skip
# The key of a person and of an auction is the id, that of a bid its number among the events.
TOPICS = tuple(
    Topic(name, key="BIGINT", value=", ".join(f"{column} {type}" for column, type in columns.items()))
    for name, columns in COLUMNS.items()
)
SIDE = 100
START = 1_704_096_000_000  # 2024-01-01T08:00:00Z

_ROUND, _AUCTIONS = 50, 3
_FIRST_ID, _FIRST_CATEGORY, _CATEGORIES = 1000, 10, 5
_CITIES = {
    "Phoenix": "AZ", "Los Angeles": "CA", "San Francisco": "CA", "Boise": "ID", "Portland": "OR", "Bend": "OR",
    "Redmond": "WA", "Seattle": "WA", "Kent": "WA", "Cheyenne": "WY",
}  # fmt: skip
_NAMES = ("Ada", "Bo", "Chen", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jun")
_CHANNELS = ("Google", "Facebook", "Baidu", "Apple")


def side_input() -> Iterator[Record]:
    """The table of constants, which a query joins."""
    for number in range(SIDE):
        yield Record("side_input", number, {"value": f"side {number}"}, START)


def events(count: int, *, seed: int = 1, step: int = 10) -> Iterator[Record]:
    """So many events, `step` milliseconds apart."""
    random = Random(f"nexmark {seed}")
    for number in range(count):
        time = START + number * step
        place = number % _ROUND
        if place == 0:
            yield _person(random, number, time)
        elif place <= _AUCTIONS:
            yield _auction(random, number, time, step)
        else:
            yield _bid(random, number, time)


def _persons(number: int) -> int:
    """How many persons there are after that event."""
    return number // _ROUND + 1


def _auctions(number: int) -> int:
    return number // _ROUND * _AUCTIONS + min(number % _ROUND, _AUCTIONS)


def _person(random: Random, number: int, time: int) -> Record:
    id = _FIRST_ID + _persons(number) - 1
    name = f"{random.choice(_NAMES)} {random.choice(_NAMES)}"
    city = random.choice(tuple(_CITIES))
    value = {
        "id": id, "name": name, "emailAddress": f"{name.replace(' ', '.').lower()}@example.com",
        "creditCard": " ".join(f"{random.randrange(10_000):04}" for _ in range(4)), "city": city,
        "state": _CITIES[city], "dateTime": _instant(time), "extra": _letters(random, 8),
    }  # fmt: skip
    return Record("person", id, value, time)


def _auction(random: Random, number: int, time: int, step: int) -> Record:
    id = _FIRST_ID + _auctions(number) - 1
    price = _price(random)
    value = {
        "id": id, "itemName": f"item {_letters(random, 5)}", "description": _letters(random, 20), "initialBid": price,
        "reserve": price + _price(random), "dateTime": _instant(time),
        "expires": _instant(time + step * random.randint(_ROUND // 2, 6 * _ROUND)),
        "seller": _somebody(random, number, 100),
        "category": _FIRST_CATEGORY + random.randrange(_CATEGORIES), "extra": _letters(random, 12),
    }  # fmt: skip
    return Record("auction", id, value, time)


def _bid(random: Random, number: int, time: int) -> Record:
    last = _auctions(number) - 1
    hot = random.random() < 0.5
    auction = last // 100 * 100 if hot else max(0, last - random.randrange(100))
    channel, url = _channel(random)
    value = {
        "auction": _FIRST_ID + auction, "bidder": _somebody(random, number, 4), "price": _price(random),
        "channel": channel, "url": url, "dateTime": _instant(time), "extra": _letters(random, 15),
    }  # fmt: skip
    return Record("bid", number, value, time)


def _somebody(random: Random, number: int, hot: int) -> int:
    """A person who is there: three of four times a hot one, of which there is one in `hot`."""
    last = _persons(number) - 1
    return _FIRST_ID + (last // hot * hot if random.random() < 0.75 else random.randint(max(0, last - 999), last))


def _channel(random: Random) -> tuple[str, str]:
    """A channel, and an address; of every second one only the address says which it is, or nothing does."""
    folder = "/".join(_letters(random, 3) for _ in range(3))
    if random.random() < 0.5:
        return random.choice(_CHANNELS), f"https://www.nexmark.com/{folder}/item.htm?query=1"
    number = random.randrange(10_000)
    id = f"&channel_id={number}" if random.random() < 0.9 else ""
    return f"channel-{number}", f"https://www.nexmark.com/{folder}/item.htm?query=1{id}"


def _instant(time: int) -> datetime:
    return datetime.fromtimestamp(time / 1000, UTC)


def _price(random: Random) -> int:
    return round(100 * 10 ** (random.random() * 6))


def _letters(random: Random, count: int) -> str:
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=count))


def current(records: Iterator[Record]) -> Mapping[str, Mapping[Any, Mapping[str, Any]]]:
    """The rows of each topic by key; no event of this stream takes one back."""
    found: dict[str, dict[Any, Mapping[str, Any]]] = {name: {} for name in COLUMNS}
    for record in records:
        found[record.topic][record.key] = record.value
    return found
