"""Where a reader stands in a question: the words around, and what those before say of the next."""

from collections.abc import Sequence

from qhub_desktop.chat.offline.plan import Relation
from qhub_desktop.chat.offline.vocabulary import Token

RANKING = ("#top", "#most", "#least", "#max", "#min", "#worst", "#best")
_OF = frozenset(
    (
        *("de", "do", "da", "dos", "das", "no", "na", "nos", "nas", "com"),
        *("pelo", "pela", "pelos", "pelas", "of", "in", "from", "with", "at", "ao", "aos", "on"),
    )
)


class Place:
    """A place among the words, and the mood in which the next is read.

    `said` are the words of the question; `tokens` are those that mean something, lined up.
    """

    def __init__(self, said: Sequence[Token], tokens: Sequence[Token]) -> None:
        self.said = said
        self.tokens = tokens
        self.at = 0
        self.is_by = False  # 'por': what is named next is what to group by
        self.is_except = False  # 'exceto': what is named next is left out
        self.relation: Relation = "is"  # 'acima da posição 7': said before the column
        self.last_column: str | None = None

    @property
    def is_at_end(self) -> bool:
        """Whether every word was read."""
        return self.at >= len(self.tokens)

    @property
    def here(self) -> Token:
        """The word to be read."""
        return self.tokens[self.at]

    @property
    def is_or_not(self) -> Relation:
        """How rows stand to a value that is named here."""
        return "is not" if self.is_except else "is"

    @property
    def is_plural(self) -> bool:
        """Whether the word here is of several."""
        return self.here.words[0].plain.endswith("s")

    @property
    def is_after_of(self) -> bool:
        """Whether the word here is said of another: 'da', 'no', 'with'."""
        return self.joined_by(self.here) in _OF

    @property
    def before(self) -> str:
        """What the word before this one means; 'é', 'o' and the like do not count."""
        for token in reversed(self.tokens[: self.at]):
            if token.lemma not in ("#noise", "#distinct"):
                return token.lemma
        return ""

    def meaning(self, at: int) -> str:
        """What the word at a place means; nothing behind the last."""
        return self.tokens[at].lemma if at < len(self.tokens) else ""

    def place_said(self, token: Token) -> int:
        """Where the words of a token stand in the question as it was said."""
        return next((at for at, each in enumerate(self.said) if each.words == token.words), 0)

    def said_before(self, token: Token) -> Token | None:
        """The word before a token as it was said, though it may mean nothing by itself."""
        at = self.place_said(token)
        return self.said[at - 1] if at else None

    def joined_by(self, token: Token) -> str:
        """The word by which a token is joined to what stands before it."""
        before = self.said_before(token)
        return "" if before is None else before.words[-1].plain
