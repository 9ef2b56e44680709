"""The process that draws one page: how much memory it holds, and its end."""

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

elif sys.platform == "linux":

    def memory_bytes(process_id: int) -> int:
        """What the process holds for itself; 0 if it has ended."""
        try:
            _size, resident, shared, *_rest = Path(f"/proc/{process_id}/statm").read_text().split()
        except (OSError, ValueError):
            return 0
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")

else:

    def memory_bytes(process_id: int) -> int:  # noqa: ARG001  the limit of objects alone holds there
        """Unknown on this system."""
        return 0
