"""Questions for a statistical study: 'carta p dos defeitos por dia', 'Cpk entre 80 e 120'.

The words of the method and its numbers are read first. The rest of the question is read as any
other is: its rows, a column to compute with, groups.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import compared_column, is_part_amount
from qhub_desktop.nlq.lexicon import named_texts, words_by_role
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import (
    Ask,
    AsStudy,
    Dimension,
    Filter,
    Number,
    Unknown,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.study_columns import (
    column_named,
    gauge_columns,
    inspected_column,
    is_of_defects,
    is_of_trials,
    is_specified,
    judged_column,
    likely_gauge_columns,
    limits,
    numbers_in_turn,
    numbers_named,
    readings,
    readings_in_columns,
    reference_column,
    rejected_column,
    subgroup_column,
    trials,
    unused_of_yield,
)
from qhub_desktop.nlq.study_options import (
    OF_ONE_COLUMN,
    Given,
    StudyQuestion,
    averages_chart,
    histogram_with_limits,
    is_compared,
    option_words,
    take_chart,
    take_gauge,
    take_limits,
    take_model,
    take_phase,
    take_sampling,
    take_subgroups,
    take_test,
    take_yield,
    words_of,
)
from qhub_desktop.nlq.tokenizer import normalize_in_place, tokenize, without_unit

_TOOLS = {
    "control_chart": "carta_controlo",
    "capability": "capacidade",
    "gauge_study": "estudo_rr",
    "hypothesis_test": "teste_hipotese",
    "sampling_plan": "plano_amostragem",
    "process_yield": "rendimento",
    "concentration": "pareto",
}
# The longer words first: 'carta p de Laney' is no 'carta p'.
_CHART_KINDS = (
    *("laney_p", "laney_u", "xbar_r", "xbar_s", "xbar", "ewma", "cusum", "run"),
    *("np", "i", "p", "c", "u"),
)
_TESTS = (
    *(
        "intervalo_tolerancia",
        "tamanho_amostra",
        "regressao",
        "normalidade",
        "qui_quadrado",
        "fisher",
        "mann_whitney",
        "kruskal",
        "levene",
        "welch",
    ),
    *("anova", "t_emparelhado", "t_student", "t", "proporcoes"),
)
_PERIODS = {"hour": "hora", "day": "dia", "week": "semana", "month": "mes"}
_OF_COUNTS = ("p", "np", "c", "u", "laney_p", "laney_u")
_MEASURED_STUDIES = ("carta_controlo", "capacidade", "teste_hipotese", "estudo_rr")
_OF_CATEGORIES = ("qui_quadrado", "fisher")
MOST_READINGS = 4
_OF_NO_NAME = 2  # letters of words like 'me', which name nothing


def read_study(question: str, indexes: Iterable[SchemaIndex]) -> StudyQuestion | None:
    """Read a question for a study; None if it asks for none, or names a column by such a word."""
    indexes = [*indexes]
    asked = StudyQuestion("", question, names=_column_words(indexes))
    if (found := asked.take(averages_chart())) is not None:
        asked.given["tipo"] = f"xbar_{found[1]}"
    else:
        for each in _CHART_KINDS:
            if asked.take(words_of("study_kinds", each)) is not None:
                asked.given["tipo"] = each
                break
    if asked.places:
        asked.tool = _TOOLS["control_chart"]
    folded = normalize_in_place(asked.rest)
    # A method of gauges has names of others: 'R&R por médias e amplitudes', 'R&R (anova)'.
    methods = ["gauge_study", *(each for each in _TOOLS if each != "gauge_study")]
    for method in methods:
        pattern = words_of("studies", method)
        is_open = asked.tool == "" or (method == "gauge_study" and asked.tool != "estudo_rr")
        if (is_open or asked.tool == _TOOLS[method]) and (found := pattern.search(folded)):
            said = question[slice(*found.span())]
            if _names_data(said, indexes):
                continue
            if asked.tool not in ("", _TOOLS[method]):
                asked = StudyQuestion("", question, names=asked.names)
            asked.tool, asked.said = _TOOLS[method], asked.said or said
    if asked.tool == "" and (told := _capability_of(asked, indexes)) is not None:
        asked.tool, asked.said = _TOOLS["capability"], told[0]
        asked.given["coluna"] = told[1]
        asked.take(re.compile(re.escape(normalize_in_place(told[0]))))
    if asked.tool == "" and (histogram := histogram_with_limits(question)):
        asked.tool, asked.said = _TOOLS["capability"], histogram
        asked.take(words_of("study_words", "histogram"))
    if asked.tool == "" and (words := is_compared(question)) and not _names_data(words, indexes):
        asked.tool, asked.said = _TOOLS["hypothesis_test"], words
    if asked.tool == "" or _names_data(asked.said, indexes):
        return None
    _take_options(asked)
    method = next(each for each, tool in _TOOLS.items() if tool == asked.tool)
    while asked.take(words_of("studies", method)) is not None:
        pass  # 'o Cp e o Cpk', 'FTQ e RTY'
    asked.take_word("said_of_studies")
    return asked


def _take_options(asked: StudyQuestion) -> None:
    match asked.tool:
        case "capacidade":
            take_subgroups(asked)
            take_limits(asked)
            take_model(asked)
            take_phase(asked)
        case "plano_amostragem":
            take_sampling(asked)
        case "carta_controlo":
            take_chart(asked)
        case "rendimento":
            take_yield(asked)
        case "estudo_rr":
            take_gauge(asked)
        case "teste_hipotese":
            take_test(asked, _TESTS)
        case _:
            pass


def _capability_of(asked: StudyQuestion, indexes: Iterable[SchemaIndex]) -> tuple[str, str] | None:
    """Return the words that ask for the capability of what was measured, and the column.

    'Capacidade da cota'. A capacity may be an amount, too: without limits that of a column which
    is no amount is meant.
    """
    folded = normalize_in_place(asked.rest)
    found = words_of("studies", "capability_of").search(folded)
    if found is None:
        return None
    limited = StudyQuestion("", asked.question)
    take_limits(limited)
    has_limits = bool(limited.given)
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


def _column_words(indexes: Iterable[SchemaIndex]) -> frozenset[str]:
    names = [each.name for index in indexes for each in index.profile.columns]
    words = (normalize_in_place(without_unit(name)).replace("_", " ").split() for name in names)
    return frozenset(word for each in words for word in each if len(word) > 1)


def _names_data(said: str, indexes: Iterable[SchemaIndex]) -> bool:
    """Return whether words name a column or a value: 'a média do Cpk', 'as peças estáveis'."""
    wanted = normalize_in_place(said).strip()
    for index in indexes:
        for column in index.profile.columns:
            name = normalize_in_place(without_unit(column.name)).strip()
            if wanted == name or (" " not in wanted and wanted in name.split()):
                return True
            values = (normalize_in_place(each).strip() for each in named_texts(column))
            if any(wanted == each or wanted in each.split() for each in values):
                return True
    return False


def has_columns_of(asked: StudyQuestion, index: SchemaIndex) -> bool:
    """Return whether a data set has what a study measures: other sheets are not meant."""
    if asked.tool == "estudo_rr":
        return bool(trials(index)) or (len(gauge_columns(index)) == 2 and bool(readings(index)))
    is_measured = asked.tool in _MEASURED_STUDIES and asked.given.get("tipo") not in _OF_COUNTS
    return not is_measured or bool(readings(index)) or index.is_of_defects


def studied(asked: StudyQuestion, indexes: Iterable[SchemaIndex]) -> list[SchemaIndex]:
    """Return the data sets that a study may be of: of those that can, those whose columns it names.

    'Cpk do grau_defeito' is of the sheet with that column, not of the station's log of defects.
    """
    indexes = [*indexes]
    fitting = [each for each in indexes if has_columns_of(asked, each)] or indexes
    named = [each for each in indexes if numbers_named(each, asked.rest)]
    return [each for each in fitting if each in named] or named or fitting


def study_plan(asked: StudyQuestion, frame: QuestionFrame) -> AsStudy | Unknown | Ask:
    """Make the plan of a study from the rest of its question.

    Asks which column is meant where several could be; what names nothing in the data is told, and
    so is what no method here does.
    """
    count, given = Number(frame.scope), dict(asked.given)
    if (other := words_of("study_words", "of_other_methods").search(_folded(asked))) is not None:
        return Unknown("value", (asked.question[slice(*other.span())],))
    if asked.tool == "plano_amostragem":
        figures = tuple(each.text for each in tokenize(asked.rest) if each.text[0].isdigit())
        return Unknown("value", figures) if figures else _study(count, asked.tool, given)
    index = frame.index
    if asked.ordered:
        order = column_named(index, asked.ordered)
        if order is None:
            return Unknown("column", (asked.ordered.strip(),))
        given["ordem"] = order
    if given.get("metodo") == "regressao":
        pair = numbers_named(index, asked.rest)
        if len(pair) != 2:
            return Unknown("column")
        return _study(count, asked.tool, given | {"coluna": pair[0], "par": pair[1]})
    grouped = [each.column for each in frame.dimensions]
    named = numbers_named(index, asked.rest)
    said = [each for each in named if each not in grouped and not is_specified(index, each)]
    parts = {word for name in named for word in _folded_words(name)}
    left = [*frame.unknown, *frame.unheeded]
    lost = [each for each in left if not parts.issuperset(_folded_words(each))]
    unused = tuple(each for each in lost if each in frame.unknown and _says_nothing(each, asked))
    if unknown := tuple(each for each in lost if each not in unused):
        return Unknown("value", unknown)
    if frame.unknown_dimension and asked.tool != "estudo_rr":
        return Unknown("column", frame.unknown_dimension)
    plan = _plan_of(asked, given, frame, said)
    match plan:
        case AsStudy():
            return replace(plan, unused=unused)
        case Ask(readings=readings):
            told = [
                (name, replace(each, unused=unused) if isinstance(each, AsStudy) else each)
                for name, each in readings
            ]
            return replace(plan, readings=tuple(told))
        case _:
            return plan


def _says_nothing(word: str, asked: StudyQuestion) -> bool:
    """Return whether an unknown word may be left unused: it is no option, name or value of a thing.

    A name with a capital, and what stands behind the name of a thing, are values: 'do cliente
    Renault', 'turno azul'. A chart of all rows would be of others than were asked for. So are
    'entre turnos', where there is none, and 'da zorra'.
    """
    folded = normalize_in_place(word)
    words = re.findall(r"[^\W_]+", folded)
    before = normalize_in_place(asked.question).partition(folded)[0]
    if any(each.isdigit() for each in folded) or (word[:1].isupper() and before.strip()):
        return False
    if not asked.names.isdisjoint(words) or option_words().search(folded):
        return False
    beside = [each for each in before.split() if each not in words_by_role("article")][-1:]
    near = beside[0] if beside else ""
    concepts = domain_lexicon().concepts_of_name
    if near in words_by_role("by") or words_of("study_words", "between").fullmatch(near):
        return asked.tool == "estudo_rr"
    if near in words_by_role("of"):
        return len(folded) <= _OF_NO_NAME  # 'da p', of a chart that is named otherwise
    is_word = near.isalpha() and len(near) > _OF_NO_NAME
    return not is_word or not (near in asked.names or concepts(near))


def _plan_of(
    asked: StudyQuestion, given: Given, frame: QuestionFrame, said: list[str]
) -> AsStudy | Unknown | Ask:
    """Make the plan of a study whose words are all told or used."""
    index, count = frame.index, Number(frame.scope)
    if asked.tool == "pareto":
        places = [each.column for each in (*frame.dimensions, *frame.columns)]
        if len(places) != 2:
            return Unknown("column")
        return AsStudy(count, asked.tool, (("coluna", places[0]), ("por", places[1])))
    measured = [
        each.column
        for each in frame.columns
        if index.is_number(each.column)
        and each.column != given.get("ordem")
        and not is_specified(index, each.column)
    ]
    if len(said) > len(measured) and not {*measured} - {*said}:
        measured = said  # 'Before and After', which are words of time
    if len(measured) > 1:  # what is numbered is a group beside what was measured
        measured = [each for each in measured if not numbers_in_turn(index, each)] or measured
    groups = [
        each
        for each in (*frame.dimensions, *frame.columns)
        if (each.column not in measured or each.grain)
        and each.column != given.get("ordem")
        and not is_specified(index, each.column)
    ]
    if asked.tool == "estudo_rr":
        if given.get("metodo") == "aninhado":
            given |= _nested([each.column for each in groups if not each.grain], index)
        return _gauge_plan(asked, given, measured, frame)
    counts_rows = index.is_of_defects and not measured
    is_of_counts = given.get("tipo") in _OF_COUNTS or counts_rows
    is_of_shares = given.get("metodo") == "proporcoes"
    if (is_of_counts or is_of_shares) and not measured and not index.is_of_defects:
        rejected = rejected_column(index)
        measured = [rejected] if rejected else []
    if asked.tool == "capacidade" and given.keys().isdisjoint(("lie", "lse")):
        given |= limits(index, measured[0] if measured else "")  # as the data tell them
    if asked.tool == "rendimento":
        if (lost := unused_of_yield(index, given)) is not None:
            return Unknown("unheeded", (lost,))
        given |= _parts(measured, frame)
        given |= {"passos": "serie"} if asked.is_in_series else {}
    elif asked.tool == "teste_hipotese" and counts_rows:
        given |= {"coluna": index.type_column or ""} if index.type_column else {}
    elif measured:
        given |= _of_measured(asked.tool, given, measured, groups, frame)
    elif asked.tool in _MEASURED_STUDIES and not is_of_counts and "coluna" not in given:
        return _with_column(count, asked, given, groups, frame)
    return _with_roles(count, asked, given, groups, frame)


def _study(count: Number, tool: str, given: Given) -> AsStudy:
    return AsStudy(count, tool, tuple(given.items()))


def _folded_words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", normalize_in_place(without_unit(text)))


def _folded(asked: StudyQuestion) -> str:
    return normalize_in_place(asked.rest)


def _of_measured(
    tool: str, given: Given, measured: list[str], groups: list[Dimension], frame: QuestionFrame
) -> Given:
    """Return the column of a study, and what stands beside it: a denominator, or its pair."""
    index, column = frame.index, measured[0]
    found: Given = {"coluna": column}
    whole = inspected_column(index, column)
    if tool == "carta_controlo":
        is_counted = given.get("tipo") in _OF_COUNTS and "volume" not in given
        return found | ({"volume": whole} if is_counted and whole is not None else {})
    if tool != "teste_hipotese":
        return found
    if len(measured) == 2 and not groups and given.get("metodo", "t") in ("t", "t_emparelhado"):
        return found | {"par": measured[1], "metodo": "t_emparelhado"}
    is_share = given.get("metodo", "proporcoes") == "proporcoes"
    if is_share and whole is not None and column == rejected_column(index):
        return found | {"volume": whole, "metodo": "proporcoes"}
    return found


def _gauge_plan(
    asked: StudyQuestion, given: Given, measured: list[str], frame: QuestionFrame
) -> AsStudy | Unknown | Ask:
    """Make the plan of a study of a measurement system from the columns that it needs."""
    index, count, method = frame.index, Number(frame.scope), given.get("metodo")
    if method not in ("tipo1", "linearidade") and "peca" not in given:
        given |= likely_gauge_columns(index)
    if method in ("linearidade", "atributos") and (told := reference_column(index)) is not None:
        given.setdefault("referencia", told)
    if method == "atributos":
        judged = judged_column(index, [*map(str, given.values())])
        if judged is None:
            return Unknown("column")
        # 'How good is each?': what was judged, and what it should have been, select no rows.
        kept = tuple(
            each
            for each in count.scope.filters
            if each.column not in (judged, given.get("referencia"))
        )
        count = replace(count, scope=replace(count.scope, filters=kept))
        return _study(count, asked.tool, given | {"coluna": judged})
    measured = [
        each for each in measured if each not in given.values() and not is_of_trials(index, each)
    ]
    if measured:
        return _study(count, asked.tool, given | {"coluna": measured[0]})
    return _with_column(count, asked, given, [], frame)


def _nested(named: list[str], index: SchemaIndex) -> Given:
    """Return the parts and the operators of a nested study: what has more names is within less."""
    if len({*named}) != 2:
        return {}
    outer, inner = sorted({*named}, key=lambda name: index.column(name).distinct)
    return {"operador": outer, "peca": inner}


def _with_roles(
    count: Number,
    asked: StudyQuestion,
    given: Given,
    groups: list[Dimension],
    frame: QuestionFrame,
) -> AsStudy | Unknown | Ask:
    """Return a study with what its groups are for it; asks for those of a test that names none."""
    tool, index = asked.tool, frame.index
    roles = _roles(tool, groups, given, frame)
    taken = {*roles.values(), *given.values()}
    left = [each for each in groups if each.column not in taken and not each.grain]
    if tool in ("carta_controlo", "capacidade") and left and "subgrupo" in given:
        return _of_each(count, asked, given, left[0].column, frame)
    given |= roles
    is_of_groups = tool == "teste_hipotese" and given.get("metodo") not in OF_ONE_COLUMN
    if is_of_groups and "por" not in given and "par" not in given:
        compared = compared_column(frame.scope) or column_named(index, asked.compared)
        compared = compared or column_named(index, asked.rest, index.categories)
        if compared is None or compared == given.get("coluna"):
            return _with_groups(_study(count, tool, given), asked.said, frame)
        given["por"] = compared
        # 'As duas linhas' are no line 2: of one group there is nothing to compare.
        kept = tuple(
            each
            for each in count.scope.filters
            if each.column != compared or len(each.values) > 1 or each.relation != "is"
        )
        count = replace(count, scope=replace(count.scope, filters=kept))
    return _study(count, tool, given)


def _of_each(
    count: Number, asked: StudyQuestion, given: Given, column: str, frame: QuestionFrame
) -> AsStudy | Unknown | Ask:
    """Ask of which value a study is meant, where its subgroups leave no place for groups."""
    values = list(named_texts(frame.index.column(column)))[:MOST_READINGS]
    made = tuple(
        (
            value,
            _study(
                replace(
                    count,
                    scope=replace(
                        count.scope, filters=(*count.scope.filters, Filter(column, (value,)))
                    ),
                ),
                asked.tool,
                given,
            ),
        )
        for value in values
    )
    return Ask(column, made) if made else Unknown("column")


def _parts(measured: list[str], frame: QuestionFrame) -> Given:
    """Return the columns of defective parts, defects and all parts, where the data has them."""
    index = frame.index
    parts = [each for each in (measured or index.measures) if is_part_amount(index, each)]
    parts = parts or [each for each in [rejected_column(index)] if each is not None]
    whole = inspected_column(index, parts[0]) if parts else None
    if whole is None:
        return {}
    defects = [
        each
        for each in index.measures
        if each not in (parts[0], whole) and is_of_defects(index, each)
    ]
    found: Given = {"defeituosas": parts[0], "volume": whole}
    return found | ({"defeitos": defects[0]} if len(defects) == 1 else {})


def _with_column(
    count: Number,
    asked: StudyQuestion,
    given: Given,
    groups: list[Dimension],
    frame: QuestionFrame,
) -> AsStudy | Unknown | Ask:
    """Take the only column that can be measured, or ask which one is meant."""
    index = frame.index
    in_columns = trials(index) if asked.tool == "estudo_rr" else readings_in_columns(index)
    is_wide = asked.tool in ("carta_controlo", "capacidade") and bool(in_columns)
    if is_wide and str(given.get("tipo", "xbar")).startswith("xbar"):
        return _of_rows(count, asked, given, groups, frame, len(in_columns))
    tried = in_columns if asked.tool == "estudo_rr" else ()
    apart = reference_column(index) if asked.tool == "estudo_rr" else None
    measured = [each for each in (tried or readings(index) or index.measures) if each != apart]
    found: list[tuple[str, AsStudy | Unknown | Ask]] = [
        (
            name,
            _with_roles(
                count,
                asked,
                given | _of_measured(asked.tool, given, [name], groups, frame),
                groups,
                frame,
            ),
        )
        for name in measured[:MOST_READINGS]
    ]
    made = [(name, each) for name, each in found if isinstance(each, AsStudy)]
    if tried:
        beside = [each for each in index.profile.columns if each.name not in tried]
        beside.sort(key=lambda each: each.distinct, reverse=True)  # parts, then operators
        name = " × ".join([*(each.name for each in beside), ", ".join(tried)])
        whole = {each: value for each, value in given.items() if each not in ("peca", "operador")}
        made.insert(0, (name, _study(count, asked.tool, whole)))
    if not made:
        return found[0][1] if found else Unknown("column")
    return made[0][1] if len(made) == 1 else Ask(asked.said, tuple(made))


def _of_rows(
    count: Number,
    asked: StudyQuestion,
    given: Given,
    groups: list[Dimension],
    frame: QuestionFrame,
    size: int,
) -> AsStudy | Unknown:
    """Return a study of rows that are a subgroup each; another size of subgroups is told."""
    own = subgroup_column(frame.index)
    numbered = {name for name in frame.index.roles if numbers_in_turn(frame.index, name)}
    numbered |= set() if own is None else {own[0]}
    given = {**given}
    if given.pop("subgrupo", size) != size:
        return Unknown("value", (str(asked.given["subgrupo"]),))
    by = [
        each.column
        for each in groups
        if not each.grain and each.column not in numbered and not frame.index.is_moment(each.column)
    ]
    return _study(count, asked.tool, given | ({"por": by[0]} if by else {}))


def _with_groups(plan: AsStudy, said: str, frame: QuestionFrame) -> AsStudy | Unknown | Ask:
    """Ask which groups are meant where none is named: 'entre as linhas' may mean rows."""
    taken = dict(plan.given).get("coluna")
    made = [
        (name, replace(plan, given=(*plan.given, ("por", name))))
        for name in frame.index.categories[:MOST_READINGS]
        if name != taken
    ]
    return Ask(said, tuple(made)) if made else Unknown("column")


def _are_streams(index: SchemaIndex, column: str, given: Given) -> bool:
    """Return whether a column names what is measured beside each other: cavities, machines.

    There are fewer of these than readings of each; subgroups are many, of few readings.
    """
    count, kind = index.column(column).distinct, str(given.get("tipo", ""))
    is_averaged = kind.startswith("xbar")
    return not is_averaged and 1 < count < index.profile.rows / max(count, 1)


def _roles(tool: str, groups: list[Dimension], given: Given, frame: QuestionFrame) -> Given:
    """Return what the groups of a question are for a method: its subgroups, periods or groups."""
    index, roles = frame.index, Given()
    is_measured = "coluna" in given and given.get("tipo") not in _OF_COUNTS
    for each in groups:
        is_time = not each.grain and index.column(each.column).type == "time"
        is_size = given.get("tipo") in _OF_COUNTS and index.is_measure(each.column)
        if tool == "carta_controlo":
            if is_size and "volume" not in given and each.column != given.get("coluna"):
                roles.setdefault("volume", each.column)  # 'defeitos por m²'
            elif each.grain in _PERIODS:
                roles["periodo"] = _PERIODS[each.grain]
            elif is_time:
                roles["periodo"] = "hora"
            elif each.column == index.shift_column:
                roles["periodo"] = "turno"
            elif each.column != index.date_column and _are_streams(index, each.column, given):
                roles.setdefault("por", each.column)
            elif each.column != index.date_column and "subgrupo" not in given:
                roles.setdefault("subgrupo", each.column)
            elif each.column == index.date_column and is_measured:
                roles["periodo"] = "dia"
        elif tool == "capacidade" and not each.grain and not is_time:
            subgroup = subgroup_column(index)
            is_subgroup = subgroup is not None and subgroup[0] == each.column
            if is_subgroup and "subgrupo" not in given:
                roles["subgrupo"] = each.column
            elif not is_subgroup:
                roles.setdefault("por", each.column)
        elif tool in ("teste_hipotese", "rendimento") and not each.grain:
            roles.setdefault("por", each.column)
    return roles
