"""The charts of a comparison, in one place.

Each takes a title and a description (its text alternative), or makes them, and shows no cell of one to four records of
the original, because the page may leave the house. `svg` turns a chart into text.
"""

from lookalike.report.charts import svg
from lookalike.report.comparison.attack_charts import cap_scatter, cap_sweep, swept
from lookalike.report.comparison.difference_curves import difference_curves
from lookalike.report.comparison.forests import coefficient_forest, proportion_forest
from lookalike.report.comparison.heat_map import heat_map
from lookalike.report.comparison.number_charts import contour_lines, ecdf_curves, histogram_bars

__all__ = [
    "cap_scatter",
    "cap_sweep",
    "coefficient_forest",
    "contour_lines",
    "difference_curves",
    "ecdf_curves",
    "heat_map",
    "histogram_bars",
    "proportion_forest",
    "svg",
    "swept",
]
