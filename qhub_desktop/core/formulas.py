r"""Formulas of a model's answer, which it may write in LaTeX, as plain text that can be read.

What stands between `$`, `$$`, `\(` and `\)` or `\[` and `\]` is written with the signs of Unicode:
`$\bar{x} \pm 3\hat{\sigma}$` is 'x̄ ± 3σ̂'. Code stays as it is, and so does money.
"""

import re

_COMMANDS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε",
    "zeta": "ζ", "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ",
    "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
    "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "sum": "Σ", "prod": "Π", "int": "∫", "infty": "∞", "partial": "∂", "ell": "ℓ",
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "mp": "∓", "ast": "*",
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈",
    "sim": "~", "equiv": "≡", "propto": "∝", "ll": "≪", "gg": "≫",
    "to": "→", "rightarrow": "→", "Rightarrow": "⇒", "leftarrow": "←", "implies": "⇒",
    "in": "∈", "notin": "∉", "cup": "∪", "cap": "∩", "forall": "∀", "exists": "∃", "mid": "|",
    "ldots": "…", "dots": "…", "cdots": "…", "quad": " ", "qquad": " ", "lvert": "|", "rvert": "|",
    "left": "", "right": "", "big": "", "Big": "", "bigg": "", "Bigg": "", "displaystyle": "",
    "limits": "", "nonumber": "", "degree": "°", "circ": "°", "langle": "⟨", "rangle": "⟩",
}  # fmt: skip
_SIGNS = {",": " ", ";": " ", ":": " ", "!": "", " ": " ", "\\": "\n"}  # after a backslash
_MARKS = {
    "bar": "\u0304", "overline": "\u0304", "hat": "\u0302", "widehat": "\u0302",
    "tilde": "\u0303", "widetilde": "\u0303", "dot": "\u0307", "ddot": "\u0308", "vec": "\u20d7",
}  # fmt: skip
_RAISED = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
_LOWERED = dict(
    zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True)
)
_FORMULA = re.compile(
    r"(?P<code>```.*?(?:```|\Z)|`[^`\n]*`)"
    r"|(?<!\\)\$\$(?P<block>.+?)\$\$"
    r"|(?<!\\)\\\[(?P<display>.+?)\\\]"
    r"|(?<!\\)\\\((?P<inline>.+?)\\\)"
    r"|(?<![\w\\$])\$(?P<dollar>[^\s$](?:[^$\n]*[^\s$])?)\$(?![\w$])",
    re.DOTALL,
)
_PART = re.compile(
    r"\\(?P<command>[A-Za-z]+)\*?|\\(?P<sign>.)|(?P<script>[_^])|(?P<other>.)", re.DOTALL
)
_LONGEST = 2_000  # characters of a formula
_DEEPEST = 12  # braces within braces
_SIMPLE = re.compile(r"[\w.,\u0300-\u036f₀-₉⁰-⁹]*|\(.*\)|√\(.*\)|\|[^|]*\|", re.DOTALL)


def plain_formulas(text: str) -> str:
    """Return the Markdown of an answer with its formulas as plain text."""
    if "$" not in text and "\\(" not in text and "\\[" not in text:
        return text
    return _FORMULA.sub(_replaced, text)


def _replaced(found: re.Match[str]) -> str:
    source = next((each for each in found.groups()[1:] if each is not None), None)
    if source is None or len(source) > _LONGEST:
        return found[0]
    if found["dollar"] is not None and not re.search(r"[\\^_=]", source):
        return found[0]  # money: '5$ e 3$'
    words = _literal(_plain(source).strip())
    is_own = found["block"] is not None or found["display"] is not None
    return f"\n\n{words}\n\n" if is_own else words


def _literal(words: str) -> str:
    """Return words that Markdown shows as they are."""
    return re.sub(r"([*_`\[\]<>#~|])", r"\\\1", words)


def _plain(source: str, depth: int = 0) -> str:
    """Return a formula in the signs of Unicode."""
    said: list[str] = []
    at = 0
    while found := _PART.match(source, at):
        at = found.end()
        if (command := found["command"]) is not None:
            words, at = _command(command, source, at, depth)
            said.append(words)
        elif (sign := found["sign"]) is not None:
            said.append(_SIGNS.get(sign, sign))
        elif (script := found["script"]) is not None:
            part, at = _argument(source, at, depth)
            said.append(_script(script, part))
        elif found[0] == "{":
            part, at = _argument(source, found.start(), depth)
            said.append(part)
        elif found[0] == "~":
            said.append(" ")
        elif found[0] not in "}&":
            said.append(found[0])
    return re.sub(r"[ \t]+", " ", "".join(said))


def _command(name: str, source: str, at: int, depth: int) -> tuple[str, int]:
    """Return what a command with its arguments says, and where they end."""
    if name in ("frac", "dfrac", "tfrac"):
        over, at = _argument(source, at, depth)
        under, at = _argument(source, at, depth)
        return f"{_grouped(over)}/{_grouped(under)}", at
    if name == "sqrt":
        part, at = _argument(source, at, depth)
        return f"√{_grouped(part)}", at
    if name in _MARKS:
        part, at = _argument(source, at, depth)
        marked = part[:1] + _MARKS[name] + part[1:] if len(part) <= 2 else part
        return "".join(each + _MARKS[name] for each in part) if len(part) == 2 else marked, at
    if name in ("begin", "end"):
        _name, at = _argument(source, at, depth)
        return "", at
    if name in _COMMANDS:
        return _COMMANDS[name], at
    if source[at : at + 1] == "{":  # \text{…}, \mathrm{…}, \operatorname{…}
        return _argument(source, at, depth)
    return name, at  # \ln, \max


def _argument(source: str, at: int, depth: int) -> tuple[str, int]:
    """Return the plain text of what stands in braces, or of one sign, and where it ends."""
    while source[at : at + 1] == " ":
        at += 1
    if source[at : at + 1] == "\\" and (found := _PART.match(source, at)) and depth < _DEEPEST:
        if found["command"] is not None:
            return _command(found["command"], source, found.end(), depth + 1)
        return _SIGNS.get(found["sign"], found["sign"]), found.end()
    if source[at : at + 1] != "{" or depth >= _DEEPEST:
        return source[at : at + 1], at + 1
    open_, end = 0, at
    for end in range(at, len(source)):
        open_ += (source[end] == "{") - (source[end] == "}")
        if not open_:
            break
    return _plain(source[at + 1 : end], depth + 1), end + 1


def _script(sign: str, part: str) -> str:
    """Return what is raised or lowered, in small signs where there are such."""
    small = _RAISED if sign == "^" else _LOWERED
    part = part.strip()
    if part and all(each in small for each in part):
        return "".join(small[each] for each in part)
    return f"{sign}{_grouped(part)}" if sign == "^" or len(part) != 1 else f"_{part}"


def _grouped(part: str) -> str:
    """Return a part in parentheses, unless it is one thing."""
    part = part.strip()
    return part if _SIMPLE.fullmatch(part) else f"({part})"
