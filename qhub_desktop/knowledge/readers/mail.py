"""E-mails (.eml, .msg): who wrote what to whom, and the attached files as files."""

import re
from collections.abc import Iterator
from email import policy
from email.errors import CloseBoundaryNotFoundDefect, StartBoundaryNotFoundDefect
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import format_datetime
from typing import Any

from qhub_desktop.core.documents import DocumentPlace
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.knowledge.passages import Block
from qhub_desktop.knowledge.readers.plain_text import text_blocks
from qhub_desktop.knowledge.readers.source import (
    DAMAGED,
    DocumentContent,
    Source,
    refusal,
    write_attachment,
)
from qhub_desktop.knowledge.readers.web_page import page_blocks_of

DEEPEST = 3  # of messages in messages, as they are taken out of an Outlook file
FIRST_LINES_BYTES = 4_096
_HEADER_LINE = re.compile(rb"([A-Za-z][A-Za-z-]*):[ \t]?[^\r\n]*")
_KNOWN = {b"from", b"to", b"subject", b"date", b"received", b"mime-version", b"message-id"}
_KNOWN |= {b"return-path", b"delivered-to", b"content-type", b"reply-to", b"cc", b"x-mailer"}
LEAST_HEADERS = 3
_SHOWN = ("From", "To", "Cc", "Date")
# Properties of an Outlook file (MS-OXPROPS), and where they begin: at its top, and in a message
# that is attached.
_SUBJECT, _BODY, _HTML, _TO, _CC, _SENT = 0x0037, 0x1000, 0x1013, 0x0E04, 0x0E03, 0x0039
_SENDER, _ADDRESS, _NAME, _SHORT_NAME, _BYTES = 0x0C1A, 0x5D01, 0x3707, 0x3704, 0x3701
_TOP, _ATTACHED, _ATTACHMENT = 32, 24, 8
_EMBEDDED = "__substg1.0_3701000D"


def is_mail(head: bytes) -> bool:
    """Return whether a text begins as a message does: with several known headers."""
    lines = head[:FIRST_LINES_BYTES].lstrip(b"\r\n").splitlines()
    known = 0
    for line in lines:
        if line[:1] in (b" ", b"\t"):
            continue
        found = _HEADER_LINE.fullmatch(line)
        if found is None:
            break
        known += found[1].lower() in _KNOWN
    return known >= LEAST_HEADERS


def read_mail(source: Source) -> DocumentContent:
    """Read a message of the Internet (.eml)."""
    message = BytesParser(policy=policy.default).parsebytes(source.path.read_bytes())
    cut = (CloseBoundaryNotFoundDefect, StartBoundaryNotFoundDefect)
    if any(isinstance(defect, cut) for part in message.walk() for defect in part.defects):
        raise refusal(DAMAGED, source.name)
    return _content(message, source)


def read_outlook(source: Source) -> DocumentContent:
    """Read a message of Outlook (.msg)."""
    from olefile import OleFileIO
    from oxmsg.storage import Storage

    with OleFileIO(str(source.path)) as ole:
        root = Storage.from_ole(ole)
    return _content(_outlook_message(root, _TOP), source)


def _outlook_message(storage: Any, offset: int, depth: int = 1) -> EmailMessage:
    """Return an Outlook message as one of the Internet."""
    from oxmsg.properties import Properties

    own = Properties(storage, properties_header_offset=offset)
    made = EmailMessage()
    sender = [own.str_prop_value(each) or "" for each in (_SENDER, _ADDRESS)]
    for name, value in (
        ("Subject", own.str_prop_value(_SUBJECT)),
        ("From", " ".join(filter(None, dict.fromkeys(sender)))),
        ("To", own.str_prop_value(_TO)),
        ("Cc", own.str_prop_value(_CC)),
    ):
        if line := " ".join(sanitize(value or "").rstrip("\0 ").split()):
            made[name] = line
    if sent := own.date_prop_value(_SENT):
        made["Date"] = format_datetime(sent)
    body, page = own.str_prop_value(_BODY), own.binary_prop_value(_HTML)
    if body and body.strip():
        made.set_content(sanitize(body))
    elif page:
        made.set_content(page.decode("utf-8", "replace"), subtype="html")
    for each in storage.iter_attachment_storages():
        inner = next((one for one in each.storages if one.name == _EMBEDDED), None)
        if inner is not None and depth < DEEPEST:
            made.add_attachment(_outlook_message(inner, _ATTACHED, depth + 1))
            continue
        told = Properties(each, properties_header_offset=_ATTACHMENT)
        content = told.binary_prop_value(_BYTES)
        name = told.str_prop_value(_NAME) or told.str_prop_value(_SHORT_NAME) or ""
        if content:
            made.add_attachment(
                content, maintype="application", subtype="octet-stream", filename=sanitize(name)
            )
    return made


def _content(message: EmailMessage, source: Source) -> DocumentContent:
    title = _header(message, "Subject")
    lines = [f"{name}: {value}" for name in _SHOWN if (value := _header(message, name))]
    head = [Block(title, DocumentPlace(part=_("header")), level=1)] if title else []
    if lines:
        head.append(Block("\n".join(lines), DocumentPlace(part=_("header"))))
    kept, left = [], 0
    for number, (name, content) in enumerate(_attached(message)):
        if made := write_attachment(source, name, content, number):
            kept.append(made)
        else:
            left += 1
    warnings: tuple[str, ...] = ()
    if left:
        warnings = (
            ngettext(
                "{count} attached file was not read.", "{count} attached files were not read.", left
            ).format(count=left),
        )
    return DocumentContent(
        "E-mail",
        (*head, *_body(message)),
        title,
        warnings=warnings,
        attachments=tuple(kept),
    )


def _header(message: EmailMessage, name: str) -> str:
    try:
        return sanitize(" ".join(str(message.get(name, "")).replace('"', "").split()))
    except (ValueError, LookupError, AttributeError, TypeError):  # of a header that is malformed
        return ""


def _body(message: EmailMessage) -> Iterator[Block]:
    body = message.get_body(preferencelist=("plain", "html"))
    if body is None:
        return
    text = _text(body)
    part = _("message")
    if body.get_content_subtype() == "html":
        yield from page_blocks_of(text, part=part)[0]
    else:
        yield from text_blocks(text, part=part)


def _text(part: Any) -> str:
    try:
        return sanitize(str(part.get_content()))
    except (LookupError, ValueError):  # an encoding that does not exist
        return sanitize((part.get_payload(decode=True) or b"").decode("utf-8", "replace"))


def _attached(message: EmailMessage) -> Iterator[tuple[str, bytes]]:
    """Yield the files that are attached; a message is a file, too."""
    for part in message.iter_attachments():
        if part.get_content_type() == "message/rfc822":
            inner = part.get_content()
            subject = _header(inner, "Subject") or _("message")
            yield f"{subject}.eml", inner.as_bytes()
            continue
        content = part.get_payload(decode=True)
        if isinstance(content, bytes) and content:
            yield part.get_filename() or _("attachment"), content
