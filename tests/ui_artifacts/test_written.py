"""Pages as models write them, in cards, in the real web engine: as high as their content, once."""

import json
import subprocess
import sys
from pathlib import Path

import dev
from tests.ui_artifacts.open_written import WRITTEN

TALLEST_PX = 680  # of a card's page
ENOUGH = 20
SCROLL_DOWN = {"charts_flex_wrap.html", "table_500.html"}
SCROLL_SIDEWAYS = {"table_wide.html"}
MISSING = {"d3.html": "D3", "styled_fragment.html": "Mermaid", "tailwind.html": "Tailwind CSS"}
LEAST_ZOOM = 0.6
NARROWEST, WIDEST = 0.3, 4.0  # width of a chart, in heights
Page = dict[str, object]


def test_they_come_to_rest_at_once_and_stay_as_they_are_when_opened_again(home: Path) -> None:
    names = {each.name for each in WRITTEN.iterdir()}
    assert len(names) >= ENOUGH

    cold, again = opened("light", "dark")

    assert set(cold) == set(again) == names
    assert {name: faults(name, cold[name]) for name in names if faults(name, cold[name])} == {}
    assert {name: faults(name, again[name]) for name in names if faults(name, again[name])} == {}
    # The same answer, opened for the second time, does not move what stands under it.
    assert {
        name: (cold[name]["heights"], again[name]["heights"])
        for name in names
        if again[name]["heights"] != [_last(cold[name])]
    } == {}


def faults(name: str, page: Page) -> list[str]:
    """What is wrong with a page in its card."""
    height = _last(page)
    steps = len(_numbers(page["heights"])) - 1
    found = []
    if height > TALLEST_PX:
        found.append(f"{height} px high")
    if steps > 2:
        found.append(f"{steps} times another height")
    if (_number(page["over"]) > 0) is not (name in SCROLL_DOWN):
        found.append(f"{page['over']} px to scroll")
    if (_number(page["wide"]) > 0) is not (name in SCROLL_SIDEWAYS):
        found.append(f"{page['wide']} px too wide")
    if name in SCROLL_DOWN | SCROLL_SIDEWAYS and page["view"] != height:
        found.append("scroll bars out of sight")
    said = [each for each in _words(page) if each.startswith("Shown without ")]
    if [MISSING[name] in each for each in said] != [True] * (name in MISSING):
        found.append(f"it says {said}")
    zoom = _number(page["card_width"]) / _number(page["width"])
    if zoom < LEAST_ZOOM:
        found.append(f"too small to read: {zoom}")
    canvases = page["canvases"]
    assert isinstance(canvases, list)
    for canvas in canvases:
        width, tall, _right, bottom, drawn_width, drawn_tall = _numbers(canvas)
        if not NARROWEST <= width / tall <= WIDEST:
            found.append(f"a chart of {width} x {tall}")
        if abs(width / drawn_width - tall / drawn_tall) > 0.05:
            found.append(f"a chart of {drawn_width} x {drawn_tall} as {width} x {tall}")
        if bottom * zoom > height and name not in SCROLL_DOWN:
            found.append(f"a chart down to {bottom * zoom} in {height}")
    return found


def opened(*rounds: str) -> list[dict[str, Page]]:
    """What became of every page, in each round."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.ui_artifacts.open_written", *rounds],
        capture_output=True,
        check=False,
        cwd=dev.ROOT,
        encoding="utf-8",
        errors="replace",
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[dict[str, Page]] = [{} for _each in rounds]
    for line in done.stdout.splitlines():
        page = json.loads(line)
        found[page["round"]][page["name"]] = page
    return found


def _last(page: Page) -> float:
    return _numbers(page["heights"])[-1]


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return value


def _numbers(value: object) -> list[float]:
    assert isinstance(value, list)
    return [_number(each) for each in value]


def _words(page: Page) -> list[str]:
    words = page["words"]
    assert isinstance(words, list)
    return [str(each) for each in words]
