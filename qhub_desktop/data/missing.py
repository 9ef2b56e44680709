"""Words that stand for nothing in a column of values."""

# Words for nothing, where the rest of a column are numbers or dates; elsewhere they are words.
MISSING_WORDS = (
    *("-", "--", "---", "----", "–", "—", ".", "?", "*"),
    *("n/a", "na", "n.a.", "n/d", "nd", "n.d.", "s/d", "null", "nulo", "none", "nan", "nil"),
    *("(null)", "<null>", "missing", "sem dados", "sem valor", "sem leitura", "vazio"),
)
