"""Agents as folders: whole there and back, and refused with a sentence where they are not sound."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.chat.agent_files import (
    LARGEST_ICON,
    agent_from,
    checked_icon,
    content_of,
    load_agents,
    read_folder,
    write_folder,
)
from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import RESOURCES

SHIPPED = load_agents(RESOURCES / "agents")
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">{}</svg>'
FULL = replace(
    SHIPPED["analise"],
    name='Pintura "B" \\ ção 👩‍🏭',
    prompt='Linha 1\n\n"""\n\\u0041 = [x]\n# fim',
    tools=("data", "gerar_kpi"),
    rules={"gerar_kpi": "ask", "executar_python": "never", "uma regra": "always"},
    privacy="aggregates",
    model="claude-opus-5",
    limits={"rounds": 3, "answer_tokens": 1000},
    starters={"pt": ('Diz "olá"?', "E [x]?"), "en": (), "ro": ("Câte?",)},
)


@pytest.mark.parametrize("agent", [*SHIPPED.values(), FULL, replace(FULL, tools=(), icon="")])
def test_an_agent_comes_back_from_its_folder_and_from_its_content(
    agent: Agent, tmp_path: Path
) -> None:
    write_folder(replace(agent, prompt="older"), tmp_path / "elsewhere")
    write_folder(agent, tmp_path / "elsewhere")

    assert read_folder(tmp_path / "elsewhere") == agent
    assert agent_from(agent.id, content_of(agent)) == agent


def test_a_folder_of_an_earlier_version_asks_for_what_it_lists(tmp_path: Path) -> None:
    write_folder(SHIPPED["qualidade"], tmp_path / "antigo")
    toml = tmp_path / "antigo" / "agent.toml"
    lines = toml.read_text("utf-8").splitlines()[1:]  # without the id
    toml.write_text("\n".join(['confirm = ["gerar_kpi"]', *lines]), "utf-8")

    read = read_folder(tmp_path / "antigo")
    assert (read.id, read.rules) == ("antigo", {"gerar_kpi": "ask"})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"privcy": "nothing"}, "'privcy' is nothing that an agent has"),
        ({"privacy": "None"}, "privacy: one of rows, aggregates, nothing"),
        ({"rules": {"gerar_kpi": "Never"}}, "rules.gerar_kpi: one of always, ask, never"),
        ({"limits": {"rounds": 0}}, "Tool rounds in one answer: choose a value from 1 to 50"),
        ({"limits": {"rounds": True}}, "Tool rounds in one answer"),
        ({"limits": {"answer_s": 1}}, "there is no limit 'answer_s'"),
        ({"name": " \n"}, "name: a text is missing here"),
        ({"name": "x\u202eexe"}, "name: a character that cannot be shown"),
        ({"name": "x" * 61}, "name: 60 characters at most"),
        ({"prompt": None}, "prompt: a text is missing here"),
        ({"prompt": "x" * 50_001}, "prompt: 50000 characters at most"),
        ({"starters": {"pt": "Quantos?"}}, "starters.pt: a list of texts is expected"),
        ({"starters": {"pt": ["x"] * 11}}, "starters.pt: 10 at most"),
        ({"summary": {"português": "x"}}, "'português' is no language"),
        ({"tools": "data"}, "tools: a list of texts is expected"),
        ({"rules": ["x"]}, "rules: a table of names and values is expected"),
    ],
)
def test_what_is_wrong_with_an_agent_is_told(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError) as refused:
        agent_from("x", {**content_of(FULL), **wrong})
    assert told in str(refused.value)


@pytest.mark.parametrize("name", ["", "..", "A", "a b", "ção", "con", "x" * 41, "a/b", None])
def test_a_name_that_could_be_no_folder_is_refused(name: object) -> None:
    with pytest.raises(UserError, match="short name"):
        agent_from(name, content_of(FULL))


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("agent.toml", b"name = ", "cannot be read"),
        ("agent.toml", b"x = " + b"[" * 100_000, "cannot be read"),
        ("agent.toml", b"\xff\xfe", "UTF-8"),
        ("prompt.md", None, r"cannot be read: prompt\.md: it is not there"),
        ("prompt.md", b"x" * 400_001, r"prompt\.md: it has more than 0\.4 MB"),
        ("icon.svg", b"<svg>", "no SVG"),
        ("agent.toml", None, "no file agent.toml"),
    ],
)
def test_a_damaged_folder_is_refused(
    tmp_path: Path, file: str, content: bytes | None, told: str
) -> None:
    write_folder(FULL, tmp_path / "x")
    if content is None:
        (tmp_path / "x" / file).unlink()
    else:
        (tmp_path / "x" / file).write_bytes(content)

    with pytest.raises(UserError, match=told):
        read_folder(tmp_path / "x")


@pytest.mark.parametrize(
    "svg",
    [
        "",
        "<svg/>",
        SVG.format('<path d="M4 4v16h16" stroke="currentColor" stroke-width="1.75"/>'),
        SVG.format(
            '<defs><linearGradient id="a"><stop offset="0" stop-color="#f00"/></linearGradient>'
            '</defs><g transform="scale(2)"><rect x="1" y="1" rx="2" width="9" height="9"'
            ' fill="url(#a)"/></g><!-- Tabler -->'
        ),
    ],
)
def test_an_icon_of_shapes_is_taken_as_it_stands(svg: str) -> None:
    assert checked_icon(svg) == svg


@pytest.mark.parametrize(
    "svg",
    [
        "<html/>",
        "no markup",
        SVG.format("<script>alert(1)</script>"),
        SVG.format('<image href="file:///etc/passwd"/>'),
        SVG.format('<use href="http://x/y#z"/>'),
        SVG.format('<path d="M0 0" onclick="x()"/>'),
        SVG.format('<path d="M0 0" style="fill:url(http://x)"/>'),
        SVG.format('<path d="M0 0" fill="url(http://x/y#z)"/>'),
        SVG.format('<path d="M0 0" fill="URL (http://x/y#z)"/>'),
        SVG.format("<style>@import url(http://x)</style>"),
        SVG.format("<foreignObject/>"),
        SVG.format("<animate/>"),
        SVG.format('<path d="M0 0h1e9" stroke-dasharray="0.001"/>'),
        SVG.format('<h:script xmlns:h="http://www.w3.org/1999/xhtml"/>'),
        SVG.format('<path xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#a"/>'),
        SVG.format('<svg viewBox="0 0 1 1"/>'),
        f'<!DOCTYPE svg SYSTEM "http://x/y.dtd">{SVG.format("")}',
        f'<!DOCTYPE svg [<!ENTITY a "{"b" * 9}">]>{SVG.format("<title>&a;</title>")}',
        f'<?xml-stylesheet href="http://x"?>{SVG.format("")}',
        SVG.format("<g>" * 20 + "</g>" * 20),
        SVG.format("<g/>" * 500),
        SVG.format(f"<title>{'x' * LARGEST_ICON}</title>"),
        SVG.format("") + SVG.format(""),
    ],
)
def test_an_icon_that_holds_more_than_shapes_is_refused(svg: str) -> None:
    with pytest.raises(UserError, match="This icon cannot be used"):
        checked_icon(svg)
