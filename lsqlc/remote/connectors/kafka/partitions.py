"""In which partition Java's clients put a record: murmur2 of its key, over the number of partitions.

Spark has no such function, and made of its SQL it takes fifty times as long as here. The function travels to the server
pickled by value.
"""

from __future__ import annotations

from typing import Any

from lsqlc.remote.connectors.publish import placeless


def partitioner() -> Any:
    """A function of an Arrow column of keys (BINARY) and one of BIGINT that gives the hash of each key as a list of
    numbers from 0 to 2^31 - 1: that of Java's clients, or for a null key what the other column has.
    """

    def with_numpy(keys: Any, others: Any) -> Any:
        import numpy

        keys = keys.cast("large_binary")
        offsets = numpy.frombuffer(keys.buffers()[1], numpy.int64)[keys.offset :][: len(keys) + 1]
        starts, lengths = offsets[:-1], offsets[1:] - offsets[:-1]
        data = keys.buffers()[2]
        # What is read behind the last key is not used.
        octets = numpy.frombuffer(bytes(data or b"") + bytes(4), numpy.uint8)
        factor, count = numpy.uint32(0x5BD1E995), lengths // 4
        hashes = lengths.astype(numpy.uint32) ^ numpy.uint32(0x9747B28C)
        for n in range(int(count.max(initial=0))):
            some = numpy.nonzero(count > n)[0]
            words = octets[(starts[some] + 4 * n)[:, None] + numpy.arange(4)].view("<u4")[:, 0] * factor
            words ^= words >> 24
            hashes[some] = hashes[some] * factor ^ words * factor
        left = lengths % 4
        for n in (2, 1, 0):
            some = numpy.nonzero(left > n)[0]
            hashes[some] ^= octets[starts[some] + 4 * count[some] + n].astype(numpy.uint32) << (8 * n)
        hashes[left > 0] *= factor
        hashes ^= hashes >> 13
        hashes *= factor
        hashes ^= hashes >> 15
        given = numpy.where(keys.is_valid().to_numpy(False), hashes, others.to_numpy(False))
        return (given & 0x7FFFFFFF).tolist()

    def of_key(key: bytes) -> int:
        mask, factor, whole = 0xFFFFFFFF, 0x5BD1E995, len(key) // 4 * 4
        found = len(key) ^ 0x9747B28C
        for start in range(0, whole, 4):
            word = int.from_bytes(key[start : start + 4], "little") * factor & mask
            found = found * factor & mask ^ (word ^ word >> 24) * factor & mask
        if whole < len(key):
            found = (found ^ int.from_bytes(key[whole:], "little")) * factor & mask
        found = (found ^ found >> 13) * factor & mask
        return (found ^ found >> 15) & 0x7FFFFFFF

    of_key = placeless(of_key)

    def without_numpy(keys: Any, others: Any) -> Any:
        pairs = zip(keys.to_pylist(), others.to_pylist(), strict=True)
        return [other & 0x7FFFFFFF if key is None else of_key(key) for key, other in pairs]

    with_numpy, without_numpy = placeless(with_numpy), placeless(without_numpy)

    def hashes(keys: Any, others: Any) -> Any:
        try:
            import numpy  # noqa: F401
        except ImportError:
            return without_numpy(keys, others)
        return with_numpy(keys, others)

    return placeless(hashes)
