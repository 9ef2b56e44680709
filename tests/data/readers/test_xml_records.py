"""Lists in XML: what repeats is a row, nothing is counted twice, and what is no list is refused."""

import time

import pytest

from qhub_desktop.core.errors import UserError
from tests.data.readers.conftest import Give

HEAD = "<?xml version='1.0' encoding='utf-8'?>"
REPORTING = "http://schemas.microsoft.com/sqlserver/reporting/2016/01/reportdefinition"


def entry(number: int, *details: str) -> str:
    inner = "".join(f"<TxDtls><Id>{each}</Id><Nm>Tintas {each}</Nm></TxDtls>" for each in details)
    return (
        f"<Ntry><Amt Ccy='EUR'>{number}.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>"
        f"<BookgDt><Dt>2026-03-0{number}</Dt></BookgDt><Ref>R{number}</Ref>"
        f"<NtryDtls>{inner}</NtryDtls></Ntry>"
    )


def statement(account: str, *entries: str) -> str:
    balances = "".join(f"<Bal><Cd>{kind}</Cd><Amt>100.00</Amt></Bal>" for kind in ("OP", "CL"))
    return f"<Stmt><IBAN>{account}</IBAN><NbOf>2</NbOf>{balances}{''.join(entries)}</Stmt>"


def bank(*statements: str) -> bytes:
    space = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"
    return f"{HEAD}<Document xmlns='{space}'><B>{''.join(statements)}</B></Document>".encode()


def test_each_entry_of_a_statement_is_a_row_with_its_currency_and_sign(give: Give) -> None:
    (given,) = give("a.xml", bank(statement("PT50", entry(1, "A"), entry(2, "B"), entry(3, "C"))))

    assert given.format == "XML"
    assert given.rows[:2] == [
        [
            *("Amt", "Amt.Ccy", "CdtDbtInd", "Sts", "BookgDt.Dt", "Ref"),
            *("NtryDtls.TxDtls.Id", "NtryDtls.TxDtls.Nm"),
        ],
        ["1.50", "EUR", "DBIT", "BOOK", "2026-03-01", "R1", "A", "Tintas A"],
    ]
    assert len(given.rows) == 4
    assert given.said == ["beside_records"]
    assert "Stmt.IBAN" in given.sheet.doubtful[0].text


def test_amounts_of_entries_do_not_repeat_with_their_details(give: Give) -> None:
    (given,) = give("a.xml", bank(statement("PT50", entry(1, "A", "B"), entry(2, "C"), entry(3))))

    table = [dict(zip(given.rows[0], row, strict=True)) for row in given.rows[1:]]
    assert [row["Amt"] for row in table] == ["1.50", "2.50", "3.50"]
    assert [row["NtryDtls.TxDtls (n)"] for row in table] == ["2", "1", None]
    assert [row["NtryDtls.TxDtls.Id"] for row in table] == ["A; B", "C", None]
    assert given.said == ["beside_records", "lists_in_cells"]


def test_entries_of_several_accounts_say_whose_they_are_and_repeat_no_number(give: Give) -> None:
    entries = [entry(number, "A") for number in range(1, 9)]
    (given,) = give(
        "a.xml", bank(statement("PT1", *entries), statement("PT2", *entries[:4]), statement("PT3"))
    )

    assert given.rows[0][:3] == ["Stmt", "Stmt.IBAN", "Amt"]
    assert [row[:3] for row in (given.rows[1], given.rows[9])] == [
        ["1", "PT1", "1.50"],
        ["2", "PT2", "1.50"],
    ]
    assert len(given.rows) == 13
    assert "Stmt.NbOf" in given.sheet.doubtful[0].text


LISTS = {
    "attributes": (
        "<rows><row a='1' b='2,5'/><row a='2' c='x'/></rows>",
        [["a", "b", "c"], ["1", "2,5", None], ["2", None, "x"]],
    ),
    "a row": ("<rows><row a='1' b='2'/></rows>", [["a", "b"], ["1", "2"]]),
    "a column": ("<l><n>a</n><n> b </n></l>", [["n"], ["a"], ["b"]]),
    "a feed": (
        (
            f"{HEAD}<rss xmlns:dc='urn:dc' xmlns:x='urn:x'><channel><title>t</title>"
            "<item><title>A</title><dc:date>1</dc:date><x:date>2</x:date></item>"
            "<item><title>B &amp; C</title><tag>p</tag><tag>q</tag></item></channel></rss>"
        ),
        [
            ["title", "date", "date (2)", "tag"],
            ["A", "1", "2", None],
            ["B & C", None, None, "p; q"],
        ],
    ),
    "an IDoc": (
        (
            f"{HEAD}<ORDERS05><IDOC><E1EDK01><CURCY>EUR</CURCY></E1EDK01>"
            "<E1EDP01 SEGMENT='1'><POSEX>000010</POSEX><MENGE>5.000</MENGE></E1EDP01>"
            "<E1EDP01 SEGMENT='1'><POSEX>000020</POSEX><MENGE>7.000</MENGE></E1EDP01>"
            "</IDOC></ORDERS05>"
        ),
        [["SEGMENT", "POSEX", "MENGE"], ["1", "000010", "5.000"], ["1", "000020", "7.000"]],
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_what_repeats_is_a_row_of_what_it_holds(give: Give, name: str) -> None:
    text, rows = LISTS[name]
    (given,) = give("a.xml", text.encode())
    assert given.rows == rows


def test_the_declared_encoding_counts(give: Give) -> None:
    text = "<?xml version='1.0' encoding='windows-1252'?><l><n>João</n><n>12 €</n></l>"
    (given,) = give("a.xml", text.encode("cp1252"))
    assert given.rows[1:] == [["João"], ["12 €"]]


PARTS = "".join(f"<Field Name='f{n}'><DataField>f{n}</DataField></Field>" for n in range(20))
RECTANGLE = "<rect x='1' y='2'/>"
REFUSED = {
    "the definition of a report": (f"<Report xmlns='{REPORTING}'>{PARTS}</Report>", "'Report'"),
    "settings": (
        "<configuration><a x='1'/><b y='2' z='3'/><l><add k='1'/><add k='2'/></l></configuration>",
        "'configuration'",
    ),
    "a single record": ("<order><id>1</id><part>2</part></order>", "'order'"),
    "a drawing": (f"<svg xmlns='http://www.w3.org/2000/svg'>{RECTANGLE * 9}</svg>", "picture"),
    "entities": ("<!DOCTYPE l [<!ENTITY a 'b'>]><l><n>&a;</n><n>c</n></l>", "no real spreadsheet"),
    "a sign of its own": ("<l>\n<n a='x & y'/>\n<n/></l>", "line 2 cannot"),
    "the beginning alone": ("<l><n>a</n><n>b", "ends in the middle"),
    "names that are data": (
        "<l>" + "".join(f"<n><a{n}>1</a{n}></n>" for n in range(1_100)) + "</l>",
        "'l'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_list_is_refused_as_what_it_is(give: Give, name: str) -> None:
    text, words = REFUSED[name]
    with pytest.raises(UserError, match=words):
        give("a.xml", f"{HEAD}{text}".encode())


def test_a_text_that_begins_with_a_tag_is_no_xml_by_that(give: Give) -> None:
    (given,) = give("a.csv", b"<a> <b>;c\n1;2\n3;4\n")
    assert given.rows == [["<a> <b>", "c"], ["1", "2"], ["3", "4"]]


def test_long_lists_are_read_at_a_steady_pace(give: Give) -> None:
    one = "<m id='1'><part>P1</part><day>2026-01-01</day><value unit='um'>80.5</value></m>\n"
    started = time.process_time()
    (given,) = give("a.xml", f"{HEAD}<l>{one * 8_000}</l>".encode())
    assert len(given.rows) == 8_001
    assert time.process_time() - started < 5
