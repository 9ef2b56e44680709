"""Small tables in Markdown."""

from collections.abc import Sequence

_MOST_COLUMNS = 9


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is words and whose others are numbers."""
    lines = [_line(heads), _line(["---", *("---:" for _ in heads[1:])])]
    lines.extend(_line(row) for row in rows)
    return "\n".join(lines)


def crossed(heads: Sequence[str], cells: Sequence[tuple[str, str, str]], *, most_lines: int) -> str:
    """Cells by two labels: as a cross table if it is not too wide, else line by line."""
    rows = list(dict.fromkeys(row for row, _, _ in cells))
    columns = list(dict.fromkeys(column for _, column, _ in cells))
    if len(columns) > _MOST_COLUMNS:
        values = [[row, column, value] for row, column, value in cells[:most_lines]]
        return markdown([*heads, ""], values)
    at = {(row, column): value for row, column, value in cells}
    return markdown(
        [heads[0], *columns],
        [[row, *(at.get((row, column), "") for column in columns)] for row in rows[:most_lines]],
    )


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|").replace("\n", " ") for cell in cells) + " |"
