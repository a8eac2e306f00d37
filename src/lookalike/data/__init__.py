"""What a data set is: variables, kinds, roles, weights; no statistic."""

from lookalike.data.cells import GENERALIZED, is_generalized, spans
from lookalike.data.guess import guess
from lookalike.data.microdata import Microdata, number_of, roles_of
from lookalike.data.read import check_known, kinds_of, load, read
from lookalike.data.variable import Kind, Role, Variable
from lookalike.data.write import check_ending, refuse_to_overwrite, whole_file, write

__all__ = [
    "GENERALIZED",
    "Kind",
    "Microdata",
    "Role",
    "Variable",
    "check_ending",
    "check_known",
    "guess",
    "is_generalized",
    "kinds_of",
    "load",
    "number_of",
    "read",
    "refuse_to_overwrite",
    "roles_of",
    "spans",
    "whole_file",
    "write",
]
