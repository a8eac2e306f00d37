"""One way to write plain data: what digests and signatures are taken of, whatever an editor did to the file.

Keys sorted, no spaces, UTF-8, numbers as Python writes them: the shortest digits that read as the same number (Steele
and White, 1990). So a file that was indented otherwise has the same digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lookalike.errors import BadFile

APART = ("signature",)
"""Keys of the evidence that its digest and signature do not cover."""


def canonical(document: Any) -> bytes:
    """Plain data in its one form.

    >>> canonical({"b": 1.50, "a": ["é"]})
    b'{"a":["\\xc3\\xa9"],"b":1.5}'
    """
    plain = json.loads(
        json.dumps(document, allow_nan=False)
    )  # keys that are numbers become texts before they are sorted
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest(document: Any) -> str:
    """The SHA-256 of plain data.

    >>> digest({"a": 1})[:8]
    '015abd7f'
    """
    return hashlib.sha256(canonical(document)).hexdigest()


def covered(evidence: Mapping[str, Any], *apart: str) -> dict[str, Any]:
    """The evidence without its signature and keys named: what a digest or signature is taken of."""
    return {key: value for key, value in evidence.items() if key not in (*APART, *apart)}


def sealed(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence with the digest of all that it says, so that a change by accident is found.

    >>> sealed({"seed": 1})
    {'seed': 1, 'sha256': 'fbe47f6d82b435a89f6e6fca65ad16138195de06c5fc3ffb66826a76e64e479f'}
    """
    return {**evidence, "sha256": digest(covered(evidence, "sha256"))}


def read_json(path: Path, what: str) -> Any:
    """Plain data from a file; infinities and keys that come twice are refused, for readers take them differently."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_once, parse_constant=_refused)
        canonical(found)
    except FileNotFoundError:
        raise BadFile(f"{path.name}: there is no such {what}.") from None
    except (OSError, ValueError, RecursionError):
        raise BadFile(f"{path.name} is not {what} in JSON: it is damaged, or another file.") from None
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key comes twice")
    return found


def _refused(name: str) -> Any:
    raise ValueError(name)
