"""How well a command fits the letters that were typed."""

from qhub_desktop.ui.shell.command_palette import fit


def test_letters_in_order_fit_and_the_start_of_words_fits_best() -> None:
    assert fit("nc", "New conversation") is not None
    assert fit("cn", "New") is None
    words = ["Find in this conversation", "New conversation", "Full screen"]
    assert max(words, key=lambda each: fit("new", each) or -99) == "New conversation"
    assert fit("definicoes", "Definições") == fit("definições", "Definições")
