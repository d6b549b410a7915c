"""A checksum over bytes, bit by bit."""
import numpy as np


def kernel(data, poly=0x8408):
    crc = 0xFFFF
    for b in data:
        cur = 0xFF & b
        for _ in range(8):
            if (crc & 1) ^ (cur & 1):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            cur >>= 1
    crc = ~crc & 0xFFFF
    return (crc << 8) | ((crc >> 8) & 0xFF)


def arguments(n, rng):
    return (rng.integers(0, 256, n).astype(np.uint8),)


SIZES = {"test": 40, "bench": 150000}
