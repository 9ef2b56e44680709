"""A local proxy that may want a name and a password, and certificates of a company's own."""

import base64
import datetime as dt
import ipaddress
import re
import socket
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class PlantProxy:
    """A proxy for CONNECT and for plain requests; every name leads to this computer.

    `requests` are the first lines of what came, `refused` those that were sent away with a 407.
    """

    def __init__(self, *, login: str = "", offers: str = 'Basic realm="plant"') -> None:
        self._wanted = f"Basic {base64.b64encode(login.encode()).decode()}" if login else ""
        self._offers = offers
        self.requests: list[str] = []
        self.refused: list[str] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._server.close()

    def _accept(self) -> None:
        with suppress(OSError):  # the end of the test
            while True:
                there, _address = self._server.accept()
                threading.Thread(target=self._serve, args=(there,), daemon=True).start()

    def _serve(self, there: socket.socket) -> None:
        with there, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                if not (piece := there.recv(65536)):
                    return
                head += piece
            first, *headers = head.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
            self.requests.append(first)
            given = [each.partition(":")[2].strip() for each in headers if _is_login(each)]
            if self._wanted and given != [self._wanted]:
                self.refused.append(first)
                there.sendall(
                    b"HTTP/1.1 407 Proxy Authentication Required\r\n"
                    + f"Proxy-Authenticate: {self._offers}\r\n".encode()
                    + b"Content-Length: 0\r\nConnection: close\r\n\r\n"
                )
                return
            method, target = first.split()[:2]
            place = target if method == "CONNECT" else target.partition("://")[2].partition("/")[0]
            port = int(place.rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port)) as service:
                if method == "CONNECT":
                    there.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                else:
                    path = "/" + target.partition("://")[2].partition("/")[2]
                    head = head.replace(target.encode(), path.encode(), 1)
                    # One request a connection: the next one comes with its whole address again.
                    lines = re.sub(rb"(?i)\r\nconnection:[^\r]*", b"", head)
                    service.sendall(lines.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
                back = threading.Thread(target=_copy, args=(service, there), daemon=True)
                back.start()
                _copy(there, service)
                back.join(5)


def _is_login(header: str) -> bool:
    return header.lower().startswith("proxy-authorization:")


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)


class PlantCertificates:
    """A company's own root certificate, and one that it signed for the services of its gateway."""

    def __init__(self, folder: Path) -> None:
        now = dt.datetime.now(dt.UTC)
        root_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        root_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Fábrica Root CA")])
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gateway.plant.test")])
        begun = (
            x509.CertificateBuilder()
            .issuer_name(root_name)
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=30))
        )
        usage = x509.KeyUsage(
            **dict.fromkeys(
                (
                    "content_commitment",
                    "key_encipherment",
                    "data_encipherment",
                    "key_agreement",
                    "encipher_only",
                    "decipher_only",
                ),
                False,
            ),
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
        )
        root = (
            begun.subject_name(root_name)
            .public_key(root_key.public_key())
            .serial_number(1)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(root_key.public_key()), critical=False
            )
            .sign(root_key, hashes.SHA256())
        )
        own = (
            begun.subject_name(name)
            .public_key(key.public_key())
            .serial_number(2)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(
                x509.SubjectAlternativeName(
                    [
                        x509.DNSName("gateway.plant.test"),
                        x509.DNSName("localhost"),
                        x509.IPAddress(ipaddress.IPv4Address("127.0.0.1")),
                    ]
                ),
                critical=False,
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key()),
                critical=False,
            )
            .sign(root_key, hashes.SHA256())
        )
        pem = serialization.Encoding.PEM
        self.root_pem = root.public_bytes(pem)
        self.root_der = root.public_bytes(serialization.Encoding.DER)
        self.service = folder / "service.pem"  # with its key, as a server reads it
        self.service.write_bytes(
            key.private_bytes(
                pem,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + own.public_bytes(pem)
        )
