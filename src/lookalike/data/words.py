"""The words that column names are made of, in seven languages.

A name is folded to plain lower-case words first: `PatAge` and `PAT_ÂGE` are both "pat age". An entry of the
list is a word or a phrase. `*` stands for any letters, `#` for a word like "number" or "id", a space may be
missing in the name, `=` asks for the whole name and `$` for its end. Order matters: the first topic that fits
is believed, so a narrow meaning stands before a wide one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from lookalike.data.variable import Kind, Role

_NUMBER = "(?:id|no|nr|num|number|nummer|numero|key)"

# A topic: role; its kind if it mostly has one; how we say it. Below it, indented, its words.
_LIST = """
identifier; nominal; an e-mail address
    e mail*, mail, courriel, correo electronico
identifier; nominal; a telephone number
    phone*, telephone*, telefon*, tel, tel no, mobile, mobile phone, cell phone, handy, fax, movil, celular
identifier; nominal; an official or account number
    ssn, social security #, mrn, medical record*, health record*, passport*, national #, nhs #, insurance #,
    medicare #, versicherten #, versicherungs #, sozialversicherungs*, patient #, patienten #, pat #,
    person #, personen #, pers #, member #, subject #, subj #, usubj #, participant #, respondent #,
    customer #, employee #, student #, user #, user name, login, iban, account #, konto #, credit card*,
    card #, licen* #, licen* plate, kennzeichen, vin, tax #, steuer #, nir, numero de securite*, dni, nif,
    nie, cpf, codice fiscale, bsn, ahv, device #, imei, id patient*, id paciente, id paziente, id person*,
    photo, fingerprint, kunden #
identifier; nominal; a personal name
    first name, last name, sur name, given name, family name, full name, middle name, maiden name,
    patient name, person name, =name, =names, nach name, vor name, familien name, geburts name, =nom,
    prenom*, nom de famille, nom complet, =nombre, nombre completo, apellido*, cognome*, =nome,
    nome completo, sobrenome, achter naam, voor naam, =naam, initials, customer name, contact name,
    employee name, student name, mother* name, father* name, child* name
identifier; nominal; an address
    address*, street*, strasse*, anschrift, adresse*, rue, direccion*, calle, domicilio, indirizzo, adres,
    straat, endereco, rua, house number, hausnummer, ip, ip addr, url, website
household; nominal; a household number
    house hold #, house hold serial, =household, hh #, hh serial, =hh, hid, id hh, serial no, serial,
    family #, haushalts #, haushalt #, =haushalt, # menage, menage #, # hogar, hogar #, # famiglia,
    famiglia #, huishouden #, huishoud #, # domicilio, # familia, familia #, dwelling #
quasi-identifier; numeric; a body measure
    height, bmi, body mass*, body weight, birth weight, body height, weight kg, weight lb*, korper*,
    koerper*, geburtsgewicht, grosse, groesse, taille, talla, estatura, altezza, statura, altura, lengte,
    lichaams*, shoe size
weight; numeric; a sampling weight
    *wgt*, weights, sampl* weight*, survey weight*, design weight*, person weight*, final weight*,
    calib* weight*, house hold weight*, stat* weight*, replicate weight*, inflation factor, raising factor,
    expansion factor, grossing factor, =w, =wts, pweight, hochrechn*, gewichtung*, stichprobengewicht*,
    ponder*, poids de sondage, factor de expansion, factor expansion, peso campionario, peso muestral,
    peso amostral, weegfactor, wegingsfactor, ophoogfactor, fator de expansao
weight; numeric; a sampling weight, not a body weight
    weight, wt, gewicht, poids, peso
quasi-identifier; numeric; a body weight
    weight, wt, gewicht, poids, peso
quasi-identifier; numeric; an age
    age, ages, aged, agep, age gr*, age band*, age cat*, age class*, age year*, age yr*, age young*,
    age old*, age in*, alter, alters*, lebensalter, edad*, eta, leeftijd*, idade*, alder
quasi-identifier; nominal; a sex
    sex, sexcode, gender*, geschlecht*, sexe, sexo, sesso, geslacht*, genre, genero, genere, anrede
quasi-identifier; ; a birth date
    birth*, born, dob, yob, geb, gebdat, geburts*, naissance, ne le, nacimiento, nascita, nascimento,
    geboorte*
quasi-identifier; ; a date
    date, dates, dt, *dtc, datetime, timestamp, admit date, admission date, discharge date, death date,
    visit date, survey date, event date, start date, end date, *datum, fecha*, data di, data de, data da,
    data do, dod, death time, admit time, admission time, disch time, discharge time, =year, =month,
    =quarter, =jahr, =monat, =annee, =ano, =anno, =jaar
sensitive; nominal; a diagnosis
    diagnos*, *diagnose*, *diagnosis, icd*, drg*, dx, mdc, procedure*, snomed, cause of death, todesursache
sensitive; ordinal; a severity
    severity*, severe, schweregrad, gravite, gravedad, gravita, ernst
sensitive; ordinal; a death or its risk
    mortal*, death*, dead, died, deceas*, vital status, surviv*, tod, verstorben, deces*, muert*, morte,
    obito*
quasi-identifier; nominal; a blood type
    blood type, blood group, blutgruppe, groupe sanguin, eye colo*r, hair colo*r
sensitive; ; a health condition
    disease*, disorder*, illness*, *chronic*, condition, diabet*, cancer*, tumo*, asthma*, stroke*, heart*,
    kidney*, liver*, lung*, obes*, overweight, hypertens*, blood pressure, hiv*, aids, covid*, infect*,
    depress*, anxi*, psych*, mental*, symptom*, *immune*, hepat*, pregnan*, allerg*, disab*, =dis,
    handicap*, impair*, injur*, suicid*, dement*, krankheit*, *erkrankung*, behinder*, schwanger*, maladie*,
    grossesse, enfermedad*, embarazo, malatti*, ziekte*, doenca*, test result*, lab result*, befund,
    =health, sante*, etat de sante, gesundheit*, salud*, salute, gezondheid*, saude*,
    health stat*, general health, comorbid*, genetic*, genotype*, glucose*, cholest*, insulin*, creatinin*
sensitive; ; a benefit or insurance
    *benefit*, welfare, allowance*, assistance, food stamp*, insur*, medicaid*, medicare*, pension*,
    sozialhilfe, krankenkasse*, versicherung*, assurance*, allocation*, subsid*, uitkering*, seguro*, payer*
sensitive; ; a treatment or substance use
    drug*, medic*, medik*, farmac*, treatment*, therap*, behandl*, traitement*, surg*, smok*, tobacco,
    *cigar*, nociga, alcohol*, alkohol*, alc*, coca*, can*abis*, opioid*, substance*, addict*, tabac*,
    rauch*
sensitive; numeric; money
    *income*, hincp, pincp, wagp, salar*, wage*, *earn*val, earning*, earned, pay, payment*, paid, *tax,
    tax*inc, taxes, agi, fica, *totval, *othval, *salval, *ernval, intval, emcontrb, capital*, charge*,
    cost*, *einkommen*, lohn*, gehalt*, kosten*, revenu*, salaire*, cout*, ingreso*, reddit*, stipendio,
    costo*, inkomen*, loon*, renda*, rendimento*, wealth*, asset*, saving*, debt*, money, expend*,
    ausgaben*, vermogen*, vermoegen*, loan*, credit*, mortgage*, net worth, patrimoine*, patrimonio*,
    poverty, schulden*, depense*, gasto*, custo, custos, *lohn, steuer*
sensitive; nominal; a sexual orientation or gender identity
    transgender, sexual*, orientation
sensitive; ; a crime or an opinion
    crim*, arrest*, convict*, prison*, offen*e, straf*, politi*, party, vote*, union, abuse*, violen*
quasi-identifier; ; a hospital stay
    admission*, admit*, discharge*, disch, length of stay, los, pat* status, stay, aufnahme*, entlass*,
    verweil*, liegedauer, sejour, hospitalisation*, hospitalization*, ricovero, dimission*, opname*,
    ontslag*, internacao
quasi-identifier; nominal; a postal code
    zip, zips, zip code*, postal*, post code*, plz, post leit*, code postal, codigo postal, =cap, cep, zcta
quasi-identifier; nominal; a religion
    relig*, konfession*, confession*, faith, church, godsdienst
quasi-identifier; nominal; a marital status
    situation fam*, situation de famille, situation matrim*, statut matrim*,
    marit*, marst*, *marr, marriage*, married, spouse*, *civil*, familienstand*, famst*, *matrimon*,
    burgerlijke*, divorc*, *sepdiv, widow*, partner*, ehe*, conyug*
quasi-identifier; nominal; a nationality or language
    nationalit*, citizen*, =cit, native*, nativity, foreign*, immigra*, migra*, staatsang*, nacionalidad*,
    nazionalita, cittadinanza, ciudadania, language*, *lang, *sprache, langue*, idioma*, lengua*, lingua*,
    taal*
quasi-identifier; nominal; a race or ethnicity
    race*, racial*, rac 1 p, ethni*, etni*, hisp*, latino*, tribe, caste, herkunft, raza, raca, razza,
    origine*
quasi-identifier; ordinal; an education
    edu*, *educ*, school*, schl, schul*, degree, qualification*, *bildung*, *abschluss*, diplom*, etudes,
    estudio*, istruzione, titolo di studio, opleiding*, onderwijs*, escolar*, instrucao, instruccion,
    student*
quasi-identifier; nominal; an occupation
    occu*, *occu, occp, indp, cow, job*, *job, work*, *worker, *employ*, unemp*, prof, labor, labour,
    labor force, labour force, *beruf*, erwerb*, arbeit*, emploi*, metier, trabajo*, ocupacion*, empleo*,
    lavoro*, beroep*, werk*, profiss*, emprego*, ocupacao, trabalho, industry*, sector*, branche*, isco*,
    nace*, naics*, veteran*, military*, *profession*, profes*, soc prof, csp
quasi-identifier; nominal; a place in the household
    relat, relation, relations, relationship*, relshipp, kinship, head of*, kind pers*, verwandt*, parente*
quasi-identifier; ; a household's make-up
    house hold*, hh size, hh type, hh*size, family*, familie*, child*, kids, num young, num old, n person*,
    n pers, persons, living*, lives, nursing home, roof, wall, walls, dwelling*, housing, haushalt*,
    kinder*, enfant*, menage*, hijo*, hogar*, figli*, famiglia*, filho*, huishoud*, wohn*, logement*,
    vivienda*, wgtp
quasi-identifier; nominal; a country or state
    country*, *country, state, states, state code, bundesland, =land, *staat, pays, pais*, paese, =estado,
    =st, nation, canton, kanton, provinc*
quasi-identifier; nominal; a place
    county*, city*, town*, village*, municipal*, region*, area*, district*, place, places, place size*,
    location*, residence, latitude, lat, longitude, lon, lng, puma*, fips*, tract, msa, nuts*,
    neighbo*rhood, urb*, rural*, hospital*, clinic, facility, center, centre, site, ort, wohn ort,
    geburts ort, stadt*, kreis*, gemeinde*, krankenhaus*, klinik*, ville*, commune*, departement*, hopital*,
    lieu, ciudad*, municipi*, comunidad*, barrio, lugar, citta*, comune*, regione*, ospedale*, luogo, stad,
    gemeente*, woonplaats, ziekenhuis*, plaats, cidade*, distrito*, freguesia, concelho, insee
other; numeric; a count or a measure
    hour*, count, counts, minute*, percent*, pct, ratio, rate, distance, temperature, duration*, *dur,
    number of, quantity
other; ordinal; a scale
    grade*, level*, stage*, score*, scale*, rating*, rank*, likert, satisf*, worried, stufe*, niveau*,
    nivel*, livello*, quintile*, quartile*, decile*, intensity
identifier; nominal; a record number
    id, ids, nr$, no$, num$, number$, numero$, key$, identif*, uuid, guid, pid, uid, hid, hhid, =index,
    record #, rec #, row #, case #, pat #, serial no, serial number, lfd nr, laufnummer, kennung, *nummer$
"""


def fold(text: str) -> str:
    """Lower case, without accents.

    >>> fold("Größe"), fold("ÂGE")
    ('grosse', 'age')
    """
    return _unaccented(text).casefold()


def tokens(name: str) -> str:
    """The words of a column name, folded and set apart by one space.

    >>> tokens("PAT_AGE"), tokens("HouseholdID"), tokens("Covid19-Test"), tokens("Straße Nr.")
    ('pat age', 'household id', 'covid 19 test', 'strasse nr')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", _unaccented(name))
    return " ".join(re.findall(r"[^\W\d_]+|\d+", apart)).casefold()


def _unaccented(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


@dataclass(frozen=True, slots=True)
class Topic:
    """What a column may be about: how we say it, its role, the kind it mostly has, its words."""

    label: str
    role: Role
    kind: Kind | None
    words: re.Pattern[str]

    def names(self, name: str) -> bool:
        """Whether a column of this name is about the topic.

        >>> zip_code = topic("a postal code")
        >>> zip_code.names("ZipCode"), zip_code.names("Code postal"), zip_code.names("zipper")
        (True, True, False)
        """
        return bool(self.words.search(tokens(name)))


def topic(label: str) -> Topic:
    """The topic we say in these words."""
    return next(found for found in TOPICS if found.label == label)


def topics(name: str) -> list[Topic]:
    """The topics a column name speaks of, the one to believe first.

    >>> [found.label for found in topics("Geburtsdatum")]
    ['a birth date', 'a date']
    >>> [found.label for found in topics("TOTAL_CHARGES")], topics("x17")
    (['money'], [])
    """
    return [found for found in TOPICS if found.names(name)]


def _entry(entry: str) -> str:
    """The expression of one entry of the list."""
    inner = re.escape(entry.strip("=$")).replace(r"\*", "[^ ]*").replace(r"\ ", " ?").replace(r"\#", _NUMBER)
    first = "^" if entry.startswith("=") else "(?:^| )"
    last = "$" if entry.startswith("=") or entry.endswith("$") else "(?: |$)"
    return first + inner + last


def _parsed(listed: str) -> Iterator[Topic]:
    """The topics of the list, in its order."""
    for head, words in re.findall(r"^(\S.*)\n((?: .*\n)+)", listed, re.MULTILINE):
        role, kind, label = (part.strip() for part in head.split(";"))
        entries = [entry.strip() for entry in words.split(",") if entry.strip()]
        pattern = re.compile("|".join(_entry(entry) for entry in entries))
        yield Topic(label, Role(role), Kind(kind) if kind else None, pattern)


TOPICS: tuple[Topic, ...] = tuple(_parsed(_LIST))
