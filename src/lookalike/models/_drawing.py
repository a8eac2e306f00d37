"""Kernels that draw records of a normal law cut at thresholds, straight into codes or keys.

Each chunk of records has its own stream (xoshiro256++ of Blackman and Vigna 2021, seeded by splitmix64 from the seed
and the chunk's number), so the records do not depend on the number of threads. Normals by the ziggurat of Marsaglia
and Tsang (2000) in the form of Doornik (2005), with 256 layers and all 52 bits of the uniform.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

REACH = 6.0
"""Guides cover −6 to 6; beyond, the scan goes on from the last place."""

BATCH = 256
"""Records drawn together, so that their sums run over memory in one piece."""

_TAIL = 3.6541528853610088
_AREA = 0.00492867323399
_STEP, _MIX1, _MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_UNIT = 2.0**-53
_PER_UNIT = 1 / (2 * REACH)


def _layers() -> NDArray[np.float64]:
    """The right ends of the layers, from the widest to 0."""
    x = np.zeros(257)
    x[0], x[1] = _AREA / math.exp(-_TAIL * _TAIL / 2), _TAIL
    for i in range(2, 256):
        x[i] = math.sqrt(-2 * math.log(_AREA / x[i - 1] + math.exp(-(x[i - 1] ** 2) / 2)))
    return x


EDGE = _layers()
HEIGHT = np.exp(-(EDGE**2) / 2)


@njit(cache=True, nogil=True)
def _mix(x):  # type: ignore[no-untyped-def]
    x = (x ^ (x >> np.uint64(30))) * _MIX1
    x = (x ^ (x >> np.uint64(27))) * _MIX2
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def _start(seed, chunk, state):  # type: ignore[no-untyped-def]
    # The chunk's number is mixed before it is counted on, so that the states of two chunks share no word.
    x = _mix(seed[0] + np.uint64(chunk) * _STEP) ^ seed[1]
    for k in range(4):
        x += _STEP
        state[k] = _mix(x)


@njit(cache=True, nogil=True)
def _bits(s):  # type: ignore[no-untyped-def]
    mixed = s[0] + s[3]
    result = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + s[0]
    t = s[1] << np.uint64(17)
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = (s[3] << np.uint64(45)) | (s[3] >> np.uint64(19))
    return result


@njit(cache=True, nogil=True)
def _uniform(s):  # type: ignore[no-untyped-def]
    return (np.int64(_bits(s) >> np.uint64(11)) + 0.5) * _UNIT


@njit(cache=True, nogil=True)
def _normal(s):  # type: ignore[no-untyped-def]
    while True:
        bits = _bits(s)
        layer = np.int64(bits & np.uint64(255))
        # A whole number with sign from the top 54 bits: a uniform on (−1, 1).
        x = (np.int64(bits) >> 10) * _UNIT * EDGE[layer]
        if abs(x) < EDGE[layer + 1]:
            return x
        if layer == 0:
            while True:
                tail = -math.log(_uniform(s)) / _TAIL
                if -2 * math.log(_uniform(s)) > tail * tail:
                    return math.copysign(_TAIL + tail, x)
        high, low = HEIGHT[layer + 1], HEIGHT[layer]
        if low + _uniform(s) * (high - low) < math.exp(-x * x / 2):
            return x


@njit(cache=True, nogil=True)
def _batch(state, root, e, z):  # type: ignore[no-untyped-def]
    """BATCH normal vectors, one a column of z, with covariance root·rootᵀ; root is lower triangular."""
    for k in range(e.shape[0]):
        for i in range(BATCH):
            e[k, i] = _normal(state)
    z[:] = 0.0
    for j in range(e.shape[0]):
        for k in range(j + 1):
            weight = root[j, k]
            if weight != 0:
                for i in range(BATCH):
                    z[j, i] += weight * e[k, i]


@njit(cache=True, nogil=True)
def _category(z, j, cuts, cut_from, guide, guide_from, bins):  # type: ignore[no-untyped-def]
    """How many thresholds of variable j are not above z: a guess by the guide, then a short scan."""
    place = int((z + REACH) * (bins[j] * _PER_UNIT))
    place = min(max(place, 0), bins[j] - 1)
    c = guide[guide_from[j] + place]
    while z >= cuts[cut_from[j] + c]:
        c += 1
    return c


@njit(cache=True, nogil=True)
def draw_codes(seed, chunk, root, cuts, cut_from, guide, guide_from, bins, out):  # type: ignore[no-untyped-def]
    """Categories of records, one column a variable."""
    n, q = out.shape
    state, e, z = np.empty(4, np.uint64), np.empty((q, BATCH)), np.empty((q, BATCH))
    _start(seed, chunk, state)
    for first in range(0, n, BATCH):
        _batch(state, root, e, z)
        for j in range(q):
            for i in range(first, min(n, first + BATCH)):
                out[i, j] = _category(z[j, i - first], j, cuts, cut_from, guide, guide_from, bins)


@njit(cache=True, nogil=True)
def draw_keys(seed, chunk, root, cuts, cut_from, guide, guide_from, bins, radix, closes, out):  # type: ignore[no-untyped-def]
    """The same records as keys: digits of mixed radix, as many words as hold them; `closes` ends a word."""
    n, q = out.shape[0], radix.size
    state, e, z = np.empty(4, np.uint64), np.empty((q, BATCH)), np.empty((q, BATCH))
    _start(seed, chunk, state)
    for first in range(0, n, BATCH):
        _batch(state, root, e, z)
        last, word, opens = min(n, first + BATCH), 0, True
        for j in range(q):
            for i in range(first, last):
                c = _category(z[j, i - first], j, cuts, cut_from, guide, guide_from, bins)
                out[i, word] = c if opens else out[i, word] * radix[j] + c
            opens = closes[j]
            if opens:
                word += 1


@njit(cache=True, nogil=True)
def draw_marks(seed, chunk, n, root, cuts, cut_from, guide, guide_from, bins, radix, marks):  # type: ignore[no-untyped-def]
    """The same records as bits: bit k of `marks` is set when a record has the key k."""
    q = radix.size
    state, e, z = np.empty(4, np.uint64), np.empty((q, BATCH)), np.empty((q, BATCH))
    keys = np.empty(BATCH, np.int64)
    _start(seed, chunk, state)
    for first in range(0, n, BATCH):
        _batch(state, root, e, z)
        count = min(n - first, BATCH)
        keys[:] = 0
        for j in range(q):
            for i in range(count):
                keys[i] = keys[i] * radix[j] + _category(z[j, i], j, cuts, cut_from, guide, guide_from, bins)
        for i in range(count):
            marks[keys[i] >> 6] |= np.uint64(1) << np.uint64(keys[i] & 63)
