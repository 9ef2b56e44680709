"""Questions for a statistical study: 'carta p dos defeitos por dia', 'Cpk entre 80 e 120'.

The words of the method and its numbers are read first. The rest of the question is read as any
other is: its rows, a column to compute with, groups.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache

from qhub_desktop.nlq.grouping import is_part_amount, whole_of_amounts
from qhub_desktop.nlq.lexicon import role_pattern
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import (
    Ask,
    AsStudy,
    Dimension,
    Number,
    Unknown,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.study_columns import gauge_columns, limits, readings, rejected_column, trials
from qhub_desktop.nlq.tokenizer import Place, blanked, normalize_in_place, without_unit

Given = dict[str, str | int | float]

_TOOLS = {
    "control_chart": "carta_controlo",
    "capability": "capacidade",
    "hypothesis_test": "teste_hipotese",
    "gauge_study": "estudo_rr",
    "sampling_plan": "plano_amostragem",
    "process_yield": "rendimento",
    "concentration": "pareto",
}
# The longer words first: 'carta p de Laney' is no 'carta p'.
_CHART_KINDS = (
    *("laney_p", "laney_u", "xbar_r", "xbar_s", "xbar", "ewma", "cusum", "run"),
    *("np", "i", "p", "c", "u"),
)
_TESTS = ("qui_quadrado", "fisher", "mann_whitney", "kruskal", "levene", "anova", "t")
_PERIODS = {"day": "dia", "week": "semana", "month": "mes"}
_SIGNED_FIGURE = r"-?\d+(?:[.,]\d+)?"
_OF_COUNTS = ("p", "np", "c", "u", "laney_p", "laney_u")
_MEASURED_STUDIES = ("carta_controlo", "capacidade", "teste_hipotese", "estudo_rr")
MOST_READINGS = 4


@dataclass
class StudyQuestion:
    """What a question says of a study, and where; the rest of it says of what."""

    tool: str
    question: str
    said: str = ""  # the words that name the method
    given: Given = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)  # of all that is said of the study

    @property
    def rest(self) -> str:
        """The question without what it says of the study, each letter at its place."""
        return blanked(self.question, self.places, by=" ")

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Find a pattern in the rest, and take it from there."""
        found = pattern.search(normalize_in_place(self.rest))
        if found is not None:
            self.said = self.said or self.question[slice(*found.span())]
            self.places.append(found.span())
        return found


def read_study(question: str, indexes: Iterable[SchemaIndex]) -> StudyQuestion | None:
    """Read a question for a study; None if it asks for none, or names a column by such a word."""
    asked = StudyQuestion("", question)
    kind = next((each for each in _CHART_KINDS if asked.take(_words("study_kinds", each))), None)
    if kind is not None:
        asked.tool = _TOOLS["control_chart"]
        asked.given["tipo"] = kind
    folded = normalize_in_place(asked.rest)
    for method, tool in _TOOLS.items():
        if asked.tool in ("", tool) and (found := _words("studies", method).search(folded)):
            asked.tool, asked.said = tool, asked.said or question[slice(*found.span())]
    if asked.tool == "" and (said := _capability_of(asked, indexes)):
        asked.tool, asked.said = _TOOLS["capability"], said[0]
        asked.given["coluna"] = said[1]
        asked.take(re.compile(re.escape(normalize_in_place(said[0]))))
    if asked.tool == "" or _names_column(asked.said, indexes):
        return None
    match asked.tool:
        case "capacidade":
            _take_limits(asked)
        case "plano_amostragem":
            _take_sampling(asked)
        case "carta_controlo":
            _take_chart_numbers(asked)
        case "rendimento":
            _take_volume(asked)
        case "teste_hipotese":
            asked.take(_between())
            if name := next(
                (each for each in _TESTS if asked.take(_words("study_tests", each))), None
            ):
                asked.given["metodo"] = name
            while asked.take(_words("study_words", "significant")):
                pass
        case _:
            pass
    method = next(each for each, tool in _TOOLS.items() if tool == asked.tool)
    while asked.take(_words("studies", method)):
        pass  # 'o Cp e o Cpk', 'FTQ e RTY'
    return asked


def _capability_of(asked: StudyQuestion, indexes: Iterable[SchemaIndex]) -> tuple[str, str] | None:
    """Return the words that ask for the capability of what was measured, and the column.

    'Capacidade da cota'. A capacity may be an amount, too: without limits that of a column which
    is no amount is meant.
    """
    folded = normalize_in_place(asked.rest)
    found = _words("studies", "capability_of").search(folded)
    if found is None:
        return None
    has_limits = bool(_pair().search(folded) or _plus_minus().search(folded))
    names = {
        normalize_in_place(without_unit(name)).strip(): name
        for index in indexes
        for name in readings(index)
        if has_limits or not index.is_amount(name)
    }
    told = [
        name
        for said, name in names.items()
        if re.search(rf"(?<!\w){re.escape(said)}(?!\w)", folded)
    ]
    return (asked.question[slice(*found.span())], told[0]) if len(told) == 1 else None


def _names_column(said: str, indexes: Iterable[SchemaIndex]) -> bool:
    """Return whether words are the name of a column: 'a média do Cpk'."""
    names = {
        normalize_in_place(without_unit(column.name)).strip()
        for index in indexes
        for column in index.profile.columns
    }
    return normalize_in_place(said).strip() in names


@cache
def _words(table: str, role: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){role_pattern(table, role)}(?![\w'])")


@cache
def _numbered(role: str) -> re.Pattern[str]:
    """Return the pattern of a word and its number: 'LSE = 120', 'lote de 2000'."""
    word, is_ = role_pattern("study_words", role), role_pattern("study_words", "is")
    return re.compile(rf"(?<!\w){word}\s*(?:{is_}\s*)?({_SIGNED_FIGURE})(?!\w)")


@cache
def _pair() -> re.Pattern[str]:
    limits, and_ = role_pattern("study_words", "limits"), role_pattern("study_words", "and")
    is_ = role_pattern("study_words", "is")
    return re.compile(
        rf"(?<!\w){limits}\s*(?:{is_}\s*)?({_SIGNED_FIGURE})\s*(?:{and_})\s*({_SIGNED_FIGURE})(?!\w)"
    )


@cache
def _plus_minus() -> re.Pattern[str]:
    return re.compile(rf"({_SIGNED_FIGURE})\s*(?:±|\+/-|\+-)\s*({_SIGNED_FIGURE})")


@cache
def _between() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){role_pattern('study_words', 'between')}(?!\w)(?!\s*\d)")


@cache
def _amount_before(role: str) -> re.Pattern[str]:
    return re.compile(rf"({_SIGNED_FIGURE})\s+{role_pattern('study_words', role)}(?!\w)")


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _take_limits(asked: StudyQuestion) -> None:
    if (found := asked.take(_plus_minus())) is not None:
        middle, half = map(_number, found.groups())
        asked.given |= {"lie": middle - half, "lse": middle + half, "alvo": middle}
    elif (found := asked.take(_pair())) is not None:
        lower, upper = sorted(map(_number, found.groups()))
        asked.given |= {"lie": lower, "lse": upper}
    for role, name in (("lower", "lie"), ("upper", "lse"), ("target", "alvo")):
        if (found := asked.take(_numbered(role))) is not None:
            asked.given[name] = _number(found[1])


def _take_sampling(asked: StudyQuestion) -> None:
    if (found := asked.take(_numbered("aql"))) is not None:
        asked.given["nqa"] = _number(found[1])
    if (found := asked.take(_numbered("lot"))) is not None:
        asked.given["lote"] = int(_number(found[1]))
    level = rf"(?<!\w){role_pattern('study_words', 'level')}\s+(iii|ii|i|s-?[1-4])(?!\w)"
    if (found := asked.take(re.compile(level))) is not None:
        said = found[1].upper()
        asked.given["nivel"] = said if "-" in said or "S" not in said else f"S-{said[-1]}"
    if asked.take(_words("study_words", "tightened")):
        asked.given["severidade"] = "apertada"


def _take_chart_numbers(asked: StudyQuestion) -> None:
    if (found := asked.take(_numbered("subgroup"))) is not None:
        asked.given["subgrupo"] = int(_number(found[1]))
    _take_volume(asked)


def _take_volume(asked: StudyQuestion) -> None:
    if (found := asked.take(_amount_before("volume"))) is not None:
        asked.given["volume"] = _number(found[1])
        if asked.tool == _TOOLS["control_chart"]:
            asked.given["periodo"] = "dia"


def has_columns_of(asked: StudyQuestion, index: SchemaIndex) -> bool:
    """Return whether a data set has what a study measures: other sheets are not meant."""
    if asked.tool == "estudo_rr":
        return bool(trials(index)) or (len(gauge_columns(index)) == 2 and bool(readings(index)))
    is_measured = asked.tool in _MEASURED_STUDIES and asked.given.get("tipo") not in _OF_COUNTS
    return not is_measured or bool(readings(index)) or index.is_of_defects


def study_plan(asked: StudyQuestion, frame: QuestionFrame) -> AsStudy | Unknown | Ask:
    """Make the plan of a study from the rest of its question.

    Asks which column is meant where several could be; what names nothing in the data is told.
    """
    count, given = Number(frame.scope), dict(asked.given)
    if asked.tool == "plano_amostragem":
        return AsStudy(count, asked.tool, tuple(given.items()))
    if frame.unknown:
        return Unknown("value", frame.unknown)
    index = frame.index
    measured = [each.column for each in frame.columns if index.is_number(each.column)]
    groups = [
        each
        for each in (*frame.dimensions, *frame.columns)
        if each.column not in measured or each.grain
    ]
    counts_rows = index.is_of_defects and not measured
    is_of_counts = given.get("tipo") in _OF_COUNTS or counts_rows
    if is_of_counts and not measured and not index.is_of_defects:
        rejected = rejected_column(index)
        measured = [rejected] if rejected else []
    if asked.tool == "capacidade" and given.keys().isdisjoint(("lie", "lse")):
        given |= limits(index, measured[0] if measured else "")  # as the data tell them
    if asked.tool == "pareto":
        places = [each.column for each in (*frame.dimensions, *frame.columns)]
        if len(places) != 2:
            return Unknown("column")
        return AsStudy(count, asked.tool, (("coluna", places[0]), ("por", places[1])))
    if asked.tool == "estudo_rr":
        given |= gauge_columns(index)
    if asked.tool == "rendimento":
        given |= _parts(measured, frame)
    elif asked.tool == "teste_hipotese" and counts_rows:
        given |= {"coluna": index.type_column or ""} if index.type_column else {}
    elif measured:
        given.setdefault("coluna", measured[0])
        if is_of_counts and (whole := whole_of_amounts(index, measured[0])) is not None:
            given.setdefault("volume", whole)
    elif asked.tool in _MEASURED_STUDIES and not is_of_counts and "coluna" not in given:
        return _with_column(AsStudy(count, asked.tool), asked.said, given, groups, frame)
    given |= _roles(asked.tool, groups, frame)
    if asked.tool == "teste_hipotese" and "por" not in given:
        return _with_groups(AsStudy(count, asked.tool, tuple(given.items())), asked.said, frame)
    return AsStudy(count, asked.tool, tuple(given.items()))


def _parts(measured: list[str], frame: QuestionFrame) -> Given:
    """Return the columns of defective parts and of all parts, where the data has them."""
    index = frame.index
    parts = [each for each in (measured or index.measures) if is_part_amount(index, each)]
    whole = whole_of_amounts(index, parts[0]) if parts else None
    return {"defeituosas": parts[0], "volume": whole} if parts and whole else {}


def _with_column(
    plan: AsStudy, said: str, given: Given, groups: list[Dimension], frame: QuestionFrame
) -> AsStudy | Unknown | Ask:
    """Take the only column that can be measured, or ask which one is meant."""
    roles = _roles(plan.tool, groups, frame)
    index = frame.index
    tried = trials(index) if plan.tool == "estudo_rr" else ()
    measures = readings(index) or index.measures
    made = [
        (name, replace(plan, given=tuple((given | {"coluna": name} | roles).items())))
        for name in (tried or measures)[:MOST_READINGS]
    ]
    if tried:
        beside = [each for each in index.profile.columns if each.name not in tried]
        beside.sort(key=lambda each: each.distinct, reverse=True)  # parts, then operators
        name = " × ".join([*(each.name for each in beside), ", ".join(tried)])
        made.insert(0, (name, replace(plan, given=tuple((given | roles).items()))))
    if not made:
        return Unknown("column")
    return made[0][1] if len(made) == 1 else Ask(said, tuple(made))


def _with_groups(plan: AsStudy, said: str, frame: QuestionFrame) -> AsStudy | Unknown | Ask:
    """Ask which groups are meant where none is named: 'entre as linhas' may mean rows."""
    taken = dict(plan.given).get("coluna")
    made = [
        (name, replace(plan, given=(*plan.given, ("por", name))))
        for name in frame.index.categories[:MOST_READINGS]
        if name != taken
    ]
    return Ask(said, tuple(made)) if made else Unknown("column")


def _roles(tool: str, groups: list[Dimension], frame: QuestionFrame) -> Given:
    """Return what the groups of a question are for a method: its subgroups, periods or groups."""
    given: Given = {}
    for each in groups:
        if tool == "carta_controlo":
            if each.grain in _PERIODS:
                given["periodo"] = _PERIODS[each.grain]
            elif each.column == frame.index.shift_column:
                given["periodo"] = "turno"
            elif each.column != frame.index.date_column:
                given.setdefault("subgrupo", each.column)
        elif tool in ("teste_hipotese", "rendimento") and not each.grain:
            given.setdefault("por", each.column)
    return given
