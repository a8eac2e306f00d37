"""Charts as SVG: text of its own, without scripts or references, with words for those who do not see it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any
from zlib import crc32

from lookalike.visible import replaced

GREY = "#7d7d7d"
"""Of axes and words: 4 to 1 against white and against near-black; a page gives it, and the two colours below, more."""
FAINT = "#8a8a8a40"
ORIGINAL, RELEASE = "#0072b2", "#d55e00"
PALETTE = (RELEASE, ORIGINAL, "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Colours of Okabe and Ito (2008), told apart with each kind of colour blindness."""

_INNER = re.compile(r' (?:aria-label|aria-roledescription|role)="[^"]*"')
"""What marks and axes say of themselves: values, which the description tells as far as they may be told."""


def svg(chart: Any, name: str | None = None, *, title: str = "", description: str = "") -> str:
    """The chart as text; its title and description, given or its own, are its text alternative.

    Inner names get a prefix, `name` or one made from the picture and its words, since several stand on one page.
    """
    text = _renamed(replaced(_drawn(chart)), "")
    if not title:
        title, description = _words(chart)
    name = name or f"c{crc32((text + title).encode()):08x}"
    text = _renamed(text, f"{name}-")
    return _described(text, name, title, description) if title else text


@contextmanager
def unchecked() -> Iterator[None]:
    """Charts made here are not held against the schema of Vega-Lite, which takes longer than to draw them.

    Nothing in the schema depends on data, and the tests of charts check each kind.
    """
    from altair.utils import schemapi

    with schemapi.debug_mode(False):
        yield


def _drawn(chart: Any) -> str:
    """The chart as the renderer draws it, which ends the whole program at a control character in a text."""
    import altair as alt
    from altair.utils import schemapi
    from vl_convert import vegalite_to_svg

    version = "_".join(alt.SCHEMA_VERSION.split(".")[:2])
    with alt.data_transformers.enable("default"), alt.data_transformers.disable_max_rows():
        drawn: str = vegalite_to_svg(_shown(chart.to_dict(validate=schemapi.DEBUG_MODE)), vl_version=version)
    return drawn


def _shown(spec: Any) -> Any:
    """The texts of a chart without signs that nobody sees."""
    if isinstance(spec, dict):
        return {replaced(key): _shown(value) for key, value in spec.items()}
    if isinstance(spec, list):
        return [_shown(value) for value in spec]
    return replaced(spec) if isinstance(spec, str) else spec


def dressed(chart: Any, title: str, description: str, notes: tuple[str, ...] = ()) -> Any:
    """The chart with its title, its text alternative and the looks that fit a light and a dark page."""
    import altair as alt

    told = alt.TitleParams(text=title, subtitle=list(notes), anchor="start", offset=10)
    return looking_plain(chart.properties(title=told, description=description))


def looking_plain(chart: Any, *, limit: int = 260) -> Any:
    """The chart with the looks that fit a light and a dark page; labels longer than `limit` pixels are cut."""
    small = {"labelColor": GREY, "titleColor": GREY, "labelLimit": limit, "titleFontWeight": "normal"}
    looks = {
        "background": "transparent",
        "aria": False,
        "view": {"stroke": FAINT},
        "axis": {**small, "gridColor": FAINT, "domainColor": GREY, "tickColor": GREY},
        "legend": {**small, "symbolStrokeWidth": 2},
        "header": small,
        "title": {"color": GREY, "subtitleColor": GREY, "subtitleFontSize": 11, "fontSize": 13},
        "concat": {"spacing": 24},
    }
    return chart.properties(config=looks)  # all at once: each call copies the chart with its data


def nothing(title: str, reason: str) -> Any:
    """A chart that says why it is empty."""
    import altair as alt

    words = alt.Chart(alt.InlineData(values=[{}]), width=300, height=60)
    return dressed(words.mark_text(text=reason, color=GREY), title, f"{title}. {reason}")


def _renamed(text: str, prefix: str) -> str:
    """Inner names by their place: the renderer counts them on from picture to picture."""
    places = {inner: place for place, inner in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', text)))}
    return re.sub(r'(\bid="|url\(#|href="#)([^")]+)', lambda found: f"{found[1]}{prefix}{places[found[2]]}", text)


def _words(chart: Any) -> tuple[str, str]:
    from altair import Undefined

    title = getattr(chart.title, "text", chart.title) if chart.title is not Undefined else ""
    return title, chart.description if chart.description is not Undefined else ""


def _described(text: str, name: str, title: str, description: str) -> str:
    text = _INNER.sub("", text)
    head = f'<svg role="img" aria-labelledby="{name}-title {name}-text" '
    words = f'<title id="{name}-title">{_clean(title)}</title><desc id="{name}-text">{_clean(description)}</desc>'
    text = re.sub("<svg ", lambda _: head, text, count=1)
    return re.sub(r"(<svg\b[^>]*>)", lambda found: found[1] + words, text, count=1)


def _clean(text: str) -> str:
    return escape(replaced(text))
