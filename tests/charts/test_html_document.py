"""Pages: whole documents of what models write, and files that need nothing else."""

import re
import subprocess
import sys

import pytest

import dev
from qhub_desktop.charts import html_document
from tests.exported_pages import bridge_in, page_in

DOCUMENT = "<!DOCTYPE html>\n<html><head><title>own</title></head><body>own</body></html>"


def test_a_document_is_used_as_it_is() -> None:
    assert html_document.build(DOCUMENT, title="other") == DOCUMENT


@pytest.mark.parametrize("fragment", ["<p>here</p>", "<body class='x'><p>here</p></body>"])
def test_a_fragment_is_wrapped_in_the_template(fragment: str) -> None:
    page = html_document.build(fragment, title="A & <b>")

    assert "<title>A &amp; &lt;b&gt;</title>" in page
    assert page.count("<body") == 1
    assert "<p>here</p>" in page
    assert ".kpi-card" in page
    assert "/web/" not in page


@pytest.mark.parametrize(
    "name",
    [
        *("kpi-card", "chart-container", "data-table", "dashboard-grid", "dashboard-row"),
        *("section-title", "prefers-color-scheme: dark", "@media print"),
    ],
)
def test_the_template_dresses_what_models_are_told_of(name: str) -> None:
    assert name in html_document.build("<p>")


def test_charts_come_from_the_program_before_the_page_asks_for_them() -> None:
    page = html_document.build("<canvas id=c></canvas><script>new Chart(c, {})</script>")

    assert page.index("/web/chart.js") < page.index("/web/charts.js") < page.index("new Chart(")


@pytest.mark.parametrize(
    "address",
    [
        "https://cdn.jsdelivr.net/npm/chart.js",
        "https://cdn.jsdelivr.net/npm/chart.js@4.4.0/dist/chart.umd.min.js",
        "//cdnjs.cloudflare.com/ajax/libs/Chart.js/4.4.1/chart.min.js",
    ],
)
def test_a_known_library_from_elsewhere_is_the_programs_own(address: str) -> None:
    written = DOCUMENT.replace("</head>", f'<script defer src="{address}"></script></head>')

    page = html_document.build(written)

    assert address not in page
    assert page.count("/web/chart.js") == 1


def test_a_plugin_is_not_taken_for_the_library() -> None:
    written = (
        '<script src="https://cdn.jsdelivr.net/npm/chart.js"></script>'
        '<script src="https://cdn.jsdelivr.net/npm/chartjs-plugin-datalabels@2"></script>'
    )

    assert html_document.build(written).count("/web/chart.js") == 1


@pytest.mark.parametrize(
    ("imported", "bound"),
    [
        ("import Chart from", "const Chart = window.Chart"),
        ("import * as C from", "const C = window.Chart"),
        ("import { Chart, registerables as all } from", "const { Chart, registerables: all } ="),
        (
            "import Chart, {Ticks} from",
            "const Chart = window.Chart; const {Ticks} = window.Chart",
        ),
    ],
)
def test_a_module_is_given_the_charts_that_it_imports(imported: str, bound: str) -> None:
    address = "https://cdn.jsdelivr.net/npm/chart.js@4/auto/+esm"
    script = f"<script type=module>{imported} '{address}'; new Chart(c, {{}})</script>"

    page = html_document.build(DOCUMENT.replace("own</body>", f"{script}</body>"))

    assert bound in page
    assert address not in page
    assert page.index("/web/chart.js") < page.index("window.Chart")


def test_libraries_that_are_not_here_are_named_but_not_fonts() -> None:
    source = """<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter">
        <link rel="stylesheet" href="https://cdnjs.cloudflare.com/ajax/font-awesome/all.min.css">
        <link href="https://cdn.jsdelivr.net/npm/bootstrap@5/bootstrap.min.css" rel="stylesheet">
        <script src="https://cdn.tailwindcss.com"></script><script src="/own.js"></script>
        <script src="https://d3js.org/d3.v7.min.js"></script>
        <script src="https://cdn.jsdelivr.net/npm/chart.js"></script>
        <script src="//example.com/lib/sorttable.min.js?v=2"></script>
        <script type="module">import x from "https://esm.sh/plotly.js-dist";</script>"""

    named = html_document.missing_libraries(source)

    assert named == ("Tailwind CSS", "D3", "sorttable", "Bootstrap", "Plotly")


def test_a_card_is_no_screen_to_grow_with() -> None:
    page = html_document.for_card(
        "<html><style>a { min-height: calc(100vh - 2rem); width: 50vw } .h-100vh { }</style>"
        "<p style='height:50dvh'>100vh is text</p><script>x.style.height = '.5vh'</script>",
        screen_px=400,
    )

    assert page == (
        "<!DOCTYPE html>\n"
        "<html><style>a { min-height: calc(400px - 2rem); width: 50vw } .h-100vh { }</style>"
        "<p style='height:200px'>100vh is text</p><script>x.style.height = '2px'</script>"
    )


def test_a_fragment_that_fills_its_screen_goes_to_the_edges() -> None:
    assert "body { padding: 0; }" in html_document.build("<div style='min-height: 100vh'>x</div>")
    assert "body { padding: 0; }" not in html_document.build("<div>x</div>")
    assert "body { padding: 0; }" not in html_document.build("<svg></svg>", kind="svg")


@pytest.mark.parametrize(
    ("tag", "drawn"),
    [
        ('<svg width="300" height="40px">', '<svg viewBox="0 0 300 40" width="300" height="40px">'),
        ('<svg width="100%" height="40">', '<svg width="100%" height="40">'),
        (
            '<svg viewBox="0 0 3 4" width="9" height="9">',
            '<svg viewBox="0 0 3 4" width="9" height="9">',
        ),
    ],
)
def test_a_drawing_can_be_scaled(tag: str, drawn: str) -> None:
    assert drawn in html_document.build(f"{tag}<rect/></svg>", kind="svg")


def test_an_unknown_library_is_left_alone() -> None:
    script = '<script src="https://example.com/evil.js"></script>'

    assert script in html_document.build(script)


def test_jsx_stands_where_it_cannot_end_its_element() -> None:
    page = html_document.build("const a = '</script><p>out</p>'", kind="jsx")

    assert "'</script>" not in page
    assert page.index("/web/sucrase.js") < page.index("text/jsx") < page.index("/web/jsx.js")


def test_an_exported_page_names_no_address_and_holds_its_data() -> None:
    page = html_document.build("<script>new Chart(c, {})</script>", title="x")

    whole = html_document.self_contained(page, {"rows": ["</script><b>"]}, title="x")

    assert not re.search(r"<script[^>]*\bsrc=", whole)
    assert not re.search(r"<script[^>]*\bsrc=", page_in(whole))
    assert "Chart.js v4" in page_in(whole)
    assert "rows" in bridge_in(whole)
    assert "<b>" not in whole
    assert whole.index("Content-Security-Policy") < whole.index("<title>x</title>")


def test_data_cannot_leave_its_script() -> None:
    assert "<" not in html_document.bridge({"a": "</script><!--<script>"})


def test_only_the_programs_libraries_are_there() -> None:
    with pytest.raises(KeyError):
        html_document.library("../prices.toml")


def test_the_libraries_are_those_that_are_written_down() -> None:
    said = (html_document.WEB / "README.md").read_text(encoding="utf-8")

    assert "Chart.js 4.6.1" in said
    assert "Chart.js v4.6.1" in html_document.library("chart.js")
    assert "React 18.3.1" in said
    assert '"18.3.1' in html_document.library("react.js")
    for name in ("chart", "react", "sucrase"):
        assert "Permission is hereby granted" in (html_document.WEB / f"{name}.LICENSE").read_text(
            encoding="utf-8"
        )


def test_wrapping_needs_no_qt() -> None:
    code = (
        "import sys; from qhub_desktop.charts import html_document; html_document.build('<p>');"
        " sys.exit('PySide6' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], cwd=dev.ROOT, check=False).returncode == 0


def test_a_file_of_ours_that_a_page_asks_for_and_is_not_there_breaks_no_export() -> None:
    page = html_document.build('<p>a</p><script src="/web/other.js"></script>')

    whole = html_document.self_contained(page, title="x")

    assert '<script src="/web/other.js"></script>' in page_in(whole)
