"""The site builds without a warning, asks no host for anything, and can be read from a folder."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video)[^>]+src\s*=\s*["']?((?:https?:)?//[^"'>\s]+)"""
    r"""|<link[^>]+href\s*=\s*["']?((?:https?:)?//[^"'>\s]+)""",
    re.IGNORECASE,
)
STYLED = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""")
LOOKED_AT = ("index", "quickstart", "concepts/study-results", "reference/api/lookalike", "reference/other-tools")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto", "-d", str(folder / "trees")]
    done = subprocess.run(
        [*command, "-b", "html", "docs", str(folder / "html")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
    return folder / "html"


def fetched(site: Path) -> Iterator[str]:
    for page in site.rglob("*.html"):
        yield from (match[1] or match[2] for match in FETCHED.finditer(page.read_text(encoding="utf-8")))
    for style in site.rglob("*.css"):
        yield from STYLED.findall(style.read_text(encoding="utf-8"))


def test_it_builds_without_a_warning_and_has_every_page(site: Path) -> None:
    pages = [page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")]
    assert [page.as_posix() for page in pages if not (site / page).is_file()] == []


def words(text: str) -> set[str]:
    return set(re.findall(r"\w{2,}", text))


def source_words(page: Path) -> set[str]:
    """What a reader should find: no targets of links, languages of blocks, numbers of items, flags of examples."""
    text = page.read_text(encoding="utf-8")
    return words(re.sub(r"\]\([^()\s]*\)|^(?:```|~~~).*$|^ *\d+\. |# doctest:.*$", " ", text, flags=re.MULTILINE))


def built_words(page: Path) -> set[str]:
    """What a reader of the site sees, texts of pictures included."""
    html = page.read_text(encoding="utf-8")
    pictured = " ".join(re.findall(r'alt="([^"]*)"', html))
    return words(unescape(re.sub(r"<[^>]*>", "", html) + re.sub(r"<[^>]*>", " ", html) + pictured))


def test_no_word_of_a_page_is_lost(site: Path) -> None:
    docs = ROOT / "docs"
    pages = [page for page in docs.rglob("*.md") if page.name != "benchmarks.md"]
    lost = {p.name: source_words(p) - built_words(site / p.relative_to(docs).with_suffix(".html")) for p in pages}
    assert {page: gone for page, gone in lost.items() if gone} == {}


def test_nothing_is_fetched_from_a_host(site: Path) -> None:
    assert sorted(set(fetched(site))) == []


def test_every_public_name_is_described(site: Path) -> None:
    import lookalike

    text = (site / "reference" / "api" / "lookalike.html").read_text(encoding="utf-8")
    names = [name for name in lookalike.__all__ if not name.startswith("__")]
    assert [name for name in names if f'id="lookalike.{name}"' not in text] == []


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.mark.parametrize("width", [1400, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_open_from_a_folder_fit_and_stay_quiet(site: Path, browser: Any, width: int, scheme: str) -> None:
    said: list[str] = []
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else said.append(asked.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    too_wide = []
    for name in LOOKED_AT:
        page.goto((site / f"{name}.html").as_uri())
        too_wide += [name] * (page.evaluate("document.documentElement.scrollWidth - innerWidth") > 0)
    page.close()
    assert (said, too_wide) == ([], [])


def test_search_works_from_a_folder(site: Path, browser: Any) -> None:
    said: list[str] = []
    page = browser.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.goto((site / "search.html").as_uri() + "?q=k-anonymity")
    page.wait_for_selector("#search-results li a", timeout=20_000)
    found = page.locator("#search-results li a").all_inner_texts()
    page.close()
    assert any("k-anonymity" in title for title in found)
    assert said == []
