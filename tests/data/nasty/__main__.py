"""Writes the nasty files and their truth anew: `python -m tests.data.nasty`."""

from tests.data.nasty.corpus import FILES, TRUTH, all_cases, is_same
from tests.data.nasty.truth import Case, as_json


def main() -> None:
    """Files whose content is what it was keep their bytes."""
    made: dict[str, Case] = {}
    for case in all_cases():
        assert case.name not in made, case.name
        made[case.name] = case
    for folder in (FILES, TRUTH):
        folder.mkdir(exist_ok=True)
    for stale in FILES.iterdir():
        if stale.name not in made:
            stale.unlink()
    for stale in TRUTH.iterdir():
        if stale.name.removesuffix(".json") not in made:
            stale.unlink()
    for case in made.values():
        file = FILES / case.name
        if not file.exists() or not is_same(file.read_bytes(), case.content):
            file.write_bytes(case.content)
        (TRUTH / f"{case.name}.json").write_text(
            as_json(case.truth), encoding="utf-8", newline="\n"
        )
    size = sum(len(case.content) for case in made.values())
    print(f"{len(made)} files, {size:,} bytes; the largest:")
    for case in sorted(made.values(), key=lambda case: -len(case.content))[:8]:
        print(f"{len(case.content):10,}  {case.name}")


if __name__ == "__main__":
    main()
