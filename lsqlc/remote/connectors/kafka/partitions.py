"""The partition of a record by the rule of Java's clients: murmur2 of its key, modulo the number of partitions.

Spark has no such function, and an SQL expression would take fifty times as long. The function is pickled by value and
sent to the server.
"""

from __future__ import annotations

from typing import Any

from lsqlc.remote.connectors.publish import placeless


def partitioner() -> Any:
    """Return a function that computes the hash of each key, a number from 0 to 2^31 - 1, like Java's clients.

    Its arguments are an Arrow column of keys (BINARY) and one of BIGINT, whose value is used for a null key. Its result
    is a list.
    """

    def with_numpy(keys: Any, others: Any) -> Any:
        import numpy

        keys = keys.cast("large_binary")
        offsets = numpy.frombuffer(keys.buffers()[1], numpy.int64)[keys.offset :][: len(keys) + 1]
        starts, lengths = offsets[:-1], offsets[1:] - offsets[:-1]
        data = keys.buffers()[2]
        # The bytes after the last key are not used.
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
        numbers = numpy.where(keys.is_valid().to_numpy(False), hashes, others.to_numpy(False))
        return (numbers & 0x7FFFFFFF).tolist()

    def of_key(key: bytes) -> int:
        mask, factor, whole = 0xFFFFFFFF, 0x5BD1E995, len(key) // 4 * 4
        hash = len(key) ^ 0x9747B28C
        for start in range(0, whole, 4):
            word = int.from_bytes(key[start : start + 4], "little") * factor & mask
            hash = hash * factor & mask ^ (word ^ word >> 24) * factor & mask
        if whole < len(key):
            hash = (hash ^ int.from_bytes(key[whole:], "little")) * factor & mask
        hash = (hash ^ hash >> 13) * factor & mask
        return (hash ^ hash >> 15) & 0x7FFFFFFF

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
