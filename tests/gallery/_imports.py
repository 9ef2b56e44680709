"""A file with everything that an import may meet, and the head of its sheet."""

import io
from datetime import date
from pathlib import Path

import xlsxwriter
from msoffcrypto.format.ooxml import OOXMLFile

from qhub_desktop.core.dataset import (
    ColumnProfile,
    DatasetProfile,
    Finding,
    ImportChoices,
    ImportReport,
    SetApart,
)
from qhub_desktop.core.table import Table

HEAD = (
    ("Relatório de defeitos · Linha de pintura 2", "", "", "", "", "", "", ""),
    ("Exportado em 03/03/2026 06:12 por SAP QM", "", "", "", "", "", "", ""),
    ("", "", "", "", "", "", "", ""),
    ("Data", "Turno", "Peça", "Peça", "", "Espessura", "Retrabalho", "Lote"),
    ("", "", "código", "designação", "", "µm", "sim/não", ""),
    ("01/02/2026", "manhã", "00123", "Puxador frente esq.", "", "23,4", "não", "260201-A"),
    ("01/02/2026", "manhã", "00123", "Puxador frente esq.", "", "24,1", "não", "260201-A"),
    ("", "", "00124", "Puxador frente dir.", "", "22,9", "sim", "260201-A"),
    ("01/02/2026", "tarde", "00981", "Moldura grelha", "", "#N/A", "não", "260201-B"),
    ("01/02/2026", "tarde", "00981", "Moldura grelha", "", "25,0", "não", "260201-B"),
    ("02/02/2026", "noite", "00123", "Puxador frente esq.", "", "23,8", "não", "260202-A"),
    ("02/02/2026", "noite", "01440", "Tampa espelho", "", "1.024,5", "não", "260202-A"),
    ("02/02/2026", "noite", "01440", "Tampa espelho", "", "23,0", "sim", "260202-A"),
    ("Data", "Turno", "código", "designação", "", "µm", "sim/não", ""),
    ("03/02/2026", "manhã", "00123", "Puxador frente esq.", "", "22,2", "não", "260203-A"),
    ("03/02/2026", "manhã", "00124", "Puxador frente dir.", "", "", "não", "260203-A"),
)

REPORT = ImportReport(
    format="CSV",
    rows_present=12_417,
    rows_read=12_407,
    encoding="cp1252",
    separator=";",
    decimal=",",
    header_row=5,
    header_rows=2,
    set_apart=(
        SetApart("title", 1, 1, "Relatório de defeitos · Linha de pintura 2"),
        SetApart("title", 2, 2, "Exportado em 03/03/2026 06:12 por SAP QM"),
        SetApart("blank", 3, 3),
        SetApart("repeated_header", 14, 14, "Data · Turno · código · designação"),
        SetApart("total", 12_414, 12_414, "Total · · · · 287 614,2"),
        SetApart("blank", 12_415, 12_415),
        SetApart("note", 12_416, 12_417, "Espessuras medidas com o aparelho n.º 4, calibrado."),
    ),
    repaired=(
        Finding(
            "joined_header", "The header takes two rows; their words were joined.", 2, ("A4:H5",)
        ),
        Finding(
            "duplicate_name",
            "Two columns were called 'Peça'; they are now 'Peça código' and 'Peça designação'.",
            2,
            ("C4", "D4"),
        ),
        Finding("empty_column", "An empty column was left out.", 1, ("E1:E12418",)),
        Finding("error_cell", "Cells with an error (#N/A) count as missing.", 4, ("F9", "F77")),
        Finding(
            "filled_down",
            "Merged cells were filled down with the value of the first of them.",
            31,
            tuple(f"A{row}" for row in range(8, 39)),
        ),
    ),
    doubtful=(
        Finding(
            "ambiguous_date",
            "Every date fits day/month and month/day; day/month was taken.",
            12_407,
            ("A6:A12414",),
        ),
        Finding(
            "ambiguous_number",
            "1.024,5 is far from the other values of this column. Check the decimal separator.",
            1,
            ("F12",),
        ),
    ),
    choices=ImportChoices(types=(("Lote", "text"),)),
)


def profile(
    *,
    file: str = "defeitos_SAP_fevereiro.csv",
    sheet: str | None = None,
    sheets: tuple[str, ...] = (),
    rows: int = 12_407,
    report: ImportReport | None = REPORT,
) -> DatasetProfile:
    """What is known of the file."""
    return DatasetProfile(
        id=f"{file}-{sheet or 1}",
        dataset="defeitos_sap_fevereiro",
        file=file,
        sheet=sheet,
        sheets=sheets,
        rows=rows,
        sha256="9f8e" * 16,
        columns=_columns(rows),
        preview=Table((), ()),
        report=report,
        duplicate_rows=18,
    )


def _columns(rows: int) -> tuple[ColumnProfile, ...]:
    shifts = (("manhã", rows // 2), ("tarde", rows // 3), ("noite", rows - rows // 2 - rows // 3))
    parts = (("00123", 4_112), ("00124", 3_077), ("00981", 2_900), ("01440", 2_318))
    return (
        ColumnProfile(
            "Data",
            "date",
            0,
            28,
            date(2026, 2, 1),
            date(2026, 2, 28),
            histogram=(9, 8, 9, 7, 9, 9, 8, 4, 9, 9, 8, 9),
        ),
        ColumnProfile("Turno", "category", 0, 3, top=shifts),
        ColumnProfile("Peça código", "category", 0, 4, top=parts),
        ColumnProfile("Peça designação", "text", 12, 412, top=(("Puxador frente esq.", 4_112),)),
        ColumnProfile(
            "Espessura µm",
            "number",
            4,
            212,
            18.2,
            1_024.5,
            23.41,
            1.87,
            (22.4, 23.4, 24.5),
            histogram=(12_402, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
            outliers=37,
        ),
        ColumnProfile("Retrabalho", "boolean", 0, 2, top=((False, 11_000), (True, 1_407))),
        ColumnProfile("Lote", "text", 0, 1, top=(("260201-A", rows),)),
    )


def write_files(folder: Path) -> None:
    """A workbook of four sheets, and a month's readings as a machine's control exports them."""
    folder.mkdir(parents=True, exist_ok=True)
    with xlsxwriter.Workbook(folder / "producao_semana_09.xlsx") as book:
        for name, rows in (("Produção", 420), ("Paragens", 38), ("Retrabalho", 64), ("Notas", 5)):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, [f"{name} · semana 9"])
            sheet.write_row(2, 0, ["Dia", "Linha", "Peças", "Peças", "Turno"])
            for row in range(rows):
                shift = ("manhã", "tarde", "noite")[row % 3]
                sheet.write_row(
                    row + 3, 0, [f"{row % 7 + 1:02}/03/2026", f"P{row % 4}", row * 7 % 90, 3, shift]
                )
            sheet.write_row(rows + 3, 0, ["Total", "", rows * 40])
    lines = ["Medições de espessura;;;", ";;;", "Data;Turno;Espessura;Lote"]
    lines += [
        f"{row % 28 + 1:02}/02/2026;{('manha', 'tarde')[row % 2]};{20 + row % 17 / 2:.1f};00{row}"
        for row in range(600)
    ]
    lines[40] = lines[40].replace(";2", ";#N/A;2", 1)
    text = "\n".join(lines).replace(".", ",")
    (folder / "medicoes_2026-02.csv").write_text(text, encoding="cp1252")


def write_protected(file: Path, password: str) -> None:
    """A workbook that Excel asks a password for."""
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as book:
        book.add_worksheet("Turnos").write_row(0, 0, ["Turno", "Total"])
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as target:
        OOXMLFile(content).encrypt(password, target)
