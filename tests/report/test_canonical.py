"""Plain data has one form: an editor's spaces change no digest, every other change does."""

import json
from pathlib import Path

import pytest

from lookalike.errors import BadFile
from lookalike.report.canonical import canonical, covered, digest, read_json, sealed

DOCUMENT = {"b": [1, 2.5, None, True], "a": {"é": "ü", "10": 1e-300, "9": 12345678901234567890}}


def test_spaces_order_of_keys_and_escapes_do_not_matter() -> None:
    for text in (
        json.dumps(DOCUMENT),
        json.dumps(DOCUMENT, indent=8, ensure_ascii=False),
        json.dumps(DOCUMENT, sort_keys=True, separators=(" ,", " : ")),
    ):
        assert digest(json.loads(text)) == digest(DOCUMENT)


def test_numbers_as_keys_are_the_texts_that_a_file_has() -> None:
    assert canonical({10: 1, 9: 2}) == canonical({"9": 2, "10": 1}) == b'{"10":1,"9":2}'


@pytest.mark.parametrize("other", [{"b": 1.0}, {"b": "1"}, {"b": True}, {"b": None}, {"b": [1]}, {"B": 1}, {}])
def test_every_other_change_gives_another_digest(other) -> None:
    assert digest(other) != digest({"b": 1})


def test_the_seal_covers_all_but_itself_and_the_signature() -> None:
    evidence = sealed({"seed": 1, "risk": {}})
    assert digest(covered({**evidence, "signature": {"value": "x"}}, "sha256")) == evidence["sha256"]
    assert sealed({"seed": 2, "risk": {}})["sha256"] != evidence["sha256"]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1e999}',
        '{"a": "\\ud800"}',
        "",
        "[" * 100_000,
        "{'a': 1}",
    ],
)
def test_what_readers_would_take_differently_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "e.json").write_text(text)
    with pytest.raises(BadFile, match=r"^e\.json is not evidence in JSON: it is damaged, or another file\.$"):
        read_json(tmp_path / "e.json", "evidence")


def test_a_file_that_is_not_there_or_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"^e\.json: there is no such evidence\.$"):
        read_json(tmp_path / "e.json", "evidence")
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFile, match="is not evidence in JSON"):
        read_json(tmp_path / "b.json", "evidence")
    with pytest.raises(BadFile, match="is not evidence in JSON"):
        read_json(tmp_path, "evidence")
