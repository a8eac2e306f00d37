"""Signatures of evidence by ed25519 (Bernstein and others, 2012): who signed, and that nothing was changed since.

The signature is of the canonical form of the evidence without its `signature` key. The public key stands beside it, so
that anybody can check that evidence and signature belong together; that the key is the one of the custodian is for the
reader to know, by its fingerprint or its file.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.errors import BadFile, BadPlan
from lookalike.report.canonical import canonical, covered

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ALGORITHM = "ed25519"
Passphrase = Callable[[], bytes | None]
"""Asked for only if a key needs one; None: nobody told."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Signer:
    """Somebody who can sign."""

    _key: Ed25519PrivateKey

    @property
    def public(self) -> bytes:
        """The public key as 32 bytes."""
        return self._key.public_key().public_bytes_raw()

    @property
    def fingerprint(self) -> str:
        """See `fingerprint`."""
        return fingerprint(self.public)

    def signed(self, evidence: Mapping[str, Any]) -> dict[str, Any]:
        """The evidence with this signature, in place of any other."""
        said = covered(evidence)
        value = self._key.sign(canonical(said))
        return {**said, "signature": {"algorithm": ALGORITHM, "public_key": _text(self.public), "value": _text(value)}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A signature that was checked: whose it is, and whether it is of this evidence."""

    public: bytes
    good: bool

    @property
    def fingerprint(self) -> str:
        """See `fingerprint`."""
        return fingerprint(self.public)


def fingerprint(public: bytes) -> str:
    """A short name of a public key: the SHA-256 of its 32 bytes in base 64.

    >>> fingerprint(bytes(32))
    'SHA256:Zmh6rfhivXdsj8GLjp+OIAiXFIVu4jOzkCpZHQ1fKSU'
    """
    return f"SHA256:{_text(hashlib.sha256(public).digest()).rstrip('=')}"


def checked(evidence: Mapping[str, Any]) -> Signed | None:
    """The signature of an evidence, checked; None if it has none. One that cannot be read is not good."""
    if "signature" not in evidence:
        return None
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    public = b""
    try:
        signature = evidence["signature"]
        public = base64.b64decode(signature["public_key"], validate=True)
        value = base64.b64decode(signature["value"], validate=True)
        Ed25519PublicKey.from_public_bytes(public).verify(value, canonical(covered(evidence)))
    except (InvalidSignature, KeyError, TypeError, ValueError):
        return Signed(public=public, good=False)
    return Signed(public=public, good=signature.get("algorithm") == ALGORITHM)


def new_key(path: Path, passphrase: bytes | None = None) -> Signer:
    """Make a key: the private one in a file that its owner alone can read, the public one beside it."""
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    beside = public_path(path)
    there = [
        f"{file.name} exists. A key is never replaced: choose another name." for file in (path, beside) if file.exists()
    ]
    if there:
        raise BadPlan(there)
    key = Ed25519PrivateKey.generate()
    locked = form.BestAvailableEncryption(passphrase) if passphrase else form.NoEncryption()
    _create(path, key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, locked), 0o600)
    public = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    _create(beside, public, 0o644)
    return Signer(key)


def public_path(path: Path) -> Path:
    """Where the public key of a private one lies."""
    return path.with_name(f"{path.name}.pub")


def signer_from(path: Path, passphrase: Passphrase) -> Signer:
    """The private key of a file; raises if it is none, or if its passphrase is wrong or not told."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    content = _bytes(path)
    try:
        key = load_pem_private_key(content, None)
    except TypeError:  # it is locked
        key = _unlocked(path, content, passphrase())
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if b"PUBLIC KEY" in content:
        raise BadFile(f"{path.name} is a public key. Sign with the private one, the file without .pub.")
    if not isinstance(key, Ed25519PrivateKey):
        raise BadFile(f"{path.name} is not a private ed25519 key in PEM. Make one: lookalike keygen FILE.")
    return Signer(key)


def _unlocked(path: Path, content: bytes, passphrase: bytes | None) -> Any:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    if not passphrase:
        raise BadPlan(f"{path.name} has a passphrase. Give it at the prompt, or in LOOKALIKE_KEY_PASSPHRASE.")
    try:
        return load_pem_private_key(content, passphrase)
    except ValueError:
        raise BadPlan(f"{path.name}: the passphrase is wrong, or the file is damaged.") from None


def public_from(path: Path) -> bytes:
    """The public key of a file as 32 bytes."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(_bytes(path))
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise BadFile(f"{path.name} is not a public ed25519 key in PEM: name the file that ends in .pub.")
    return key.public_bytes_raw()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise BadFile(f"{path.name}: there is no such key.") from None
    except OSError as error:
        raise BadFile(f"{path.name} cannot be read as a key: {error.strerror}.") from None


def _create(path: Path, content: bytes, mode: int) -> None:
    """A new file; one that somebody else has just made is left alone."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
    except OSError as error:
        raise BadPlan(f"{path.name} cannot be written there: {error.strerror}.") from None


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
