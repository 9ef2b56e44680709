"""Dashboards at a harness: made by a tool, run again on today's data, and written to files."""

import json
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from html.parser import HTMLParser
from pathlib import Path

import openpyxl
import pytest
from typing_extensions import override

from qhub_desktop.core.dashboard import (
    DailyAt,
    DashboardSpec,
    EveryMinutes,
    OnChange,
    RenderedDashboard,
    Schedule,
    id_in,
    moved,
    moved_block,
    renamed,
    resized,
    with_card,
    with_changed_card,
    without,
)
from qhub_desktop.core.dataset import Defect
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.result_widgets import Chart, DashboardLink, Kpi, TableView
from qhub_desktop.core.table import Column, Table
from qhub_desktop.tools.dashboard_export import document_of
from qhub_desktop.tools.dashboard_refresh import DashboardSchedule, is_due
from qhub_desktop.tools.page_blocks import blocks_of, in_order
from tests.exported_pages import bridge_in, page_in
from tests.tools.conftest import ToolHarness

BY_SHIFT = "SELECT turno, count(*) AS n FROM defeitos GROUP BY turno ORDER BY n DESC"
TOTAL = "SELECT count(*) AS total FROM defeitos"
BODY = """<h2 class="section-title">Turnos</h2>
<div class="chart-container"><canvas id="c"></canvas></div>
<script>
const {colunas, linhas} = qhub.data.turnos;
new Chart(document.getElementById("c"), {type: "bar",
  data: {labels: linhas.map(l => l[0]),
    datasets: [{label: colunas[1], data: linhas.map(l => l[1])}]}});
</script>"""


async def made(harness: ToolHarness, **given: object) -> str:
    """A dashboard by the tool; its id."""
    given = {"titulo": "Turnos", "html": BODY, "dados": {"turnos": BY_SHIFT}, **given}
    outcome = await harness.use("gerar_dashboard", **given)
    assert isinstance(outcome.widget, DashboardLink)
    return id_in(outcome.widget.url)


async def report(harness: ToolHarness) -> None:
    """One more defect, as another program would report it."""
    await harness.store.defects.add(
        Defect(date(2026, 3, 1), "noite", "Julia", "lixo", "ABS_Cinza", "R1", 1)
    )


async def pinned(harness: ToolHarness, tool: str, **given: object) -> str:
    """A dashboard made by hand of what a tool shows; its id."""
    widget = (await harness.use(tool, **given)).widget
    assert isinstance(widget, (Chart, TableView, Kpi))
    contents = with_card(DashboardSpec("À mão"), widget, await harness.conversation())
    found = await harness.store.dashboards.create(contents)
    await harness.dashboards.refresh(found.id)
    return found.id


async def test_a_card_without_a_query_tells_of_when_it_is(harness: ToolHarness) -> None:
    still = TableView("Do código", Table((Column("n", "integer"),), ((7,),)), 1)
    contents = with_card(DashboardSpec("À mão"), still, await harness.conversation())
    (card,) = contents.cards
    assert card.pinned is not None
    long_ago = replace(card, pinned=datetime(2026, 3, 1, 14, 5).astimezone())
    found = await harness.store.dashboards.create(replace(contents, cards=(long_ago,)))

    filled = await harness.dashboards.refresh(found.id)

    assert filled.contents.cards[0] == long_ago
    told = re.search(r"as it was on ([^<]+)<", document_of(filled).document)
    assert told is not None
    assert "14:05" in told[1]


class _Parts(HTMLParser):
    """The elements of a page, and its words outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.words: list[str] = []
        self._is_code = False
        self.feed(page)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self._is_code = tag in ("script", "style")

    @override
    def handle_endtag(self, tag: str) -> None:
        self._is_code = False

    @override
    def handle_data(self, data: str) -> None:
        if not self._is_code:
            self.words.append(" ".join(data.split()))


TEXTS = (
    "<img src='file:///hostile.png' onerror='alert(1)'><b>bold</b>",
    "</script></td></table><script>alert(1)</script>",
    "[go](http://x) ![](http://x/y.png) **bold** `code` # heading",
    "import Chart from 'https://x/chart.js'",
    "&lt;b&gt; R&D &amp; <!-- comment",
    "x\u202egpj.exe",
)


@pytest.mark.parametrize("hostile", TEXTS)
async def test_no_text_of_a_file_is_markup_on_a_page(harness: ToolHarness, hostile: str) -> None:
    pages = []
    for text in ("plain", hostile):
        value, column = text.replace("'", "''"), text.replace('"', '""')
        consulta = f"""SELECT '{value}' AS "{column}", 3 AS "n {column}" """
        contents = DashboardSpec(text)
        for tool, given in (
            ("gerar_kpi", {"consulta": f"SELECT '{value}'", "unidade": text}),
            ("gerar_grafico", {"tipo": "bar", "consulta": consulta}),
            ("gerar_tabela", {"consulta": consulta}),
        ):
            widget = (await harness.use(tool, titulo=text, **given)).widget
            assert isinstance(widget, (Chart, TableView, Kpi))
            contents = with_card(contents, widget, await harness.conversation())
        found = await harness.store.dashboards.create(contents)
        pages.append(document_of(await harness.dashboards.refresh(found.id)))

    plain, page = (_Parts(each.document) for each in pages)
    shown = hostile.replace("\u202e", "")
    assert page.elements == plain.elements
    assert [each for each in page.words if each == shown] != []
    assert "\u202e" not in pages[1].document
    (figure,) = re.findall(r'data-figure-of="\w+">(.*?)</script>', pages[1].document)
    assert json.loads(figure)["title"] == shown


async def test_a_dashboard_is_stored_with_its_first_rows_and_its_address(
    harness: ToolHarness,
) -> None:
    outcome = await harness.use(
        "gerar_dashboard", titulo="T", html=BODY, dados={"turnos": BY_SHIFT}
    )

    assert isinstance(outcome.content, dict)
    assert outcome.content["status"] == "ok"
    url = outcome.content["url"]
    assert isinstance(url, str)
    assert re.fullmatch(r"qhub://dashboards/[0-9a-f]{12}", url)
    assert outcome.widget == DashboardLink("T", url)
    found = await harness.store.dashboards.find(id_in(url))
    assert (found.agent, found.conversation) == ("analise", await harness.conversation())
    (rows,) = await harness.store.dashboards.rows(found.id)
    assert rows.table.rows == (("manha", 73), ("tarde", 68), ("noite", 59))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"dados": {"turnos": "SELECT nada FROM defeitos"}}, "'turnos' não corre"),
        ({"dados": {"turnos": "DROP TABLE defeitos"}}, "'turnos' não corre"),
        ({"dados": {"x": "SELECT * FROM range(20000)"}}, "20000 linhas"),
        ({"dados": {"turnos da noite": BY_SHIFT}}, "não serve de nome"),
        ({"dados": {f"q{at}": TOTAL for at in range(21)}}, "até 20 consultas"),
        ({"html": "  "}, "título e de conteúdo"),
        ({"titulo": ""}, "titulo"),
        ({"dados": ["SELECT 1"]}, "dados"),
    ],
)
async def test_what_cannot_be_run_is_refused_before_anything_is_stored(
    harness: ToolHarness, given: dict[str, object], words: str
) -> None:
    with pytest.raises(ToolError, match=words):
        await made(harness, **given)
    assert await harness.store.dashboards.listed() == []


async def test_the_same_title_in_a_conversation_is_the_next_version(harness: ToolHarness) -> None:
    first = await made(harness)
    again = await made(harness, html="<p>Outro</p>", dados={"total": TOTAL})

    assert again == first
    assert (await harness.store.dashboards.contents(first)).body == "<p>Outro</p>"
    assert [each.name for each in await harness.store.dashboards.rows(first)] == ["total"]
    assert await made(harness, titulo="Outro") != first


async def test_a_refresh_runs_on_todays_data(harness: ToolHarness) -> None:
    id_ = await made(harness)
    await report(harness)

    filled = await harness.dashboards.refresh(id_)

    assert filled.rows[0].table.rows[2] == ("noite", 60)
    assert await harness.store.dashboards.rows(id_) == list(filled.rows)


async def test_a_newer_version_of_a_file_is_todays_data(
    harness: ToolHarness, tmp_path: Path
) -> None:
    old, new = tmp_path / "pecas.csv", tmp_path / "novo" / "pecas.csv"
    new.parent.mkdir()
    old.write_text("peca,n\na,1\nb,2\n", encoding="utf-8")
    new.write_text("peca,n\na,1\nb,2\nc,40\n", encoding="utf-8")
    await harness.drop(old)
    id_ = await made(harness, dados={"soma": "SELECT sum(n) AS n FROM pecas"})
    (before,) = await harness.store.datasets.pinned(await harness.conversation())
    (profile,) = await harness.workspace.load(new)
    await harness.store.datasets.replace(
        await harness.conversation(), before.dataset_id, profile.id
    )

    filled = await harness.dashboards.refresh(id_)

    assert filled.rows[0].table.rows == ((43,),)


async def test_a_query_that_fails_keeps_its_rows_and_says_so(
    harness: ToolHarness, tmp_path: Path
) -> None:
    file = tmp_path / "pecas.csv"
    file.write_text("peca,n\na,1\nb,2\n", encoding="utf-8")
    await harness.drop(file)
    id_ = await made(harness, dados={"soma": "SELECT sum(n) AS n FROM pecas", "total": TOTAL})
    before = {each.name: each for each in await harness.store.dashboards.rows(id_)}
    (pin,) = await harness.store.datasets.pinned(await harness.conversation())
    await harness.store.datasets.unpin(await harness.conversation(), pin.dataset_id)

    filled = await harness.dashboards.refresh(id_)

    soma, total = filled.rows
    assert soma.table == before["soma"].table
    assert soma.taken == before["soma"].taken
    assert "pecas" in soma.problem
    assert total.problem == ""
    assert len(filled.problems) == 1


async def test_the_page_has_its_rows_the_queries_and_the_time_of_the_data(
    harness: ToolHarness,
) -> None:
    id_ = await made(harness)
    page = document_of(await harness.dashboards.filled(id_))

    turnos = page.data["turnos"]
    assert isinstance(turnos, dict)
    assert turnos["colunas"] == ["turno", "n"]
    assert turnos["linhas"] == [["manha", 73], ["tarde", 68], ["noite", 59]]
    assert turnos["consulta"] == BY_SHIFT
    (rows,) = await harness.store.dashboards.rows(id_)
    assert turnos["ate"] == rows.taken.isoformat(timespec="seconds")
    assert 'class="chart-container"' in page.document
    assert BY_SHIFT in page.document
    assert re.search(r"<summary>Turnos · 3 rows · .* · data of \d\d/\d\d/\d{4}", page.document)


async def test_a_page_of_the_wall_is_fitted_and_knows_how_long_it_is_there(
    harness: ToolHarness,
) -> None:
    filled = await harness.dashboards.filled(await made(harness))

    page, hung = await harness.files.page(filled), await harness.files.page_for_wall(filled, 15)

    assert hung.document.startswith(page.document)
    assert 'data-seconds="15"' in hung.document.removeprefix(page.document)
    assert hung.data == page.data


async def test_a_page_file_needs_nothing_outside_and_may_reach_nothing(
    harness: ToolHarness, tmp_path: Path
) -> None:
    id_ = await made(harness)
    target = tmp_path / "painel.html"
    await harness.files.export(id_, target)

    text = target.read_text(encoding="utf-8")
    assert "Content-Security-Policy" in text
    assert "default-src 'none'" in text.replace("&#x27;", "'")
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", text + page_in(text))
    assert "Chart.js v4" in page_in(text)
    assert "manha" in bridge_in(text)


async def test_a_workbook_has_a_sheet_for_each_query_and_charts_that_are_real(
    harness: ToolHarness, tmp_path: Path
) -> None:
    id_ = await made(harness, dados={"turnos": BY_SHIFT, "total": TOTAL})
    target = tmp_path / "painel.xlsx"
    await harness.files.export(id_, target)

    book = openpyxl.load_workbook(target)
    assert book.sheetnames == ["turnos", "total"]
    turnos, total = book.worksheets
    assert tuple(len(vars(each)["_charts"]) for each in (turnos, total)) == (1, 0)
    cells = [[cell.value for cell in row] for row in turnos.iter_rows()]
    assert ["manha", 73] in [row[:2] for row in cells]


async def test_paper_and_picture_are_drawn_elsewhere_and_then_put_in_place(
    harness: ToolHarness, tmp_path: Path
) -> None:
    id_ = await made(harness)
    for name in ("painel.pdf", "painel.PNG"):
        await harness.files.export(id_, tmp_path / name)
        assert (tmp_path / name).read_bytes() == b"drawn"
    assert [page.title for page in harness.printer.pages] == ["Turnos", "Turnos"]


async def test_a_file_of_another_kind_is_refused_with_the_kinds_there_are(
    harness: ToolHarness, tmp_path: Path
) -> None:
    id_ = await made(harness)
    with pytest.raises(UserError, match=r"\.html, \.pdf, \.png, \.xlsx"):
        await harness.files.export(id_, tmp_path / "painel.doc")
    with pytest.raises(UserError, match="no queries"):
        await harness.files.export(
            await made(harness, titulo="Só texto", dados=None), tmp_path / "painel.xlsx"
        )
    assert not (tmp_path / "painel.xlsx").exists()


async def test_a_pinned_chart_is_drawn_again_by_the_columns_it_was_asked_for(
    harness: ToolHarness,
) -> None:
    query = (
        "SELECT turno, tipo_defeito, count(*) AS n, sum(posicao) AS p FROM defeitos GROUP BY ALL"
    )
    id_ = await pinned(
        harness,
        "gerar_grafico",
        tipo="bar",
        titulo="Posições",
        consulta=query,
        x="tipo_defeito",
        y=["p"],
        por="turno",
    )
    await report(harness)
    (card,) = (await harness.dashboards.refresh(id_)).cards

    assert isinstance(card.widget, Chart)
    assert card.problem == ""
    assert {getattr(mark, "name", "") for mark in card.widget.figure.marks} >= {"manha", "noite"}
    assert "tipo_defeito" in card.widget.figure.x.label
    assert sum(row[2] for row in card.widget.data.rows if isinstance(row[2], int)) == 201


async def test_a_pinned_number_counts_again_and_forgets_its_old_verdict(
    harness: ToolHarness,
) -> None:
    id_ = await pinned(
        harness, "gerar_kpi", titulo="Total", consulta=TOTAL, alvo=150, estado="mau", variacao=0.1
    )
    same = (await harness.dashboards.filled(id_)).cards[0].widget
    await report(harness)
    later = (await harness.dashboards.refresh(id_)).cards[0].widget

    assert isinstance(same, Kpi)
    assert isinstance(later, Kpi)
    assert (same.value, same.standing, same.change) == (200, "bad", 0.1)
    assert (later.value, later.standing, later.change, later.target) == (201, "neutral", None, 150)


async def test_what_was_pinned_with_its_values_stays_as_it_is(harness: ToolHarness) -> None:
    id_ = await pinned(
        harness, "gerar_tabela", titulo="Metas", colunas=["turno", "meta"], linhas=[["manha", 5]]
    )
    filled = await harness.dashboards.refresh(id_)

    assert filled.contents.queries == ()
    assert isinstance(filled.cards[0].widget, TableView)
    assert "Metas" in document_of(filled).document


async def test_the_cards_of_a_page_stand_on_it_with_their_figures_and_times(
    harness: ToolHarness,
) -> None:
    widget = (
        await harness.use(
            "gerar_grafico", tipo="bar", titulo="</script><b>Por turno", consulta=BY_SHIFT
        )
    ).widget
    assert isinstance(widget, Chart)
    id_ = await made(harness)
    before = await harness.store.dashboards.contents(id_)
    await harness.store.dashboards.change(
        id_, with_card(before, widget, await harness.conversation())
    )
    page = document_of(await harness.dashboards.refresh(id_))

    (kept,) = re.findall(r'data-figure-of="\w+">(.*?)</script>', page.document)
    assert json.loads(kept)["title"] == "</script><b>Por turno"
    assert "&lt;/script&gt;&lt;b&gt;Por turno" in page.document
    assert list(page.data) == ["turnos"]
    # An agent that makes the page anew leaves the person's card on it.
    await made(harness, html="<p>Outro</p>", dados={"total": TOTAL})
    kept_cards = (await harness.store.dashboards.contents(id_)).cards
    assert [card.title for card in kept_cards] == ["</script><b>Por turno"]
    assert {each.name for each in (await harness.dashboards.refresh(id_)).rows} == {"total", "_1"}


async def test_a_changed_card_keeps_its_place_its_width_and_a_title_of_its_own(
    harness: ToolHarness,
) -> None:
    talk = await harness.conversation()
    contents = DashboardSpec("À mão")
    for title in ("um", "dois"):
        sql = "SELECT count(*) AS n FROM defeitos"
        widget = (await harness.use("gerar_kpi", titulo=title, consulta=sql)).widget
        assert isinstance(widget, Kpi)
        contents = with_card(contents, widget, talk, {"type": "number"})
    first, second = contents.cards
    assert (first.plan, first.conversation) == ({"type": "number"}, talk)
    sql = "SELECT turno, count(*) AS n FROM defeitos GROUP BY turno"
    other = (await harness.use("gerar_tabela", titulo="três", consulta=sql)).widget
    assert isinstance(other, TableView)

    made = with_changed_card(contents, first.id, other, {"type": "group"})
    named = with_changed_card(renamed(contents, first.id, "Meu"), first.id, other, None)

    assert [(each.id, each.title, each.width) for each in made.cards] == [
        (first.id, "três", first.width),
        (second.id, "dois", second.width),
    ]
    assert made.cards[0].plan == {"type": "group"}
    assert named.cards[0].title == "Meu"
    found = await harness.store.dashboards.create(contents)
    await harness.dashboards.refresh(found.id)
    await harness.store.dashboards.change(found.id, made)
    rows = {each.name for each in await harness.store.dashboards.rows(found.id)}
    assert rows == {second.query}  # those of the former query are nobody's
    filled = await harness.dashboards.refresh(found.id)
    assert [each.table.names for each in filled.rows] == [("n",), ("turno", "n")]


async def test_cards_are_moved_widened_renamed_and_taken_off(harness: ToolHarness) -> None:
    contents = DashboardSpec("À mão")
    for title in ("um", "dois", "três"):
        widget = (await harness.use("gerar_kpi", titulo=title, consulta=TOTAL)).widget
        assert isinstance(widget, Kpi)
        contents = with_card(contents, widget, await harness.conversation())
    first, second, third = (card.id for card in contents.cards)

    contents = moved(contents, third, -2)
    contents = resized(contents, first, 12)
    contents = renamed(contents, second, "  segundo ")
    assert [card.id for card in contents.cards] == [third, first, second]
    assert [card.width for card in contents.cards] == [3, 12, 3]
    assert contents.cards[2].title == "segundo"
    assert [card.id for card in moved(contents, third, -1).cards] == [third, first, second]

    less = without(contents, third)
    assert [card.id for card in less.cards] == [first, second]
    assert len(less.queries) == 2
    with pytest.raises(UserError, match="not on this dashboard any more"):
        without(less, third)


MORNING = datetime(2026, 3, 2, 6, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "ago", "has_changed", "due"),
    [
        (None, timedelta(days=9), True, False),
        (EveryMinutes(15), timedelta(minutes=14), True, False),
        (EveryMinutes(15), timedelta(minutes=15), False, True),
        (DailyAt(time(6, 0)), timedelta(minutes=20), False, False),
        (DailyAt(time(6, 0)), timedelta(minutes=40), False, True),
        (DailyAt(time(7, 0)), timedelta(hours=12), False, False),
        (DailyAt(time(7, 0)), timedelta(hours=24), False, True),
        (OnChange(), timedelta(days=9), False, False),
        (OnChange(), timedelta(seconds=1), True, True),
    ],
)
def test_a_schedule_says_when_it_is_time(
    schedule: Schedule, ago: timedelta, has_changed: bool, due: bool
) -> None:
    found = is_due(schedule, last=MORNING - ago, now=MORNING, has_changed=has_changed)
    assert found is due


async def test_an_open_dashboard_is_refreshed_when_its_data_changes(harness: ToolHarness) -> None:
    id_ = await made(harness)
    await harness.store.dashboards.set_schedule(id_, OnChange())
    seen: list[RenderedDashboard] = []
    schedule = DashboardSchedule(harness.store.dashboards, harness.dashboards, seen.append)
    assert await schedule.look() == []  # nobody has it open
    schedule.opened(id_)
    schedule.close()  # the test looks, not the clock

    assert await schedule.look() == [id_]
    assert await schedule.look() == []
    await report(harness)
    assert await schedule.look() == [id_]

    assert seen[-1].rows[0].table.rows[2] == ("noite", 60)


async def test_a_refresh_that_failed_is_made_up_for_at_the_next_look(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = await made(harness)
    await harness.store.dashboards.set_schedule(id_, OnChange())
    schedule = DashboardSchedule(harness.store.dashboards, harness.dashboards, lambda _filled: None)
    schedule.opened(id_)
    schedule.close()  # the test looks, not the clock

    async def busy(_id: str) -> RenderedDashboard:
        raise UserError("Another QHub program is busy.")

    with monkeypatch.context() as while_busy:
        while_busy.setattr(harness.dashboards, "refresh", busy)
        assert await schedule.look() == []

    assert await schedule.look() == [id_]


async def test_a_dashboard_that_was_deleted_while_open_is_left_alone(harness: ToolHarness) -> None:
    id_, other = await made(harness), await made(harness, titulo="Outro")
    await harness.store.dashboards.set_schedule(id_, EveryMinutes(1))
    await harness.store.dashboards.set_schedule(other, EveryMinutes(1))
    schedule = DashboardSchedule(harness.store.dashboards, harness.dashboards, lambda _filled: None)
    schedule.opened(id_)
    schedule.opened(other)
    schedule.close()
    await harness.store.dashboards.set_deleted(id_, is_deleted=True)

    later = datetime.now().astimezone() + timedelta(minutes=2)
    assert await schedule.look(later) == [other]


async def test_a_division_by_zero_stands_on_the_card_that_it_is_missing_from(
    harness: ToolHarness,
) -> None:
    sql = "SELECT turno, count(*) / 0 AS q FROM defeitos GROUP BY turno"
    filled = await harness.dashboards.filled(
        await pinned(harness, "gerar_tabela", titulo="q", consulta=sql)
    )

    (warning,) = filled.warnings
    assert "zero" in warning
    assert filled.problems == []
    assert document_of(filled).document.count("zero") >= 2  # on the card, and at the query


def test_blocks_of_a_page_are_found_and_put_in_order() -> None:
    body = (
        "<h2>Um</h2>\n<script>x = '<div class=\"kpi-card\">'</script>\r\n"
        '<DIV id="a" class="wide kpi-card"><div>Total</div><div class="kpi-card">in</div></DIV>'
        '<h3>Dois</h3><div class="chart-container"><canvas></canvas></div>'
        '<table class="data-table"><tr><td>x</table>'
    )

    found = blocks_of(body)
    arranged = in_order(body, (2, 0, 1))

    assert [each.title for each in found] == ["Total", "Dois", "x"]
    assert '<DIV data-qhub-block="0" id="a"' in arranged
    assert '<table data-qhub-block="2" class' in arranged
    assert arranged.count("data-qhub-block=") == 3
    assert in_order(body, ()) == in_order(body, (0, 1, 2)) == in_order(body, (5, 1)) == body
    assert moved_block(DashboardSpec("t", body), 2, -9, count=3).order == (2, 0, 1)
