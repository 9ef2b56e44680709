"""A server that hostile pages try to reach: it writes down whoever knocks, in any way."""

import socket
import threading
from types import TracebackType
from typing import Self

ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\n"
    b"Content-Length: 2\r\nConnection: close\r\n\r\nok"
)


class Listener:
    """Listens on one TCP and one UDP port of this machine, from `with` to its end."""

    def __init__(self) -> None:
        self._heard: list[str] = []
        self._is_open = True
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self.port: int = self._tcp.getsockname()[1]
        self.udp_port: int = self._udp.getsockname()[1]
        self._threads = [threading.Thread(target=each) for each in (self._accept, self._receive)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_open = False
        # Knocks itself, for a closed socket does not wake who waits on it everywhere.
        socket.create_connection(("127.0.0.1", self.port)).close()
        self._udp.sendto(b"", ("127.0.0.1", self.udp_port))
        for thread in self._threads:
            thread.join()
        self._tcp.close()
        self._udp.close()

    @property
    def heard(self) -> list[str]:
        """Everything that arrived: the first line of a request, `connection` or `packet`."""
        return list(self._heard)

    def aimed(self, page: str) -> str:
        """A hostile page, aimed at this server."""
        for word, meaning in {
            "UDPPORT": str(self.udp_port),
            "UDP": f"127.0.0.1:{self.udp_port}",
            "SERVER": f"127.0.0.1:{self.port}",
            "PORT": str(self.port),
        }.items():
            page = page.replace(word, meaning)
        return page

    def _accept(self) -> None:
        while True:
            connection, _address = self._tcp.accept()
            if not self._is_open:
                connection.close()
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        place = len(self._heard)
        self._heard.append("connection")
        with connection:
            connection.settimeout(5)
            try:
                asked = connection.recv(65536)
                self._heard[place] = asked.split(b"\r\n")[0].decode("latin-1") or "connection"
                connection.sendall(ANSWER)
            except OSError:
                return

    def _receive(self) -> None:
        while True:
            packet, _address = self._udp.recvfrom(65536)
            if not self._is_open:
                return
            self._heard.append(f"packet of {len(packet)} bytes")
