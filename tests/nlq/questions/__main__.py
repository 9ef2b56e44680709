"""`python -m tests.nlq.questions` writes the files and the questions over them, both halves."""

from types import ModuleType

from tests.nlq.questions import defects, inspections, measurements, production, sap, wide
from tests.nlq.questions.question import ASIDE, OPEN, is_aside, lines

SETS: tuple[ModuleType, ...] = (defects, measurements, production, inspections, sap, wide)


def main() -> None:
    """Writes every data set's file, then questions.jsonl and questions_aside.jsonl."""
    made: list[str] = []
    for each in SETS:
        each.write()
        made += lines(each.NAME, each.FILE, each.frame(), each.QUESTIONS)
    aside = [line for line in made if is_aside(line)]
    kept = [line for line in made if not is_aside(line)]
    for path, some in ((OPEN, kept), (ASIDE, aside)):
        path.write_text("".join(f"{line}\n" for line in some), encoding="utf-8", newline="\n")
    print(f"{len(made)} questions over {len(SETS)} files: {len(kept)} open, {len(aside)} aside")


if __name__ == "__main__":
    main()
