"""What the values of a column look like, whatever its name: dates, postal codes, sexes, ages, record numbers."""

from __future__ import annotations

import re
from math import inf

from lookalike.data.facts import Facts
from lookalike.data.variable import Kind, Role, first_number, is_number
from lookalike.data.words import Topic, fold, topic

ENOUGH = 20
"""The records below which being unique says nothing; also the most people of a household."""

AGE, DATE, SEX, DIAGNOSIS = topic("an age"), topic("a date"), topic("a sex"), topic("a diagnosis")
POSTAL, COUNTRY = topic("a postal code"), topic("a country or state")
EMAIL, PHONE = topic("an e-mail address"), topic("a telephone number")
_NEVER = re.compile(r"(?!)")
UNIQUE = Topic("a value of its own for nearly every record", Role.IDENTIFIER, Kind.NOMINAL, _NEVER)
FLAG = Topic("a yes/no answer", Role.OTHER, Kind.NOMINAL, _NEVER)

_DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/. ]\d{1,2}[-/. ](\d{4}|\d\d)( \d.*)?"
    r"|\d{1,2}[- ]?[A-Za-z]{3}[- ]?\d{2,4}|(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
)
_ZIP = r"\d{5}(-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|\d{5}-\d{3}"
_ICD = r"[A-Z]\d[\dAB](\.?[\dA-Z]{1,4})?"
_CALL = r"(?=.*[ ()/-]|[+0])\+?\(?\d[\d ()/-]{7,18}"
_SHAPES = ((EMAIL, r"[^@\s]+@[^@\s]+\.\w+", 1), (DATE, _DAY, 1), (POSTAL, _ZIP, 10), (DIAGNOSIS, _ICD, 5))

SEXES = [
    frozenset(pair.split())
    for pair in (
        *("m f", "male female", "w m", "h f", "h m", "v m", "man woman", "men women", "mann frau", "homme femme"),
        *("mannlich weiblich", "masculin feminin", "hombre mujer", "masculino femenino", "maschio femmina"),
        *("maschile femminile", "man vrouw", "masculino feminino", "homem mulher"),
    )
]
YES_NO = frozenset(re.findall(r"\w+", "yes no y n true false ja nein oui non si sim nao nee j t f"))
NO_ANSWER = frozenset(re.findall(r"\w+", "u x d o other unknown divers unbekannt andere autre otro na none missing"))
COUNTRIES = frozenset(
    re.findall(
        "..",
        "ADAEAFAGAIAKALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCO"
        "CRCTCUCVCWCXCYCZDCDEDJDKDMDODZECEEEGEHERESETFIFJFKFLFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHIHK"
        "HMHNHRHTHUIAIDIEILIMINIOIQIRISITJEJMJOJPKEKGKHKIKMKNKPKRKSKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMH"
        "MIMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNDNENFNGNHNINJNLNMNONPNRNUNVNYNZOHOKOMORPAPEPFPGPHPKPLPMPNPRPS"
        "PTPWPYQARERIRORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTXTZUAUG"
        "UKUMUSUTUYUZVAVCVEVGVIVNVTVUWAWFWIWSWVWYXKYEYTZAZMZW",
    )
)
"""Two-letter codes of countries and of the states of the US."""


def sign_of(facts: Facts) -> Topic | None:
    """What the values look like, whatever the name."""
    if facts.column.dtype.is_temporal():
        return DATE
    if facts.text:
        return _shape(facts) or _word(facts) or _age_bands(facts) or _own_text(facts)
    return _number(facts) if facts.n >= ENOUGH and facts.whole else None


def _shape(facts: Facts) -> Topic | None:
    """Text of a known form: an e-mail address, a date, a postal or diagnosis code, a telephone number."""
    for about, shape, least in _SHAPES:
        numbered = about is POSTAL and facts.unique and facts.n >= ENOUGH
        if facts.distinct >= least and facts.share(shape) >= 0.9 and not numbered:
            return about
    calls = facts.n >= ENOUGH and 2 * facts.distinct >= facts.n and facts.share(_CALL) >= 0.9
    return PHONE if calls else None


def _word(facts: Facts) -> Topic | None:
    """Text from a known short list: sexes, yes and no, country codes."""
    if facts.distinct >= 5 and facts.share(COUNTRIES.__contains__) >= 0.9:
        return COUNTRY
    found = {fold(value.strip()) for value in facts.values} if facts.distinct <= 6 else set()
    if found - NO_ANSWER in SEXES or found in SEXES:
        return SEX
    return FLAG if len(found) > 1 and found & YES_NO and found <= YES_NO | NO_ANSWER else None


def _age_bands(facts: Facts) -> Topic | None:
    """Ranges that span a life."""
    starts = [first_number(value) for value in facts.values] if facts.distinct >= 4 and facts.bands else []
    return AGE if 60 <= max((start for start in starts if start < inf), default=0) <= 120 else None


def _own_text(facts: Facts) -> Topic | None:
    """Text that differs from record to record, and is not a number kept as text."""
    return UNIQUE if facts.unique and facts.n >= ENOUGH and facts.share(is_number) < 0.9 else None


def _number(facts: Facts) -> Topic | None:
    """Whole numbers: years or days, numbers that count or name the records, ages."""
    low, high = int(facts.quantile(0.0)), int(facts.quantile(1.0))
    if (facts.distinct >= 5 and low >= 1880 and high <= 2035) or facts.share(_DAY) >= 0.9:
        return DATE
    counted = facts.distinct == facts.n and high - low < 1.1 * facts.n
    if counted or (facts.unique and low >= 10**6 and len(str(low)) == len(str(high))):
        return UNIQUE
    return AGE if _like_ages(facts, low, high) else None


def _like_ages(facts: Facts, low: int, high: int) -> bool:
    """Nearly all years up to an old age, none too frequent, few very old."""
    if facts.n < 100 or low < 0 or not 60 <= high <= 120 or facts.distinct < 0.8 * (high - low + 1):
        return False
    most = facts.column.value_counts(sort=True)["count"][0]
    adult, old = facts.column.is_between(20, 60).sum(), (facts.column > 90).sum()
    return bool(most < 0.1 * facts.n and adult >= 0.3 * facts.n and old <= 0.03 * facts.n)
