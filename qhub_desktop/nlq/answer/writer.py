"""Writing of answers: a plan and its results to Markdown."""

from __future__ import annotations  # the dialogue is above its answers: only its type is named

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qhub_desktop.core.dataset import TYPE_NAMES, ColumnProfile
from qhub_desktop.core.message import ToolResult
from qhub_desktop.core.result_widgets import undefined_warnings
from qhub_desktop.core.table import is_numeric
from qhub_desktop.nlq.answer.scalars import ScalarWriter
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.contribution_analysis import ContributionAnalysis, analysis_target
from qhub_desktop.nlq.executor import MOST_SLICES, is_too_many_slices
from qhub_desktop.nlq.phrases import (
    Phrases,
    rounded_text,
    title,
)
from qhub_desktop.nlq.query_ast import (
    Abilities,
    AsChart,
    AsDashboard,
    Ask,
    AsKpi,
    AsStudy,
    AsTable,
    AsWorkbook,
    Columns,
    DataPlan,
    Describe,
    Goodbye,
    Greeting,
    Help,
    Identity,
    Number,
    Plan,
    Register,
    Rows,
    Several,
    Spread,
    Thanks,
    Unknown,
    Why,
    parts_of,
    ways_of_writing,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import MOST_WORDS
from qhub_desktop.nlq.tool_results import error_text, undefined_count

if TYPE_CHECKING:
    from qhub_desktop.nlq.dialogue.state import DialogueState

_COLUMNS = 12
_LISTED = 40
_VALUES = 3


def description(index: SchemaIndex, locale: AnswerLocale, *, days: str) -> str:
    """Describe a data set: size, period, dimensions, measures, and gaps."""
    _, profile = locale.gettext, index.profile
    width = len(profile.columns)
    sentence = _("{rows} and {columns} in {file}.").format(
        file=locale.literal(profile.file),
        rows=locale.ngettext("{count} row", "{count} rows", profile.rows).format(
            count=f"**{locale.number(profile.rows)}**"
        ),
        columns=locale.ngettext("{count} column", "{count} columns", width).format(count=width),
    )
    if days:
        sentence += " " + days
    worth_telling = [
        column
        for column in profile.columns
        if column.type not in ("date", "datetime") and not index.is_row_number(column.name)
    ]
    shown = worth_telling[:_COLUMNS]
    numbers = [column for column in shown if is_numeric(column.type)]
    groups = [column for column in shown if not is_numeric(column.type)]
    parts = [sentence]
    for head, columns in ((_("To group by:"), groups), (_("To measure:"), numbers)):
        if columns:
            lines = "\n".join(f"- {_line(column, index, locale)}" for column in columns)
            parts.append(f"{head}\n\n{lines}")
    if rest := len(worth_telling) - len(shown):
        more = locale.ngettext("and {count} more column", "and {count} more columns", rest)
        parts.append("… " + more.format(count=rest))
    warned = [locale.literal(each) for each in profile.warnings]
    if warnings := [*_missing_values(index, locale), *warned]:
        lines = "\n".join(f"- {warning}" for warning in warnings)
        parts.append(_("Worth knowing:") + "\n\n" + lines)
    return "\n\n".join(parts)


def columns_text(index: SchemaIndex, locale: AnswerLocale) -> str:
    """List every column with its type."""
    profile = index.profile
    sentence = locale.ngettext(
        "**{file}** has **{count}** column:",
        "**{file}** has **{count}** columns:",
        len(profile.columns),
    ).format(file=locale.literal(profile.file), count=len(profile.columns))
    lines = [
        f"- **{locale.literal(column.name)}** ({locale.gettext(TYPE_NAMES[column.type])})"
        for column in profile.columns[:_LISTED]
    ]
    if len(profile.columns) > _LISTED:
        rest = len(profile.columns) - _LISTED
        more = locale.ngettext("and {count} more column", "and {count} more columns", rest)
        lines.append("- " + more.format(count=rest))
    return sentence + "\n\n" + "\n".join(lines)


def _line(column: ColumnProfile, index: SchemaIndex, locale: AnswerLocale) -> str:
    _, name = locale.gettext, locale.literal(column.name)
    if is_numeric(column.type) and isinstance(column.min, (int, float)):
        assert isinstance(column.max, (int, float))
        return _("**{column}**: from {min} to {max}, mean {mean}").format(
            column=name,
            min=locale.number(column.min),
            max=locale.number(column.max),
            mean=rounded_text(column.mean or 0, locale),
        )
    if column.distinct == index.profile.rows - column.missing and column.distinct > 1:
        return _("**{column}**: different in every row").format(column=name)
    is_shift = column.name == index.shift_column
    frequent = [(value if isinstance(value, bool) else str(value), n) for value, n in column.top]
    values = [
        f"{locale.value(value, is_shift=is_shift)} {locale.number(count)} "
        f"({locale.percent(count, index.profile.rows)})"
        for value, count in frequent[:_VALUES]
    ]
    if column.distinct <= len(values):
        return f"**{name}**: {locale.listed(values)}"
    text = _("**{column}**: {distinct} values, most often {values}")
    return text.format(
        column=name, distinct=locale.number(column.distinct), values=", ".join(values)
    )


def _missing_values(index: SchemaIndex, locale: AnswerLocale) -> list[str]:
    """List the columns with the most missing values."""
    lacking = sorted(
        (column for column in index.profile.columns if column.missing),
        key=lambda column: -column.missing,
    )
    text = locale.gettext("{column} is empty in {share}")
    return [
        text.format(
            column=locale.literal(column.name),
            share=locale.share(column.missing, index.profile.rows),
        )
        for column in lacking[:_VALUES]
    ]


_NAMES = 12


class AnswerWriter:
    """Writer of whole answers about one data set, in one language."""

    def __init__(self, index: SchemaIndex | None, locale: AnswerLocale) -> None:
        self._index = index
        self._plain = locale
        self._locale = locale.markdown

    def write(
        self,
        state: DialogueState,
        results: Sequence[ToolResult],
        drawn: ToolResult | None = None,
    ) -> str:
        """Write the whole answer in Markdown; what `drawn` already shows is not listed."""
        _ = self._locale.gettext
        if reason := error_text(results):
            return _("That could not be worked out: {reason}").format(
                reason=self._locale.literal(reason)
            )
        is_drawn = drawn is not None and not drawn.is_error
        paragraphs = self._paragraphs(state, results, is_drawn=is_drawn)
        shown = results if drawn is None else [*results, drawn]
        if not any(
            each.widget is not None and each.source and each.source.undefined for each in shown
        ):
            count = undefined_count(state.plan, results)
            paragraphs += undefined_warnings(count, language=self._locale.language)
        paragraphs.append(self._ways_of_writing(state.plan))
        if source := self._source(shown):
            paragraphs.append(source)
        return "\n\n".join(filter(None, paragraphs))

    def _ways_of_writing(self, plan: Plan) -> str:
        """Write which ways of writing a name count as one; "" where each has only one."""
        if self._index is None or isinstance(plan, AsStudy):
            return ""
        merged = ways_of_writing(plan, self._index.meanings)
        if not merged:
            return ""
        usual, *ways = merged[0]
        told = self._locale.gettext("Written in several ways, counted as one: {names}.")
        if len(merged) > 1:
            told = self._locale.gettext(
                "Names written in several ways count as one each, for example {names}."
            )
        return told.format(names=self._locale.listed([*map(self._locale.literal, (usual, *ways))]))

    def missing_tools(self, tools: Sequence[str]) -> str:
        """Write that the agent may not use tools which the answer needs."""
        text = self._locale.gettext(
            "This agent may not use {tools}, which that needs. Ask the agent Análise, or an "
            "administrator."
        )
        return text.format(tools=self._locale.listed([f"`{tool}`" for tool in tools]))

    def repeated(self, error: str | None) -> str:
        """Write how a tool call went that was made once more."""
        if error is not None:
            return self._locale.gettext("It did not work this time: {reason}").format(
                reason=self._locale.literal(error)
            )
        return self._locale.gettext("Run again, on the data of now.")

    def _paragraphs(
        self, state: DialogueState, results: Sequence[ToolResult], *, is_drawn: bool
    ) -> list[str]:
        plan = state.plan
        match plan:
            case Greeting() | Thanks() | Goodbye() | Identity() | Help() | Abilities():
                return self._small_talk(plan)
            case Unknown():
                return self._not_understood(plan)
            case Ask():  # that has no reading to list
                return self._not_understood(Unknown())
            case Why():
                return self._contributions(plan, state.topic, results)
            case Register():
                return [self._report(plan, results)]
            case _ if self._index is None:
                return self._not_understood(Unknown())
        index, locale = self._index, self._locale
        scalars = ScalarWriter(index, locale)
        match plan:
            case Describe():
                return [description(index, locale, days=Phrases(index, locale).date_range())]
            case Columns():
                return [columns_text(index, locale)]
            case AsChart(of=of, kind=kind):
                brief = [] if isinstance(of, (Spread, Rows)) else results[:-1]
                if (parts := parts_of(of)) is not None:  # which may be several charts
                    brief = results[: len(parts)] if plan.is_new else []
                paragraphs = scalars.write(of, brief, is_brief=True) if brief else []
                if not paragraphs:
                    text = locale.gettext("Here is the chart: {title}.")
                    paragraphs = [text.format(title=title(of, index, locale))]
                if kind == "pie" and is_too_many_slices(of, index):
                    text = locale.gettext(
                        "As bars: a pie of more than {count} parts is hard to read."
                    )
                    paragraphs.append(text.format(count=MOST_SLICES))
                return paragraphs
            case AsTable(of=Several() as of):
                text = locale.gettext("Here is the table: {title}.")
                return [text.format(title=title(of, index, locale))]
            case AsTable(of=of):
                called = title(of, index, locale)
                match results[0].content if results else None:
                    case {"linhas": int() as count}:
                        text = locale.ngettext(
                            "**{count}** line in the table: {title}.",
                            "**{count}** lines in the table: {title}.",
                            count,
                        )
                        return [text.format(count=locale.number(count), title=called)]
                    case _:
                        return [locale.gettext("Here is the table: {title}.").format(title=called)]
            case AsStudy():
                return self._study(plan, results)
            case AsDashboard(of=plans):
                text = locale.gettext(
                    "The dashboard is ready: {titles}. It opens with a click above."
                )
                titles = locale.listed([title(each, index, locale) for each in plans])
                return [text.format(titles=titles)]
            case AsKpi(of=of):
                return [self._kpi(of, index, results)]
            case AsWorkbook(of=of):
                text = locale.gettext(
                    "The Excel file is ready: {title}. It opens with a click above."
                )
                return [text.format(title=title(of, index, locale))]
            case Spread(shows="values"):
                text = locale.gettext("Here is the chart: {title}.")
                return [text.format(title=title(plan, index, locale))]
            case _:
                return scalars.write(plan, results, is_brief=is_drawn)

    def _study(self, plan: AsStudy, results: Sequence[ToolResult]) -> list[str]:
        """Write what a statistical method found: what to doubt first, then the verdict.

        The card of a study begins with its doubts: they are told there alone.
        """
        match results[0].content if results else None:
            case {"avisos": [*doubts], "conclusao": str() as verdict}:
                if results[0].widget is not None:
                    doubts = []
                listed = [f"- {self._locale.literal(str(each))}" for each in doubts]
                before = self._locale.gettext("Before relying on it:") if listed else ""
                said = "\n".join([before, "", *listed]) if listed else ""
                quoted = [f"“{self._locale.literal(each)}”" for each in plan.unused]
                unused = self._locale.gettext("Not used: {words}") if quoted else ""
                told = unused.format(words=self._locale.listed(quoted))
                return [told, said, f"**{self._locale.literal(verdict)}**"]
            case _:
                return []

    def _kpi(self, plan: Number, index: SchemaIndex, results: Sequence[ToolResult]) -> str:
        """Write the number that is shown large."""
        called = title(plan, index, self._locale)
        match results[0].content if results else None:
            case {"valor": int() | float() as value}:
                text = self._locale.gettext("{value}, large above: {title}.")
                shown = Phrases(index, self._locale).bold(value, plan.measure)
                return text.format(value=shown, title=called)
            case _:
                text = self._locale.gettext("Here it is, large: {title}.")
                return text.format(title=called)

    def _small_talk(
        self, plan: Greeting | Thanks | Goodbye | Identity | Help | Abilities
    ) -> list[str]:
        _ = self._locale.gettext
        match plan:
            case Greeting(part="morning"):
                return [_("Good morning! Ask about the data, for example:"), *self._examples()]
            case Greeting(part="afternoon"):
                return [_("Good afternoon! Ask about the data, for example:"), *self._examples()]
            case Greeting(part="night"):
                return [_("Good evening! Ask about the data, for example:"), *self._examples()]
            case Greeting():
                return [_("Hello! Ask about the data, for example:"), *self._examples()]
            case Thanks():
                return [_("You are welcome.")]
            case Goodbye():
                return [_("Goodbye. Everything is kept in this conversation.")]
            case Identity():
                return [
                    _(
                        "I am the offline engine of QHub: I compute answers from the data on this "
                        "computer, without a network and without a language model."
                    )
                ]
            case Help() | Abilities():
                return [
                    _(
                        "I count, rank and compare over the loaded data: by any column, with "
                        "filters by value and by day, as numbers, a chart or a table. A .csv or "
                        ".xlsx file dropped on the window can be asked about at once. "
                        "For example:"
                    ),
                    *self._examples(),
                ]

    def question(self, asked: Ask) -> str:
        """Return what stands above the readings that a question may have."""
        _ = self._locale.gettext
        if asked.word:
            return _("What is meant by “{word}”?").format(word=asked.word)
        if len(asked.readings) == 1:
            return _("It may mean this:")
        return _("It may mean one of these:")

    def rather(self, asked: Ask) -> str:
        """Return what stands above other readings, where the one that was taken finds nothing."""
        _ = self._locale.gettext
        return (
            _("Perhaps it means this:") if len(asked.readings) == 1 else _("Perhaps one of these:")
        )

    def listed(self, asked: Ask) -> str:
        """Write why a question is answered by its readings, and what nothing was made of in it."""
        _, literal = self._locale.gettext, self._locale.literal
        if asked.word:
            text = _("“{word}” can be read in several ways.")
            return text.format(word=literal(asked.word))
        text = _("That can be read in several ways; the likeliest comes first.")
        if len(asked.readings) == 1:
            text = _("I am not sure what is asked; what follows is a reading, not an answer.")
        if not asked.unclear:
            return text
        words = self._locale.listed([f"“{literal(each)}”" for each in asked.unclear])
        unclear = _("I could not place {words} in this question.").format(words=words)
        return f"{unclear} {text}"

    def _contributions(
        self, plan: Why, topic: DataPlan | None, results: Sequence[ToolResult]
    ) -> list[str]:
        """Write that data cannot tell a cause, and what it shows: changes, concentrations."""
        _ = self._locale.gettext
        if self._index is None:
            return self._not_understood(Unknown())
        index = self._index
        target = analysis_target(plan, topic, index)
        known = ContributionAnalysis(index, self._locale, *target).write(results)
        claude = _(
            "Claude can look for an explanation: the question can wait until there is a network."
        )
        if known:
            text = _("The data does not tell causes, so I cannot explain why. What it can say:")
            listed = "\n".join(f"- {each}" for each in known)
            return [text, listed, claude]
        return [_("The data does not tell causes, so I cannot explain why."), claude]

    def _not_understood(self, plan: Unknown) -> list[str]:
        _ = self._locale.gettext
        words = self._locale.listed([f"“{self._locale.literal(word)}”" for word in plan.words])
        if self._index is not None and not self._index.profile.rows:
            text = _("There is no row in {file} yet, so nothing can be asked of it.")
            start = _("Drop a .csv or .xlsx file on the window to begin.")
            return [text.format(file=self._locale.literal(self._index.profile.file)), start]
        match plan:
            case Unknown(what="too long"):
                text = _(
                    "That is too long for me to read as a question; it is kept as you wrote it. Ask"
                    " in one or two sentences, of {words} words at most. Rows of a table are better"
                    " dropped on the window as a file. You can ask:"
                ).format(words=MOST_WORDS)
            case Unknown(what="nothing before"):
                text = _("There is no result yet to show like that. Ask for example:")
            case Unknown(what="column"):
                text = _("There is no column {words} in this data. It has: {columns}.").format(
                    words=words, columns=self._column_names()
                )
                text += " " + _("You can ask:")
            case Unknown(what="unheeded"):
                text = _(
                    "I could not tell what {words} means for the number, and so give none. Ask "
                    "it another way, or one thing at a time. For example:"
                ).format(words=words)
            case Unknown(what="factor", words=lacking):
                called = {
                    "availability": _("availability"),
                    "performance": _("performance"),
                    "quality": _("quality"),
                }
                text = _(
                    "OEE is availability times performance times quality. In this data there is"
                    " nothing to tell {factors} by. You can ask:"
                ).format(factors=self._locale.listed([called[each] for each in lacking]))
            case Unknown(what="future"):
                text = _("I compute from what is in the data, and cannot tell what will be.")
                text += " " + _("You can ask:")
            case Unknown(what="value", nearest=nearest) if nearest:
                text = _("I did not find {words} in this data. The nearest is {names}.").format(
                    words=words,
                    names=self._locale.listed(
                        [f"“{self._locale.literal(each)}”" for each in nearest]
                    ),
                )
                text += " " + _("You can ask:")
            case Unknown(what="value"):
                text = _("I did not find {words} in this data. You can ask:").format(words=words)
            case _:
                text = _("I did not understand that. With this data I can answer, for example:")
        return [text, *self._examples()]

    def _examples(self) -> list[str]:
        if self._index is None:
            text = self._locale.gettext("Drop a .csv or .xlsx file on the window to begin.")
            return [text]
        return []  # the questions stand below the answer

    def _column_names(self) -> str:
        if self._index is None:
            return ""
        names = [self._locale.literal(each.name) for each in self._index.profile.columns]
        more = " …" if len(names) > _NAMES else ""
        return ", ".join(names[:_NAMES]) + more

    def _report(self, plan: Register, results: Sequence[ToolResult]) -> str:
        _ = self._locale.gettext
        match results[0].content if results else None:
            case {"id": int() as number}:
                return _("The defect is recorded, with number **{number}**.").format(number=number)
            case {"estado": str()}:
                return _("Nothing was recorded: it was not confirmed.")
        lacking = plan.missing
        if not lacking:
            return _("Nothing was recorded.")
        text = _(
            "To report the defect I still need: {fields}. For example: “report a defect: "
            "lixo, rack R12, position 3, PP_Negro, night, operator Julia”."
        )
        names = [f"**{self._locale.column(name)}**" for name in lacking]
        return text.format(fields=self._locale.listed(names))

    def _source(self, results: Sequence[ToolResult]) -> str:
        """Return the source of the numbers, empty if a widget already shows it."""
        _, locale = self._locale.gettext, self._locale
        if any(result.widget is not None for result in results):
            return ""
        sources = [each.source for each in results if each.source is not None]
        if not sources:
            return ""
        source = sources[0]
        used = [each.rows_used for each in sources if each.file == source.file]
        if all(each is not None and each < source.rows_total for each in used):
            # Of periods that are compared, each has its own.
            counts = dict.fromkeys(each for each in used if each is not None)
            return _("Source: {file}, {used} of {total} rows.").format(
                file=locale.literal(source.file),
                used=locale.listed([locale.number(each) for each in counts]),
                total=locale.number(source.rows_total),
            )
        return _("Source: {file}, {total} rows.").format(
            file=locale.literal(source.file), total=locale.number(source.rows_total)
        )
