"""People who use a station: who they are, what they may do, and the secret they sign in with."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import field
from typing import Literal, get_args

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass

Role = Literal["operador", "responsavel", "admin"]
SecretKind = Literal["password", "pin"]
ROLES: tuple[Role, ...] = get_args(Role)
ROLE_LABELS: dict[Role, str] = {
    "operador": gettext_noop("Operator"),
    "responsavel": gettext_noop("Quality lead"),
    "admin": gettext_noop("Administrator"),
}
LONGEST_PERSON_NAME = 100
LONGEST_SECRET = 200  # hashing takes longer with every character


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account here.

    `agents` are the ids of the agents that they may use; None stands for every agent. `generation`
    changes when what was signed before must no longer hold.
    """

    id: int
    name: str  # a short name or an e-mail, in small letters
    role: Role
    agents: tuple[str, ...] | None
    kind: SecretKind = "password"
    is_disabled: bool = False
    must_change: bool = False  # the secret was chosen by somebody else
    generation: int = 0

    @property
    def is_admin(self) -> bool:
        """Whether they manage people, agents, budgets and the engine's settings."""
        return self.role == "admin"

    @property
    def needs_password(self) -> bool:
        """Whether the PIN of before may not sign in a role with rights over others."""
        return not may_have(self.role, self.kind)

    def may_use(self, agent: str) -> bool:
        """Return whether they may use an agent."""
        return self.agents is None or agent in self.agents


def may_have(role: Role, kind: SecretKind) -> bool:
    """Return whether accounts of a role may sign in with such a secret: a PIN is an operator's."""
    return kind == "password" or role == "operador"


@dataclass(frozen=True, slots=True)
class FirstAccount:
    """The administrator's account that a station begins with, before it is kept."""

    name: str
    secret: str = field(repr=False)  # as a hash


def account_name(written: str) -> str:
    """Return the name of an account as it is kept. Raises UserError for a malformed one."""
    name = unicodedata.normalize("NFC", sanitize(written)).strip().casefold()
    name = name.replace("\u2019", "'").replace("\u02bc", "'")  # as O'Neill is typed in Word
    is_plain = name and all(each.isalnum() or each in "@._-+'" for each in name)
    if not is_plain or len(name) > LONGEST_PERSON_NAME:
        raise UserError(
            _(
                "'{name}' cannot be the name of an account. Use an e-mail or a short name:"
                " letters, digits and @ . _ - + ' alone."
            ).format(name=written[:LONGEST_PERSON_NAME])
        )
    return name


def shown_name(name: str) -> str:
    """Return the name of an account as people write it: 'júlia' is Júlia, an e-mail as it stands.

    Names are kept in small letters, in which each stands for one account alone.
    """
    if "@" in name:
        return name
    return re.sub(r"[^\W\d_]+(?:'[^\W\d_]+)*", lambda word: word[0].capitalize(), name)


def new_account_name(written: str) -> str:
    """Return the name of a new account. Raises UserError for one that can pass for another.

    Its letters are of one script, and as they are typed: none of full width, none that is not seen.
    Who has such a name already goes on to sign in with it.
    """
    name = account_name(written)
    if unicodedata.normalize("NFKC", name) != name or any("FILLER" in _named(c) for c in name):
        raise UserError(
            _(
                "The name '{name}' has letters that only look like others, or that are not seen."
                " Write it anew on the keyboard, with plain letters."
            ).format(name=name)
        )
    # The first word of a letter's name in Unicode is its script: 'CYRILLIC SMALL LETTER A'.
    scripts = {_named(each).split(" ")[0].split("-")[0] for each in name if not each.isascii()}
    if any(each.isascii() and each.isalpha() for each in name):
        scripts.add("LATIN")
    if len(scripts) > 1 and not scripts <= _WRITTEN_TOGETHER:
        raise UserError(
            _(
                "The name '{name}' has letters of two alphabets, and can pass for another name."
                " Write it anew with the letters of one."
            ).format(name=name)
        )
    return name


# Japanese is written in three scripts together.
_WRITTEN_TOGETHER = frozenset({"CJK", "HIRAGANA", "KATAKANA"})
# Small letters of other scripts that are drawn as a Latin one (a choice from Unicode's UTS 39).
_DRAWN_ALIKE = str.maketrans(
    "авеіјкорсѕухԁһӏԛԝѵүαγεηικνοπρτυχωօոսհցզɑɡıɩ",
    "abeijkopcsyxdhlqwvyayenikvonptuxwonuhgqagii",
)


def drawn_as(name: str) -> str:
    """Return a name in Latin letters that look the same: two that come to one can be mixed up."""
    capitals = (_named(each).partition("LETTER SMALL CAPITAL ")[2] for each in name)
    small = (low.lower() if len(low) == 1 else "" for low in capitals)
    plain = "".join(low or each for low, each in zip(small, name, strict=True))
    return plain.translate(_DRAWN_ALIKE)


def _named(character: str) -> str:
    return unicodedata.name(character, "")


ADMINS: tuple[Role, ...] = ("admin",)
REVIEWERS: tuple[Role, ...] = ("responsavel", "admin")  # of answers


def check_role(person: Person | None, roles: Collection[Role]) -> None:
    """Raise UserError unless somebody of these roles acts; who needs no account may do it all."""
    if person is None or person.role in roles:
        return
    names = ", ".join(_(ROLE_LABELS[each]) for each in ROLES if each in roles)
    raise UserError(_("This is for: {roles}. Ask one of them.").format(roles=names))


def reading_notice() -> str:
    """Return what everybody is told where administrators may read what others have said."""
    return _("Administrators can read everybody's conversations here. Each reading is recorded.")
