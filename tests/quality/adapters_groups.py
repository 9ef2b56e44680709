"""Adapters from reference cases to tests of whether groups differ."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qhub_desktop.quality import group_tests
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.group_pairs import Pair, dunn, games_howell, tukey
from qhub_desktop.quality.group_samples import Samples, bartlett, levene, samples_of, split
from qhub_desktop.quality.group_verdicts import GroupTest

Case = Mapping[str, Any]
Answer = dict[str, Any]


def _lean(read: Callable[[], Answer]) -> Answer:
    """Answer nothing where one method of several refuses."""
    try:
        return read()
    except NotComputableError:
        return {}


def _grouped(case: Case) -> Samples:
    data = case["input"]
    if "groups" in data and isinstance(data["groups"], Mapping):
        return samples_of(data["groups"])
    return split(_first(data, "value", "values", "x"), _first(data, "group", "groups", "by"))


def _first(data: Mapping[str, Any], *keys: str) -> Any:
    return next(data[key] for key in keys if key in data)


def several(case: Case) -> Answer:
    """Answer analysis of variance, Welch's, Kruskal-Wallis, both tests of spreads, and pairs."""
    samples = _grouped(case)
    return {
        "n": samples.count,
        "k": len(samples.groups),
        "means": samples.means,
        "sd": [group.deviation for group in samples.groups],
        "medians": [group.median for group in samples.groups],
        **_lean(lambda: _variance(samples)),
        **_lean(lambda: _welch(samples)),
        **_lean(lambda: _ranked(samples)),
        **_lean(lambda: _bartlett(samples)),
        **_lean(lambda: _levene(samples)),
        **_lean(lambda: _paired_off("tukey", tukey(samples).pairs, case)),
        **_lean(lambda: _paired_off("games_howell", games_howell(samples).pairs, case)),
        **_lean(lambda: _paired_off("dunn", dunn(samples).pairs, case)),
    }


def _variance(samples: Samples) -> Answer:
    found = group_tests.anova(samples)
    effects: Answer = {effect.name: effect.value for effect in found.effects}
    return {"F": found.statistic, "df": [*found.df], "p": found.p, **effects}


def _welch(samples: Samples) -> Answer:
    found = group_tests.welch_anova(samples)
    return {
        "welch_F": found.statistic,
        "welch_df": [*found.df],
        "welch_df1": found.df[0],
        "welch_df2": found.df[1],
        "welch_p": found.p,
    }


def _ranked(samples: Samples) -> Answer:
    found = group_tests.kruskal_wallis(samples)
    return {
        "kruskal_H": found.statistic,
        "kruskal_df": found.df[0],
        "kruskal_p": found.p,
        "epsilon2": found.effects[0].value,
    }


def _bartlett(samples: Samples) -> Answer:
    found = bartlett(samples)
    return {"bartlett": found.statistic, "bartlett_df": found.df[0], "bartlett_p": found.p}


def _levene(samples: Samples) -> Answer:
    found = levene(samples)
    return {"levene_F": found.statistic, "levene_df": [*found.df], "levene_p": found.p}


def _paired_off(prefix: str, pairs: Sequence[Pair], case: Case) -> Answer:
    """Answer pairs in the order and direction that the case names them in, if it names these."""
    both: dict[str, tuple[Pair, int]] = {}
    for pair in pairs:
        both[f"{pair.first}-{pair.second}"] = pair, -1
        both[pair.name] = pair, 1
    asked = (case.get("expected") or {}).get(f"{prefix}_pairs") or []
    is_known = (
        len(asked) == len(pairs) == len({id(both[name][0]) for name in asked if name in both})
    )
    names = asked if is_known else [pair.name for pair in pairs]
    turned = [both[name] for name in names]
    return {
        f"{prefix}_pairs": list(names),
        f"{prefix}_diff": [sign * pair.difference for pair, sign in turned],
        f"{prefix}_lwr": [_end(pair, sign, -1) for pair, sign in turned],
        f"{prefix}_upr": [_end(pair, sign, 1) for pair, sign in turned],
        f"{prefix}_p": [pair.p for pair, _sign in turned],
    }


def _end(pair: Pair, sign: int, side: int) -> float | None:
    end = pair.high if sign * side > 0 else pair.low
    return None if end is None else sign * end


def two(case: Case) -> Answer:
    """Answer the t tests of two groups and that of their ranks."""
    data = case["input"]
    if "a" in data:
        a, b = data["a"], data["b"]
        samples = samples_of({"a": a, "b": b})
    else:
        samples = _grouped(case)
        a, b = (group.values for group in samples.groups)
    is_exact = "exact" in str(case.get("method") or "").lower()
    answer: Answer = {"n": [group.count for group in samples.groups], "means": samples.means}
    answer |= _lean(lambda: _t("welch", group_tests.welch_t(samples)))
    answer |= _lean(lambda: _t("pooled", group_tests.pooled_t(samples)))
    answer |= _lean(lambda: _t("paired", group_tests.paired_t(a, b)))
    ranked = group_tests.mann_whitney(samples, exact=is_exact)
    answer |= {"mw_U": ranked.statistic, "mw_p": ranked.p}
    answer["rank_biserial"] = ranked.effects[0].value
    return {**answer, "hedges_g": answer.get("welch_g"), **_lean(lambda: _levene(samples))}


def _t(prefix: str, found: GroupTest) -> Answer:
    gap = found.difference
    assert gap is not None
    assert math.isfinite(found.statistic)
    return {
        f"{prefix}_t": found.statistic,
        f"{prefix}_df": found.df[0],
        f"{prefix}_p": found.p,
        f"{prefix}_diff": gap.estimate,
        f"{prefix}_ci95": [gap.low, gap.high],
        f"{prefix}_g": found.effects[0].value,
    }


ADAPTERS: dict[str, Callable[[Case], Answer]] = {"anova_kruskal": several, "t_mw": two}
