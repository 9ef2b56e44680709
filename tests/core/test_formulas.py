import pytest

from qhub_desktop.core.formulas import plain_formulas


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"limites: $\bar{x} \pm 3\hat{\sigma}$.", "limites: x\u0304 ± 3σ\u0302."),
        (r"\(\frac{USL - \mu}{3\sigma}\)", "(USL - μ)/3σ"),
        (r"$C_{pk} = \min(a, b)$", "Cₚₖ = min(a, b)"),
        (r"$\sqrt{\frac{p(1-p)}{n}}$", "√((p(1-p))/n)"),
        (r"$x_1^2 + x_{10}$", "x₁² + x₁₀"),
        (r"\[\text{taxa} = \frac{12}{400} \approx 3\,\%\]", "\n\ntaxa = 12/400 ≈ 3 %\n\n"),
        ("custa 5$ e depois 3$", "custa 5$ e depois 3$"),
        ("de $5 a $30", "de $5 a $30"),
        ("`$\\bar{x}$` e ```\n$a_1$\n```", "`$\\bar{x}$` e ```\n$a_1$\n```"),
        (r"$\bar{x", r"$\bar{x"),
    ],
)
def test_a_formula_is_written_so_that_it_can_be_read(written: str, shown: str) -> None:
    assert plain_formulas(written) == shown


def test_a_formula_of_braces_alone_is_read_too() -> None:
    assert "μ" in plain_formulas("$" + "{" * 900 + r"\mu" + "}" * 900 + "$")
