"""Draws from known laws: the generators of the thesis, chapter 3."""

from lookalike.models.generators.alias import AliasTable
from lookalike.models.generators.conditioning import beta, condition
from lookalike.models.generators.discrete import Found, binary_search, cumulated, linear_search, place
from lookalike.models.generators.discrete_infinite import draw_whole_numbers
from lookalike.models.generators.draws import Draw, chi_square, mixture, normals, transform, uniforms
from lookalike.models.generators.inverse import conditional_transform, inverse_transform, open_uniforms
from lookalike.models.generators.normal import cholesky_root, normal_vectors, spectral_root
from lookalike.models.generators.rejection import Accepted, accept_reject

__all__ = [
    "Accepted",
    "AliasTable",
    "Draw",
    "Found",
    "accept_reject",
    "beta",
    "binary_search",
    "chi_square",
    "cholesky_root",
    "condition",
    "conditional_transform",
    "cumulated",
    "draw_whole_numbers",
    "inverse_transform",
    "linear_search",
    "mixture",
    "normal_vectors",
    "normals",
    "open_uniforms",
    "place",
    "spectral_root",
    "transform",
    "uniforms",
]
