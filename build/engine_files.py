"""Makes the pack of the safe Python: `engine_files.py FOLDER WORK ARCHIVE`.

FOLDER becomes the pack, WORK keeps what was compiled for the next time, ARCHIVE is the name under
which the pack is handed out. It runs with the packages that the program is packed from, on the kind
of machine that the program is for: a compiler for another one is not in them.
"""

import shutil
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import wasmtime
from pack_files import describe

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.packs import ABOUT_FILE, SAFE_PYTHON, PackMissingError
from qhub_desktop.sandbox import engine

# What only tells where in the guest's code a trap was, and names for debuggers: nobody reads it.
UNREAD = (b".wasmtime.addrmap", b".symtab", b".strtab")
HEADER, ENTRY = "<16sHHIQQQIHHHHHH", "<IIQQQQIIQQ"  # of ELF with 64 bits
NOTHING_IN_FILE = 8  # SHT_NOBITS


def main() -> int:
    """Make the pack; 0, or a sentence."""
    folder, work, archive = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    package = engine.package_folder()
    if package is None:
        sys.exit("The package of the safe Python is not installed.")
    work.mkdir(parents=True, exist_ok=True)
    module, image = (work / place.name for place in engine.places())
    try:
        engine.make(package, module, image, print)
    except UserError as error:
        sys.exit(str(error))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / engine.MODULE_FILE).write_bytes(without_unread(module.read_bytes()))
    shutil.copyfile(image, folder / engine.IMAGE_FILE)
    shutil.copyfile(package / "python-stdlib.zip", folder / engine.LIBRARY_FILE)
    (library,) = Path(wasmtime.__file__).parent.glob("*-*/_*wasmtime.*")
    shutil.copyfile(library, folder / library.name)
    describe(folder, archive)
    SAFE_PYTHON.shipped = folder / ABOUT_FILE
    SAFE_PYTHON.use(folder)
    try:
        engine.load()  # runs a line of code
    except PackMissingError as error:
        sys.exit(str(error))
    return 0


def without_unread(module: bytes) -> bytes:
    """Return a compiled module without the sections that nobody reads: an eighth of it.

    Those in front of them stay where they are: Windows' unwinding finds its own behind the code.
    """
    header = list(struct.unpack_from(HEADER, module))
    table, size, count, names_at = header[6], header[11], header[12], header[13]
    entries = [
        list(struct.unpack_from(ENTRY, module, table + size * each)) for each in range(count)
    ]
    names = module[entries[names_at][4] : entries[names_at][4] + entries[names_at][5]]
    is_kept = [names[each[0] : names.index(b"\0", each[0])] not in UNREAD for each in entries]
    kept = [each for each, wanted in zip(entries, is_kept, strict=True) if wanted]
    made = bytearray(module[: struct.calcsize(HEADER)])
    for each in kept[1:]:  # the first is none
        made += bytes(-len(made) % max(each[8], 1))
        start = each[4]
        each[4] = len(made)
        if each[1] != NOTHING_IN_FILE:
            made += module[start : start + each[5]]
    made += bytes(-len(made) % 8)
    header[6], header[12], header[13] = len(made), len(kept), sum(is_kept[:names_at])
    for each in kept:
        made += struct.pack(ENTRY, *each)
    struct.pack_into(HEADER, made, 0, *header)
    return bytes(made)


if __name__ == "__main__":
    sys.exit(main())
