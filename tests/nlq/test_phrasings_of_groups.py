"""Phrasings of groups: by names and by time, kept by a number, drawn, crossed, running on."""

from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsTable,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    MeasureKind,
    Order,
    Plan,
    Spread,
)
from tests.nlq.schemas import OVER_ALL, Trade, check


def by(
    trade: Trade, kind: MeasureKind, role: str, n: int | None = None, order: Order = "most"
) -> GroupBy:
    """A number for every name, or for the first of them."""
    return GroupBy(
        trade.scope,
        Dimension(trade["name"]),
        Measure(kind, trade[role]),
        n=n,
        order=order if n else "",
    )


@OVER_ALL
def test_groups(trade: Trade) -> None:
    check(
        trade,
        GroupBy(trade.scope, Dimension(trade["name"])),
        pt=(
            "{rows} por {name}",
            "nº de {rows} por {name}",
            "n.º de {rows} por {name}",
            "número de {rows} por {name}",
            "{rows} repartid{g}s por {name}",
            "{rows} conforme o {name}",
        ),
        en=(
            "{rows} by {name}",
            "{rows} per {name}",
            "{rows} for each {name}",
            "break down {rows} by {name}",
            "break down the {rows} by {name}",
            "tally of {rows} by {name}",
        ),
    )
    check(
        trade,
        by(trade, "sum", "amount"),
        pt=(
            "{amount} por {name}",
            "{amount} total por {name}",
            "soma d{g_amount} {amount} por {name}",
            "por {name}, qual {g_amount} {amount}?",
        ),
        en=(
            "{amount} by {name}",
            "{amount} per {name}",
            "total {amount} by {name}",
            "breakdown of {amount} by {name}",
            "break down {amount} by {name}",
        ),
    )
    check(
        trade,
        by(trade, "mean", "level"),
        pt=(
            "{level} por {name} !rentals",
            "{level} médi{g_level} por {name}",
            "média de {level} por {name}",
        ),
        en=(
            "{level} by {name}",
            "average {level} by {name}",
            "average {level} per {name}",
        ),
    )


@OVER_ALL
def test_groups_kept_by_their_number(trade: Trade) -> None:
    name = Dimension(trade["name"])
    check(
        trade,
        GroupBy(trade.scope, name, having=Filter("", (25,), "above")),
        pt=(
            "{names} com mais de 25 {rows}",
            "{names} com mais do que 25 {rows}",
            "{names} com mais que 25 {rows}",
            "{names} com número de {rows} superior a 25",
        ),
        en=(
            "{names} with more than 25 {rows} !lieferungen",
            "which {names} have more than 25 {rows}?",
            "which {names} had more than 25 {rows}?",
            "{names} having more than 25 {rows} !lieferungen",
        ),
    )
    check(
        trade,
        GroupBy(trade.scope, name, having=Filter("", (25,), "at least")),
        pt=(
            "{names} com pelo menos 25 {rows}",
            "{names} com 25 ou mais {rows}",
            "{names} com no mínimo 25 {rows}",
            "{names} com 25 {rows} ou mais",
            "{names} a partir de 25 {rows}",
        ),
        en=(
            "{names} with at least 25 {rows} !lieferungen",
            "{names} with 25 or more {rows} !lieferungen",
            "{names} with 25 {rows} or more !lieferungen",
            "{names} with no fewer than 25 {rows} !lieferungen",
            "{names} with a minimum of 25 {rows} !lieferungen",
            "{names} with 25+ {rows} !lieferungen",
        ),
    )
    check(
        trade,
        GroupBy(trade.scope, name, having=Filter("", (25,), "below")),
        pt=(
            "{names} com menos de 25 {rows}",
            "{names} com menos do que 25 {rows}",
            "que {names} têm menos de 25 {rows}?",
            "{names} que não chegam a 25 {rows}",
        ),
        en=(
            "{names} with fewer than 25 {rows} !lieferungen",
            "{names} with less than 25 {rows} !lieferungen",
            "{names} with under 25 {rows} !lieferungen",
        ),
    )
    check(
        trade,
        GroupBy(
            trade.scope, name, Measure("mean", trade["level"]), having=Filter("", (47,), "above")
        ),
        pt=(
            "{names} com média de {level} acima de 47",
            "{names} com {level} médi{g_level} acima de 47",
            "{names} com {level} médi{g_level} superior a 47",
            "que {names} têm {level} médi{g_level} acima de 47?",
            "que {names} têm média de {level} superior a 47?",
            "{names} cuja média de {level} é superior a 47",
        ),
        en=(
            "{names} with average {level} above 47",
            "{names} with an average {level} over 47",
            "{names} with a mean {level} above 47",
        ),
    )
    check(
        trade,
        GroupBy(
            trade.scope, name, Measure("sum", trade["amount"]), having=Filter("", (1000,), "above")
        ),
        pt=(
            "{names} com {amount} total acima de 1000",
            "{names} com total de {amount} superior a 1000",
            "{names} com soma de {amount} acima de 1000",
            "{names} cuj{g_amount} {amount} total passa de 1000",
        ),
        en=(
            "{names} with total {amount} above 1000",
            "{names} with a total {amount} over 1000",
            "which {names} have a total {amount} above 1000?",
            "{names} whose total {amount} exceeds 1000",
            "{names} with sum of {amount} above 1000",
        ),
    )


@OVER_ALL
def test_time_and_trends(trade: Trade) -> None:
    monthly = GroupBy(trade.scope, Dimension(trade["day"], "month"))
    check(
        trade,
        monthly,
        pt=(
            "{rows} por mês",
            "{rows} mensais",
            "{rows} mês a mês",
            "{rows} ao mês",
            "contagem mensal de {rows} !elevadores",
        ),
        en=(
            "{rows} by month",
            "{rows} per month",
            "{rows} each month",
            "{rows} every month",
            "{rows} a month",
            "how many {rows} a month?",
            "{rows}/month",
        ),
    )
    check(
        trade,
        AsChart(monthly),
        pt=(
            "evolução d{g}s {rows} por mês",
            "evolução mensal d{g}s {rows} !elevadores",
            "evolução de {rows} mês a mês",
            "progressão mensal d{g}s {rows} !elevadores",
            "{rows} ao longo dos meses",
        ),
        en=(
            "monthly trend of {rows}",
            "{rows} monthly trend",
            "trend of {rows} by month",
            "{rows} over the months",
            "how have {rows} developed by month?",
            "how has the number of {rows} developed month by month?",
        ),
    )
    weekly = GroupBy(trade.scope, Dimension(trade["day"], "week"))
    check(
        trade,
        AsChart(weekly),
        pt=(
            "evolução d{g}s {rows}",
            "evolução de {rows}",
            "evolução do número de {rows}",
            "como variaram {g}s {rows} ao longo do tempo?",
            "evolução temporal de {rows}",
            "{g}s {rows} aumentaram ou diminuíram?",
            "{g}s {rows} subiram ou desceram?",
            "o número de {rows} tem aumentado?",
            "o número de {rows} tem vindo a diminuir?",
            "progresso d{g}s {rows}",
            "progressão d{g}s {rows}",
            "linha temporal d{g}s {rows}",
            "série temporal de {rows}",
        ),
        en=(
            "trend of {rows}",
            "trend in {rows}",
            "{rows} trend",
            "how have {rows} developed?",
            "how has the number of {rows} developed?",
            "how have {rows} changed over time?",
            "how did {rows} develop over time?",
            "how have the {rows} evolved?",
            "are {rows} going up or down?",
            "time series of {rows}",
            "progression of {rows}",
        ),
    )
    check(
        trade,
        AsChart(
            GroupBy(trade.scope, Dimension(trade["day"], "month"), Measure("mean", trade["level"]))
        ),
        pt=(
            "evolução mensal d{g_level} {level} !rentals",
            "evolução d{g_level} {level} por mês",
            "evolução da média de {level} por mês",
            "{level} ao longo dos meses",
        ),
        en=(
            "monthly trend of {level}",
            "trend of {level} by month",
            "{level} trend by month",
            "how has {level} developed by month?",
            "how has the {level} developed month by month?",
        ),
    )
    check(
        trade,
        AsChart(
            GroupBy(trade.scope, Dimension(trade["day"], "week"), Measure("mean", trade["level"]))
        ),
        pt=(
            "evolução d{g_level} {level}",
            "tendência d{g_level} {level}",
            "{level} ao longo do tempo",
            "{g_level} {level} tem aumentado?",
        ),
        en=(
            "trend of {level}",
            "{level} trend",
            "{level} over time",
            "how has {level} developed?",
            "how has the {level} developed over time?",
            "how has {level} changed over time?",
            "is {level} going up or down?",
            "is {level} getting better or worse?",
        ),
    )


@OVER_ALL
def test_charts_of_every_kind(trade: Trade) -> None:
    grouped = GroupBy(trade.scope, Dimension(trade["name"]))
    kinds: dict[str | None, tuple[tuple[str, ...], tuple[str, ...]]] = {
        None: (
            (),
            (),
        ),
        "bar": (
            (
                "gráfico de colunas de {rows} por {name}",
                "{rows} por {name} em colunas",
            ),
            ("barchart {rows} by {name}",),
        ),
        "pie": (
            (
                "gráfico de torta de {rows} por {name}",
                "gráfico de setores de {rows} por {name}",
                "gráfico de sectores de {rows} por {name}",
                "gráfico redondo de {rows} por {name}",
                "gráfico de rosca de {rows} por {name}",
            ),
            ("piechart {rows} by {name}",),
        ),
        "pareto": (
            (),
            ("pareto analysis of {rows} by {name}",),
        ),
    }
    for kind, (pt, en) in kinds.items():
        check(trade, AsChart(grouped, kind), pt=pt, en=en)
    check(
        trade,
        AsChart(GroupBy(trade.scope, Dimension(trade["day"], "month")), "line"),
        pt=(
            "gráfico de linhas de {rows} por mês",
            "gráfico de linha de {rows} por mês",
            "{rows} por mês em linhas",
        ),
        en=(
            "line chart of {rows} by month",
            "line graph of {rows} by month",
            "line plot of {rows} per month",
            "linechart {rows} by month",
            "{rows} by month as a line",
        ),
    )
    check(
        trade,
        AsChart(Spread(trade.scope, (trade["level"],)), "histogram"),
        pt=(
            "histograma d{g_level} {level}",
            "histograma de {level}",
            "histograma com {g_level} {level}",
        ),
        en=(
            "histogram of {level}",
            "histogram of the {level}",
            "{level} histogram",
        ),
    )
    check(
        trade,
        AsChart(Spread(trade.scope, (trade["amount"], trade["level"])), "scatter"),
        pt=(
            "dispersão de {amount} e {level} !rentals",
            "gráfico de dispersão de {amount} e {level} !rentals",
            "gráfico de dispersão entre {amount} e {level} !rentals",
            "dispersão entre {amount} e {level} !rentals",
            "dispersão de {amount} com {level} !rentals",
            "dispersão {amount} vs {level} !rentals",
            "scatter de {amount} e {level} !rentals",
            "nuvem de pontos de {amount} e {level}",
            "diagrama de dispersão de {amount} e {level} !rentals",
            "gráfico de pontos de {amount} e {level}",
        ),
        en=(
            "scatter plot of {amount} and {level}",
            "scatter plot of {amount} vs {level}",
            "scatter plot of {amount} against {level}",
        ),
    )
    check(
        trade,
        AsChart(Spread(trade.scope, (trade["level"],), Dimension(trade["name"])), "box"),
        pt=(
            "boxplot d{g_level} {level} por {name} !rentals",
            "boxplot de {level} por {name} !rentals",
            "box plot de {level} por {name} !rentals",
            "diagrama de extremos e quartis de {level} por {name} !rentals",
            "gráfico de bigodes de {level} por {name} !rentals",
        ),
        en=(
            "boxplot of {level} by {name}",
            "box plot of {level} by {name}",
            "box-plot of {level} by {name}",
        ),
    )


@OVER_ALL
def test_crossed_tables(trade: Trade) -> None:
    crossed = GroupBy(trade.scope, Dimension(trade["name"]), split=Dimension(trade["staff"]))
    wanted: Plan = crossed
    check(
        trade,
        wanted,
        pt=(
            "{rows} por {name} e {staff}",
            "{rows} por {name} e por {staff}",
            "{rows} por {name} por {staff}",
        ),
        en=(
            "{rows} by {name} and {staff}",
            "{rows} by {name} and by {staff} !lieferungen",
            "{rows} by {name} by {staff} !lieferungen",
        ),
    )
    check(
        trade,
        AsTable(crossed),
        pt=(
            "cruza {name} com {staff}",
            "cruza {name} e {staff}",
            "cruzar {name} com {staff}",
        ),
        en=(
            "cross {name} with {staff}",
            "cross {name} and {staff}",
            "crosstab of {name} and {staff}",
        ),
    )


@OVER_ALL
def test_running_totals(trade: Trade) -> None:
    month = Dimension(trade["day"], "month")
    check(
        trade,
        GroupBy(trade.scope, month, Measure("sum", trade["amount"]), is_cumulative=True),
        pt=(
            "{amount} acumulad{g_amount} por mês",
            "{amount} acumulad{g_amount} mês a mês",
            "acumulado d{g_amount} {amount} por mês",
            "soma cumulativa d{g_amount} {amount} por mês",
        ),
        en=(
            "cumulative {amount} by month",
            "cumulative {amount} per month",
            "cumulative {amount} month by month",
            "cum. {amount} by month",
            "cumulatively, {amount} by month",
        ),
    )
    check(
        trade,
        GroupBy(trade.scope, month, is_cumulative=True),
        pt=(
            "{rows} acumulad{g}s por mês",
            "acumulado de {rows} por mês",
            "acumulado d{g}s {rows} por mês",
        ),
        en=(
            "cumulative {rows} by month",
            "cumulative number of {rows} by month",
            "cumulative count of {rows} by month",
            "cumulative {row} count by month",
            "running count of {rows} by month",
            "running number of {rows} by month",
        ),
    )
