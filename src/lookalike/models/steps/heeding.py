"""A network that is interrupted stops: scikit-learn would go on with what it has learned so far."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heeding_interrupts() -> Iterator[None]:
    """Raise `KeyboardInterrupt` where scikit-learn swallows one and warns.

    >>> try:
    ...     with heeding_interrupts():
    ...         warnings.warn("Training interrupted by user.")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    interrupted
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="Training interrupted by user")
        try:
            yield
        except UserWarning as warning:
            if "Training interrupted" not in str(warning):
                raise
            raise KeyboardInterrupt from None
