"""A writer of Outlook's messages (.msg): an OLE file with the properties of MS-OXMSG."""

import struct
from dataclasses import dataclass, field

SECTOR, SMALL_SECTOR, SMALL = 512, 64, 4096
END, FREE, TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_TEXT, _BYTES, _NUMBER = 0x001F, 0x0102, 0x0003


@dataclass
class Storage:
    """A folder of an OLE file."""

    streams: dict[str, bytes] = field(default_factory=dict)
    storages: dict[str, "Storage"] = field(default_factory=dict)


def message(subject: str, sender: str, to: str, body: str, files: list[tuple[str, bytes]]) -> bytes:
    """A message with attached files."""
    return ole_bytes(message_storage(subject, sender, to, body, files, offset=32))


def message_storage(
    subject: str, sender: str, to: str, body: str, files: list[tuple[str, bytes]], *, offset: int
) -> Storage:
    """The same as a folder of an OLE file; its properties begin at 32, in another message at 24."""
    root = _properties(
        {0x0037: subject, 0x0C1A: sender, 0x0E04: to, 0x1000: body, 0x001A: "IPM.Note"}, offset
    )
    for number, (name, content) in enumerate(files):
        root.storages[f"__attach_version1.0_#{number:08X}"] = _properties(
            {0x3701: content, 0x3707: name, 0x3705: 1}, 8
        )
    return root


def _properties(values: dict[int, str | bytes | int], offset: int) -> Storage:
    made = Storage()
    entries = b"\0" * offset
    for tag, value in values.items():
        if isinstance(value, int):
            entries += struct.pack("<HHIII", _NUMBER, tag, 6, value, 0)
            continue
        kind = _TEXT if isinstance(value, str) else _BYTES
        content = value.encode("utf-16-le") if isinstance(value, str) else value
        made.streams[f"__substg1.0_{tag:04X}{kind:04X}"] = content
        extra = 2 if isinstance(value, str) else 0
        entries += struct.pack("<HHIII", kind, tag, 6, len(content) + extra, 0)
    made.streams["__properties_version1.0"] = entries
    return made


def ole_bytes(root: Storage) -> bytes:
    """The OLE file (MS-CFB, version 3) of a folder."""
    names: list[tuple[str, int, bytes, list[int]]] = []  # name, kind, content, children

    def add(name: str, kind: int, folder: Storage | None, content: bytes = b"") -> int:
        place = len(names)
        children: list[int] = []
        names.append((name, kind, content, children))
        if folder is not None:
            children += [add(each, 2, None, inner) for each, inner in folder.streams.items()]
            children += [add(each, 1, inner) for each, inner in folder.storages.items()]
            children.sort(key=lambda child: (len(names[child][0]), names[child][0].upper()))
        return place

    add("Root Entry", 5, root)
    chains: list[bytes] = []  # of whole sectors, in order
    table: list[int] = []

    def keep(content: bytes) -> int:
        if not content:
            return END
        start, count = len(table), -(-len(content) // SECTOR)
        table.extend([*range(start + 1, start + count), END])
        chains.append(content.ljust(count * SECTOR, b"\0"))
        return start

    small, small_table = b"", list[int]()
    starts: dict[int, int] = {}
    for place, (_name, kind, content, _children) in enumerate(names):
        if kind != 2 or not content:
            starts[place] = END if kind == 2 else 0
        elif len(content) >= SMALL:
            starts[place] = keep(content)
        else:
            first, count = len(small_table), -(-len(content) // SMALL_SECTOR)
            small_table += [*range(first + 1, first + count), END]
            small += content.ljust(count * SMALL_SECTOR, b"\0")
            starts[place] = first
    starts[0] = keep(small)
    # Children as a chain to the right: a tree that is sound, if not balanced.
    rights: dict[int, int] = {}
    firsts: dict[int, int] = {}
    for place, (_name, _kind, _content, children) in enumerate(names):
        firsts[place] = children[0] if children else FREE
        rights |= dict(zip(children, [*children, FREE][1:], strict=True))
    listed = b""
    for place, (name, kind, content, _children) in enumerate(names):
        written = name.encode("utf-16-le") + b"\0\0"
        size = len(small) if kind == 5 else len(content)
        listed += written.ljust(64, b"\0") + struct.pack(
            "<HBBIII16sIQQIQ", len(written), kind, 1, FREE, rights.get(place, FREE),
            firsts[place], b"\0" * 16, 0, 0, 0, starts[place], size,
        )  # fmt: skip
    directory = keep(listed.ljust(-(-len(listed) // SECTOR) * SECTOR, b"\0"))
    packed = struct.pack(f"<{len(small_table)}I", *small_table)
    small_start = keep(packed.ljust(-(-len(packed) // SECTOR) * SECTOR, b"\xff"))
    count = 1
    while len(table) + count > count * SECTOR // 4:
        count += 1
    places = list(range(len(table), len(table) + count))
    table += [TABLE] * count
    fat = struct.pack(f"<{len(table)}I", *table).ljust(count * SECTOR, b"\xff")
    header = bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 16
    header += struct.pack(
        "<HHHHHHIIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 0, 0, count, directory, 0, SMALL,
        small_start, -(-len(packed) // SECTOR) if packed else 0, END, 0,
    )  # fmt: skip
    header += struct.pack("<109I", *(places + [FREE] * 109)[:109])
    return header + b"".join(chains) + fat
