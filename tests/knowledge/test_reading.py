"""Reading of documents: passages with their places, facts, and refusals."""

from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml

from qhub_desktop.core.documents import DocumentFacts
from qhub_desktop.core.errors import PasswordNeededError, UserError
from qhub_desktop.knowledge.reading import read_document
from tests.knowledge import msg_writer
from tests.knowledge.corpus import W
from tests.knowledge.pdf_writer import PdfPage, pdf_bytes
from tests.knowledge.reading import sheets

FACTS = DocumentFacts("IT-PIN-014", "6", "2024-03-12")
HEAD = "Código: IT-PIN-014    Revisão: 6    Data: 12-03-2024"
POLISH = "Cada peça só pode ser polida duas vezes na mesma zona; à terceira é rejeitada."


def test_a_line_of_a_pdf_has_its_page_its_printed_number_and_its_place(tmp_path: Path) -> None:
    first, second = PdfPage(), PdfPage()
    first.text(60, 780, HEAD)
    second.text(60, 421, POLISH, size=10)
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf_bytes([first, second], labels="0 << /S /r >>"))

    told: list[tuple[int, int]] = []
    read = read_document(file, name="a.pdf", on_progress=lambda done, of: told.append((done, of)))

    assert told == [(0, 2), (1, 2), (2, 2)]
    assert read.facts == FACTS
    assert (read.format, read.pages) == ("PDF", 2)
    found = next(passage for passage in read.passages if passage.text == POLISH)
    assert (found.place.page, found.place.label) == (2, "ii")
    ((left, top, right, bottom),) = found.place.rectangles
    assert left == pytest.approx(60 / 595, abs=0.003)
    assert top < 0.5 < bottom  # the baseline is in the middle of the page
    assert bottom - top == pytest.approx(12 / 842, abs=0.004)
    assert right == pytest.approx((60 + 355) / 595, abs=0.05)


def test_a_paragraph_of_word_has_its_headings_and_its_number(tmp_path: Path) -> None:
    written = docx.Document()
    written.sections[0].header.paragraphs[0].text = HEAD
    written.add_heading("4 Método", 1)
    written.add_heading("4.2 Polir", 2)
    written.add_paragraph(POLISH)
    table = written.add_table(2, 2)
    for cell, text in zip(
        [cell for row in table.rows for cell in row.cells],
        ("Parâmetro", "Alvo", "Humidade", "55 %"),
        strict=True,
    ):
        cell.text = text
    file = tmp_path / "a.docx"
    written.save(str(file))

    read = read_document(file, name="a.docx")

    assert read.facts == FACTS
    (found,) = read.passages
    assert found.text == f"4.2 Polir\n{POLISH}\nParâmetro | Alvo\nHumidade | 55 %"
    assert found.place.page is None
    assert found.place.headings == ("4 Método", "4.2 Polir")
    assert found.place.paragraph == 2


def test_a_text_in_either_encoding_is_parted_at_its_headings(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text(f"# Polir\n\n{POLISH}\n\n## Registo\nNa ficha.\n", encoding="cp1252")

    read = read_document(file, name="a.md")

    assert [passage.text for passage in read.passages] == [
        f"Polir\n{POLISH}",
        "Registo\nNa ficha.",
    ]
    assert read.passages[1].place.headings == ("Polir", "Registo")


def test_markdown_is_read_as_it_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    words = "- **Pele:** lavar com *sabão* e `EX-3` \\[já\\]\n![foto](a.png)\n> NOTA: 5 * 3 * 2\n"
    file.write_text(f"# Socorros\n\n{words}", encoding="utf-8")

    (passage,) = read_document(file, name="a.md").passages

    assert passage.text == "Socorros\n- Pele: lavar com sabão e EX-3 [já]\nNOTA: 5 * 3 * 2"


def test_a_plain_text_has_headings_in_capitals_and_tables_drawn_with_spaces(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    table = (
        "sinal   quer dizer     fazer\nL07     pressão baixa  ver a fuga\nL12     quente    esperar"
    )
    head = "FICHA MN-040   Rev. 2\nNave B\n------\n\n1. DIÁRIO (operador)\n- ver o óleo\n"
    file.write_text(f"{head}\n2. AVARIAS\n\n{table}", encoding="utf-8")

    read = read_document(file, name="a.txt")

    assert [each.place.headings for each in read.passages] == [
        (),
        ("1. DIÁRIO (operador)",),
        ("2. AVARIAS",),
    ]
    assert read.passages[2].text.splitlines()[1:] == [
        "sinal | quer dizer | fazer",
        "L07 | pressão baixa | ver a fuga",
        "L12 | quente | esperar",
    ]


def test_a_title_and_a_cell_with_the_separator_leave_a_table_one(tmp_path: Path) -> None:
    rows = ["30;Cor;dE 1,3;não soltar; chamar", *["20;Brilho;85 GU;separar"] * 9]
    file = tmp_path / "cp.csv"
    file.write_text("\n".join(["CP-9;Plano;Rev. 6", "N;O quê;Limite;Reação", *rows]), "cp1252")

    read = read_document(file, name="cp.csv", sheets=sheets)

    (passage,) = [each for each in read.passages if "Brilho" in each.text]
    assert passage.place.headings == ("CP-9 | Plano | Rev. 6",)
    assert "N | O quê | Limite | Reação" in passage.text
    assert (read.facts.code, read.facts.revision) == ("CP-9", "6")


def test_a_locked_pdf_asks_for_its_password_and_opens_with_it(tmp_path: Path) -> None:
    page = PdfPage()
    page.text(60, 700, POLISH)
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf_bytes([page], password="verniz"))

    for password in (None, "tinta"):
        with pytest.raises(PasswordNeededError):
            read_document(file, name="a.pdf", password=password)

    assert read_document(file, name="a.pdf", password="verniz").passages[0].text == POLISH


def test_a_file_that_is_no_document_is_refused_with_the_next_step(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    for content, said in (
        (b"", "is empty"),
        (b"\0\1\2", "as PDF or .docx"),
        (b"%PDF-1.4\n", "is damaged"),
    ):
        file.write_bytes(content)

        with pytest.raises(UserError, match=said):
            read_document(file, name="a.pdf")


def test_a_message_in_a_message_of_outlook_is_a_file_with_its_own_files(tmp_path: Path) -> None:
    page = PdfPage()
    page.text(60, 700, POLISH)
    inner = msg_writer.message_storage(
        "Polimento", "Rui Melo", "Ana Reis", "Em anexo.", [("it.pdf", pdf_bytes([page]))], offset=24
    )
    outer = msg_writer.message_storage("FW: Polimento", "Ana", "Rui", "Para ti.", [], offset=32)
    outer.storages["__attach_version1.0_#00000000"] = msg_writer.Storage(
        {"__properties_version1.0": b"\0" * 8}, {"__substg1.0_3701000D": inner}
    )
    file = tmp_path / "a.msg"
    file.write_bytes(msg_writer.ole_bytes(outer))

    read = read_document(file, name="a.msg", attachments=tmp_path / "1")
    within = read_document(
        tmp_path / "1" / read.attachments[0], name="b", attachments=tmp_path / "2"
    )
    deepest = read_document(tmp_path / "2" / within.attachments[0], name="c")

    assert read.attachments == ("Polimento.eml",)
    assert within.attachments == ("it.pdf",)
    assert [passage.text for passage in deepest.passages] == [POLISH]


def test_files_in_a_message_keep_to_their_folder_whatever_their_names_are(tmp_path: Path) -> None:
    names = ("../../fora.txt", "C:\\Windows\\a.txt", "con.txt", "a.txt", "")
    file = tmp_path / "in" / "a.msg"
    file.parent.mkdir()
    file.write_bytes(
        msg_writer.message("x", "y", "z", "texto", [(name, b"conteudo") for name in names])
    )

    read = read_document(file, name="a.msg", attachments=tmp_path / "in" / "files")

    written = {path.name for path in (tmp_path / "in" / "files").iterdir()}
    assert written == set(read.attachments)
    assert len(written) == len(names)
    assert {path.name for path in tmp_path.iterdir()} == {"in"}


def test_numbers_that_word_counts_stand_before_headings_and_steps(tmp_path: Path) -> None:
    written = docx.Document()
    numbering = written.part.numbering_part.element
    levels = "".join(
        f"<w:lvl w:ilvl='{depth}'><w:start w:val='1'/><w:numFmt w:val='decimal'/>"
        f"<w:lvlText w:val='{text}'/></w:lvl>"
        for depth, text in enumerate(("%1", "%1.%2"))
    )
    numbering.insert(
        0, parse_xml(f"<w:abstractNum {W} w:abstractNumId='77'>{levels}</w:abstractNum>")
    )
    numbering.append(parse_xml(f"<w:num {W} w:numId='99'><w:abstractNumId w:val='77'/></w:num>"))
    for name, depth in (("Heading 1", 0), ("Heading 2", 1)):
        style = written.styles[name].element
        style.get_or_add_pPr().append(
            parse_xml(f"<w:numPr {W}><w:ilvl w:val='{depth}'/><w:numId w:val='99'/></w:numPr>")
        )
    for text, level in (("Objetivo", 1), ("Método", 1), ("Lixar", 2), ("Polir", 2)):
        written.add_heading(text, level)
        written.add_paragraph(POLISH)
    for step in ("Arrefecer", "Limpar"):
        written.add_paragraph(step, style="List Number")
    written.add_paragraph("Luvas", style="List Bullet")
    file = tmp_path / "a.docx"
    written.save(str(file))

    read = read_document(file, name="a.docx")

    assert [passage.place.headings for passage in read.passages] == [
        ("1 Objetivo",),
        ("2 Método",),
        ("2 Método", "2.1 Lixar"),
        ("2 Método", "2.2 Polir"),
    ]
    assert read.passages[-1].text == f"2.2 Polir\n{POLISH}\n1. Arrefecer\n2. Limpar\nLuvas"
