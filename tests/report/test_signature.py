"""Signatures: of this evidence, by this key, or not good. Checked against the test vectors of RFC 8032."""

import base64
import json
import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from lookalike.errors import BadFile, BadPlan
from lookalike.report.canonical import canonical
from lookalike.report.signature import Signer, checked, fingerprint, new_key, public_from, public_path, signer_from

EVIDENCE = {"schema": 1, "risk": {"k_anonymity": 3, "mean": 0.1}, "plan": {"é": "ü"}}
# RFC 8032, section 7.1, test 3: secret key, public key, message, signature.
SECRET = "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"
PUBLIC = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"


def nobody() -> bytes | None:
    return None


@pytest.fixture(scope="module")
def signer() -> Signer:
    return Signer(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(SECRET)))


def test_the_public_key_is_that_of_the_standard(signer: Signer) -> None:
    assert signer.public.hex() == PUBLIC


def test_a_signed_evidence_is_good_also_after_an_editor_indented_it(signer: Signer) -> None:
    text = json.dumps(signer.signed(EVIDENCE), indent=7, sort_keys=True)
    found = checked(json.loads(text))
    assert found is not None
    assert found.good
    assert found.fingerprint == fingerprint(bytes.fromhex(PUBLIC))


def test_openssl_checks_the_same_signature(signer: Signer, tmp_path: Path) -> None:
    signed = signer.signed(EVIDENCE)
    (tmp_path / "said").write_bytes(canonical(EVIDENCE))
    (tmp_path / "value").write_bytes(base64.b64decode(signed["signature"]["value"]))
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(SECRET)).public_key()
    pem = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "key.pub").write_bytes(pem)
    asked = [
        "openssl",
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        "key.pub",
        "-rawin",
        "-in",
        "said",
        "-sigfile",
        "value",
    ]
    try:
        done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e["risk"].update(k_anonymity=4),
        lambda e: e["risk"].update(mean=0.10000000000000002),
        lambda e: e.pop("schema"),
        lambda e: e.update(more=1),
        lambda e: e["signature"].update(value=e["signature"]["value"][::-1]),
        lambda e: e["signature"].update(value="not base 64"),
        lambda e: e["signature"].update(value=3),
        lambda e: e["signature"].update(public_key=base64.b64encode(bytes(32)).decode()),
        lambda e: e["signature"].update(public_key=""),
        lambda e: e["signature"].update(algorithm="none"),
        lambda e: e["signature"].pop("value"),
        lambda e: e.update(signature=None),
        lambda e: e.update(signature="x"),
    ],
)
def test_any_change_makes_it_not_good(signer: Signer, change) -> None:
    evidence = json.loads(json.dumps(signer.signed(EVIDENCE)))
    change(evidence)
    found = checked(evidence)
    assert found is not None
    assert not found.good


def test_who_signs_again_takes_the_place_of_the_first(signer: Signer) -> None:
    other = Signer(Ed25519PrivateKey.generate())
    found = checked(other.signed(signer.signed(EVIDENCE)))
    assert found is not None
    assert found.good
    assert found.public == other.public


def test_no_signature_is_none() -> None:
    assert checked(EVIDENCE) is None


def test_a_new_key_is_private_and_its_public_half_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "custodian.key"
    made = new_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().startswith("-----BEGIN PRIVATE KEY-----")
    assert public_from(public_path(path)) == made.public == signer_from(path, nobody).public
    assert repr(made) == object.__repr__(made)  # no key in a log


def test_a_key_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    new_key(path)
    before = path.read_bytes()
    with pytest.raises(
        BadPlan, match=r"- a\.key exists\. A key is never replaced: choose another name\.\n- a\.key\.pub"
    ):
        new_key(path)
    assert path.read_bytes() == before
    path.unlink()
    with pytest.raises(BadPlan, match=r"^a\.key\.pub exists\."):
        new_key(path)
    assert not path.exists()
    with pytest.raises(BadPlan, match=r"^b\.key cannot be written there: No such file or directory\.$"):
        new_key(tmp_path / "no" / "b.key")


def test_a_passphrase_locks_the_key(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    made = new_key(path, b"open sesame")
    assert path.read_text().startswith("-----BEGIN ENCRYPTED PRIVATE KEY-----")
    assert signer_from(path, lambda: b"open sesame").public == made.public
    with pytest.raises(BadPlan, match=r"^a\.key: the passphrase is wrong, or the file is damaged\.$"):
        signer_from(path, lambda: b"open")
    with pytest.raises(
        BadPlan, match=r"^a\.key has a passphrase\. Give it at the prompt, or in LOOKALIKE_KEY_PASSPHRASE\.$"
    ):
        signer_from(path, nobody)


def test_what_is_no_key_is_told(tmp_path: Path) -> None:
    other = X25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    private = r"a\.key is not a private ed25519 key in PEM\. Make one: lookalike keygen FILE\."
    for content in (b"", b"no key", other, b"\xff" * 99):
        (tmp_path / "a.key").write_bytes(content)
        with pytest.raises(BadFile, match=f"^{private}$"):
            signer_from(tmp_path / "a.key", nobody)
        with pytest.raises(
            BadFile, match=r"^a\.key is not a public ed25519 key in PEM: name the file that ends in \.pub\.$"
        ):
            public_from(tmp_path / "a.key")
    new_key(tmp_path / "b.key")
    with pytest.raises(BadFile, match=r"b\.key\.pub is a public key"):
        signer_from(tmp_path / "b.key.pub", nobody)
    with pytest.raises(BadFile, match="is not a public ed25519 key"):
        public_from(tmp_path / "b.key")
    with pytest.raises(BadFile, match=r"^c\.key: there is no such key\.$"):
        signer_from(tmp_path / "c.key", nobody)
    with pytest.raises(BadFile, match=r"cannot be read as a key: Is a directory\.$"):
        public_from(tmp_path)
