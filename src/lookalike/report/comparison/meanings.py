"""What the parts of the page of a comparison mean, with formula, source and limits."""

from __future__ import annotations

MEANS = {
    "regression": (
        "Each coefficient with its 95 % interval in both files, as distances from the original's estimate in its "
        "standard errors, so that all fit one scale. A conclusion is kept if both intervals say the same of its sign: "
        "above 0, below 0, or neither."
    ),
    "learning": (
        "A learner that has seen the release alone predicts real records. If it does as well as one that "
        "learned from the original, the release keeps what predicts the target."
    ),
    "tables": (
        "Counts of one, two and three columns at once. A field of the map says how many times farther a table"
        " is from the original than drawing alone would put it; below 3 is good, below 10 fine."
        " UL is the mean relative difference of the cells, |D|; 0.1 means a tenth more or fewer records in a cell."
    ),
    "tables_sampled": (
        "Counts of one, two and three columns at once. A field of the map says how many times farther a table"
        " is from the original than another sample of the same people would be; below 3 is good, below 10 fine."
        " UL is the mean relative difference of the cells, |D|; 0.1 means a tenth more or fewer records in a cell."
    ),
    "tables_changed": (
        "Counts of one, two and three columns at once. A field of the map says which share of the records would"
        " have to move to other cells to make the table that of the original; at 0 the table is as it was."
        " UL is the mean relative difference of the cells, |D|; 0.1 means a tenth more or fewer records in a cell."
    ),
    "coarse": (
        "A column that is compared in the ranges or groups of the release keeps its tables by construction: that they"
        " agree is no merit of the release. What is lost is the detail inside a range or group, and every analysis"
        " that needs it."
    ),
    "columns": (
        "Each column by itself: the distance is the largest gap between the distribution functions of a "
        "number, and for other columns the share of records that would have to move."
    ),
    "pairs": (
        "How strongly two columns go together in both files: correlation of numbers, Cramér's V of "
        "categories, the correlation ratio of one of each. Lines on a picture hold 25, 50, 75 and 90 % of the"
        " original."
        " Bits say how much one column tells of the other."
    ),
    "shares": (
        "The share of records with each value, with 95 % intervals. An overlap of 1 means equal intervals, 0 "
        "that they only touch, below 0 that they are apart."
    ),
    "propensity": (
        "Can a model tell which file a record comes from? AUC of 0.5 is a guess; the ratio says how many "
        "times larger pMSE is than for a release drawn from the right law."
        " SPECKS is the largest gap between the scores of both files, PO50 the percent guessed right beyond one half."
    ),
    "losses": (
        "What each cell lost on the way: the mean distance from a record to its released form, and the part "
        "of its column that a released cell stands for."
    ),
    "not_assessed": "What could not be measured, and why. It is not a good sign: it is no sign at all.",
    "risk": (
        "What follows is the assessment of the release as it would be of any file. Of a synthetic file it reads as if "
        "its records were real people."
    ),
}
"""Two plain sentences a part."""
MORE = {
    "regression": (
        (
            "Overlap: half the sum of the common part over each interval's length (Drechsler and Hu 2021, "
            "equation 10). Difference: release less original in standard errors of the original. Copies are "
            "combined by the rule named (Raab, Nowok and Dibben 2016; Reiter 2003). See "
            "docs/concepts/regression-overlap.md."
        ),
        (
            "An overlap below 0 means that the intervals are apart, the farther the lower: −1.5 is a gap of one and a "
            "half interval lengths. A coefficient can keep its sign there and tell another size; the table then says "
            "so, if it moved by more than 2 standard errors."
        ),
        ("Limits: with few records intervals are wide and conclusions easy to keep."),
    ),
    "learning": (
        ("Train on synthetic, test on real (Esteban, Hyland and Rätsch 2017). See docs/concepts/train-on-release.md."),
        ("Limits: without records that were never used (--control) the release may have learned the test records."),
    ),
    "tables": (
        (
            "VW = Σ d²/e over the cells, compared with its expectation, drawn or by formula (Raab, Nowok and "
            "Dibben 2021). UL: mean |q − p|/p over cells (Drechsler and Hu 2021, equations 8 and 9). See "
            "docs/concepts/utility-tables.md."
        ),
        ("Limits: rare cells decide UL; sparse tables need drawn expectations."),
    ),
    "tables_changed": (
        (
            "Total variation: ½ Σ |q − p| over the cells. UL: mean |q − p|/p over cells (Drechsler and Hu 2021, "
            "equations 8 and 9). See docs/concepts/utility-tables.md."
        ),
        (
            "Limits: rare cells decide UL. Nothing is expected of this release by chance, so how far is too far "
            "depends on the use."
        ),
    ),
    "coarse": (
        (
            "Ranges: each number of the original is put in the released range that holds it. Groups: each value gets "
            "the name of its group. Ranges that overlap: a cell is read by its middle, and looks farther from the "
            "original than it is. See docs/concepts/compare.md."
        ),
        (
            "Limits: where one calculates (means, regressions), the original keeps its numbers and a range is its "
            "middle."
        ),
    ),
    "columns": (
        (
            "Kolmogorov-Smirnov distance and total variation. No p-value: it would assume independent files (Qu "
            "2024, section 4.4). See docs/concepts/utility-margins.md."
        ),
    ),
    "pairs": (
        ("Bits: mutual information of the grouped columns, less its bias. See docs/concepts/utility-margins.md."),
        ("Limits: what three columns do together is not seen here."),
    ),
    "shares": (
        ("p ± z √(p(1 − p)/n). Values of fewer than 5 records are not shown. See docs/concepts/regression-overlap.md."),
    ),
    "propensity": (
        (
            "pMSE = mean (p − c)², c the share of the release (Snoke et al. 2018); expectations by the χ² law or "
            "by shuffled labels, times 1 − c for a release drawn from fitted values. See "
            "docs/concepts/propensity.md."
        ),
        ("Limits: a model that tells nothing may be too weak. A changed file has no law it should follow."),
    ),
    "losses": (
        (
            "(1/nm) Σ √(Σ ((a − a′)/σ)²), a′ the farther end of the released range (Sánchez, Martínez and "
            "Domingo-Ferrer 2016). See docs/concepts/information-loss.md."
        ),
    ),
    "attacks": (
        (
            "Shares have Wilson intervals; risk is (attack − control)/(1 − control) (Giomi et al. 2023). "
            "Matching: Reiter and Mitra (2009). DCAP and DiSCO: attribution of a target by the keys. CAP by numbers "
            "of classes (Qu 2024, figures 2.3 to 2.13): numbers are cut into classes of as many records each, of at "
            "most 20,000 records; keys that are no numbers are left out."
        ),
        (
            "Each attack has a page in docs/concepts: matching, record-linkage, attribution, attack-inference, "
            "singling-out, linkability, guessing, copies, distances, membership."
        ),
    ),
}
"""For who wants to know more, a paragraph each."""
