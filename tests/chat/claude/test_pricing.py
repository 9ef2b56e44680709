"""What answers cost, by the vendor's list or the person's own."""

from pathlib import Path

import pytest

from qhub_desktop.chat.claude.credentials import DEFAULT_MODEL
from qhub_desktop.chat.claude.pricing import load_prices
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.paths import RESOURCES

M = 1_000_000


@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        (UsageCounted("claude-sonnet-5-5", M, 0), 2.00),
        (UsageCounted("claude-sonnet-5-5", 0, M), 10.00),
        (UsageCounted("claude-sonnet-5-5", 0, 0, cache_read_tokens=M), 0.10),
        (UsageCounted("claude-sonnet-5-5", 0, 0, cache_write_tokens=M), 2.50),
        (UsageCounted("claude-opus-5-5", 1000, 500, 10_000, 2000), 0.026),
        (UsageCounted("claude-haiku-5-5", 100_000, 1000), 0.0105),
        # Every token of a request whose whole prompt is longer costs more, cached ones too.
        (UsageCounted("claude-haiku-5-5", 100_001, 1000), 0.0525005),
        (UsageCounted("claude-haiku-5-5", 1, 1000, cache_read_tokens=M), 0.0525005),
        (UsageCounted("claude-haiku-5-5", 1, 1000, cache_write_tokens=M), 0.6275005),
        (UsageCounted("claude-haiku-4-5-20251001", M, 0), 1.00),
    ],
)
def test_an_answer_costs_what_the_list_says(
    usage: UsageCounted, usd: float, tmp_path: Path
) -> None:
    assert load_prices(RESOURCES, tmp_path).cost(usage) == pytest.approx(usd)


def test_an_estimate_has_the_prompt_once_new_twice_again_and_the_longest_answer(
    tmp_path: Path,
) -> None:
    prices = load_prices(RESOURCES, tmp_path)
    size = 360_000  # of 100,000 tokens

    usd = prices.estimate("claude-sonnet-5-5", characters=size, answer_tokens=4096)

    assert usd == pytest.approx(0.25 + 2 * 0.01 + 0.04096)
    assert prices.estimate("qwen3-8b", characters=size, answer_tokens=4096) is None


def test_a_request_costs_no_more_than_if_each_byte_of_it_were_a_new_token(tmp_path: Path) -> None:
    prices = load_prices(RESOURCES, tmp_path)

    for model, bytes_, usd in (
        ("claude-sonnet-5-5", 100_000, 0.25 + 0.04096),
        ("claude-haiku-5-5", 100_001, 0.062500625 + 0.01024),  # the price of long prompts
    ):
        most = prices.most(model, request_bytes=bytes_, answer_tokens=4096)
        assert most == pytest.approx(usd)
        for usage in (
            UsageCounted(model, bytes_, 4096),
            UsageCounted(model, 0, 4096, cache_write_tokens=bytes_),
            UsageCounted(model, 0, 4096, cache_read_tokens=bytes_),
        ):
            assert (prices.cost(usage) or 0.0) <= usd
    assert prices.most("qwen3-8b", request_bytes=1, answer_tokens=1) is None


def test_a_model_without_a_price_costs_nobody_knows_what(tmp_path: Path) -> None:
    assert load_prices(RESOURCES, tmp_path).cost(UsageCounted("qwen3-8b", 1000, 10)) is None


def test_the_recommended_model_comes_first_and_no_retired_one_at_all(tmp_path: Path) -> None:
    prices = load_prices(RESOURCES, tmp_path)

    assert prices.names[0] == DEFAULT_MODEL
    assert "claude-sonnet-4-20250514" not in prices.names
    assert prices.checked >= "2026-11"


def test_the_persons_own_list_wins(tmp_path: Path) -> None:
    own = """
        checked = "2027-01"
        [[model]]
        name = "claude-sonnet-5-5"
        input = 1
        output = 5
        cache_read = 0.5
        cache_write = 1
    """
    (tmp_path / "prices.toml").write_text(own, encoding="utf-8")

    prices = load_prices(RESOURCES, tmp_path)

    assert prices.cost(UsageCounted("claude-sonnet-5-5", M, M)) == pytest.approx(6)


@pytest.mark.parametrize("content", ["checked =", 'checked = "x"', "model = [1]", "\xff"])
def test_a_list_that_cannot_be_read_is_named(content: str, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_bytes(content.encode("latin-1"))

    with pytest.raises(UserError, match=r"prices\.toml"):
        load_prices(RESOURCES, tmp_path)
