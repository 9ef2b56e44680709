"""Questions that leave open which of several things is meant: asked back, each with its plan."""

from collections.abc import Iterable
from dataclasses import replace

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.fresh import new_plan
from qhub_desktop.chat.offline.plan import Ask, Data, Dimension, Unknown

MOST_READINGS = 8  # that one can choose from at a glance


def lacking(asked: Asked) -> Ask | None:
    """A mean of nothing said, a ranking of nothing said: of which column, is asked back."""
    index = asked.index
    kind = asked.measure_kind
    is_numeric = any(index.is_number(each.column) for each in asked.columns)
    options: tuple[str, ...] = ()
    if (several := _several_amounts(asked)) is not None:
        return several
    is_per_time = asked.has_subject and any(each.grain for each in asked.dimensions)
    if is_per_time and kind == "mean":
        return None  # 'quantos lançamentos por dia em média?'
    if kind in ("mean", "median", "std", "sum") and not is_numeric and len(index.measures) > 1:
        options = index.measures
    elif asked.has("outliers", "correlation") and not is_numeric and len(index.measures) > 1:
        options = index.measures if asked.has("outliers") else ()
    elif _ranks_nothing(asked):
        options = index.categories
    elif _is_worst_of_nothing(asked):
        return _worst(asked)
    word = kind or ("outliers" if asked.has("outliers") else "top")
    readings = _readings((name, _naming(asked, name)) for name in options[:MOST_READINGS])
    return Ask(asked.said(f"#{word}"), readings) if readings else None


def _readings(meant: Iterable[tuple[str, Asked]]) -> tuple[tuple[str, Data], ...]:
    """Whatever may be meant with the plan that it makes, if it makes one."""
    plans = ((name, new_plan(asked)) for name, asked in meant)
    return tuple((name, plan) for name, plan in plans if not isinstance(plan, Unknown))


def _naming(asked: Asked, column: str) -> Asked:
    """The same with a column named, too."""
    return replace(asked, columns=(*asked.columns, Dimension(column)))


def _several_amounts(asked: Asked) -> Ask | None:
    """'boas e rejeitadas por centro': one at a time, whichever is meant first."""
    index = asked.index
    named = [each for each in asked.columns if index.is_measure(each.column)]
    if len(named) == 1 and (asked.dimensions or len(asked.columns) > 1):
        return _several_kinds(asked)
    if len(named) < 2 or asked.has("rate", "percent", "correlation", "kind_scatter"):
        return None
    readings = _readings((each.column, _measuring_only(asked, each)) for each in named)
    return Ask(" / ".join(each.column for each in named), readings) if readings else None


def _measuring_only(asked: Asked, kept: Dimension) -> Asked:
    """The same with one column that can be measured, of all that are named."""
    columns = (
        each for each in asked.columns if each == kept or not asked.index.is_measure(each.column)
    )
    return replace(asked, columns=tuple(columns))


def _several_kinds(asked: Asked) -> Ask | None:
    """'mínimo e máximo por posição': one at a time."""
    kinds = asked.measure_kinds
    is_ranking = asked.has("most", "least", "top", "which", "sort") or asked.number is not None
    if len(kinds) < 2 or is_ranking:
        return None
    words = {kind: asked.said(f"#{kind}") for kind in kinds}
    cues = {kind: asked.cues - {f"#{each}" for each in kinds if each != kind} for kind in kinds}
    readings = _readings((words[kind], replace(asked, cues=cues[kind])) for kind in kinds)
    return Ask(" / ".join(words.values()), readings) if readings else None


def _ranks_nothing(asked: Asked) -> bool:
    """'o top 3', of data in which nothing says what."""
    is_bare = not (asked.columns or asked.dimensions or asked.has_subject)
    return is_bare and asked.has("top") and not asked.index.is_of_defects


def _is_worst_of_nothing(asked: Asked) -> bool:
    """'o pior turno', of data that counts several things."""
    index = asked.index
    named = [*asked.columns, *asked.dimensions]
    is_said = asked.has_subject or any(index.is_number(each.column) for each in named)
    counts = any(index.is_amount(name) for name in index.measures) or (
        bool(index.measures) and index.type_column is None
    )
    return asked.has("worst", "best") and not is_said and counts and bool(named)


def _worst(asked: Asked) -> Ask:
    """By rows, or by one of the amounts."""
    index = asked.index
    counted = (index.profile.dataset, replace(asked, has_subject=True))
    amounts = (
        (name, _naming(asked, name))
        for name in index.measures
        if index.is_amount(name) or index.type_column is None
    )
    word = asked.said("#worst" if asked.has("worst") else "#best")
    return Ask(word, _readings((counted, *amounts))[:MOST_READINGS])
