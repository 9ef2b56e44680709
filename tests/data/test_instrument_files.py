"""Files of instruments: the table under or beside its settings, and what those say of its data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from qhub_desktop.cli.verbs.files import profile_lines
from qhub_desktop.core.codec import pack, unpack
from qhub_desktop.core.dataset import ImportChoices, ImportReport
from tests.data.conftest import Imported, Read, read_here

Row = tuple[object, ...]

POINTS: list[Row] = [(n / 2, 20.25 + n / 4) for n in range(12)]
CURVES: list[Row] = [(n / 2, 20.25 + n / 4, 3 - n / 8) for n in range(30)]
PARTS: list[Row] = [(f"P{n:03}", 60.5 + n / 10, -n / 5, 5 + n / 4) for n in range(12)]


@dataclass(frozen=True)
class Export:
    """A file, and what is right of it; of the facts some."""

    text: str
    names: Sequence[str]
    rows: Sequence[Row]
    facts: Sequence[tuple[str, str]] = ()
    encoding: str = "utf-8"


def lines(rows: Sequence[Row], joint: str, *, decimal: str = ".") -> str:
    """Join cells to lines, numbers with this decimal mark."""
    return "".join(joint.join(str(c).replace(".", decimal) for c in row) + "\n" for row in rows)


def beside(settings: Sequence[str], points: str, joint: str) -> str:
    """Put settings beside the first lines of points."""
    blank = [joint * 3] * points.count("\n")
    lead = [f"{each}{joint}{joint}" if each else joint * 3 for each in settings]
    pairs = zip([*lead, *blank[len(lead) :]], points.splitlines(keepends=True), strict=True)
    return "".join(f"{one}{other}" for one, other in pairs)


def measured(separator: str, *, decimal: str, segments: int) -> str:
    """Write a measurement of LabVIEW."""
    many = "Yes" if segments > 1 else "No"
    head = [
        *("LabVIEW Measurement", "Writer_Version|2", "Separator|Tab", f"Multi_Headings|{many}"),
        *("X_Columns|One", "Operator|Rui Sá", "Date|2031/03/05", "***End_of_Header***|", "|"),
    ]
    text = "".join(f"{line}\n" for line in head)
    for segment in range(segments):
        text += f"Channels|2|||\nTime|10:1{segment}:00|10:1{segment}:00\nDelta_X|0.5|0.5|\n"
        text += "***End_of_Header***|||\nX_Value|Forno|Estufa|Comment\n"
        text += lines(CURVES[segment * 10 : segment * 10 + 10], "|") + "\n"
    return text.replace(".", decimal).replace("|", separator)


SCOPE = (
    *("Record Length,2.5E+03", "Sample Interval,5.0E-01", "Trigger Point,1.2E+03", "", ""),
    *("Source,CH1", "Vertical Units,V", "Probe Atten,1.0E+00", "Model Number,SCOPE 9"),
)
COLOURS = "".join(
    f"{line}\n"
    for line in (
        *("CGATS.17", 'ORIGINATOR\t"Cores, Lda."', "INSTRUMENTATION\tSpectro 9"),
        *("NUMBER_OF_FIELDS\t4", "BEGIN_DATA_FORMAT", "SAMPLE_ID\tLAB_L\tLAB_A\tLAB_B"),
        *("END_DATA_FORMAT", "NUMBER_OF_SETS\t12", "BEGIN_DATA"),
    )
)
CELL = "".join(f"E{n} (V)              {n},000\n" for n in range(70))

EXPORTS = {
    "channels numbered above units": Export(
        "x-axis,1,2\nsecond,Volt,Volt\n"
        + "".join(f"{a:+.5E},{b:+.5E},{c:+.5E}\n" for a, b, c in CURVES),
        ("x-axis (second)", "1 (Volt)", "2 (Volt)"),
        CURVES,
    ),
    "settings beside points": Export(
        beside(SCOPE, lines(CURVES, ","), ","),
        ("column_1", "column_2", "column_3"),
        CURVES,
        (("Sample Interval", "5.0E-01"), ("Source", "CH1"), ("Model Number", "SCOPE 9")),
    ),
    "settings beside points with names": Export(
        beside(
            ("Ajuste;Valor", "Operador;Rui Sá", "Canal;CH1", "Intervalo;0,5"),
            "t (s);U (V);I (A)\n" + lines(CURVES, ";", decimal=","),
            ";",
        ),
        ("t (s)", "U (V)", "I (A)"),
        CURVES,
        (("Operador", "Rui Sá"), ("Canal", "CH1"), ("Intervalo", "0,5")),
        "cp1252",
    ),
    "settings in the row of units": Export(
        "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,-6.0e-04,1.0e-06\n"
        + lines(CURVES, ",").replace("\n", ",\n"),
        ("X Sequence", "CH1 Volt", "CH2 Volt"),
        CURVES,
        (("Start", "-6.0e-04"), ("Increment", "1.0e-06")),
    ),
    "settings of each channel": Export(
        "Model,SCOPE 9\nFirmware Version,1.98.7\n\nWaveform Type,ANALOG\nHorizontal Units,s\n"
        "Sample Interval,5e-01\nRecord Length,12\nVertical Units,V,V\nVertical Scale,0.5,1\n,,\n"
        "Label,,\nTIME,CH1,CH2\n" + lines(CURVES, ","),
        ("TIME", "CH1", "CH2"),
        CURVES,
        (("Model", "SCOPE 9"), ("Sample Interval", "5e-01"), ("Vertical Units", "V, V")),
    ),
    "settings right above the names": Export(
        "Record Length,Analog:12\nSample Interval,Analog:5E-01\nVertical Scale,CH1:1.00,CH2:2.00\n"
        "Horizontal Units,s\nHorizontal Scale,0.005\nSerial Number,X01\nTime,CH1,CH2\n"
        "s,Volt,Volt\n" + lines(CURVES, ","),
        ("Time (s)", "CH1 (Volt)", "CH2 (Volt)"),
        CURVES,
        (("Vertical Scale", "CH1:1.00, CH2:2.00"), ("Serial Number", "X01")),
    ),
    "measurement of one segment": Export(
        measured("\t", decimal=",", segments=1),
        ("X_Value", "Forno", "Estufa", "Comment"),
        [(*row, None) for row in CURVES[:10]],
        (("Operator", "Rui Sá"), ("Delta_X", "0,5, 0,5")),
        "cp1252",
    ),
    "measurement of several segments": Export(
        measured("\t", decimal=".", segments=3),
        ("Segment", "X_Value", "Forno", "Estufa", "Comment"),
        [(n // 10 + 1, *row, None) for n, row in enumerate(CURVES)],
        (("Date", "2031/03/05"), ("Time (2)", "10:11:00, 10:11:00")),
    ),
    "long head of a cell": Export(
        "EC-Lab ASCII FILE\nNb header lines : 76\n\nCyclic Voltammetry\nUser : Rui Sá\n"
        f"Surface : 1,000 cm²\n{CELL}time/s\tEwe/V\t<I>/mA\n" + lines(CURVES, "\t", decimal=","),
        ("time/s", "Ewe/V", "<I>/mA"),
        CURVES,
        (("User", "Rui Sá"), ("Surface", "1,000 cm²")),
        "cp1252",
    ),
    "audit trail": Export(
        "Audit Trail;HMI 3;;\nExported;05.03.2031 12:00:00;;\nOperator;Rui Sá;;\n\n"
        "No.;User;Tag;Old;New\n"
        + lines([(n, f"op{n}", "SP", n + 0.5, n + 1.5) for n in range(9)], ";", decimal=","),
        ("No.", "User", "Tag", "Old", "New"),
        [(n, f"op{n}", "SP", n + 0.5, n + 1.5) for n in range(9)],
        (("Exported", "05.03.2031 12:00:00"), ("Operator", "Rui Sá")),
    ),
    "names with a colon above tabs": Export(
        "Operador: Rui Sá\nData: 05/03/2031 10:15:00\nIntervalo: 0,5 s\n\nTempo\tT\tP\n"
        "s\t°C\tbar\n" + lines(CURVES, "\t"),
        ("Tempo (s)", "T (°C)", "P (bar)"),
        CURVES,
        (("Data", "05/03/2031 10:15:00"), ("Intervalo", "0,5 s")),
    ),
    "semicolons and commas above tabs and points": Export(
        "Aparelho;ColorX 7\nOperador;Rui Sá\nTolerância;1,50\nAbertura;8,0 mm\n"
        "Amostra\tL\ta\tb\n" + lines(PARTS, "\t"),
        ("Amostra", "L", "a", "b"),
        PARTS,
        (("Tolerância", "1,50"), ("Abertura", "8,0 mm")),
    ),
    "sections": Export(
        "[Header]\nInstrument=Gloss 9\nOperator=Rui Sá\n[Settings]\nGeometry=60\n[Data]\n"
        "Peça;L;a;b\n" + lines(PARTS, ";", decimal=","),
        ("Peça", "L", "a", "b"),
        PARTS,
        (("Instrument", "Gloss 9"), ("Geometry", "60")),
    ),
    "spectrum without names": Export(
        "TITLE\tamostra 7\nORIGIN\tLab\nDATE\t31/03/05\nRESOLUTION\t4\nXUNITS\t1/CM\nXYDATA\n"
        + lines(POINTS, "\t"),
        ("column_1", "column_2"),
        POINTS,
        (("TITLE", "amostra 7"), ("RESOLUTION", "4"), ("XUNITS", "1/CM")),
    ),
    "cells left blank by a spreadsheet": Export(
        "Instrument,Visco 9,\nOperator,Rui Sá,\nSpindle,4,\nLot,L-7,\nTime,Viscosity,Torque\n"
        + lines(CURVES, ","),
        ("Time", "Viscosity", "Torque"),
        CURVES,
        (("Instrument", "Visco 9"), ("Spindle", "4"), ("Lot", "L-7")),
    ),
    "two columns above two": Export(
        "Instrument,Visco 9\nOperator,Rui Sá\nSpindle,4\nDate,2031-03-05\n\nTime,Viscosity\n"
        + lines(POINTS, ","),
        ("Time", "Viscosity"),
        POINTS,
        (("Spindle", "4"), ("Date", "2031-03-05")),
    ),
    "values with units above units": Export(
        '"Tração"\n"Operador","Rui Sá"\n"Largura",10.05,"mm"\n"Velocidade",50,"mm/min"\n\n'
        '"Tempo","Curso","Força"\n"(s)","(mm)","(N)"\n'
        + "".join(f'"{a}","{b}","{c}"\n' for a, b, c in CURVES),
        ("Tempo (s)", "Curso (mm)", "Força (N)"),
        CURVES,
        (("Operador", "Rui Sá"), ("Largura", "10.05 mm"), ("Velocidade", "50 mm/min")),
    ),
    "colours": Export(
        COLOURS + lines(PARTS, "\t") + "END_DATA\n",
        ("SAMPLE_ID", "LAB_L", "LAB_A", "LAB_B"),
        PARTS,
        (("ORIGINATOR", "Cores, Lda."), ("INSTRUMENTATION", "Spectro 9")),
    ),
    "table of channels above the data": Export(
        "Vendor,Registo Lda\nModel,R9\nSampling interval,1s\nStart time,2031-03-05,10:15:00\n"
        "Amp settings\nCH,Signal name,Input,Range\nCH1,Forno,TEMP,100.0\nCH2,Estufa,DC,10.0\n"
        "CH3,Cabine,DC,10.0\nCH4,Sala,DC,10.0\nData\nNO.,CH1,CH2\n"
        + lines([(n + 1, b, c) for n, (_a, b, c) in enumerate(CURVES)], ","),
        ("NO.", "CH1", "CH2"),
        [(n + 1, b, c) for n, (_a, b, c) in enumerate(CURVES)],
        (("Sampling interval", "1s"), ("CH1", "Forno, TEMP, 100.0")),
    ),
    "limits under the names": Export(
        "Program No.,12\nDate,2031/03/05 10:15\nOperator,Rui Sá\nItem,D1,D2\nUnit,mm,mm\n"
        "Nominal,30,2\nUpper,60,4\nLower,20,-1\n" + lines(CURVES, ","),
        ("Item", "D1 (mm)", "D2 (mm)"),
        CURVES,
        (("Program No.", "12"), ("Operator", "Rui Sá")),
    ),
    "many lines of comment": Export(
        "".join(f"# Parameter {n}: {n * 3}\n" for n in range(90))
        + "tempo,valor,canal\n"
        + lines(CURVES, ","),
        ("tempo", "valor", "canal"),
        CURVES,
        (("Parameter 0", "0"), ("Parameter 89", "267")),
    ),
}


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_the_table_of_an_instrument_is_read_and_its_head_is_told(
    read: Read, tmp_path: Path, export: Export
) -> None:
    file = tmp_path / "ensaio.csv"
    file.write_bytes(export.text.replace("\n", "\r\n").encode(export.encoding))

    (found,) = read(file)

    report = found.profile.report
    assert report is not None
    assert found.names == [*export.names]
    assert found.rows == [*export.rows]
    assert set(export.facts) <= {*report.facts}
    assert report.rows_present == len(file.read_bytes().splitlines())
    assert {each.kind for each in report.doubtful} <= DOUBTS
    assert "Rui Sá" not in found.warned  # which a model is told


# Told where a form leaves it open.
DOUBTS = {"no_header", "header_rows", "limits", "encoding"}

# What stands above or beside these is a table.
TABLES = {
    "a summary": "Linha;Total\nA;5\nB;7\nC;9\n\nData;Linha;Peças\n"
    + lines([(f"{n + 10}/03/2031", "AB"[n % 2], n * 3) for n in range(9)], ";"),
    "several measures": "Defeito;Manhã;Tarde\nLixo;5;7\nGota;2;3\nRisco;1;4\n\nHora;Peças;Metas\n"
    + lines([(n, n * 3, n * 4) for n in range(9)], ";"),
    "a list beside": beside(
        ("Defeito;Total", "Lixo;5", "Gota;7", "Risco;9", "Mancha;2"),
        "Hora;Peças\n" + lines([(n, n * 3) for n in range(12)], ";"),
        ";",
    ),
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_a_table_above_or_beside_another_is_no_setting(
    read: Read, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "duas.csv"
    file.write_text(text, encoding="utf-8")

    found = read(file)

    assert len(found) == 2
    assert not any(each.profile.report and each.profile.report.facts for each in found)


def test_lists_of_two_columns_one_above_the_other_are_tables(read: Read, tmp_path: Path) -> None:
    lists = [
        f"{names}\n" + lines([(f"{names[0]}{n}", f"{n + rows / 4:.2f}") for n in range(rows)], ";")
        for rows, names in ((11, "Lote;Peso"), (12, "Peça;Cor"), (13, "Cuba;pH"))
    ]
    file = tmp_path / "tres.csv"
    file.write_text("\n\n".join(lists).replace(".", ","), encoding="utf-8")

    assert sorted(each.profile.rows for each in read(file)) == [11, 12, 13]


def test_a_chosen_header_is_found_above_where_the_table_seems_to_begin(tmp_path: Path) -> None:
    file = tmp_path / "ensaio.csv"
    file.write_text(EXPORTS["two columns above two"].text, encoding="utf-8")

    (found,) = read_here(file, tmp_path / "kept", choices=ImportChoices(header_row=1, table=0))

    assert found.names == ["Instrument", "Visco 9"]
    assert found.rows[0] == ("Operator", "Rui Sá")


def test_a_long_table_under_settings_loses_nothing(read: Read, tmp_path: Path) -> None:
    rows: list[Row] = [(n / 4, n * 3 / 8, -n) for n in range(3_000)]
    file = tmp_path / "longo.csv"
    head = "Lote;L-7\nOperador;Rui Sá\nIntervalo;0,25\n\nt;U;I\n"
    file.write_text(head + lines(rows, ";", decimal=","), encoding="utf-8")

    (found,) = read(file)

    assert found.names == ["t", "U", "I"]
    assert found.rows == rows


def test_names_that_change_in_a_later_segment_are_told(read: Read, tmp_path: Path) -> None:
    text = measured("\t", decimal=".", segments=2)
    file = tmp_path / "ensaio.lvm"
    first, _names, later = text.rpartition("X_Value\tForno")
    file.write_text(f"{first}X_Value\tMotor{later}", encoding="utf-8")

    assert "other columns" in _only(read(file)).warned


def _only(found: Sequence[Imported]) -> Imported:
    (one,) = found
    return one


def test_what_a_file_says_is_shown_and_read_from_older_reports_too(
    read: Read, tmp_path: Path
) -> None:
    file = tmp_path / "ensaio.csv"
    file.write_text(EXPORTS["sections"].text, encoding="utf-8")
    profile = _only(read(file)).profile
    packed = pack(profile.report)
    assert isinstance(packed, dict)

    shown = [*profile_lines([profile])]
    older = unpack(ImportReport, {name: packed[name] for name in packed if name != "facts"})

    assert "  Operator: Rui Sá" in shown
    assert older.facts == ()
