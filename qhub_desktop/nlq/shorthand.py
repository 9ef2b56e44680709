"""Shorthand of questions written out: 'hj' is 'hoje', 'wk' is 'week', 'w/o' is 'without'.

The words stand in `resources/lexicon_questions.toml`, by language; the question's own goes first.
What a column or a value of the table is called by stays as it is, and so does what stands in
capitals in a question that is not all in capitals: that is rather a code or a name.
"""

import re
from functools import cache

from qhub_desktop.core.text import Language
from qhub_desktop.nlq.lexicon import in_full
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import normalize, stem, tokenize
from qhub_desktop.nlq.verbs import question_words

_WORD = re.compile(r"(?<![\w/.@-])[^\W\d_]+\.?(?![\w/@-])")
_LONGEST_CAPITALS = 3  # letters that may be a code


def written_out_question(question: str, index: SchemaIndex, language: Language) -> str:
    """Return a question with its short words in full, as far as the table has no such word."""
    names = " ".join(each.name for each in index.profile.columns).lower()
    question = in_full(question, "shortened", but_in=names)
    table = _table(language)
    own = {word.normalized for each in index.profile.columns for word in tokenize(each.name)}
    all_capitals = question.isupper()

    def written_out(said: re.Match[str]) -> str:
        word = said[0]
        dotted, plain = normalize(word), normalize(word.removesuffix("."))
        full = table.get(dotted)
        end = ""
        if full is None and (full := table.get(plain)) is not None and dotted != plain:
            end = "."
        if full is None or plain in own or stem(plain) in index.known:
            return word
        is_code = word.isupper() and not all_capitals and len(plain) <= _LONGEST_CAPITALS
        return word if is_code else full + end

    return _WORD.sub(written_out, question)


@cache
def _table(language: Language) -> dict[str, str]:
    """Return what is written for what, in any language, the question's own before the others."""
    listed = question_words()["shorthand"]
    order = sorted(listed, key=lambda each: each != language)
    found: dict[str, str] = {}
    for each in order:
        for pair in listed[each]["words"]:
            short, _, full = pair.partition(" ")
            found.setdefault(short, full)
    return found
