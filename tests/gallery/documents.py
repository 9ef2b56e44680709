"""Documents: their panel, the viewer with its marks, and citations in an answer."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QScrollArea, QWidget

from qhub_desktop.core.citations import citation_mark
from qhub_desktop.core.documents import Citation, DocumentFacts, DocumentHit, DocumentPlace
from qhub_desktop.core.message import Text
from qhub_desktop.core.paths import home
from qhub_desktop.ui.documents.page_view import PageView
from qhub_desktop.ui.documents.text_view import PassageText
from qhub_desktop.ui.documents.viewer import DocumentWindow, cited
from qhub_desktop.ui.settings.dialog import SettingsDialog
from qhub_desktop.ui.settings.fields import OcrField
from qhub_desktop.ui.shell.main_window import MainWindow
from qhub_desktop.ui.table.window import TableWindow
from tests.gallery._talk import question, staged, stored
from tests.gallery.shell import LARGE, SMALL, opened, opened_with_program
from tests.knowledge.corpus import content_of
from tests.knowledge.pdf_writer import PdfPage, pdf_bytes
from tests.waiting import until

STEPS = (
    "4.2 Polir",
    "A mesma peça pode ser polida no máximo duas vezes. À terceira é",
    "rejeitada e registada como retrabalho, com o código E-3042.",
    "Usa-se a politriz a 1500 rpm com a boina branca e a massa M3. Depois de",
    "polir, limpa-se a peça com álcool isopropílico e espera-se dois minutos.",
    "4.3 Inspecionar",
    "A inspeção faz-se sob luz de 1000 lux, a 60 cm e durante 10 segundos.",
    "Riscos visíveis a esta distância levam a peça de volta à lixagem.",
)
MEMO = (
    "# Lavagem das suspensões\n\nAs suspensões são lavadas todas as sextas-feiras, no fim do turno"
    " da tarde.\n\n# Produtos\n\nUsa-se o decapante D-20 a 60 °C durante 40 minutos. As luvas e a"
    " viseira são obrigatórias.\n"
)


def instruction(revision: int) -> bytes:
    """A work instruction of three pages."""
    pages = []
    for number in range(1, 4):
        page = PdfPage()
        page.text(60, 790, f"IT-PIN-014 rev. {revision}", size=11, bold=True)
        page.text(400, 790, f"Data: 0{revision}/02/2026", size=9)
        page.line(60, 782, 535, 782)
        if number == 1:
            page.text(60, 740, "Polimento de peças pintadas", size=18, bold=True)
            page.text(60, 712, "Cliente: Autoeuropa. Vale para todas as linhas.", size=10)
        for place, words in enumerate(STEPS):
            is_heading = words[0].isdigit()
            page.text(60, 660 - 22 * place, words, size=13 if is_heading else 11, bold=is_heading)
        page.text(280, 40, f"Página {number} de 3", size=8)
        pages.append(page)
    return pdf_bytes(pages, title="Polimento de peças pintadas")


def scan() -> bytes:
    """A scanned page: a picture of text."""
    picture = Image.new("RGB", (1240, 1754), "#FBFAF4")
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(30)
    lines = (
        "FT-VER-007 Verniz 2K alto brilho",
        "Mistura: 4 partes de verniz, 1 de endurecedor.",
        "A mistura usa-se durante 45 minutos a 20 graus.",
        "Estufa: 80 graus, 30 minutos.",
    )
    for place, words in enumerate(lines):
        pen.text((120, 180 + 70 * place), words, fill="#222222", font=font)
    page = PdfPage()
    page.picture(picture.rotate(0.4, fillcolor="#FBFAF4"))
    return pdf_bytes([page])


async def _written(files: dict[str, bytes]) -> list[Path]:
    folder = home() / "plant"
    await asyncio.to_thread(folder.mkdir, exist_ok=True)
    for name, content in files.items():
        await asyncio.to_thread((folder / name).write_bytes, content)
    return [folder / name for name in files]


async def filled(size: tuple[int, int] = LARGE, **files: bytes) -> MainWindow:
    """A window whose panel shows documents that were read."""
    _program, window = await opened_with_program(size)
    window.frame.side.show_panel(shows_documents=True)
    panel = window.frame.documents
    await until(lambda: panel._service is not None)
    known = {each.file for each in await panel.service.documents()}
    chosen = files or {
        "IT-PIN-014_rev5.pdf": instruction(5),
        "IT-PIN-014_rev6.pdf": instruction(6),
        "lavagem das suspensões.md": MEMO.encode(),
        "ficha antiga.doc.pdf": b"%PDF-1.7\nbroken",
    }
    named = {name.replace("__", "."): content for name, content in chosen.items()}
    new = await _written({name: each for name, each in named.items() if name not in known})
    if new:
        await panel.service.add(new)
        await panel.service.indexing.finish(words_only=True)
    panel.refresh()
    await until(
        lambda: (
            {each.file for each in panel.documents} >= set(named)
            and not any(each.state == "queued" for each in panel.documents)
        )
    )
    return window


async def found(window: MainWindow, words: str) -> Sequence[DocumentHit]:
    """Hits of a search by words."""
    service = window.frame.documents.service
    return (await service.search(words, engine="words", with_superseded=True)).hits


async def shown(window: MainWindow, hits: Sequence[Citation], at: int = 0) -> DocumentWindow:
    """The viewer at one of the hits, drawn."""
    viewer = DocumentWindow(window.frame.documents.service, tasks=window.tasks)
    viewer.resize(900, 700)
    viewer.show_hits(hits, at)
    await until(lambda: viewer.view is not None or bool(viewer.told))
    viewer.destroyed.connect(window.close)
    return viewer


async def nothing() -> QWidget:
    """No document yet."""
    window = await opened(LARGE)
    window.frame.side.show_panel(shows_documents=True)
    return window


async def panel() -> QWidget:
    """Two revisions, notes, and one that could not be read."""
    return await filled()


async def small() -> QWidget:
    """The same in a small window."""
    return await filled(SMALL)


async def searched() -> QWidget:
    """Passages that were found, below the names."""
    window = await filled()
    box = window.frame.documents.search_box
    box.setText("polir")
    await until(lambda: bool(window.frame.documents._hits))
    return window


async def reading() -> QWidget:
    """How far the documents are prepared."""
    from qhub_desktop.tools.document_indexing import IndexingProgress

    window = await filled()
    panel_ = window.frame.documents
    panel_.service.indexing.listeners.clear()
    panel_._on_progress(IndexingProgress(passages=1_240, embedded=480))
    return window


async def removal() -> QWidget:
    """A document is to be removed."""
    window = await filled()
    panel_ = window.frame.documents
    panel_._ask_removal(panel_.documents[0])
    return window


async def marked() -> QWidget:
    """The quoted sentence on its page."""
    window = await filled()
    hits = [cited(each) for each in await found(window, "polir a mesma peça duas vezes")]
    chosen = [each for each in hits if each.revision == "6"]
    viewer = await shown(window, chosen)
    view = viewer.view
    assert isinstance(view, PageView)
    await until(lambda: view.quoted is not None)
    return viewer


async def superseded() -> QWidget:
    """A page of a revision that is in force no more."""
    window = await filled()
    hits = [cited(each) for each in await found(window, "polir a mesma peça duas vezes")]
    return await shown(window, [each for each in hits if each.revision == "5"])


async def unmarked() -> QWidget:
    """Words that do not stand on the page are not marked."""
    window = await filled()
    hit = cited((await found(window, "polir a mesma peça"))[0])
    wrong = Citation(
        hit.document,
        hit.sha256,
        hit.file,
        hit.code,
        hit.revision,
        hit.place,
        "As peças de plástico secam quarenta minutos na estufa antes do verniz.",
    )
    return await shown(window, [wrong])


async def text() -> QWidget:
    """A document without pages."""
    window = await filled()
    hits = [cited(each) for each in await found(window, "decapante luvas viseira")]
    viewer = await shown(window, hits)
    view = viewer.view
    assert isinstance(view, PassageText)
    await until(lambda: view.marked_text)
    return viewer


async def scanned() -> QWidget:
    """A passage that was read by OCR."""
    window = await filled(LARGE, ficha_verniz__pdf=scan())
    hits = [cited(each) for each in await found(window, "mistura verniz minutos")]
    hits = [each for each in hits if each.certainty is not None]
    viewer = await shown(window, hits)
    view = viewer.view
    assert isinstance(view, PageView)
    await until(lambda: view.quoted is not None)
    return viewer


async def facts() -> QWidget:
    """What was found on the first page, to be changed."""
    window = await filled()
    document = next(each for each in window.frame.documents.documents if each.facts.code)
    dialog = window.frame.documents.edit(document)
    dialog.destroyed.connect(window.close)
    return dialog


async def settings() -> SettingsDialog:
    """Collections and watched folders."""
    from qhub_desktop.core.documents import Collection

    window = await filled()
    service = window.frame.documents.service
    await service.put_collection(Collection("Laboratório", ("responsavel", "admin"), ("analise",)))
    await service.watch(home() / "plant", collection="Instruções")
    dialog = window.controller.open_settings("documents")
    dialog.destroyed.connect(window.close)
    return dialog


async def password() -> QWidget:
    """The password of a document that was refused is asked for."""
    window = await filled(SMALL, **{"fechada.pdf": content_of("fechada.pdf")})
    panel_ = window.frame.documents
    locked = next(each for each in panel_.documents if each.file == "fechada.pdf")
    dialog = panel_.ask_password(locked)
    dialog.destroyed.connect(window.close)
    return dialog


async def menu() -> QWidget:
    """What can be done with a document that was refused."""
    window = await filled()
    panel_ = window.frame.documents
    broken = next(each for each in panel_.documents if each.state == "failed")
    opened_ = panel_.open_menu(broken, QPoint(0, 0))
    opened_.destroyed.connect(window.close)
    return opened_


async def scans() -> SettingsDialog:
    """The pack that reads scans, with what became of its trial."""
    dialog = await settings()
    field = dialog.findChild(OcrField)
    assert field is not None
    area = next(each for each in dialog.findChildren(QScrollArea) if each.isAncestorOf(field))
    area.ensureWidgetVisible(field)
    return dialog


async def sheet() -> QWidget:
    """The cells of a sheet that an answer cites, in a revision that is superseded."""
    plan = "plano de controlo.xlsx"
    window = await filled(LARGE, **{plan: content_of(plan)})
    service = window.frame.documents.service
    hit = next(each for each in await found(window, "espessura") if each.passage.place.sheet)
    await service.edit(hit.document.id, facts=DocumentFacts("PC-PIN-009", "3"))
    newer = await service.add(await _written({"plano novo.txt": b"PC-PIN-009 rev. 4. Novo plano."}))
    await service.indexing.finish(words_only=True)
    await service.edit(newer[0].id, facts=DocumentFacts("PC-PIN-009", "4"))
    old = replace(hit, document=await service.document(hit.document.id))
    window.controller.windows.open_hits([cited(old)])
    await until(lambda: window.findChild(TableWindow) is not None)
    table = window.findChild(TableWindow)
    assert table is not None
    await until(lambda: bool(table.grid.selectionModel().selectedIndexes()))
    table.destroyed.connect(window.close)
    return table


def _citation(**changes: object) -> Citation:
    values: dict[str, object] = {
        "document": 1,
        "sha256": "0" * 64,
        "file": "IT-PIN-014.pdf",
        "code": "IT-PIN-014",
        "revision": "6",
        "place": DocumentPlace(page=3),
        "quote": "A mesma peça pode ser polida no máximo duas vezes.",
    }
    return Citation(**{**values, **changes})  # type: ignore[arg-type]


def answer() -> QWidget:
    """Citations in an answer, and its sources."""
    first = _citation()
    second = _citation(
        file="ficha_verniz.pdf", code="", revision="", place=DocumentPlace(page=1), certainty=0.93
    )
    old = _citation(revision="5", is_superseded=True)
    words = (
        f"A peça pode ser polida **no máximo duas vezes** {citation_mark(first, 1)}. A mistura"
        f" do verniz usa-se durante 45 minutos {citation_mark(second, 2)}.\n\nAntes eram três vezes"
        f" {citation_mark(old, 3)}."
    )
    asked = question("quantas vezes posso polir a mesma peça?")
    return staged(asked, stored(Text(words), first, second, old))


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "nothing": nothing,
    "panel": panel,
    "small": small,
    "searched": searched,
    "reading": reading,
    "removal": removal,
    "marked": marked,
    "superseded": superseded,
    "unmarked": unmarked,
    "text": text,
    "scanned": scanned,
    "facts": facts,
    "settings": settings,
    "scans": scans,
    "password": password,
    "menu": menu,
    "sheet": sheet,
    "answer": answer,
}
