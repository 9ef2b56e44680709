"""Claude, or any service that speaks its format: the only module that knows the SDK."""

import asyncio
import json
import random
import re
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from qhub_desktop.chat.claude import error_messages
from qhub_desktop.chat.claude.citations import SentPassages
from qhub_desktop.chat.claude.credentials import (
    Endpoint,
    bad_address,
    check_key,
    chosen_endpoint,
    parse_key,
)
from qhub_desktop.chat.claude.messages_api import (
    FailedStreamError,
    StreamDecoder,
    Take,
    WebPageError,
    batch_answer,
    batched,
    countdown,
    read_events,
    request_body,
)
from qhub_desktop.chat.claude.pricing import Prices
from qhub_desktop.chat.claude.request_log import RequestLog, keep_request
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import QHubError, ServiceError, UserError
from qhub_desktop.core.events import (
    CHARACTERS_PER_TOKEN,
    Answering,
    BatchAnswer,
    ModelEvent,
    ModelRequest,
    RequestReady,
    UsageBegun,
    UsageCounted,
)
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.core.untrusted import hide_secrets, one_line, use_secret
from qhub_desktop.core.untrusted_files import parse_json

if TYPE_CHECKING:  # 1.9 s and 3,000 modules: loaded on a thread, once the window is there
    import anthropic
    import httpx2

TRIES = 4  # of one request, where trying again may help
LONGEST_WAIT_S = 90.0  # what is longer is for the person to decide
CONNECT_S = 5.0
READ_S = 60.0
YIELD_S = 0.008  # a burst that is already buffered would keep the window waiting (42 ms measured)
MOST_MODELS = 50
REST_S = 0.25  # for the end of the body, so that the connection can serve again


MESSAGES = "/v1/messages"
BATCHES = f"{MESSAGES}/batches"
BATCH_SHARE = 0.5  # of the price, for answers that come later
_BATCH_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")  # it is a part of an address
COUNTED = frozenset({"model", "messages", "system", "tools", "tool_choice"})


class Claude:
    """Answers through the Messages format. Owns its connections and two threads until closed."""

    def __init__(
        self,
        *,
        settings: Callable[[], Settings],
        key: Callable[[Endpoint], str | None],
        prices: Prices,
        environment: Mapping[str, str],
        first_wait_s: float = 1.0,
        retries_refused: bool = True,
        log: RequestLog | None = None,
    ) -> None:
        """Connect to nothing yet.

        Without `retries_refused`, a connection that is refused is not tried again: whoever calls
        the command line is told at once, and may call again.
        """
        self._settings = settings
        self._key = key
        self._prices = prices
        self._environment = environment
        self._first_wait_s = first_wait_s
        self._retries_refused = retries_refused
        self._log = log
        self._keys = Worker("claude-key")  # a key store may block
        # Apart from the keys: whether there is one must be known while the SDK is still loading,
        # so that an answer of the offline engine never waits for it.
        self._loader = Worker("claude-sdk")
        # By the proxy that they go through, and the file of certificates that they trust.
        self._http: dict[tuple[str | None, str], httpx2.AsyncClient] = {}

    def warm(self) -> None:
        """Load the SDK ahead of need, without blocking."""
        # With the SDK loaded after the first paint the first word comes 1.2 s after the question,
        # loaded for the question 8.3 s; the longest stall is no worse (0.9 s against 1.2 s).
        self._loader.run_ahead(self._warm)

    async def load(self) -> None:
        """Load the SDK, and return once it is there."""
        await self._loader.run(self._warm)

    def _warm(self) -> None:
        # What is wrong with an address or a proxy is said with the first question.
        with suppress(UserError):
            settings = self._settings()
            self._connections(chosen_endpoint(settings, self._environment), settings.ca_file)

    async def close(self) -> None:
        """Close every connection."""
        connections, self._http = self._http, {}
        for http in connections.values():
            await http.aclose()
        self._loader.close()
        self._keys.close()

    async def has_key(self) -> bool:
        """Return whether the service can be asked: there is a key, or it needs no key."""
        service = chosen_endpoint(self._settings(), self._environment)
        return not service.needs_key or bool(await self._read_key(service))

    async def unencrypted_host(self) -> str | None:
        """Return the host that would get the key without encryption, unless it is allowed to."""
        try:
            service = chosen_endpoint(self._settings(), self._environment)
        except UserError:  # said with the question
            return None
        if not service.is_exposed or service.host == self._settings().unencrypted_host:
            return None
        return service.host if await self._read_key(service) else None

    async def _read_key(self, service: Endpoint) -> str | None:
        key = await self._keys.run(self._key, service)
        use_secret(key)  # from here on, no text of a service that quotes it keeps it
        return key

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one round; while nothing has arrived, try again, counting down."""
        settings, service = self._service_for(request)
        yield Answering(service.model)
        passages = SentPassages(are_cited=service.is_claude)
        body = _body(request, service, passages)
        client = await self._client(service, await self._read_key(service), settings)
        most_usd = self._prices.most(
            service.model,
            request_bytes=len(json.dumps(body, ensure_ascii=False).encode(errors="replace")),
            answer_tokens=request.answer_tokens,
        )
        for tries in range(1, TRIES + 1):
            yield RequestReady(service.model, most_usd)
            has_begun = False
            sent = await self._keep(service, MESSAGES, body, answer=request.answer)
            reading = StreamDecoder(service.model, passages)
            read = partial(self._read, client, service, body, reading, settings.heartbeat_s)
            try:
                async with self._model_named(client, service):
                    async for event in batched(read):
                        if isinstance(event, UsageCounted) and self._log and sent is not None:
                            await self._log.add_usage(sent, event)
                        has_begun = has_begun or not isinstance(event, UsageCounted | UsageBegun)
                        yield event
                return
            except ServiceError as error:
                wait_s = self._wait_s(error, tries, settings)
                if has_begun or reading.is_final or wait_s is None:
                    raise
                failure = error
            async for status in countdown(failure, wait_s):
                yield status

    def _service_for(self, request: ModelRequest) -> tuple[Settings, Endpoint]:
        settings = self._settings()
        if request.model:
            settings = replace(settings, model=request.model)
        return settings, chosen_endpoint(settings, self._environment)

    async def estimate(self, request: ModelRequest) -> float | None:
        """Estimate the cost of a question in US dollars; None where no price is known."""
        try:
            _settings, service = self._service_for(request)
            body = _body(request, service, SentPassages(are_cited=service.is_claude))
        except UserError:  # said when it is sent
            return None
        written = len(json.dumps(body, ensure_ascii=False))
        return self._prices.estimate(
            service.model, characters=written, answer_tokens=request.answer_tokens
        )

    async def _keep(
        self, service: Endpoint, path: str, body: JsonObject, *, answer: MessageId | None = None
    ) -> int | None:
        days = self._settings().sent_days
        return await keep_request(self._log, service, path, body, message=answer, days=days)

    def _wait_s(self, error: ServiceError, tries: int, settings: Settings) -> float | None:
        """Return how long to wait before the next try; None if there is to be none."""
        if not self._retries_refused and _is_refused(error):
            return None
        if error.fault in ("network", "setup") and settings.engine == "auto":
            # The offline engine stands by. One more try at once, for a connection that the other
            # side had dropped while it was idle; not for one that took its time to fail.
            return None if tries > 1 or _is_timeout(error) else 0.0
        if tries >= TRIES:
            return None
        # Many stations that were refused together must not come back together.
        spread = random.uniform(0.75, 1.25)  # noqa: S311  guards nothing
        wait_s = self._first_wait_s * 2 ** (tries - 1) * spread
        if error.retry_after_s is not None:
            wait_s = error.retry_after_s
        return wait_s if wait_s <= min(LONGEST_WAIT_S, settings.inactivity_s) else None

    async def _read(
        self,
        client: "anthropic.AsyncAnthropic",
        service: Endpoint,
        body: JsonObject,
        reading: StreamDecoder,
        beat_s: float,
        take: Take,
    ) -> QHubError | None:
        """Read one answer to its end. Return what went wrong: nobody may be waiting for it."""
        import anthropic
        import httpx2

        failure: QHubError | None = None
        begun: UsageBegun | None = None

        def take_priced(event: ModelEvent) -> None:
            nonlocal begun
            if isinstance(event, UsageBegun):
                event = begun = self._prices.begun(event.usage)
            take(event)

        try:
            async with asyncio.timeout(beat_s) as silence:
                stream = await client.post(
                    MESSAGES,
                    body=body,
                    # The SDK's own reading takes nothing but events, and passes over those whose
                    # kind is told in their data alone.
                    cast_to=object,
                    options={"timeout": _timeout(beat_s)},
                    stream=True,
                    stream_cls=anthropic.AsyncStream[object],
                )
                async with stream:
                    reading.request_id = stream.response.headers.get("request-id", "")
                    await _decode_stream(
                        stream.response.aiter_bytes(),
                        reading,
                        take_priced,
                        silence=silence,
                        beat_s=beat_s,
                    )
        except (
            anthropic.APIError,
            httpx2.HTTPError,
            FailedStreamError,
            *_MALFORMED,
            TimeoutError,
        ) as error:
            if not reading.has_ended:
                failure = _translate_error(error, service, beat_s)
        for each in reading.finish():
            take(each)
        if begun is not None and not reading.is_final:  # the service has not said how long it was
            take(begun.after(reading.characters))
        elif usage := reading.usage:
            take(replace(usage, cost_usd=self._prices.cost(usage)))
        if reading.has_ended:
            take(reading.end)
            return None
        return failure or error_messages.connection_lost()

    async def _client(
        self, service: Endpoint, key: str | None, settings: Settings
    ) -> "anthropic.AsyncAnthropic":
        if not key and service.needs_key:
            raise error_messages.no_key(service.host)
        if key:
            check_key(key)
        if key and service.is_exposed and service.host != settings.unencrypted_host:
            raise error_messages.unencrypted_key(service.host)
        http = await self._loader.run(self._connections, service, settings.ca_file)

        import anthropic
        import httpx2

        try:
            return anthropic.AsyncAnthropic(
                # Without a key the SDK would look for other credentials all over the computer.
                api_key=key or "none",
                base_url=service.address,
                http_client=http,
                max_retries=0,  # the SDK's own tries cannot be seen or stopped
                open_telemetry=False,
            )
        except (ValueError, httpx2.InvalidURL) as error:
            raise bad_address(service.address) from error

    def _connections(self, service: Endpoint, ca_file: str) -> "httpx2.AsyncClient":
        """Make the connections for a service, once for each way to it, on the loader's thread.

        Raises UserError where what the environment or the system says of proxies cannot be used.
        """
        _load()

        from qhub_desktop.chat.claude.proxies import choose_proxy, signed_in
        from qhub_desktop.chat.claude.transport import connect

        proxy = signed_in(choose_proxy(service)).address or None
        way = (proxy, ca_file)
        if way not in self._http:
            self._http[way] = connect(proxy, host=service.host, ca_file=ca_file)
        return self._http[way]

    async def batch_price(self, request: ModelRequest) -> tuple[int, float | None]:
        """Return about how many tokens a request of a batch takes, and what it costs at most."""
        _settings, service = self._service_for(request)
        written = len(json.dumps(_batched(request, service), ensure_ascii=False))
        prompt = round(written / CHARACTERS_PER_TOKEN)
        cost = self._prices.cost(UsageCounted(service.model, prompt, request.answer_tokens))
        return prompt + request.answer_tokens, None if cost is None else cost * BATCH_SHARE

    async def begin_batch(self, requests: Mapping[str, ModelRequest]) -> str:
        """Send requests to be answered together, later; return the service's name of the batch."""
        settings, service = self._service_for(next(iter(requests.values())))
        listed: list[Json] = [
            {"custom_id": name, "params": _batched(each, service)}
            for name, each in requests.items()
        ]
        client = await self._client(service, await self._read_key(service), settings)
        made = await self._fetch(client, service, BATCHES, {"requests": listed})
        name = str(made.get("id"))
        if not _BATCH_NAME.fullmatch(name):
            raise error_messages.malformed_answer(service.host)
        return name

    async def batch_answers(self, batch: str) -> Mapping[str, BatchAnswer] | None:
        """Return what a batch has come to, by the names of its requests; None while it is not
        done. Raises UserError or ServiceError as `stream` does.
        """
        settings = self._settings()
        service = chosen_endpoint(settings, self._environment)
        client = await self._client(service, await self._read_key(service), settings)
        state = await self._fetch(client, service, f"{BATCHES}/{batch}", log=False)
        if state.get("processing_status") != "ended":
            return None
        # By our own address: where the service says that its results are is not followed.
        path = f"{BATCHES}/{batch}/results"
        told = await self._fetch(client, service, path, log=False, is_lines=True)
        answers = {}
        for line in told["lines"]:
            with suppress(*_MALFORMED, KeyError, TypeError, AttributeError):
                name, answer = batch_answer(parse_json(line))
                if (usage := answer.usage) is not None:
                    cost = self._prices.cost(usage)
                    cost = None if cost is None else cost * BATCH_SHARE
                    answer = replace(answer, usage=replace(usage, cost_usd=cost))
                answers[name] = answer
        return answers

    async def test_connection(self, settings: Settings, *, key: str | None = None) -> str:
        """Ask the service of these settings for a word, and return a sentence about the answer.

        `key` is one that is not stored yet. Raises UserError or ServiceError: what to correct.
        """
        service = chosen_endpoint(settings, self._environment)
        use_secret(key)
        given = parse_key(key) if key else await self._read_key(service)
        client = await self._client(service, given, settings)
        question: JsonObject = {
            "model": service.model,
            "max_tokens": 16,
            "messages": [{"role": "user", "content": "Diz apenas: olá"}],
        }
        begun = time.perf_counter()
        async with self._model_named(client, service):
            answer = await self._fetch(client, service, MESSAGES, question)
        if "content" not in answer:
            raise error_messages.malformed_answer(service.host)
        sentence = _("{host} answers, with {model}, in {milliseconds} ms.").format(
            host=service.host,
            model=service.model,
            milliseconds=round((time.perf_counter() - begun) * 1000),
        )
        ends = await self._retirement(client, service)
        if ends is None:
            return sentence
        warning = _("This model ends on {date}: choose another one in time.")
        return f"{sentence} {warning.format(date=moment(ends))}"

    async def count_tokens(self, request: ModelRequest) -> int:
        """Return how many tokens a request has, as the service counts them; kept in no log.

        Raises UserError and ServiceError.
        """
        settings, service = self._service_for(request)
        body = _body(request, service, SentPassages(are_cited=service.is_claude))
        client = await self._client(service, await self._read_key(service), settings)
        counted = {name: each for name, each in body.items() if name in COUNTED}
        answer = await self._fetch(client, service, f"{MESSAGES}/count_tokens", counted, log=False)
        tokens = answer.get("input_tokens")
        if not isinstance(tokens, int):
            raise error_messages.malformed_answer(service.host)
        return tokens

    async def reach(self) -> None:
        """Check that the service can be asked, at no cost. Raises what is in the way."""
        settings = self._settings()
        service = chosen_endpoint(settings, self._environment)
        client = await self._client(service, await self._read_key(service), settings)
        try:
            await self._fetch(client, service, "/v1/models?limit=1")
        except UserError as error:  # a gateway need not have a catalogue: it did answer
            if error.fault in ("key", "setup", "network_setup", "proxy_login", "network"):
                raise

    @asynccontextmanager
    async def _model_named(
        self, client: "anthropic.AsyncAnthropic", service: Endpoint
    ) -> AsyncIterator[None]:
        """Add the models to choose from to the error of a service that does not know its model."""
        try:
            yield
        except UserError as error:
            if error.fault != "model":
                raise
            raise error_messages.unknown_model(
                service.model, await self._model_names(client, service)
            ) from error

    async def _model_names(
        self, client: "anthropic.AsyncAnthropic", service: Endpoint
    ) -> tuple[str, ...]:
        """List the models to choose from: the service's own list, else those with a known price."""
        try:
            listed = await self._fetch(client, service, "/v1/models?limit=1000")
        except (ServiceError, UserError):  # a gateway need not have a catalogue
            return self._prices.names
        models = listed.get("data")
        names = tuple(
            hide_secrets(one_line(str(each["id"])))
            for each in (models if isinstance(models, list) else ())
            if isinstance(each, dict) and "id" in each and each.get("lifecycle") != "retired"
        )
        return names[:MOST_MODELS] or self._prices.names

    async def _retirement(
        self, client: "anthropic.AsyncAnthropic", service: Endpoint
    ) -> date | None:
        """Return the day after which the model is gone, where the service names one."""
        try:
            model = await self._fetch(client, service, f"/v1/models/{service.model}")
            return date.fromisoformat(str(model.get("retires_at"))[:10])
        except (ServiceError, UserError, ValueError):
            return None

    async def _fetch(
        self,
        client: "anthropic.AsyncAnthropic",
        service: Endpoint,
        path: str,
        body: JsonObject | None = None,
        *,
        log: bool = True,
        is_lines: bool = False,
    ) -> dict[str, Any]:
        """Ask for an object; the lines of a text stand under `lines` of one."""
        import anthropic
        import httpx2

        beat_s = min(READ_S, self._settings().heartbeat_s)
        if log:
            await self._keep(service, path, body or {})
        try:
            async with asyncio.timeout(beat_s):
                answer: object
                if is_lines:
                    text = await client.get(
                        path, cast_to=str, options={"timeout": _timeout(beat_s)}
                    )
                    answer = {"lines": text.splitlines()}
                elif body is None:
                    answer = await client.get(
                        path, cast_to=object, options={"timeout": _timeout(beat_s)}
                    )
                else:
                    answer = await client.post(
                        path, body=body, cast_to=object, options={"timeout": _timeout(beat_s)}
                    )
        except (anthropic.APIError, httpx2.HTTPError, *_MALFORMED, TimeoutError) as error:
            raise _translate_error(error, service, beat_s) from error
        if not isinstance(answer, dict):
            raise error_messages.web_page(service.host)
        return answer


_MALFORMED = (ValueError, RecursionError)  # of lists in lists in lists


def _body(request: ModelRequest, service: Endpoint, passages: SentPassages) -> JsonObject:
    has_thinking = request.may_think and service.is_claude
    return request_body(request, model=service.model, has_thinking=has_thinking, passages=passages)


def _batched(request: ModelRequest, service: Endpoint) -> JsonObject:
    """Return a request as it stands in a batch, which does not stream."""
    body = _body(request, service, SentPassages(are_cited=False))
    return {name: value for name, value in body.items() if name != "stream"}


def _load() -> None:
    """Load the SDK and what it stands on."""
    import_module("qhub_desktop.chat.claude.transport")
    # Otherwise imported by the first request, which would hold up the window for 92 ms.
    import_module("anyio._backends._asyncio")


def _timeout(beat_s: float) -> "httpx2.Timeout":
    import httpx2

    return httpx2.Timeout(min(READ_S, beat_s), connect=CONNECT_S)


async def _decode_stream(
    pieces: AsyncIterator[bytes],
    reading: StreamDecoder,
    take: Take,
    *,
    silence: asyncio.Timeout,
    beat_s: float,
) -> None:
    """Decode every event to the end of the body; `silence` ends it when none comes."""
    loop = asyncio.get_running_loop()
    renewed = rested = 0.0
    async for event in read_events(pieces):
        for each in reading.take(event):
            take(each)
        now = loop.time()
        if reading.has_ended:
            silence.reschedule(now + REST_S)
        elif now - renewed > beat_s / 10:  # moving a timer costs more than reading an event
            silence.reschedule(now + beat_s * 1.1)
            renewed = now
        if now - rested > YIELD_S:
            await asyncio.sleep(0)
            rested = loop.time()


def _is_timeout(error: ServiceError) -> bool:
    import httpx2

    return any(isinstance(each, httpx2.TimeoutException) for each in _causes(error))


def _is_refused(error: BaseException) -> bool:
    """Return whether nothing listens there, at any of the addresses that a name has."""
    return any(
        isinstance(each, ConnectionRefusedError)
        or (isinstance(each, BaseExceptionGroup) and all(map(_is_refused, each.exceptions)))
        for each in _causes(error)
    )


def _translate_error(error: Exception, service: Endpoint, beat_s: float) -> QHubError:
    """Translate an error of the SDK, or of the libraries below it, for the person."""
    import anthropic
    import httpx2

    from qhub_desktop.chat.claude.transport import ProxyFailedError, RedirectError

    causes = list(_causes(error))
    elsewhere = next((each.other for each in causes if isinstance(each, RedirectError)), None)
    proxy = next((each for each in causes if isinstance(each, ProxyFailedError)), None)
    match error:
        case _ if elsewhere is not None:
            failure: QHubError = error_messages.redirected(service.host, elsewhere)
        case _ if proxy is not None and proxy.wants_password:
            failure = error_messages.proxy_password(proxy.proxy, service.host)
        case _ if proxy is not None:
            failure = error_messages.proxy_failed(proxy.proxy, service.host)
        case FailedStreamError(body=body):
            said = error_messages.ErrorResponse.of_stream(body)
            failure = error_messages.response_error(said, host=service.host, model=service.model)
        case WebPageError():
            failure = error_messages.web_page(service.host)
        case anthropic.APIStatusError() if _is_barrier(error.response):
            failure = error_messages.web_page(service.host)
        case anthropic.APIStatusError():
            failure = error_messages.response_error(
                _error_response(error), host=service.host, model=service.model
            )
        case _ if any(isinstance(each, ssl.SSLCertVerificationError) for each in causes):
            failure = error_messages.untrusted(service.host)
        case _ if any(isinstance(each, httpx2.ConnectTimeout) for each in causes):
            failure = error_messages.unreachable(service.host)
        case TimeoutError() | httpx2.TimeoutException() | anthropic.APITimeoutError():
            failure = error_messages.no_answer_in_time(beat_s)
        case anthropic.APIConnectionError():
            failure = error_messages.unreachable(service.host)
        case httpx2.HTTPError() if not isinstance(error, httpx2.DecodingError):
            failure = error_messages.connection_lost()
        case _:
            failure = error_messages.malformed_answer(service.host)
    failure.__cause__ = error
    return failure


def _is_barrier(response: "httpx2.Response") -> bool:
    """Return whether a page of the network stands in the way, and the service said nothing."""
    is_page = "html" in response.headers.get("content-type", "")
    return is_page and response.status_code in (403, 451, 511)


def _error_response(error: "anthropic.APIStatusError") -> error_messages.ErrorResponse:
    return error_messages.ErrorResponse.of(
        error.status_code,
        kind=error.type,
        code=error.error_code,
        message=error.api_message,
        retry_after=error.response.headers.get("retry-after", ""),
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
