"""Tables of several trades with the same sorts of columns, how people call them, and small ones.

A form of a question names sorts of columns, and is asked over each table in its words: `{rows}`
may be 'ordens', 'loans' or 'serviços', and `{amount}` 'custo', 'fine' or 'valor'.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from functools import cached_property
from typing import Any, cast

import pytest

from qhub_desktop.core.table import Cell, ColumnType
from qhub_desktop.core.text import Language
from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, DialogueState, advance, interpret
from qhub_desktop.nlq.query_ast import (
    Ask,
    Comparison,
    DataPlan,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Period,
    Plan,
    RowSelection,
    Several,
    Value,
)
from qhub_desktop.nlq.schema_index import SchemaIndex, schema_index_of
from qhub_desktop.nlq.semantic.candidate import compared
from tests.nlq.profiles import Data, data

TODAY = date(2026, 5, 4)
FIRST_DAY = date(2026, 1, 1)
MARCH = (date(2026, 3, 1), date(2026, 3, 31))
APRIL = (date(2026, 4, 1), date(2026, 4, 30))
ROWS = 120
LINES = 60  # of a small table


@dataclass(frozen=True)
class Trade:
    """A table, the columns of each sort, and their words in questions of two languages."""

    data: Data
    columns: Mapping[str, str]
    pt: Mapping[str, str]
    en: Mapping[str, str]
    yes: tuple[Value, Value]  # in the columns of states, first and second
    no: tuple[Value, Value]
    open: str
    closed: str
    names: tuple[str, ...]

    def __getitem__(self, role: str) -> str:
        return self.columns[role]

    @cached_property
    def index(self) -> SchemaIndex:
        """What is known of the table's names and values."""
        return schema_index_of(self.data.profile)

    @property
    def scope(self) -> RowSelection:
        """All rows."""
        return RowSelection(self.data.profile.dataset)

    def where(self, *filters: Filter, days: tuple[date, date] | None = None) -> RowSelection:
        """The rows that meet conditions, on days of the column of the table's days."""
        period = None if days is None else Period(self["day"], *days)
        return ordered(replace(self.scope, filters=filters, period=period))

    def cells(self, role: str) -> list[Any]:
        """The cells of a column."""
        return [row[self[role]] for row in self.data.rows]

    @property
    def latest(self) -> date:
        """The day of the data: the last on which anything was done."""
        known: list[date] = [each for each in self.cells("done") if each is not None]
        return max(known)

    def asked(self, form: str, language: Language = "pt") -> str:
        """A form of a question in the words of this table."""
        words = self.pt if language == "pt" else self.en
        return form.format(**words, value=self.names[1], other=self.names[2], last=self.names[0])

    def understood(self, form: str, language: Language = "pt") -> Plan | None:
        """The plan of a question that follows no other."""
        return understood(self.asked(form, language), self.index)


def understood(*said: str | SchemaIndex) -> Plan | None:
    """Return the plan of the last of some questions over tables, without what changes no number.

    Where several readings are listed it is the likeliest, as if it were chosen.
    """
    before, state = _read(said)
    return _plain(chosen(state, before).plan)


def at_once(*said: str | SchemaIndex) -> Plan | None:
    """Return what the last of some questions is answered with at once: a plan, or a list."""
    return _plain(_read(said)[1].plan)


def _read(said: Sequence[str | SchemaIndex]) -> tuple[DialogueState, DialogueState]:
    """Return the states before and after the last of some questions over tables."""
    before = state = INITIAL_STATE
    indexes = [each for each in said if isinstance(each, SchemaIndex)]
    for question in said:
        if isinstance(question, str):
            before = chosen(state, before)
            state = interpret(question, before, indexes, today=TODAY)
    return before, state


def _plain(told: Plan) -> Plan:
    """Return a plan without what changes no number."""
    plan = compared(cast("DataPlan", told))
    if not isinstance(getattr(plan, "scope", None), RowSelection) or isinstance(
        plan, Comparison | Several
    ):
        return plan
    changed: Any = plan
    return cast("Plan", replace(changed, scope=ordered(changed.scope)))


def chosen(state: DialogueState, before: DialogueState) -> DialogueState:
    """Return a state in which the likeliest reading was chosen, if several are listed."""
    match state.plan:
        case Ask(readings=((_, plan), *_)):
            return advance(before, plan, state.language)
        case _:
            return state


def ordered(rows: RowSelection) -> RowSelection:
    """Return the same rows, their conditions in one order."""
    return replace(rows, filters=tuple(sorted(rows.filters, key=repr)))


def check(
    trade: Trade, wanted: Plan, *, pt: tuple[str, ...] = (), en: tuple[str, ...] = ()
) -> None:
    """Every form of a question has the same plan; it is not asked of a table named after '!'."""
    asked: tuple[tuple[Language, tuple[str, ...]], ...] = (("pt", pt), ("en", en))
    for language, forms in asked:
        for each in forms:
            form, *others = each.split(" !")
            if trade.data.profile.dataset not in others:
                plan = trade.understood(form, language)
                assert plan == wanted, trade.asked(form, language)


def trade(
    dataset: str,
    columns: str,
    names: str,
    people: str,
    states: tuple[tuple[str, str], tuple[Value, Value], tuple[Value, Value]],
    notes: Sequence[str],
    pt: str,
    en: str,
) -> Trade:
    """Make a table of 120 days from the names of its columns, each as `role=name`, by `;`."""
    roles, things, persons = _words(columns), names.split(), people.split()
    (opened, closed), first, second = states
    days = [FIRST_DAY + timedelta(days=place) for place in range(ROWS)]
    is_open = [place % 4 == 1 for place in range(ROWS)]
    cells: dict[str, tuple[ColumnType, Sequence[Cell]]] = {
        "key": ("text", [f"{dataset[:2].upper()}-{1000 + place}" for place in range(ROWS)]),
        "day": ("date", days),
        "due": (
            "date",
            [day + timedelta(days=8 + 8 * (place % 3)) for place, day in enumerate(days)],
        ),
        "done": (
            "date",
            [
                None if is_open[place] else day + timedelta(days=3 + place * 7 % 13)
                for place, day in enumerate(days)
            ],
        ),
        "name": ("category", [things[place * 7 % 11 % len(things)] for place in range(ROWS)]),
        "staff": (
            "category",
            [persons[place % len(persons)] if place % 9 else None for place in range(ROWS)],
        ),
        "amount": ("number", [place * 37 % 101 + 0.5 for place in range(ROWS)]),
        "level": ("number", [40 + place * 13 % 29 / 2 for place in range(ROWS)]),
        "state": ("category", [opened if each else closed for each in is_open]),
        "first": (_type(first), [first[place % 3 != 0] for place in range(ROWS)]),
        "second": (_type(second), [second[place % 5 != 0] for place in range(ROWS)]),
        "note": ("text", [f"{notes[place % len(notes)]} {place}" for place in range(ROWS)]),
    }
    return Trade(
        data(dataset, {roles[role]: cells[role] for role in cells}),
        roles,
        _words(pt),
        _words(en),
        (first[0], second[0]),
        (first[1], second[1]),
        opened,
        closed,
        tuple(things),
    )


def _type(values: tuple[Value, Value]) -> ColumnType:
    return "integer" if isinstance(values[0], int) else "category"


def _words(said: str) -> dict[str, str]:
    pairs = (each.split("=") for each in said.split(";"))
    return {role.strip(): word.strip() for role, word in pairs}


TRADES = (
    trade(
        "elevadores",
        "key=Nº OS; day=Data abertura; due=Prazo; done=Data conclusão; name=Edifício;"
        "staff=Técnico; amount=Custo (€); level=Ruído (dB); state=Estado; first=Validada;"
        "second=Garantia; note=Observações",
        "Atlas Boreal Cisne Dolmen",
        "Rui Marta Ivo",
        (("Aberta", "Concluída"), ("s", "n"), ("Sim", "Não")),
        ("porta encravada", "cabo gasto", "botão partido"),
        "g=a; row=intervenção; rows=intervenções; name=edifício; names=edifícios;"
        "staff=técnico; g_amount=o; amount=custo; unit=€; g_level=o; level=ruído;"
        "first=validadas; second=em garantia; open=abertas; closed=concluídas; day=abertura;"
        "due=prazo; done=conclusão; word=encravada",
        "row=ticket; rows=tickets; name=building; names=buildings; staff=technician; amount=cost;"
        "level=noise; first=validated; second=in warranty; open=open; closed=completed;"
        "unit=€; day=opening; due=deadline; done=completion; word=encravada",
    ),
    trade(
        "rentals",
        "key=Rental ID; day=Start Date; due=Due Date; done=Return Date; name=Branch;"
        "staff=Operator; amount=Fine (EUR); level=Rating; state=Status; first=Damaged;"
        "second=Cleaned; note=Remarks",
        "Harbour Hilltop Central Riverside",
        "Ann Bob Cid",
        (("Open", "Closed"), ("yes", "no"), (1, 0)),
        ("torn cover", "lost key", "wet seat"),
        "g=o; row=aluguer; rows=alugueres; name=filial; names=filiais; staff=operador;"
        "g_amount=a; amount=multa; unit=EUR; g_level=a; level=classificação; first=danificados;"
        "second=limpos; open=abertos; closed=fechados; day=data de início;"
        "due=vencimento; done=data de devolução; word=torn",
        "row=rental; rows=rentals; name=branch; names=branches; staff=operator; amount=fine;"
        "level=rating; first=damaged; second=cleaned; open=open; closed=closed; unit=EUR;"
        "day=start date; due=due date; done=return date; word=torn",
    ),
    trade(
        "lieferungen",
        "key=Auftrag Nr.; day=Auftragsdatum; due=Fällig am; done=Lieferdatum; name=Kunde;"
        "staff=Fahrer; amount=Volumen (l); level=Temperatur (°C); state=Status; first=Bezahlt;"
        "second=Eilig; note=Bemerkung",
        "Weberei Kelterei Molkerei Imkerei",
        "Jens Uwe Karl",
        (("Offen", "Erledigt"), (1, 0), (1, 0)),
        ("Tor zu", "Kiste nass", "Rampe eng"),
        "g=a; row=encomenda; rows=encomendas; name=cliente; names=clientes; staff=motorista;"
        "g_amount=o; amount=volume; unit=litros; g_level=a; level=temperatura; first=pagas;"
        "second=urgentes; open=abertas; closed=concluídas; day=data da encomenda;"
        "due=vencimento; done=data de entrega; word=nass",
        "row=order; rows=orders; name=customer; names=customers; staff=driver; amount=volume;"
        "level=temperature; first=paid; second=urgent; open=open; closed=completed; unit=litres;"
        "day=order date; due=due date; done=delivery date; word=nass",
    ),
    trade(
        "servicos",
        "key=Cód.; day=Dt. Abertura; due=Dt. Vencimento; done=Dt. Entrega; name=Cliente;"
        "staff=Mecânico; amount=Distância (km); level=Pressão (bar); state=Situação;"
        "first=Aprovado; second=Urgente; note=Obs.",
        "Andrade Barbosa Couto Duarte",
        "Zeca Tonho Guto",
        (("Aberto", "Fechado"), ("S", "N"), (1, 0)),
        ("freio gasto", "bateria fraca", "farol queimado"),
        "g=o; row=serviço; rows=serviços; name=cliente; names=clientes; staff=mecânico;"
        "g_amount=a; amount=distância; unit=km; g_level=a; level=pressão; first=aprovados;"
        "second=urgentes; open=abertos; closed=fechados; day=abertura; due=vencimento;"
        "done=entrega; word=freio",
        "row=service; rows=services; name=customer; names=customers; staff=mechanic;"
        "amount=distance; level=pressure; first=approved; second=urgent; open=open; closed=closed;"
        "unit=km; day=opening date; due=due date; done=delivery date; word=freio",
    ),
)

OVER_ALL = pytest.mark.parametrize("trade", TRADES, ids=lambda each: each.data.profile.dataset)


def table(dataset: str, columns: Mapping[str, str]) -> Data:
    """Make a small table.

    A column holds keys (`key`), numbers of rows (`number`), numbers that three rows share
    (`number/3`), days (`day`, `day/3` for three rows a
    day, or `day+9` for days after), amounts (`#`, or `#400` with a maximum),
    amounts with some zeros (`0#`), hours of a day (`hour`), texts (`~torn cover,lost key`), or the
    names that are given. With `?` at the end every fourth cell is empty.
    """
    return data(dataset, {name: _cells(name, said) for name, said in columns.items()})


def _cells(name: str, said: str) -> tuple[ColumnType, list[Cell]]:
    places = range(LINES)
    if said.endswith("?"):
        type_, cells = _cells(name, said.removesuffix("?"))
        return type_, [None if place % 4 == 1 else cells[place] for place in places]
    if said == "key":
        return "text", [f"{name[:1].upper()}-{1000 + place}" for place in places]
    if said.startswith("number"):
        shared = int(said[7:] or 1)
        return "integer", [400_018_204 + 7 * (place // shared) for place in places]
    if said == "hour":
        return "time", [time(place % 24) for place in places]
    if said.startswith("~"):
        texts = said[1:].split(",")
        return "text", [f"{texts[place % len(texts)]} {place}" for place in places]
    if said.startswith("day/"):
        step = int(said.removeprefix("day/"))
        return "date", [FIRST_DAY + timedelta(days=place // step) for place in places]
    if said.startswith("day"):
        after = timedelta(days=int(said[4:] or 0))
        return "date", [FIRST_DAY + timedelta(days=place) + after for place in places]
    if said.startswith(("#", "0#")):
        most = int(said.partition("#")[2] or 101)
        zeros = said.startswith("0")
        return "integer", [
            0 if zeros and place % 6 == 2 else 1 + place * 37 % most for place in places
        ]
    names = said.split(",")
    return "category", [names[place * 7 % 11 % len(names)] for place in places]


def plan_over(dataset: Data, *questions: str) -> Plan | None:
    """Return the plan of the last of some questions over one table."""
    return understood(*questions, schema_index_of(dataset.profile))


def plan_at_once(dataset: Data, *questions: str) -> Plan | None:
    """Return what the last of some questions over one table is answered with at once."""
    return at_once(*questions, schema_index_of(dataset.profile))


def read_as(dataset: Data, *questions: str) -> list[Plan | None]:
    """Return what the last of some questions is read as: its plan, or those that are offered."""
    plan = plan_at_once(dataset, *questions)
    return [each for _, each in plan.readings] if isinstance(plan, Ask) else [plan]


def all_mean(dataset: Data, wanted: Plan, *questions: str) -> None:
    """Every question has the same plan."""
    for question in questions:
        assert plan_over(dataset, question) == wanted, question


def by(dataset: Data, column: str, measure: Measure | None = None) -> GroupBy:
    """A number for every value of a column: rows, or a measure."""
    return GroupBy(rows_of(dataset), Dimension(column), measure or Measure())


def rows_of(dataset: Data, *filters: Filter) -> RowSelection:
    """The rows that meet conditions."""
    return RowSelection(dataset.profile.dataset, filters)
