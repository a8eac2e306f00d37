"""What readers without a mouse, or without eyes, need beyond what the theme gives.

Captions of the sidebar are headings without a level, and code that scrolls cannot be reached by keyboard.
"""

from __future__ import annotations

from typing import Any

AFTER_THE_THEME = 900


def with_levels(html: str) -> str:
    """Captions as headings of the second level.

    >>> with_levels('<p class="caption" role="heading">Start</p>')
    '<p class="caption" role="heading" aria-level="2">Start</p>'
    """
    return html.replace(' role="heading">', ' role="heading" aria-level="2">')


def with_focus(html: str) -> str:
    """Blocks of code that the tabulator key stops at.

    >>> with_focus("<pre>1</pre>")
    '<pre tabindex="0">1</pre>'
    """
    return html.replace("<pre>", '<pre tabindex="0">')


def on_page(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Mend the parts of a page before they are put together."""
    for part, mend in (("furo_navigation_tree", with_levels), ("body", with_focus)):
        if part in context:
            context[part] = mend(context[part])


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("html-page-context", on_page, priority=AFTER_THE_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
