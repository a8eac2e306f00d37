"""What the parts of the page of an assessment mean, with formula, source and limits."""

from __future__ import annotations

TITLES = {
    "attacks": "Risk by attack",
    "estimators": "What the estimators say",
    "records": "Risk of single records",
    "groups": "Who carries the risk",
    "drivers": "What drives the risk",
    "knowledge": "What an attacker needs to know",
    "size": "If the population size is wrong",
    "backtest": "Backtest: would it have been right here?",
    "sensitive": "What the file gives away without a match",
    "suda": "Special uniques",
    "household": "Households",
    "alike": "Records that look alike",
    "not_assessed": "Not assessed",
    "plan": "The plan that ran",
}

MEANS = {
    "attacks": (
        "An attacker who picks at random among lookalikes is right with these chances; what differs is what the "
        "attacker starts from and knows. The dot is the mean over the records, the upright tick the most exposed "
        "record."
    ),
    "estimators": (
        "Without a file of the population, B is estimated from the file and the number of people; each estimator "
        "assumes something else. Estimators that agree are no proof, and estimators that differ are a reason to "
        "look."
    ),
    "records": (
        "B is a mean: most records may be safe while a few are not. Each column counts the records whose chance of "
        "being matched to the right person is at most the number below it, and above that of the column before."
    ),
    "groups": (
        "Records are grouped by how rare their value of one variable is; no value is named. Where a small group "
        "carries much of the risk, merging its rare values with others helps most."
    ),
    "drivers": (
        "The file is measured again without each variable in turn. The shorter the bar, the more the risk hangs on "
        "that variable: coarsen those at the top first."
    ),
    "knowledge": (
        "Few attackers know every variable. The bar is the share of records that are unique for the worst choice of"
        " so many variables, the tick the mean over all choices."
    ),
    "size": (
        "The number of people is seldom known exactly; a smaller population makes every record easier to find. If "
        "the line crosses the threshold within the error of your number, do not rely on the verdict."
    ),
    "backtest": (
        "The file itself is taken for a population, parts of it are drawn, and B is estimated from each part: here "
        "the truth can be counted. If the line of an estimate does not reach the upright tick, which is the truth, "
        "trust the estimate less on this file."
    ),
    "sensitive": (
        "If all lookalikes have the same value, the value is known without knowing which record is whose. The bar "
        "is the share of records whose lookalikes in the file all share one value."
    ),
    "suda": (
        "Some records are alone already on two or three variables: little knowledge is enough to single them out. "
        "The bar says in what part of these small sets a variable takes part, weighted by how small the sets are."
    ),
    "household": (
        "Where records share a household, one member who is found gives the others away. The risk of a record is "
        "then that of its whole household."
    ),
    "alike": (
        "A file is k-anonymous if every record shares its quasi-identifiers with at least k − 1 others of the file."
        " Records in small classes stand out in the file, though people outside it may look like them."
    ),
    "not_assessed": (
        "What could not be measured is said here with its reason. It is not a small risk: it is an unknown one."
    ),
    "plan": (
        "All choices of this run that were made or taken as usual. The same plan on the same file gives the same "
        "figures."
    ),
}
"""Two plain sentences a part."""

MORE = {
    "attacks": (
        (
            "f and F are the numbers of lookalikes of a record in the file and in the population, n and N the "
            "records and the people, K the classes. Prosecutor: 1/f, mean K/n. Journalist: 1/F. Marketer: the mean "
            "of 1/F, which is B. A = K/N."
        ),
        "Sources: El Emam; Jiang et al. (2022), equations 1 and 2. See docs/concepts/match-rates.md.",
        "Limits: all chances hold for the quasi-identifiers that were named and for no others.",
    ),
    "estimators": (
        (
            "B = (1/n) Σ 1/F over the records. The interval of the posterior is meant to contain the truth nine times "
            "in ten. Whatever the population looks like, B lies between a least value (N people spread over the "
            "classes as evenly as can be) and K/n."
        ),
        ("Sources: Jiang et al. (2022) and the page of each estimator. See docs/how-to/population-risk.md."),
        ("Limits: read the caveats beside each estimator. Choose the one that decides before you see the figures."),
    ),
    "records": (
        ("The expected 1/F of each record by the estimator that decides. See docs/concepts/posterior.md."),
        (
            "Limits: bins with one to four records are joined to their neighbours. Which records they are is not "
            "told here."
        ),
    ),
    "groups": (
        (
            "A value is rare if fewer than 1 % of the records have it, common from 10 %. Mean risk: the mean of the"
            " expected 1/F in the group. Part of all risk: the group's sum of 1/F over that of the file."
        ),
        (
            "Limits: one variable at a time. Groups of fewer than five records are left out, and so is a group that"
            " would tell their number by subtraction."
        ),
    ),
    "drivers": (
        (
            "The mean of 1/f with classes formed on the other variables. The part in special uniques is the share "
            "of the scores of SUDA in which the variable takes part. See docs/concepts/attacker-knowledge.md."
        ),
        ("Limits: 1/f speaks of the file, not of the population. Two variables that say the same hide each other."),
    ),
    "knowledge": (
        (
            "Records with f = 1 on the known variables alone, as a share of all records; the mean risk is K/n on "
            "them. Source: Sánchez, Martínez and Domingo-Ferrer (2016), figure S3. See docs/concepts/attacker-"
            "knowledge.md."
        ),
        ("Limits: the worst choice is the worst for the file as a whole; a single record may be alone on another one."),
    ),
    "size": (
        ("B by the same estimator with N multiplied by 0.7 to 1.3. Source: Jiang et al. (2022), section 4.2."),
        ("Limits: only N is varied. Who could have been in the file, and not only how many, matters too."),
    ),
    "backtest": (
        (
            "Parts of 10, 30 and 50 % of the file are drawn without replacement; the truth is B of the part in the "
            "file. See docs/how-to/population-risk.md."
        ),
        ("Limits: it tests the model on another population, the file, whose B is higher. It is not a second estimate."),
    ),
    "sensitive": (
        (
            "ℓ: the least number of different values in a class (Machanavajjhala et al. 2007). t: the largest "
            "distance of a class's values from those of the whole file (Li, Li and Venkatasubramanian 2007), by "
            "Kullback and Leibler (KL), by total variation (TV), and by the earth mover's distance for ordered "
            "values. A target's share: the records with the value whose class has it throughout (Sánchez, Martínez "
            "and Domingo-Ferrer 2016)."
        ),
        "See docs/concepts/diversity.md, closeness.md and attribute-disclosure.md.",
        ("Limits: every unique record gives its value away, so on a detailed file this and uniqueness say the same."),
    ),
    "suda": (
        (
            "A minimal sample unique is a set of variables on which a record is alone, while it is not on any "
            "smaller set inside it. The score of a set of m of q variables is Π (q − i), i from m on. Source: "
            "Elliot, Manning and Ford (2002). See docs/concepts/suda.md."
        ),
        ("Limits: sets larger than the size looked at are not seen. Contributions sum to more than 100 %."),
    ),
    "household": (
        ("r = 1 − Π (1 − r of a member). Source: sdcMicro's hierarchical risk. See docs/concepts/household.md."),
        ("Limits: matches of members are taken as independent; who is found by address is found with all others."),
    ),
    "alike": (
        (
            "k = min f over the classes; a class is a set of records equal on all quasi-identifiers. Source: "
            "Samarati and Sweeney (1998). See docs/concepts/k-anonymity.md and docs/concepts/uniqueness.md."
        ),
        "Limits: k is one number for the worst class, and ignores that the file is a sample.",
        (
            "Counts of one to four are shown as <5, and a count that would tell one by subtraction as the span it "
            "lies in."
        ),
    ),
}
"""For who wants to know more, a paragraph each."""
