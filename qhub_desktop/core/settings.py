"""Every setting, declared once: its label, its help, its limits, its default."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import mark, number

EngineChoice = Literal["auto", "claude", "offline"]
LanguageChoice = Literal["pt", "en"]
ThemeChoice = Literal["system", "light", "dark"]
Section = Literal["general", "engine", "limits", "time"]


@dataclass(frozen=True, slots=True)
class About:
    """What the settings page says of one setting. Texts are catalogue keys."""

    section: Section
    label: str
    help: str = ""
    lower: float | None = None
    upper: float | None = None
    unit: str = ""
    choices: tuple[tuple[str, str], ...] = ()  # value, label


def _setting(default: Any, section: Section, label: str, help_: str = "", **more: Any) -> Any:
    about = About(section, label, help_, **more)
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True, slots=True)
class Settings:
    """What a station has chosen. Raises UserError when made with a value out of bounds."""

    station: str = _setting(
        "", "general", mark("Station"), mark("Shown at the top of the window, e.g. 'Station P2'.")
    )
    language: LanguageChoice = _setting(
        "pt",
        "general",
        mark("Language"),
        choices=(("pt", mark("Portuguese")), ("en", mark("English"))),
    )
    theme: ThemeChoice = _setting(
        "system",
        "general",
        mark("Appearance"),
        choices=(
            ("system", mark("As the system")),
            ("light", mark("Light")),
            ("dark", mark("Dark")),
        ),
    )
    is_operator_mode: bool = _setting(
        False,  # noqa: FBT003  the default of a switch
        "general",
        mark("Operators' mode"),
        mark("Larger targets and text, for gloves and distance."),
    )
    engine: EngineChoice = _setting(
        "auto",
        "engine",
        mark("Engine"),
        mark("Automatic uses Claude when there is a key and a network, else the offline engine."),
        choices=(
            ("auto", mark("Automatic")),
            ("claude", "Claude"),
            ("offline", mark("Offline")),
        ),
    )
    endpoint: str = _setting(
        "",
        "engine",
        mark("Address of the service"),
        mark("Empty for Anthropic's own. A plant's gateway or a local server goes here."),
    )
    model: str = _setting(
        "", "engine", mark("Model"), mark("Empty for the recommended one: claude-sonnet-5-5.")
    )
    history_messages: int = _setting(
        20, "limits", mark("Messages of history sent"), lower=2, upper=200
    )
    rounds: int = _setting(8, "limits", mark("Tool rounds in one answer"), lower=1, upper=50)
    answer_tokens: int = _setting(
        4096, "limits", mark("Length of one answer"), lower=256, upper=64000, unit="tokens"
    )
    is_keeping_files: bool = _setting(
        False,  # noqa: FBT003  the default of a switch
        "general",
        mark("Keep a copy of every file"),
        mark("So that it can be read again, even when the original has been moved or changed."),
    )
    preview_rows: int = _setting(10, "limits", mark("Rows in a preview"), lower=1, upper=100)
    rows_sent: int = _setting(
        0,
        "limits",
        mark("Rows sent to the model on upload"),
        mark("With 0 the model sees the profile of a file, never its rows."),
        lower=0,
        upper=100,
    )
    top_values: int = _setting(
        5,
        "limits",
        mark("Frequent values sent to the model"),
        mark("Of each of the first columns of categories, as many as this."),
        lower=0,
        upper=50,
    )
    query_s: int = _setting(30, "limits", mark("Time for one query"), lower=1, upper=600, unit="s")
    heartbeat_s: float = _setting(
        45,
        "time",
        mark("Silence of the service before a new try"),
        lower=0.2,
        upper=600,
        unit="s",
    )
    question_s: float = _setting(
        300, "time", mark("Wait for the person's word"), lower=0.2, upper=7200, unit="s"
    )
    inactivity_s: float = _setting(
        600, "time", mark("An answer in which nothing happens"), lower=0.2, upper=14400, unit="s"
    )
    answer_s: float = _setting(
        1800, "time", mark("A whole answer"), lower=0.2, upper=86400, unit="s"
    )

    def __post_init__(self) -> None:
        for name, about in about_settings().items():
            _check(name, getattr(self, name), about)
        order = (self.heartbeat_s, self.question_s, self.inactivity_s, self.answer_s)
        if not order[0] < order[1] < order[2] < order[3]:
            raise UserError(
                _(
                    "The times must grow: silence of the service < wait for the person < inactivity"
                    " < whole answer. Correct them in Settings, under Times."
                )
            )


def about_settings() -> dict[str, About]:
    """What is declared of each setting, in the order of declaration."""
    return {each.name: each.metadata["about"] for each in fields(Settings)}


def read_settings(stored: Mapping[str, Json]) -> Settings:
    """Settings from what was stored; what is unknown or out of bounds falls back to its default.

    Raises UserError when the stored times contradict each other.
    """
    known: dict[str, Any] = {}
    for name, about in about_settings().items():
        if name in stored:
            try:
                _check(name, stored[name], about)
            except UserError:
                continue
            known[name] = stored[name]
    return Settings(**known)


def written_settings(settings: Settings) -> JsonObject:
    """What is worth storing: the settings that differ from their defaults."""
    default = Settings()
    return {
        each.name: getattr(settings, each.name)
        for each in fields(settings)
        if getattr(settings, each.name) != getattr(default, each.name)
    }


def _check(name: str, value: object, about: About) -> None:
    hint = get_type_hints(Settings)[name]
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise UserError(
                _("{label}: choose one of the values offered.").format(label=_(about.label))
            )
        return
    expected = (int, float) if hint is float else hint
    if not isinstance(value, expected) or (hint in (int, float) and isinstance(value, bool)):
        raise UserError(_("{label}: this is not a valid value.").format(label=_(about.label)))
    if about.lower is not None and about.upper is not None:
        assert isinstance(value, (int, float))
        if not about.lower <= value <= about.upper:
            raise UserError(
                _("{label}: choose a value from {lower} to {upper}.").format(
                    label=_(about.label), lower=number(about.lower), upper=number(about.upper)
                )
            )
