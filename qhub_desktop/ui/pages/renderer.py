"""The process that draws one page: what it holds and uses, and its end."""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path


def end(process_id: int) -> None:
    """End the process at once; nothing happens if it has ended already."""
    with suppress(OSError):
        # On Windows any signal but the two of the console ends a process for good.
        os.kill(process_id, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)


if sys.platform == "win32":
    _QUERY = 0x1000  # PROCESS_QUERY_LIMITED_INFORMATION
    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.OpenProcess.restype = ctypes.c_void_p
    _kernel.OpenProcess.argtypes = (ctypes.c_uint32, ctypes.c_int, ctypes.c_uint32)
    _kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    _kernel.K32GetProcessMemoryInfo.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
    _kernel.GetProcessTimes.argtypes = (ctypes.c_void_p,) * 5

    class _Counters(ctypes.Structure):
        _fields_ = (
            ("cb", ctypes.c_uint32),
            ("PageFaultCount", ctypes.c_uint32),
            ("PeakWorkingSetSize", ctypes.c_size_t),
            ("WorkingSetSize", ctypes.c_size_t),
            ("QuotaPeakPagedPoolUsage", ctypes.c_size_t),
            ("QuotaPagedPoolUsage", ctypes.c_size_t),
            ("QuotaPeakNonPagedPoolUsage", ctypes.c_size_t),
            ("QuotaNonPagedPoolUsage", ctypes.c_size_t),
            ("PagefileUsage", ctypes.c_size_t),
            ("PeakPagefileUsage", ctypes.c_size_t),
        )

    def memory_bytes(process_id: int) -> int:
        """What the process holds for itself; 0 if it has ended."""
        process = _kernel.OpenProcess(_QUERY, 0, process_id)
        if not process:
            return 0
        counters = _Counters(cb=ctypes.sizeof(_Counters))
        _kernel.K32GetProcessMemoryInfo(process, ctypes.byref(counters), counters.cb)
        _kernel.CloseHandle(process)
        return int(counters.PagefileUsage)

    def processor_s(process_id: int) -> float:
        """The processor time it has used; 0 if it has ended."""
        process = _kernel.OpenProcess(_QUERY, 0, process_id)
        if not process:
            return 0.0
        times = [ctypes.c_uint64() for _each in range(4)]  # created, ended, kernel, user
        _kernel.GetProcessTimes(process, *map(ctypes.byref, times))
        _kernel.CloseHandle(process)
        return (times[2].value + times[3].value) / 10_000_000

elif sys.platform == "linux":

    def memory_bytes(process_id: int) -> int:
        """What the process holds for itself; 0 if it has ended."""
        try:
            _size, resident, shared, *_rest = Path(f"/proc/{process_id}/statm").read_text().split()
        except (OSError, ValueError):
            return 0
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")

    def processor_s(process_id: int) -> float:
        """The processor time it has used; 0 if it has ended."""
        try:
            # The name, in parentheses, may hold anything; what counts comes after it.
            fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

else:

    def memory_bytes(process_id: int) -> int:  # noqa: ARG001  the limit of objects alone holds there
        """Unknown on this system."""
        return 0

    def processor_s(process_id: int) -> float:  # noqa: ARG001  the same
        """Unknown on this system."""
        return 0.0
