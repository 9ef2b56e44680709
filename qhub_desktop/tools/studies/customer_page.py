"""Report of a study on one page, as a customer expects it: head, verdict, pictures, figures.

What stands in its head is asked for, and remembered for the characteristic.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from qhub_desktop.charts import html_document
from qhub_desktop.core.study import HEADS, PointNote, Study
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.core.values import dataclass
from qhub_desktop.tools.widget_pages import (
    PageDocument,
    drawing_place,
    drawings_of,
    facts_html,
    html_text,
    table_html,
)

# Every length follows --share, by which the script below makes a long study fit.
_PAGE_STYLE = """
#page { --px: calc(1px * var(--share, 1)); font-size: calc(11 * var(--px)); line-height: 1.35; }
#page h1 { margin: 0 0 calc(4 * var(--px)); font-size: calc(18 * var(--px)); }
#page h2 { margin: 0 0 calc(2 * var(--px)); font-size: calc(11 * var(--px)); }
#page p { margin: 0 0 calc(3 * var(--px)); }
#page .qhub-doubt { padding: calc(3 * var(--px)) calc(8 * var(--px)); }
#page table { margin: 0; }
#page th, #page td { padding: calc(1.5 * var(--px)) calc(5 * var(--px));
  font-size: calc(9.5 * var(--px)); white-space: normal; }
#page .page-head { width: 100%; margin: 0 0 calc(6 * var(--px)); border: 1px solid #5B6470; }
.page-head th, .page-head td { text-align: left; border: 1px solid #E2E5EA; }
.page-head th { width: 18%; font-weight: 400; color: #5B6470; }
.page-head td { width: 32%; }
.page-verdict { font-weight: 600; }
.qhub-drawing { width: calc(680 * var(--px)); margin: 0 auto; }
.page-tables { columns: 2; column-gap: 16px; margin: calc(6 * var(--px)) 0 0; }
.page-tables > section { break-inside: avoid; margin: 0 0 calc(6 * var(--px)); }
.page-signed { display: flex; gap: 32px; margin: calc(26 * var(--px)) 0 0; }
.page-signed > div { flex: 1; padding-top: 2px; border-top: 1px solid #5B6470; }
"""
_SHEET_PX = 940  # height of an upright sheet between its head and its foot
# Whatever a study has to say, it stands on one sheet.
_FIT = f"""
addEventListener("load", function () {{
  var page = document.getElementById("page"), share = 1;
  while (share > 0.5 && page.scrollHeight > {_SHEET_PX}) {{
    share -= 0.01;
    page.style.setProperty("--share", share);
  }}
}});
"""


@dataclass(frozen=True, slots=True)
class ReportOrigin:
    """Origin of a report: who has it made, when, and of which data.

    `sha256` is the fingerprint of the file that the data set was read from, and empty for the
    station's own defect log. `head` has what the person wrote, by the names of `HEADS`.
    """

    who: str
    when: datetime
    sha256: str = ""
    notes: tuple[PointNote, ...] = ()  # causes and actions
    head: Mapping[str, str] = field(default_factory=dict)

    @property
    def foot(self) -> str:
        """What stands at the foot of each sheet: part, who, when, and the data's fingerprint."""
        sha256 = f"SHA-256 {self.sha256}" if self.sha256 else ""
        part = " ".join(filter(None, (self.head.get("part"), self.head.get("number"))))
        return " · ".join(filter(None, (part, self.who, moment(self.when), sha256)))


def customer_page(study: Study, origin: ReportOrigin) -> PageDocument:
    """Make the page, whose head is that of the origin."""
    doubts = "".join(f'<p class="qhub-doubt">{html_text(each)}</p>' for each in study.doubts)
    changed = "".join(
        f'<p class="qhub-doubt">{html_text(each.sentence)}</p>' for each in study.overrides
    )
    tables = [
        f"<section><h2>{html_text(view.title)}</h2>{table_html(view)}</section>"
        for view in study.tables
    ]
    method = html_text(_("Method"))
    tables.append(f"<section><h2>{method}</h2>{facts_html(study.facts)}</section>")
    signed = "".join(
        f"<div>{html_text(words)}</div>"
        for words in (_("Prepared by, date"), _("Approved by, date"))
    )
    inside = (
        f"<h1>{html_text(study.title)}</h1>{_head(study, origin)}"
        f'<p class="page-verdict">{html_text(study.verdict)}</p>{doubts}{changed}'
        f'{drawing_place("study")}<div class="page-tables">{"".join(tables)}</div>'
        f'<div class="page-signed">{signed}</div>'
    )
    document = html_document.build(
        f"<style>{html_document.shipped('figures.css')}{_PAGE_STYLE}</style>"
        f'<div id="page">{inside}</div><script>{_FIT}</script>',
        title=study.title,
    )
    return PageDocument(
        study.title, document, {}, "portrait", drawings_of("study", study), origin.foot
    )


def _head(study: Study, origin: ReportOrigin) -> str:
    """Return the head as a table, two names and values beside each other."""
    source = study.source
    names = " · ".join(filter(None, (source.file, source.sheet))) if source is not None else ""
    pairs = [(_(label), origin.head.get(name, "")) for name, label in HEADS.items()]
    made = ", ".join(filter(None, (origin.who, moment(origin.when))))
    pairs += [(_("Data"), names), (_("Made by, on"), made)]
    cells = [f"<th>{html_text(name)}</th><td>{html_text(value)}</td>" for name, value in pairs]
    rows = "".join(f"<tr>{''.join(cells[at : at + 2])}</tr>" for at in range(0, len(cells), 2))
    return f'<table class="page-head"><tbody>{rows}</tbody></table>'
