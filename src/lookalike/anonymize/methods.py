"""The methods of protection by the name a plan gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from lookalike.anonymize.choices import Step
from lookalike.anonymize.generalizing.coarsening import Coarsening
from lookalike.anonymize.generalizing.generalization import Generalization
from lookalike.anonymize.generalizing.recode import Recode
from lookalike.anonymize.grouping.clustering import Microaggregation
from lookalike.anonymize.grouping.mdav import Mdav
from lookalike.anonymize.grouping.mondrian import Mondrian
from lookalike.anonymize.grouping.t_close import TClose
from lookalike.anonymize.method import Method
from lookalike.anonymize.perturbing.date_shift import DateShift
from lookalike.anonymize.perturbing.local_privacy import LocalPrivacy
from lookalike.anonymize.perturbing.noise import Noise
from lookalike.anonymize.perturbing.pram import Pram
from lookalike.anonymize.perturbing.rank_swap import RankSwap
from lookalike.anonymize.perturbing.rounding import Rounding
from lookalike.anonymize.perturbing.top_bottom import TopBottom
from lookalike.anonymize.suppressing.rare_people import RarePeople
from lookalike.anonymize.suppressing.safe_harbor import SafeHarbor
from lookalike.anonymize.suppressing.suppression import LocalSuppression
from lookalike.errors import BadPlan, LookalikeError, unknown
from lookalike.settings import made, setting_faults
from lookalike.threshold import Threshold

__all__ = [
    "METHODS",
    "RANDOM",
    "Coarsening",
    "DateShift",
    "Generalization",
    "LocalPrivacy",
    "LocalSuppression",
    "Mdav",
    "Microaggregation",
    "Mondrian",
    "Noise",
    "Pram",
    "RankSwap",
    "RarePeople",
    "Recode",
    "Rounding",
    "SafeHarbor",
    "TClose",
    "TopBottom",
    "methods_of",
    "option_faults",
    "steps_of",
]

_KINDS: tuple[type[Any], ...] = (
    Generalization,
    Microaggregation,
    Mondrian,
    Mdav,
    TClose,
    Coarsening,
    LocalSuppression,
    SafeHarbor,
    TopBottom,
    Rounding,
    Noise,
    RankSwap,
    Pram,
    DateShift,
    LocalPrivacy,
    RarePeople,
    Recode,
)
METHODS: dict[str, type[Any]] = {kind.name: kind for kind in _KINDS}
"""Name by name, the class of the choice."""
RANDOM = frozenset(kind.name for kind in (Rounding, Noise, RankSwap, Pram, DateShift, LocalPrivacy))
"""Methods that draw: whoever knows the seed can undo them."""
_LIMITS = {"k": "k_anonymity", "l": "l_diversity", "t": "t_closeness"}
"""Settings that a limit of the plan gives where the method is told none."""


def option_faults(name: str, options: Mapping[str, Any]) -> list[str]:
    """What is wrong with the settings of a method.

    >>> option_faults("microaggregate", {"kk": 3})
    ["Option 'kk' is not in microaggregate. Did you mean 'k'? Options: k, keep_safe, columns."]
    """
    of_file = {"file"} if name == Recode.name else set()
    return setting_faults(METHODS[name], name, {k: v for k, v in options.items() if k not in of_file})


def methods_of(steps: Sequence[Method | Step | str], until: Threshold) -> list[Method]:
    """The choices that the steps name; a setting that a limit gives is taken from it. No step: generalize."""
    faults: list[str] = []
    found = [_method(step, until, faults) for step in steps or ("generalize",)]
    if faults:
        raise BadPlan(faults)
    return [method for method in found if method is not None]


def steps_of(methods: Sequence[Method | Step | str]) -> tuple[tuple[Step, ...], list[str]]:
    """The steps of a plan that name these methods, and the settings that are no plain data, which they lack.

    >>> steps_of(["mondrian", Coarsening(resolution=4)])[0][1].options
    {'resolution': 4}
    """
    untold: list[str] = []
    return tuple(_step(method, untold) for method in methods), untold


def _step(method: Method | Step | str, untold: list[str]) -> Step:
    if isinstance(method, (Step, str)):
        return Step(method=method) if isinstance(method, str) else method
    given: list[Field[Any]] = [f for f in fields(method) if f.init] if is_dataclass(method) else []
    settings = {f.name: getattr(method, f.name) for f in given if not _as_left(f, getattr(method, f.name))}
    untold += [f"{name} of {method.name}" for name, value in settings.items() if not _told(value)]
    return Step(method=method.name, options={name: value for name, value in settings.items() if _told(value)})


def _as_left(setting: Field[Any], value: Any) -> bool:
    """Whether a setting is what it would be if nobody had named it."""
    plain = setting.default_factory() if setting.default_factory is not MISSING else setting.default
    return type(value) is type(plain) and bool(value == plain)


def _told(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(k, str) and _told(v) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return all(_told(v) for v in value)
    return value is None or isinstance(value, (str, int, float, bool, Path))


def _method(step: Method | Step | str, until: Threshold, faults: list[str]) -> Method | None:
    step = Step(method=step) if isinstance(step, str) else step
    if not isinstance(step, Step):
        faults += getattr(step, "faults", list)()
        return step
    if step.method not in METHODS:
        faults.append(unknown("Method", step.method, list(METHODS), where="known", listed="Methods"))
        return None
    if step.method == Recode.name and "file" in step.options:
        return _saved(step, faults)
    kind = METHODS[step.method]
    known = {f.name: f for f in fields(kind)}
    given = {k: limit for k, name in _LIMITS.items() if k in known and (limit := getattr(until, name)) is not None}
    settings = {**given, **step.options}
    needed = [name for name, f in known.items() if f.default is f.default_factory is MISSING and name not in settings]
    if needed:
        faults += [f"{step.method} needs {name} ({_how(name)})." for name in needed]
        return None
    try:
        method: Method = made(kind, step.method, settings)
    except BadPlan as error:
        faults += error.faults
        return None
    faults += getattr(method, "faults", list)()
    return method


def _how(name: str) -> str:
    """How a setting is given to the command."""
    return f"--{name} or --option {name}=…" if name in _LIMITS else f"--option {name}=…"


def _saved(step: Step, faults: list[str]) -> Method | None:
    """A recode that was saved, with other settings over its own."""
    settings = {k: v for k, v in step.options.items() if k != "file"}
    try:
        recode: Method = replace(Recode.from_json(step.options["file"]), **settings)
    except BadPlan as error:
        faults += error.faults
    except LookalikeError as error:
        faults.append(str(error))
    else:
        return recode
    return None
