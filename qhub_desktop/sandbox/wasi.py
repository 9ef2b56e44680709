"""WASI for the guest: files in memory, two streams and a clock, and nothing else.

Nothing here opens a file, a socket or a process of the host: what the guest reads was put into its
tree beforehand, what it writes stays in this process' memory, up to a cap, and goes with the run.
Every address that the guest names is checked against the size of its memory before it is used.
Layouts and numbers are those of `wasi_snapshot_preview1`.
"""

# Why it is so: decisions/sandbox.md

import ctypes
import mmap
import os
import re
import struct
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from wasmtime import FuncType, Linker, Memory, Store, ValType

MODULE = "wasi_snapshot_preview1"
ROOT_FD = 3  # after the three standard streams: the one folder that is open from the start
SCRATCH = "tmp"  # the only folder that the guest can write to
SCRATCH_BYTES = 64 * 2**20
SCRATCH_NODES = 2_000  # files and folders that a run may make
OPEN_FILES, PATH_BYTES = 256, 4_096

SUCCESS, ACCES, BADF, EXIST, FAULT, INVAL, ISDIR, MFILE = 0, 2, 8, 20, 21, 28, 31, 33
NAMETOOLONG, NOENT, NOSPC, NOTDIR, NOTEMPTY, NOTSUP = 37, 44, 51, 54, 55, 58
PERM, ROFS, SPIPE = 63, 69, 70

IS_DEVICE, IS_FOLDER, IS_FILE = 2, 3, 4
CREATE, FOLDER_ONLY, EXCLUSIVE, TRUNCATE = 1, 2, 4, 8
APPEND = 1
RIGHT_TO_WRITE, ALL_RIGHTS = 1 << 6, (1 << 30) - 1
FROM_START, FROM_HERE, FROM_END, SET_ACCESS_NOW, SET_CHANGE_NOW = 0, 1, 2, 2, 8


class GuestExit(BaseException):
    """The guest has ended itself with this code."""


class OutOfTimeError(BaseException):
    """The guest would sleep for longer than it may run."""


class _RefusedError(Exception):
    """The guest is answered this number."""


@dataclass(slots=True, eq=False)
class Folder:
    """Folder of the guest's tree."""

    is_writable: bool = False
    nodes: dict[str, "Folder | Data | Sink"] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Data:
    """File of the guest's tree: bytes of ours that it can read, or its own that it can write."""

    content: bytes | bytearray | mmap.mmap = field(default_factory=bytearray)


@dataclass(slots=True, eq=False)
class Sink:
    """Output of the guest: kept up to a cap, thrown away beyond."""

    limit_bytes: int
    kept: bytearray = field(default_factory=bytearray)
    is_cut: bool = False

    def write(self, data: bytes) -> None:
        """Keep what there is room for."""
        room = self.limit_bytes - len(self.kept)
        self.is_cut = self.is_cut or len(data) > room
        self.kept += data[:room]


Node = Folder | Data | Sink


@dataclass(slots=True, eq=False)
class _Open:
    node: Node
    place: int = 0
    appends: bool = False
    may_write: bool = False


class World:
    """Surroundings of one run of the guest, and what it has left behind; nothing of the host's."""

    def __init__(
        self,
        *,
        arguments: Iterable[str] = (),
        environment: Iterable[str] = (),
        output: Sink,
        errors: Sink,
    ) -> None:
        self.root = Folder(nodes={SCRATCH: Folder(is_writable=True)})
        self._arguments = [each.encode() + b"\0" for each in arguments]
        self._environment = [each.encode() + b"\0" for each in environment]
        self._open: dict[int, _Open] = {
            0: _Open(Data(b"")),
            1: _Open(output, may_write=True),
            2: _Open(errors, may_write=True),
            ROOT_FD: _Open(self.root),
        }
        self.stop_sleeping_at = float("inf")  # of the monotonic clock: when the run's time is up
        self._now = time.time_ns()  # when every file was written
        self._scratch_bytes = self._scratch_nodes = self._base = 0
        self._numbers: dict[int, int] = {}  # of nodes, which tell nothing of the host's addresses
        self._size: Callable[[], int] = int

    def add(self, path: str, node: Node) -> None:
        """Put a file or a sink into the tree, with the folders above it."""
        *above, name = path.strip("/").split("/")
        folder = self.root
        for each in above:
            inner = folder.nodes.setdefault(each, Folder())
            assert isinstance(inner, Folder)
            folder = inner
        folder.nodes[name] = node

    def attach(self, memory: Memory, store: Store) -> None:
        """Take the memory of the instance that is about to run.

        Its address stays the same while it grows: the engine reserves all that it may ever have.
        """
        self._base = ctypes.addressof(memory.data_ptr(store).contents)
        self._size = lambda: memory.data_len(store)

    def define(self, linker: Linker) -> None:
        """Give a linker every function that the guest may call; the others say 'not supported'."""
        ours = {
            name.removeprefix("_wasi_"): getattr(self, name)
            for name in dir(type(self))
            if name.startswith("_wasi_")
        }
        i32, i64 = ValType.i32(), ValType.i64()
        for name, shape in SIGNATURES.items():
            parameters = [i64 if each == "l" else i32 for each in shape]
            if name == "proc_exit":
                linker.define_func(MODULE, name, FuncType(parameters, []), ours[name])
                continue
            answer = _guarded(ours[name]) if name in ours else _unsupported
            linker.define_func(MODULE, name, FuncType(parameters, [i32]), answer)

    # The guest's memory. Addresses come as signed numbers of 32 bits.

    def _address(self, address: int, count: int) -> int:
        address &= 0xFFFFFFFF
        if count < 0 or address + count > self._size():
            raise _RefusedError(FAULT)
        return self._base + address

    def _read(self, address: int, count: int) -> bytes:
        count &= 0xFFFFFFFF
        return ctypes.string_at(self._address(address, count), count)

    def _write(self, address: int, data: bytes) -> None:
        ctypes.memmove(self._address(address, len(data)), data, len(data))

    def _write_u32(self, address: int, value: int) -> None:
        self._write(address, (value & 0xFFFFFFFF).to_bytes(4, "little"))

    def _write_u64(self, address: int, value: int) -> None:
        self._write(address, value.to_bytes(8, "little"))

    def _vectors(self, address: int, count: int) -> list[tuple[int, int]]:
        if not 0 <= count <= 1024:
            raise _RefusedError(INVAL)
        return [*struct.iter_unpack("<II", self._read(address, 8 * count))]

    # The tree.

    def _opened(self, number: int) -> _Open:
        found = self._open.get(number)
        if found is None:
            raise _RefusedError(BADF)
        return found

    def _steps(self, number: int, address: int, count: int) -> tuple[list[Folder], list[str]]:
        """Return where a path begins, with the folders above, and its steps."""
        if not 0 <= count <= PATH_BYTES:
            raise _RefusedError(NAMETOOLONG)
        start = self._opened(number).node
        if not isinstance(start, Folder):
            raise _RefusedError(NOTDIR)
        try:
            path = self._read(address, count).decode()
        except UnicodeDecodeError as error:
            raise _RefusedError(INVAL) from error
        trail = [self.root] if start is self.root else [self.root, start]
        return trail, [each for each in path.split("/") if each not in ("", ".")]

    def _parent(self, number: int, address: int, count: int) -> tuple[Folder, str]:
        """Return the folder of a path and the name in it; "" for the folder itself."""
        trail, steps = self._steps(number, address, count)
        name = ""
        for position, step in enumerate(steps):
            is_last = position == len(steps) - 1
            if step == "..":
                if len(trail) == 1:
                    raise _RefusedError(PERM)  # there is nothing above the tree
                trail.pop()
            elif is_last:
                name = step
            else:
                inner = trail[-1].nodes.get(step)
                if inner is None:
                    raise _RefusedError(NOENT)
                if not isinstance(inner, Folder):
                    raise _RefusedError(NOTDIR)
                trail.append(inner)
        return trail[-1], name

    def _node(self, number: int, address: int, count: int) -> Node:
        folder, name = self._parent(number, address, count)
        if not name:
            return folder
        if name not in folder.nodes:
            raise _RefusedError(NOENT)
        return folder.nodes[name]

    def _writable(self, number: int, address: int, count: int) -> tuple[Folder, str]:
        folder, name = self._parent(number, address, count)
        if not folder.is_writable:
            raise _RefusedError(ROFS)
        if not name:
            raise _RefusedError(INVAL)
        return folder, name

    def _made(self, folder: Folder, name: str, node: Folder | Data) -> None:
        if self._scratch_nodes >= SCRATCH_NODES or len(name) > 255:
            raise _RefusedError(NOSPC)
        self._scratch_nodes += 1
        folder.nodes[name] = node

    def _removed(self, node: Node) -> None:
        self._scratch_nodes -= 1
        if isinstance(node, Data):
            self._scratch_bytes -= len(node.content)

    def _resize(self, content: bytearray, size: int) -> None:
        more = size - len(content)
        if self._scratch_bytes + more > SCRATCH_BYTES:
            raise _RefusedError(NOSPC)
        self._scratch_bytes += more
        if more > 0:
            content.extend(bytes(more))
        else:
            del content[size:]

    def _put(self, opened: _Open, data: bytes, place: int) -> None:
        match opened.node:
            case Sink() as sink:
                sink.write(data)
            case Data(content=bytearray() as content) if opened.may_write:
                if place + len(data) > len(content):
                    self._resize(content, place + len(data))
                content[place : place + len(data)] = data
            case _:
                raise _RefusedError(BADF)

    def _number(self, node: Node) -> int:
        return self._numbers.setdefault(id(node), len(self._numbers))

    def _filestat(self, node: Node) -> bytes:
        size = len(node.content) if isinstance(node, Data) else 0
        about = 1, self._number(node), _kind(node), 1, size
        return struct.pack("<QQB7xQQQQQ", *about, self._now, self._now, self._now)

    # WASI: what is not here says 'not supported'.

    def _wasi_args_get(self, table: int, texts: int) -> None:
        self._list(self._arguments, table, texts)

    def _wasi_args_sizes_get(self, count: int, size: int) -> None:
        self._sizes(self._arguments, count, size)

    def _wasi_environ_get(self, table: int, texts: int) -> None:
        self._list(self._environment, table, texts)

    def _wasi_environ_sizes_get(self, count: int, size: int) -> None:
        self._sizes(self._environment, count, size)

    def _list(self, listed: list[bytes], table: int, texts: int) -> None:
        for position, each in enumerate(listed):
            self._write_u32(table + 4 * position, texts)
            self._write(texts, each)
            texts += len(each)

    def _sizes(self, listed: list[bytes], count: int, size: int) -> None:
        self._write_u32(count, len(listed))
        self._write_u32(size, sum(map(len, listed)))

    def _wasi_clock_time_get(self, clock: int, _precision: int, out: int) -> None:
        if clock not in (0, 1, 2, 3):
            raise _RefusedError(INVAL)
        self._write_u64(out, _now_ns(clock))

    def _wasi_random_get(self, out: int, count: int) -> None:
        count &= 0xFFFFFFFF
        self._address(out, count)
        for start in range(0, count, 2**20):
            self._write(out + start, os.urandom(min(2**20, count - start)))

    def _wasi_sched_yield(self) -> None:
        time.sleep(0)

    def _wasi_proc_exit(self, code: int) -> None:
        raise GuestExit(code)

    def _wasi_poll_oneoff(self, events: int, out: int, count: int, out_count: int) -> None:
        """Sleep until the earliest clock; streams and files are always ready."""
        if not 0 < count <= 1024:
            raise _RefusedError(INVAL)
        asked = [*struct.iter_unpack("<QB7xI4xQQH6x", self._read(events, 48 * count))]
        waits = [_wait_s(clock, ns, flags) for _id, tag, clock, ns, _p, flags in asked if not tag]
        has_file = len(waits) < len(asked)
        if (wait := 0.0 if has_file else min(waits)) > 0:
            left = max(0, self.stop_sleeping_at - time.monotonic())
            time.sleep(min(wait, left))
            if wait >= left:
                raise OutOfTimeError
        ready = [
            struct.pack("<QHBxxxxxQH6x", user, SUCCESS, tag, 0, 0)
            for user, tag, clock, ns, _precision, flags in asked
            if tag or (not has_file and _wait_s(clock, ns, flags) <= wait)
        ]
        self._write(out, b"".join(ready))
        self._write_u32(out_count, len(ready))

    def _wasi_fd_prestat_get(self, number: int, out: int) -> None:
        if number != ROOT_FD:
            raise _RefusedError(BADF)
        self._write(out, struct.pack("<B3xI", 0, 1))

    def _wasi_fd_prestat_dir_name(self, number: int, out: int, count: int) -> None:
        if number == ROOT_FD:
            self._write(out, b"/"[:count])

    def _wasi_fd_fdstat_get(self, number: int, out: int) -> None:
        opened = self._opened(number)
        about = _kind(opened.node), APPEND if opened.appends else 0, ALL_RIGHTS, ALL_RIGHTS
        self._write(out, struct.pack("<BxH4xQQ", *about))

    def _wasi_fd_fdstat_set_flags(self, number: int, flags: int) -> None:
        self._opened(number).appends = bool(flags & APPEND)

    def _wasi_fd_filestat_get(self, number: int, out: int) -> None:
        self._write(out, self._filestat(self._opened(number).node))

    def _wasi_fd_filestat_set_size(self, number: int, size: int) -> None:
        match self._opened(number):
            case _Open(node=Data(content=bytearray() as content), may_write=True):
                self._resize(content, size)
            case _:
                raise _RefusedError(INVAL)

    def _wasi_path_filestat_set_times(
        self, number: int, _flags: int, path: int, count: int, _a: int, _m: int, _which: int
    ) -> None:
        self._node(number, path, count)

    def _wasi_fd_sync(self, number: int, *_more: int) -> None:
        self._opened(number)  # nothing is to be done for what is in memory

    _wasi_fd_advise = _wasi_fd_datasync = _wasi_fd_filestat_set_times = _wasi_fd_sync

    def _wasi_fd_close(self, number: int) -> None:
        self._opened(number)
        if number <= ROOT_FD:
            raise _RefusedError(BADF)
        del self._open[number]

    def _wasi_fd_read(self, number: int, vectors: int, count: int, out: int) -> None:
        opened = self._opened(number)
        done = self._fill(opened, vectors, count, opened.place)
        opened.place += done
        self._write_u32(out, done)

    def _wasi_fd_pread(self, number: int, vectors: int, count: int, place: int, out: int) -> None:
        self._write_u32(out, self._fill(self._opened(number), vectors, count, _positive(place)))

    def _fill(self, opened: _Open, vectors: int, count: int, place: int) -> int:
        if not isinstance(opened.node, Data):
            raise _RefusedError(ISDIR if isinstance(opened.node, Folder) else BADF)
        done = 0
        for address, size in self._vectors(vectors, count):
            part = bytes(opened.node.content[place + done : place + done + size])
            self._write(address, part)
            done += len(part)
            if len(part) < size:
                break
        return done

    def _wasi_fd_write(self, number: int, vectors: int, count: int, out: int) -> None:
        opened = self._opened(number)
        done = 0
        for address, size in self._vectors(vectors, count):
            if opened.appends and isinstance(opened.node, Data):
                opened.place = len(opened.node.content)
            self._put(opened, self._taken(address, size, opened), opened.place)
            opened.place += size
            done += size
        self._write_u32(out, done)

    def _taken(self, address: int, size: int, opened: _Open) -> bytes:
        """Return what is to be written, no more of it than can be kept."""
        self._address(address, size)
        if isinstance(opened.node, Sink):  # one more, so that it knows that something was cut
            return self._read(address, min(size, opened.node.limit_bytes + 1))
        if size > SCRATCH_BYTES:
            raise _RefusedError(NOSPC)
        return self._read(address, size)

    def _wasi_fd_seek(self, number: int, offset: int, whence: int, out: int) -> None:
        opened = self._opened(number)
        if not isinstance(opened.node, Data) or number <= 2:
            raise _RefusedError(SPIPE)
        starts = {FROM_START: 0, FROM_HERE: opened.place, FROM_END: len(opened.node.content)}
        if whence not in starts:
            raise _RefusedError(INVAL)
        opened.place = _positive(starts[whence] + offset)
        self._write_u64(out, opened.place)

    def _wasi_fd_tell(self, number: int, out: int) -> None:
        self._write_u64(out, self._opened(number).place)

    def _wasi_fd_readdir(self, number: int, out: int, room: int, cookie: int, used: int) -> None:
        folder = self._opened(number).node
        if not isinstance(folder, Folder):
            raise _RefusedError(NOTDIR)
        listed = b"".join(
            struct.pack("<QQIB3x", at + 1, self._number(node), len(name.encode()), _kind(node))
            + name.encode()
            for at, (name, node) in enumerate(folder.nodes.items())
            if at >= cookie
        )[: room & 0xFFFFFFFF]
        self._write(out, listed)
        self._write_u32(used, len(listed))

    def _wasi_path_filestat_get(
        self, number: int, _flags: int, path: int, count: int, out: int
    ) -> None:
        self._write(out, self._filestat(self._node(number, path, count)))

    def _wasi_path_create_directory(self, number: int, path: int, count: int) -> None:
        folder, name = self._parent(number, path, count)
        if not name or name in folder.nodes:
            raise _RefusedError(EXIST)
        folder, name = self._writable(number, path, count)
        self._made(folder, name, Folder(is_writable=True))

    def _wasi_path_remove_directory(self, number: int, path: int, count: int) -> None:
        self._remove(number, path, count, Folder)

    def _wasi_path_unlink_file(self, number: int, path: int, count: int) -> None:
        self._remove(number, path, count, Data)

    def _remove(self, number: int, path: int, count: int, kind: type[Node]) -> None:
        folder, name = self._writable(number, path, count)
        node = self._node(number, path, count)
        if not isinstance(node, kind):
            raise _RefusedError(NOTDIR if kind is Folder else ISDIR)
        if isinstance(node, Folder) and node.nodes:
            raise _RefusedError(NOTEMPTY)
        del folder.nodes[name]
        self._removed(node)

    def _wasi_path_rename(
        self, number: int, path: int, count: int, to: int, to_path: int, to_count: int
    ) -> None:
        folder, name = self._writable(number, path, count)
        node = self._node(number, path, count)
        target, new_name = self._writable(to, to_path, to_count)
        if node is target or (isinstance(node, Folder) and _holds(node, target)):
            raise _RefusedError(INVAL)
        replaced = target.nodes.get(new_name)
        if replaced is node:
            return
        if isinstance(replaced, Folder) and replaced.nodes:
            raise _RefusedError(NOTEMPTY)
        if replaced is not None:
            self._removed(replaced)
        del folder.nodes[name]
        target.nodes[new_name] = node

    def _wasi_path_open(
        self,
        number: int,
        _lookup: int,
        path: int,
        count: int,
        how: int,
        rights: int,
        _inherited: int,
        flags: int,
        out: int,
    ) -> None:
        if len(self._open) >= OPEN_FILES:
            raise _RefusedError(MFILE)
        folder, name = self._parent(number, path, count)
        node = folder.nodes.get(name) if name else folder
        will_write = bool(rights & RIGHT_TO_WRITE)
        if node is None:
            if not how & CREATE:
                raise _RefusedError(NOENT)
            if not folder.is_writable:
                raise _RefusedError(ROFS)
            node = Data()
            self._made(folder, name, node)
        elif how & CREATE and how & EXCLUSIVE:
            raise _RefusedError(EXIST)
        if how & FOLDER_ONLY and not isinstance(node, Folder):
            raise _RefusedError(NOTDIR)
        if isinstance(node, Folder):
            if how & (CREATE | TRUNCATE):
                raise _RefusedError(ISDIR)
        elif isinstance(node, Data) and (how & TRUNCATE or will_write):
            if not isinstance(node.content, bytearray):
                # wasi-libc asks for every right where it opens a file only to read it, too.
                if how & TRUNCATE or how & CREATE:
                    raise _RefusedError(ACCES)
                will_write = False
            elif how & TRUNCATE:
                self._resize(node.content, 0)
        free = next(each for each in range(ROOT_FD + 1, OPEN_FILES + 8) if each not in self._open)
        self._open[free] = _Open(node, appends=bool(flags & APPEND), may_write=will_write)
        self._write_u32(out, free)


# Every function that the guest imports, with its parameters: i has 32 bits, l has 64.
SIGNATURES = dict(
    re.findall(
        r"(\w+):(\w*)",
        "args_get:ii args_sizes_get:ii clock_res_get:ii clock_time_get:ili environ_get:ii "
        "environ_sizes_get:ii fd_advise:illi fd_close:i fd_datasync:i fd_fdstat_get:ii "
        "fd_fdstat_set_flags:ii fd_filestat_get:ii fd_filestat_set_size:il "
        "fd_filestat_set_times:illi fd_pread:iiili fd_prestat_dir_name:iii fd_prestat_get:ii "
        "fd_pwrite:iiili fd_read:iiii fd_readdir:iiili fd_seek:ilii fd_sync:i fd_tell:ii "
        "fd_write:iiii path_create_directory:iii path_filestat_get:iiiii "
        "path_filestat_set_times:iiiilli path_link:iiiiiii path_open:iiiiillii "
        "path_readlink:iiiiii path_remove_directory:iii path_rename:iiiiii path_symlink:iiiii "
        "path_unlink_file:iii poll_oneoff:iiii proc_exit:i random_get:ii sched_yield: "
        "sock_accept:iii sock_recv:iiiiii sock_send:iiiii sock_shutdown:ii ",
    )
)


def _guarded(work: Callable[..., None]) -> Callable[..., int]:
    """Turn a refusal into the number that the guest is answered."""

    def answer(*given: Any) -> int:
        try:
            work(*given)
        except _RefusedError as refusal:
            return int(refusal.args[0])
        return SUCCESS

    return answer


def _unsupported(*_given: Any) -> int:
    return NOTSUP


def _kind(node: Node) -> int:
    return (
        IS_FOLDER if isinstance(node, Folder) else IS_FILE if isinstance(node, Data) else IS_DEVICE
    )


def _holds(folder: Folder, inner: Folder) -> bool:
    return any(
        each is inner or _holds(each, inner)
        for each in folder.nodes.values()
        if isinstance(each, Folder)
    )


def _positive(place: int) -> int:
    if not 0 <= place < 2**40:
        raise _RefusedError(INVAL)
    return place


def _now_ns(clock: int) -> int:
    return time.time_ns() if clock == 0 else time.monotonic_ns()


def _wait_s(clock: int, ns: int, flags: int) -> float:
    if flags & 1:  # a moment, not a while
        ns -= _now_ns(clock)
    return max(0, ns) / 1e9
