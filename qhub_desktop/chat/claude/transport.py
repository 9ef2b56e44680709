"""Connections to a service: through its proxy, to its host alone, with limits on what is read.

Loads the SDK and httpx2, 1.9 s: imported on a thread, once the window is there.
"""

# Why it is so: decisions/model-service.md

import re
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator

import anthropic
import httpx2
from typing_extensions import override

from qhub_desktop.chat.claude import error_messages
from qhub_desktop.chat.claude.credentials import shown_address
from qhub_desktop.chat.claude.proxies import add_certificates
from qhub_desktop.core.untrusted import one_line, use_secret

# Decompressed. A service says in a few hundred bytes what is wrong; a small body that is packed
# well can become gigabytes.
MOST_ERROR_BYTES = 64 * 1024
MOST_BODY_BYTES = 2 * 1024 * 1024
MOST_STREAM_BYTES = 16 * 1024 * 1024
MOST_LINE_BYTES = 2 * 1024 * 1024  # the SDK copies what it has of a line with each piece of it
PIECE_BYTES = 64 * 1024
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class RedirectError(Exception):
    """The service sends on to another one, `other`. The key is for the first alone."""

    def __init__(self, other: str) -> None:
        super().__init__(other)
        self.other = other


class ProxyFailedError(Exception):
    """The proxy, `proxy`, does not answer, or refuses to connect, perhaps without a password."""

    def __init__(self, proxy: str, *, wants_password: bool = False) -> None:
        super().__init__(proxy)
        self.proxy = proxy
        self.wants_password = wants_password


def connect(proxy: str | None, *, host: str, ca_file: str = "") -> httpx2.AsyncClient:
    """Make the connections through a proxy, or straight.

    `ca_file` holds certificates that are trusted beside the system's. Raises UserError for a proxy
    that is none, and for certificates that cannot be read.
    """
    if proxy is not None:
        _hide_password(proxy)
    try:
        if proxy is not None:
            _check(httpx2.URL(proxy))
        # The system's own store, by way of truststore on Windows; else what SSL_CERT_FILE names.
        trusted = httpx2.create_ssl_context()
        if ca_file:
            add_certificates(trusted, ca_file)
        inner = httpx2.AsyncHTTPTransport(
            verify=trusted,
            proxy=None
            if proxy is None
            else httpx2.Proxy(proxy, ssl_context=_proxy_trust(proxy, trusted)),
            socket_options=[(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)],
        )
    except (ValueError, ImportError, httpx2.InvalidURL) as error:
        if proxy is None:
            raise
        raise error_messages.proxy_unusable(shown_address(proxy), host) from error
    except OSError as error:  # ssl.SSLError is one
        raise error_messages.certificates_unreadable() from error
    return anthropic.DefaultAsyncHttpxClient(
        transport=_GuardedTransport(inner, proxy), trust_env=False
    )


def _proxy_trust(proxy: str, trusted: ssl.SSLContext) -> ssl.SSLContext | None:
    return trusted if proxy.lower().startswith("https:") else None


def _check(proxy: httpx2.URL) -> None:
    """Raise ValueError for what the library takes, but no connection can be made to."""
    port_fits = proxy.port is None or 0 < proxy.port < 65536
    if not port_fits or not re.fullmatch(r"[\w.:-]{1,253}", proxy.host):
        raise ValueError


def _hide_password(proxy: str) -> None:
    user, _at, _host = proxy.partition("://")[2].partition("/")[0].rpartition("@")
    use_secret(user.partition(":")[2])
    use_secret(user)


class _GuardedTransport(httpx2.AsyncBaseTransport):
    """A transport that reads a bounded part of each answer, and follows nowhere else."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, proxy: str | None) -> None:
        self._inner = inner
        self._proxy = proxy

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        # Packed events would come late; a service that packs all the same is read below.
        request.headers["accept-encoding"] = "identity"
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.ProxyError, httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            # The certificate is the service's own; all else that fails is on the way to the proxy.
            if self._proxy is None or _is_about_certificates(error):
                raise
            # All that the library tells of the answer to CONNECT is its status and reason.
            is_asked = isinstance(error, httpx2.ProxyError) and str(error).startswith("407")
            raise ProxyFailedError(shown_address(self._proxy), wants_password=is_asked) from error
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        if response.status_code == 407 and self._proxy is not None:
            await response.stream.aclose()
            raise ProxyFailedError(shown_address(self._proxy), wants_password=True)
        if other := _other_host(request, response):
            await response.stream.aclose()
            raise RedirectError(other)
        is_stream = "event-stream" in response.headers.get("content-type", "")
        most = MOST_STREAM_BYTES if is_stream else MOST_BODY_BYTES
        stream = _BoundedStream(
            response.stream,
            encoding=response.headers.pop("content-encoding", ""),
            most=most if response.status_code < 300 else MOST_ERROR_BYTES,
        )
        response.headers.pop("content-length", None)  # of what was packed, and may not all be read
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=stream,
            extensions=response.extensions,
        )

    @override
    async def aclose(self) -> None:
        await self._inner.aclose()


def _is_about_certificates(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error is not None


def _other_host(request: httpx2.Request, response: httpx2.Response) -> str:
    """Return where a response sends on to, if it is elsewhere; only the way to https may change."""
    location = response.headers.get("location", "")
    if response.status_code not in REDIRECTS or not location:
        return ""
    try:
        url = request.url.join(location)
    except httpx2.InvalidURL:
        return one_line(location)
    before, after = request.url, url
    is_upgrade = (before.scheme, after.scheme) == ("http", "https") and after.port is None
    is_same = (before.scheme, before.port) == (after.scheme, after.port)
    if after.host == before.host and (is_same or is_upgrade):
        return ""
    return one_line(f"{after.scheme}://{after.netloc.decode('ascii', 'replace')}")


class _BoundedStream(httpx2.AsyncByteStream):
    """A body, unpacked as far as `most` bytes; what is beyond is not read."""

    def __init__(self, inner: httpx2.AsyncByteStream, *, encoding: str, most: int) -> None:
        self._inner = inner
        self._is_packed = encoding.strip().lower() in ("gzip", "x-gzip", "deflate")
        self._left = most
        self._line = 0

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32) if self._is_packed else None
        async for packed in self._inner:
            pieces: Iterable[bytes] = [packed] if unpacker is None else _unpacked(unpacker, packed)
            for piece in pieces:
                kept = piece[: self._left]
                self._left -= len(kept)
                end = kept.rfind(b"\n")
                self._line = len(kept) - end - 1 if end >= 0 else self._line + len(kept)
                yield kept
                if not self._left or self._line > MOST_LINE_BYTES:
                    return

    @override
    async def aclose(self) -> None:
        await self._inner.aclose()


def _unpacked(unpacker: "zlib._Decompress", packed: bytes) -> Iterator[bytes]:
    try:
        while packed:
            yield unpacker.decompress(packed, PIECE_BYTES)
            packed = unpacker.unconsumed_tail
    except zlib.error as error:
        raise httpx2.DecodingError(str(error)) from error
