"""Kernels of one normal variable: its distribution function, the inverse, and a draw between two bounds."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lookalike.models._drawing import _uniform

_ROOT_HALF = math.sqrt(0.5)
_NOTHING = 1e-300

# Wichura (1988), algorithm AS 241, PPND16: relative error below 1e-16.
_A = np.array(
    [
        3.3871328727963666080,
        133.14166789178437745,
        1971.5909503065514427,
        13731.693765509461125,
        45921.953931549871457,
        67265.770927008700853,
        33430.575583588128105,
        2509.0809287301226727,
    ]
)
_B = np.array(
    [
        1.0,
        42.313330701600911252,
        687.18700749205790830,
        5394.1960214247511077,
        21213.794301586595867,
        39307.895800092710610,
        28729.085735721942674,
        5226.4952788528545610,
    ]
)
_C = np.array(
    [
        1.42343711074968357734,
        4.63033784615654529590,
        5.76949722146069140550,
        3.64784832476320460504,
        1.27045825245236838258,
        0.241780725177450611770,
        0.0227238449892691845833,
        7.74545014278341407640e-4,
    ]
)
_D = np.array(
    [
        1.0,
        2.05319162663775882187,
        1.67638483018380384940,
        0.689767334985100004550,
        0.148103976427480074590,
        0.0151986665636164571966,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ]
)
_E = np.array(
    [
        6.65790464350110377720,
        5.46378491116411436990,
        1.78482653991729133580,
        0.296560571828504891230,
        0.0265321895265761230930,
        0.00124266094738807843860,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ]
)
_F = np.array(
    [
        1.0,
        0.599832206555887937690,
        0.136929880922735805310,
        0.0148753612908506148525,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ]
)


@njit(cache=True, nogil=True)
def _ratio(top, bottom, x):  # type: ignore[no-untyped-def]
    up, down = top[7], bottom[7]
    for k in range(6, -1, -1):
        up, down = up * x + top[k], down * x + bottom[k]
    return up / down


@njit(cache=True, nogil=True)
def below(z):  # type: ignore[no-untyped-def]
    """Φ(z)."""
    return 0.5 * math.erfc(-z * _ROOT_HALF)


@njit(cache=True, nogil=True)
def quantile(p):  # type: ignore[no-untyped-def]
    """Φ⁻¹(p) for 0 < p < 1."""
    q = p - 0.5
    if abs(q) <= 0.425:
        return q * _ratio(_A, _B, 0.180625 - q * q)
    r = math.sqrt(-math.log(p if q < 0 else 1 - p))
    found = _ratio(_C, _D, r - 1.6) if r <= 5 else _ratio(_E, _F, r - 5)
    return -found if q < 0 else found


@njit(cache=True, nogil=True)
def between(state, low, high):  # type: ignore[no-untyped-def]
    """A standard normal draw between two bounds, by the inverse; a stretch of no weight gives its likeliest end."""
    if low > 0:
        # Above zero the tail is small on the other side: turned around, no digit is lost.
        return -_lower(state, -high, -low)
    return _lower(state, low, high)


@njit(cache=True, nogil=True)
def _lower(state, low, high):  # type: ignore[no-untyped-def]
    p, top = below(low), below(high)
    u = p + _uniform(state) * (top - p)
    if top - p <= 0 or u < _NOTHING or u >= 1:
        return min(max(0.0, low), high)
    return min(max(quantile(u), low), high)
