"""Questions about data to plans: new ones, changes of the last one, or what stands in the way."""

import difflib

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.follow import follow_up
from qhub_desktop.chat.offline.fresh import new_plan, stands_alone
from qhub_desktop.chat.offline.lacking import lacking
from qhub_desktop.chat.offline.plan import AsDashboard, Ask, Data, Unknown
from qhub_desktop.chat.offline.topic import dataset_of, numbers_of

_NAMES = 200  # of a column, among which near ones are looked for


def data_plan(asked: Asked, topic: Data | None) -> Data | Unknown | Ask:
    """What a question asks for, after what was talked of before it."""
    if asked.has("future", "beyond"):
        return Unknown("future") if asked.has("future") else Unknown()
    if asked.unknown_dimension:
        return Unknown("column", asked.unknown_dimension)
    if asked.unknown and not (asked.coverage or asked.has_subject):
        return Unknown()
    if asked.unknown:
        return Unknown("value", asked.unknown, _nearest(asked))
    if topic is not None and asked.has("dashboard") and _points_back(asked):
        return AsDashboard((numbers_of(topic),))
    if topic is not None and _leans_on(asked, topic) and (followed := follow_up(asked, topic)):
        return followed
    if _only_presents(asked):
        return Unknown("nothing before")
    return lacking(asked) or new_plan(asked)


def _leans_on(asked: Asked, topic: Data) -> bool:
    """Whether a question may be about what was talked of, and is not clear without it."""
    is_new = asked.first_cue != "#again" and stands_alone(asked)
    return dataset_of(topic) == asked.index.profile.dataset and not is_new


def _points_back(asked: Asked) -> bool:
    """'um painel com isso'."""
    words = {text.lower() for cue, text in asked.cue_words if cue == "#noise"}
    return bool(words & {"isso", "isto", "this", "that", "it"}) and not asked.names_something


def _only_presents(asked: Asked) -> bool:
    """'mostra num gráfico', of nothing."""
    is_presenting = asked.chart_kind is not None or asked.has(
        "chart", "table", "kpi", "workbook", "percent"
    )
    return is_presenting and not (
        asked.names_something or asked.has_subject or asked.has("trend", "top", "most", "count")
    )


def _nearest(asked: Asked) -> tuple[str, ...]:
    """The names in the data that are most like the words that were not found."""
    profile = asked.index.profile
    names = [each.name for each in profile.columns]
    names += [str(value) for each in profile.columns for value, _ in each.top[:_NAMES]]
    known = {name.casefold(): name for name in names if not name.isdigit()}
    found: list[str] = []
    for word in asked.unknown:
        found += difflib.get_close_matches(word.casefold(), known, n=2, cutoff=0.7)
    return tuple(dict.fromkeys(known[name] for name in found))
