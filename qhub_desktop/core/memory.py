"""Memory: notes about a person and their work, by path; what may stand in one, and the room."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Literal

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId, MessageId
from qhub_desktop.core.message import ToolCall, ToolResult
from qhub_desktop.core.text import fold, gettext_noop
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import redact, sanitize
from qhub_desktop.core.values import dataclass

ROOT = "/memories"
STATION = f"{ROOT}/estacao/"  # an administrator's, told to everybody
LEARNED = f"{ROOT}/aprendido/"  # what was counted of a person's questions
MOST_NOTES = 40
MEMORY_CHARACTERS = 8_000  # of all notes that are not in the archive
NOTE_CHARACTERS = 1_000
MOST_VERSIONS = 20  # kept of a note
_PATH = re.compile(r"/memories/(?:[a-z0-9_-]{1,60}/)?[a-z0-9_-]{1,60}")
_RESERVED = (STATION[:-1], LEARNED[:-1])

Origin = Literal["person", "model", "learned"]


@dataclass(frozen=True, slots=True)
class Memory:
    """One note. `conversation` and `message` are where it was written last, "" and None where that
    was outside of one, or is gone.
    """

    path: str
    text: str
    origin: Origin
    created: datetime
    updated: datetime
    used: datetime  # told to a model, or written
    is_pinned: bool = False
    is_archived: bool = False
    conversation: ConversationId = NO_CONVERSATION
    message: MessageId | None = None
    version_count: int = 1  # kept, with this one

    @property
    def name(self) -> str:
        """The path below the root."""
        return self.path.removeprefix(f"{ROOT}/")

    @property
    def line(self) -> str:
        """The note as a model is told of it, on one line."""
        return f"- {self.name}: {' '.join(self.text.split())}"

    @property
    def is_counted(self) -> bool:
        """Whether it takes room of the person's own."""
        return not self.is_archived and not self.path.startswith((STATION, LEARNED))


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """A note as it was from a moment on."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a note that was written; `archived` are paths that left to make room.

    `cut_from` is how long the text was, where it was too long.
    """

    note: Memory
    is_new: bool = False
    archived: tuple[str, ...] = ()
    cut_from: int | None = None


def is_path(written: str) -> bool:
    """Return whether this is the path of a note: a name of a-z, 0-9, - and _, one folder deep."""
    return _PATH.fullmatch(written) is not None and written not in _RESERVED


def path_of(name: str) -> str:
    """Return the path of a note by its path or its name."""
    return name if name.startswith("/") else f"{ROOT}/{name}"


def name_from(text: str) -> str:
    """Make a note's name of its text."""
    words = re.findall(r"[a-z0-9]+", fold(text))
    name = ""
    for word in words:
        if len(name) + len(word) > 50:
            break
        name = f"{name}-{word}" if name else word
    return name or "nota"


def fitted(text: str) -> tuple[str, int | None]:
    """Return a text as a note holds it, and how long it was if it had to be cut."""
    clean = sanitize(text).replace("\r\n", "\n").strip()
    if len(clean) <= NOTE_CHARACTERS:
        return clean, None
    return clean[: NOTE_CHARACTERS - 1].rstrip() + "…", len(clean)


def overflow(notes: Sequence[Memory], written: str) -> list[str]:
    """Return the paths that go to the archive so that the room holds after a note was written.

    `notes` are all there are then. Who was unused longest goes first, then the written one, and
    only then what is pinned: nothing is refused for want of room.
    """
    counted = [each for each in notes if each.is_counted]
    room, count = sum(len(each.text) for each in counted), len(counted)
    gone: list[str] = []
    for each in sorted(counted, key=lambda each: (each.is_pinned, each.path == written, each.used)):
        if count <= MOST_NOTES and room <= MEMORY_CHARACTERS:
            break
        gone.append(each.path)
        count, room = count - 1, room - len(each.text)
    return gone


def edited(
    command: Literal["create", "str_replace", "insert"],
    before: str | None,
    *,
    text: str,
    old: str = "",
    line: int | None = None,
) -> str | None:
    """Return the text of a note after a command; None if the command does not fit it."""
    if command == "create":
        return text
    if before is None:
        return None
    if command == "str_replace":
        return before.replace(old, text) if old and before.count(old) == 1 else None
    lines = before.split("\n")
    place = len(lines) if line is None else line
    return "\n".join([*lines[:place], text, *lines[place:]]) if 0 <= place <= len(lines) else None


_PEOPLES = (
    "brasileir|angolan|cabo-?\\s?verdian|guineens|mocambican|ucranian|nepales|paquistan|indian"
    "|marroquin|chines|romen|moldav|venezuelan"
)
_NATIONS = (
    "brazilian|angolan|cape verdean|guinean|mozambican|ukrainian|nepal(?:i|ese)|pakistani|indian"
    "|moroccan|chinese|romanian|moldovan|venezuelan"
)
# Notes are of the person that says them, too: 'estou de baixa', "I'm ill".
_ILLS = (
    r"depressao(?! (?:de|n[ao])\b)|hernias?|tendinites?|enxaquecas?|enfarte|avc|covid|dores"
    r"|depression|hernia|stroke|heart attack|migraines?"
)
_HAS = r"(?:tenho|tem|temos|tive|teve|ter)"
_AM = r"(?:i'?m|(?:i|he|she|they) (?:am|is|are|was|were))"
# What is never written of anybody, by kind, in folded words. Words that are a plant's own, too, are
# left out: 'partido' is what a part may be, 'negro' a material, 'álcool' a solvent, 'union' SQL.
_PRIVATE: Mapping[str, tuple[str, ...]] = {
    gettext_noop("a password"): (
        r"palavras?-?\s?passe",
        r"senhas?",
        r"passwords?",
        r"passphrases?",
        r"codigo de acesso",
        r"pin\b\W{0,3}(?:e|is)?\W{0,3}\d{3,}",
        r"access code",
    ),
    gettext_noop("somebody's health"): (
        r"saude(?! e seguranca| ocupacional)",
        r"doenc\w+",
        r"doentes?",
        r"gravid\w*",
        r"gestante",
        r"diabet\w+",
        r"cancro",
        r"asma(?:tic\w+)?",
        r"epilep\w+",
        r"alergi[ac]\w*",
        r"medicacao",
        r"medicament\w+",
        r"hospital\w*",
        r"atestado medico",
        r"baixa (?:medica|por doenca|psiquiatrica)",
        r"(?:est|entr|fi[cq])\w+ de baixa(?! (?:press|tens))|met[ei]\w* baixa",
        r"(?:fui|(?:vou|vai) ser) operad[oa]|sou (?:surd|ceg)[oa]|daltonic[oa]s?|medicad[oa]s?",
        rf"(?:{_HAS}|sofr[eoi]\w* de|por) (?:\w+ )?(?:{_ILLS})",
        r"antidepressiv\w+|ansiolitic\w+|comprimidos para|fisioterapia|cirurgias?|quimioterapia",
        r"(?:consulta|ida|ir) (?:medica|ao? medic[oa]|no medico)",
        r"psicolog\w+",
        r"psiquiatr\w+",
        r"ansiedade",
        r"burnout",
        r"depressao nervosa",
        r"hiv|vih",
        r"deficiencia (?:fisica|motora|mental|visual|auditiva)",
        r"health (?:problem|issue|condition)s?",
        r"(?:his|her|my|their) health",
        r"illness\w*|sick leave",
        rf"is (?:sick|ill)|{_AM} (?:sick|ill|depressed|deaf|blind|colou?r[- ]?blind)",
        rf"(?:have|has|had|suffers? from) (?:a )?(?:{_ILLS})",
        r"antidepressants?|(?:had|has|have|having|needs?) (?:a )?surgery|doctor'?s appointment",
        r"(?:my|his|her) (?:back|knee|shoulder|wrist)s? (?:hurt|ache)s?",
        r"disease\w*",
        r"pregnan\w+",
        r"cancer",
        r"asthma\w*",
        r"allerg\w+",
        r"medication",
        r"anxiety",
        r"disability|disabilities",
    ),
    gettext_noop("trade unions"): (
        r"sindica\w+",
        r"dessindicaliz\w+",
        r"greves?|grevistas?",
        r"cgtp|ugt",
        r"comissao de trabalhadores",
        r"(?:trade|labou?r) unions?",
        r"union (?:member\w*|representative|rep|delegate)s?",
        r"unioni[sz]\w+|(?:belongs? to|join(?:ed|s)?|member of) (?:the|a) union",
        r"on strike|strikers?",
    ),
    gettext_noop("religion"): (
        r"religi\w+",
        r"catolic\w+|muculman\w+|judeus?|judias?|evangelic\w+|budistas?|hindus?|ateus?|ateia",
        r"testemunhas? de jeova",
        r"igreja|mesquita|missa|ramadao|sinagoga",
        r"catholic\w*|muslim\w*|jewish|christian\w*|buddhist\w*|atheist\w*",
        r"church|mosque|synagogue|ramadan",
        r"(?:reza|rezo|rezam|rezar)|(?:i|he|she|they) prays?",
    ),
    gettext_noop("somebody's origin"): (
        r"etni[ac]\w*",
        r"ethnic\w*|ethnicity",
        r"nacionalidade|nationality",
        r"cigan[oa]s?|gypsy|gypsies",
        r"(?:i|e)migrantes?|(?:im)?migrants?",
        r"refugiad\w+|refugees?",
        r"raca|racial",
        r"cor da pele|skin colou?r",
        # Of a person: a supplier may be Chinese.
        rf"(?:e|sou|somos|sao|veio|vem)(?: \w+){{0,2}} (?:{_PEOPLES})\w{{0,2}}",
        rf"(?:{_AM}|operator is)(?: an?)? (?:{_NATIONS})",
        r"nasci (?:em|na|no|nos)|(?:i|he|she) was born",
    ),
    gettext_noop("politics"): (
        r"partido (?:politico|socialista|comunista|social)\w*",
        r"(?:opiniao|opinioes|ideias|filiacao|orientacao) (?:politic\w+|partidari\w+)",
        r"vot(?:o|a|ei|ou|am|ar) (?:no|na|em|nos|nas|chega|ps|psd|pcp)",
        r"sou de (?:direita|esquerda)(?! d?[ao]\b)",
        r"comunistas?|socialistas?|fascistas?|communists?|socialists?|fascists?",
        r"extrema-?\s?(?:direita|esquerda)",
        r"politicamente|eleic\w+|militante",
        r"politically|political (?:view|opinion|part)\w*|elections?",
        r"(?:i|he|she|they) votes?d?|votes? for|voted for",
        r"left-wing|right-wing|far[- ](?:left|right)",
    ),
    gettext_noop("somebody's private life"): (
        r"divorci\w+|divorced?",
        r"(?:e|esta|sou|foi) (?:casad[oa]|solteir[oa]|viuv[oa])",
        r"marido|esposa|namorad[oa]|amante|(?:minha|sua) mulher",
        r"vida (?:privada|pessoal|amorosa|sexual|familiar)",
        r"(?:orientacao|vida) sexual|sexual\w*|homossexual\w*|lesbic\w+|gay|transgenero",
        r"(?:o|a|os|as|meu|minha|seu|sua) filh[oa]s?(?! da)",
        rf"{_HAS} (?:\w+ )?filh[oa]s?",
        r"alcoolic[oa]s?|alcoolismo|toxicodepend\w+|bebe demais",
        r"salario|vencimento mensal|dividas|penhora\w*",
        r"(?:viv|mor|resid)[eoa] (?:em|na|no)\b|viv[eo] com (?:o|a|os|as) (?:meu|minha|seu|sua)s?",
        r"morada(?! d)",
        r"ganh[oa] \d+ ?(?:euros|eur|€)|earns? \d+",
        r"private life|love life",
        rf"(?:{_AM}|is|was|got) (?:married|widowed)",
        r"(?:has|have) (?:\w+ )?(?:kids|children)",
        r"(?:his|her|my|their) (?:husband|wife|girlfriend|boyfriend|son|daughter|kids|children)",
        r"lesbian|transgender|alcoholic|drug addict\w*",
        r"salary|home address|(?:i|he|she|they) lives? (?:in|at)|lives (?:in|at)",
    ),
}


@cache  # 6 ms that no start has to wait for
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {
        kind: re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") for kind, words in _PRIVATE.items()
    }


def private_kind(text: str) -> str:
    """Return what is never written that a text holds, as a catalogue key; "" for nothing."""
    if redact(text) != text:
        return gettext_noop("a password")
    # A name has hyphens for the blanks of its text.
    folded = [fold(text), re.sub(r"[-_/]+", " ", fold(text))]
    found = (kind for kind, words in _patterns().items() if any(map(words.search, folded)))
    return next(found, "")


REPEATED_WORDS = 8  # in a row: nobody writes as many as a file has by chance
_LEAST_REPEATED = 3  # of a note that has no more


def repeated_passage(
    text: str, *, before: str, said: str, sources: Iterable[tuple[str, str]]
) -> tuple[str, str] | None:
    """Return a source, by its label, that a note repeats in words which the person did not say, and
    those words; None if there is none.

    What stood in the note `before` was answered for then. Marks, case and accents are not looked
    at; a note of few words repeats a source that has them all.
    """
    words = _words(text)
    length = min(REPEATED_WORDS, len(words))
    if length < _LEAST_REPEATED:
        return None
    known = [_joined(said), _joined(before)]
    runs = [f" {' '.join(words[at : at + length])} " for at in range(len(words) - length + 1)]
    foreign = [run for run in runs if not any(run in each for each in known)]
    if not foreign:
        return None
    for label, content in sources:
        joined = _joined(content)
        if found := next((run for run in foreign if run in joined), None):
            return label, found.strip()
    return None


def _joined(text: str) -> str:
    return f" {' '.join(_words(text))} "


def _words(text: str) -> list[str]:
    seen = "".join(each for each in text if unicodedata.category(each) != "Cf")
    return re.findall(r"[^\W_]+", fold(seen))


TOOL = "memoria"
RECALL_TOOL = "procurar_conversas"
ERASED = "(apagado)"  # stands where a note that was deleted stood


def told_of_note(call: ToolCall, result: ToolResult) -> str:
    """Return what a person is told of a call that changed a note; "" for any other call."""
    content = result.content
    if call.name != TOOL or result.is_error or not isinstance(content, dict):
        return ""
    name = str(content.get("caminho", "")).removeprefix(f"{ROOT}/")
    match content.get("estado"):
        case "guardada" | "mudada":
            text = content.get("texto", call.input.get("texto", ""))
            if text == ERASED:
                return _("This note was deleted.")
            return _("I will remember: «{text}»").format(text=text)
        case "apagada":
            return _("Forgotten: {name}").format(name=name)
        case "tudo apagado":
            return _("Forgotten: everything that I knew of you.")
        case "com outro nome":
            return _("The note is called {name} now.").format(name=name)
        case _:
            return ""


def path_after(result: ToolResult) -> str:
    """Return the path of the note that a call has written; "" if it is gone."""
    content = result.content
    if not isinstance(content, dict) or content.get("estado") in ("apagada", "tudo apagado"):
        return ""
    return str(content.get("caminho", ""))


def checked_path(name: str) -> str:
    """Return the path of a note that is to be written. Raises UserError for none."""
    path = path_of(name)
    if not is_path(path):
        raise UserError(
            _("'{name}' cannot be a note's name. Use up to 60 of a-z, 0-9, - and _.").format(
                name=name
            )
        )
    return path


def checked_text(text: str) -> str:
    """Return the text of a note as it is kept. Raises UserError for one that is not."""
    clean = sanitize(text).strip()
    if not clean:
        raise UserError(_("A note needs words. Delete it if there are none."))
    if len(clean) > NOTE_CHARACTERS:
        raise UserError(_("A note has {most} characters at most.").format(most=NOTE_CHARACTERS))
    if kind := private_kind(clean):
        raise UserError(_("Not kept: {kind} is never written down.").format(kind=_(kind)))
    return clean


def as_object(note: Memory) -> JsonObject:
    """Return a note as JSON for other programs."""
    return {
        "path": note.path,
        "text": note.text,
        "pinned": note.is_pinned,
        "archived": note.is_archived,
        "origin": note.origin,
        "conversation": note.conversation,
        "message": note.message,
    }


def as_markdown(notes: Iterable[Memory]) -> str:
    """Write notes as Markdown, one under the other."""
    parts = ["# " + _("What I know of you")]
    parts += [f"## {each.name}\n\n{each.text}" for each in notes]
    return "\n\n".join(parts) + "\n"


OTHERS = "Outras: "  # begins the line of the notes that are told by name alone
CHANGED = "Mudou:"  # is the first line of what is told after the conversation's first question


def without_note(section: str, name: str) -> str:
    """Return what was told of a memory without one note: its line, and its name among others."""
    lines = []
    for line in section.split("\n"):
        if line.startswith(f"- {name}: "):
            continue
        if not line.startswith(OTHERS):
            lines.append(line)
        elif names := [each for each in line.removeprefix(OTHERS).split(", ") if each != name]:
            lines.append(OTHERS + ", ".join(names))
    return "" if lines == [CHANGED] else "\n".join(lines)


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message that was found, by its words around those that were looked for."""

    conversation: ConversationId
    message: MessageId
    said: datetime
    title: str
    excerpt: str


def found_messages(call: ToolCall, result: ToolResult) -> Iterator[FoundMessage]:
    """Yield what a call has found, best first; nothing for a call of another tool."""
    content = result.content
    found = content.get("mensagens") if isinstance(content, dict) else None
    if call.name != RECALL_TOOL or not isinstance(found, list):
        return
    for each in found:
        try:
            yield _found_message(each)
        except (KeyError, TypeError, ValueError):
            continue  # of a damaged result


def _found_message(found: Any) -> FoundMessage:
    return FoundMessage(
        ConversationId(str(found["conversa"])),
        MessageId(int(found["mensagem"])),
        datetime.fromisoformat(found["data"]),
        str(found["titulo"]),
        str(found["excerto"]),
    )
