"""Text tables whose columns have a type that is not plainly written, by seed."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from tests.data.nasty.truth import Case, Said, Truth, sheet

Written = tuple[str, Any]  # a cell's text, and its value


@dataclass(frozen=True)
class Kind:
    """A way of writing values: the type that a column of them has, and what writes one."""

    type: str
    write: Callable[[random.Random], Written]
    repaired: tuple[str, ...] = ()  # what the report says of it


def _exponent(mark: str, digits: int, letter: str) -> Callable[[random.Random], Written]:
    def write(chance: random.Random) -> Written:
        mantissa = f"{chance.choice((1, -1)) * chance.randrange(1_000, 10_000) / 1_000:.3f}"
        power = chance.randrange(-12, 13)
        sign = "-" if power < 0 else "+"
        text = f"{mantissa}{letter}{sign}{abs(power):0{digits}}"
        return text.replace(".", mark), float(f"{mantissa}e{power}")

    return write


def _signed(mark: str) -> Callable[[random.Random], Written]:
    def write(chance: random.Random) -> Written:
        value = chance.randrange(-999, 1_000) / 100
        return f"{value:+.2f}".replace(".", mark), value

    return write


def _negative(form: str, mark: str) -> Callable[[random.Random], Written]:
    """Numbers as accountants write them: a negative one in parentheses, none as a hyphen."""

    def write(chance: random.Random) -> Written:
        if chance.random() < 0.1:
            return "-", None
        cents = chance.randrange(1, 500_000)
        plain = _grouped(cents, gap="." if mark == "," else ",", mark=mark)
        value = cents / 100 / (100 if "%" in form else 1)
        if chance.random() < 0.5:
            return form.replace("(", "").replace(")", "").format(plain), value
        return form.format(plain), -value

    return write


def _whole_negative(chance: random.Random) -> Written:
    value = chance.randrange(-999, 1_000)
    return (f"({-value})" if value < 0 else str(value)), value


def _thousands(gap: str, mark: str) -> Callable[[random.Random], Written]:
    def write(chance: random.Random) -> Written:
        cents = chance.randrange(100_000, 900_000_000)
        return _grouped(cents, gap=gap, mark=mark), cents / 100

    return write


def _grouped(cents: int, *, gap: str, mark: str) -> str:
    return f"{cents // 100:,}".replace(",", gap) + f"{mark}{cents % 100:02}"


def _indian(chance: random.Random) -> Written:
    """Numbers as they are grouped in India, mixed sizes of them."""
    cents = chance.randrange(1_000, 10 ** chance.randrange(5, 11))
    whole, last = divmod(cents // 100, 1_000)
    pairs = f"{whole:,}".replace(",", "")[::-1]
    text = ",".join(pairs[at : at + 2] for at in range(0, len(pairs), 2))[::-1]
    text = f"{text},{last:03}" if whole else str(last)
    return f"{text}.{cents % 100:02}", cents / 100


def _with_gaps(word: str) -> Callable[[random.Random], Written]:
    """Numbers of a statistics office, some of them unknown."""

    def write(chance: random.Random) -> Written:
        value = chance.randrange(10, 1_000) / 10
        return (word, None) if chance.random() < 0.3 else (str(value), value)

    return write


def _clock(form: str) -> Callable[[random.Random], Written]:
    def write(chance: random.Random) -> Written:
        seconds = chance.randrange(86_400) if "%S" in form else chance.randrange(1_440) * 60
        moment = datetime(2026, 1, 1) + timedelta(seconds=seconds)
        return _formatted(moment, form), moment.time()

    return write


def _moment(form: str) -> Callable[[random.Random], Written]:
    def write(chance: random.Random) -> Written:
        seconds = chance.randrange(400 * 86_400) // 60 * 60
        moment = datetime(2019, 1, 13) + timedelta(seconds=seconds)
        return _formatted(moment, form), moment

    return write


def _day(form: str) -> Callable[[random.Random], Written]:
    def write(chance: random.Random) -> Written:
        day = date(2019, 1, 13) + timedelta(chance.randrange(400))
        return _formatted(datetime.combine(day, time()), form), day

    return write


def _formatted(moment: datetime, form: str) -> str:
    """The moment in this form; %-I is an hour without a zero, as it is on no Windows."""
    half = "AM" if moment.hour < 12 else "PM"
    for code, text in {
        "%-I": str(moment.hour % 12 or 12),
        "%p": half,
        "%q": f"{half[0].lower()}.m.",
        "%h": half[0].lower(),
        "%-d": str(moment.day),
        "%-m": str(moment.month),
    }.items():
        form = form.replace(code, text)
    return moment.strftime(form)


def _duration(chance: random.Random) -> Written:
    length = timedelta(seconds=chance.randrange(86_400, 400_000))
    seconds = int(length.total_seconds())
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}", length


# As people write days out; the names of months are spelt as in their language.
_WRITTEN_OUT = {
    "pt": "{} de {} de {}|janeiro fevereiro março abril maio junho julho agosto setembro outubro"
    " novembro dezembro",
    "fr": "{} {} {}|janvier février mars avril mai juin juillet août septembre octobre novembre"
    " décembre",
    "fr_short": "{} {} {}|janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "it": "{} {} {}|gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre"
    " novembre dicembre",
    "pl": "{} {} {} r.|stycznia lutego marca kwietnia maja czerwca lipca sierpnia września"
    " października listopada grudnia",
    "nl": "{} {} {}|januari februari maart april mei juni juli augustus september oktober november"
    " december",
    "de": "{}. {} {}|Januar Februar März April Mai Juni Juli August September Oktober November"
    " Dezember",
    "es": "{} de {} de {}|enero febrero marzo abril mayo junio julio agosto septiembre octubre"
    " noviembre diciembre",
    "en": "{}th {} {}|January February March April May June July August September October November"
    " December",
    "en_first": "{1} {0}, {2}|January February March April May June July August September October"
    " November December",
    "capitals": "{} {} {}|JANVIER FÉVRIER MARS AVRIL MAI JUIN JUILLET AOUT SEPTEMBRE OCTOBRE"
    " NOVEMBRE DECEMBRE",
}


def _written_out(written: str) -> Callable[[random.Random], Written]:
    form, _bar, listed = written.partition("|")
    months = listed.split()

    def write(chance: random.Random) -> Written:
        day = date(2019, 1, 1) + timedelta(chance.randrange(900))
        return form.format(day.day, months[day.month - 1], day.year), day

    return write


_MONTHS = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "de": "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "fr": "janv févr mars avr mai juin juil août sept oct nov déc",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
}
_WEEKDAYS = {
    "en": "Mon Tue Wed Thu Fri Sat Sun",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "de": "Mo Di Mi Do Fr Sa So",
}


def _named(form: str, language: str, *, step: int = 1) -> Callable[[random.Random], Written]:
    """Moments or days with names of months and weekdays, %b and %a, as this language has them."""

    def write(chance: random.Random) -> Written:
        seconds = chance.randrange(400 * 86_400) // step * step
        moment = datetime(2019, 1, 13) + timedelta(seconds=seconds)
        months = _MONTHS.get(language, _MONTHS["en"]).split()
        weekdays = _WEEKDAYS.get(language, _WEEKDAYS["en"]).split()
        text = form.replace("%b", months[moment.month - 1]).replace(
            "%a", weekdays[moment.weekday()]
        )
        text = text.replace("%B", months[moment.month - 1].upper())
        return _formatted(moment, text), moment if step < 86_400 else moment.date()

    return write


def _quantity(unit: str, mark: str, decimals: int) -> Callable[[random.Random], Written]:
    def write(chance: random.Random) -> Written:
        value = round(chance.uniform(1, 99), decimals)
        return f"{value:.{decimals}f}{unit}".replace(".", mark, int(decimals > 0)), value

    return write


def _length(form: str) -> Callable[[random.Random], Written]:
    """Lengths of time; the parts of a form are days, hours, minutes and seconds."""

    def write(chance: random.Random) -> Written:
        parts = [chance.randrange(limit) for limit in (9, 24, 60, 60)]
        used = [f"{{{place}" in form for place in range(4)]
        parts = [part if is_used else 0 for part, is_used in zip(parts, used, strict=True)]
        days, hours, minutes, seconds = parts
        length = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        return form.format(*parts), length

    return write


_NEGATIVE = ("negative_in_parentheses",)
_UNIT = ("unit_removed",)
_ZONE = ("zone_removed",)
_LENGTH = ("durations",)

DRESSED: dict[str, Kind] = {
    **{
        f"month_{language}_{number}": Kind("datetime", _named(form, language, step=60))
        for language in _MONTHS
        for number, form in enumerate(
            ("%d/%b/%Y %H:%M", "%d-%b-%y %H:%M", "%-d %b %Y, %H:%M", "%d.%b.%Y %H:%M")
        )
    },
    "month_half": Kind("datetime", _named("%d/%b/%y %-I:%M %p", "en", step=60)),
    "month_half_dashes": Kind("datetime", _named("%d-%b-%Y %I:%M %p", "en", step=60)),
    "month_first_half": Kind("datetime", _named("%b %-d, %Y, %-I:%M:%S %p", "en")),
    "statistics_day": Kind("date", _named("%d%B%Y", "en", step=86_400)),
    "statistics_day_short": Kind("date", _named("%d%B%y", "en", step=86_400)),
    "statistics_moment": Kind("datetime", _named("%d%B%Y:%H:%M:%S", "en")),
    "database_moment": Kind("datetime", _named("%d-%B-%y %I.%M.%S.000000 %p", "en")),
    "half_zone": Kind("datetime", _named("%d/%m/%Y %I:%M:%S %p WET", "en"), _ZONE),
    **{
        f"zone_{number}": Kind("datetime", _named(f"%Y-%m-%d %H:%M:%S{zone}", "en"), _ZONE)
        for number, zone in enumerate(
            (" CET", " UTC", " GMT", "+01:00", " +0200", " GMT+1", " (CEST)", "-03:00")
        )
    },
    "zone_of_the_web": Kind("datetime", _named("%a, %d %b %Y %H:%M:%S GMT", "en"), _ZONE),
    "zone_of_a_server": Kind("datetime", _named("%d/%b/%Y:%H:%M:%S +0100", "en"), _ZONE),
    "printed": Kind("datetime", _named("%a %b %d %H:%M:%S %Y", "en")),
    "printed_zone": Kind("datetime", _named("%a %b %d %H:%M:%S WET %Y", "en"), _ZONE),
    "weekday": Kind("date", _named("%a %d/%m/%Y", "de", step=86_400)),
    "weekday_long": Kind("datetime", _named("%a, %d/%m/%Y %H:%M", "pt", step=60)),
    "joined_colon": Kind("datetime", _named("%d/%m/%Y:%H:%M:%S", "en")),
    "joined_dash": Kind("datetime", _named("%d.%m.%Y - %H:%M", "en", step=60)),
    "joined_word": Kind("datetime", _named("%d/%m/%Y às %H:%M", "en", step=60)),
    "hours_by_letter": Kind("datetime", _named("%d-%m-%Y %Hh%M", "en", step=60)),
    "clock_by_letter": Kind("time", _clock("%Hh%M")),
    "compact": Kind("datetime", _named("%Y%m%dT%H%M%S", "en")),
    **{
        f"unit_{number}": Kind("number", _quantity(unit, mark, decimals), _UNIT)
        for number, (unit, mark, decimals) in enumerate(
            (
                (" kg", ",", 2), (" mm", ".", 0), ("mm", ".", 1), ("°C", ",", 1), (" °C", ".", 1),
                ("µm", ",", 0), (" l/min", ",", 1), (" mPa·s", ".", 0), (" g/m²", ",", 1),
                (" V", ".", 0), (" bar", ",", 2), (" min", ".", 0), (" un", ".", 0),
                (" m3", ",", 1),
                ("\N{NO-BREAK SPACE}kN", ",", 1),
            )
        )
    },
    **{
        f"length_{number}": Kind("number", _length(form), _LENGTH)
        for number, form in enumerate(
            (
                "{1}h {2}m", "{1}h{2:02}m", "{1} h {2} min", "{2}m {3}s", "{0}d {1}h",
                "{1}h {2}m {3}s",
                "{0} days, {1}:{2:02}:{3:02}", "{0}d {1:02}:{2:02}:{3:02}", "PT{1}H{2}M", "PT{3}S",
                "P{0}DT{1}H{2}M{3}S", "{1} horas {2} minutos",
            )
        )
    },
}  # fmt: skip


def _money(form: str, *, gap: str, mark: str) -> Callable[[random.Random], Written]:
    """Amounts of a currency; `form` has its place, and that of the number."""

    def write(chance: random.Random) -> Written:
        cents = chance.randrange(100, 900_000_000)
        sign = chance.choice(("", "", "-"))
        text = form.format(sign + _grouped(cents, gap=gap, mark=mark))
        return text, (-cents if sign else cents) / 100

    return write


_MONEY = {
    f"money_{number}": Kind("number", _money(form, gap=gap, mark=mark), ("currency_removed",))
    for number, (form, gap, mark) in enumerate(
        (
            ("{} zł", "\N{NO-BREAK SPACE}", ","), ("{} Kč", " ", ","), ("R$ {}", ".", ","),
            ("CHF {}", "'", "."), ("{} kr", " ", ","), ("kr. {}", ".", ","), ("₹{}", ",", "."),
            ("{} ₺", ".", ","), ("{} lei", ".", ","), ("US$ {}", ",", "."), ("{} SEK", " ", ","),
            ("NOK {}", " ", ","), ("{} Ft", " ", ","), ("{} руб.", " ", ","), ("{} ₽", " ", ","),
            ("₪ {}", ",", "."), ("NT${}", ",", "."), ("₩{}", ",", "."), ("{}円", ",", "."),
            ("{} RM", ",", "."), ("{}\N{NARROW NO-BREAK SPACE}€", " ", ","),
            ("ZAR {}", ",", "."), ("{} лв.", " ", ","),
        )
    )
}  # fmt: skip


def _ideographic(form: str) -> Callable[[random.Random], Written]:
    """Days and times in Chinese, Japanese and Korean."""

    def write(chance: random.Random) -> Written:
        moment = datetime(2020, 1, 13) + timedelta(minutes=chance.randrange(900 * 1_440))
        half = moment.hour >= 12
        text = form.format(
            y=moment.year, era=moment.year - 2018, mo=moment.month, d=moment.day, h=moment.hour,
            h12=moment.hour % 12 or 12, mi=moment.minute,
            zh="下午" if half else "上午",
            ja="午後" if half else "午前",
            ko="오후" if half else "오전",
        )  # fmt: skip
        if "{h" not in form:
            return text, moment.date()
        return text, moment if "{d" in form else moment.time()

    return write


_FAR_EAST = {
    f"far_east_{number}": Kind(type_, _ideographic(form))
    for number, (type_, form) in enumerate(
        (
            ("date", "{y}年{mo}月{d}日"), ("date", "{y}年{mo:02}月{d:02}日"),
            ("date", "{y}년 {mo}월 {d}일"), ("date", "令和{era}年{mo}月{d}日"),
            ("time", "{h:02}时{mi:02}分"), ("time", "{h}時{mi:02}分"), ("time", "{h}시 {mi:02}분"),
            ("time", "{zh}{h12}:{mi:02}"), ("time", "{ja}{h12}時{mi:02}分"),
            ("time", "{ko} {h12}:{mi:02}"), ("datetime", "{y}年{mo}月{d}日 {h}:{mi:02}"),
            ("datetime", "{y}年{mo}月{d}日 {h}时{mi}分"),
            ("datetime", "{y}/{mo}/{d} {zh} {h12}:{mi:02}"),
            ("datetime", "{y}-{mo:02}-{d:02} {ko} {h12}:{mi:02}:00"),
            ("datetime", "{y}년 {mo}월 {d}일 {ko} {h12}시 {mi}분"),
        )
    )
}  # fmt: skip


def _lap(mark: str) -> Callable[[random.Random], Written]:
    """Minutes, seconds and their parts, as cycle times are written."""

    def write(chance: random.Random) -> Written:
        milliseconds = chance.randrange(61_000, 599_000)
        seconds, rest = divmod(milliseconds, 1_000)
        text = f"{seconds // 60}:{seconds % 60:02}{mark}{rest:03}"
        return text, timedelta(milliseconds=milliseconds)

    return write


KINDS: dict[str, Kind] = {
    **_MONEY,
    **_FAR_EAST,
    "lap_point": Kind("number", _lap("."), _LENGTH),
    "lap_comma": Kind("number", _lap(","), _LENGTH),
    "clock_letter": Kind("time", _clock("%-I:%M%h")),
    "moment_letter": Kind("datetime", _moment("%-m/%-d/%Y %-I:%M%h")),
    "moment_db2": Kind("datetime", _moment("%Y-%m-%d-%H.%M.%S.000000")),
    "negative_comma": Kind("number", _negative("({})", ","), _NEGATIVE),
    "negative_point": Kind("number", _negative("({})", "."), _NEGATIVE),
    "negative_whole": Kind("integer", _whole_negative, _NEGATIVE),
    **{
        f"negative_{sign}_{number}": Kind("number", _negative(form, ","), (said, *_NEGATIVE))
        for sign, said, forms in (
            ("euros", "currency_removed", ("({} €)", "(€ {})", "({}) €", "€ ({})", "({}€)")),
            ("percent", "percent_as_fraction", ("({}%)", "({})%", "({} %)", "({}) %")),
        )
        for number, form in enumerate(forms)
    },
    **{
        f"apostrophe_{ord(gap):04x}": Kind("number", _thousands(gap, "."))
        for gap in "'\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}"
        "\N{MODIFIER LETTER APOSTROPHE}"
    },
    "indian": Kind("number", _indian),
    **{
        f"gaps_{number}": Kind("number", _with_gaps(word), ("missing_words",))
        for number, word in enumerate(("...", "…", "..", ":"))
    },
    "exponent_comma_3": Kind("number", _exponent(",", 3, "e")),
    "exponent_comma_2": Kind("number", _exponent(",", 2, "E")),
    "exponent_point_3": Kind("number", _exponent(".", 3, "E")),
    "exponent_point_2": Kind("number", _exponent(".", 2, "E")),
    "signed_comma": Kind("number", _signed(",")),
    "signed_point": Kind("number", _signed(".")),
    "clock_half": Kind("time", _clock("%-I:%M %p")),
    "clock_half_seconds": Kind("time", _clock("%I:%M:%S %p")),
    "clock_half_dots": Kind("time", _clock("%-I:%M %q")),
    "clock": Kind("time", _clock("%H:%M")),
    "clock_klo": Kind("time", _clock("klo %H.%M")),
    "clock_at": Kind("time", _clock("às %H:%M")),
    "clock_h": Kind("time", _clock("%H:%M h")),
    "clock_hrs": Kind("time", _clock("%H:%M hrs")),
    "clock_uhr": Kind("time", _clock("%H:%M Uhr")),
    "clock_dot_uhr": Kind("time", _clock("%H.%M Uhr")),
    "moment_klo": Kind("datetime", _moment("%d.%m.%Y klo %H.%M")),
    "year_month_name": Kind("date", _day("%Y-%b-%d")),
    "year_month_words": Kind("date", _day("%Y %B %d")),
    "year_month_clock": Kind("datetime", _moment("%Y-%b-%d %H:%M")),
    "clock_seconds": Kind("time", _clock("%H:%M:%S")),
    "duration": Kind("number", _duration, _LENGTH),
    "day_hungarian": Kind("date", _day("%Y.%m.%d.")),
    "day_hungarian_spaced": Kind("date", _day("%Y. %m. %d.")),
    "day_croatian": Kind("date", _day("%d.%m.%Y.")),
    "day_croatian_spaced": Kind("date", _day("%-d. %-m. %Y.")),
    **{
        f"day_written_{name}": Kind("date", _written_out(written))
        for name, written in _WRITTEN_OUT.items()
    },
    "day_czech": Kind("date", _day("%-d. %-m. %Y")),
    "day_compact_points": Kind("date", _day("%Y.%m.%d")),
    "moment_hungarian": Kind("datetime", _moment("%Y.%m.%d. %H:%M")),
    "moment_croatian": Kind("datetime", _moment("%d.%m.%Y. %H:%M")),
    "moment_slashes": Kind("datetime", _moment("%Y/%m/%d %H:%M")),
    "moment_half": Kind("datetime", _moment("%d/%m/%Y %-I:%M %p")),
    "moment_american": Kind("datetime", _moment("%-m/%-d/%Y %-I:%M:%S %p")),
    "moment_iso_half": Kind("datetime", _moment("%Y-%m-%d %I:%M:%S %p")),
    "moment_comma": Kind("datetime", _moment("%d/%m/%Y, %H:%M")),
}


def generated(seed: int, *, rows: int = 40) -> Iterator[Case]:
    """A column of every kind, beside one of names, some of its cells empty."""
    for name, kind in (KINDS | DRESSED).items():
        chance = random.Random(f"{name} {seed}")
        cells = [
            ("", None) if row > 3 and chance.random() < 0.1 else kind.write(chance)
            for row in range(rows)
        ]
        cells = _in_one_unit(cells)
        lots = [f"L{number}" for number in range(rows)]
        body = [(lot, value) for lot, (_text, value) in zip(lots, cells, strict=True)]
        text = _table(zip(lots, (text for text, _value in cells), strict=True))
        truth = sheet(
            "lote valor",
            f"text {kind.type}",
            body,
            separator=";",
            repaired=kind.repaired,
            perhaps=("month_first", "missing_words"),
        )
        yield Case(f"{name}_{seed}.csv", text.encode(), Truth("One way of writing", (truth,)))


def _in_one_unit(cells: Sequence[Written]) -> list[Written]:
    """Lengths of time as numbers: of hours if one is as long, or else of minutes or seconds."""
    seconds = [each.total_seconds() for _text, each in cells if isinstance(each, timedelta)]
    unit = next((each for each in (3_600, 60) if max(seconds, default=0) >= each), 1)
    return [
        (text, each.total_seconds() / unit if isinstance(each, timedelta) else each)
        for text, each in cells
    ]


def sparse(seed: int, *, rows: int = 12_000) -> Case:
    """Columns that hold a few values in many rows."""
    chance = random.Random(seed)
    kinds = chance.sample(["day_croatian", "clock", "exponent_comma_3", "moment_slashes"], 3)
    columns: list[list[Written]] = [[("", None)] * rows for _kind in kinds]
    for column, kind in zip(columns, kinds, strict=True):
        for place in chance.sample(range(rows), 5):
            column[place] = KINDS[kind].write(chance)
    lots = [(str(n), f"L{n % 50}", "OK") for n in range(rows)]
    lines = [(*lots[n], *(column[n][0] for column in columns)) for n in range(rows)]
    body = [(n, *lots[n][1:], *(column[n][1] for column in columns)) for n in range(rows)]
    truth = sheet(
        ("n", "lote", "resultado", *kinds),
        " ".join(("integer", "text", "text", *(KINDS[kind].type for kind in kinds))),
        body,
        perhaps=("month_first", "day_month", "decimal_mark"),
    )
    text = _table(lines, header=("n", "lote", "resultado", *kinds))
    return Case(f"sparse_{seed}.csv", text.encode(), Truth("Few values", (truth,)))


def nearly(seed: int, *, rows: int = 200) -> Iterator[Case]:
    """Columns that are of one type but for a few cells: they stay text, and that is said."""
    for name in ("exponent_point_2", "day_croatian", "clock", "moment_slashes", "signed_comma"):
        chance = random.Random(f"{name} {seed}")
        cells = [KINDS[name].write(chance)[0] for _row in range(rows)]
        places = sorted(chance.sample(range(rows), 2))
        for place in places:
            cells[place] = chance.choice(("sem peça", "ver nota", "X12", "12 a 15"))
        yield _told(f"nearly_{name}_{seed}", cells, [f"B{place + 2}" for place in places])


def aligned(seed: int, *, rows: int = 40) -> Case:
    """A table as databases print it, its cells filled up with blanks: they are no part of them."""
    chance = random.Random(seed)
    words = ["ok", "a rever", "rejeitado", "em espera"]
    cells = [(f"L{number}", chance.choice(words), number / 4) for number in range(rows)]
    text = _table(
        [(f"{lot:6}", f"{word:12}", f"{size:9.2f} ") for lot, word, size in cells],
        header=("lote  ", "resultado   ", "     peso "),
    )
    truth = sheet("lote resultado peso", "text text number", cells)
    return Case(f"aligned_{seed}.csv", text.encode(), Truth("Filled up with blanks", (truth,)))


def notes(seed: int, *, rows: int = 40) -> Case:
    """The number of a note in parentheses, in a column without any other number: it stays text."""
    note = f"({random.Random(seed).randrange(1, 9)})"
    cells = [(f"L{number}", note if number % 3 else None) for number in range(rows)]
    text = _table([(lot, cell or "") for lot, cell in cells])
    truth = sheet("lote valor", "text text", cells)
    return Case(f"note_{seed}.csv", text.encode(), Truth("The number of a note", (truth,)))


def numbering(seed: int, *, rows: int = 40) -> Case:
    """Nothing but (1), (2), (3) in a column: numbers of notes or steps, none of them negative."""
    chance = random.Random(seed)
    first, last = chance.randrange(1, 4), chance.randrange(5, 60)
    cells = [
        (f"L{number}", None if chance.random() < 0.2 else f"({chance.randrange(first, last)})")
        for number in range(rows)
    ]
    text = _table([(lot, cell or "") for lot, cell in cells])
    truth = sheet("lote valor", "text text", cells)
    return Case(f"numbering_{seed}.csv", text.encode(), Truth("Numbers in parentheses", (truth,)))


def several_notations(seed: int, *, rows: int = 60) -> Iterator[Case]:
    """Columns of one type in two notations that nobody can read as one: said as well."""
    for one, other in (
        ("day_czech", "moment_slashes"),
        ("exponent_comma_2", "exponent_point_2"),
        ("clock", "clock_half"),
    ):
        chance = random.Random(f"{one} {seed}")
        cells = [KINDS[chance.choice((one, other))].write(chance)[0] for _row in range(rows)]
        yield _told(f"both_{one}_{other}_{seed}", cells, [])


def several_tails(seed: int, *, rows: int = 40) -> Iterator[Case]:
    """Numbers of several units and times of several zones: they stay text, and that is said."""
    for one, other in (("unit_0", "unit_1"), ("zone_0", "zone_1"), ("zone_3", "zone_7")):
        chance = random.Random(f"{one} {seed}")
        cells = [DRESSED[chance.choice((one, other))].write(chance)[0] for _row in range(rows)]
        yield _told(f"tails_{one}_{other}_{seed}", cells, [])


def seasons(seed: int, *, rows: int = 40) -> Case:
    """Times of one place in summer and winter: they are read as the clock there showed them."""
    chance = random.Random(seed)
    pair = chance.choice(((" WET", " WEST"), (" CET", " CEST"), ("+00:00", "+01:00")))
    write = _named("%Y-%m-%d %H:%M:%S", "en")
    cells = [write(chance) for _row in range(rows)]
    lots = [f"L{number}" for number in range(rows)]
    texts = [text + pair[4 <= value.month <= 10] for text, value in cells]
    truth = sheet(
        "lote valor",
        "text datetime",
        [(lot, value) for lot, (_text, value) in zip(lots, cells, strict=True)],
        repaired=("zone_removed",),
    )
    text = _table(list(zip(lots, texts, strict=True)))
    return Case(f"seasons_{seed}.csv", text.encode(), Truth("Summer and winter", (truth,)))


def plain_codes(seed: int, *, rows: int = 40) -> Iterator[Case]:
    """Codes that look as numbers with a unit, or dates, do: they stay as they are."""
    chance = random.Random(seed)
    forms: dict[str, Callable[[], str]] = {
        "size": lambda: f"{chance.randrange(10, 99)}A",
        "lot": lambda: f"{chance.randrange(10, 99)} AB",
        "ordinal": lambda: f"{chance.randrange(1, 9)}º",
        "place": lambda: f"R{chance.randrange(10, 99)} kg",
        "item": lambda: f"{chance.randrange(10, 99)}SET{chance.randrange(10, 99)}X",
        "shift": lambda: f"{chance.randrange(1, 4)}T",
        "text": lambda: f"Lote {chance.randrange(1, 28):02}/03/2024",
        "sentence": lambda: f"peso de {chance.randrange(1, 9)} kg",
    }
    for name, write in forms.items():
        cells = [(f"L{number}", write()) for number in range(rows)]
        truth = sheet("lote valor", "text text", cells)
        yield Case(
            f"codes_{name}_{seed}.csv",
            _table(cells).encode(),
            Truth("Codes", (truth,)),
        )


def parts_of_days(seed: int, *, rows: int = 40) -> Iterator[Case]:
    """Times of day as spreadsheets count them, without their format; and what only looks so."""
    for digits, step in ((6, 1), (6, 60), (4, 60), (9, 1)):
        chance = random.Random(f"{digits} {step} {seed}")
        moments = [timedelta(seconds=chance.randrange(86_400) // step * step) for _ in range(rows)]
        texts = [f"{each / timedelta(days=1):.{digits}f}".replace(".", ",") for each in moments]
        days = [date(2024, 1, 1) + timedelta(number) for number in range(rows)]
        for name, type_ in (("Hora", "time"), ("Fator", "number")):
            values = [
                (datetime(2024, 1, 1) + moment).time()
                if type_ == "time"
                else float(text.replace(",", "."))
                for moment, text in zip(moments, texts, strict=True)
            ]
            truth = sheet(
                f"Data {name}",
                f"date {type_}",
                [*zip(days, values, strict=True)],
                repaired=("serial_times",) if type_ == "time" else (),
            )
            lines = [(each.isoformat(), text) for each, text in zip(days, texts, strict=True)]
            text = _table(lines, header=("Data", name))
            case = f"parts_{name}_{digits}_{step}_{seed}.csv"
            yield Case(case, text.encode(), Truth("Parts of a day", (truth,)))


def tenths_of_seconds(seed: int, *, rows: int = 40) -> Case:
    """The seconds of a measurement below one under the name of a time: no parts of a day."""
    chance = random.Random(seed)
    cells = [(f"L{number}", chance.randrange(10_000) / 10_000) for number in range(rows)]
    truth = sheet("lote Time", "text number", cells)
    text = _table([(lot, f"{value}") for lot, value in cells], header=("lote", "Time"))
    return Case(f"seconds_{seed}.csv", text.encode(), Truth("Seconds", (truth,)))


def counters(seed: int, *, rows: int = 40) -> Case:
    """The log of Windows' counters: month first by its name, where no day is above 12."""
    chance = random.Random(seed)
    start = datetime(2024, chance.randrange(1, 12), chance.randrange(1, 12), 8)
    cells = [
        (start + timedelta(seconds=15 * number), round(chance.uniform(0, 99), 6))
        for number in range(rows)
    ]
    name = "(PDH-CSV 4.0) (GMT Standard Time)(0)"
    lines = [f'"{name}","\\\\PC\\Processor(_Total)\\% Processor Time"\r\n']
    lines += [f'"{moment:%m/%d/%Y %H:%M:%S}.000","{value:.6f}"\r\n' for moment, value in cells]
    truth = sheet(
        (name, "\\\\PC\\Processor(_Total)\\% Processor Time"),
        "datetime number",
        cells,
        repaired=("month_first",),
    )
    return Case(f"counters_{seed}.csv", "".join(lines).encode(), Truth("Counters", (truth,)))


def thousands(seed: int, *, rows: int = 20) -> Iterator[Case]:
    """Numbers such as 1.000 beside plain ones: the reading that keeps their size is taken."""
    for separator, mark in ((";", "."), (";", ","), ("\t", "."), ("\t", ","), (",", ".")):
        chance = random.Random(f"{separator} {mark} {seed}")
        values = [chance.randrange(700, 1_000) for _row in range(rows)]
        for place in chance.sample(range(rows), 5):
            values[place] = chance.randrange(1_000, 2_000)
        texts = [f"{value:,}".replace(",", mark) for value in values]
        lots = [f"L{number}" for number in range(rows)]
        truth = sheet(
            "lote valor",
            "text number",
            [(lot, float(value)) for lot, value in zip(lots, values, strict=True)],
            doubtful=("decimal_mark",),
        )
        text = _table(zip(lots, texts, strict=True), separator=separator)
        name = {";": "semicolon", "\t": "tab", ",": "comma"}[separator]
        kind = {".": "point", ",": "comma"}[mark]
        case = f"thousands_{name}_{kind}_{seed}.csv"
        yield Case(case, text.encode(), Truth("Thousands or decimals", (truth,)))


def _told(name: str, cells: Sequence[str], places: Sequence[str]) -> Case:
    """A column that stays text, of which the report says so."""
    lots = [f"L{number}" for number in range(len(cells))]
    rows = list(zip(lots, cells, strict=True))
    truth = sheet("lote valor", "text text", rows, doubtful=(Said("mixed_column", tuple(places)),))
    return Case(f"{name}.csv", _table(rows).encode(), Truth("Nearly of a type", (truth,)))


def _table(
    rows: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]],
    *,
    header: Sequence[str] = ("lote", "valor"),
    separator: str = ";",
) -> str:
    return "".join(separator.join(row) + "\n" for row in (tuple(header), *rows))


def guarded(seed: int, *, rows: int = 30) -> Iterator[Case]:
    """Codes that are written as formulas, so that a spreadsheet keeps their zeros."""
    chance = random.Random(seed)
    for share in (1.0, 0.4):
        codes = [f"{chance.randrange(10**6):08}" for _row in range(rows)]
        written = [f'="{code}"' if chance.random() < share else code for code in codes]
        text = _table(zip(written, map(str, range(rows)), strict=True), header=('="code"', "n"))
        truth = sheet(
            "code n",
            "text integer",
            [*zip(codes, range(rows), strict=True)],
            separator=";",
            repaired=("guarded_texts",),
        )
        about = "Texts in formulas"
        yield Case(f"guarded_{share}_{seed}.csv", text.encode(), Truth(about, (truth,)))


def flagged(seed: int, *, rows: int = 40) -> Case:
    """Numbers, some with a sign behind them: they stay text, and that is said."""
    chance = random.Random(seed)
    flags = chance.choice(("*", "§", "†", "p", "°")), chance.choice(("x", "#", "...", "&"))
    cells = [
        f"{chance.randrange(100, 999) / 10}" + (f" {flags[0]}" if chance.random() < 0.3 else "")
        for _row in range(rows)
    ]
    cells = [
        flags[1] if row > 3 and chance.random() < 0.05 else cell for row, cell in enumerate(cells)
    ]
    lots = [f"R{row}x" for row in range(rows)]
    truth = sheet(
        "lote valor", "text text", [*zip(lots, cells, strict=True)], doubtful=("mixed_column",)
    )
    text = _table(zip(lots, cells, strict=True))
    return Case(f"flagged_{seed}.csv", text.encode(), Truth("Signs behind numbers", (truth,)))


# Writings of values that are not read, and texts that only have digits in them.
UNREAD: dict[str, Callable[[random.Random], str]] = {
    "accounts": lambda chance: f"{chance.randrange(10**6) / 100:.2f} {chance.choice(('Cr', 'Dr'))}",
    "month": lambda chance: f"2026. január {chance.randrange(1, 32)}.",
    "script": lambda chance: "".join(
        chr(0x660 + int(each)) for each in str(chance.randrange(10**4))
    ),
    "debits": lambda chance: (
        f"{chance.randrange(10**6) / 100:.2f}{chance.choice(('CR', 'DR', 'DR', ''))}"
    ),
    "months of words": lambda chance: f"2026 m. kovo {chance.randrange(1, 32)} d.",
    "year of words": lambda chance: f"2026. gada {chance.randrange(1, 32)}. marts",
    "feet": lambda chance: f"{chance.randrange(30)}' {chance.randrange(12)}\"",
}
CODES: dict[str, Callable[[random.Random], str]] = {
    "part": lambda chance: f"P-{chance.randrange(1000)}",
    "revision": lambda chance: f"Rev 1.{chance.randrange(100)}",
    "address": lambda chance: f"10.0.{chance.randrange(256)}.{chance.randrange(256)}",
    "range": lambda chance: f"{chance.randrange(9)}-{chance.randrange(10, 99)}",
    "telephone": lambda chance: f"21 {chance.randrange(100, 999)} 45 {chance.randrange(10, 99)}",
}
