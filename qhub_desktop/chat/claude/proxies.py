"""Proxies: which one leads to a service, its login, and which certificates are trusted."""

# Why it is so: decisions/model-service.md

import ctypes
import re
import ssl
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Literal
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

from qhub_desktop.chat.claude import error_messages
from qhub_desktop.chat.claude.credentials import Endpoint, shown_address
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.keystore import forget_secret, read_secret, save_secret
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import use_secret
from qhub_desktop.core.untrusted_files import MalformedContentError, read_regular
from qhub_desktop.core.values import dataclass

Origin = Literal["none", "environment", "system", "script"]


@dataclass(frozen=True, slots=True)
class ProxyChoice:
    """The way to a service: a proxy's address, or "" for straight there, and who says so.

    `trouble` is a sentence about what could not be asked, as a script that nobody serves.
    """

    address: str
    origin: Origin
    trouble: str = ""

    @property
    def shown(self) -> str:
        """The address without what may be secret in it."""
        return shown_address(self.address)

    @property
    def has_login(self) -> bool:
        """Whether the address says who signs in."""
        return "@" in self.address.partition("://")[2].partition("/")[0]


def choose_proxy(service: Endpoint) -> ProxyChoice:
    """Choose the proxy as the environment says, else an automatic script, else the system.

    May ask the network, on Windows: it looks up names, and the script.
    """
    parts = urlsplit(service.address)
    # What runs on this computer is not reached through the company's proxy.
    if service.is_loopback or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return ProxyChoice("", "none")
    trouble = ""
    is_environments = bool(getproxies_environment().keys() - {"no"})
    if not is_environments:
        scripted = _scripted_proxy(service.address)
        if scripted is not None and not scripted.trouble:
            return scripted
        trouble = scripted.trouble if scripted is not None else ""
    proxies = getproxies()
    written = (proxies.get(parts.scheme) or proxies.get("all") or "").strip()
    if not written:
        return ProxyChoice("", "none", trouble)
    address = written if "://" in written else f"http://{written}"
    return ProxyChoice(address, "environment" if is_environments else "system", trouble)


def signed_in(proxy: ProxyChoice) -> ProxyChoice:
    """Return a proxy with the login that is kept for it, where its address names none."""
    if not proxy.address or proxy.has_login:
        return proxy
    login = read_secret(_account(proxy))
    if login is None:
        return proxy
    use_secret(login.partition("\n")[2])
    user, _mark, password = login.partition("\n")
    scheme, _mark, rest = proxy.address.partition("://")
    sign_in = f"{quote(user, safe='')}:{quote(password, safe='')}"
    return replace(proxy, address=f"{scheme}://{sign_in}@{rest}")


def save_login(proxy: ProxyChoice, user: str, password: str) -> None:
    """Keep who signs in to a proxy; an empty name forgets them.

    Raises UserError where it cannot be kept.
    """
    if not proxy.address:
        raise UserError(_("No proxy leads to the service: nothing is to be signed in to."))
    if not user:
        forget_secret(_account(proxy))
        return
    use_secret(password)
    save_secret(_account(proxy), f"{user}\n{password}")


def has_login(proxy: ProxyChoice) -> bool:
    """Return whether somebody can sign in to a proxy, by its address or by the key store."""
    return bool(proxy.address) and (proxy.has_login or read_secret(_account(proxy)) is not None)


def _account(proxy: ProxyChoice) -> str:
    # Only what is before a path: 'http://proxy:3128/' is the same as without the slash.
    return f"proxy {proxy.address.partition('://')[2].partition('/')[0].rpartition('@')[2]}"


_CERTIFICATE = re.compile(
    r"-----BEGIN (?:TRUSTED )?CERTIFICATE-----.+?-----END (?:TRUSTED )?CERTIFICATE-----", re.DOTALL
)
MOST_CERTIFICATE_BYTES = 4_000_000  # the largest collection of all public ones has 250,000


def add_certificates(context: ssl.SSLContext, file: str) -> None:
    """Trust the certificates of a file too, in any form that Windows exports. Raises UserError."""
    try:
        # As bytes: OpenSSL's own reader of paths knows no long ones, and no letters beyond ASCII.
        content = read_regular(Path(file).expanduser(), most_bytes=MOST_CERTIFICATE_BYTES)
    except MalformedContentError as error:
        raise error_messages.certificates_unusable(file) from error
    except (OSError, ValueError) as error:
        raise error_messages.certificates_missing(file) from error
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin-1"
    found = _CERTIFICATE.findall(content.decode(encoding, "replace"))
    try:
        context.load_verify_locations(cadata="\n".join(found) if found else content)
    except (ssl.SSLError, ValueError) as error:
        raise error_messages.certificates_unusable(file) from error


def first_listed(listed: str, scheme: str) -> str:
    """Return the first proxy of a list as Windows writes it; "" for straight there."""
    for each in re.split(r"[;\s]+", listed.strip()):
        name, mark, address = each.rpartition("=")
        if address and (not mark or name.lower() == scheme):
            return address if "://" in address else f"http://{address}"
    return ""


SCRIPT_S = 3  # for each step: a name, a connection, an answer
SCRIPT_KEPT_S = 600.0  # what a script said of an address; also that nobody serves one
_scripted: dict[str, tuple[float, ProxyChoice | None]] = {}


if sys.platform == "win32":
    from ctypes import wintypes

    # https://learn.microsoft.com/windows/win32/api/winhttp/nf-winhttp-winhttpgetproxyforurl
    _NO_PROXY = 1  # WINHTTP_ACCESS_TYPE_NO_PROXY
    _AUTO_DETECT = 1  # WINHTTP_AUTOPROXY_AUTO_DETECT
    _CONFIG_URL = 2  # WINHTTP_AUTOPROXY_CONFIG_URL
    _DHCP_AND_DNS = 3  # WINHTTP_AUTO_DETECT_TYPE_DHCP | _DNS_A

    class _UserConfig(ctypes.Structure):
        _fields_ = (
            ("auto_detect", wintypes.BOOL),
            ("config_url", ctypes.c_void_p),
            ("proxy", ctypes.c_void_p),
            ("bypass", ctypes.c_void_p),
        )

    class _AutoOptions(ctypes.Structure):
        _fields_ = (
            ("flags", wintypes.DWORD),
            ("detect_flags", wintypes.DWORD),
            ("config_url", wintypes.LPCWSTR),
            ("reserved_pointer", ctypes.c_void_p),
            ("reserved", wintypes.DWORD),
            ("logs_on", wintypes.BOOL),
        )

    class _ProxyInfo(ctypes.Structure):
        _fields_ = (
            ("access", wintypes.DWORD),
            ("proxy", ctypes.c_void_p),
            ("bypass", ctypes.c_void_p),
        )

    def _scripted_proxy(address: str) -> ProxyChoice | None:
        """Return what an automatic script (PAC) says of an address; None where there is none."""
        at, kept = _scripted.get(address, (0.0, None))
        if not at or time.monotonic() - at > SCRIPT_KEPT_S:
            kept = _ask_windows(address)
            _scripted[address] = (time.monotonic(), kept)
        return kept

    def _ask_windows(address: str) -> ProxyChoice | None:
        try:
            winhttp = ctypes.WinDLL("winhttp", use_last_error=True)
            release = ctypes.WinDLL("kernel32").GlobalFree
        except OSError:
            return None
        release.argtypes = (ctypes.c_void_p,)
        release.restype = ctypes.c_void_p

        def take(pointer: int | None) -> str:
            text = ctypes.wstring_at(pointer) if pointer else ""
            if pointer:
                release(pointer)
            return text

        # What the person's settings say: a script's address, or that one is to be looked for.
        user = _UserConfig()
        if not winhttp.WinHttpGetIEProxyConfigForCurrentUser(ctypes.byref(user)):
            return None
        script = take(user.config_url)
        take(user.proxy)
        take(user.bypass)
        if not script and not user.auto_detect:
            return None
        # Windows runs the script and says which proxy it names for this address.
        winhttp.WinHttpOpen.restype = ctypes.c_void_p
        winhttp.WinHttpOpen.argtypes = (
            wintypes.LPCWSTR,
            wintypes.DWORD,
            wintypes.LPCWSTR,
            wintypes.LPCWSTR,
            wintypes.DWORD,
        )
        session = winhttp.WinHttpOpen("QHub Desktop", _NO_PROXY, None, None, 0)
        if not session:
            return None
        try:
            handle = ctypes.c_void_p(session)
            wait_ms = SCRIPT_S * 1000
            winhttp.WinHttpSetTimeouts(handle, wait_ms, wait_ms, wait_ms, wait_ms)
            for logs_on in (False, True):  # the person's name only to who asks for it
                options = _AutoOptions(
                    flags=_CONFIG_URL if script else _AUTO_DETECT,
                    detect_flags=0 if script else _DHCP_AND_DNS,
                    config_url=script or None,
                    logs_on=logs_on,
                )
                info = _ProxyInfo()
                if winhttp.WinHttpGetProxyForUrl(
                    handle,
                    wintypes.LPCWSTR(address),
                    ctypes.byref(options),
                    ctypes.byref(info),
                ):
                    listed = take(info.proxy)
                    take(info.bypass)
                    found = "" if info.access == _NO_PROXY else listed
                    return ProxyChoice(first_listed(found, urlsplit(address).scheme), "script")
            if not script:  # 'detect automatically' is ticked on most computers, mostly in vain
                return None
            return ProxyChoice("", "script", error_messages.script_unanswered(script))
        finally:
            winhttp.WinHttpCloseHandle(ctypes.c_void_p(session))

else:

    def _scripted_proxy(_address: str) -> ProxyChoice | None:
        """Return None: no other system has a service to ask about automatic scripts."""
        return None
