"""Documents of a workshop in every format, made by code; their truth stands in truth.toml.

Run as `python -m tests.knowledge.corpus FOLDER` to look at them.
"""

import io
import random
import sys
import textwrap
import tomllib
import zipfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pypdfium2
from docx.oxml import parse_xml
from docx.shared import Cm
from msoffcrypto.format.ooxml import OOXMLFile
from PIL import Image
from pptx.util import Inches

from tests.knowledge import msg_writer
from tests.knowledge.pdf_writer import PdfPage, pdf_bytes

TRUTH = tomllib.loads((Path(__file__).parent / "truth.toml").read_text(encoding="utf-8"))
PASSWORD = "verniz2K"
DPI = 200
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

# What the documents say, by name, so that truth can ask for a part of it.
POLISH = (
    "O polimento só se faz depois de a peça arrefecer até à temperatura ambiente. Cada peça só"
    " pode ser polida duas vezes na mesma zona; à terceira vez é rejeitada e segue para sucata. O"
    " operador regista cada polimento na ficha de retrabalho, com a hora, o turno e o defeito"
    " encontrado."
)
SAND = (
    "A lixagem antes do polimento faz-se com grão P3000 em água, em movimentos cruzados e sem"
    " carregar a máquina. Depois de lixar, limpa-se a zona com um pano de microfibra e confirma-se"
    " à luz rasante que não ficaram riscos profundos no verniz."
)
BOOTH = (
    "A cabine 3 trabalha com o ar a 23 graus e a humidade relativa entre 50 e 60 por cento. Se a"
    " humidade passar de 65 por cento durante mais de dez minutos, a linha pára e chama-se a"
    " manutenção."
)
THICKNESS = (
    "A espessura do filme seco mede-se em cinco pontos por peça, com o aparelho calibrado no"
    " início do turno. Abaixo de 35 micrómetros a peça volta à cabine; acima de 60 é rejeitada por"
    " escorrido."
)
CONTAMINATION = (
    "As crateras têm quase sempre origem em silicone. Quando aparecem em três peças seguidas, o"
    " chefe de linha manda parar, troca os filtros do ar comprimido e regista a ocorrência com o"
    " código E-3042."
)
RELEASE = (
    "A libertação do lote é feita pelo técnico de qualidade depois de verificadas dez peças. As"
    " peças do cliente Vega levam etiqueta verde; as outras seguem sem etiqueta para o armazém"
    " intermédio."
)
ADHESION = (
    "O ensaio de aderência por quadrícula faz-se uma vez por lote segundo a norma TL 226."
    " Classifica-se de 0 a 5, e só se aceitam as classes 0 e 1; a partir da classe 2 bloqueia-se o"
    " lote inteiro."
)


def wrapped(page: PdfPage, x: float, y: float, text: str, letters: int, **how: Any) -> float:
    """Write a paragraph in lines of so many letters; return where the next one begins."""
    for line in textwrap.wrap(text, letters):
        page.text(x, y, line, **how)
        y -= 13
    return y - 10


def parted(page: PdfPage, x: float, y: float, text: str, letters: int) -> float:
    """Write a paragraph whose long words are parted at the ends of lines, as a typesetter does."""
    line = ""
    for word in text.split():
        room = letters - len(line) - 1
        if len(line) + 1 + len(word) <= letters:
            line = f"{line} {word}".strip()
            continue
        if room > 4 and word.isalpha() and len(word) > room + 2:
            page.text(x, y, f"{line} {word[: room - 1]}-")
            line = word[room - 1 :]
        else:
            page.text(x, y, line)
            line = word
        y -= 13
    page.text(x, y, line)
    return y - 23


def rendered(content: bytes, *, turn: int = 0) -> list[Image.Image]:
    """The pages of a PDF as a scanner sees them, turned by quarters counter-clockwise."""
    document = pypdfium2.PdfDocument(content)
    try:
        pictures = []
        for page in document:
            picture: Image.Image = page.render(scale=DPI / 72).to_pil().convert("RGB")
            pictures.append(picture.rotate(90 * turn, expand=True))
        return pictures
    finally:
        document.close()


def scanned(content: bytes, *, turn: int = 0) -> list[PdfPage]:
    """Pages that are only a picture."""
    made = []
    for picture in rendered(content, turn=turn):
        page = PdfPage((picture.width * 72 / DPI, picture.height * 72 / DPI))
        page.picture(picture)
        made.append(page)
    return made


def instruction(revision: int, date: str, change: str) -> bytes:
    """A work instruction of three pages with a box of facts at the head of each."""
    pages = []
    for number in range(1, 4):
        page = PdfPage()
        page.table(
            60, 800, [150, 130, 90, 100],
            [["Polimento de peças", "IT-PIN-014", f"Rev. {revision}", date],
             ["Elaborado: Qualidade", "Aprovado: Produção", "Cópia", f"Pág. {number} de 3"]],
        )  # fmt: skip
        page.text(60, 30, f"Documento controlado - não imprimir - página {number}", size=8)
        pages.append(page)
    first, second, third = pages
    first.text(60, 730, "1 Objetivo", size=14, bold=True)
    y = wrapped(first, 60, 708, f"Definir como se poli e se lixa. {change}", 85)
    first.text(60, y, "2 Polimento", size=14, bold=True)
    wrapped(first, 60, y - 22, POLISH, 85)
    second.text(60, 730, "3 Lixagem", size=14, bold=True)
    y = wrapped(second, 60, 708, SAND, 85)
    second.text(60, y, "3.1 Controlo da cabine", size=12, bold=True)
    wrapped(second, 60, y - 20, BOOTH, 85)
    third.text(60, 730, "4 Registos", size=14, bold=True)
    wrapped(third, 60, 708, RELEASE, 85)
    return pdf_bytes(pages, title="Polimento de peças")


def two_columns() -> bytes:
    """A title across the page, two columns below it, words parted at line ends."""
    page = PdfPage()
    page.text(
        60,
        780,
        "Boletim técnico da pintura: defeitos do verniz em peças plásticas",
        size=15,
        bold=True,
    )
    for x, texts in ((60, (POLISH, SAND)), (315, (BOOTH, THICKNESS))):
        y = 740.0
        for text in texts:
            y = parted(page, x, y, text, 44)
    return pdf_bytes([page])


def three_columns() -> bytes:
    """Two bands of three columns, parted by a line of text across the page."""
    page = PdfPage((842, 595))
    for x, text in ((40, POLISH), (305, SAND), (570, BOOTH)):
        parted(page, x, 540, text, 44)
    page.text(
        40,
        330,
        "Segunda parte: o que fazer quando aparecem crateras ou faltas de aderência na"
        " peça depois da estufa, por ordem de gravidade",
        size=11,
    )
    for x, text in ((40, THICKNESS), (305, CONTAMINATION), (570, ADHESION)):
        parted(page, x, 300, text, 44)
    return pdf_bytes([page])


PLAN = [
    [f"SC-{number:02}", what, limit, how]
    for number, (what, limit, how) in enumerate(
        [
            ("Espessura", "35 a 60 µm", "5 pontos por peça"),
            ("Brilho", "85 a 95 GU", "3 pontos a 20°"),
            ("Aderência", "classe 0 ou 1", "1 por lote"),
            ("Cor", "dE até 0,8", "a cada arranque"),
            ("Viscosidade", "17 a 19 s", "a cada 2 horas"),
            ("Humidade", "50 a 60 %", "contínuo"),
        ]
        * 10,
        1,
    )
]
PLAN_HEADER = ["Código", "Característica", "Limites", "Frequência"]


def long_table(*, is_header_repeated: bool) -> bytes:
    """A table of 60 rows over three pages."""
    pages = []
    for start in range(0, 60, 20):
        page = PdfPage()
        page.text(60, 800, "Plano de controlo PC-PIN-002 rev. 3")
        rows = PLAN[start : start + 20]
        if is_header_repeated or not start:
            rows = [PLAN_HEADER, *rows]
        page.table(60, 740, [70, 130, 120, 150], rows)
        pages.append(page)
    return pdf_bytes(pages)


def open_table() -> bytes:
    """A table without lines."""
    page = PdfPage()
    page.text(60, 780, "Tempos de cura", size=14, bold=True)
    rows = [
        ["Produto", "Temperatura", "Tempo"],
        ["Primário", "80 °C", "20 min"],
        ["Base", "60 °C", "8 min"],
        ["Verniz", "85 °C", "35 min"],
    ]
    for number, row in enumerate(rows):
        for x, cell in zip((60, 220, 380), row, strict=True):
            page.text(x, 740 - 18 * number, cell)
    wrapped(page, 60, 620, ADHESION, 85)
    return pdf_bytes([page])


def wrapped_cells() -> bytes:
    """A table whose cells have several lines, beside each other."""
    page = PdfPage()
    page.text(60, 790, "Plano de reação", size=14, bold=True)
    y = 760.0
    page.line(60, y, 530, y)
    for left, right in (("Defeito", "O que fazer"), (CONTAMINATION, THICKNESS), (BOOTH, ADHESION)):
        bottom = y
        for x, text in ((64, left), (299, right)):
            line_y = y - 13
            for line in textwrap.wrap(text, 42):
                page.text(x, line_y, line, bold=left == "Defeito")
                line_y -= 13
            bottom = min(bottom, line_y + 6)
        for x in (60, 295, 530):
            page.line(x, y, x, bottom)
        y = bottom
        page.line(60, y, 530, y)
    return pdf_bytes([page])


def plain_page(**how: Any) -> PdfPage:
    """A page with a heading and two paragraphs."""
    page = PdfPage(**how)
    page.text(60, 760, "Controlo da espessura", size=16, bold=True)
    y = wrapped(page, 60, 730, THICKNESS, 85)
    wrapped(page, 60, y, CONTAMINATION, 85)
    return page


def sideways() -> bytes:
    """A page whose writing runs up, though the page itself is not turned."""
    page = PdfPage()
    page.text(80, 60, "Controlo da espessura", size=16, bold=True, turned=1)
    for number, line in enumerate(textwrap.wrap(THICKNESS, 85)):
        page.text(110 + 13 * number, 60, line, turned=1)
    return pdf_bytes([page])


def cropped() -> bytes:
    """A page cropped to its middle: what stands outside is not seen."""
    page = PdfPage(crop=(50, 400, 550, 800))
    page.text(60, 760, "Controlo da espessura", size=16, bold=True)
    wrapped(page, 60, 730, THICKNESS, 85)
    page.text(60, 200, "Rascunho antigo que ficou fora do corte da página.")
    return pdf_bytes([page])


def labelled() -> bytes:
    """Pages numbered i, ii, 1, 2 and A-1."""
    pages = []
    for number, text in enumerate((POLISH, SAND, BOOTH, THICKNESS, RELEASE), 1):
        page = PdfPage()
        page.text(60, 780, f"Capítulo {'abcde'[number - 1]}", size=14, bold=True)
        wrapped(page, 60, 750, text, 85)
        pages.append(page)
    numbering = "0 << /S /r >> 2 << /S /D >> 4 << /S /D /P (A-) >>"
    return pdf_bytes(pages, labels=numbering)


def printed() -> bytes:
    """What Qt prints: fonts of its own inside, letters without a plain encoding."""
    from PySide6.QtCore import QMarginsF
    from PySide6.QtGui import QFontDatabase, QPageSize, QPdfWriter, QTextDocument
    from PySide6.QtWidgets import QApplication

    QApplication.instance() or QApplication([])  # the one that tests of windows can take on
    target = io.BytesIO()
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice

    bytes_ = QByteArray()
    buffer = QBuffer(bytes_)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(20, 20, 20, 20))
    writer.setResolution(150)
    document = QTextDocument()
    # Whatever the window's is by now.
    document.setDefaultFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))
    document.setHtml(
        f"<h1>Procedimento PQ-07</h1><p>Código: PQ-07-03 &nbsp; Edição: B &nbsp; Data de emissão:"
        f" 4 de março de 2025</p><h2>5.1 Aderência</h2><p>{ADHESION}</p><h2>5.2 Lotes</h2>"
        f"<p>{RELEASE}</p><ul><li>Luvas de nitrilo</li><li>Pano de microfibra</li></ul>"
    )
    document.print_(writer)
    del writer
    buffer.close()
    target.write(bytes_.data())
    return target.getvalue()


def scan(*, turn: int = 0) -> bytes:
    """A scanned page."""
    return pdf_bytes(scanned(pdf_bytes([plain_page()]), turn=turn))


def mixed() -> bytes:
    """A page of text, then a scanned one."""
    first = PdfPage()
    wrapped(first, 60, 760, RELEASE, 85)
    return pdf_bytes([first, *scanned(pdf_bytes([plain_page()]))])


# Word


def saved(document: Any) -> bytes:
    """The bytes of a Word or PowerPoint file."""
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def word_table(document: Any, rows: list[list[str]]) -> None:
    """Add a table with borders."""
    table = document.add_table(len(rows), len(rows[0]))
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text


def word_instruction() -> bytes:
    """Headings of three levels, a table, facts in the header."""
    document = docx.Document()
    header = document.sections[0].header
    table = header.add_table(2, 3, Cm(15))
    for cell, text in zip(
        [each for row in table.rows for each in row.cells],
        ("Código", "Revisão", "Data", "IT-RTA-007", "02", "2025-01-15"),
        strict=True,
    ):
        cell.text = text
    document.sections[0].footer.paragraphs[0].text = "Documento controlado"
    document.add_heading("Retrabalho de peças pintadas", 0)
    document.add_heading("4 Método", 1)
    document.add_paragraph(SAND)
    document.add_heading("4.2 Polir", 2)
    document.add_paragraph(POLISH)
    document.add_heading("5 Limites", 1)
    word_table(document, [PLAN_HEADER, *PLAN[:6]])
    document.add_paragraph(ADHESION)
    return saved(document)


def word_reaction() -> bytes:
    """Tracked changes, a table in a cell, merged cells, a content control, a text box."""
    document = docx.Document()
    document.add_heading("Plano de reação", 1)
    body = document.element.body
    body.insert_element_before(
        parse_xml(
            f"<w:p {W}><w:r><w:t xml:space='preserve'>A linha pára ao fim de </w:t></w:r>"
            "<w:del w:id='1' w:author='a'><w:r><w:delText>cinco</w:delText></w:r></w:del>"
            "<w:ins w:id='2' w:author='a'><w:r><w:t>três</w:t></w:r></w:ins>"
            "<w:r><w:t xml:space='preserve'> peças com crateras.</w:t></w:r></w:p>"
        ),
        "w:sectPr",
    )
    body.insert_element_before(
        parse_xml(
            f"<w:sdt {W}><w:sdtContent><w:p><w:r><w:t>{RELEASE}</w:t></w:r></w:p>"
            "</w:sdtContent></w:sdt>"
        ),
        "w:sectPr",
    )
    table = document.add_table(3, 3)
    texts = ["Defeito", "Ação", "Quem", "Cratera", "Trocar filtros", "Chefe de linha", "Escorrido"]
    for cell, text in zip([each for row in table.rows for each in row.cells], texts, strict=False):
        cell.text = text
    table.cell(2, 1).merge(table.cell(2, 2)).text = "Baixar o caudal"
    inner = table.cell(2, 0).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "Caudal", "180 ml/min"
    return saved(document)


def word_english() -> bytes:
    """A procedure in English, with its facts in a line of the first page."""
    document = docx.Document()
    document.add_paragraph(
        "Work Instruction WI-CLN-021    Revision C    Effective date: 3 May 2024"
    )
    document.add_paragraph("Customer: Norline Automotive")
    document.add_heading("Cleaning before painting", 1)
    document.add_paragraph(
        "Wipe each part with a tack cloth before it enters the booth. Change the cloth after twenty"
        " parts, or sooner if it no longer sticks. Supersedes WI-CLN-011 revision F."
    )
    return saved(document)


def locked_word() -> bytes:
    """A Word file under a password."""
    target = io.BytesIO()
    OOXMLFile(io.BytesIO(word_instruction())).encrypt(PASSWORD, target)
    return target.getvalue()


# Slides, sheets


def training() -> bytes:
    """Three slides: text, a table, notes."""
    presentation = pptx.Presentation()
    layout = presentation.slide_layouts[1]
    for title, text, notes in (
        ("Formação: polimento", POLISH, ""),
        ("Cabine 3", BOOTH, "Lembrar o caso de maio: a humidade chegou a 72 por cento."),
    ):
        slide = presentation.slides.add_slide(layout)
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "Limites"
    table = slide.shapes.add_table(4, 4, Inches(1), Inches(2), Inches(8), Inches(3)).table
    for number, row in enumerate([PLAN_HEADER, *PLAN[:3]]):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    return saved(presentation)


def grouped() -> bytes:
    """A slide whose texts stand in a group, written in another order than they are seen."""
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    for top, text in ((4, SAND), (1, CONTAMINATION)):
        box = group.shapes.add_textbox(Inches(1), Inches(top), Inches(6), Inches(1))
        box.text_frame.text = text
    return saved(presentation)


def control_plan() -> bytes:
    """A workbook of two sheets: a title, facts, then the table."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Plano"
    sheet["A1"] = "Plano de controlo"
    sheet["A2"], sheet["B2"], sheet["C2"], sheet["D2"] = "Código", "PC-PIN-009", "Revisão", 4
    for number, row in enumerate([PLAN_HEADER, *PLAN[:6]]):
        for column, text in enumerate(row):
            sheet.cell(5 + number, 2 + column, text)
    other = book.create_sheet("Reação")
    for number, row in enumerate([["Defeito", "Ação"], ["Cratera", CONTAMINATION]]):
        for column, text in enumerate(row):
            other.cell(1 + number, 1 + column, text)
    return saved(book)


def matrix() -> bytes:
    """A table as text."""
    rows = [
        ["Defeito", "Origem", "Ação"],
        ["Cratera", "Silicone", "Trocar filtros"],
        ["Escorrido", "Caudal alto", "Baixar para 180 ml/min"],
    ]
    return "\r\n".join(";".join(row) for row in rows).encode("cp1252") + b"\r\n"


# Mail


def mail(subject: str, text: str, *, page: str = "") -> EmailMessage:
    """A message of an ordinary program."""
    made = EmailMessage()
    made["Subject"] = subject
    made["From"] = "Ana Reis <ana.reis@vega.example>"
    made["To"] = "qualidade@fabrica.example"
    made["Date"] = datetime(2025, 3, 12, 9, 30, tzinfo=UTC)
    made["MIME-Version"] = "1.0"
    made.set_content(text)
    if page:
        made.add_alternative(page, subtype="html")
    return made


def sent(message: EmailMessage, boundary: str = "qhub") -> bytes:
    """The bytes of a message, the same each time."""
    for number, part in enumerate(message.walk()):
        if part.is_multipart() and part.get_content_maintype() == "multipart":
            part.set_boundary(f"=={boundary}{number}==")
    return message.as_bytes(policy=policy.SMTP)


def complaint() -> bytes:
    """A complaint with a PDF and a picture."""
    made = mail(
        "Reclamação 8D 2291: crateras", f"Bom dia,\n\n{CONTAMINATION}\n\nCumprimentos,\nAna"
    )
    made.add_attachment(
        pdf_bytes([plain_page()]), maintype="application", subtype="pdf", filename="relatório.pdf"
    )
    return sent(made)


def page_mail() -> bytes:
    """A message that is a page of HTML alone."""
    made = mail("Alteração do caudal", "x")
    made.set_content(
        f"<html><body><p>{ADHESION}</p><script>alert('x')</script></body></html>", subtype="html"
    )
    return sent(made)


def nested_mail() -> bytes:
    """A message in a message."""
    outer = mail("FW: aderência", "Para conhecimento.")
    outer.add_attachment(mail("Aderência do lote 7", ADHESION))
    return sent(outer)


def outlook() -> bytes:
    """A message of Outlook with a PDF in it."""
    return msg_writer.message(
        "Humidade na cabine 3", "Rui Melo", "Ana Reis", f"Ana,\r\n\r\n{BOOTH}\r\n",
        [("Relatório cabine.pdf", pdf_bytes([plain_page()]))],
    )  # fmt: skip


# Text, pictures


def web_page() -> bytes:
    """A page with a script, a style, hidden text and a table."""
    rows = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
        for row in [PLAN_HEADER, *PLAN[:2]]
    )
    return (
        "<!DOCTYPE html><html><head><meta charset='windows-1252'><title>Cura do verniz</title>"
        "<style>p { color: red }</style></head><body><nav>Início</nav><h1>Cura</h1>"
        f"<p>{THICKNESS}</p><script>var escondido = 'segredo';</script><h2>Limites</h2>"
        f"<table>{rows}</table><p style='display: none'>invisível</p></body></html>"
    ).encode("cp1252")


def guide() -> bytes:
    """Markdown."""
    lines = [
        "# Guia da cabine",
        "",
        BOOTH,
        "",
        "## Limites",
        "",
        "| Zona | Alvo |",
        "|---|---|",
        "| Entrada | 23 °C |",
        "| Saída | 25 °C |",
        "",
        "## Polir",
        "",
        POLISH,
        "",
    ]
    return "\n".join(lines).encode("utf-8")


def picture(kind: str, *, turn: int = 0, exif: int = 0) -> bytes:
    """A page as a picture."""
    target = io.BytesIO()
    (image,) = rendered(pdf_bytes([plain_page()]), turn=turn)
    settings: dict[str, Any] = {}
    if exif:
        told = Image.Exif()
        told[0x0112] = exif
        settings["exif"] = told
    image.save(target, kind, **settings)
    return target.getvalue()


def fax() -> bytes:
    """A TIFF of two pages."""
    second = PdfPage()
    wrapped(second, 60, 700, RELEASE, 85)
    images = rendered(pdf_bytes([plain_page(), second]))
    target = io.BytesIO()
    images[0].save(target, "TIFF", save_all=True, append_images=images[1:], compression="jpeg")
    return target.getvalue()


# Hostile


def repacked(content: bytes, changes: dict[str, bytes]) -> bytes:
    """A package with some of its parts changed, or added."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for each in old.namelist():
            if each not in changes:
                new.writestr(zipfile.ZipInfo(each), old.read(each))
        for each, part in changes.items():
            new.writestr(zipfile.ZipInfo(each), part, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def entities() -> bytes:
    """A Word file that would unfold to gigabytes, and read a file of the computer."""
    laughs = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 9))
    return repacked(
        word_english(),
        {
            "word/document.xml": (
                f"<?xml version='1.0'?><!DOCTYPE d [<!ENTITY l0 'ha'>{laughs}"
                f"<!ENTITY f SYSTEM 'file:///etc/passwd'>]><w:document {W}><w:body><w:p><w:r>"
                "<w:t>&l8;&f;</w:t></w:r></w:p></w:body></w:document>"
            ).encode()
        },
    )


def bomb() -> bytes:
    """A Word file with a part of 300 MB of blanks."""
    return repacked(word_english(), {"word/media/a.xml": b" " * 300_000_000})


def deep_page() -> bytes:
    """A web page of 50,000 elements in one another."""
    return b"<html><body>" + b"<div>" * 50_000 + b"fundo" + b"</div>" * 50_000


def endless() -> bytes:
    """A PDF that says that it has 4,000 pages."""
    return pdf_bytes([PdfPage((20, 20)) for _page in range(3_001)])


def noise() -> bytes:
    """Bytes of no format."""
    return random.Random(1).randbytes(5_000)


FILES: dict[str, Callable[[], bytes]] = {
    "IT-PIN-014 rev 4.pdf": lambda: instruction(4, "10-02-2023", "Primeira edição."),
    "IT-PIN-014 rev 5.pdf": lambda: instruction(5, "21-09-2023", "Inclui a lixagem."),
    "IT-PIN-014 rev 6.pdf": lambda: instruction(6, "12-03-2024", "Inclui a cabine 3."),
    "duas colunas.pdf": two_columns,
    "três colunas.pdf": three_columns,
    "tabela em três páginas.pdf": lambda: long_table(is_header_repeated=False),
    "tabela com cabeçalho repetido.pdf": lambda: long_table(is_header_repeated=True),
    "tabela sem linhas.pdf": open_table,
    "tabela de textos.pdf": wrapped_cells,
    "página rodada.pdf": lambda: pdf_bytes([plain_page(turn=90)]),
    "página invertida.pdf": lambda: pdf_bytes([plain_page(turn=180)]),
    "escrita ao alto.pdf": sideways,
    "página recortada.pdf": cropped,
    "numeração.pdf": labelled,
    "impresso.pdf": printed,
    "digitalizada.pdf": scan,
    "digitalizada deitada.pdf": lambda: scan(turn=1),
    "digitalizada deitada ao contrário.pdf": lambda: scan(turn=3),
    "digitalizada invertida.pdf": lambda: scan(turn=2),
    "mista.pdf": mixed,
    "fechada.pdf": lambda: pdf_bytes([plain_page()], password=PASSWORD),
    "retrabalho.docx": word_instruction,
    "plano de reação.docx": word_reaction,
    "cleaning.docx": word_english,
    "fechado.docx": locked_word,
    "formação.pptx": training,
    "grupo.pptx": grouped,
    "plano de controlo.xlsx": control_plan,
    "matriz.csv": matrix,
    "reclamação.eml": complaint,
    "página por correio.eml": page_mail,
    "reencaminhada.eml": nested_mail,
    "cabine.msg": outlook,
    "notas.txt": lambda: f"Notas do turno\n\n{SAND}\n\n{RELEASE}\n".encode("cp1252"),
    "notas utf-16.txt": lambda: f"{POLISH}\r\n\r\n{BOOTH}\r\n".encode("utf-16"),
    "guia.md": guide,
    "cura.html": web_page,
    "foto.png": lambda: picture("PNG"),
    "telefone.jpg": lambda: picture("JPEG", turn=1, exif=6),
    "fax.tif": fax,
    "sem nome": lambda: instruction(6, "12-03-2024", "Sem sufixo."),
    "disfarce.txt": word_english,
    "antigo.doc": lambda: msg_writer.ole_bytes(
        msg_writer.Storage({"WordDocument": b"x" * 5_000, "1Table": b"y" * 100})
    ),
    "antigo.ppt": lambda: msg_writer.ole_bytes(
        msg_writer.Storage({"PowerPoint Document": b"x" * 5_000})
    ),
    "entidades.docx": entities,
    "entidades.xml": lambda: b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    "bomba.docx": bomb,
    "cortado.pdf": lambda: instruction(6, "12-03-2024", "")[:-900],
    "cortado.docx": lambda: word_instruction()[:-2_000],
    "cortada.png": lambda: picture("PNG")[:-3_000],
    "cortado.eml": lambda: complaint()[:-1_500],
    "cortada.msg": lambda: outlook()[:-2_500],
    "fundo.html": deep_page,
    "mil páginas.pdf": endless,
    "ruído.bin": noise,
    "vazio.pdf": lambda: b"",
}


@cache
def content_of(name: str) -> bytes:
    """The bytes of a document."""
    return FILES[name]()


def make(folder: Path, names: Iterable[str] = FILES) -> list[Path]:
    """Write documents into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name in names:
        (folder / name).write_bytes(content_of(name))
        made.append(folder / name)
    return made


if __name__ == "__main__":
    make(Path(sys.argv[1]))
