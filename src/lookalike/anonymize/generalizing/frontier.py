"""The frontier of risk and loss: versions of a file that no other one beats in both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lookalike.anonymize.generalizing.judged import Judged
from lookalike.anonymize.generalizing.judging import Judge
from lookalike.errors import BadPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One version: the level of each column, what it loses, how risky it is, and whether the limits hold."""

    levels: Mapping[str, int]
    loss: float
    risk: float
    """B if it is limited, else the mean over the records of 1/f."""
    figures: Mapping[str, float]
    suppressed: int
    """Records suppressed, so that the limits hold; 0 where they do not."""
    holds: bool

    @classmethod
    def of(cls, names: Sequence[str], node: Judged) -> Point:
        """A version that was judged."""
        return cls(
            levels=dict(zip(names, node.levels, strict=True)),
            loss=node.loss,
            risk=risk_of(node),
            figures=dict(node.figures),
            suppressed=node.suppressed if node.holds else 0,
            holds=node.holds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """The versions a search has seen that none other beats in risk and loss, from the riskiest to the safest.

    It is that of the versions seen: bounds rule out most of a lattice unseen, those beyond the limits above all.
    """

    points: tuple[Point, ...]
    chosen: int
    """The place of the version that was chosen."""

    def choose(self, point: int) -> Mapping[str, int]:
        """The levels of another point, for `Generalization(levels=...)`."""
        if not 0 <= point < len(self.points):
            raise BadPlan(f"The frontier has points 0 to {len(self.points) - 1}, not {point}.")
        return self.points[point].levels

    def as_plain(self) -> list[dict[str, Any]]:
        """The points as plain data."""
        return [
            {
                "levels": dict(p.levels),
                "loss": p.loss,
                "risk": p.risk,
                "figures": dict(p.figures),
                "suppressed": p.suppressed,
                "holds": p.holds,
                "chosen": i == self.chosen,
            }
            for i, p in enumerate(self.points)
        ]


def frontier_of(judge: Judge, visited: Iterable[Judged], best: Judged) -> Frontier:
    """The frontier of the versions that were measured in full, the chosen one always among them."""
    wanted = set(judge.goals.names)
    full = [node for node in visited if wanted <= node.figures.keys() and node.levels != best.levels]
    ordered = sorted([best, *full], key=lambda node: (risk_of(node), node.loss, node.levels))
    kept, least = list[Judged](), float("inf")
    for node in ordered:
        if node.loss < least or node is best:
            kept.append(node)
            least = min(least, node.loss)
    kept.reverse()
    points = tuple(Point.of(judge.finest.names, node) for node in kept)
    return Frontier(points=points, chosen=next(i for i, node in enumerate(kept) if node is best))


def risk_of(node: Judged) -> float:
    """B if it is limited, else the mean over the records of 1/f."""
    return node.figures.get("sample_to_population", node.match)
