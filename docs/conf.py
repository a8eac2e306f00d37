"""Settings of the site: `./run docs` builds it with Sphinx, MyST and Furo (docs/decisions/0012-site.md)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "builder"))

project = "Lookalike"
author = "the Lookalike authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "navigation", "names", "docstrings", "outside", "access"]
exclude_patterns = ["builder", "pictures/*.py"]
nitpicky = False
highlight_language = "none"

myst_heading_anchors = 6  # links such as page.md#heading, as a code host makes them
myst_enable_extensions: set[str] = set()
# A line that begins with % is text: pages are read on code hosts too.
myst_disable_syntax = ["myst_line_comment", "myst_block_break", "myst_target", "myst_role"]
smartquotes = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
add_module_names = False
toc_object_entries = False

html_theme = "furo"
html_title = "Lookalike"
html_static_path = ["builder/look.css"]
html_css_files = ["look.css"]
html_copy_source = False
html_show_search_summary = False  # it would be fetched, which no browser allows from a folder
html_show_sourcelink = False
html_use_index = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": False}
