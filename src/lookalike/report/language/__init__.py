"""Pages in another language: every English text of a page looked up in one catalogue a language."""

from lookalike.report.language.catalogue import LANGUAGES, Catalogue, catalogue
from lookalike.report.language.pages import translated

__all__ = ["LANGUAGES", "Catalogue", "catalogue", "translated"]
