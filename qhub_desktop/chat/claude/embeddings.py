"""Embedding service of the plant's own: vectors of passages, by OpenAI's `/v1/embeddings`."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from math import isfinite
from typing import TYPE_CHECKING, Any

from qhub_desktop.chat.claude import error_messages
from qhub_desktop.chat.claude.credentials import Endpoint, service_address
from qhub_desktop.chat.claude.request_log import RequestLog, keep_request
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.documents import EMBEDDINGS_PATH
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.settings import Settings

if TYPE_CHECKING:
    import httpx2

ANSWER_S = 60.0  # of a server without a graphics card, for a batch of passages
NEAR_CONNECT_S = 5.0
WIDEST = 8_192  # numbers in a vector

Way = tuple[str, str]  # address and file of certificates


class EmbeddingEndpoint:
    """The service that the settings name, as 'http://vectors.plant:8080#name of the model'.

    Without a name, the service uses its only model. No key is sent, and what is sent is kept in
    `log` first. Raises UserError for an address that is none.
    """

    def __init__(self, settings: Callable[[], Settings], *, log: RequestLog | None = None) -> None:
        self._settings = settings
        self._log = log
        self._loader = Worker("embeddings")
        self._http: dict[Way, httpx2.AsyncClient] = {}

    @property
    def model(self) -> str:
        """Name of the model, with the address: vectors of two are never compared."""
        service = self._service()
        return f"{service.address}#{service.model}"

    @property
    def is_on_this_computer(self) -> bool:
        """Whether nothing that it is sent leaves this computer."""
        return self._service().is_loopback

    async def embed(
        self, texts: Sequence[str], *, message: MessageId | None = None
    ) -> list[list[float]]:
        """Return the vectors of texts, all of one width. Raises QHubError.

        `message` is the answer that they are for, if they are for one.
        """
        service = self._service()
        http = await self._loader.run(self._connections, service, self._settings().ca_file)
        body: JsonObject = {"input": [*texts]}
        if service.model:
            body["model"] = service.model
        days = self._settings().sent_days
        await keep_request(self._log, service, EMBEDDINGS_PATH, body, message=message, days=days)
        import httpx2

        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await http.post(
                    f"{service.address}{EMBEDDINGS_PATH}",
                    json=body,
                    timeout=httpx2.Timeout(ANSWER_S, connect=NEAR_CONNECT_S),
                )
                answer.raise_for_status()
                return _vectors(answer.json(), len(texts))
        except TimeoutError as error:
            raise error_messages.no_answer_in_time(ANSWER_S) from error
        except httpx2.HTTPStatusError as error:
            raise _refusal(error, service) from error
        except (ValueError, RecursionError, KeyError, TypeError) as error:
            raise error_messages.malformed_answer(service.host) from error
        except httpx2.TimeoutException as error:
            raise error_messages.no_answer_in_time(ANSWER_S) from error
        except Exception as error:
            # Of the library, and of our transport: a proxy that fails, a service that sends on.
            raise error_messages.unreachable(service.host) from error

    async def close(self) -> None:
        """Close the connections."""
        for http in self._http.values():
            with suppress(OSError):
                await http.aclose()
        self._loader.close()

    def _service(self) -> Endpoint:
        written, _mark, model = self._settings().embedding_endpoint.partition("#")
        address = service_address(written.strip().removesuffix("/").removesuffix("/embeddings"))
        return Endpoint(address, model.strip(), "settings")

    def _connections(self, service: Endpoint, ca_file: str) -> "httpx2.AsyncClient":
        """Make the connections, once for each way, on the loader's thread: imports take seconds."""
        import_module("anyio._backends._asyncio")
        from qhub_desktop.chat.claude.proxies import choose_proxy, signed_in
        from qhub_desktop.chat.claude.transport import connect

        proxy = signed_in(choose_proxy(service)).address or None
        way = (proxy or "", ca_file)
        if way not in self._http:
            self._http[way] = connect(proxy, host=service.host, ca_file=ca_file)
        return self._http[way]


def _refusal(error: "httpx2.HTTPStatusError", service: Endpoint) -> QHubError:
    said = error_messages.ErrorResponse.of(
        error.response.status_code, kind="", code="", message="", retry_after=""
    )
    return error_messages.response_error(said, host=service.host, model=service.model)


def _vectors(answer: Any, count: int) -> list[list[float]]:
    """Return the vectors of an answer in the order of the texts. Raises ValueError and others."""
    rows = sorted(answer["data"], key=lambda row: row["index"])
    vectors = [[float(number) for number in row["embedding"]] for row in rows]
    if not all(isfinite(number) for vector in vectors for number in vector):
        raise ValueError("not finite")
    widths = {len(vector) for vector in vectors}
    if len(vectors) != count or len(widths) != 1 or not 0 < max(widths) <= WIDEST:
        raise ValueError(count)
    return vectors
