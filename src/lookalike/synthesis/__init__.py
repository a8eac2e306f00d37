"""From microdata to a release by drawing from a model."""

from lookalike.synthesis.choices import Rule, Synthesis
from lookalike.synthesis.draw import synthesize
from lookalike.synthesis.likeness import Likeness
from lookalike.synthesis.models import MODELS, model_of
from lookalike.synthesis.release import Combining, Release

__all__ = ["MODELS", "Combining", "Likeness", "Release", "Rule", "Synthesis", "model_of", "synthesize"]
