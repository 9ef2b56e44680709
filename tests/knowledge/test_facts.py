"""Facts: which of the codes on its first page is its own; revision, date, customer."""

import pytest

from qhub_desktop.core.documents import DocumentFacts
from qhub_desktop.knowledge.facts import find_facts


@pytest.mark.parametrize(
    ("headers", "lines", "name", "facts"),
    [
        (
            ["Instrução de trabalho IT-PIN-014 rev. 6", "Pág. 1 de 3"],
            ["1 Objetivo", "Conforme PQ-07 e a norma ISO 2409."],
            "a.pdf",
            ("IT-PIN-014", "6", "", ""),
        ),
        (
            [],
            ["Código | Edição | Data", "PQ.07-03 | B | 04/03/2025", "Este procedimento"],
            "",
            ("PQ.07-03", "B", "2025-03-04", ""),
        ),
        (
            [],
            ["Código | Defeito", "E-3042 | Cratera", "E-3024 | Escorrido"],
            "lista.pdf",
            ("", "", "", ""),
        ),
        (
            [],
            ["Instrução IT-RTA-007, revisão 3", "Substitui a IT-RTA-002 rev. 9 de 01-01-2020"],
            "IT-RTA-007.docx",
            ("IT-RTA-007", "3", "", ""),
        ),
        (
            ["Cliente: Vega Automotive   Em vigor desde: 2 de maio de 2024"],
            ["Regista-se o código E-3042 e chama-se o chefe de linha."],
            "",
            ("", "", "2024-05-02", "Vega Automotive"),
        ),
        (
            [],
            ["Ensaios segundo a norma TL 226 e a ISO 2409", "A revisão dos filtros é mensal."],
            "ensaios.pdf",
            ("", "", "", ""),
        ),
        (
            [],
            ["Ata da reunião", *["Linha"] * 9, "Voltar ao pano antigo (ref. PA-44, sem fios)"],
            "ata.md",
            ("", "", "", ""),
        ),
        (
            [],
            ["Relatório 8D – 2024-088", "Cliente: Solvara"],
            "8D-2024-088_ruido.md",
            ("8D-2024-088", "", "", "Solvara"),
        ),
        (
            [],
            ["MP-020 Sucata", "Versão 09 em vigor desde 01/09/2025. Substitui o MP-020 versão 08"],
            "MP-020.md",
            ("MP-020", "9", "2025-09-01", ""),
        ),
        (
            [],
            ["CP-31 | Control plan | Grille | Issue 4 | 2025-04-09", "Step | Check | Gauge"],
            "CP-31.csv",
            ("CP-31", "4", "2025-04-09", ""),
        ),
        ([], ["Sem nada"], "it-pin-021_rev_02.pdf", ("IT-PIN-021", "2", "", "")),
        ([], ["Sem nada"], "notas utf-8 de 2024.txt", ("", "", "", "")),
        (
            [],
            ["Work Instruction WI-CLN-021 Rev. C", "Issue date: March 5, 2024  Customer: Norline"],
            "",
            ("WI-CLN-021", "C", "2024-03-05", "Norline"),
        ),
        (
            [],
            ["Doc. n.º MOD-012/3", "Rev.: 00", "Data: 31-02-2024"],
            "",
            ("MOD-012/3", "0", "", ""),
        ),
    ],
)
def test_a_document_says_what_it_is(
    headers: list[str], lines: list[str], name: str, facts: tuple[str, str, str, str]
) -> None:
    assert find_facts(headers, lines, name=name) == DocumentFacts(*facts)


@pytest.mark.parametrize(
    ("line", "customer"),
    [
        ("Cliente: Norvia. As peças seguem com etiqueta.", "Norvia"),
        ("Cliente: Ibérica S.A. Plano de controlo", "Ibérica S.A"),
        ("Cliente: J. M. Silva & Filhos", "J. M. Silva & Filhos"),
        ("Customer: Auto & Co. KG. All parts", "Auto & Co. KG"),
    ],
)
def test_a_customer_ends_with_its_sentence(line: str, customer: str) -> None:
    assert find_facts([], [line]).customer == customer
