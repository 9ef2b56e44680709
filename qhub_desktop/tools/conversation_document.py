"""Conversations as documents to be read: Markdown, and a page for paper.

A widget is shown as what it is: tables as tables, numbers as numbers, charts drawn on paper and as
their numbers in Markdown; under each, where it came from.
"""

from __future__ import annotations  # tools are imported when they are first needed

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, cast

from qhub_desktop.charts import html_document
from qhub_desktop.core.artifact import closes_fence, opened_fence
from qhub_desktop.core.citations import literal_citations
from qhub_desktop.core.codec import Json
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.figure import Panels
from qhub_desktop.core.formulas import plain_formulas
from qhub_desktop.core.guard import Guarded
from qhub_desktop.core.message import (
    Choice,
    ChosenPlan,
    Clarification,
    Interpretation,
    Message,
    Notice,
    NumberCheck,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    number_line,
)
from qhub_desktop.core.result_widgets import (
    Chart,
    DashboardLink,
    Kpi,
    Provenance,
    Shown,
    Study,
    TableView,
    title_of,
)
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import (
    cell,
    field_words,
    moment,
    ngettext,
    number,
    percent,
    value_words,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import literal_markdown, one_line, visible
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.tools.widget_pages import (
    PageDocument,
    drawings_of,
    html_text,
    widget_html,
)

if TYPE_CHECKING:
    from qhub_desktop.core.tool import Tool

LONGEST_TITLE = 300  # of a page or a card, in characters
MARKDOWN_ROWS = 1_000  # of one table; all are in the JSON
RESULT_CHARACTERS = 4_000  # of one value that a tool took or gave; all are in the JSON
RESULT_ROWS = 50  # of a table that a tool gave

_STYLE = """
.qhub-said { margin: 0 0 20px; padding-top: 10px; border-top: 1px solid var(--line, #E2E5EA); }
.qhub-said > h2 { margin: 0 0 6px; font-size: 14px; color: var(--quiet, #5B6470); }
.qhub-said.is-question { font-weight: 600; }
.qhub-said pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 11px; }
.qhub-said .qhub-card { margin: 12px 0; }
.qhub-call { margin: 6px 0; font-size: 12px; color: var(--quiet, #5B6470); }
.qhub-call ul { margin: 2px 0 6px; padding-left: 18px; }
"""


def markdown_of(
    conversation: Conversation,
    messages: Sequence[Message],
    *,
    agent: str,
    tools: Mapping[str, Tool],
) -> Iterator[str]:
    """Yield a conversation as lines of Markdown; `tools` have the words for calls of them."""
    yield f"# {literal_markdown(one_line(conversation.title, most=LONGEST_TITLE)) or '…'}"
    yield ""
    yield literal_markdown(f"{agent} · {moment(conversation.created.astimezone())}")
    for message in messages:
        yield ""
        yield f"## {literal_markdown(_heading(message, agent))}"
        names = {block.id: block for block in message.blocks if isinstance(block, ToolCall)}
        for block in message.blocks:
            yield ""
            match block:
                case Text(text):
                    # A question is quoted, an answer is Markdown itself.
                    quote = "> " if message.role == "user" else ""
                    yield from (
                        f"{quote}{line}" for line in inert_markdown(literal_citations(text))
                    )
                case ToolResult():
                    yield from _markdown_result(_Told.of(block, names.get(block.call_id), tools))
                case Notice(text=text):
                    yield f"*{literal_markdown(text)}*"
                case Clarification(text, choices):
                    yield literal_markdown(text)
                    yield from (f"- {literal_markdown(_choice(each))}" for each in choices)
                case Interpretation(chips=chips):
                    yield literal_markdown(" · ".join(chip.label for chip in chips))
                case Citation():
                    yield f"- {literal_markdown(visible(_source_of(block)))}"
                case NumberCheck():
                    yield literal_markdown(number_line(block))
                case Guarded():
                    yield from (f"> {literal_markdown(line)}" for line in block.words.splitlines())
                case ToolCall() | ChosenPlan() | Reasoning():
                    pass  # a call stands above its result


def _choice(choice: Choice) -> str:
    return f"{choice.label}: {choice.value}" if choice.value else choice.label


def page_of(
    conversation: Conversation,
    messages: Sequence[Message],
    *,
    agent: str,
    tools: Mapping[str, Tool],
) -> PageDocument:
    """Make the page of a conversation, from which paper is printed; see `markdown_of`."""
    title = visible(one_line(conversation.title, most=LONGEST_TITLE)) or "…"
    drawings: dict[str, Panels] = {}
    ids = (f"w{number_}" for number_ in count())
    when = moment(conversation.created.astimezone())
    parts = [
        f"<h1>{html_text(title)}</h1>",
        f'<p class="qhub-when">{html_text(f"{agent} · {when}")}</p>',
        f"<style>{html_document.shipped('figures.css')}{_STYLE}</style>",
    ]
    for message in messages:
        kind = "is-question" if message.role == "user" else "is-answer"
        parts.append(
            f'<section class="qhub-said {kind}"><h2>{html_text(_heading(message, agent))}</h2>'
        )
        names = {block.id: block for block in message.blocks if isinstance(block, ToolCall)}
        for block in message.blocks:
            match block:
                case Text(text) if message.role == "user":
                    parts.append(f"<p>{_lines(text)}</p>")
                case Text(text):
                    parts.append(html_of_markdown(literal_citations(plain_formulas(text))))
                case ToolResult():
                    parts.append(_html_call(_Told.of(block, names.get(block.call_id), tools)))
                    for widget, id_ in zip(block.widgets, ids, strict=False):
                        parts.append(_html_widget(id_, widget))
                        if not isinstance(widget, DashboardLink):
                            drawings |= drawings_of(id_, widget)
                    if not block.widgets and block.source is not None:
                        parts.append(_html_source(block.source))
                case Notice(text=text):
                    parts.append(f"<p><em>{_lines(text)}</em></p>")
                case Clarification(text, choices):
                    items = "".join(f"<li>{html_text(_choice(each))}</li>" for each in choices)
                    parts.append(f"<p>{_lines(text)}</p><ul>{items}</ul>")
                case Interpretation(chips=chips):
                    said = " · ".join(chip.label for chip in chips)
                    parts.append(f'<p class="qhub-when">{html_text(said)}</p>')
                case Citation():
                    said = html_text(visible(_source_of(block)))
                    parts.append(f'<p class="qhub-when">{said}</p>')
                case NumberCheck():
                    said = html_text(number_line(block))
                    parts.append(f'<p class="qhub-when">{said}</p>')
                case Guarded():
                    if block.words:
                        parts.append(f"<p>{_lines(block.words)}</p>")
                case ToolCall() | ChosenPlan() | Reasoning():
                    pass
        parts.append("</section>")
    document = html_document.build("\n".join(parts), title=title)
    return PageDocument(title, document, {}, "portrait", drawings)


def _heading(message: Message, agent: str) -> str:
    who = _("You") if message.role == "user" else agent
    engine = f" · {message.engine}" if message.engine else ""
    return one_line(f"{who} · {moment(message.created.astimezone())}{engine}")


def _source_of(citation: Citation) -> str:
    """Return a citation as it stands below the words: the file too, where its code names it."""
    file = f", {citation.file}" if citation.code else ""
    return f"[{citation.label}]{file}: «{' '.join(citation.quote.split())}»"


def _source_lines(source: Provenance) -> Iterator[str]:
    rows = ngettext("{count} row", "{count} rows", source.rows_total)
    used = number(source.rows_used, digits=0) if source.rows_used is not None else ""
    told = rows.format(count=number(source.rows_total, digits=0))
    facts = [source.file, source.sheet or "", f"{used} / {told}" if used else told]
    yield one_line(_("Source: {facts}").format(facts=" · ".join(filter(None, facts))))
    yield from source.warnings


@dataclass(frozen=True, slots=True)
class _Told:
    """A call and its result in words: what the tool does, what it was given, what came of it."""

    title: str
    given: list[_Fact]
    result: ToolResult
    answer: list[_Fact]

    @classmethod
    def of(cls, result: ToolResult, call: ToolCall | None, tools: Mapping[str, Tool]) -> _Told:
        name = call.name if call is not None else "?"
        given = call.input if call is not None else {}
        tool = tools.get(name)
        title = name if tool is None else _(tool.declared.label).rstrip("…")
        labels = {} if tool is None else tool.parameter_labels
        # A query stands with the source, where there is one.
        widgets = [each for each in result.widgets if not isinstance(each, DashboardLink)]
        sources = [each.source for each in widgets] if result.widgets else [result.source]
        shown = {each.sql.strip() for each in sources if each is not None}
        facts = [
            _Fact(_(labels[field]) if field in labels else field_words(field), value)
            for field, value in given.items()
            if not (isinstance(value, str) and value.strip() in shown)
        ]
        content = result.content
        if not isinstance(content, dict):
            return cls(title, facts, result, [_Fact("", content)])
        answer = [
            _Fact(field_words(field), value)
            for field, value in content.items()
            if field not in _OF_TABLES or _table_in(content) is None
        ]
        return cls(title, facts, result, answer)

    @property
    def table(self) -> Table | None:
        """The rows that the model was given."""
        return _table_in(self.result.content)


@dataclass(frozen=True, slots=True)
class _Fact:
    """A value under its name; `is_text` where it has lines of its own, such as code."""

    name: str
    value: Json

    @property
    def is_text(self) -> bool:
        return isinstance(self.value, str) and len(self.value.splitlines()) > 1

    @property
    def words(self) -> str:
        text = value_words(self.value)
        return text if len(text) <= RESULT_CHARACTERS else f"{text[:RESULT_CHARACTERS]}…"


_OF_TABLES = ("colunas", "tipos", "linhas")


def _table_in(content: Json) -> Table | None:
    """Return the first rows of a tool's result that is a table."""
    match content:
        case {"colunas": list(names), "linhas": list(rows)} if all(
            isinstance(row, list) and len(row) == len(names) for row in rows
        ):
            cells = [
                tuple(value_words(value) if value is not None else "" for value in row)
                for row in cast("list[list[Json]]", rows[:RESULT_ROWS])
            ]
            return Table(tuple(Column(str(name), "text") for name in names), tuple(cells))
        case _:
            return None


# -- Markdown --------------------------------------------------------------------------------------


def _markdown_result(told: _Told) -> Iterator[str]:
    result = told.result
    yield f"**{literal_markdown(told.title)}** ({result.ms} ms)"
    yield ""
    for fact in told.given:
        yield from _markdown_fact(fact)
    if told.given:
        yield ""
        result_word = literal_markdown(_("Result"))
        yield f"*{result_word}*"
        yield ""
    for fact in told.answer:
        yield from _markdown_fact(fact)
    if (table := told.table) is not None and not result.widgets:
        yield ""
        yield from _markdown_table(table, row_count=_row_count(result.content, table))
    for widget in result.widgets:
        yield ""
        yield from _markdown_widget(widget)
    if not result.widgets and result.source is not None:
        yield ""
        yield from _markdown_source(result.source)


def _markdown_fact(fact: _Fact) -> Iterator[str]:
    name = f"**{literal_markdown(fact.name)}:** " if fact.name else ""
    if not fact.is_text:
        yield f"- {name}{literal_markdown(visible(fact.words))}"
        return
    if name:
        yield f"- {name.rstrip()}"
    yield ""
    yield from _fenced(fact.words, "")
    yield ""


def _row_count(content: Json, table: Table) -> int:
    told = content.get("total_linhas") if isinstance(content, dict) else None
    return told if isinstance(told, int) else len(table.rows)


def _markdown_widget(widget: Shown) -> Iterator[str]:
    if isinstance(widget, DashboardLink):
        yield f"**{literal_markdown(widget.title)}** ({literal_markdown(widget.url)})"
        return
    yield f"### {literal_markdown(one_line(title_of(widget), most=LONGEST_TITLE))}"
    yield ""
    match widget:
        case Chart():
            yield from _markdown_table(widget.data, row_count=len(widget.data.rows))
        case TableView():
            yield from _markdown_table(widget.table, row_count=widget.row_count)
        case Kpi():
            value = widget.value if isinstance(widget.value, str) else cell(widget.value)
            notes = []
            if widget.change is not None:
                notes.append(f"{'+' if widget.change > 0 else ''}{percent(widget.change)}")
            if widget.target is not None:
                notes.append(_("target {value}").format(value=number(widget.target)))
            shown = f"**{literal_markdown(f'{value} {widget.unit}'.strip())}**"
            yield " · ".join([shown, *map(literal_markdown, notes)])
        case Study():
            yield from _markdown_study(widget)
    if widget.source is not None:
        yield ""
        yield from _markdown_source(widget.source)


def _markdown_study(study: Study) -> Iterator[str]:
    for doubt in study.doubts:
        yield f"> {literal_markdown(visible(doubt))}"
        yield ""
    yield f"**{literal_markdown(visible(study.verdict))}**"
    yield ""
    for each in study.overrides:
        yield f"*{literal_markdown(visible(each.sentence))}*"
        yield ""
    for name, value in study.facts:
        yield f"- **{literal_markdown(visible(name))}:** {literal_markdown(visible(value))}"
    for view in study.tables:
        yield ""
        yield f"**{literal_markdown(visible(view.title))}**"
        yield ""
        yield from _markdown_table(view.table, row_count=view.row_count)
    if study.points is not None:
        yield ""
        yield from _markdown_table(study.points, row_count=len(study.points.rows))


def _markdown_table(table: Table, *, row_count: int) -> Iterator[str]:
    yield _row(table.names)
    yield _row("---" for _each in table.names)
    shown = table.rows[:MARKDOWN_ROWS]
    for row in shown:
        yield _row(cell(value) for value in row)
    if row_count > len(shown):
        yield ""
        yield _first_of(len(shown), row_count)


def _first_of(shown: int, count: int) -> str:
    return _("first {shown} of {count} rows").format(
        shown=number(shown, digits=0), count=number(count, digits=0)
    )


def _row(cells: Iterable[str]) -> str:
    written = [
        each if each == "---" else literal_markdown(visible(each)).replace("|", "\\|")
        for each in cells
    ]
    return f"| {' | '.join(written)} |"


def _markdown_source(source: Provenance) -> Iterator[str]:
    for line in _source_lines(source):
        yield f"*{literal_markdown(line)}*"
        yield ""
    if source.sql:
        yield from _fenced(source.sql, "sql")


# What loads or runs something where Markdown is shown: pictures, and HTML, which the window shows
# as text. An address in angle brackets is only a link; a sign behind a backslash is text already.
_LIVELY = re.compile(
    r"\\[!-/:-@\[-`{-~] | !(?=\[) | <(?!https?://[^\s<>]*>)(?=[^\W\d]|[/!?])", re.VERBOSE
)
_TICKS = re.compile(r"\\.|`+")


def inert_markdown(text: str) -> Iterator[str]:
    """Yield the lines of a Markdown text that loads and runs nothing, and ends within itself."""
    lines = text.splitlines()
    place = 0
    while place < len(lines):
        line = lines[place]
        if (fence := opened_fence(line)) is not None:
            inside = range(place + 1, len(lines))
            end = next((at for at in inside if closes_fence(lines[at], line)), len(lines))
            language = re.match(r"[\w+#.-]*", fence)
            # Blank lines around it: some take what follows a table for one more row of it.
            if place and lines[place - 1].strip():
                yield ""
            body = "\n".join(lines[place + 1 : end])
            yield from _fenced(body, language[0] if language else "")
            place = end + 1
            if place < len(lines) and lines[place].strip():
                yield ""
            continue
        # What is code in a line depends on the other lines of its paragraph.
        end = next(
            (
                at
                for at in range(place + 1, len(lines))
                if not lines[at].strip() or opened_fence(lines[at]) is not None
            ),
            len(lines),
        )
        yield from _inert_lines(lines[place:end])
        place = end


def _inert_lines(lines: Sequence[str]) -> Iterator[str]:
    spans = [_code_spans(line) for line in lines]
    for line, codes in zip(lines, spans, strict=True):
        made, done = [], 0
        for start, end in codes if codes is not None and None not in spans else ():
            if "|" not in line[start:end]:  # which parts the cells of a table, in code too
                made += [_LIVELY.sub(_escaped, line[done:start]), line[start:end]]
                done = end
        yield "".join([*made, _LIVELY.sub(_escaped, line[done:])])


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("\\") else f"\\{found[0]}"


def _code_spans(line: str) -> list[tuple[int, int]] | None:
    """Return where code stands in a line; None where a backtick has no partner in it."""
    spans = []
    place = 0
    while (found := _TICKS.search(line, place)) is not None:
        place = found.end()
        if found[0].startswith("\\"):
            continue
        ends = (each for each in re.finditer("`+", line[place:]) if len(each[0]) == len(found[0]))
        closing = next(ends, None)
        if closing is None:
            return None
        spans.append((found.start(), place + closing.end()))
        place = spans[-1][1]
    return spans


def _fenced(text: str, language: str) -> Iterator[str]:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{language}"
    yield visible(text)
    yield fence


# -- HTML ------------------------------------------------------------------------------------------


def _html_call(told: _Told) -> str:
    result = told.result
    parts = [f"<b>{html_text(told.title)}</b> ({result.ms} ms){_html_facts(told.given)}"]
    if not result.widgets:  # what a widget shows is not said twice
        if told.given:
            result_word = html_text(_("Result"))
            parts.append(f"<i>{result_word}</i>")
        parts.append(_html_facts(told.answer))
        if (table := told.table) is not None:
            parts.append("".join(_html_rows(table)))
            if (rows := _row_count(result.content, table)) > len(table.rows):
                parts.append(f"<p>{html_text(_first_of(len(table.rows), rows))}</p>")
    return f'<div class="qhub-call">{"".join(parts)}</div>'


def _html_facts(facts: Sequence[_Fact]) -> str:
    items = []
    for fact in facts:
        name = f"{html_text(fact.name)}: " if fact.name else ""
        words = html_text(visible(fact.words))
        items.append(f"<li>{name}{f'<pre>{words}</pre>' if fact.is_text else words}</li>")
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _html_rows(table: Table) -> Iterator[str]:
    yield '<table class="data-table"><thead>'
    for tag, row in (("th", table.names), *(("td", row) for row in table.rows)):
        yield f"<tr>{''.join(f'<{tag}>{html_text(str(each))}</{tag}>' for each in row)}</tr>"
        if tag == "th":
            yield "</thead><tbody>"
    yield "</tbody></table>"


def _html_widget(id_: str, widget: Shown) -> str:
    if isinstance(widget, DashboardLink):
        return f"<p><b>{html_text(widget.title)}</b> ({html_text(widget.url)})</p>"
    kind = "kpi-card" if isinstance(widget, Kpi) else "chart-container"
    title = html_text(one_line(title_of(widget), most=LONGEST_TITLE))
    source = _html_source(widget.source) if widget.source is not None else ""
    shown = widget_html(id_, widget, is_on_paper=True)
    return f'<article class="{kind} qhub-card"><h3>{title}</h3>{shown}{source}</article>'


def _html_source(source: Provenance) -> str:
    lines = "".join(f'<p class="qhub-when">{html_text(line)}</p>' for line in _source_lines(source))
    return f"{lines}<pre>{html_text(source.sql.strip())}</pre>" if source.sql else lines


def _lines(text: str) -> str:
    return "<br>".join(html_text(line) for line in text.splitlines())


_FENCE = re.compile(r"^(`{3,}|~{3,})")
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.*)$")
_RULED = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")
_SPAN = re.compile(r"`([^`]+)`|\*\*(.+?)\*\*|(?<!\w)[*_](\S(?:.*?\S)?)[*_](?!\w)")


def html_of_markdown(text: str) -> str:
    """Return the Markdown of an answer as HTML; markup in it is shown, never followed.

    What answers use: paragraphs, headings, lists, tables, code, bold and italics.
    """
    made: list[str] = []
    lines = text.splitlines()
    place = 0
    while place < len(lines):
        line = lines[place]
        if fence := _FENCE.match(line):
            end = next(
                (at for at in range(place + 1, len(lines)) if lines[at].startswith(fence[1])),
                len(lines),
            )
            made.append(f"<pre>{html_text(chr(10).join(lines[place + 1 : end]))}</pre>")
            place = end + 1
            continue
        if "|" in line and place + 1 < len(lines) and _RULED.match(lines[place + 1]):
            end = place + 2
            while end < len(lines) and "|" in lines[end]:
                end += 1
            made.append(_html_table([lines[place], *lines[place + 2 : end]]))
            place = end
            continue
        if heading := _HEADING.match(line):
            made.append(f"<h3>{_spans(heading[2])}</h3>")
        elif item := _ITEM.match(line):
            made.append(f"<ul><li>{_spans(item[1])}</li></ul>")
        elif line.strip():
            made.append(f"<p>{_spans(line)}</p>")
        place += 1
    return "\n".join(made).replace("</ul>\n<ul>", "")


def _html_table(lines: list[str]) -> str:
    rows = [
        [each.strip().replace("\\|", "|") for each in re.split(r"(?<!\\)\|", line.strip(" |"))]
        for line in lines
    ]
    head = "".join(f"<th>{_spans(each)}</th>" for each in rows[0])
    body = "".join(
        f"<tr>{''.join(f'<td>{_spans(each)}</td>' for each in row)}</tr>" for row in rows[1:]
    )
    return f'<table class="data-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _spans(text: str) -> str:
    made, done = [], 0
    for found in _SPAN.finditer(text):
        code, bold, italic = found.groups()
        made.append(_plain(text[done : found.start()]))
        if code is not None:
            made.append(f"<code>{html_text(code)}</code>")
        elif bold is not None:
            made.append(f"<b>{_plain(bold)}</b>")
        else:
            made.append(f"<i>{_plain(italic)}</i>")
        done = found.end()
    return "".join([*made, _plain(text[done:])])


def _plain(text: str) -> str:
    return html_text(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))
