"""Settings, each declared once with label, help, limits and default; and the current ones."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import UsageError, UserError, reason_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, number
from qhub_desktop.core.untrusted_files import parse_toml, read_regular
from qhub_desktop.core.values import dataclass

EngineChoice = Literal["auto", "claude", "local", "offline"]
PythonChoice = Literal["run", "ask", "off"]
LanguageChoice = Literal["pt", "en"]
ThemeChoice = Literal["system", "light", "dark"]
UpdateChoice = Literal["off", "tell", "install"]
MemoryChoice = Literal["off", "ask", "show"]
Section = Literal[
    "general", "engine", "abilities", "network", "documents", "limits", "time", "backups", "updates"
]


@dataclass(frozen=True, slots=True)
class SectionInfo:
    """A page of settings; its label is a catalogue key."""

    label: str
    icon: str


SECTIONS: Mapping[Section, SectionInfo] = {
    "general": SectionInfo(gettext_noop("General"), "gear"),
    "engine": SectionInfo(gettext_noop("Engine"), "engine"),
    "abilities": SectionInfo(gettext_noop("Abilities"), "chat"),
    "network": SectionInfo(gettext_noop("Network"), "cloud"),
    "documents": SectionInfo(gettext_noop("Documents"), "document"),
    "limits": SectionInfo(gettext_noop("Limits"), "chart"),
    "time": SectionInfo(gettext_noop("Times"), "clock"),
    "backups": SectionInfo(gettext_noop("Safety copies"), "save"),
    "updates": SectionInfo(gettext_noop("Updates"), "retry"),
}


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """Description of one setting on the settings page. Texts are catalogue keys."""

    section: Section
    label: str
    help: str = ""
    lower: float | None = None
    upper: float | None = None
    unit: str = ""
    choices: tuple[tuple[str, str], ...] = ()  # value, label
    pattern: str = ""  # that a text which is not empty matches
    example: str = ""  # of such a text
    path: Literal["", "file", "folder"] = ""  # that a text is, which may be chosen from the disk


_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d"
_SHIFT = rf"\s*\S[^,]*?\s+{_CLOCK}\s*"
PREVIEW_ROWS = 10  # of a table in an answer, seen without scrolling


def _setting(default: Any, section: Section, label: str, help_: str = "", **more: Any) -> Any:
    about = SettingInfo(section, label, help_, **more)
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a station. Raises UserError when made with a value out of bounds."""

    station: str = _setting(
        "",
        "general",
        gettext_noop("Station"),
        gettext_noop("Shown at the top of the window, e.g. 'Station P2'."),
    )
    logo: str = _setting(
        "",
        "general",
        gettext_noop("Logo"),
        gettext_noop(
            "A picture (PNG, JPEG or SVG, up to 1 MB) at the top of what is printed: reports,"
            " dashboards, conversations."
        ),
        path="file",
    )
    language: LanguageChoice = _setting(
        "pt",
        "general",
        gettext_noop("Language"),
        choices=(("pt", gettext_noop("Portuguese")), ("en", gettext_noop("English"))),
    )
    theme: ThemeChoice = _setting(
        "system",
        "general",
        gettext_noop("Appearance"),
        choices=(
            ("system", gettext_noop("As the system")),
            ("light", gettext_noop("Light")),
            ("dark", gettext_noop("Dark")),
        ),
    )
    is_operator_mode: bool = _setting(
        False,  # noqa: FBT003  the default of a switch
        "general",
        gettext_noop("Operators' mode"),
        gettext_noop("Larger targets and text, for gloves and distance."),
    )
    day_start: str = _setting(
        "",
        "general",
        gettext_noop("Start of the production day"),
        gettext_noop("From then on a chart counts by day. Empty for midnight."),
        pattern=rf"\s*{_CLOCK}\s*",
        example="06:00",
    )
    shift_times: str = _setting(
        "",
        "general",
        gettext_noop("Shifts"),
        gettext_noop(
            "When each begins, for charts by shift of data that tell the time and not the shift:"
            " manhã 06:00, tarde 14:00, noite 22:00."
        ),
        pattern=f"{_SHIFT}(?:,{_SHIFT})*",
        example="manhã 06:00, tarde 14:00, noite 22:00",
    )
    engine: EngineChoice = _setting(
        "auto",
        "engine",
        gettext_noop("Engine"),
        gettext_noop(
            "Automatic uses Claude when there is a key and a network, else the local model where"
            " one is chosen, else the offline engine."
        ),
        choices=(
            ("auto", gettext_noop("Automatic")),
            ("claude", "Claude"),
            ("local", gettext_noop("Local model")),
            ("offline", gettext_noop("Offline")),
        ),
    )
    local_model: str = _setting(
        "",
        "engine",
        gettext_noop("Local model"),
        gettext_noop(
            "A model file (.gguf), or a folder of them, that stays where it is. It answers inside"
            " this program, without a network, and nothing leaves this computer."
        ),
        path="file",
    )
    endpoint: str = _setting(
        "",
        "engine",
        gettext_noop("Address of the service"),
        gettext_noop("Empty for Anthropic's own. A plant's gateway or a local server goes here."),
    )
    embedding_endpoint: str = _setting(
        "",
        "engine",
        gettext_noop("Address for the meaning of documents"),
        gettext_noop(
            "Empty for the built-in model. A server of the plant's own (OpenAI's /v1/embeddings)"
            " goes here, as in http://vectors.plant:8080#model: texts of documents and questions to"
            " them are sent there."
        ),
        pattern=r"\s*(?:https?://)?[\w.:\[\]-]+\S*\s*",
        example="http://vectors.plant:8080#model",
    )
    unencrypted_host: str = _setting(
        "",
        "engine",
        gettext_noop("Service that may have its key without encryption"),
        gettext_noop(
            "Only for an http:// address in a network that you trust: its host, as in"
            " gateway.plant:8080. Whoever is on the way there can read the key."
        ),
    )
    model: str = _setting(
        "",
        "engine",
        gettext_noop("Model"),
        gettext_noop("Empty for the recommended one: claude-sonnet-5-5."),
    )
    python: PythonChoice = _setting(
        "run",
        "engine",
        gettext_noop("Python that Claude writes"),
        gettext_noop(
            "It computes in a locked room: without files, without a network, and for 30 seconds."
        ),
        choices=(
            ("run", gettext_noop("Runs at once")),
            ("ask", gettext_noop("Asks first")),
            ("off", gettext_noop("Never runs")),
        ),
    )
    reading_strip: bool = _setting(
        True,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("Readings of a question while it is typed"),
        gettext_noop(
            "Under the box stands what it would answer, with the number, and how its words may go"
            " on. It is read on this computer, costs nothing, and rests while a battery is saved."
        ),
    )
    figures: bool = _setting(
        True,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("Check of the numbers in a model's answer"),
        gettext_noop(
            "Each is looked for in what the tools returned, on this computer and at no cost. One"
            " that no tool has computed is marked."
        ),
    )
    signals: bool = _setting(
        True,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("Counting what is done with answers"),
        gettext_noop(
            "Opened, copied, asked again, stopped: added up by agent and day, without the person,"
            " and kept for 180 days."
        ),
    )
    judge: bool = _setting(
        False,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("A model that judges answers"),
        gettext_noop(
            "Claude reads some of the answers again, in batches, and says whether each is sound;"
            " under 0.02 US$ an answer. The check of the numbers alone costs nothing."
        ),
    )
    examples: bool = _setting(
        True,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("Examples that teach"),
        gettext_noop(
            "Answers that a quality lead has approved are told to a model with questions of their"
            " kind, without any figure of theirs: at most two, 700 tokens."
        ),
    )
    guard: bool = _setting(
        True,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("Guard before every question"),
        gettext_noop(
            "Secrets are hidden, and orders to leave the rules, ways round safety devices and"
            " threats are not answered. It reads on this computer, offline too, and costs nothing."
        ),
    )
    guard_model: bool = _setting(
        False,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("Ask a small model where the guard has doubts"),
        gettext_noop(
            "The doubtful question alone goes to Claude Haiku. Without an answer within three"
            " seconds it is let through, and noted."
        ),
    )
    questions: bool = _setting(
        True,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("Questions in the middle of an answer"),
        gettext_noop("A model may ask you before it goes on. Silence is never an answer."),
    )
    memory: MemoryChoice = _setting(
        "show",
        "abilities",
        gettext_noop("Memory"),
        gettext_noop("What you tell it about yourself and your work, for later conversations."),
        choices=(
            ("off", gettext_noop("Off")),
            ("ask", gettext_noop("Asks before it keeps anything")),
            ("show", gettext_noop("Shows what it keeps, to be undone")),
        ),
    )
    session_search: bool = _setting(
        True,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("Search in earlier conversations"),
        gettext_noop("A model may look for words in your own conversations."),
    )
    patterns: bool = _setting(
        True,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("Habits"),
        gettext_noop(
            "What you ask again and again is counted, and offered to you. Where Claude answers, a"
            " small model reads your questions alone, and names what they are about."
        ),
    )
    patterns_every: int = _setting(
        10,
        "abilities",
        gettext_noop("Conversations between two looks at habits"),
        lower=3,
        upper=100,
    )
    tone: bool = _setting(
        False,  # noqa: FBT003  the default of a switch
        "abilities",
        gettext_noop("Briefer answers where the words show hurry"),
        gettext_noop("Read from the words of the question alone, and never kept."),
    )
    ca_file: str = _setting(
        "",
        "network",
        gettext_noop("File of further certificates"),
        gettext_noop(
            "The company's own root certificate (.cer or .pem), where the system does not have it."
            " Those of the system are always trusted."
        ),
        path="file",
    )
    sent_days: int = _setting(
        30,
        "network",
        gettext_noop("Days that what was sent is kept"),
        gettext_noop(
            "Each request as it went out, to be seen under its answer. With 0 none is kept."
        ),
        lower=0,
        upper=365,
    )
    history_messages: int = _setting(
        20, "limits", gettext_noop("Messages of history sent"), lower=2, upper=200
    )
    rounds: int = _setting(
        8, "limits", gettext_noop("Tool rounds in one answer"), lower=1, upper=50
    )
    answer_tokens: int = _setting(
        4096, "limits", gettext_noop("Length of one answer"), lower=256, upper=64000, unit="tokens"
    )
    ask_above_usd: float = _setting(
        0.25,
        "limits",
        gettext_noop("Cost of a question about which you are asked first"),
        gettext_noop(
            "Estimated before it is sent to Claude, with its history and the longest answer. With 0"
            " you are asked about every one."
        ),
        lower=0,
        upper=1000,
        unit="US$",
    )
    result_characters: int = _setting(
        20_000,
        "limits",
        gettext_noop("Length of one tool's result"),
        gettext_noop("As it is kept with the answer and sent to a model, which is told of a cut."),
        lower=2_000,
        upper=200_000,
    )
    is_keeping_files: bool = _setting(
        False,  # noqa: FBT003  the default of a switch
        "general",
        gettext_noop("Keep a copy of every file"),
        gettext_noop(
            "So that it can be read again, even when the original has been moved or changed."
        ),
    )
    is_audited_reading: bool = _setting(
        False,  # noqa: FBT003  the default of a switch
        "general",
        gettext_noop("Administrators may read everybody's conversations"),
        gettext_noop(
            "Where people sign in. Each reading is recorded in the log, and everybody is told, at"
            " the sign-in and in the window."
        ),
    )
    preview_rows: int = _setting(
        PREVIEW_ROWS,
        "limits",
        gettext_noop("Rows of a table in an answer"),
        gettext_noop("The card shows so many at once; the others are scrolled to."),
        lower=3,
        upper=100,
    )
    rows_sent: int = _setting(
        0,
        "limits",
        gettext_noop("Rows sent to the model on upload"),
        gettext_noop("With 0 the model sees the profile of a file, never its rows."),
        lower=0,
        upper=100,
    )
    top_values: int = _setting(
        5,
        "limits",
        gettext_noop("Frequent values sent to the model"),
        gettext_noop("Of each of the first columns of categories, as many as this."),
        lower=0,
        upper=50,
    )
    query_s: int = _setting(
        30, "limits", gettext_noop("Time for one query"), lower=1, upper=600, unit="s"
    )
    heartbeat_s: float = _setting(
        45,
        "time",
        gettext_noop("Silence of the service before a new try"),
        lower=0.2,
        upper=600,
        unit="s",
    )
    question_s: float = _setting(
        300, "time", gettext_noop("Wait for the person's word"), lower=0.2, upper=7200, unit="s"
    )
    inactivity_s: float = _setting(
        600,
        "time",
        gettext_noop("An answer in which nothing happens"),
        lower=0.2,
        upper=14400,
        unit="s",
    )
    answer_s: float = _setting(
        1800, "time", gettext_noop("A whole answer"), lower=0.2, upper=86400, unit="s"
    )
    updates: UpdateChoice = _setting(
        "off",
        "updates",
        gettext_noop("Look for new versions"),
        gettext_noop(
            "Only in the folder below, never on the Internet, and nothing is installed that does"
            " not bear the signature of the key below."
        ),
        choices=(
            ("off", gettext_noop("Off")),
            ("tell", gettext_noop("Tell me, and let me decide")),
            ("install", gettext_noop("Install them when the program is next started")),
        ),
    )
    update_folder: str = _setting(
        "",
        "updates",
        gettext_noop("Folder of updates"),
        gettext_noop("A folder or share in which whoever looks after this computer offers them."),
        path="folder",
    )
    update_key: str = _setting(
        "",
        "updates",
        gettext_noop("Public key of updates"),
        gettext_noop("64 digits that whoever signs them gives out."),
    )

    @property
    def asks_service(self) -> bool:
        """Whether a question may go to a service at all."""
        return self.engine in ("auto", "claude")

    def __post_init__(self) -> None:
        for name, about in setting_infos().items():
            _check(name, getattr(self, name), about)
        order = (self.heartbeat_s, self.question_s, self.inactivity_s, self.answer_s)
        if not order[0] < order[1] < order[2] < order[3]:
            raise UserError(
                _(
                    "The times must grow: silence of the service < wait for the person < inactivity"
                    " < whole answer. Correct them in Settings, under Times."
                )
            )


def setting_infos() -> dict[str, SettingInfo]:
    """Return what is declared of each setting, in the order of declaration."""
    return {each.name: each.metadata["about"] for each in fields(Settings)}


# Abilities that can be switched for a single run: `QHUB_FLAGS=tone=on,patterns=off`.
FLAGS_VARIABLE = "QHUB_FLAGS"
FLAGS = (
    *("guard", "guard_model", "figures", "signals", "judge", "examples"),
    *("questions", "memory", "session_search", "patterns"),
    "tone",
)


def flag_word(value: object) -> str:
    """Return a flag's value as it is written: 'on', 'off', or the name of a choice."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def read_flag(name: str, word: str) -> bool | str:
    """Return the value of a flag. Raises UsageError for a name or a word that is none."""
    if name not in FLAGS:
        raise UsageError(
            _("There is no flag '{name}'. There are: {names}.").format(
                name=name, names=", ".join(FLAGS)
            )
        )
    hint = _types()[name]
    words = ("on", "off") if hint is bool else get_args(hint)
    if word not in words:
        raise UsageError(
            _("{name}: '{word}' is none of {words}.").format(
                name=name, word=word, words=", ".join(words)
            )
        )
    return word == "on" if hint is bool else word


def read_flags(text: str) -> dict[str, bool | str]:
    """Return the flags of one run, as 'tone=on,patterns=off'. Raises UsageError as `read_flag`."""
    pairs = (each.partition("=") for each in text.split(",") if each.strip())
    return {name.strip(): read_flag(name.strip(), word.strip()) for name, _equals, word in pairs}


def read_settings(stored: Mapping[str, Json]) -> Settings:
    """Make settings of what was stored; an unknown or invalid value falls back to its default.

    Raises UserError when the stored times contradict each other.
    """
    known: dict[str, Any] = {}
    for name, about in setting_infos().items():
        if name in stored:
            try:
                _check(name, stored[name], about)
            except UserError:
                continue
            known[name] = stored[name]
    return Settings(**known)


def shifts_of(settings: Settings) -> dict[str, str]:
    """Return the station's shifts: their names, and when each begins, as 06:00."""
    parts = [each.rsplit(maxsplit=1) for each in settings.shift_times.split(",") if each.strip()]
    return {name.strip(): begin for name, begin in parts}


def changed_settings(settings: Settings) -> JsonObject:
    """Return what is worth storing: the settings that differ from their defaults."""
    default = Settings()
    return {
        each.name: getattr(settings, each.name)
        for each in fields(settings)
        if getattr(settings, each.name) != getattr(default, each.name)
    }


@cache
def _types() -> dict[str, Any]:
    """Return the type of each setting; looked up for each value, they took 3 ms each time."""
    return get_type_hints(Settings)


def _check(name: str, value: object, about: SettingInfo) -> None:
    hint = _types()[name]
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise UserError(
                _("{label}: choose one of the values offered.").format(label=_(about.label))
            )
        return
    expected = (int, float) if hint is float else hint
    if not isinstance(value, expected) or (hint in (int, float) and isinstance(value, bool)):
        raise UserError(_("{label}: this is not a valid value.").format(label=_(about.label)))
    if about.pattern and value and not re.fullmatch(about.pattern, str(value)):
        raise UserError(
            _("{label}: write it as {example}.").format(label=_(about.label), example=about.example)
        )
    if about.lower is not None and about.upper is not None:
        assert isinstance(value, (int, float))
        if not about.lower <= value <= about.upper:
            raise UserError(
                _("{label}: choose a value from {lower} to {upper}.").format(
                    label=_(about.label), lower=number(about.lower), upper=number(about.upper)
                )
            )


# Variables that stand for a setting that is empty; a fixed one may be fixed to be so.
VARIABLES = {"endpoint": "ANTHROPIC_BASE_URL", "model": "ANTHROPIC_MODEL"}


@dataclass(frozen=True, slots=True)
class Policy:
    """Settings that an administrator has fixed: neither a person nor a variable changes them.

    `problems` are sentences about what could not be taken as it stands.
    """

    fixed: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def is_offline(self) -> bool:
        """Whether no service may be asked."""
        return self.fixed.get("engine") == "offline"

    def apply(self, settings: Settings) -> Settings:
        """Return the settings with the fixed ones as they are fixed."""
        return replace(settings, **self.fixed)

    def check(self, name: str, value: object) -> None:
        """Raise UserError if a setting is fixed to another value than this."""
        if name in self.fixed and self.fixed[name] != value:
            raise UserError(
                _("{label}: fixed by whoever looks after this computer.").format(
                    label=_(setting_infos()[name].label)
                )
            )

    def environment(self, variables: Mapping[str, str]) -> Mapping[str, str]:
        """Return the variables without those that stand for a fixed setting."""
        fixed = {name for setting, name in VARIABLES.items() if setting in self.fixed}
        if not fixed:
            return variables
        return {name: value for name, value in variables.items() if name not in fixed}


def offline_by_policy() -> str:
    """Return why no service is asked under a policy that fixes the offline engine."""
    return _(
        "Whoever looks after this computer has fixed the offline engine: no service is asked, not"
        " even to test it."
    )


# What a wrong value of these might have closed: no service is asked until it is put right.
MOST_POLICY_BYTES = 1_000_000
_DOORS = {"engine", "endpoint", "unencrypted_host"}


def read_policy(files: Sequence[Path]) -> Policy:
    """Read what is fixed in these files, of which any may be missing; the later prevails.

    A name that is none is left out and told, a wrong value becomes the default, and the engine
    offline where it was to say who may be asked; the rest holds. Raises UserError for a file of
    which nothing can be read: left out, it would open what was to be closed.
    """
    fixed: dict[str, Any] = {}
    problems: list[str] = []
    for file in files:
        try:
            own, reasons = _policy_in(file)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, UserError) as error:
            is_told = isinstance(error, UserError)
            reason = str(error).rstrip(".") if is_told else reason_of(error)
            raise UserError(
                _(
                    "The policy {file} cannot be used ({reason}). Whoever looks after this"
                    " computer can put it right."
                ).format(file=file, reason=reason)
            ) from error
        fixed |= own
        if reasons:
            problems.append(
                _(
                    "Not all of the policy {file} can be used: {reasons}. The rest holds; whoever"
                    " looks after this computer can put it right."
                ).format(file=file, reasons="; ".join(each.rstrip(".") for each in reasons))
            )
    return Policy(fixed, tuple(problems))


def _policy_in(file: Path) -> tuple[dict[str, Any], list[str]]:
    """Return what a file fixes, and what is wrong with the rest of it."""
    declared = parse_toml(read_regular(file, most_bytes=MOST_POLICY_BYTES))
    given = declared.pop("settings", {})
    if not isinstance(given, dict):
        raise UserError(_("only a table [settings] belongs here, not {names}").format(names=given))
    problems: list[str] = []
    if declared:
        names = ", ".join(declared)
        problems.append(_("only a table [settings] belongs here, not {names}").format(names=names))
    fixed: dict[str, Any] = {}
    about, default = setting_infos(), Settings()
    for name, value in given.items():
        if name not in about:
            problems.append(_("there is no setting '{name}'").format(name=name))
            continue
        try:
            _check(name, value, about[name])
        except UserError as error:
            problems.append(str(error))
            fixed[name] = getattr(default, name)
            if name in _DOORS:
                given = {**given, "engine": "offline"}
        else:
            fixed[name] = value
    if given.get("engine") == "offline":
        fixed["engine"] = "offline"
        if fixed.get("endpoint"):
            problems.append(
                _("the engine is offline, so the address of the service is never asked")
            )
    try:
        replace(default, **fixed)
    except UserError as error:
        problems.append(str(error))
        fixed = {name: value for name, value in fixed.items() if about[name].section != "time"}
    return fixed, problems


Listener = Callable[[Settings], object]
PERSONAL = frozenset({"language", "theme", "is_operator_mode", "preview_rows", "reading_strip"})


class LiveSettings:
    """Holds the settings in use; `replace` is told to every listener, in the order they came.

    What a policy fixes stays as it is, and what is an administrator's to change, if somebody else
    uses the program. `stored` is what the person had chosen before.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        policy: Policy | None = None,
        stored: Mapping[str, Json] | None = None,
    ) -> None:
        self.policy = policy or Policy()
        self._settings = self.policy.apply(settings)
        kept = stored or {}
        self._kept = {name: kept[name] for name in self.policy.fixed if name in kept}
        self._listeners: list[Listener] = []
        self._reserved: frozenset[str] = frozenset()

    def reserve(self) -> None:
        """Let only how the program looks and speaks be changed: the rest is an administrator's."""
        self._reserved = frozenset(setting_infos()) - PERSONAL

    @property
    def fixed(self) -> dict[str, Any]:
        """What cannot be changed here, by name."""
        kept = {name: getattr(self._settings, name) for name in self._reserved}
        return {**kept, **self.policy.fixed}

    def check(self, name: str, value: object) -> None:
        """Raise UserError if a setting cannot be changed here, and has another value than this."""
        Policy(self.fixed).check(name, value)

    @property
    def settings(self) -> Settings:
        """The settings in use now."""
        return self._settings

    def replace(self, settings: Settings) -> None:
        """Use these settings from now on."""
        self._settings = replace(settings, **self.fixed)
        for listener in tuple(self._listeners):
            listener(self._settings)

    def to_store(self) -> JsonObject:
        """Return what the person has chosen; what is fixed meanwhile stays as they left it."""
        own = changed_settings(self._settings)
        return {each: own[each] for each in own if each not in self.policy.fixed} | self._kept

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every later settings; return what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)


def valid_settings(stored: JsonObject, policy: Policy) -> tuple[Settings, UserError | None]:
    """Parse the stored settings under a policy, dropping time limits that contradict each other.

    None stands for a value that cannot be read: it is told, and has its default.
    """
    about = setting_infos()
    lost = [name for name in about if name in stored and {**stored, **policy.fixed}[name] is None]
    trouble = _lost_settings(lost) if lost else None
    if not _DOORS.isdisjoint(lost):
        stored = {**stored, "engine": "offline"}
    try:
        return read_settings({**stored, **policy.fixed}), trouble
    except UserError as error:
        times = {name for name, each in about.items() if each.section == "time"}
        kept = {name: stored[name] for name in stored.keys() - times}
        return read_settings({**kept, **policy.fixed}), trouble or error


def _lost_settings(lost: Sequence[str]) -> UserError:
    labels = ", ".join(_(setting_infos()[name].label) for name in lost)
    told = _(
        "These stored settings cannot be read and have their defaults: {names}. Choose them again"
        " in Settings."
    ).format(names=labels)
    offline = _("Until then no service is asked.")
    return UserError(told if _DOORS.isdisjoint(lost) else f"{told} {offline}")


# Where the key is to be kept; but for the system's store the person chooses it.
KeyChoice = Literal["system", "file", "session"]


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices at a first run, before anything of a station is kept.

    Without `has_accounts` nobody signs in, and the two after it are not used.

    An empty key is none; `passphrase` is that of an encrypted file.
    """

    settings: Settings
    has_accounts: bool = False
    admin: str = ""
    secret: str = field(default="", repr=False)
    key: str = field(default="", repr=False)
    key_choice: KeyChoice = "system"
    passphrase: str = field(default="", repr=False)
    has_demo_data: bool = True
