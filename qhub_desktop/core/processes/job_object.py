"""Windows job objects: a cap on a process's memory, and its end when its owner ends."""

import ctypes
import sys
from typing import Literal

_SET_QUOTA_AND_TERMINATE = 0x0101  # access rights that joining a job needs
_EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
_LIMIT_PROCESS_MEMORY = 0x100
_LIMIT_DIE_ON_UNHANDLED_EXCEPTION = 0x400
_LIMIT_KILL_ON_JOB_CLOSE = 0x2000


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


if sys.platform == "win32":
    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.CreateJobObjectW.restype = ctypes.c_void_p
    _kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, ctypes.c_wchar_p)
    _kernel.SetInformationJobObject.argtypes = (
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_uint32,
    )
    _kernel.AssignProcessToJobObject.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    _kernel.OpenProcess.restype = ctypes.c_void_p
    _kernel.OpenProcess.argtypes = (ctypes.c_uint32, ctypes.c_int, ctypes.c_uint32)
    _kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    _kernel.GetStdHandle.restype = ctypes.c_void_p
    _kernel.GetStdHandle.argtypes = (ctypes.c_uint32,)

    class Job:
        """One job object, which lets go of its processes, or ends them, when closed."""

        def __init__(self, *, memory_bytes: int = 0, ends_with_its_owner: bool = False) -> None:
            self._handle: int | None = _kernel.CreateJobObjectW(None, None)
            if not self._handle:
                raise ctypes.WinError(ctypes.get_last_error())
            limits = _ExtendedLimits()
            flags = _LIMIT_DIE_ON_UNHANDLED_EXCEPTION
            if memory_bytes:
                flags |= _LIMIT_PROCESS_MEMORY
                limits.ProcessMemoryLimit = memory_bytes
            if ends_with_its_owner:
                flags |= _LIMIT_KILL_ON_JOB_CLOSE
            limits.BasicLimitInformation.LimitFlags = flags
            self._checked(
                _kernel.SetInformationJobObject(
                    self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
                )
            )

        def add(self, process_id: int) -> None:
            """Put a process under this job."""
            process = _kernel.OpenProcess(_SET_QUOTA_AND_TERMINATE, 0, process_id)
            self._checked(process)
            try:
                self._checked(_kernel.AssignProcessToJobObject(self._handle, process))
            finally:
                _kernel.CloseHandle(process)

        def close(self) -> None:
            """Let go of the job."""
            if self._handle:
                _kernel.CloseHandle(self._handle)
                self._handle = None

        def _checked(self, outcome: int | None) -> None:
            if not outcome:
                error = ctypes.WinError(ctypes.get_last_error())
                self.close()
                raise error

    def standard_handle(name: Literal["in", "out"]) -> int:
        """The end that is ours of a standard pipe."""
        handle: int = _kernel.GetStdHandle({"in": -10, "out": -11}[name] & 0xFFFFFFFF)
        return handle
