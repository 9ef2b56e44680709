"""What can be added to the program is added in one place, and works from the command line on."""

import ast
import re

from tests.foundation.scratch import ScratchTree
from tests.wire.scenes import answer, calls
from tests.wire.server import WireServer

TALK = '''\
"""Counting the words of a conversation."""

import argparse

from qhub_desktop.cli.verbs import CommandServices
from qhub_desktop.cli.verbs import Verbs, add_json_option


def declare(verbs: Verbs) -> None:
    """Declare `talk`."""
    talk = verbs.add_parser("talk", help="how much was said")
    talk.set_defaults(run=_talk)
    talk.add_argument("id", metavar="ID")
    add_json_option(talk)


async def _talk(services: CommandServices, asked: argparse.Namespace) -> None:
    messages = await services.store.messages.latest(asked.id, limit=10)
    print(len(messages))
'''

AGENT = """\
name = "Pintura"

[summary]
pt = "A cabine de pintura"
en = "The paint shop"

[starters]
pt = ["Quantos defeitos?"]
en = ["How many defects?"]
"""

SETTING = """\
    shift_goal: int = _setting(
        12, "limits", gettext_noop("Defects in a shift at most"), lower=1, upper=100, unit="x"
    )
"""
FIELDS = """
import sys
from PySide6.QtWidgets import QApplication
application = QApplication(sys.argv)
from qhub_desktop.core.settings import Settings, setting_infos
from qhub_desktop.ui.settings.fields import SettingField
field = SettingField("shift_goal", setting_infos()["shift_goal"], Settings().shift_goal)
print(field.control.text())
"""
# What the new setting is for, where the data sets are described to a model.
SETTING_USE = """\
    parts = [f"Meta por turno: {settings.shift_goal} defeitos.", *parts]
"""
KEEP = """
import asyncio, sys
from qhub_desktop.core.paths import home
from qhub_desktop.store import Store
store = Store.open(home())
asyncio.run(store.settings.save({"shift_goal": int(sys.argv[1])}))
store.close()
"""

SETTINGS_SECTION = """\
    "goals": SectionInfo(gettext_noop("Goals"), "chart"),
"""
SETTINGS_PAGE = '''\
"""Settings page of the telephones of the plant."""

from PySide6.QtWidgets import QLabel

from qhub_desktop.core.text import gettext_noop
from qhub_desktop.ui.settings.pages import SettingsContext, settings_page


@settings_page("telephones", label=gettext_noop("Telephones"), icon="info")
class TelephonesPage(QLabel):
    """Whom to call at the station."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(f"{context.services.live_settings.settings.language}: 112")
'''
# Shows the pages of the settings, and what of two of them can be seen.
SHOW_PAGES = """
import asyncio
from PySide6.QtWidgets import QApplication, QLabel
application = QApplication([])
from qhub_desktop.app import Program
from qhub_desktop.ui.settings.dialog import SettingsDialog
from qhub_desktop.ui.tasks import Tasks

async def show():
    program = Program()
    tasks = Tasks(print)
    services = program.services()
    for section in ("telephones", "goals"):
        dialog = SettingsDialog(
            services,
            on_key_saved=print,
            open_memory=print,
            tasks=tasks,
            section=section,
            parent=None,
        )
        dialog.show()
        print([each.text() for each in dialog.findChildren(QLabel) if each.isVisible()])
    await tasks.cancel_all()
    await program.close()

asyncio.run(show())
"""

TOOL = '''\
    @tool(label=gettext_noop("Naming the columns…"), category="data", risk="read")
    async def colunas(self, context: ToolContext, *, conjunto: Conjunto = None) -> ToolOutput:
        """Os nomes das colunas."""
        return ToolOutput([column.name for column in find_dataset(context, conjunto).columns])

'''

CHART = '''\
"""Lollipops: amounts as points on stems."""

from qhub_desktop.charts.grouping import categories_of, aggregate
from qhub_desktop.charts.chart_spec import ChartSpec, chart
from qhub_desktop.charts.grouping import names_of
from qhub_desktop.core.figure import ChartKind
from qhub_desktop.core.figure import Axis, Figure, Points
from qhub_desktop.core.text import gettext_noop


@chart(
    ChartKind(
        name="lollipop",
        label=gettext_noop("lollipops"),
        takes="groups",
        suits=frozenset(["groups"]),
        words={"pt": "chupas, grafico de chupas", "en": "lollipop, lollipop chart"},
    )
)
def lollipop(request: ChartSpec) -> Figure:
    """One point for each category."""
    grid = aggregate(request, x=categories_of(request))
    places = tuple(float(at) for at in range(len(grid.keys)))
    axis = Axis(kind="category", categories=names_of(grid.keys))
    return Figure(request.title, (Points(places, grid.values[0]),), x=axis)
'''

FORMAT = '''\
"""Readings of a balance (.balance): a name and a value on each line, parted by a colon."""

from qhub_desktop.data.ingest.readers.sniff import Content, file_format
from qhub_desktop.data.ingest.readers.sheet import InputFile, ParsedFile, RawSheet


def _is_balance(content: Content) -> bool:
    return content.head.startswith(b"%BALANCE")


@file_format("Balance", suffixes=(".balance",), sniff=_is_balance)
def read_balance(source: InputFile) -> ParsedFile:
    """The one table of the file."""
    lines = source.path.read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split(":") for line in lines]
    return ParsedFile((), iter([RawSheet(name=None, number=1, rows=iter(rows), is_text=True)]))
'''
STATISTIC_TABLE = "qhub_desktop/nlq/statistic_kinds.py"
STATISTIC_KIND = 'StatisticKind = Literal[StatisticKind, "kurtosis"]\n'
STATISTIC = """\
    "kurtosis": Statistic(
        "kurtosis({column})",
        gettext_noop("kurtosis"),
        gettext_noop("kurtosis of {column}"),
        gettext_noop("the kurtosis"),
    ),
"""

READINGS = "%BALANCE\npeça:peso\n" + "".join(f"P{number}:{number + 10}\n" for number in range(9))

ROMANIAN = """\
function = ["in", "la", "de", "sunt"]
has_accents = true

[words]
by = ["pe"]

[cue]
count = ["cate"]
by = ["pe"]

[field]
defect = ["defect", "defecte"]
shift = ["schimb"]

[calendar]
months = [["ianuarie"], ["februarie"], ["martie"]]
short_months = [["ian"], ["febr"], ["mart"]]

[date_words]
since = ["din"]

[files]
total = ["totalul"]

[defects.sure]
data = ["ziua"]
turno = ["schimb"]
tipo_defeito = ["defect"]

[defects.types]
lixo = ["praf"]
gordura = ["grăsime"]
"""
DEFECTE = """\
Ziua;Schimb;Defect;Piese
31 ian 2026;1;Praf;4
1 febr 2026;2;Grăsime;5
2 febr 2026;2;Praf;6
Totalul;;;15
"""


def test_a_verb_is_added_as_a_module(scratch: ScratchTree) -> None:
    scratch.write("qhub_desktop/cli/verbs/talk.py", TALK)

    asked = scratch.qhub("ask", "--engine", "offline", "--json", "quantos defeitos?")
    told = scratch.qhub("talk", asked.conversation)

    assert (told.code, told.out) == (0, "2\n"), told.err
    assert "how much was said" in scratch.qhub("--help").out


def test_an_agent_is_added_as_a_folder(scratch: ScratchTree) -> None:
    for name, text in {
        "agent.toml": AGENT,
        "prompt.md": "Fala de pintura.",
        "icon.svg": "<svg/>",
    }.items():
        scratch.write(f"resources/agents/pintura/{name}", text)

    asked = scratch.qhub(
        "ask", "--agent", "pintura", "--engine", "offline", "--json", "top 3 defeitos"
    )
    (agents,) = scratch.qhub("agents", "--json").lines

    assert asked.code == 0, asked.err
    assert "lixo" in asked.text
    assert [each["name"] for each in agents] == ["Qualidade", "Análise", "Pintura"]
    assert "top_defeitos" in agents[2]["tools"]
    assert "perfil_dados" not in agents[2]["tools"]  # which is declared for another


def test_a_setting_is_added_as_a_field(scratch: ScratchTree) -> None:
    scratch.insert_before("qhub_desktop/core/settings.py", "    question_s: float", SETTING)

    scratch.insert_before("qhub_desktop/chat/agents.py", "    if not parts:", SETTING_USE)

    shown = scratch.python(FIELDS)
    with WireServer([answer("Sim.")] * 2) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "key-for-tests"}
        for kept in ("30", "3000"):  # the second is out of bounds
            assert scratch.python(KEEP, kept).code == 0
            scratch.qhub("ask", "--engine", "claude", "--json", "?", environment=environment)
        told = [str(request.body["system"]) for request in server.requests]

    assert shown.out.splitlines() == ["12"], shown.err
    assert [re.findall(r"Meta por turno: (\d+)", each) for each in told] == [["30"], ["12"]]


def test_a_settings_page_is_added_as_a_section_of_fields_or_as_a_module(
    scratch: ScratchTree,
) -> None:
    settings = "qhub_desktop/core/settings.py"
    scratch.insert_before(settings, '    "backups": SectionInfo(', SETTINGS_SECTION)
    scratch.insert_before(settings, "    question_s: float", SETTING.replace("limits", "goals"))
    scratch.write("qhub_desktop/ui/settings/telephones.py", SETTINGS_PAGE)

    shown = scratch.python(SHOW_PAGES)

    assert shown.code == 0, shown.err
    telephones, goals = map(ast.literal_eval, shown.out.splitlines())
    assert {"Telephones", "pt: 112"} <= set(telephones)
    assert {"Goals", "Defects in a shift at most", "x · 1 a 100"} <= set(goals)


def test_a_tool_is_added_as_a_method(scratch: ScratchTree) -> None:
    scratch.insert_before(
        "qhub_desktop/tools/datasets.py", '    @tool(label=gettext_noop("Querying', TOOL
    )

    with WireServer([calls(("colunas", {})), answer("São estas.")]) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "key-for-tests"}
        asked = scratch.qhub("ask", "--engine", "claude", "--json", "?", environment=environment)
        offered = [each["name"] for each in server.requests[0].body["tools"]]
    agents = scratch.qhub("agents", "--json").lines[0]

    assert "colunas" in offered
    assert "tipo_defeito" in asked.all("tool_use")[0]["result"]
    assert all("colunas" in agent["tools"] for agent in agents)


def test_a_chart_type_is_added_as_a_module(scratch: ScratchTree) -> None:
    scratch.write("qhub_desktop/charts/lollipop.py", CHART)

    asked = scratch.qhub(
        "ask", "--engine", "offline", "--json", "defeitos por turno num gráfico de chupas"
    )
    with WireServer([answer("Feito.")]) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "key-for-tests"}
        scratch.qhub("ask", "--engine", "claude", "--json", "?", environment=environment)
        offered = {each["name"]: each for each in server.requests[0].body["tools"]}

    assert asked.code == 0, asked.err
    (call,) = (each for each in asked.all("tool_use") if each["name"] == "gerar_grafico")
    assert call["input"]["tipo"] == "lollipop"
    drawing = offered["gerar_grafico"]
    assert "lollipop" in drawing["input_schema"]["properties"]["tipo"]["enum"]
    # Like most kinds it takes a row for each category; only those that take others are named.
    assert "uma linha por categoria ou momento; a histogram e box os" in drawing["description"]


def test_a_format_is_added_as_a_module(scratch: ScratchTree) -> None:
    scratch.write("qhub_desktop/data/ingest/readers/balance.py", FORMAT)
    scratch.write("readings.balance", READINGS)

    (profile,) = scratch.qhub("profile", scratch.folder / "readings.balance", "--json").lines
    told = scratch.python(
        "from qhub_desktop.ui.shell.file_intake import file_types_text as k; print(k())"
    )

    assert [(each["name"], each["type"]) for each in profile["columns"]] == [
        ("peça", "text"),
        ("peso", "integer"),
    ]
    assert "balance" in told.out.rstrip().split(", "), told.err


def test_a_statistic_of_questions_is_added_as_a_record(scratch: ScratchTree) -> None:
    scratch.insert_before(STATISTIC_TABLE, "# A measure, a form", STATISTIC_KIND)
    scratch.insert_before(STATISTIC_TABLE, '    "range": Statistic(', STATISTIC)
    scratch.insert_before(
        "resources/lexicon/pt.toml", 'percentile = ["', 'kurtosis = ["curtose"]\n'
    )
    posts = [1, 2, 3, 4, 20]
    scratch.write("posts.csv", "turno;peso\n" + "".join(f"A;{each}\n" for each in posts * 4))

    asked = scratch.qhub(
        "ask",
        "--file",
        scratch.folder / "posts.csv",
        "--engine",
        "offline",
        "--json",
        "curtose do peso",
    )

    (understood,) = asked.all("understanding")
    assert understood["plan"]["measure"]["kind"] == "kurtosis"
    assert "**0,57** é the kurtosis" in asked.text


def test_a_language_is_added_as_a_file(scratch: ScratchTree) -> None:
    scratch.write("resources/lexicon/ro.toml", ROMANIAN)
    scratch.write("defecte.csv", DEFECTE)

    asked, since, by_shift = (
        scratch.qhub("ask", "--engine", "offline", "--json", question)
        for question in (
            "câte defecte în februarie?",
            "câte defecte din 20 februarie?",
            "câte defecte pe schimb?",
        )
    )
    (profile,) = scratch.qhub("profile", scratch.folder / "defecte.csv", "--json").lines
    (log,) = scratch.qhub("defects", "append", scratch.folder / "defecte.csv", "--json").lines

    (understood,) = asked.all("understanding")
    assert understood["plan"]["type"] == "number"
    assert "200" in asked.text
    assert "defects" in asked.text  # in English, for want of a Romanian catalogue
    assert "2026-02-20" in str(since.all("understanding")[0]["plan"])
    assert "73" in by_shift.text
    assert (profile["rows"], profile["columns"][0]["max"]) == (3, "2026-02-02")
    assert log["columns"] == {"data": "Ziua", "turno": "Schimb", "tipo_defeito": "Defect"}
    assert log["unknown"] == []
