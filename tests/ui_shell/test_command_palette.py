"""How well a command fits the letters that were typed."""

from qhub_desktop.ui.shell.command_palette import fuzzy_score


def test_letters_in_order_fit_and_the_start_of_words_fits_best() -> None:
    assert fuzzy_score("nc", "New conversation") is not None
    assert fuzzy_score("cn", "New") is None
    words = ["Find in this conversation", "New conversation", "Full screen"]
    assert max(words, key=lambda each: fuzzy_score("new", each) or -99) == "New conversation"
    assert fuzzy_score("definicoes", "Definições") == fuzzy_score("definições", "Definições")
