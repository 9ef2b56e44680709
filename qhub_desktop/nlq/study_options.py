"""Options of studies in a question: limits, lots, subgroups, frozen limits, rules, parameters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from qhub_desktop.nlq.lexicon import role_pattern, table_roles
from qhub_desktop.nlq.tokenizer import Place, blanked, normalize_in_place

# A part of a parameter, or of a list, stands behind its name: `parametros.peso`, `regras.0`.
Given = dict[str, str | int | float]

# Spaces part thousands wherever they stand; whether a point or a comma does, the meaning tells.
_SAID_FIGURE = (
    r"[-−+]?\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?![\d.,]*\d)"
    r"|[-−+]?\d+(?:[.,]\d{3})*(?:[.,]\d+)?"
)
_SAID_UNIT = r"(?:\s*(?:%|[µμu]m|mm|cm|gu|ub|mpa|kpa|bar|°c|ºc|nm|mg|kg|ml|mpa\.s|g/m2))?(?!\w)"
_IN_THREES = re.compile(r"\d{1,3}(?:[ .,\u00a0\u202f]\d{3})+")
_USUAL_RISKS = {"producer_risk": 5.0, "consumer_risk": 10.0}  # %, of plans by two points
_SHARE_OF_CG, _DEVIATIONS_OF_CG = 20.0, 6.0  # % of the tolerance over deviations
_LEVELS = {"1": "I", "2": "II", "3": "III"}
_RULES_OF = {"nelson": 8, "we": 4}
OF_ONE_COLUMN = ("normalidade", "intervalo_tolerancia", "tamanho_amostra")
_ESTIMATORS: Mapping[str, str] = {
    "by_median": "median MR/d4",
    "by_pooled": "pooled/c4",
    "by_ranges": "Rbar/d2",
    "by_deviations": "Sbar/c4",
    "by_overall": "s/c4",
}


@dataclass
class StudyQuestion:
    """What a question says of a study, and where; the rest of it says of what."""

    tool: str
    question: str
    said: str = ""  # the words that name the method
    given: Given = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)  # of all that is said of the study
    names: frozenset[str] = frozenset()  # words that columns are called by, which stay
    ordered: str = ""  # what follows 'por ordem de'
    compared: str = ""  # what follows 'entre'
    is_in_series: bool = False  # steps that each part goes through

    @property
    def rest(self) -> str:
        """The question without what it says of the study, each letter at its place."""
        return blanked(self.question, self.places, by=" ")

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Find a pattern in the rest, and take it from there; the name of a column it is not."""
        folded = normalize_in_place(self.rest)
        found = next(
            (each for each in pattern.finditer(folded) if not self._is_name(each[0])), None
        )
        if found is not None:
            self.said = self.said or self.question[slice(*found.span())]
            self.places.append(found.span())
        return found

    def _is_name(self, said: str) -> bool:
        words = re.findall(r"[^\W\d_]+|\d+", said)
        return bool(words) and self.names.issuperset(words)

    def take_word(self, *roles: str) -> bool:
        """Take every word of some roles; return whether there was one."""
        is_there = False
        while self.take(words_of("study_words", *roles)) is not None:
            is_there = True
        return is_there


@cache
def words_of(table: str, *roles: str) -> re.Pattern[str]:
    """Return the pattern of the words of some roles."""
    return re.compile(rf"(?<!\w){role_pattern(table, *roles)}(?![\w'])")


def _said(role: str) -> str:
    return role_pattern("study_words", role)


@cache
def _is() -> str:
    return rf"\s*(?:{_said('is')}\s*){{0,3}}"


@cache
def _numbered(role: str) -> re.Pattern[str]:
    """Return the pattern of a word and its number: 'LSE = 120', 'lote de 2000'."""
    return re.compile(rf"(?<!\w){_said(role)}{_is()}({_SAID_FIGURE}){_SAID_UNIT}")


@cache
def _amount_before(role: str) -> re.Pattern[str]:
    """Return the pattern of a number and its word: '400 peças por dia', '0,65 de NQA'."""
    return re.compile(rf"(?<![\w.,])({_SAID_FIGURE})\s*%?{_is()}{_said(role)}(?!\w)")


@cache
def _pair() -> re.Pattern[str]:
    and_ = rf"(?:{_said('and')}|/|;)"
    return re.compile(
        rf"(?<!\w){_said('limits')}{_is()}[\[(]?({_SAID_FIGURE}){_SAID_UNIT}\s*{and_}\s*({_SAID_FIGURE}){_SAID_UNIT}[\])]?"
    )


@cache
def _both_limits() -> re.Pattern[str]:
    """Return the pattern of two limits that are named first: 'LIE/LSE: 88/112'."""
    and_ = rf"\s*(?:{_said('and')}|/|;|,)\s*"
    return re.compile(
        rf"(?<!\w){_said('lower')}{and_}{_said('upper')}{_is()}({_SAID_FIGURE}){_SAID_UNIT}{and_}({_SAID_FIGURE}){_SAID_UNIT}"
    )


@cache
def _plus_minus() -> re.Pattern[str]:
    before = rf"(?:(?<!\w)(?:{_said('limits')}|{_said('target')}){_is()})?"
    sign = r"(?:±|\+/-|\+-|\+\s*/\s*-)"
    return re.compile(
        rf"{before}({_SAID_FIGURE}){_SAID_UNIT}\s*{sign}\s*({_SAID_FIGURE}){_SAID_UNIT}"
    )


@cache
def _plus_and_minus() -> re.Pattern[str]:
    before = rf"(?:(?<!\w)(?:{_said('limits')}|{_said('target')}){_is()})?"
    return re.compile(
        rf"{before}({_SAID_FIGURE}){_SAID_UNIT}\s*\+\s*(\d+(?:[.,]\d+)?)\s*/?\s*[-−]\s*(\d+(?:[.,]\d+)?){_SAID_UNIT}"
    )


def _number(text: str) -> float:
    """Read a number: the last of two kinds of mark parts the decimals, a lone one always does."""
    text = re.sub(r"[ \u00a0\u202f]", "", text).replace("−", "-")
    marks = re.findall(r"[.,]", text)
    if len(set(marks)) == 2 or len(marks) > 1:
        first = marks[0]
        text = text.replace(first, "")
    return float(text.replace(",", "."))


def _count(text: str) -> int | None:
    """Read a number of things, of which there are no parts: '12.000' is twelve thousand."""
    if _IN_THREES.fullmatch(text):
        return int(re.sub(r"\D", "", text))
    value = _number(text)
    return int(value) if value.is_integer() else None


def _take_number(asked: StudyQuestion, role: str, name: str) -> None:
    found = asked.take(_numbered(role)) or asked.take(_amount_before(role))
    if found is not None:
        asked.given[name] = _number(found[1])


def take_limits(asked: StudyQuestion) -> None:
    """Take a specification: 'entre 88 e 112', 'spec 100 ± 12', 'no máximo 90', 'LIE/LSE 88/112'."""
    if (found := asked.take(_plus_minus())) is not None:
        middle, half = map(_number, found.groups())
        asked.given |= {"lie": middle - half, "lse": middle + half, "alvo": middle}
    elif (found := asked.take(_plus_and_minus())) is not None:
        middle, above, below = map(_number, found.groups())
        asked.given |= {"lie": middle - below, "lse": middle + above, "alvo": middle}
    elif (found := asked.take(_both_limits()) or asked.take(_pair())) is not None:
        lower, upper = sorted(map(_number, found.groups()))
        asked.given |= {"lie": lower, "lse": upper}
    for role, name in (("lower", "lie"), ("upper", "lse"), ("target", "alvo")):
        if (found := asked.take(_numbered(role))) is not None:
            asked.given[name] = _number(found[1])
    asked.take_word("one_sided")


def _take_if(asked: StudyQuestion, pattern: re.Pattern[str], usual: float) -> None:
    """Take a number that the method has anyway; another one stays, unknown."""
    found = asked.take(pattern)
    if found is not None and _number(found[1]) != usual:
        asked.places.pop()


def take_model(asked: StudyQuestion) -> None:
    """Take the distribution that capability is judged by."""
    for name in ("lognormal", "weibull", "box_cox", "johnson", "percentiles", "normal"):
        if asked.take(words_of("study_models", name)) is not None:
            asked.given["modelo"] = name
            break
    if asked.given.get("modelo", "normal") != "normal":
        asked.take_word("not_normal")  # as another model says


def take_phase(asked: StudyQuestion) -> None:
    """Take whether a machine or a new process is studied: 'Cmk', 'Ppk preliminar'."""
    for name in ("maquina", "inicial"):
        is_there = False
        while asked.take(words_of("study_phases", name)) is not None:
            is_there = True
        if is_there:
            asked.given["estudo"] = name
            return


def take_sampling(asked: StudyQuestion) -> None:
    """Take a lot, an AQL, a level and a severity, or what is to be accepted and rejected."""
    thousands = rf"(?:\s*{_said('thousand')})?"
    figure = rf"({_SAID_FIGURE})({thousands})(?![\w%])(?!\s*%)"
    for role, usual in _USUAL_RISKS.items():
        _take_if(asked, _numbered(role), usual)
    _take_number(asked, "aql", "nqa")
    _take_number(asked, "bad", "mau")
    _take_number(asked, "good", "bom")
    lot = asked.take(re.compile(rf"(?<!\w){_said('lot')}{_is()}{figure}"))
    lot = lot or asked.take(re.compile(rf"(?<![\w.,]){figure}\s*(?:{_said('parts')})(?!\w)"))
    if lot is not None and (count := _count(lot[1])) is not None:
        asked.given["lote"] = count * 1000 if lot[2].strip() else count
    level = rf"(?<!\w){_said('level')}{_is()}(iii|ii|i|[1-3]|s\s?-?\s?[1-4])(?!\w)"
    if (found := asked.take(re.compile(level))) is not None:
        said = re.sub(r"[\s-]", "", found[1].upper())
        asked.given["nivel"] = f"S-{said[-1]}" if said[0] == "S" else _LEVELS.get(said, said)
    if asked.take_word("tightened"):
        asked.given["severidade"] = "apertada"
    elif asked.take_word("reduced"):
        asked.given["severidade"] = "reduzida"
    _take_zero(asked)
    asked.take_word("parts", "normal_inspection")
    if "mau" in asked.given and "nqa" in asked.given:  # two points make a plan of their own
        asked.given["bom"] = asked.given.pop("nqa")


def _take_zero(asked: StudyQuestion) -> None:
    """Take a plan that accepts on zero, with what it is to reject and its confidence.

    Its words stay, unknown, where nothing says what is to be rejected: an AQL does not.
    """
    before = len(asked.places)
    if not asked.take_word("accept_on_zero"):
        return
    _take_number(asked, "confidence", "confianca")
    share = re.compile(rf"(?<![\w.,])({_SAID_FIGURE})\s*%")
    if "mau" not in asked.given and (found := asked.take(share)) is not None:
        asked.given["mau"] = _number(found[1])
    if "mau" not in asked.given or "nqa" in asked.given:
        del asked.places[before:]


def take_volume(asked: StudyQuestion) -> None:
    """Take how many parts are inspected in each period."""
    if (found := asked.take(_amount_before("volume"))) is None:
        return
    asked.given["volume"] = _count(found[1]) or _number(found[1])
    if asked.tool == "carta_controlo":
        asked.given["periodo"] = "dia"


def take_yield(asked: StudyQuestion) -> None:
    """Take opportunities, the shift of the sigma level, and whether steps follow each other."""
    take_volume(asked)
    _take_number(asked, "opportunities", "oportunidades")
    _take_number(asked, "sigma_shift", "desvio")
    asked.is_in_series = asked.take_word("in_series")


def take_subgroups(asked: StudyQuestion) -> None:
    """Take how many readings in a row make a subgroup: 'subgrupos de 5', '5 peças por subgrupo'."""
    for pattern in (_numbered("subgroup"), _amount_before("a_subgroup")):
        found = asked.take(pattern)
        if found is not None and (count := _count(found[1])) is not None:
            asked.given["subgrupo"] = count
            return
    asked.take_word("row_is_subgroup")


def take_chart(asked: StudyQuestion) -> None:
    """Take what a control chart is drawn with: subgroups, frozen limits, phases, rules, numbers."""
    take_subgroups(asked)
    take_volume(asked)
    kind = asked.given.get("tipo")
    if kind in ("ewma", "cusum"):
        for role, name in (("weight", "peso"), ("width", "largura"), ("target", "alvo"),
                           ("slack", "k"), ("decision", "h")):  # fmt: skip
            if (name in ("peso", "largura")) <= (kind == "ewma"):
                _take_number(asked, role, f"parametros.{name}")
    _take_frozen(asked)
    _take_phases(asked)
    _take_rules(asked)
    for role, name in _ESTIMATORS.items():
        if asked.take(words_of("study_words", role)) is not None:
            asked.given["estimador"] = name
            break
    _take_excluded(asked)
    _take_order(asked)


def _take_frozen(asked: StudyQuestion) -> None:
    """Take how many of the first points make the limits; words without a number stay, unknown."""
    before = len(asked.places)
    if not asked.take_word("frozen"):
        return
    points = rf"(?:\s*{_said('points')})?(?!\w)"
    first = re.compile(rf"(?<!\w){_said('first')}{_is()}({_SAID_FIGURE}){points}")
    later = re.compile(rf"(?<![\w.,])({_SAID_FIGURE})\s*{_said('first')}{points}")
    found = asked.take(first) or asked.take(later)
    count = None if found is None else _count(found[1])
    if count is None:
        del asked.places[before:]
    else:
        asked.given["congelar"] = count


def _take_phases(asked: StudyQuestion) -> None:
    point = rf"(?:{_said('point')}\s*)?(\d+)"
    at = re.compile(rf"(?<!\w){_said('phase')}{_is()}{point}(?:\s*{_said('and')}\s*{point})?(?!\w)")
    if (found := asked.take(at)) is not None:
        for place, label in enumerate(filter(None, found.groups())):
            asked.given[f"etapas.{place}"] = label


def _take_rules(asked: StudyQuestion) -> None:
    """Take sets of rules, or some of one: 'regras de Nelson 1 a 4', 'Western Electric'."""
    several = r"\d(?:\s*(?:,|-|a|to|e|and|&)\s*\d)*(?!\w|[.,]\d)"
    for family, role in (("we", "western_electric"), ("nelson", "nelson"), ("nelson", "rules")):
        before = rf"(?:{_said('only')}\s*)?(?:{_said('rules')}\s*)?(?:{_said('is')}\s*)?"
        after = rf"(?:\s+{_said('rules')})?(?:\s*({several}))?(?!\w)"
        pattern = re.compile(rf"(?<!\w){before}{_said(role)}{after}")
        if (found := asked.take(pattern)) is None:
            continue
        numbers = [int(each) for each in re.findall(r"\d", found[1] or "")]
        is_range = found[1] is not None and re.search(r"\d\s*(?:-|a|to)\s*\d", found[1])
        if is_range and len(numbers) == 2:
            numbers = [*range(numbers[0], numbers[1] + 1)]
        if not numbers and role == "rules":
            asked.places.pop()
            return
        for place, rule in enumerate(numbers or range(1, _RULES_OF[family] + 1)):
            asked.given[f"regras.{place}"] = f"{family}{rule}"
        return


def _take_excluded(asked: StudyQuestion) -> None:
    pattern = re.compile(rf"(?<!\w){_said('without')}\s*{_said('point')}\s*(\d+)(?!\w)")
    place = 0
    while (found := asked.take(pattern)) is not None:
        why = re.compile(rf"\s*\((.+?)\)|\s*{_said('because')}\s+([^,;?]+)")
        reason = why.match(normalize_in_place(asked.rest), found.end())
        words = asked.question[slice(*found.span())]
        if reason is not None:
            asked.places.append(reason.span())
            words = asked.question[slice(*reason.span(1 if reason[1] else 2))]
        asked.given[f"excluir.{place}.ponto"] = found[1]
        asked.given[f"excluir.{place}.motivo"] = words.strip()
        place += 1


def _take_order(asked: StudyQuestion) -> None:
    """Take the words that a column of order follows; the column stays to be found."""
    if (found := asked.take(words_of("study_words", "in_order"))) is not None:
        asked.ordered = asked.question[found.end() :]


def take_gauge(asked: StudyQuestion) -> None:
    """Take the method of a gauge study, its tolerance and its reference."""
    for method in ("tipo1", "linearidade", "atributos", "aninhado", "amplitudes", "anova"):
        is_there = False
        while asked.take(words_of("study_gauges", method)) is not None:
            is_there = True
        if is_there:
            asked.given.setdefault("metodo", method)
    if (found := asked.take(_plus_minus_tolerance())) is not None:
        asked.given["tolerancia"] = 2 * _number(found[1])
    _take_number(asked, "tolerance", "tolerancia")
    if asked.given.get("metodo") == "tipo1":
        _take_if(asked, re.compile(rf"(?<![\w.,])({_SAID_FIGURE})\s*%"), _SHARE_OF_CG)
        _take_if(asked, _amount_before("deviations"), _DEVIATIONS_OF_CG)
    if (found := asked.take(_numbered("reference"))) is not None:
        asked.given["referencia"] = _number(found[1])


@cache
def _plus_minus_tolerance() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w){_said('tolerance')}{_is()}(?:±|\+/-|\+-)\s*({_SAID_FIGURE}){_SAID_UNIT}"
    )


def take_test(asked: StudyQuestion, tests: tuple[str, ...]) -> None:
    """Take the test that is asked for by name, and what says that two things are compared."""
    if (found := asked.take(_between())) is not None:
        asked.compared = asked.question[found.end() :]
    is_unequal = asked.take(words_of("study_words", "unequal_variances")) is not None
    compared = words_of("study_words", "compared", "comparing")
    if is_unequal and compared.search(normalize_in_place(asked.rest)) is not None:
        asked.given["metodo"] = "t"  # of Welch
    elif is_unequal:
        asked.places.pop()  # which is what is asked
    for name in tests:
        is_there = False
        while asked.take(words_of("study_tests", name)) is not None:
            is_there = True
        if is_there:
            asked.given.setdefault("metodo", name)
    if asked.given.get("metodo") == "intervalo_tolerancia":
        _take_shares(asked)
    elif asked.given.get("metodo") == "tamanho_amostra":
        _take_number(asked, "power", "potencia")
        if (found := asked.take(_numbered("difference"))) is not None:
            asked.given["diferenca"] = _number(found[1])
    else:
        asked.take_word("significant", "compared")


def _take_shares(asked: StudyQuestion) -> None:
    """Take a confidence and a share of parts: '95/99', '95 % de confiança e 99 % das peças'.

    Each number is of the word beside it; of two without words the confidence is first. Numbers
    that either could be of stay, unknown.
    """
    names = {"confidence": "confianca", "share_of_parts": "proporcao"}
    words = "|".join(f"(?P<{role}>{_said(role)})" for role in names)
    parts = re.compile(
        rf"(?<![\w.,])(?:(?P<figure>{_SAID_FIGURE})(?:\s*(?P<share>%))?|{words})(?!\w)"
    )
    found = [*parts.finditer(normalize_in_place(asked.rest))]
    is_word = [each["figure"] is None for each in found]
    spoken = [
        each
        for at, each in enumerate(found)
        if is_word[at] or each["share"] or any(is_word[max(at - 1, 0) : at + 2])
    ]
    roles = [next((name for role, name in names.items() if each[role]), "") for each in spoken]
    figures = [each for each in spoken if each["figure"]]
    said = [role for role in roles if role]
    both = re.compile(rf"(?<![\w.,])({_SAID_FIGURE})\s*%?\s*/\s*({_SAID_FIGURE})\s*%?(?!\w)")
    if not said:
        if (pair := asked.take(both)) is not None:
            asked.given |= {"confianca": _number(pair[1]), "proporcao": _number(pair[2])}
        return
    order = "".join("w" if role else "n" for role in roles)
    if order in ("nnw", "wnn"):  # one word: the number apart from it is of the other
        other = next(name for name in names.values() if name != said[0])
        said = [other, *said] if order == "nnw" else [*said, other]
    elif order not in ("nw", "wn", "nwnw", "wnwn", "wnnw"):
        return
    if len({*said}) == len(said):
        for name, each in zip(said, figures, strict=True):
            asked.given[name] = _number(each["figure"])
        asked.places += [each.span() for each in spoken]


@cache
def option_words() -> re.Pattern[str]:
    """Return the pattern of words that ask for an option: a study without it is another one."""
    tables = ("study_kinds", "study_tests", "study_gauges", "study_models", "study_phases")
    roles = ["lower", "upper", "target", "subgroup", "level", "reduced", "tightened", "tolerance"]
    roles += ["first", "phase", "rules", "nelson", "western_electric", *_ESTIMATORS, "without"]
    roles += ["frozen_word", "in_order", "confidence", "share_of_parts", "difference", "power"]
    roles += ["opportunities", "sigma_shift", "weight", "reference", "accept_on_zero"]
    words = [role_pattern(each, *table_roles(each)) for each in tables]
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)}|{role_pattern('study_words', *roles)})(?!\w)")


@cache
def _between() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){_said('between')}(?!\w)(?!\s*\d)")


@cache
def averages_chart() -> re.Pattern[str]:
    """Return the pattern of a chart of averages with its spread: 'X-barra e R', 'Xbar/S'."""
    chart, averages = (role_pattern("study_kinds", each) for each in ("chart", "average"))
    beside = rf"(?:\s*(?:-|/|&|\+|,|{_said('and')})\s*|\s+)(?:{_said('is')}\s+)?"
    return re.compile(rf"(?<!\w)(?:{chart}\s+)?{averages}{beside}(r|s)(?:[\s-]+{chart})?(?![\w'])")


@cache
def _comparisons() -> tuple[re.Pattern[str], ...]:
    between, differ = _said("between"), _said("differ")
    spread, comparing = _said("spread"), _said("comparing")
    return (
        re.compile(rf"(?<!\w){differ}(?!\w).*(?<!\w)(?:{between})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{comparing}|{differ})(?!\w).*(?<!\w){spread}(?!\w)"),
        re.compile(rf"(?<!\w){spread}(?!\w).*(?<!\w)(?:{between}|{differ}|{comparing})(?!\w)"),
    )


def histogram_with_limits(question: str) -> str:
    """Return the words for a histogram that is to show a specification, which is named as such."""
    folded = normalize_in_place(question)
    found = words_of("study_words", "histogram").search(folded)
    named = words_of("study_words", "specification").search(folded)
    limited = StudyQuestion("", question)
    take_limits(limited)
    is_meant = found is not None and named is not None and bool(limited.given)
    return question[slice(*found.span())] if is_meant and found is not None else ""


def is_compared(question: str) -> str:
    """Return the words by which groups are compared: 'é diferente entre', 'compara a variância'."""
    folded = normalize_in_place(question)
    for pattern in _comparisons():
        if (found := pattern.search(folded)) is not None:
            return question[slice(*found.span())]
    return ""
