"""The size and shape of the package, as figures: `python -m tests.foundation.measure`.

Only classes and functions that stand in `qhub_desktop` are counted.
"""

import ast
import functools
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import qhub_desktop

PACKAGE = Path(qhub_desktop.__file__).parent
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the package: its dotted name without the package's, its lines, its tree."""

    name: str
    lines: tuple[str, ...]
    tree: ast.Module

    @property
    def folder(self) -> str:
        """Return the package that it stands in, dotted."""
        return self.name.rpartition(".")[0]


@functools.cache
def modules() -> tuple[Module, ...]:
    """Read every module of the package."""
    return tuple(_module(path) for path in sorted(PACKAGE.rglob("*.py")))


def _module(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    return Module(name, tuple(text.splitlines()), ast.parse(text))


def functions() -> Iterator[tuple[str, int]]:
    """Yield each function's name with its module, and its lines, decorators apart."""
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, Function):
                yield f"{module.name}.{node.name}", (node.end_lineno or 0) - node.lineno + 1


@dataclass(frozen=True, slots=True)
class Class:
    """A class, its bases in the package, near and far, and how many methods it has with theirs."""

    name: str
    bases: tuple[str, ...]
    methods: int


def classes() -> tuple[Class, ...]:
    """List the classes of the package; a base is found by its name."""
    named = {
        node.name: node
        for module in modules()
        for node in module.tree.body
        if isinstance(node, ast.ClassDef)
    }
    return tuple(_class(node, named) for node in named.values())


def _class(node: ast.ClassDef, named: dict[str, ast.ClassDef]) -> Class:
    bases: list[str] = []
    waiting = [node]
    while waiting:
        for base in waiting.pop().bases:
            name = ast.unparse(base).partition("[")[0].rpartition(".")[2]
            if name in named and name not in bases and name != node.name:
                bases.append(name)
                waiting.append(named[name])
    methods = {
        each.name
        for own in (node, *(named[name] for name in bases))
        for each in own.body
        if isinstance(each, Function)
    }
    return Class(node.name, tuple(bases), len(methods))


def names_of_two_classes() -> dict[str, list[str]]:
    """Return the public names that several classes of the package have, with their modules."""
    homes = defaultdict(list)
    for module in modules():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(module.name)
    return {name: places for name, places in sorted(homes.items()) if len(places) > 1}


def constants_of_two_values() -> dict[str, list[str]]:
    """Return the constants that stand in several modules of one folder, with those modules."""
    homes = defaultdict(list)
    for module in modules():
        for node in module.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else ()
            for target in targets:
                if isinstance(target, ast.Name) and target.id.isupper():
                    homes[module.folder, target.id].append(module.name)
    return {
        f"{folder}.{name}": places
        for (folder, name), places in sorted(homes.items())
        if len(places) > 1
    }


def comment_share() -> float:
    """Return the share of lines that hold nothing but a comment."""
    lines = [line.strip() for module in modules() for line in module.lines]
    return sum(line.startswith("#") for line in lines) / len(lines)


def remarked_share() -> float:
    """Return the share of lines with a comment, alone or behind code."""
    lines = sum(len(module.lines) for module in modules())
    return sum(_remarks(module) for module in modules()) / lines


def _remarks(module: Module) -> int:
    """Count the comments of a module."""
    rest = iter(f"{line}\n" for line in module.lines)
    found = tokenize.generate_tokens(lambda: next(rest, ""))
    return sum(token.type == tokenize.COMMENT for token in found)


def main() -> None:
    """Print the figures."""
    sizes = sorted(len(module.lines) for module in modules())
    lengths = sorted(functions(), key=lambda each: each[1])
    counts = [length for _, length in lengths]
    largest = max(classes(), key=lambda each: each.methods)
    by_room = Counter[str]()
    for module in modules():
        by_room[module.name.partition(".")[0]] += len(module.lines)
    print(f"lines, modules: {sum(sizes)}, {len(sizes)}")
    print(f"lines of a file, median, p90, most: {_spread(sizes)}")
    print(f"lines of a function: {_spread(counts)}; over 80: {sum(n > 80 for n in counts)}")
    print(f"methods over own bases: {largest.methods} ({largest.name})")
    print(f"own bases: {max(len(each.bases) for each in classes())}")
    print(f"comments: {comment_share():.1%}; with those behind code: {remarked_share():.1%}")
    print(f"names of two classes: {len(names_of_two_classes())}")
    print(f"constants of two values: {len(constants_of_two_values())}")
    for room, lines in by_room.most_common():
        print(f"  {room}: {lines}")


def _spread(values: list[int]) -> str:
    return f"{median(values):.0f}, {quantiles(values, n=10)[-1]:.0f}, {max(values)}"


if __name__ == "__main__":
    main()
